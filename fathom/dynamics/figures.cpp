#include "fathom/dynamics/figures.hpp"

#include <cmath>
#include <vector>

#include "fathom/dynamics/attainable.hpp"
#include "fathom/dynamics/thruster.hpp"
#include "fathom/geometry/spectrum.hpp"

namespace fathom::dynamics {
namespace {

constexpr double rank_tolerance = 1e-12;  // of the eigenvalues of B B'

int rank_of(const Mat6X& B) {
  if (B.cols() == 0) return 0;
  const Vec6 gains = symmetric_eigenvalues(Mat6(B * B.transpose()));
  return static_cast<int>((gains.array() > rank_tolerance * gains[5]).count());
}

std::optional<std::array<model::ForceRange, 6>> axes_alone(const model::Robot& robot, const Mat6X& B,
                                                           double density) {
  std::vector<model::ForceRange> limits;
  for (const model::Thruster& thruster : robot.thrusters()) {
    limits.push_back(ThrusterModel(thruster, density).force_range());
    if (!std::isfinite(limits.back().min) || !std::isfinite(limits.back().max)) return std::nullopt;
  }
  if (limits.empty()) return std::nullopt;
  return AttainableWrench(B, limits).axis_ranges();
}

}  // namespace

Figures figures_of(const model::Robot& robot, const model::Environment& environment) {
  const model::Hull& hull = robot.hull();
  const Mat6 M = model::rigid_body_inertia(hull) + hull.added_mass.value;
  const Vec3 moments = symmetric_eigenvalues(hull.inertia.value);
  const Mat6X B = model::allocation_matrix(robot);
  Figures out;
  out.smallest_inertia = symmetric_eigenvalues(M)[0];
  out.triangle_margin = moments[0] + moments[1] - moments[2];
  out.largest_moment = moments[2];
  out.weight = hull.mass.value * environment.gravity();
  out.buoyancy = hull.volume.value * environment.density() * environment.gravity();
  out.righting_arm = hull.centre_of_mass.value.z() - hull.centre_of_buoyancy.value.z();
  out.rank = rank_of(B);
  out.alone = axes_alone(robot, B, environment.density());
  return out;
}

}  // namespace fathom::dynamics
