#include <fmt/format.h>

#include "fathom/geometry/rotation.hpp"
#include "fathom/loop/internal/scenario_fields.hpp"

namespace fathom::loop::internal {
namespace {

simulate::CurrentSpec read_current(const Field& field) {
  simulate::CurrentSpec spec;
  if (field.is_list()) {
    spec.constant_n = vec3(field, "m/s north, east, down").value_or(spec.constant_n);
    return spec;
  }
  Map map(field);
  read(map, "constant", "m/s north, east, down", spec.constant_n);
  if (const auto profile = map.take("profile"))
    for (const Field& item : profile->items()) {
      Map row(item);
      simulate::CurrentAtDepth at;
      if (const auto f = row.require("depth", "m, positive down")) at.depth = f->number("m").value_or(0);
      if (const auto f = row.require("velocity", "m/s north, east, down"))
        at.velocity_n = vec3(*f, "m/s north, east, down").value_or(at.velocity_n);
      row.finish();
      spec.profile.push_back(at);
    }
  if (const auto f = map.take("profile_shape"))
    if (const auto k = choice(*f, {"linear", "monotone_cubic"}))
      spec.profile_shape = simulate::ProfileShape(*k);
  if (const auto variation = map.take("variation")) {
    Map part(*variation);
    read(part, "sigma", "m/s north, east, down", spec.variation_sigma_n);
    read(part, "time", "s", spec.variation_time);
    part.finish();
  }
  if (const auto ramp = map.take("ramp")) {
    Map part(*ramp);
    read(part, "before", "m/s north, east, down", spec.ramp.before_n);
    read(part, "after", "m/s north, east, down", spec.ramp.after_n);
    read(part, "begin", "s", spec.ramp.begin);
    read(part, "end", "s", spec.ramp.end);
    if (const auto f = part.take("shape"))
      if (const auto k = choice(*f, {"smooth", "constant_acceleration"}))
        spec.ramp.shape = simulate::RampShape(*k);
    part.finish();
  }
  map.finish();
  return spec;
}

std::optional<simulate::Tank> read_tank(const Field& field) {
  Map map(field);
  simulate::Tank tank;
  bool complete = true;
  for (const auto& [key, side] : {std::pair{"min", &tank.min_n}, std::pair{"max", &tank.max_n}}) {
    const auto f = map.require(key, "m north, east, down");
    const auto value = f ? vec3(*f, "m north, east, down") : std::nullopt;
    complete = complete && value;
    if (value) *side = *value;
  }
  map.finish();
  if (!complete) return std::nullopt;
  if (!(tank.min_n.array() < tank.max_n.array()).all())
    field.error("has a side where min is not below max", "north, east, down; down is positive");
  else if (tank.min_n.z() > 0 || tank.max_n.z() <= 0)
    field.error(fmt::format("reaches from {} to {} m down, but the surface of the water is at 0",
                            tank.min_n.z(), tank.max_n.z()),
                "down is positive: min [.., .., 0], max [.., .., depth]");
  return tank;
}

}  // namespace

void read_environment(const Field& field, Scenario& scenario) {
  Map map(field);
  double density = model::fresh_water, gravity = 9.81;
  read_positive(map, "density", "kg/m^3", density);
  read_positive(map, "gravity", "m/s^2", gravity);
  scenario.environment = model::Environment(density, gravity);
  if (const auto f = map.take("current")) {
    scenario.current = read_current(*f);
    judge(*f, [&] { simulate::check(scenario.current); });
  }
  if (const auto f = map.take("tank")) scenario.tank = read_tank(*f);
  if (const auto f = map.take("usbl")) {
    Map usbl(*f);
    read(usbl, "position", "m north, east, down", scenario.usbl_transceiver.p_pc_p);
    scenario.usbl_transceiver.q_pc = quaternion_from_euler(read_attitude(usbl));
    usbl.finish();
  }
  map.finish();
}

}  // namespace fathom::loop::internal
