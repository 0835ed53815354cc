#include <array>
#include <set>

#include <fmt/format.h>

#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model/internal/value_writer.hpp"
#include "fathom/model/robot_file.hpp"

namespace fathom::model {
namespace {

using internal::flow_list;
using internal::number;
using internal::quote;
using internal::write_drag;
using internal::Writer;

void write_hull(Writer& out, const Hull& hull) {
  out.line(0, "hull:");
  out.value(1, "mass", hull.mass);
  out.value(1, "inertia", hull.inertia);
  out.value(1, "centre_of_mass", hull.centre_of_mass);
  out.value(1, "volume", hull.volume);
  out.value(1, "centre_of_buoyancy", hull.centre_of_buoyancy);
  out.value(1, "added_mass", hull.added_mass);
  if (hull.size) out.value(1, "size", *hull.size);
  std::vector<std::string> words;
  if (hull.symmetry.port_starboard) words.emplace_back("port_starboard");
  if (hull.symmetry.fore_aft) words.emplace_back("fore_aft");
  if (hull.symmetry.top_bottom) words.emplace_back("top_bottom");
  if (!words.empty()) out.line(1, fmt::format("symmetry: [{}]", join(words, ", ")));
}

std::string list(const auto& numbers) {
  std::string text = "[";
  for (std::size_t k = 0; k < numbers.size(); ++k) (text += k ? ", " : "") += number(numbers[k]);
  return text + ']';
}
std::string list(const DeadBand& band) { return list(std::array{band.min, band.max}); }

void write_law(Writer& out, int depth, const PolynomialPair& law) {
  out.line(depth, "polynomial_pair:");
  out.line(depth + 1, "dead_band: " + list(law.dead_band));
  out.line(depth + 1, "forward: " + list(law.forward));
  out.line(depth + 1, "reverse: " + list(law.reverse));
}

void write_law(Writer& out, int depth, const LinearQuadratic& law) {
  const auto gains = [](const LinearQuadratic::Gains& g) { return list(std::array{g.linear, g.quadratic}); };
  out.line(depth, "linear_quadratic:");
  if (law.dead_band) out.line(depth + 1, "dead_band: " + list(*law.dead_band));
  out.line(depth + 1, "forward: " + gains(law.forward));
  if (law.reverse) out.line(depth + 1, "reverse: " + gains(*law.reverse));
}

void write_law(Writer& out, int depth, const Propeller& law) {
  out.line(depth, "propeller:");
  if (const auto* T = std::get_if<ThrustCoefficients>(&law.thrust)) {
    out.line(depth + 1, "T_ww: " + number(T->ww));
    out.line(depth + 1, "T_wu: " + number(T->wu));
  } else {
    const auto& open = std::get<OpenWater>(law.thrust);
    out.line(depth + 1, "diameter: " + number(open.diameter));
    out.line(depth + 1, "alpha0: " + number(open.alpha0));
    out.line(depth + 1, "alpha1: " + number(open.alpha1));
  }
  if (law.reverse)
    out.line(depth + 1,
             fmt::format("reverse: {{T_ww: {}, T_wu: {}}}", number(law.reverse->ww), number(law.reverse->wu)));
  if (std::holds_alternative<DirectShaft>(law.shaft)) return;
  out.line(depth + 1, "shaft:");
  if (const auto* linear = std::get_if<LinearShaft>(&law.shaft)) {
    out.line(depth + 2, "linear: " + number(linear->gain));
    if (linear->dead_band) out.line(depth + 2, "dead_band: " + list(*linear->dead_band));
  } else if (const auto* power = std::get_if<PowerShaft>(&law.shaft)) {
    out.line(depth + 2, "power: " + list(std::array{power->a, power->exponent, power->c}));
  } else {
    const auto& table = std::get<TableShaft>(law.shaft);
    out.line(depth + 2, "table:");
    out.line(depth + 3, "commands: " + list(table.commands));
    out.line(depth + 3, "speeds: " + list(table.speeds));
  }
}

void write_law(Writer& out, int depth, const ForceTable& law) {
  out.line(depth, "table:");
  out.line(depth + 1, "commands: " + list(law.commands));
  out.line(depth + 1, "voltages: " + list(law.voltages));
  out.line(depth + 1, "forces:");
  for (const std::vector<double>& row : law.forces) out.line(depth + 2, "- " + list(row));
}

void write_body(Writer& out, int depth, const ThrusterMap& map) {
  out.origin(depth, map.source, map.assumed);
  out.line(depth, fmt::format("command: {{unit: {}, range: [{}, {}], neutral: {}}}", name_of(map.command.unit),
                              number(map.command.min), number(map.command.max), number(map.command.neutral)));
  std::visit([&](const auto& law) { write_law(out, depth, law); }, map.law);
  if (map.current) out.line(depth, "current: " + list(*map.current));
}

void write_law(Writer& out, int depth, const FirstOrder& law) {
  out.line(depth, fmt::format("first_order: {{time_constant: {}}}", number(law.time_constant)));
}

void write_law(Writer& out, int depth, const MotorRates& law) {
  out.line(depth, fmt::format("motor_rates: {{drive: {}, linear: {}, quadratic: {}}}", number(law.drive),
                              number(law.linear), number(law.quadratic)));
}

void write_law(Writer& out, int depth, const DcMotor& motor) {
  out.line(depth, "dc_motor:");
  out.line(depth + 1, "inertia: " + number(motor.inertia));
  out.line(depth + 1, "k_t: " + number(motor.k_t));
  out.line(depth + 1, "resistance: " + number(motor.resistance));
  out.line(depth + 1, "k_q: " + number(motor.k_q));
  out.line(depth + 1, "k_f1: " + number(motor.k_f1));
  out.line(depth + 1, "Q_ww: " + number(motor.Q_ww));
}

void write_body(Writer& out, int depth, const Transient& transient) {
  out.origin(depth, transient.source, transient.assumed);
  std::visit([&](const auto& law) { write_law(out, depth, law); }, transient.law);
  if (const auto& flow = transient.flow)
    out.line(depth, fmt::format("axial_flow: {{share: {}, time_constant: {}, stopped_drag: {}}}",
                                number(flow->share), number(flow->time_constant), number(flow->stopped_drag)));
}

/// The maps or transients that have a name, each once.
template <class T>
void write_shared(Writer& out, const std::string& section, const std::vector<Thruster>& thrusters,
                  std::optional<T> Thruster::*member, std::string Thruster::*name) {
  std::set<std::string> written;
  for (const Thruster& thruster : thrusters) {
    if ((thruster.*name).empty() || !(thruster.*member) || !written.insert(thruster.*name).second) continue;
    if (written.size() == 1) out.line(0, section + ":");
    out.line(1, quote(thruster.*name) + ":");
    write_body(out, 2, *(thruster.*member));
  }
}

template <class T>
void write_or_name(Writer& out, const std::string& key, const std::optional<T>& value,
                   const std::string& name) {
  if (!value) return;
  if (!name.empty()) return out.line(2, key + ": " + quote(name));
  out.line(2, key + ":");
  write_body(out, 3, *value);
}

void write_thruster(Writer& out, const Thruster& thruster) {
  out.line(1, "- name: " + quote(thruster.name));
  out.value(2, "position", thruster.position_b);
  out.value(2, "direction", thruster.direction_b);
  if (thruster.force) out.value(2, "force", *thruster.force);
  write_or_name(out, "map", thruster.map, thruster.map_name);
  write_or_name(out, "transient", thruster.transient, thruster.transient_name);
}

void write_beams(Writer& out, const DvlBeams& beams) {
  const Eigen::Map<const Eigen::VectorXd> azimuths(beams.azimuth_deg.data(),
                                                   static_cast<Eigen::Index>(beams.azimuth_deg.size()));
  out.line(2, fmt::format("beams: {{tilt_deg: {}, azimuth_deg: {}, per_beam: {}}}", number(beams.tilt_deg),
                          flow_list(azimuths), beams.per_beam));
}

void write_sensor(Writer& out, const Sensor& sensor) {
  out.line(1, "- name: " + quote(sensor.name));
  out.line(2, fmt::format("kind: {}", name_of(sensor.kind)));
  out.origin(2, sensor.source, sensor.assumed);
  out.pose(2, sensor.position_b, sensor.attitude_rpy);
  if (sensor.rate_hz) out.value(2, "rate_hz", *sensor.rate_hz);
  for (const ChannelTable& table : channel_tables) {
    const ByChannel& values = sensor.*table.values;
    if (values.empty()) continue;
    out.line(2, fmt::format("{}:", table.key));
    for (const auto& [channel, value] : values) out.value(3, channel, value);
  }
  if (sensor.latency) out.value(2, "latency", *sensor.latency);
  if (sensor.drop_out && sensor.drop_out->mean_length)
    out.line(2, fmt::format("drop_out: {{probability: {}, mean_length: {}}}",
                            number(sensor.drop_out->probability), number(*sensor.drop_out->mean_length)));
  else if (sensor.drop_out)
    out.line(2, "drop_out: " + number(sensor.drop_out->probability));
  if (sensor.beams) write_beams(out, *sensor.beams);
  if (sensor.altitude)
    out.line(2, fmt::format("altitude: [{}, {}]", number(sensor.altitude->min), number(sensor.altitude->max)));
}

void write_connector(Writer& out, const Connector& connector) {
  out.line(1, "- name: " + quote(connector.name));
  out.pose(2, connector.position_b, connector.attitude_rpy);
}

void write_command_path(Writer& out, const CommandPath& command_path) {
  out.line(0, "steering:");
  out.line(1, fmt::format("by: {}", name_of(command_path.by)));
  if (command_path.dead_band) out.value(1, "dead_band", *command_path.dead_band);
  if (command_path.gain) out.value(1, "gain", *command_path.gain);
}

/// The lower triangle of the covariance, a row with each parameter: the order cannot be lost. Sigmas are for
/// people only, so that no number stands there twice.
void write_identified(Writer& out, const IdentifiedParameters& identified) {
  out.line(0, "identified:");
  out.line(1, "structure: " + quote(identified.structure));
  out.origin(1, identified.source, false);
  out.line(1, "density: " + number(identified.density));
  out.line(1, "gravity: " + number(identified.gravity));
  if (identified.delay)
    out.line(1, fmt::format("delay: [{}, {}]  # s, from command to force, and its sigma",
                            number(identified.delay->value), number(identified.delay->sigma)));
  out.line(1, "parameters:");
  const ParameterVector& p = identified.parameters;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    out.line(2, "- name: " + quote(p[k].name));
    out.line(3, fmt::format("value: {}  # {}, sigma {:.3g}", number(p[k].value), p[k].unit, p.sigma(k)));
    out.line(3, "covariance: " + flow_list(p.covariance().row(i).head(i + 1).eval()));
  }
}

}  // namespace

std::string robot_to_yaml(const Robot& robot) {
  const RobotSpec& spec = robot.spec();
  Writer out;
  out.line(0, "format: fathom-robot-1");
  out.line(0, "name: " + quote(spec.name));
  if (!spec.title.empty()) out.line(0, "title: " + quote(spec.title));
  if (!spec.notes.empty()) out.line(0, "notes: " + quote(spec.notes));
  write_hull(out, spec.hull);
  out.line(0, spec.damping.empty() ? "damping: []" : "damping:");
  for (const DragElement& element : spec.damping) write_drag(out, 1, element);
  write_shared(out, "thruster_maps", spec.thrusters, &Thruster::map, &Thruster::map_name);
  write_shared(out, "thruster_transients", spec.thrusters, &Thruster::transient, &Thruster::transient_name);
  if (!spec.thrusters.empty()) out.line(0, "thrusters:");
  for (const Thruster& thruster : spec.thrusters) write_thruster(out, thruster);
  if (!spec.sensors.empty()) out.line(0, "sensors:");
  for (const Sensor& sensor : spec.sensors) write_sensor(out, sensor);
  if (!spec.connectors.empty()) out.line(0, "connectors:");
  for (const Connector& connector : spec.connectors) write_connector(out, connector);
  if (spec.command_path) write_command_path(out, *spec.command_path);
  if (spec.identified) write_identified(out, *spec.identified);
  return out.take();
}

std::string thruster_map_to_yaml(const std::string& name, const ThrusterMap& map) {
  Writer out;
  out.line(0, "thruster_maps:");
  out.line(1, quote(name) + ":");
  write_body(out, 2, map);
  return out.take();
}

std::string thruster_transient_to_yaml(const std::string& name, const Transient& transient) {
  Writer out;
  out.line(0, "thruster_transients:");
  out.line(1, quote(name) + ":");
  write_body(out, 2, transient);
  return out.take();
}

void write_robot(const Robot& robot, const std::filesystem::path& path) {
  write_file_atomically(path, robot_to_yaml(robot));
}

}  // namespace fathom::model
