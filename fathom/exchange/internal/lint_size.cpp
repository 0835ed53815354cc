#include "fathom/exchange/internal/lint_size.hpp"

#include <cmath>

#include "fathom/base/error.hpp"
#include "fathom/exchange/internal/lint_report.hpp"
#include "fathom/model/geometric_prior.hpp"

namespace fathom::exchange::internal {
namespace {

constexpr double round_thrusters = 1.4;  // hull over the spread of its thrusters: 1.3 to 1.5 in those that ship

/// Thrusters sit inside the hull's outline; what they do not span is as wide as a cube of the volume.
std::optional<HullSize> size_round_thrusters(const model::RobotSpec& spec) {
  if (spec.thrusters.size() < 3 || !is_body(spec.hull.volume.value)) return std::nullopt;
  Vec3 low = spec.thrusters.front().position_b.value, high = low;
  for (const model::Thruster& thruster : spec.thrusters) {
    if (!is_sound(thruster.position_b.value)) return std::nullopt;
    low = low.cwiseMin(thruster.position_b.value);
    high = high.cwiseMax(thruster.position_b.value);
  }
  const double side = std::cbrt(spec.hull.volume.value);
  const Vec3 size = (round_thrusters * (high - low)).cwiseMax(side);
  // A vehicle's volume and the spread of its thrusters must be of one size to be believed.
  if (spec.hull.volume.value < least_filling * size.prod()) return std::nullopt;
  return HullSize{size, "the spread of the thrusters", false};
}

}  // namespace

std::optional<HullSize> hull_size_of(const model::RobotSpec& spec) {
  if (!spec.hull.size) return size_round_thrusters(spec);
  const Vec3& size = spec.hull.size->value;
  if (!is_sound(size) || !(size.minCoeff() > 1e-9)) return std::nullopt;
  return HullSize{size, "hull.size", true};
}

std::optional<model::Robot> guess_of(const model::RobotSpec& spec, const HullSize& size,
                                     const model::Environment& environment) {
  const double displaced = environment.density() * size.box();
  const auto believable = [&](double mass) {
    return mass >= least_filling * displaced && mass <= displaced ? mass : usual_filling * displaced;
  };
  model::HullDescription description;
  description.name = "guess";
  description.hull.shape = model::Cuboid{size.size};
  description.mass.value = believable(spec.hull.mass.value);
  description.volume.emplace();
  description.volume->value =
      believable(environment.density() * spec.hull.volume.value) / environment.density();
  const Vec3& middle_b = spec.hull.centre_of_mass.value;
  if (is_sound(middle_b) && (middle_b.cwiseAbs().array() <= size.size.array()).all())
    description.hull.pose.p_pc_p = middle_b;
  description.kind =
      description.volume->value > 0.6 * size.box() ? model::HullKind::closed : model::HullKind::open_frame;
  try {
    return model::geometric_prior(description, environment);
  } catch (const InputError&) {  // a needle or a sheet
    return std::nullopt;
  }
}

}  // namespace fathom::exchange::internal
