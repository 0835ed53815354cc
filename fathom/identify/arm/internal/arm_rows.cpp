#include "fathom/identify/arm/internal/arm_rows.hpp"

namespace fathom::identify::internal {

using Eigen::Index;

bool has_dry_friction(const dynamics::ArmColumns& columns) {
  return columns.coulomb != dynamics::ArmColumns::Coulomb::none || columns.motor;
}

namespace {

model::Arm without_fitted_water(const model::Arm& arm, const dynamics::ArmColumns& columns) {
  model::ArmSpec spec = arm.spec();
  for (model::Link& link : spec.links) {
    if (columns.buoyancy) link.body.volume.value = 0;
    if (columns.added_mass) link.body.added_mass.value.setZero();
    if (columns.drag) link.damping.clear();
  }
  return model::Arm::make(std::move(spec));
}

bool fits_all_water(const dynamics::ArmColumns& columns) {
  return columns.buoyancy && columns.added_mass && columns.drag;
}

}  // namespace

KnownWater::KnownWater(const model::Arm& arm, const ArmFitOptions& options)
    : wet_(without_fitted_water(arm, options.columns), options.environment, options.medium),
      dry_(arm, options.environment, dynamics::Medium::air),
      wet_work_(wet_),
      dry_work_(dry_),
      scratch_(arm.size()),
      is_none_(options.medium == dynamics::Medium::air || fits_all_water(options.columns)) {
  base_.down_b = options.down_b;
}

void KnownWater::add(std::span<const double> q, std::span<const double> dq, std::span<const double> ddq,
                     std::span<double> efforts) {
  if (is_none_) return;
  Eigen::Map<Eigen::VectorXd> sum(efforts.data(), static_cast<Index>(efforts.size()));
  const Eigen::Map<Eigen::VectorXd> now(scratch_.data(), sum.size());
  dynamics::inverse_dynamics(wet_, base_, q, dq, ddq, wet_work_, scratch_);
  sum += now;
  dynamics::inverse_dynamics(dry_, base_, q, dq, ddq, dry_work_, scratch_);
  sum -= now;
}

ArmRows arm_rows(const dynamics::ArmRegressor& regressor, std::span<const ArmRun> runs,
                 const ArmFitOptions& options, const consistency::BaseParameters& base) {
  const model::Arm& robot = regressor.nominal();
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
    visit_samples(regressor, options, run,
                  [&](Index k, const Eigen::MatrixXd& Y, const Eigen::VectorXd& known) {
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
