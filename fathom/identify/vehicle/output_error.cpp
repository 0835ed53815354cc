#include "fathom/identify/vehicle/output_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>

#include <Eigen/LU>
#include <ceres/normal_prior.h>
#include <ceres/problem.h>
#include <ceres/solver.h>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/identify/metrics.hpp"
#include "fathom/identify/vehicle/internal/dispute.hpp"
#include "fathom/identify/vehicle/internal/shot_costs.hpp"
#include "fathom/identify/vehicle/internal/shot_profile.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using internal::Shooting;
using internal::Unknowns;

void check_input(const model::Structure& structure, const solve::ConicSet& conditions, const Fit& start,
                 const OutputErrorOptions& options) {
  const auto n = static_cast<Index>(structure.size());
  if (start.theta.size() != n || conditions.unknowns != n)
    refuse(structure.name, fmt::format("has {} parameters, the start {}, the conditions {}", n,
                                       start.theta.size(), conditions.unknowns));
  if (!start.theta.allFinite()) refuse("start", "is not finite");
  for (const auto& [name, value] :
       {std::pair("shot", options.shot), std::pair("every", options.every), std::pair("blur", options.blur),
        std::pair("least shot", options.least_shot), std::pair("current sigma", options.current_sigma),
        std::pair("barrier", options.barrier)})
    if (!(value > 0 && std::isfinite(value))) refuse(name, fmt::format("= {}, must be above 0", value));
  if (options.iterations < 1) refuse("iterations", fmt::format("= {}, must be above 0", options.iterations));
  if (!(options.most_delay >= 0 && std::isfinite(options.most_delay)))
    refuse("most delay", fmt::format("= {} s, must be 0 or more", options.most_delay));
}

/// Of all shots side by side.
Eigen::MatrixXd side_by_side(const std::vector<Eigen::MatrixXd>& of_shots) {
  Index samples = 0;
  for (const Eigen::MatrixXd& one : of_shots) samples += one.cols();
  Eigen::MatrixXd all(of_shots.front().rows(), samples);
  Index at = 0;
  for (const Eigen::MatrixXd& one : of_shots) {
    all.middleCols(at, one.cols()) = one;
    at += one.cols();
  }
  return all;
}

Eigen::MatrixXd measured(const std::vector<internal::Shot>& shots) {
  std::vector<Eigen::MatrixXd> of_shots;
  for (const internal::Shot& shot : shots) of_shots.push_back(shot.measured);
  return side_by_side(of_shots);
}

Eigen::VectorXd rms(const Eigen::MatrixXd& rows) {
  return (rows.rowwise().squaredNorm() / static_cast<double>(rows.cols())).cwiseSqrt().cwiseMax(1e-9);
}

/// Tells of progress between iterations. Ceres must not see what that throws.
class Watch : public ceres::IterationCallback {
 public:
  Watch(const std::function<void(double)>& progress, double from, double per_iteration)
      : progress_(progress), from_(from), per_iteration_(per_iteration) {}

  ceres::CallbackReturnType operator()(const ceres::IterationSummary& summary) override {
    try {
      if (progress_) progress_(from_ + per_iteration_ * summary.iteration);
    } catch (...) {
      thrown_ = std::current_exception();
    }
    return thrown_ ? ceres::SOLVER_ABORT : ceres::SOLVER_CONTINUE;
  }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  const std::function<void(double)>& progress_;
  double from_, per_iteration_;
  std::exception_ptr thrown_;
};

/// How one of the minimisations goes that follow one another.
struct Level {
  double barrier;
  double tolerance;
  int done, iterations;  // of all levels before, and of this one
};

ceres::Solver::Summary minimise(const Shooting& shooting, const solve::ConicSet& conditions,
                                const OutputErrorOptions& options, const Level& level, Unknowns& unknowns) {
  double *theta = unknowns.theta().data(), *delay = unknowns.delay(), *current_n = unknowns.current_n().data();
  ceres::Problem problem;
  ceres::Solver::Options how;
  how.linear_solver_ordering = std::make_shared<ceres::ParameterBlockOrdering>();
  for (std::size_t k = 0; k < shooting.shots.size(); ++k) {
    problem.AddResidualBlock(
        new internal::ShotCost(shooting.structure, shooting.shots[k], shooting.innovations), nullptr, theta,
        delay, current_n, unknowns.start(k));
    how.linear_solver_ordering->AddElementToGroup(unknowns.start(k), 0);
  }
  for (double* common : {theta, delay, current_n}) how.linear_solver_ordering->AddElementToGroup(common, 1);
  const auto barrier = new internal::ConditionBarrier(conditions, level.barrier);
  if (barrier->num_residuals() > 0) {
    problem.AddResidualBlock(barrier, nullptr, theta);
    problem.AddResidualBlock(new internal::BarrierCurvature(*barrier), nullptr, theta);
  } else {
    delete barrier;
  }
  if (options.estimate_current)
    problem.AddResidualBlock(
        new ceres::NormalPrior(Eigen::Matrix2d::Identity() / options.current_sigma, Eigen::Vector2d::Zero()),
        nullptr, current_n);
  else
    problem.SetParameterBlockConstant(current_n);
  if (options.estimate_delay) {
    problem.SetParameterLowerBound(delay, 0, 0);
    problem.SetParameterUpperBound(delay, 0, options.most_delay);
  } else {
    problem.SetParameterBlockConstant(delay);
  }
  how.linear_solver_type = ceres::DENSE_SCHUR;
  how.num_threads = 1;  // the same bytes on every machine
  how.max_num_iterations = level.iterations;
  how.max_num_consecutive_invalid_steps = level.iterations;
  how.function_tolerance = level.tolerance;
  how.logging_type = ceres::SILENT;
  Watch watch(options.progress, static_cast<double>(level.done) / options.iterations, 1.0 / options.iterations);
  how.callbacks.push_back(&watch);
  ceres::Solver::Summary summary;
  ceres::Solve(how, &problem, &summary);
  watch.rethrow();
  return summary;
}

Vec6 on_six(const model::Structure& structure, const Eigen::VectorXd& free_values) {
  Vec6 all = Vec6::Constant(nan);
  all(model::free_indices(structure.dof)) = free_values;
  return all;
}

/// R2 of shots from their measured initial velocities.
Vec6 r2(const Shooting& shooting, Unknowns unknowns) {
  unknowns.restart(shooting.shots);
  const Eigen::MatrixXd r = side_by_side(residuals(shooting.structure, shooting.shots, unknowns));
  const Eigen::MatrixXd y = measured(shooting.shots);
  Eigen::VectorXd values(r.rows());
  for (Index row = 0; row < r.rows(); ++row)
    values[row] = metrics(y.row(row).transpose(), (y + r).row(row).transpose()).r2;
  return on_six(shooting.structure, values);
}

/// From a high barrier to a low one. A low one alone would make it creep along the border that the start is on.
/// What residuals remember is learnt between.
void descend(Shooting& shooting, const solve::ConicSet& conditions, const OutputErrorOptions& options,
             Unknowns& unknowns, OutputError& out) {
  const Eigen::VectorXd most = rms(measured(shooting.shots));
  const std::array<double, 5> heights = {1000, 100, 10, 1, 1};
  for (std::size_t k = 0; k < heights.size(); ++k) {
    const bool last = k + 1 == heights.size();
    const int left = options.iterations - out.iterations;
    const Level level = {heights[k] * options.barrier, last ? 1e-6 : 1e-3, out.iterations,
                         last ? left : std::min(left, options.iterations / 6)};
    const ceres::Solver::Summary summary = minimise(shooting, conditions, options, level, unknowns);
    out.iterations += static_cast<int>(summary.iterations.size()) - 1;
    out.converged = summary.termination_type == ceres::CONVERGENCE;
    out.about = summary.message;
    if (!last) shooting.innovations = {residuals(shooting.structure, shooting.shots, unknowns), most};
  }
}

/// Conditions without which the estimate would be elsewhere: by a step of Newton's whose square is beyond a
/// tenth of some parameter's variance.
std::vector<std::string> held_back_by(const solve::ConicSet& conditions, double barrier,
                                      const OutputError& out) {
  std::vector<std::string> names;
  const auto judge = [&](solve::ConicSet one, const std::string& name) {
    one.unknowns = conditions.unknowns;
    const internal::ConditionBarrier alone(one, barrier);
    Eigen::VectorXd r(alone.num_residuals());
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> slope(r.size(), one.unknowns);
    const double* const at[] = {out.theta.data()};
    double* slopes[] = {slope.data()};
    if (!alone.Evaluate(at, r.data(), slopes)) return;
    const Eigen::VectorXd step = out.white_covariance * (slope.transpose() * r);
    if (step.cwiseAbs2().cwiseQuotient(out.white_covariance.diagonal()).maxCoeff() > 0.1) names.push_back(name);
  };
  for (const auto& matrix : conditions.matrices) judge({0, {matrix}, {}}, matrix.name);
  for (const auto& scalar : conditions.scalars) judge({0, {}, {scalar}}, scalar.name);
  return names;
}

}  // namespace

OutputError refine(const model::Structure& structure, std::span<const Recording> recordings,
                   const solve::ConicSet& conditions, const Fit& start, const OutputErrorOptions& options) {
  check_input(structure, conditions, start, options);
  const std::vector<internal::Shot> shots = internal::make_shots(structure, recordings, options);
  if (shots.empty())
    refuse("log", fmt::format("has no stretch of {} s without a gap", options.least_shot),
           "shorter shots can be asked for");
  Unknowns unknowns(start, shots, options.most_delay);
  const Unknowns before = unknowns;
  Shooting shooting{structure, shots, {residuals(structure, shots, before), rms(measured(shots))}};
  unknowns.theta() = internal::moved_inside(conditions, start.theta);
  OutputError out;
  descend(shooting, conditions, options, unknowns, out);

  const auto n = static_cast<Index>(structure.size());
  out.theta = unknowns.theta();
  const internal::ProfileCovariance found =
      internal::profile_covariance(shooting, recordings, unknowns, options);
  const Eigen::MatrixXd& all = found.true_one;
  out.bandwidth = found.bandwidth;
  out.white_covariance = found.white.topLeftCorner(n, n);
  // Forces that are all too large by a share make every parameter so.
  out.covariance =
      all.topLeftCorner(n, n) + options.thrust_sigma * options.thrust_sigma * out.theta * out.theta.transpose();
  out.active = held_back_by(conditions, options.barrier, out);
  out.disputed = internal::dispute(start.theta, start.covariance, out.theta, out.covariance);
  out.nuisance.supposition = start.nuisance.supposition;
  out.nuisance.supposition.delay = *unknowns.delay();
  out.nuisance.supposition.current_n.head<2>() = unknowns.current_n();
  if (options.estimate_delay) out.nuisance.delay_sigma = std::sqrt(all(n, n));
  if (options.estimate_current) out.nuisance.current_sigma.head<2>() = all.diagonal().tail<2>().cwiseSqrt();
  out.cost_before = cost(shooting, before);
  out.cost_after = cost(shooting, unknowns);
  out.sigma = on_six(structure, rms(side_by_side(residuals(shooting.structure, shooting.shots, unknowns))));
  out.r2_before = r2(shooting, before);
  out.r2_after = r2(shooting, unknowns);
  out.shots = shots.size();
  out.samples = static_cast<std::size_t>(shooting.samples());
  return out;
}

}  // namespace fathom::identify
