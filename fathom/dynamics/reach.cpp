#include "fathom/dynamics/reach.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/dynamics/allocation.hpp"
#include "fathom/dynamics/figures.hpp"
#include "fathom/dynamics/thruster.hpp"

namespace fathom::dynamics {
namespace {

bool is_known(const model::ForceRange& range) { return std::isfinite(range.min) && std::isfinite(range.max); }

/// The thrusters that still work.
struct Working {
  std::vector<std::size_t> index;
  std::vector<model::ForceRange> limits;  // N
  Mat6X B;
};

Working working_thrusters(const model::Robot& robot, double density, std::span<const std::size_t> failed) {
  const Mat6X B = model::allocation_matrix(robot);
  Working out;
  out.B.resize(6, B.cols());
  for (std::size_t k = 0; k < robot.thrusters().size(); ++k) {
    if (std::find(failed.begin(), failed.end(), k) != failed.end()) continue;
    out.B.col(static_cast<Eigen::Index>(out.index.size())) = B.col(static_cast<Eigen::Index>(k));
    out.index.push_back(k);
    out.limits.push_back(ThrusterModel(robot.thrusters()[k], density).force_range());
  }
  out.B.conservativeResize(6, static_cast<Eigen::Index>(out.index.size()));
  return out;
}

}  // namespace

Reach reach_of(const model::Robot& robot, const model::Environment& environment,
               std::span<const std::size_t> failed) {
  Working working = working_thrusters(robot, environment.density(), failed);
  if (working.index.empty()) return {};
  model::RobotSpec left = robot.spec();
  left.thrusters.clear();
  for (const std::size_t k : working.index) left.thrusters.push_back(robot.thrusters()[k]);
  const Figures figures = figures_of(model::Robot::make_unchecked(std::move(left)), environment);
  for (model::ForceRange& range : working.limits)  // which axes can be pushed does not depend on how hard
    if (!is_known(range)) range = {-1, 1};
  return {figures.rank, Allocator(working.B, working.limits).unreachable_axes(), figures.alone};
}

std::optional<std::vector<double>> hardest_push(const model::Robot& robot,
                                                const model::Environment& environment, int axis,
                                                std::span<const std::size_t> failed) {
  const Working working = working_thrusters(robot, environment.density(), failed);
  if (working.index.empty() || !std::all_of(working.limits.begin(), working.limits.end(), is_known))
    return std::nullopt;
  const Allocator allocator(working.B, working.limits);
  if (allocator.unreachable_axes()[static_cast<std::size_t>(axis)]) return std::nullopt;
  double beyond = 1;  // N or N m: more than all thrusters can give, so that the allocator scales it down
  for (std::size_t k = 0; k < working.limits.size(); ++k) {
    const double gain = std::abs(working.B(axis, static_cast<Eigen::Index>(k)));
    beyond += gain * std::max(std::abs(working.limits[k].min), std::abs(working.limits[k].max));
  }
  const auto forces = allocator.allocate(beyond * Vec6::Unit(axis)).forces;
  std::vector<double> out(robot.thrusters().size(), 0);
  for (std::size_t k = 0; k < working.index.size(); ++k)
    out[working.index[k]] = forces[static_cast<Eigen::Index>(k)];
  return out;
}

}  // namespace fathom::dynamics
