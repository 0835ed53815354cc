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
  const auto tank = model::take_tank(field, map);
  map.finish();
  if (!tank) return std::nullopt;
  return simulate::Tank{.min_n = tank->min, .max_n = tank->max};
}

}  // namespace

void read_environment(const Field& field, Scenario& scenario) {
  Map map(field);
  scenario.environment = model::take_environment(map);
  if (const auto f = map.take("current")) {
    scenario.current = read_current(*f);
    check_under(*f, [&] { simulate::check(scenario.current); });
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
