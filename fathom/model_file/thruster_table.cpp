#include "fathom/fields/codec.hpp"
#include "fathom/model/thruster_map.hpp"
#include "fathom/model_file/internal/value_codec.hpp"

// Keys of thruster maps and transients. model::check_thruster_map and check_transient enforce the ranges.
namespace fathom::fields {
namespace {

using namespace model;

using Law = decltype(ThrusterMap::law);
using Thrust = decltype(Propeller::thrust);
using Shaft = decltype(Propeller::shaft);
using TransientLaw = decltype(Transient::law);
using DeadBandCodec = ListOf<&DeadBand::min, &DeadBand::max>;
using GainsCodec = ListOf<&LinearQuadratic::Gains::linear, &LinearQuadratic::Gains::quadratic>;

constexpr std::string_view ends = "[low, high] in the unit of the command";
constexpr std::string_view polynomial =
    "c_1 ... c_5 of c_1 x + ... + c_5 x^5, x from the edge of the dead band";
constexpr std::string_view gains = "[K_L, K_Q] of K_L x + K_Q |x| x";

/// A dead band that may be left out.
template <auto member>
Key dead_band() {
  return field<member, OptionalCodec<DeadBand, DeadBandCodec>>("dead_band")
      .what(ends)
      .doc("Commands without force.");
}
/// The time constant with its sigma, where it has one.
struct LagCodec {
  using Base = ValueCodec<double>;
  static Value<double> value_of(const FirstOrder& lag) { return {lag.time_constant, "", false, lag.sigma}; }
  static void read(const yaml::Field& field, const Spec& spec, FirstOrder& lag) {
    Value<double> value = value_of(lag);
    Base::read(field, spec, value);
    lag.time_constant = value.value;
    lag.sigma = value.sigma;
  }
  static Json write(const FirstOrder& lag, const Spec& spec) { return Base::write(value_of(lag), spec); }
  static Json schema(const Spec& spec) { return Base::schema(spec); }
};
/// A required number, whose unit is the remedy where it is missing.
template <auto member>
Key number(std::string_view name, std::string_view unit) {
  return field<member>(name).unit(unit).required(unit);
}

}  // namespace

template <>
const Words<CommandUnit>& words<CommandUnit>() {
  static const Words<CommandUnit> all = [] {
    Words<CommandUnit> result;
    for (const CommandUnit unit : {CommandUnit::normalized, CommandUnit::pwm_us, CommandUnit::volt,
                                   CommandUnit::rad_s, CommandUnit::newton})
      result.emplace_back(name_of(unit), unit);
    return result;
  }();
  return all;
}

template <>
const Words<ActsOn>& words<ActsOn>() {
  static const Words<ActsOn> all = {{name_of(ActsOn::force), ActsOn::force},
                                    {name_of(ActsOn::shaft), ActsOn::shaft}};
  return all;
}

// clang-format off
template <> const Keys& Table<Command>::fields() {
  static constexpr std::string_view range = "[min, max] in the unit of the command";
  static const Keys keys{
      field<&Command::unit>("unit").required("normalized, pwm_us, volt, rad_s or newton").doc("Unit of the command."),
      self<Command, ListOf<&Command::min, &Command::max>>("range").what(range)
          .required_if([](const void* c) { return static_cast<const Command*>(c)->unit != CommandUnit::normalized; }, range)
          .doc("Smallest and largest command; commands beyond are clamped."),
      field<&Command::neutral>("neutral").always().doc("Command that gives no force.")};
  return keys;
}
template <> void Table<Command>::refine(Json& schema) {
  schema["if"] = {{"properties", {{"unit", {{"const", "normalized"}}}}}};
  schema["else"] = {{"required", Json::array({"range"})}};
}

template <> const Keys& Table<PolynomialPair>::fields() {
  static const Keys keys{
      field<&PolynomialPair::dead_band, DeadBandCodec>("dead_band").what(ends).required(ends).doc("Commands without force."),
      field<&PolynomialPair::forward>("forward").what(polynomial).required(polynomial).doc("c_1 ... c_5 above the dead band [N]."),
      field<&PolynomialPair::reverse>("reverse").what(polynomial).required(polynomial)
          .doc("c_1 ... c_5 below the dead band, where x <= 0 [N].")};
  return keys;
}

template <> const Keys& Table<LinearQuadratic>::fields() {
  static const Keys keys{
      dead_band<&LinearQuadratic::dead_band>(),
      field<&LinearQuadratic::forward, GainsCodec>("forward").what(gains).required(gains).doc("[K_L, K_Q] in N."),
      field<&LinearQuadratic::reverse, OptionalCodec<LinearQuadratic::Gains, GainsCodec>>("reverse").what(gains)
          .doc("[K_L, K_Q] below neutral, where they differ.")};
  return keys;
}

template <> const Keys& Table<ThrustCoefficients>::fields() {
  static const Keys keys = stated({
      number<&ThrustCoefficients::ww>("T_ww", "N s^2").above(0).doc("Thrust over |w| w."),
      field<&ThrustCoefficients::wu>("T_wu").unit("N s^2/m").at_most(0).always().doc("Thrust over |w| u.")});
  return keys;
}
template <> const Keys& Table<OpenWater>::fields() {
  static const Keys keys = stated({
      number<&OpenWater::diameter>("diameter", "m").above(0).doc("Diameter of the propeller."),
      number<&OpenWater::alpha0>("alpha0", "").above(0).doc("Thrust coefficient K_T at rest."),
      field<&OpenWater::alpha1>("alpha1").at_most(0).always().doc("Slope of K_T over the advance ratio J.")});
  return keys;
}
template <> const Union& Choice<Thrust>::alternatives() {
  static const Union choice{"", {inlined<Thrust, ThrustCoefficients>(), inlined<Thrust, OpenWater>()}, true};
  return choice;
}

template <> const Keys& Table<LinearShaft>::fields() {
  static const Keys keys = stated({
      field<&LinearShaft::gain>("linear").unit("rad/s per unit of the command").required().above(0)
          .doc("Shaft speed over command, from the near edge of the dead band."),
      dead_band<&LinearShaft::dead_band>()});
  return keys;
}
template <> const Keys& Table<TableShaft>::fields() {
  static const Keys keys = stated({
      field<&TableShaft::commands>("commands").entries(2).required("increasing").doc("Increasing commands."),
      field<&TableShaft::speeds>("speeds").unit("rad/s").entries(2).required("rad/s, one for each command")
          .doc("Shaft speeds, not falling, 0 at neutral.")});
  return keys;
}
template <> const Union& Choice<Shaft>::alternatives() {
  static const Union choice{"", {
      inlined<Shaft, LinearShaft>(),
      nested<Shaft, PowerShaft>(self<PowerShaft, ListOf<&PowerShaft::a, &PowerShaft::exponent, &PowerShaft::c>>("power")
          .what("[a, exponent, c] of a |x|^exponent + c")
          .doc("[a, exponent, c] of |w| = max(0, a |x|^exponent + c), x = command - neutral.")),
      nested<Shaft, TableShaft>("table").doc("Measured speeds, with a cubic that keeps their shape between.")}};
  return choice;
}

template <> const Keys& Table<Propeller>::fields() {
  static const Keys keys{
      spread<&Propeller::thrust>(),
      field<&Propeller::reverse>("reverse").doc("T_ww and T_wu of a shaft that turns backwards."),
      field<&Propeller::shaft>("shaft").doc("Shaft speed by command; left out where the command is the speed, or with a motor.")};
  return keys;
}
template <> void Table<Propeller>::refine(Json& schema) {
  schema["not"] = {{"required", Json::array({"diameter", "reverse"})}};
  schema["properties"]["shaft"].erase("default");
}

template <> const Keys& Table<ForceTable>::fields() {
  static const Keys keys = stated({
      field<&ForceTable::commands>("commands").entries(2).required("increasing, in the unit of the command")
          .doc("Increasing commands that span the range."),
      field<&ForceTable::voltages>("voltages").unit("V").entries(1).required("V, increasing; one will do")
          .doc("Increasing supply voltages."),
      field<&ForceTable::forces>("forces").unit("N").entries(1).required("N, a row for each voltage")
          .doc("A row for each voltage, an entry for each command.")});
  return keys;
}

template <> const Union& Choice<Law>::alternatives() {
  static const Union choice{"", {
      nested<Law, PolynomialPair>("polynomial_pair").doc("c_1 x + ... + c_5 x^5 on each side of the dead band."),
      nested<Law, LinearQuadratic>("linear_quadratic").doc("K_L x + K_Q |x| x from the near edge of the dead band."),
      nested<Law, Propeller>("propeller").doc("T_ww |w| w + T_wu |w| u, w the shaft speed, u the inflow."),
      nested<Law, ForceTable>("table").doc("Measured forces, with a cubic that keeps their shape between.")}};
  return choice;
}

template <> const Keys& Table<ThrusterMap>::fields() {
  static const Keys keys{
      own_origin<ThrusterMap>(),
      field<&ThrusterMap::command>("command").required("unit, range and neutral").doc("Command of the thruster."),
      spread<&ThrusterMap::law>(),
      field<&ThrusterMap::current>("current").unit("A").what("[i_0, i_1, i_2] of i_0 + i_1 |f| + i_2 f^2 in A")
          .doc("[i_0, i_1, i_2] of the supply current i_0 + i_1 |f| + i_2 f^2.")};
  return keys;
}
template <> void Table<ThrusterMap>::refine(Json& schema) {
  schema["properties"]["current"]["prefixItems"] = Json::array({{{"type", "number"}, {"minimum", 0}}});
}

template <> const Keys& Table<FirstOrder>::fields() {
  static const Keys keys = stated({
      self<FirstOrder, LagCodec>("time_constant").unit("s").required("s").above(0)
          .doc("Time constant of the lag, or {value, sigma}."),
      field<&FirstOrder::acts_on>("acts_on")
          .doc("force: the lag is behind the static map. shaft: before it, of the shaft speed, or of the command where the map has none. "
               "Left out: of the shaft speed where the map has one, else of the force; `fathom identify` takes it for unknown.")});
  return keys;
}
template <> const Keys& Table<DcMotor>::fields() {
  static const Keys keys = stated({
      number<&DcMotor::inertia>("inertia", "kg m^2").above(0).doc("Inertia of motor, propeller and its water."),
      number<&DcMotor::k_t>("k_t", "V s/rad").at_least(0).doc("Back-EMF constant."),
      number<&DcMotor::resistance>("resistance", "ohm").above(0).doc("Resistance of the windings."),
      number<&DcMotor::k_q>("k_q", "N m/A").above(0).doc("Torque constant."),
      number<&DcMotor::k_f1>("k_f1", "N m s").at_least(0).doc("Viscous friction."),
      number<&DcMotor::Q_ww>("Q_ww", "N m s^2").at_least(0).doc("Torque of the propeller over |w| w.")});
  return keys;
}
template <> const Keys& Table<MotorRates>::fields() {
  static const Keys keys = stated({
      number<&MotorRates::drive>("drive", "rad/s^2 per V").above(0).doc("Acceleration over voltage."),
      number<&MotorRates::linear>("linear", "1/s").at_least(0).doc("Deceleration over speed."),
      number<&MotorRates::quadratic>("quadratic", "1/rad").at_least(0).doc("Deceleration over speed squared.")});
  return keys;
}
template <> const Keys& Table<AxialFlow>::fields() {
  static const Keys keys = stated({
      number<&AxialFlow::share>("share", "").at_least(0).doc("beta: extra thrust in water that does not flow yet."),
      number<&AxialFlow::time_constant>("time_constant", "s").above(0).doc("Time constant of the flow."),
      field<&AxialFlow::stopped_drag>("stopped_drag").at_least(0).always().doc("Drag of blades slower than the flow.")});
  return keys;
}
template <> const Union& Choice<TransientLaw>::alternatives() {
  static const Union choice{"", {
      nested<TransientLaw, FirstOrder>("first_order").doc("Lag of the force, or of what goes into the static map."),
      nested<TransientLaw, DcMotor>("dc_motor").doc("Motor on the shaft of a propeller; the command is its voltage."),
      nested<TransientLaw, MotorRates>("motor_rates").doc("Motor divided by its inertia: w' = drive V - linear w - quadratic |w| w.")}};
  return choice;
}
template <> const Keys& Table<Transient>::fields() {
  static const Keys keys{
      own_origin<Transient>(),
      spread<&Transient::law>(),
      field<&Transient::flow>("axial_flow").doc("Flow behind the blades (Healey et al. 1995).")};
  return keys;
}

}  // namespace fathom::fields
// clang-format on
