#include "cli/arm/ariane_fit.hpp"

#include <cmath>

#include "fathom/consistency/arm_base.hpp"
#include "fathom/filter/zero_phase.hpp"
#include "fathom/solve/least_squares.hpp"

namespace fathom::cli {
namespace {

constexpr int butterworth_order = 3;
constexpr double share_of_nyquist = 0.1;

/// Central differences, by row of time; the ends are dropped by the caller.
Eigen::MatrixXd differences(const Eigen::MatrixXd& x, double dt, bool second) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(x.rows(), x.cols());
  for (Eigen::Index k = 1; k + 1 < x.rows(); ++k)
    out.row(k) = second ? Eigen::RowVectorXd((x.row(k + 1) - 2 * x.row(k) + x.row(k - 1)) / (dt * dt))
                        : Eigen::RowVectorXd((x.row(k + 1) - x.row(k - 1)) / (2 * dt));
  return out;
}

consistency::BaseParameters base_in_air(const model::Arm& arm, const dynamics::ArmColumns& columns) {
  consistency::ArmSetting setting;
  setting.medium = dynamics::Medium::air;
  return consistency::arm_base_parameters(arm, columns, setting);
}

}  // namespace

ArianeRun prepare_ariane(const model::Arm& arm, const ArianeRecord& record, double margin) {
  const double nyquist = 0.5 / record.dt;
  const filter::Butterworth filter(butterworth_order, share_of_nyquist * nyquist, record.dt);
  ArianeRun run;
  run.q = filter.apply(record.angle.transpose()).transpose();
  run.dq = differences(run.q, record.dt, false);
  run.ddq = differences(run.q, record.dt, true);
  const auto dropped = static_cast<Eigen::Index>(std::lround(margin / record.dt));
  const Eigen::Index count = record.angle.rows() - 2 * dropped;
  for (Eigen::MatrixXd* m : {&run.q, &run.dq, &run.ddq}) *m = m->middleRows(dropped, count).eval();
  run.current = record.current.middleRows(dropped, count);
  for (Eigen::Index j = 0; j < run.q.cols(); ++j) {
    const model::Joint& joint = arm.joints()[static_cast<std::size_t>(j)];
    const double half_increment = std::numbers::pi / joint.actuator->increments.value_or(1e9);
    for (Eigen::Index k = 0; k < count; ++k) {
      run.q(k, j) += half_increment;  // the counter rounds down
      excite::joint_of_shaft(joint.actuator->transmission, excite::middle_of(joint.limits), run.q(k, j),
                             run.dq(k, j), run.ddq(k, j));
    }
  }
  return run;
}

CurrentModel::CurrentModel(const model::Arm& arm, const dynamics::ArmColumns& columns)
    : robot_(arm), arm_(arm, model::Environment(), dynamics::Medium::air), columns_(columns) {
  const consistency::BaseParameters base = base_in_air(arm, columns);
  kept_ = base.kept;
  grouping_ = base.grouping;
}

void CurrentModel::rows(const ArianeRun& run, Eigen::Index sample, dynamics::ArmWorkspace& workspace,
                        Eigen::MatrixXd& full, Eigen::MatrixXd& base) const {
  const auto n = static_cast<Eigen::Index>(arm_.size());
  const Eigen::VectorXd q = run.q.row(sample), dq = run.dq.row(sample), ddq = run.ddq.row(sample);
  const auto numbers = [n](const Eigen::VectorXd& x) {
    return std::span(x.data(), static_cast<std::size_t>(n));
  };
  dynamics::arm_regressor(arm_, columns_, {}, numbers(q), numbers(dq), numbers(ddq), workspace, full);
  for (Eigen::Index j = 0; j < n; ++j) {
    const model::Actuator& actuator = *robot_.joints()[static_cast<std::size_t>(j)].actuator;
    const double K = actuator.motor.k_t * model::motor_angle(actuator.transmission, q[j]).ratio;
    for (std::size_t c = 0; c < kept_.size(); ++c)
      base(j, static_cast<Eigen::Index>(c)) = full(j, static_cast<Eigen::Index>(kept_[c])) / K;
  }
}

Eigen::VectorXd CurrentModel::fit(const ArianeRun& run) const {
  const auto n = static_cast<Eigen::Index>(arm_.size()), count = static_cast<Eigen::Index>(rank());
  dynamics::ArmWorkspace workspace(arm_);
  Eigen::MatrixXd full(n, static_cast<Eigen::Index>(dynamics::column_count(arm_, columns_))), base(n, count);
  solve::Rows all(count);
  const Eigen::MatrixXd moves = moving(run);
  for (Eigen::Index k = 0; k < run.q.rows(); ++k) {
    rows(run, k, workspace, full, base);
    for (Eigen::Index j = 0; j < n; ++j)
      if (moves(k, j) > 0) all.add(base.row(j), run.current.row(k).segment<1>(j).transpose());
  }
  return solve::ordinary(all).x;
}

Eigen::MatrixXd CurrentModel::moving(const ArianeRun& run) const {
  Eigen::MatrixXd out(run.q.rows(), run.q.cols());
  for (Eigen::Index k = 0; k < out.rows(); ++k)
    for (Eigen::Index j = 0; j < out.cols(); ++j) {
      const model::Actuator& actuator = *robot_.joints()[static_cast<std::size_t>(j)].actuator;
      const double ratio = model::motor_angle(actuator.transmission, run.q(k, j)).ratio;
      out(k, j) = std::abs(ratio * run.dq(k, j)) >= shaft_at_rest ? 1 : 0;
    }
  return out;
}

Eigen::VectorXd CurrentModel::parameters_of(const model::Arm& arm) const {
  const auto list = dynamics::arm_parameters(arm, model::Environment(), columns_);
  Eigen::VectorXd theta(static_cast<Eigen::Index>(list.size()));
  for (std::size_t k = 0; k < list.size(); ++k) theta[static_cast<Eigen::Index>(k)] = list[k].value;
  return grouping_ * theta;
}

Eigen::MatrixXd CurrentModel::predict(const Eigen::VectorXd& parameters, const ArianeRun& run) const {
  const auto n = static_cast<Eigen::Index>(arm_.size());
  dynamics::ArmWorkspace workspace(arm_);
  Eigen::MatrixXd full(n, static_cast<Eigen::Index>(dynamics::column_count(arm_, columns_)));
  Eigen::MatrixXd base(n, static_cast<Eigen::Index>(rank())), out(run.q.rows(), n);
  for (Eigen::Index k = 0; k < run.q.rows(); ++k) {
    rows(run, k, workspace, full, base);
    out.row(k) = (base * parameters).transpose();
  }
  return out;
}

}  // namespace fathom::cli
