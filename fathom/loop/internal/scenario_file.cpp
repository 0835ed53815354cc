#include "fathom/loop/internal/scenario_file.hpp"

#include "fathom/fields/describe.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/model_file/fields.hpp"

// Codecs of values that only scenarios have.
namespace fathom::loop::internal {
namespace {

using fields::Codec;
using fields::Json;
using fields::Spec;
using yaml::Field;

Json any_of(Json one, Json other) { return {{"anyOf", Json::array({std::move(one), std::move(other)})}}; }

using fields::LaterAs;
using LaterText = LaterAs<Codec<std::string>>;
using Texts = Codec<std::vector<std::string>>;

/// A value that `check` judges once it could be read.
template <class T, void (*check)(const T&), class C = Codec<T>>
struct Checked : C {
  static void read(const Field& field, const Spec& spec, T& out) {
    const std::size_t before = field.reading().findings().size();
    C::read(field, spec, out);
    if (field.reading().findings().size() == before)
      report_under(field.reading(), field.key(), [&] { check(out); });
  }
};

/// Angles in degrees (roll, pitch, yaw, or yaw alone) of angles in rad or of a quaternion.
template <class T>
struct EulerDegrees {
  static void read(const Field& field, const Spec& spec, Vec3& rpy) {
    if constexpr (std::is_same_v<T, double>)
      fields::Degrees<T>::read(field, spec, rpy.z());
    else
      fields::Degrees<T>::read(field, spec, rpy);
  }
  static void read(const Field& field, const Spec& spec, Quat& q) {
    Vec3 rpy = Vec3::Zero();
    read(field, spec, rpy);
    q = quaternion_from_euler(rpy);
  }
  template <class Attitude>
  static Json write(const Attitude&, const Spec&) {
    return fields::absent();
  }
  static Json schema(const Spec& spec) { return Codec<T>::schema(spec); }
};

/// Three entries of a vector of six.
template <int first>
struct Half : Codec<Vec3> {
  static void read(const Field& field, const Spec& spec, Vec6& out) {
    Vec3 part = out.segment<3>(first);
    Codec<Vec3>::read(field, spec, part);
    out.segment<3>(first) = part;
  }
  static Json write(const Vec6& v, const Spec& spec) { return Codec<Vec3>::write(v.segment<3>(first), spec); }
};

/// true or false, or YAML 1.1's other words for them.
struct Flag : Codec<bool> {
  static void read(const Field& field, const Spec& spec, bool& out) {
    const std::string word = field.is_scalar() ? field.node().Scalar() : "";
    const bool is_yes = word == "yes" || word == "on";
    if (!is_yes && word != "no" && word != "off") return Codec<bool>::read(field, spec, out);
    out = is_yes;
  }
};

/// Too far is a slip of units, and told as one.
struct LatchDistance : Codec<double> {
  static void read(const Field& field, Spec spec, double& out) {
    const double most = spec.range.at_most.value();
    spec.range.at_most.reset();
    Codec<double>::read(field, spec, out);
    if (out > most) field.error(fmt::format("= {:g} m, no latch catches from there", out), "m, not mm?");
  }
};

struct DofCodec {
  static void read(const Field& field, const Spec&, model::Dof& out) {
    out = model::read_dof(field).value_or(out);
  }
  static Json write(model::Dof dof, const Spec&) { return static_cast<int>(dof); }
  static Json schema(const Spec&) { return {{"enum", {3, 4, 6}}}; }
};

/// Names of axes, as numbers or as a set.
struct Axes {
  static std::vector<std::string_view> names() { return {model::dof_names.begin(), model::dof_names.end()}; }
  static void read(const Field& field, const Spec&, std::vector<int>& out) {
    out.clear();
    for (const Field& item : field.items())
      if (const auto k = yaml::choice(item, names())) out.push_back(static_cast<int>(*k));
  }
  static void read(const Field& field, const Spec& spec, std::array<bool, 6>& out) {
    std::vector<int> axes;
    read(field, spec, axes);
    out.fill(false);
    for (const int axis : axes) out[static_cast<std::size_t>(axis)] = true;
  }
  static Json write(const std::vector<int>& axes, const Spec&) {
    Json json = Json::array();
    for (const int axis : axes) json.push_back(model::dof_name(axis));
    return json;
  }
  static Json write(const std::array<bool, 6>&, const Spec&) { return names(); }
  static Json schema(const Spec& spec) { return fields::list_schema(spec, fields::word_schema(names())); }
};

/// One number, or a list of them.
struct OneOrMore : Codec<std::vector<double>> {
  static void read(const Field& field, const Spec& spec, std::vector<double>& out) {
    if (field.is_list()) return Codec<std::vector<double>>::read(field, spec, out);
    if (const auto value = fields::read_number(field, spec)) out = {*value};
  }
  static Json schema(const Spec& spec) {
    return any_of(fields::number_schema(spec), Codec<std::vector<double>>::schema(spec));
  }
};

struct AllOrNone {
  static void read(const Field& field, const Spec&, bool& out) {
    if (const auto k = yaml::choice(field, {"all", "none"})) out = *k == 0;
  }
  static Json write(bool all, const Spec&) { return all ? "all" : "none"; }
  static Json schema(const Spec&) { return fields::word_schema({"all", "none"}); }
};
struct Sensors {
  static Json schema(const Spec& spec) { return any_of(AllOrNone::schema(spec), Texts::schema(spec)); }
};
struct CommandRows {
  static Json schema(const Spec& spec) {
    return any_of(fields::text_schema(), fields::list_schema(spec, Codec<std::vector<double>>::schema(spec)));
  }
};
struct Failures {
  static Json schema(const Spec&) { return fields::word_schema({"dead", "stuck", "weak", "silent", "frozen"}); }
};

/// The variation of a current, in a map of its own.
struct Variation {
  static const fields::Keys& keys();
  static void read(const Field& field, const Spec&, simulate::CurrentSpec& out) {
    fields::read_map(field, keys(), &out);
  }
  static Json write(const simulate::CurrentSpec&, const Spec&) { return fields::absent(); }
  static Json schema(const Spec&) {
    return fields::schema_of_map(keys(), &fields::fresh<simulate::CurrentSpec>());
  }
};

struct RungeKutta {};
using DormandPrince = simulate::DormandPrince::Options;
using Integrator = std::variant<RungeKutta, DormandPrince>;
/// A word, or a map by kind.
struct IntegratorCodec {
  static void read(const Field& field, const Spec& spec, std::optional<DormandPrince>& out) {
    Integrator integrator;
    if (field.is_map()) Codec<Integrator>::read(field, spec, integrator);
    const bool is_adaptive =
        field.is_map() ? integrator.index() == 1 : yaml::choice(field, {"rk4", "dormand_prince"}) == 1u;
    if (is_adaptive) out = field.is_map() ? std::get<DormandPrince>(integrator) : DormandPrince();
  }
  static Json write(const std::optional<DormandPrince>&, const Spec&) { return fields::absent(); }
  static Json schema(const Spec& spec) {
    return any_of(fields::word_schema({"rk4", "dormand_prince"}), Codec<Integrator>::schema(spec));
  }
};

using PilotBox = Box;

void check_box(const Vec3& min, const Vec3& max, const char* hint) {
  if (!(min.array() < max.array()).all()) reject("", "has a side where min is not below max", hint);
}
void check_keep_in(const PilotBox& box) { check_box(box.min, box.max, "m north, east, down"); }
void check_tank(const simulate::Tank& tank) {
  const double top = tank.min_n.z(), floor = tank.max_n.z();
  check_box(tank.min_n, tank.max_n, "m north, east, down; down is positive");
  if (top > 0 || floor <= 0)
    reject("", fmt::format("reaches from {} to {} m down, but the surface of the water is at 0", top, floor),
           "down is positive: min [.., .., 0], max [.., .., depth]");
}

const FaultEntry& fault_of(const void* o) { return *static_cast<const FaultEntry*>(o); }
bool is_of_thruster(const void* o) { return fault_of(o).thruster.field && !fault_of(o).sensor.field; }
bool is_of_sensor(const void* o) { return fault_of(o).sensor.field && !fault_of(o).thruster.field; }
bool is_of_one(const void* o) { return is_of_thruster(o) || is_of_sensor(o); }
bool has_waypoints(const void* o) { return !static_cast<const ReferenceEntry*>(o)->trajectory.field; }

/// These keys stand only where `key` does, or only where it does not.
Json rule(std::string_view key, bool with, const std::vector<std::string>& others) {
  Json excluded;
  for (const std::string& other : others) excluded["properties"][other] = false;
  return {{"if", {{"required", Json::array({key})}}}, {with ? "else" : "then", std::move(excluded)}};
}

}  // namespace
}  // namespace fathom::loop::internal

// The keys, one to a line.
// clang-format off
namespace fathom::fields {

using namespace loop;
using namespace loop::internal;

namespace {

template <auto member, class C = Codec<Vec3>>
Key vector(std::string_view name, std::string_view axes, std::string_view doc) {
  return field<member, C>(name).unit(axes.substr(0, axes.find_first_of(" :"))).what(axes).doc(doc);
}
template <auto member>
Key attitude_in_degrees() {
  Key yaw = field<member, EulerDegrees<double>>("yaw_deg").unit("deg").doc("Yaw, level.");
  return field<member, EulerDegrees<Vec3>>("attitude_deg")
      .unit("deg")
      .what("roll, pitch, yaw in degrees")
      .doc("Roll, pitch, yaw (z-y-x).")
      .or_key(yaw.beside("keep one of them"));
}
template <auto member>
Key name_of(std::string_view doc) {
  return field<member, PlainName>("name").doc(doc);
}

constexpr std::string_view in_n = "m north, east, down", in_b = "m forward, starboard, down",
                           velocity_n = "m/s north, east, down";

}  // namespace

template <> const Words<OpenLoop::By>& words<OpenLoop::By>() {
  using enum OpenLoop::By;
  static const Words<OpenLoop::By> all{
      {"wrench", wrench}, {"force", force}, {"command", command}, {"rpm", rpm}, {"pwm", pwm}};
  return all;
}
template <> const Words<control::CommandSeries::Between>& words<control::CommandSeries::Between>() {
  using enum control::CommandSeries::Between;
  static const Words<control::CommandSeries::Between> all{{"hold", hold}, {"linear", linear}};
  return all;
}
template <> const Words<simulate::ProfileShape>& words<simulate::ProfileShape>() {
  using enum simulate::ProfileShape;
  static const Words<simulate::ProfileShape> all{{"linear", linear}, {"monotone_cubic", monotone_cubic}};
  return all;
}
template <> const Words<simulate::RampShape>& words<simulate::RampShape>() {
  using enum simulate::RampShape;
  static const Words<simulate::RampShape> all{{"smooth", smooth},
                                              {"constant_acceleration", constant_acceleration}};
  return all;
}

// The water.

template <> const Keys& Table<simulate::CurrentAtDepth>::fields() {
  using T = simulate::CurrentAtDepth;
  static const Keys keys{
      field<&T::depth>("depth").unit("m").required("m, positive down").doc("Depth, positive down."),
      vector<&T::velocity_n>("velocity", velocity_n, "Velocity of the water there.").required(velocity_n)};
  return keys;
}
}  // namespace fathom::fields
const fathom::fields::Keys& fathom::loop::internal::Variation::keys() {
  using namespace fields;
  using T = simulate::CurrentSpec;
  static const Keys keys{
      vector<&T::variation_sigma_n>("sigma", velocity_n, "Standard deviations; the seed decides the rest.").at_least(0),
      field<&T::variation_time>("time").unit("s").above(0).doc("Correlation time.")};
  return keys;
}
namespace fathom::fields {
template <> const Keys& Table<simulate::CurrentRamp>::fields() {
  using T = simulate::CurrentRamp;
  static const Keys keys{
      vector<&T::before_n>("before", velocity_n, "Velocity before the change."),
      vector<&T::after_n>("after", velocity_n, "Velocity after the change."),
      field<&T::begin>("begin").unit("s").doc("Time at which the change begins."),
      field<&T::end>("end").unit("s").doc("Time at which the change ends."),
      field<&T::shape>("shape").doc("Velocity over time during the change.")};
  return keys;
}
template <> const Keys& Table<simulate::CurrentSpec>::fields() {
  using T = simulate::CurrentSpec;
  static const Keys keys{
      vector<&T::constant_n>("constant", velocity_n, "Constant part; the parts add up."),
      field<&T::profile>("profile")
          .doc("Velocities by increasing depth; the vertical part is the same in all rows."),
      field<&T::profile_shape>("profile_shape").doc("Interpolation between the rows of the profile."),
      self<T, Variation>("variation").doc("Slow random part."),
      field<&T::ramp>("ramp").doc("Part that changes once.")};
  return keys;
}
template <> const Keys& Table<simulate::Tank>::fields() {
  using T = simulate::Tank;
  constexpr std::string_view what = "m north, east, down; down is positive";
  static const Keys keys{
      vector<&T::min_n>("min", what, "South, west, upper corner.").required(what),
      vector<&T::max_n>("max", what, "North, east, lower corner.").required(what)};
  return keys;
}
template <> const Keys& Table<Pose>::fields() {
  static const Keys keys{
      vector<&Pose::p_pc_p>("position", in_n, "Position in n."),
      attitude_in_degrees<&Pose::q_pc>()};
  return keys;
}
template <> const Keys& Table<EnvironmentEntry>::fields() {
  using T = EnvironmentEntry;
  using Current = simulate::CurrentSpec;
  using Tank = simulate::Tank;
  static const Keys keys{
      field<&T::density>("density").unit("kg/m^3").between(500, 2000).hint("fresh 1000, sea 1025").doc("Density of the water."),
      field<&T::gravity>("gravity").unit("m/s^2").above(0).doc("Acceleration of gravity."),
      field<&T::current, Checked<Current, simulate::check, ScalarOrMap<Current>>>("current")
          .doc("Constant current, or its parts."),
      field<&T::tank, OptionalCodec<Tank, Checked<Tank, check_tank>>>("tank").doc("Walls and floor."),
      field<&T::usbl>("usbl").doc("Pose of the transceiver that a usbl sensor is seen from.")};
  return keys;
}

// Control.

template <> const Keys& Table<Drift>::fields() {
  static const Keys keys;
  return keys;
}
template <> const Keys& Table<control::PosePidOptions>::fields() {
  using T = control::PosePidOptions;
  static const Keys keys{
      field<&T::bandwidth>("bandwidth").unit("rad/s").what("rad/s: surge, sway, heave, roll, pitch, yaw")
          .doc("Bandwidth of each body axis: surge, sway, heave, roll, pitch, yaw."),
      field<&T::damping>("damping").doc("Damping ratio."),
      field<&T::integral>("integral").doc("Corner of the integral action over the bandwidth."),
      field<&T::feed_forward, Flag>("feed_forward").doc("Adds the wrench that the model needs to follow."),
      field<&T::axes, Axes>("axes").doc("Axes to be held.")};
  return keys;
}
template <> const Keys& Table<PidEntry>::fields() {
  static const Keys keys{
      spread<&PidEntry::options>(),
      field<&PidEntry::believed, LaterText>("believed").doc("Robot that the controller assumes: name or path."),
      field<&PidEntry::feed_forward_model, LaterText>("feed_forward_model")
          .doc("Robot of the feed-forward alone: name or path; the gains stay.")};
  return keys;
}
template <> const Keys& Table<OpenLoopEntry>::fields() {
  using T = OpenLoopEntry;
  static const Keys keys{
      field<&T::by>("by").required("wrench, force, command, rpm or pwm").doc("Quantity that is commanded."),
      field<&T::between>("between").doc("Commands between two rows."),
      field<&T::commands, LaterAs<CommandRows>>("commands")
          .required("the path of a CSV file, or a list of rows: time, then the commands")
          .doc("Path of a CSV channel, or rows of time and commands.")};
  return keys;
}
template <> const Keys& Table<PilotBox>::fields() {
  static const Keys keys{
      vector<&PilotBox::min>("min", in_n, "South, west, upper corner.").required(in_n),
      vector<&PilotBox::max>("max", in_n, "North, east, lower corner.").required(in_n)};
  return keys;
}
template <> const Keys& Table<control::JoystickOptions>::fields() {
  using T = control::JoystickOptions;
  using KeepIn = OptionalCodec<PilotBox, Checked<PilotBox, check_keep_in>>;
  static const Keys keys{
      self<T, ListOf<&T::shortest, &T::longest>>("hold").unit("s").what("[shortest, longest] in s")
          .doc("Shortest and longest push."),
      field<&T::rest_share>("rest_share").doc("Share of the time for which a stick is let go."),
      field<&T::stick_time>("stick_time").unit("s").doc("Lag of a thumb."),
      vector<&T::point_b>("point", in_b, "Point of the body through which the forces go."),
      field<&T::keep_in, KeepIn>("keep_in")
          .doc("Box of the world into which the pilot pushes the vehicle back.")};
  return keys;
}
template <> const Keys& Table<JoystickControl>::fields() {
  using T = JoystickControl;
  static const Keys keys{
      field<&T::share>("share").above(0).at_most(1).hint("of what the thrusters attain")
          .doc("Largest push over the attainable one, on each axis."),
      field<&T::axes, Axes>("axes").doc("Axes that are pushed."),
      spread<&T::options>()};
  return keys;
}
template <> const Union& Choice<ControlEntry>::alternatives() {
  using V = ControlEntry;
  static const Union choice{.kind = "kind",
                            .alternatives = {kind<V, Drift>("drift").doc("No thruster runs."),
                                             kind<V, PidEntry>("pid").doc("Follows the reference."),
                                             kind<V, OpenLoopEntry>("open_loop").doc("Commands over time."),
                                             kind<V, JoystickControl>("joystick").doc("Random pushes.")},
                            .hint = "drift, pid, open_loop or joystick"};
  return choice;
}

// Motion.

template <> const Keys& Table<dynamics::State>::fields() {
  using T = dynamics::State;
  static const Keys keys{
      vector<&T::p_nb_n>("position", in_n, "Position in n."),
      attitude_in_degrees<&T::q_nb>(),
      vector<&T::nu_b, Half<0>>("velocity", "m/s forward, starboard, down", "Velocity over ground, in b."),
      vector<&T::nu_b, Half<3>>("rates", "rad/s about forward, starboard, down", "Angular velocity in b.")};
  return keys;
}
template <> const Keys& Table<trajectory::Waypoint>::fields() {
  using T = trajectory::Waypoint;
  static const Keys keys{
      vector<&T::p_nb_n>("position", in_n, "Position in n.").required(in_n),
      attitude_in_degrees<&T::attitude_rpy>(),
      field<&T::hold>("hold").unit("s").doc("Time to stay there.")};
  return keys;
}
template <> const Keys& Table<trajectory::WaypointOptions>::fields() {
  using T = trajectory::WaypointOptions;
  using InDegrees = Degrees<double>;
  static const Keys keys{
      field<&T::speed>("speed").unit("m/s").above(0).at_most(30)
          .hint("m/s, not mm/s or cm/s?").doc("Largest speed."),
      field<&T::acceleration>("acceleration").unit("m/s^2").above(0).doc("Largest acceleration."),
      field<&T::turn_rate, InDegrees>("turn_rate_deg").unit("deg/s").above(0).doc("Largest angular velocity."),
      field<&T::turn_acceleration, InDegrees>("turn_acceleration_deg").unit("deg/s^2").above(0).doc("Largest one.")};
  return keys;
}
template <> const Keys& Table<ReferenceEntry>::fields() {
  using T = ReferenceEntry;
  static const Keys keys{
      field<&T::waypoints>("waypoints").required("a list of {position: [north, east, down], yaw_deg, hold}")
          .doc("Way-points; each leg goes from rest to rest.")
          .or_key(field<&T::trajectory, LaterText>("trajectory").beside("one of them says where to go")
                      .doc("Path of a trajectory file.")),
      spread<&T::options>().only_if(has_waypoints, "")};
  return keys;
}
template <> void Table<ReferenceEntry>::refine(Json& schema) {
  schema["allOf"].push_back(
      rule("trajectory", false, {"speed", "acceleration", "turn_rate_deg", "turn_acceleration_deg"}));
}
template <> const Keys& Table<Guidance>::fields() {
  static const Keys keys{
      field<&Guidance::reference>("reference").doc("Where to be over time."),
      field<&Guidance::control>("control").doc("Controller; absent, it drifts.")};
  return keys;
}

// Vehicles.

template <> const Keys& Table<simulate::TetherSpec>::fields() {
  using T = simulate::TetherSpec;
  static const Keys keys = stated({
      vector<&T::anchor_n>("anchor", in_n, "Fixed end, in n.").required(in_n),
      vector<&T::attachment_b>("attachment", in_b, "Attachment on the vehicle, in b."),
      field<&T::length>("length").unit("m").above(0).required("m").doc("Unstretched length."),
      field<&T::segments>("segments").at_least(2).at_most(500).doc("Number of straight pieces."),
      field<&T::diameter>("diameter").unit("m").above(0).doc("Diameter."),
      field<&T::mass_per_length>("mass_per_length").unit("kg/m").above(0).doc("Dry mass per length."),
      field<&T::axial_stiffness>("axial_stiffness").unit("N").above(0).doc("Modulus times cross-section."),
      field<&T::drag_normal>("drag_normal").at_least(0).doc("Drag coefficient across the flow, by diameter.")});
  return keys;
}
template <> const Keys& Table<simulate::DisturbanceSpec>::fields() {
  using T = simulate::DisturbanceSpec;
  static const Keys keys = stated({
      vector<&T::sigma_b, Half<0>>("force", "N forward, starboard, down", "Standard deviations of the force.")
          .at_least(0),
      vector<&T::sigma_b, Half<3>>("torque", "N m about forward, starboard, down", "The same of the torque.")
          .unit("N m").at_least(0),
      field<&T::time>("time").unit("s").above(0).doc("Correlation time.")});
  return keys;
}
template <> const Keys& Table<FaultEntry>::fields() {
  using T = FaultEntry;
  static const Keys keys{
      field<&T::at>("at").unit("s").at_least(0).required("s, when it happens").doc("Time of the fault."),
      field<&T::thruster, LaterText>("thruster").doc("Name of the thruster that fails."),
      field<&T::sensor, LaterText>("sensor").doc("Name of the sensor that fails."),
      field<&T::becomes, LaterAs<Failures>>("becomes").only_if(is_of_one, "")
          .doc("A thruster becomes dead, stuck or weak; a sensor silent or frozen."),
      field<&T::factor>("factor").at_least(0).at_most(1).hint("the share of its force that is left")
          .only_if(is_of_thruster, "").doc("Share of its force that a weak thruster keeps."),
      field<&T::known_at>("known_at").unit("s").only_if(is_of_thruster, "")
          .doc("Time at which the allocation learns of it."),
      field<&T::until>("until").unit("s").only_if(is_of_sensor, "").doc("Time at which the sensor is back.")};
  return keys;
}
template <> void Table<FaultEntry>::refine(Json& schema) {
  schema["if"]["required"] = {"thruster"};
  schema["then"]["properties"]["becomes"]["enum"] = {"dead", "stuck", "weak"};
  schema["else"]["required"] = {"sensor"};
  schema["else"]["properties"]["becomes"]["enum"] = {"silent", "frozen"};
  schema["allOf"] = {rule("thruster", true, {"factor", "known_at"}), rule("sensor", true, {"until"}),
                     rule("thruster", false, {"sensor"})};
}
template <> const Keys& Table<VehicleEntry>::fields() {
  using T = VehicleEntry;
  using Tether = simulate::TetherSpec;
  using Disturbance = simulate::DisturbanceSpec;
  static const Keys keys{
      field<&T::robot, LaterText>("robot")
          .required("the name of a robot (fathom models), or the path of a robot file")
          .doc("Name of a robot, or path of a robot file."),
      name_of<&T::name>("Name; absent, that of the robot."),
      field<&T::dof, DofCodec>("dof").doc("Degrees of freedom; 4 holds roll and pitch, 3 also heave."),
      field<&T::voltage>("voltage").unit("V").above(0).doc("Thruster supply voltage."),
      field<&T::command_delay>("command_delay").unit("s").at_least(0).at_most(10)
          .hint("seconds, not milliseconds?").doc("Time from a command to its effect on the thrusters."),
      field<&T::start>("start").doc("State at the start; absent, where reference or couplings begin."),
      spread<&T::guidance>(),
      field<&T::sensors, LaterAs<Sensors>>("sensors").doc("Sensors that are simulated: all, none, or names."),
      field<&T::tether, OptionalCodec<Tether, Checked<Tether, simulate::check>>>("tether").doc("Tether."),
      field<&T::disturbance, OptionalCodec<Disturbance, Checked<Disturbance, simulate::check>>>("disturbance")
          .doc("Random wrench at the body origin."),
      field<&T::faults>("faults").doc("Faults of thrusters and sensors.")};
  return keys;
}
template <> const Keys& Table<AssemblyEntry>::fields() {
  using T = AssemblyEntry;
  static const Keys keys{
      field<&T::assembly, LaterText>("assembly").required("the name of an assembly, or the path of its file")
          .doc("Name of an assembly, or path of an assembly file."),
      name_of<&T::name>("Name; absent, that of the assembly."),
      field<&T::start>("start").doc("State of the assembly's frame at the start."),
      field<&T::measures, AllOrNone>("sensors").doc("Sensors of the modules that are simulated."),
      spread<&T::guidance>()};
  return keys;
}
template <> const Union& Choice<std::variant<VehicleEntry, AssemblyEntry>>::alternatives() {
  using V = std::variant<VehicleEntry, AssemblyEntry>;
  static const Union choice{.kind = "",
                            .alternatives = {inlined<V, VehicleEntry>(), inlined<V, AssemblyEntry>()},
                            .hint = "robot: the name of a robot (fathom models), or the path of a robot file"};
  return choice;
}

// Couplings and clusters.

template <> const Keys& Table<EndEntry>::fields() {
  static const Keys keys{
      field<&EndEntry::vehicle, LaterText>("vehicle").required("the name of a vehicle of this scenario")
          .doc("Name of a vehicle."),
      vector<&EndEntry::position_b>("position", in_b, "Position in b.").required(in_b),
      attitude_in_degrees<&EndEntry::attitude>()};
  return keys;
}
template <> struct Codec<EndEntry> {
  static void read(const yaml::Field& field, const Spec&, EndEntry& out) {
    if (field.is_map()) return read_map(field, Table<EndEntry>::fields(), &out);
    out.connector.field = field;
  }
  static Json write(const EndEntry&, const Spec&) { return absent(); }
  static Json schema(const Spec&) {
    return any_of(text_schema(), schema_of_map(Table<EndEntry>::fields(), &fresh<EndEntry>()));
  }
};
template <> const Keys& Table<LatchEntry>::fields() {
  using T = LatchEntry;
  using L = assembly::Latch;
  static const Keys keys{
      field_in<&T::latch, &L::distance, LatchDistance>("distance").unit("m").above(0).at_most(1)
          .doc("Largest distance of the ends."),
      field_in<&T::latch, &L::angle, Degrees<double>>("angle_deg").unit("deg").above(0)
          .doc("Largest misalignment."),
      field_in<&T::latch, &L::speed>("speed").unit("m/s").above(0).doc("Largest relative speed."),
      field_in<&T::latch, &L::turn_rate, Degrees<double>>("turn_rate_deg").unit("deg/s").above(0)
          .doc("Largest relative angular velocity."),
      field<&T::from>("from").unit("s").at_least(0).hint("when it is armed")
          .doc("Time from which it is armed.")};
  return keys;
}
template <> const Keys& Table<CouplingScenario>::fields() {
  using T = CouplingScenario;
  static const Keys keys{
      name_of<&T::name>("Name; absent, those of its vehicles."),
      field<&T::turn, Degrees<double>>("turn_deg").unit("deg")
          .doc("Turn of the second vehicle about the x axis of the first end."),
      field<&T::closed, Flag>("closed").doc("Is closed from the start."),
      field<&T::opens_at, OneOrMore>("opens_at").unit("s").doc("Times at which it opens."),
      field<&T::once, Flag>("once").doc("Stays open once it has opened.")};
  return keys;
}
template <> const Keys& Table<CouplingEntry>::fields() {
  using T = CouplingEntry;
  static const Keys keys{
      field<&T::between>("between").entries(2, 2).hint(end_hint).required(end_hint).doc("Its two ends."),
      spread<&T::coupling>(),
      field<&T::latch>("latch").doc("Closes it when the ends meet.")};
  return keys;
}
template <> const Keys& Table<ClusterEntry>::fields() {
  using T = ClusterEntry;
  static const Keys keys{
      field<&T::vehicles, LaterAs<Texts>>("vehicles").required("the names of vehicles that are steered as one")
          .doc("Names of two or more vehicles; the first gives the axes."),
      name_of<&T::name>("Name.").required("a word for its channels of the log"),
      spread<&T::guidance>()};
  return keys;
}

// The file.

template <> const Keys& Table<RungeKutta>::fields() {
  static const Keys keys;
  return keys;
}
template <> const Keys& Table<DormandPrince>::fields() {
  using T = DormandPrince;
  // Doubles have 16 digits: no integrator can keep less.
  static const Keys keys{
      field<&T::relative>("relative").at_least(1e-14).doc("Tolerance over the value of each state."),
      field<&T::absolute>("absolute").at_least(1e-16).doc("Tolerance of states near zero.")};
  return keys;
}
template <> const Union& Choice<Integrator>::alternatives() {
  static const Union choice{
      .kind = "kind",
      .alternatives = {kind<Integrator, RungeKutta>("rk4").doc("Runge-Kutta, order 4."),
                       kind<Integrator, DormandPrince>("dormand_prince").doc("Adaptive steps.")},
      .hint = "rk4 or dormand_prince"};
  return choice;
}
template <> const Keys& Table<Scenario>::fields() {
  using T = Scenario;
  static const Keys keys{
      name_of<&T::name>("Name; the folder of the results has it.")
          .required("a word for the folder of its results"),
      field<&T::title>("title").doc("One line for people."),
      field<&T::duration>("duration").unit("s").above(0).required("s, how long it runs").doc("Simulated time."),
      field<&T::step>("step").unit("s").above(0).at_most(10).doc("Period of control and log, step of RK4."),
      field<&T::adaptive, IntegratorCodec>("integrator").doc("Integrator within each step.")};
  return keys;
}
template <> const Keys& Table<ScenarioFile>::fields() {
  using T = ScenarioFile;
  static const Keys keys{
      spread<&T::scenario>(),
      field<&T::environment>("environment").doc("Water, walls and transceiver."),
      field<&T::vehicles>("vehicles").entries(1).hint("at least one {robot: bluerov2-heavy, ...}")
          .required("a list of {robot: bluerov2-heavy, ...}").doc("Vehicles and assemblies."),
      field<&T::couplings>("couplings").doc("Couplings that can hold two vehicles together."),
      field<&T::clusters>("clusters").doc("Vehicles that are controlled as one while they hang together.")};
  return keys;
}

}  // namespace fathom::fields
// clang-format on

fathom::fields::Json fathom::loop::scenario_schema() {
  using namespace fields;
  return schema_file(schema_of<ScenarioFile>(), "urn:fathom:scenario:1", "Fathom scenario", scenario_format);
}
