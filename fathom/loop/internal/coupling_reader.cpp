#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/loop/internal/scenario_fields.hpp"

namespace fathom::loop::internal {
namespace {

constexpr const char* end_hint =
    "vehicle.connector, such as a.bow, or {vehicle: a, position: [0.3, 0, 0], attitude_deg: [0, 0, 0]}";

std::vector<std::string_view> names_of(const std::vector<VehicleScenario>& vehicles) {
  std::vector<std::string_view> names;
  for (const VehicleScenario& vehicle : vehicles) names.push_back(vehicle.name);
  return names;
}

/// `a.bow`: a connector of the vehicle's robot.
std::optional<CouplingEnd> read_connector(const Field& field, const std::vector<VehicleScenario>& vehicles) {
  const auto text = field.text();
  if (!text) return std::nullopt;
  const auto dot = text->find('.');
  if (dot == std::string::npos) {
    field.error(fmt::format("= {}, expected a vehicle and its connector", in_quotes(*text)), end_hint);
    return std::nullopt;
  }
  CouplingEnd end{.connector = text->substr(dot + 1)};
  const auto vehicle = index_of(field, text->substr(0, dot), names_of(vehicles), "vehicle", "the scenario");
  if (!vehicle) return std::nullopt;
  end.vehicle = *vehicle;
  const model::Robot& robot = vehicles[end.vehicle].robot;
  std::vector<std::string_view> names;
  for (const model::Connector& connector : robot.connectors()) names.push_back(connector.name);
  const auto connector = index_of(field, end.connector, names, "connector", robot.name());
  if (!connector) return std::nullopt;
  end.pose_b = robot.connectors()[*connector].pose();
  return end;
}

std::optional<CouplingEnd> read_end(const Field& field, const std::vector<VehicleScenario>& vehicles) {
  if (!field.is_map()) return read_connector(field, vehicles);
  Map map(field);
  CouplingEnd end;
  const auto name = map.require("vehicle", "the name of a vehicle of this scenario");
  const auto vehicle =
      name ? index_of(*name, name->text().value_or(""), names_of(vehicles), "vehicle", "the scenario")
           : std::nullopt;
  if (const auto f = map.require("position", "m forward, starboard, down"))
    end.pose_b.p_pc_p = vec3(*f, "m forward, starboard, down").value_or(Vec3::Zero());
  end.pose_b.q_pc = quaternion_from_euler(read_attitude(map));
  map.finish();
  if (!vehicle) return std::nullopt;
  end.vehicle = *vehicle;
  return end;
}

void read_latch(const Field& field, CouplingScenario& coupling) {
  assembly::Latch latch;
  Map map(field);
  double angle_deg = latch.angle / degree, turn_rate_deg = latch.turn_rate / degree;
  read_positive(map, "distance", "m", latch.distance);
  if (latch.distance > 1)
    map.take("distance")
        ->error(fmt::format("= {:g} m, no latch catches from there", latch.distance), "m, not mm?");
  read_positive(map, "angle_deg", "deg", angle_deg);
  read_positive(map, "speed", "m/s", latch.speed);
  read_positive(map, "turn_rate_deg", "deg/s", turn_rate_deg);
  latch.angle = angle_deg * degree;
  latch.turn_rate = turn_rate_deg * degree;
  if (const auto f = map.take("from")) {
    const auto from = f->number("s");
    if (from && *from < 0)
      f->error(fmt::format("= {} s, must be >= 0", *from), "when it is armed");
    else if (from)
      coupling.armed_from = *from;
  }
  map.finish();
  coupling.latch = latch;
}

void read_openings(const Field& field, CouplingScenario& coupling) {
  if (field.is_list()) {
    coupling.opens_at = field.number_list().value_or(std::vector<double>());
  } else if (const auto at = field.number("s")) {
    coupling.opens_at = {*at};
  }
  double before = 0;
  for (const double at : coupling.opens_at) {
    if (!(at > before))
      field.error(fmt::format("has {} s, which is not after {} s", at, before),
                  "s, each later than the one before, and after the start");
    before = at;
  }
}

/// Both ends, and what they have to do with each other.
bool read_between(const Field& field, const std::vector<VehicleScenario>& vehicles,
                  CouplingScenario& coupling) {
  const auto items = field.items();
  if (!field.is_list()) return false;
  if (items.size() != 2) {
    field.error(fmt::format("has {} entries, expected two", items.size()), end_hint);
    return false;
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const auto end = read_end(items[k], vehicles);
    if (!end) return false;
    coupling.ends[k] = *end;
  }
  if (const std::size_t a = coupling.ends[0].vehicle; a == coupling.ends[1].vehicle)
    field.error(fmt::format("couples {} to itself", vehicles[a].name), "two vehicles");
  return true;
}

std::optional<CouplingScenario> read_coupling(const Field& field, const Scenario& scenario) {
  CouplingScenario coupling;
  Map map(field);
  const auto between = map.require("between", end_hint);
  const bool has_ends = between && read_between(*between, scenario.vehicles, coupling);
  if (const auto f = map.take("name")) {
    coupling.name = f->text().value_or("");
    check_name(*f, coupling.name);
  } else if (has_ends) {
    coupling.name = fmt::format("{}-{}", scenario.vehicles[coupling.ends[0].vehicle].name,
                                scenario.vehicles[coupling.ends[1].vehicle].name);
  }
  double turn_deg = 0;
  read(map, "turn_deg", "deg", turn_deg);
  coupling.turn = turn_deg * degree;
  if (const auto f = map.take("closed")) coupling.closed = read_flag(*f, false);
  if (const auto f = map.take("latch")) read_latch(*f, coupling);
  if (const auto f = map.take("opens_at")) read_openings(*f, coupling);
  if (const auto f = map.take("once")) coupling.once = read_flag(*f, false);
  map.finish();
  if (!coupling.closed && !coupling.latch)
    field.error("is open at the start and has no latch, so it never closes",
                "closed: true, or latch: {distance: 0.03}");
  return has_ends ? std::optional(std::move(coupling)) : std::nullopt;
}

}  // namespace

void read_couplings(const Field& field, Scenario& scenario) {
  for (const Field& item : field.items())
    if (auto coupling = read_coupling(item, scenario)) {
      check_own_name(item, scenario, coupling->name);
      scenario.couplings.push_back(*std::move(coupling));
    }
}

void place_coupled(Scenario& scenario, std::vector<bool> is_placed) {
  for (bool found = true; found;) {
    found = false;
    for (const CouplingScenario& coupling : scenario.couplings) {
      const std::size_t a = coupling.ends[0].vehicle, b = coupling.ends[1].vehicle;
      if (!coupling.closed || is_placed[a] == is_placed[b]) continue;
      const Pose b_in_a = assembly::mated_pose(coupling.ends[0].pose_b, coupling.ends[1].pose_b, coupling.turn);
      const Pose here = is_placed[a] ? b_in_a : b_in_a.inverse();
      const dynamics::State& from = scenario.vehicles[is_placed[a] ? a : b].start;
      const std::size_t to = is_placed[a] ? b : a;
      const Pose pose_n = Pose{from.q_nb, from.p_nb_n} * here;
      scenario.vehicles[to].start = {pose_n.q_pc, pose_n.p_pc_p, twist_transform(here) * from.nu_b};
      is_placed[to] = found = true;
    }
  }
}

}  // namespace fathom::loop::internal
