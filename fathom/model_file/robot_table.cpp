#include "fathom/model_file/internal/robot_table.hpp"

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/fields/codec.hpp"
#include "fathom/model/structure.hpp"
#include "fathom/model_file/internal/value_codec.hpp"

// Keys of robot files. model::Robot::make enforces the ranges, because a spec need not come from a file.
namespace fathom::fields {
namespace {

using namespace model;

constexpr std::string_view point = "x, y, z in m, body axes forward, starboard, down";
constexpr std::string_view quadratic_shape =
    "one for each of u|u| ... r|r|, or a map from u, v, w, p, q, r to 6x6 matrices";

struct SymmetryCodec {
  struct Plane {
    std::string_view word;
    bool Symmetry::*is_stated;
  };
  static constexpr std::array<Plane, 3> planes = {{{"port_starboard", &Symmetry::port_starboard},
                                                   {"fore_aft", &Symmetry::fore_aft},
                                                   {"top_bottom", &Symmetry::top_bottom}}};
  static std::vector<std::string_view> words() {
    std::vector<std::string_view> result;
    for (const Plane& plane : planes) result.push_back(plane.word);
    return result;
  }
  static void read(const yaml::Field& field, const Spec&, Symmetry& out) {
    for (const yaml::Field& item : field.items()) {
      const auto word = item.text();
      if (!word) continue;
      const auto plane =
          std::find_if(planes.begin(), planes.end(), [&](const Plane& p) { return p.word == *word; });
      if (plane != planes.end())
        out.*plane->is_stated = true;
      else
        item.error(fmt::format("= {}, expected port_starboard, fore_aft or top_bottom", in_quotes(*word)),
                   did_you_mean(*word, words()));
    }
  }
  static Json write(const Symmetry& symmetry, const Spec&) {
    Json list = Json::array();
    for (const Plane& plane : planes)
      if (symmetry.*plane.is_stated) list.push_back(plane.word);
    return list;
  }
  static Json schema(const Spec& spec) { return list_schema(spec, word_schema(words())); }
};

/// Values by channel; the kind of the sensor, which is read before, has its channels and their units.
template <std::size_t place>
struct ChannelCodec {
  static constexpr const ChannelTable& table = channel_tables[place];
  static Spec spec_of(const std::string& unit) {
    Spec spec{.unit = unit, .what = {}, .hint = {}, .must = {}};
    spec.range.at_least = 0;
    spec.is_stated_only = true;
    return spec;
  }
  static std::string unit_of(const NoiseChannel& channel) {
    return fmt::format("{}{}", channel.unit, table.per);
  }
  static void read(const yaml::Field& field, const Spec&, Sensor& out) {
    yaml::Map map(field);
    for (const NoiseChannel& channel : noise_channels(out.kind))
      if (const auto entry = map.take(channel.name))
        ValueCodec<double>::read(*entry, spec_of(unit_of(channel)),
                                 (out.*table.values)[std::string(channel.name)]);
    map.finish();
  }
  static Json write(const Sensor& sensor, const Spec& spec) {
    return Codec<ByChannel>::write(sensor.*table.values, spec);
  }
  static Json schema(const Spec&) { return {{"type", "object"}}; }
  static Json schema_for(SensorKind kind) {
    Json properties = Json::object();
    for (const NoiseChannel& channel : noise_channels(kind)) {
      const std::string unit = unit_of(channel);
      Json value = {{"description", fmt::format("Of the channel {}.", channel.name)}, {"unit", unit}};
      value.update(ValueCodec<double>::schema(spec_of(unit)));
      properties[std::string(channel.name)] = std::move(value);
    }
    return {{"properties", std::move(properties)}, {"additionalProperties", false}};
  }
};
template <std::size_t place>
Key channels(std::string_view doc) {
  return self<Sensor, ChannelCodec<place>>(channel_tables[place].key).after("kind").doc(doc);
}

bool is_dvl(const void* sensor) { return static_cast<const Sensor*>(sensor)->kind == SensorKind::dvl; }

/// A map or transient in place, or the name of a shared one, which is found after reading.
template <class T, std::optional<T> Thruster::*member, std::string Thruster::*name>
struct InPlaceOrNamed {
  static void read(const yaml::Field& field, const Spec& spec, Thruster& out) {
    if (!field.is_scalar()) return Codec<T>::read(field, spec, (out.*member).emplace());
    out.*name = field.text().value_or("");
    if ((out.*name).empty())
      field.error(fmt::format("= '', expected a map of keys or a name defined in {}", spec.what), "");
  }
  static Json write(const Thruster& thruster, const Spec& spec) {
    if (!(thruster.*member)) return absent();
    return (thruster.*name).empty() ? Codec<T>::write(*(thruster.*member), spec) : Json(thruster.*name);
  }
  static Json schema(const Spec& spec) {
    return {{"anyOf", Json::array({text_schema(), Codec<T>::schema(spec)})}};
  }
  static void inherit(Thruster& thruster, const yaml::Origin& origin) {
    if (thruster.*member) internal::OwnOrigin<T, internal::SourceCodec>::inherit(*(thruster.*member), origin);
  }
};

using EndsCodec = ListOf<&ForceRange::min, &ForceRange::max>;
struct ForceCodec : EndsCodec {
  static Json schema(const Spec& spec) {
    Json schema = EndsCodec::schema(spec);
    for (const char* bound : {"maximum", "minimum"}) {
      Json end = schema["items"];
      end[bound] = 0;
      schema["prefixItems"].push_back(std::move(end));
    }
    return schema;
  }
};
using DelayCodec = ListOf<&IdentifiedParameters::Delay::value, &IdentifiedParameters::Delay::sigma>;

/// One parameter as the file has it: its row of the covariance ends with its variance.
struct ParameterRow {
  std::string name;
  double value = 0;
  Later covariance;
};
constexpr std::string_view row_shape = "with each parameter above it, and its variance last";
constexpr std::size_t number_of_names = 36 + 36 + 216 + 3 + 3;  // m, d, q; W, B, W-B; first moments

std::vector<double> read_covariances(const yaml::Field& field, std::size_t place) {
  const auto row = field.where_unknown_is_allowed().numbers(place + 1, row_shape);
  if (!row) return {};
  for (std::size_t j = 0; j < place; ++j)
    if (!std::isfinite((*row)[j]))
      field.entry_error(static_cast<int>(j), "= .inf, must be finite",
                        "only a variance, the last, can be .inf");
  if (row->back() < 0)
    field.entry_error(static_cast<int>(place), fmt::format("= {}, must be >= 0", row->back()),
                      "the last number is the variance");
  return *row;
}

}  // namespace

// clang-format off
template <> const Keys& Table<ParameterRow>::fields() {
  static const Keys keys{
      name_key<&ParameterRow::name>(),
      field<&ParameterRow::value>("value").required("of the estimate").doc("Estimate, in SI units."),
      field<&ParameterRow::covariance>("covariance").required(row_shape)
          .doc("Covariances with the parameters above it, and its variance last.")};
  return keys;
}
// clang-format on
template <>
void Table<ParameterRow>::refine(Json& schema) {
  schema["properties"]["name"]["pattern"] =
      "^([md][1-6][1-6]|q[1-6][1-6]\\|[1-6]\\||W-B|W|B|xgW-xbB|ygW-ybB|zgW-zbB)$";
  schema["properties"]["covariance"].update(list_schema(
      {.unit = {}, .what = {}, .hint = {}, .must = {}, .least_entries = 1, .most_entries = number_of_names},
      number_schema({})));
}

template <>
struct Codec<ParameterVector> {
  static void read(const yaml::Field& field, const Spec&, ParameterVector& out) {
    const std::vector<yaml::Field> items = field.items();
    if (items.size() > number_of_names)
      return field.error(fmt::format("is a list of {}, expected at most {}", items.size(), number_of_names),
                         "one entry for each parameter");
    std::vector<Parameter> entries;
    Eigen::MatrixXd covariance(items.size(), items.size());
    for (const yaml::Field& item : items) {
      ParameterRow row;
      Codec<ParameterRow>::read(item, {}, row);
      Parameter& parameter = entries.emplace_back(Parameter{row.name, "", "", row.value});
      if (const auto term = term_by_name(row.name)) {
        parameter.unit = unit_of(*term);
        parameter.group = group_of(*term);
      }
      if (!row.covariance.field) continue;
      const std::vector<double> numbers = read_covariances(*row.covariance.field, entries.size() - 1);
      const auto i = static_cast<Eigen::Index>(entries.size()) - 1;
      for (Eigen::Index j = 0; j < static_cast<Eigen::Index>(numbers.size()); ++j)
        covariance(i, j) = covariance(j, i) = numbers[static_cast<std::size_t>(j)];
    }
    if (has_errors(field.reading().findings())) return;  // then the covariance may have holes
    out = ParameterVector(std::move(entries), std::move(covariance));
  }
  /// The lower triangle, a row with each parameter: the order cannot be lost. Sigmas are comments, so that no
  /// number stands there twice.
  static Json write(const ParameterVector& p, const Spec&) {
    Json list = Json::array();
    for (std::size_t k = 0; k < p.size(); ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      const Eigen::VectorXd row = p.covariance().row(i).head(i + 1);
      list.push_back({{"name", p[k].name},
                      {"value", p[k].value},
                      {"#value", fmt::format("{}, sigma {:.3g}", p[k].unit, p.sigma(k))},
                      {"covariance", Codec<Eigen::VectorXd>::write(row, {})}});
    }
    return list;
  }
  static Json schema(const Spec& spec) { return list_schema(spec, Codec<ParameterRow>::schema({})); }
};

template <>
const Words<SensorKind>& words<SensorKind>() {
  static const Words<SensorKind> all = [] {
    Words<SensorKind> result;
    for (const SensorKind kind : sensor_kinds) result.emplace_back(name_of(kind), kind);
    return result;
  }();
  return all;
}
template <>
const Words<CommandPath::By>& words<CommandPath::By>() {
  static const Words<CommandPath::By> all{{"wrench", CommandPath::By::wrench}, {"axes", CommandPath::By::axes}};
  return all;
}

// clang-format off
template <> const Keys& Table<Hull>::fields() {
  static const Keys keys = stated({
      section_origin(),
      field<&Hull::mass>("mass").unit("kg").above(0).required("kg, dry").doc("Dry mass."),
      field<&Hull::inertia>("inertia").unit("kg m^2").what("kg m^2 about the centre of mass, body axes").above(0)
          .required("kg m^2 about the centre of mass").doc("Dry inertia about the centre of mass, body axes: 3 moments or 3 rows of 3."),
      field<&Hull::centre_of_mass>("centre_of_mass").unit("m").what(point).required("m; [0, 0, 0] if the body origin is there")
          .doc("Centre of mass from the body origin."),
      field<&Hull::volume>("volume").unit("m^3").above(0).required("m^3 of displaced water").doc("Displaced volume."),
      field<&Hull::centre_of_buoyancy>("centre_of_buoyancy").unit("m").what(point)
          .required("m; z is down, so above the origin is negative").doc("Centre of buoyancy from the body origin."),
      added_mass(field<&Hull::added_mass>("added_mass"), field<&Hull::added_mass, SnameValue<Mat6>>("sname_added_mass"))
          .required("6 numbers or 6x6, positive; or sname_added_mass with SNAME's signs"),
      field<&Hull::size>("size").unit("m").what("length, width, height in m").above(0)
          .doc("Length, width, height of the box around the hull."),
      field<&Hull::symmetry, SymmetryCodec>("symmetry")
          .doc("Planes through the body origin in which the wetted shape is its own mirror image.")});
  return keys;
}

template <> const Keys& Table<DragElement>::fields() {
  static const Keys keys = stated({
      name_key<&DragElement::name>(),
      section_origin(),
      position<&DragElement::position_b>().own_origin(),
      attitude<&DragElement::attitude_rpy>().own_origin(),
      signed_matrix<&DragElement::linear, Mat6>("linear", "sname_linear", model_matrix_shape,
          "Linear damping in the element's frame, positive.", "positive? use linear").always(),
      signed_matrix<&DragElement::quadratic, QuadraticDrag>("quadratic", "sname_quadratic", quadratic_shape,
          "Quadratic damping Q_j of |nu_j| Q_j nu in the element's frame, positive.", "positive? use quadratic").always()});
  return keys;
}

template <> const Keys& Table<Connector>::fields() {
  static const Keys keys{
      name_key<&Connector::name, NameText>(),
      section_origin(),
      position<&Connector::position_b>(),
      attitude<&Connector::attitude_rpy>()};
  return keys;
}

template <> const Keys& Table<DropOut>::fields() {
  static const Keys keys = stated({
      field<&DropOut::probability>("probability").at_least(0).at_most(1).required("the share of samples that never arrive, 0 to 1")
          .doc("Share of samples that never arrive."),
      field<&DropOut::mean_length>("mean_length").unit("samples").at_least(1).doc("Mean length of a run of losses.")});
  return keys;
}

template <> const Keys& Table<DvlBeams>::fields() {
  static const Keys keys = stated({
      field<&DvlBeams::tilt_deg>("tilt_deg").unit("degrees").above(0).below(90).always().doc("Tilt from the sensor's z axis."),
      field<&DvlBeams::azimuth_deg>("azimuth_deg").unit("degrees").entries(3, 8).always()
          .doc("Azimuth of each beam from the sensor's x axis towards its y axis."),
      field<&DvlBeams::per_beam>("per_beam").always().doc("A sample is one velocity per beam, not one vector.")});
  return keys;
}

template <> const Keys& Table<Sensor>::fields() {
  static const Keys keys = stated({
      name_key<&Sensor::name>().head(),
      own_origin<Sensor>(),
      field<&Sensor::kind>("kind").head().required("such as imu, dvl, depth").doc("Kind of the sensor; decides its channels."),
      position<&Sensor::position_b>(),
      attitude<&Sensor::attitude_rpy>(),
      field<&Sensor::rate_hz>("rate_hz").unit("Hz").above(0).doc("Samples per second."),
      channels<0>("Standard deviation of one sample, by channel."),
      channels<1>("Standard deviation of the constant error of one power-on, by channel."),
      channels<2>("Random walk of the bias: standard deviation after one second, by channel."),
      channels<3>("Step of the numbers that it gives, by channel."),
      field<&Sensor::latency>("latency").unit("s").at_least(0).at_most(3600).doc("Delay from measurement to arrival."),
      field<&Sensor::drop_out, OptionalCodec<DropOut, ScalarOrMap<DropOut>>>("drop_out")
          .doc("Share of samples that never arrive, or a map with the mean length of a run of losses."),
      field<&Sensor::beams>("beams").only_if(is_dvl, "kind").doc("Beams of a DVL."),
      field<&Sensor::altitude, OptionalCodec<AltitudeRange, ListOf<&AltitudeRange::min, &AltitudeRange::max>>>("altitude").unit("m")
          .what("[min, max] in m over the bottom").at_least(0).only_if(is_dvl, "kind")
          .doc("Heights over the bottom at which a DVL has an answer.")});
  return keys;
}
template <> void Table<Sensor>::refine(Json& schema) {
  for (const SensorKind kind : sensor_kinds) {
    Json properties = {{"noise", ChannelCodec<0>::schema_for(kind)},
                       {"bias", ChannelCodec<1>::schema_for(kind)},
                       {"bias_walk", ChannelCodec<2>::schema_for(kind)},
                       {"quantisation", ChannelCodec<3>::schema_for(kind)}};
    if (kind != SensorKind::dvl) properties["beams"] = properties["altitude"] = false;
    for (const ChannelTable& table : channel_tables)
      properties[std::string(table.key)]["description"] =
          schema["properties"][std::string(table.key)]["description"];
    const Json is_kind = {{"properties", {{"kind", {{"const", name_of(kind)}}}}},
                          {"required", Json::array({"kind"})}};
    schema["allOf"].push_back({{"if", is_kind}, {"then", {{"properties", std::move(properties)}}}});
  }
}

template <> const Keys& Table<Thruster>::fields() {
  static const Keys keys = stated({
      name_key<&Thruster::name>(),
      section_origin(),
      position<&Thruster::position_b>().required("x, y, z in m, body axes"),
      field<&Thruster::direction_b>("direction").what("a direction in body axes")
          .required("of the force on the vehicle for positive thrust, such as [1, 0, 0]")
          .doc("Direction of the force on the vehicle for positive thrust, body axes; any length but zero."),
      field<&Thruster::force, OptionalCodec<Value<ForceRange>, ValueCodec<ForceRange, ForceCodec, EndsCodec>>>("force").unit("N")
          .what("[min, max] in N").doc("Smallest and largest force; without it the range follows from the map."),
      self<Thruster, InPlaceOrNamed<ThrusterMap, &Thruster::map, &Thruster::map_name>>("map").what("thruster_maps")
          .doc("From command to force: in place, or the name of one in thruster_maps. Without it the command is the force in newton."),
      self<Thruster, InPlaceOrNamed<Transient, &Thruster::transient, &Thruster::transient_name>>("transient").what("thruster_transients")
          .doc("How the force follows a command: in place, or the name of one in thruster_transients.")});
  return keys;
}

template <> const Keys& Table<CommandPath>::fields() {
  static const Keys keys = stated({
      field<&CommandPath::by>("by").required("wrench, or axes for a pilot's sticks")
          .doc("wrench: allocated by the pseudo-inverse. axes: a pilot's sticks, through an autopilot's mixer."),
      field<&CommandPath::dead_band>("dead_band").unit("N").at_least(0).at_most(1e4)
          .doc("Force that a thruster without a map loses of each command."),
      field<&CommandPath::gain>("gain").unit("1").at_least(0.01).at_most(100).doc("Force in the water over the force by map or command."),
      field<&CommandPath::saturation>("saturation").unit("N").at_least(1e-3).at_most(1e4)
          .doc("Largest force that a thruster without a map gives, after its dead band and before the gain.")});
  return keys;
}

template <> const Keys& Table<IdentifiedParameters::Residual>::fields() {
  using Residual = IdentifiedParameters::Residual;
  static const Keys keys = stated({
      field<&Residual::sigma>("sigma").unit("N, N m").at_least(0).required("one for each of u v w p q r")
          .doc("Rms of the wrench that the model leaves unexplained, of u v w p q r."),
      field<&Residual::correlation_time>("correlation_time").unit("s").at_least(0).required("one for each of u v w p q r")
          .doc("Time after which the autocorrelation of that wrench has fallen to 1/e.")});
  return keys;
}

template <> const Keys& Table<IdentifiedParameters::Range>::fields() {
  using Range = IdentifiedParameters::Range;
  static const Keys keys = stated({
      field<&Range::wrench_min>("wrench_min").unit("N, N m").required("X Y Z K M N").doc("Least wrench of the thrusters."),
      field<&Range::wrench_max>("wrench_max").unit("N, N m").required("X Y Z K M N").doc("Largest wrench of the thrusters."),
      field<&Range::velocity_min>("velocity_min").unit("m/s, rad/s").required("u v w p q r").doc("Least velocities."),
      field<&Range::velocity_max>("velocity_max").unit("m/s, rad/s").required("u v w p q r").doc("Largest velocities."),
      field<&Range::attitude_min>("attitude_min").unit("rad").required("roll, pitch").doc("Least roll and pitch."),
      field<&Range::attitude_max>("attitude_max").unit("rad").required("roll, pitch").doc("Largest roll and pitch."),
      field<&Range::command_min>("command_min").doc("Least command of each thruster, in the unit of its map."),
      field<&Range::command_max>("command_max").doc("Largest command of each thruster."),
      field<&Range::extrapolation>("extrapolation").at_least(1)
          .doc("Error of u v w p q r at twice the range over that inside; 2 where the logs do not show it.")});
  return keys;
}

template <> const Keys& Table<IdentifiedParameters::Baseline>::fields() {
  using Baseline = IdentifiedParameters::Baseline;
  static const Keys keys = stated({
      field<&Baseline::lag>("lag").unit("s").required("s").doc("Lag of the commands."),
      field<&Baseline::wrench>("wrench").unit("SI").required("one for each of u v w p q r").doc("Acceleration per commanded wrench."),
      field<&Baseline::velocity>("velocity").unit("1/s").required("one for each of u v w p q r").doc("Acceleration per velocity."),
      field<&Baseline::constant>("constant").unit("SI").required("one for each of u v w p q r").doc("Acceleration at rest.")});
  return keys;
}

template <> const Keys& Table<IdentifiedParameters>::fields() {
  static const Keys keys = stated({
      field<&IdentifiedParameters::structure>("structure").required("which parameters, such as vehicle-24")
          .doc("Structure: vehicle-23, -24, -25, -27 or full, or a name of your own."),
      field<&IdentifiedParameters::source>("source").doc("Log and method of the estimate."),
      field<&IdentifiedParameters::density>("density").unit("kg/m^3").above(0).required("kg/m^3, of the water of the estimate")
          .doc("Density of the water of the estimate."),
      field<&IdentifiedParameters::gravity>("gravity").unit("m/s^2").above(0).required("m/s^2, such as 9.81").doc("Gravity."),
      field<&IdentifiedParameters::delay, OptionalCodec<IdentifiedParameters::Delay, DelayCodec>>("delay").unit("s")
          .what("value and sigma, s").at_least(0)
          .doc("Delay from a command to the force that moves the vehicle, and its standard deviation."),
      field<&IdentifiedParameters::residual>("residual").doc("Wrench that the model leaves unexplained; prediction bands are made of it."),
      field<&IdentifiedParameters::range>("range").doc("Wrenches, commands, velocities and attitudes of the logs; beyond them the model extrapolates."),
      field<&IdentifiedParameters::baseline>("baseline").doc("A line per axis from the same logs, which `fathom validate` compares with."),
      field<&IdentifiedParameters::by_thrusters>("by_thrusters").entries(0, number_of_names)
          .doc("Part of the covariance by errors of the thrusters' forces, which a prediction with them does not have: rows of the lower triangle."),
      field<&IdentifiedParameters::parameters>("parameters").required("a list of name, value, covariance").entries(1, number_of_names)
          .doc("Parameters in the order of the covariance.")});
  return keys;
}
template <> void Table<IdentifiedParameters>::refine(Json& schema) {
  Json& structure = schema["properties"]["structure"];
  structure["anyOf"] = Json::array({word_schema({"vehicle-23", "vehicle-24", "vehicle-25", "vehicle-27"}),
                                    {{"not", {{"type", "string"}, {"pattern", "^vehicle-[0-9]+$"}}}}});
}

template <> const Keys& Table<RobotFile>::fields() {
  constexpr auto spec = &RobotFile::spec;
  const Keys shared = shared_keys<&RobotFile::thruster_maps, &RobotFile::thruster_transients>();
  static const Keys keys{
      field_in<spec, &RobotSpec::name, NameText>("name").required("a short word")
          .doc("Letters, digits, - and _; a letter or digit first. Folders of results have it."),
      field_in<spec, &RobotSpec::title>("title").doc("One line for people."),
      field_in<spec, &RobotSpec::notes>("notes").doc("Free text, such as where the numbers come from."),
      field_in<spec, &RobotSpec::hull>("hull").required("mass, inertia, volume, added_mass ...").doc("Rigid body and its added mass."),
      field_in<spec, &RobotSpec::damping>("damping").required("a list of drag elements; [] if there is none").doc("Drag elements, summed."),
      shared[0],
      shared[1],
      field_in<spec, &RobotSpec::thrusters>("thrusters").doc("Thrusters, in the order of the allocation matrix."),
      field_in<spec, &RobotSpec::sensors>("sensors").doc("Sensors."),
      field_in<spec, &RobotSpec::connectors>("connectors").doc("Places where other robots can be coupled."),
      field_in<spec, &RobotSpec::command_path>("command_path").doc("Command path from a log to the thrusters.").was("steering"),
      field_in<spec, &RobotSpec::identified>("identified").doc("Estimate that the values come from, with covariance.")};
  return keys;
}

}  // namespace fathom::fields
// clang-format on
