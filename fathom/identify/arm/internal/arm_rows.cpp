#include "fathom/identify/arm/internal/arm_rows.hpp"

#include <cmath>

namespace fathom::identify::internal {

using Eigen::Index;

bool has_dry_friction(const dynamics::ArmColumns& columns) {
  return columns.coulomb != dynamics::ArmColumns::Coulomb::none || columns.motor;
}

KnownWater::KnownWater(const model::Arm& arm, const ArmFitOptions& options)
    : wet_(arm, options.environment, options.medium),
      dry_(arm, options.environment, dynamics::Medium::air),
      wet_work_(wet_),
      dry_work_(dry_) {
  base_.down_b = options.down_b;
  if (options.medium == dynamics::Medium::air) return;
  const dynamics::ArmColumns& columns = options.columns;
  is_all_ = !columns.buoyancy && !columns.added_mass && !columns.drag;
  is_none_ = columns.buoyancy && columns.added_mass && columns.drag;
  scratch_.resize(arm.size());
  if (is_all_ || is_none_) return;
  others_.rigid = false;
  others_.buoyancy = !columns.buoyancy;
  others_.added_mass = !columns.added_mass;
  others_.drag = !columns.drag;
  const auto list = dynamics::arm_parameters(arm, options.environment, others_);
  theta_.resize(static_cast<Index>(list.size()));
  for (std::size_t k = 0; k < list.size(); ++k) theta_[static_cast<Index>(k)] = list[k].value;
  Y_.resize(static_cast<Index>(arm.size()), theta_.size());
}

void KnownWater::add(std::span<const double> q, std::span<const double> dq, std::span<const double> ddq,
                     std::span<double> efforts) {
  if (is_none_) return;
  Eigen::Map<Eigen::VectorXd> sum(efforts.data(), static_cast<Index>(efforts.size()));
  if (!is_all_) {
    dynamics::arm_regressor(wet_, others_, base_, q, dq, ddq, wet_work_, Y_);
    sum += Y_ * theta_;
    return;
  }
  const Eigen::Map<Eigen::VectorXd> now(scratch_.data(), sum.size());
  dynamics::inverse_dynamics(wet_, base_, q, dq, ddq, wet_work_, scratch_);
  sum += now;
  dynamics::inverse_dynamics(dry_, base_, q, dq, ddq, dry_work_, scratch_);
  sum -= now;
}

ArmRows arm_rows(const model::Arm& robot, std::span<const ArmRun> runs, const ArmFitOptions& options,
                 const consistency::BaseParameters& base) {
  const auto n = static_cast<Index>(robot.size());
  const std::vector<Index> kept(base.kept.begin(), base.kept.end());
  Index most = 0;
  for (const ArmRun& run : runs) most += n * run.samples();
  ArmRows rows;
  rows.A.resize(most, static_cast<Index>(kept.size()));
  rows.y.resize(most);
  rows.at_rest.assign(robot.size(), 0);
  Index filled = 0;
  for (const ArmRun& run : runs) {
    const Index first = rows.samples;
    if (first > 0) rows.breaks.push_back(first);
    for (const Index at : run.breaks) rows.breaks.push_back(first + at);
    visit_samples(robot, options, run, [&](Index k, const Eigen::MatrixXd& Y, const Eigen::VectorXd& known) {
      for (Index j = 0; j < n; ++j) {
        if (is_at_rest(robot, options, static_cast<std::size_t>(j), run.q(k, j), run.dq(k, j))) {
          ++rows.at_rest[static_cast<std::size_t>(j)];
          continue;
        }
        rows.A.row(filled) = Y(j, kept);
        rows.y[filled++] = run.effort(k, j) - known[j];
        rows.joint.push_back(j);
        rows.sample.push_back(first + k);
      }
    });
    rows.samples += run.samples();
  }
  rows.A.conservativeResize(filled, Eigen::NoChange);
  rows.y.conservativeResize(filled);
  return rows;
}

}  // namespace fathom::identify::internal
