#include "fathom/model/internal/check.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/model/body_check.hpp"
#include "fathom/model/checker.hpp"
#include "fathom/model/dof.hpp"
#include "fathom/model/internal/command_path.hpp"
#include "fathom/model/internal/symmetry.hpp"

namespace fathom::model::internal {
namespace {

/// s; a sample that comes later is history.
constexpr double longest_latency = 3600;

void check_symmetry(Checker& check, const RobotSpec& spec) {
  const auto report = [&](const std::string& key, const Mat6& m) {
    if (const auto entry = broken_symmetry(spec.hull.symmetry, m))
      check.error(fmt::format("{}[{}][{}]", key, entry->row, entry->column),
                  fmt::format("= {}, must be 0 by hull.symmetry", m(entry->row, entry->column)),
                  fmt::format("drop {} from hull.symmetry, or the term", entry->plane));
  };
  report("hull.added_mass", spec.hull.added_mass.value);
  for (std::size_t k = 0; k < spec.damping.size(); ++k) {
    if (!spec.damping[k].at_origin()) continue;  // a displaced element may have its mirror image elsewhere
    const std::string key = fmt::format("damping[{}]", k);
    report(key + ".linear", spec.damping[k].linear.value);
    for (std::size_t j = 0; j < 6; ++j)
      report(fmt::format("{}.quadratic.{}", key, velocity_names[j]),
             spec.damping[k].quadratic.value.by_speed[j]);
  }
}

void check_names(Checker& check, const RobotSpec& spec) {
  if (spec.name.empty())
    check.error("name", "is empty", "a short word, such as bluerov2-heavy");
  else if (!is_plain_name(spec.name))
    check.error("name",
                fmt::format("= {}, expected at most 64 letters, digits, - and _, a letter or digit first",
                            in_quotes(spec.name)),
                "names become file names; title is for people");
  const auto unique = [&](const std::string& list, const auto& items) {
    std::set<std::string> seen;
    for (std::size_t k = 0; k < items.size(); ++k) {
      const std::string key = fmt::format("{}[{}].name", list, k);
      if (items[k].name.empty())
        check.error(key, "is empty", "give each a name of its own");
      else if (!seen.insert(items[k].name).second)
        check.error(key, fmt::format("= {} is used twice", in_quotes(items[k].name)),
                    "give each a name of its own");
    }
  };
  unique("damping", spec.damping);
  unique("thrusters", spec.thrusters);
  unique("sensors", spec.sensors);
  unique("connectors", spec.connectors);
}

void check_thruster(Checker& check, const Thruster& thruster, const std::string& key) {
  check.finite(key + ".position", thruster.position_b.value);
  check.sigma(key + ".position", thruster.position_b);
  check.sigma(key + ".direction", thruster.direction_b);
  if (check.finite(key + ".direction", thruster.direction_b.value) &&
      !(thruster.direction_b.value.norm() > 1e-6))
    check.error(key + ".direction", "is zero", "the direction of the force on the vehicle, such as [1, 0, 0]");
  const auto add = [&](const Findings& found) {
    for (const Finding& finding : found)  // what thrusters share is reported once
      if (std::none_of(check.findings.begin(), check.findings.end(),
                       [&](const Finding& p) { return p.text() == finding.text(); }))
        check.findings.push_back(finding);
  };
  const std::string map_key = thruster.map_name.empty() ? key + ".map" : "thruster_maps." + thruster.map_name;
  const std::string transient_key =
      thruster.transient_name.empty() ? key + ".transient" : "thruster_transients." + thruster.transient_name;
  // A transient that is no good leaves the map's range without meaning.
  Findings of_transient;
  if (thruster.transient) of_transient = check_transient(thruster.map, *thruster.transient, transient_key);
  add(of_transient);
  if (thruster.map && of_transient.empty()) add(check_thruster_map(*thruster.map, thruster.transient, map_key));
  if (!thruster.force) return;
  check.sigma(key + ".force", *thruster.force);
  const ForceRange& force = thruster.force->value;
  if (check.finite(key + ".force", force.min) && check.finite(key + ".force", force.max) &&
      !(force.min <= 0 && force.max >= 0 && force.max > force.min))
    check.error(key + ".force",
                fmt::format("= [{}, {}], must be [min <= 0, max >= 0] with min < max", force.min, force.max),
                "N");
}

void check_channels(Checker& check, const Sensor& sensor, const ChannelTable& table, const std::string& key) {
  std::vector<std::string_view> names;
  names.reserve(2);
  for (const NoiseChannel& channel : noise_channels(sensor.kind)) names.push_back(channel.name);
  for (const auto& entry : sensor.*table.values) {
    const std::string& channel = entry.first;
    const std::string channel_key = fmt::format("{}.{}.{}", key, table.key, channel);
    if (std::find(names.begin(), names.end(), channel) == names.end()) {
      check.error(channel_key, fmt::format("is no channel of a sensor of kind {}", name_of(sensor.kind)),
                  did_you_mean(channel, names, fmt::format("its channels: {}", join(names, ", "))));
    }
    if (!(std::isfinite(entry.second.value) && entry.second.value >= 0))
      check.error(channel_key, fmt::format("= {}, must be >= 0", entry.second.value), std::string(table.what));
    check.sigma(channel_key, entry.second);
  }
}

void check_latency(Checker& check, const Sensor& sensor, const std::string& key) {
  if (!sensor.latency) return;
  const double latency = sensor.latency->value;
  if (!(latency >= 0 && latency <= longest_latency))
    check.error(key + ".latency", fmt::format("= {}, must be 0 to {:g}", latency, longest_latency),
                "seconds from measuring to arriving; milliseconds?");
  check.sigma(key + ".latency", *sensor.latency);
}

void check_drop_out(Checker& check, const Sensor& sensor, const std::string& key) {
  if (!sensor.drop_out) return;
  const double p = sensor.drop_out->probability;
  if (!(p >= 0 && p <= 1))
    return check.error(key + ".drop_out", fmt::format("= {}, must be 0 to 1", p),
                       "the share of samples that never arrive; per cent?");
  if (!sensor.drop_out->mean_length) return;
  // At least one sample arrives between two runs, so runs of mean length L lose at most L / (L + 1).
  const double length = *sensor.drop_out->mean_length;
  const double shortest = std::max(1.0, p / (1 - p));
  if (!(length >= shortest && length <= largest_number))
    check.error(key + ".drop_out.mean_length", fmt::format("= {}, must be {:.6g} or more", length, shortest),
                "samples in one run of losses; of a share p at least p / (1 - p)");
}

void check_dvl(Checker& check, const Sensor& sensor, const std::string& key) {
  if (sensor.kind != SensorKind::dvl && (sensor.beams || sensor.altitude))
    check.error(key + (sensor.beams ? ".beams" : ".altitude"),
                fmt::format("stands in a sensor of kind {}", name_of(sensor.kind)), "only a dvl has it");
  if (sensor.beams) {
    const DvlBeams& beams = *sensor.beams;
    if (!(beams.tilt_deg > 0 && beams.tilt_deg < 90))
      check.error(key + ".beams.tilt_deg", fmt::format("= {}, must be > 0 and < 90", beams.tilt_deg),
                  "degrees from the sensor's z axis");
    if (beams.azimuth_deg.size() < 3 || beams.azimuth_deg.size() > 8)
      check.error(key + ".beams.azimuth_deg",
                  fmt::format("has {} entries, must be 3 to 8", beams.azimuth_deg.size()),
                  "one azimuth per beam, in degrees");
    for (const double azimuth : beams.azimuth_deg) check.finite(key + ".beams.azimuth_deg", azimuth);
  }
  if (sensor.altitude) {
    const AltitudeRange& range = *sensor.altitude;
    if (check.finite(key + ".altitude", range.min) && check.finite(key + ".altitude", range.max) &&
        !(range.min >= 0 && range.max > range.min))
      check.error(key + ".altitude",
                  fmt::format("= [{}, {}], must be [min >= 0, max > min]", range.min, range.max),
                  "m over the bottom");
  }
}

/// Thrusters that name the same map have the same map, since a robot file writes it once.
void check_sharing(Checker& check, const std::vector<Thruster>& thrusters) {
  std::map<std::string, const Thruster*> maps, transients;
  for (std::size_t k = 0; k < thrusters.size(); ++k) {
    const Thruster& thruster = thrusters[k];
    const auto share = [&](auto& seen, const std::string& name, const char* what, const auto member) {
      if (name.empty()) return;
      const Thruster* first = seen.emplace(name, &thruster).first->second;
      if (!((thruster.*member).has_value() && first->*member == thruster.*member))
        check.error(fmt::format("thrusters[{}].{}", k, what),
                    fmt::format("is named {} but is not the {} of that name", in_quotes(name), what),
                    "give it another name, or none");
    };
    share(maps, thruster.map_name, "map", &Thruster::map);
    share(transients, thruster.transient_name, "transient", &Thruster::transient);
  }
}

void check_sensor(Checker& check, const Sensor& sensor, const std::string& key) {
  check_pose(check, sensor.position_b, sensor.attitude_rpy, key);
  if (sensor.rate_hz) {
    check.positive(key + ".rate_hz", sensor.rate_hz->value, "samples per second");
    check.sigma(key + ".rate_hz", *sensor.rate_hz);
  }
  for (const ChannelTable& table : channel_tables) check_channels(check, sensor, table, key);
  check_latency(check, sensor, key);
  check_drop_out(check, sensor, key);
  check_dvl(check, sensor, key);
}

void check_connector(Checker& check, const Connector& connector, const std::string& key) {
  if (!connector.name.empty() && !is_plain_name(connector.name))
    check.error(key + ".name",
                fmt::format("= {}, expected at most 64 letters, digits, - and _, a letter or digit first",
                            in_quotes(connector.name)),
                "assemblies speak of it as module.connector");
  check_pose(check, connector.position_b, connector.attitude_rpy, key);
}

}  // namespace

Findings check_robot(const RobotSpec& spec) {
  Checker check;
  check_names(check, spec);
  check_body(check, spec.hull, {"hull", "vehicle", false});
  for (std::size_t k = 0; k < spec.damping.size(); ++k)
    check_damping_element(check, spec.damping[k], fmt::format("damping[{}]", k));
  check_symmetry(check, spec);
  for (std::size_t k = 0; k < spec.thrusters.size(); ++k)
    check_thruster(check, spec.thrusters[k], fmt::format("thrusters[{}]", k));
  check_sharing(check, spec.thrusters);
  for (std::size_t k = 0; k < spec.sensors.size(); ++k)
    check_sensor(check, spec.sensors[k], fmt::format("sensors[{}]", k));
  for (std::size_t k = 0; k < spec.connectors.size(); ++k)
    check_connector(check, spec.connectors[k], fmt::format("connectors[{}]", k));
  if (spec.command_path)
    for (Finding& finding : check_command_path(*spec.command_path, spec.thrusters))
      check.findings.push_back(std::move(finding));
  if (spec.identified)
    for (Finding& finding : check_identified(*spec.identified)) check.findings.push_back(std::move(finding));
  return check.findings;
}

}  // namespace fathom::model::internal
