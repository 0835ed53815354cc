#include "fathom/identify/vehicle/output_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>

#include <ceres/normal_prior.h>
#include <ceres/problem.h>
#include <ceres/solver.h>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/identify/metrics.hpp"
#include "fathom/identify/vehicle/internal/segment_costs.hpp"
#include "fathom/identify/vehicle/internal/uncertainty.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using internal::Shooting;
using internal::Unknowns;

void check_input(const model::Structure& structure, const solve::ConicSet& constraints, const Fit& start,
                 const OutputErrorOptions& options) {
  const auto n = static_cast<Index>(structure.size());
  if (start.theta.size() != n || constraints.unknowns != n)
    reject(structure.name, fmt::format("has {} parameters, the start {}, the conditions {}", n,
                                       start.theta.size(), constraints.unknowns));
  if (!start.theta.allFinite()) reject("start", "is not finite");
  for (const auto& [name, value] :
       {std::pair("shot", options.segment), std::pair("every", options.every), std::pair("blur", options.blur),
        std::pair("least shot", options.least_segment), std::pair("current sigma", options.current_sigma),
        std::pair("barrier", options.barrier)})
    if (!(value > 0 && std::isfinite(value))) reject(name, fmt::format("= {}, must be above 0", value));
  if (options.iterations < 1) reject("iterations", fmt::format("= {}, must be above 0", options.iterations));
  if (!(options.most_delay >= 0 && std::isfinite(options.most_delay)))
    reject("most delay", fmt::format("= {} s, must be 0 or more", options.most_delay));
}

/// Of all shots side by side.
Eigen::MatrixXd parallel_map(const std::vector<Eigen::MatrixXd>& of_segments) {
  Index samples = 0;
  for (const Eigen::MatrixXd& one : of_segments) samples += one.cols();
  Eigen::MatrixXd all(of_segments.front().rows(), samples);
  Index at = 0;
  for (const Eigen::MatrixXd& one : of_segments) {
    all.middleCols(at, one.cols()) = one;
    at += one.cols();
  }
  return all;
}

Eigen::MatrixXd measured(const std::vector<internal::Segment>& segments) {
  std::vector<Eigen::MatrixXd> of_segments;
  for (const internal::Segment& segment : segments) of_segments.push_back(segment.measured);
  return parallel_map(of_segments);
}

Eigen::VectorXd rms(const Eigen::MatrixXd& rows) {
  return (rows.rowwise().squaredNorm() / static_cast<double>(rows.cols())).cwiseSqrt().cwiseMax(1e-9);
}

constexpr std::size_t levels = 5;

/// How much of refine() is done. The unit of work is one evaluation of all shots with their sensitivities,
/// which is where the time goes; how many a level still takes is predicted from the rate at which its cost
/// settles.
class Work {
 public:
  explicit Work(const std::function<void(double)>& progress) : progress_(progress) { report(0); }

  void begin(std::size_t level, double tolerance, int iterations) {
    level_ = level;
    tolerance_ = tolerance;
    most_ = iterations;
    iteration_ = 0;
    changes_.clear();
  }
  /// An iteration of the level has ended, and changed the cost by so much.
  void iterated(int iteration, double cost, double change) {
    ++done_;
    iteration_ = iteration;
    if (change > 0) changes_.push_back(change);
    double later = covariance;
    for (std::size_t k = level_ + 1; k < levels; ++k) later += usual[k];
    report(done_ /
           (done_ + later + std::min(left_of_level(cost, change), static_cast<double>(most_ - iteration))));
  }

 private:
  static constexpr std::array<double, levels> usual = {4, 3, 2, 2, 4};  // of robots and logs that were tried
  static constexpr double covariance = 1.2;                             // what follows the last level
  /// Of the changes' logarithm, per iteration: least, usual and largest rate.
  static constexpr double slowest = 0.2, settling = 1.2, fastest = 1.6;

  double left_of_level(double cost, double change) const {
    if (changes_.size() < 2 || !(change > 0)) return std::max(1.0, usual[level_] - iteration_ - 1);
    // The usual rate weighs as much as one change, and less the more there are.
    const std::size_t back = std::min<std::size_t>(3, changes_.size() - 1);
    const double n = static_cast<double>(back);
    const double rate = (std::log(changes_[changes_.size() - 1 - back] / change) + settling / n) / (n + 1 / n);
    return std::max(0.0, std::log(change / (tolerance_ * cost)) / std::clamp(rate, slowest, fastest));
  }
  void report(double share) const {
    if (progress_) progress_(share);
  }

  const std::function<void(double)>& progress_;
  std::size_t level_ = 0;
  double tolerance_ = 1, done_ = 0;
  int most_ = 0, iteration_ = 0;
  std::vector<double> changes_;  // of the level, those that lowered the cost
};

/// Reports progress between iterations. Ceres must not see what that throws.
class Watch : public ceres::IterationCallback {
 public:
  explicit Watch(Work& work) : work_(work) {}

  ceres::CallbackReturnType operator()(const ceres::IterationSummary& summary) override {
    try {
      work_.iterated(summary.iteration, summary.cost, summary.cost_change);
    } catch (...) {
      thrown_ = std::current_exception();
    }
    return thrown_ ? ceres::SOLVER_ABORT : ceres::SOLVER_CONTINUE;
  }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  Work& work_;
  std::exception_ptr thrown_;
};

/// How one of the minimisations goes that follow one another.
struct Level {
  double barrier;
  double tolerance;
  int iterations;    // at most
  bool holds_delay;  // where it is
};

ceres::Solver::Summary minimise(const Shooting& shooting, const solve::ConicSet& constraints,
                                const OutputErrorOptions& options, const Level& level, Unknowns& unknowns,
                                Work& work) {
  double *theta = unknowns.theta().data(), *delay = unknowns.delay(), *current_n = unknowns.current_n().data();
  ceres::Problem problem;
  ceres::Solver::Options how;
  how.linear_solver_ordering = std::make_shared<ceres::ParameterBlockOrdering>();
  for (std::size_t k = 0; k < shooting.segments.size(); ++k) {
    problem.AddResidualBlock(
        new internal::SegmentCost(shooting.structure, shooting.segments[k], shooting.innovations), nullptr,
        theta, delay, current_n, unknowns.start(k));
    how.linear_solver_ordering->AddElementToGroup(unknowns.start(k), 0);
  }
  for (double* common : {theta, delay, current_n}) how.linear_solver_ordering->AddElementToGroup(common, 1);
  const auto barrier = new internal::ConstraintBarrier(constraints, level.barrier);
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
  if (options.estimate_delay && !level.holds_delay) {
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
  Watch watch(work);
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
  unknowns.restart(shooting.segments);
  const Eigen::MatrixXd r = parallel_map(residuals(shooting.structure, shooting.segments, unknowns));
  const Eigen::MatrixXd y = measured(shooting.segments);
  Eigen::VectorXd values(r.rows());
  for (Index row = 0; row < r.rows(); ++row)
    values[row] = metrics(y.row(row).transpose(), (y + r).row(row).transpose()).r2;
  return on_six(shooting.structure, values);
}

/// Whether the delay is 0, and a longer one would not lower the cost.
bool is_held_at_zero(const Shooting& shooting, const Unknowns& unknowns) {
  constexpr double step = 1e-4;  // s
  if (*unknowns.delay() > 0) return false;
  Unknowns later = unknowns;
  *later.delay() = step;
  return cost(shooting, later) >= cost(shooting, unknowns);
}

/// From a high barrier to a low one. A low one alone would make it creep along the border that the start is on.
/// What residuals remember is learnt between. A delay that its bound holds is no unknown of the last level:
/// each step would point beyond the bound and be rejected, and the trust region shrinks until nothing moves.
void descend(Shooting& shooting, const solve::ConicSet& constraints, const OutputErrorOptions& options,
             Unknowns& unknowns, OutputError& out) {
  const Eigen::VectorXd most = rms(measured(shooting.segments));
  const std::array<double, levels> heights = {1000, 100, 10, 1, 1};
  Work work(options.progress);
  const auto run = [&](std::size_t k, bool holds_delay) {
    const bool last = k + 1 == levels;
    const int left = options.iterations - out.iterations;
    const Level level = {heights[k] * options.barrier, last ? 1e-6 : 1e-3,
                         last ? left : std::min(left, options.iterations / 6), holds_delay};
    work.begin(k, level.tolerance, level.iterations);
    const ceres::Solver::Summary summary = minimise(shooting, constraints, options, level, unknowns, work);
    out.iterations += static_cast<int>(summary.iterations.size()) - 1;
    out.converged = summary.termination_type == ceres::CONVERGENCE;
    out.about = summary.message;
  };
  for (std::size_t k = 0; k + 1 < levels; ++k) {
    run(k, false);
    shooting.innovations = {residuals(shooting.structure, shooting.segments, unknowns), most};
  }
  const bool holds_delay = options.estimate_delay && is_held_at_zero(shooting, unknowns);
  run(levels - 1, holds_delay);
  if (holds_delay && !is_held_at_zero(shooting, unknowns)) run(levels - 1, false);
}

/// Conditions without which the estimate would be elsewhere: by a step of Newton's whose square is beyond a
/// tenth of some parameter's variance.
std::vector<std::string> constrained_by(const solve::ConicSet& constraints, double barrier,
                                        const OutputError& out) {
  std::vector<std::string> names;
  const auto judge = [&](solve::ConicSet one, const std::string& name) {
    one.unknowns = constraints.unknowns;
    const internal::ConstraintBarrier alone(one, barrier);
    Eigen::VectorXd r(alone.num_residuals());
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> slope(r.size(), one.unknowns);
    const double* const at[] = {out.theta.data()};
    double* slopes[] = {slope.data()};
    if (!alone.Evaluate(at, r.data(), slopes)) return;
    const Eigen::VectorXd step = out.white_covariance * (slope.transpose() * r);
    if (step.cwiseAbs2().cwiseQuotient(out.white_covariance.diagonal()).maxCoeff() > 0.1) names.push_back(name);
  };
  for (const auto& matrix : constraints.matrices) judge({0, {matrix}, {}}, matrix.name);
  for (const auto& scalar : constraints.scalars) judge({0, {}, {scalar}}, scalar.name);
  return names;
}

}  // namespace

OutputError refine(const model::Structure& structure, std::span<const Recording> recordings,
                   const solve::ConicSet& constraints, const Fit& start, const OutputErrorOptions& options) {
  check_input(structure, constraints, start, options);
  const std::vector<internal::Segment> segments = internal::make_segments(structure, recordings, options);
  if (segments.empty())
    reject("log", fmt::format("has no stretch of {} s without a gap", options.least_segment),
           "shorter shots can be asked for");
  Unknowns unknowns(start, segments, options.most_delay);
  const Unknowns before = unknowns;
  Shooting shooting{structure, segments, {residuals(structure, segments, before), rms(measured(segments))}};
  unknowns.theta() = internal::moved_inside(constraints, start.theta);
  OutputError out;
  descend(shooting, constraints, options, unknowns, out);

  const auto n = static_cast<Index>(structure.size());
  out.theta = unknowns.theta();
  const internal::ProfileCovariance found =
      internal::profile_covariance(shooting, recordings, unknowns, options);
  const Eigen::MatrixXd& all = found.true_one;
  out.bandwidth = found.bandwidth;
  out.white_covariance = found.white.topLeftCorner(n, n);
  // Forces that are all too large by a share make every parameter so.
  out.covariance = all.topLeftCorner(n, n) + internal::square_of(options.thrust_sigma * out.theta);
  out.active = constrained_by(constraints, options.barrier, out);
  out.inconsistent = internal::hausman_test(start.theta, start.covariance, out.theta, out.covariance);
  out.nuisance.value = start.nuisance.value;
  out.nuisance.value.delay = *unknowns.delay();
  out.nuisance.value.current_n.head<2>() = unknowns.current_n();
  if (options.estimate_delay) out.nuisance.delay_sigma = std::sqrt(all(n, n));
  if (options.estimate_current) out.nuisance.current_sigma.head<2>() = all.diagonal().tail<2>().cwiseSqrt();
  out.cost_before = cost(shooting, before);
  out.cost_after = cost(shooting, unknowns);
  out.sigma = on_six(structure, rms(parallel_map(residuals(shooting.structure, shooting.segments, unknowns))));
  out.r2_before = r2(shooting, before);
  out.r2_after = r2(shooting, unknowns);
  out.segments = segments.size();
  out.samples = static_cast<std::size_t>(shooting.samples());
  return out;
}

}  // namespace fathom::identify
