#include "fathom/identify/output_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <ceres/normal_prior.h>
#include <ceres/problem.h>
#include <ceres/solver.h>
#include <fmt/format.h>

#include "fathom/identify/internal/scaled_inverse.hpp"
#include "fathom/identify/internal/shot_costs.hpp"
#include "fathom/identify/metrics.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using internal::Shot;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void refuse(const std::string& key, const std::string& message, const std::string& hint = "") {
  throw InputError(Problem{Severity::error, "", 0, key, message, hint});
}

void check_input(const model::Structure& structure, const solve::ConicSet& conditions, const Fit& start,
                 const OutputErrorOptions& options) {
  const auto n = static_cast<Index>(structure.size());
  if (start.theta.size() != n || conditions.unknowns != n)
    refuse(structure.name, fmt::format("has {} parameters, the start {}, the conditions {}", n,
                                       start.theta.size(), conditions.unknowns));
  if (!start.theta.allFinite()) refuse("start", "is not finite");
  for (const auto& [name, value] :
       {std::pair("shot", options.shot), std::pair("every", options.every),
        std::pair("least shot", options.least_shot), std::pair("current sigma", options.current_sigma),
        std::pair("barrier", options.barrier)})
    if (!(value > 0 && std::isfinite(value))) refuse(name, fmt::format("= {}, must be above 0", value));
  if (options.iterations < 1) refuse("iterations", fmt::format("= {}, must be above 0", options.iterations));
  if (!(options.most_delay >= 0 && std::isfinite(options.most_delay)))
    refuse("most delay", fmt::format("= {} s, must be 0 or more", options.most_delay));
}

/// Everything unknown in one vector, because Ceres orders blocks by their addresses: theta, delay, current
/// north and east, and the initial velocity of each shot.
struct Unknowns {
  Eigen::VectorXd x;
  Index parameters, rows;

  auto theta() { return x.head(parameters); }
  auto theta() const { return x.head(parameters); }
  double* delay() { return x.data() + parameters; }
  const double* delay() const { return x.data() + parameters; }
  auto current_n() { return x.segment<2>(parameters + 1); }
  auto current_n() const { return x.segment<2>(parameters + 1); }
  auto nu_r(std::size_t shot) { return x.segment(parameters + 3 + rows * static_cast<Index>(shot), rows); }
  internal::ShotUnknowns of(std::size_t shot) const {
    return {x.data(), delay(), delay() + 1, delay() + 3 + rows * static_cast<Index>(shot)};
  }

  Unknowns(const Fit& start, const std::vector<Shot>& shots, double most_delay)
      : parameters(start.theta.size()), rows(shots.front().rows()) {
    x.setZero(parameters + 3 + rows * static_cast<Index>(shots.size()));
    theta() = start.theta;
    *delay() = std::clamp(start.nuisance.supposition.delay, 0.0, most_delay);
    current_n() = start.nuisance.supposition.current_n.head<2>();
    restart(shots);
  }

  /// Shots begin as measured.
  void restart(const std::vector<Shot>& shots) {
    const Eigen::Vector2d current = current_n();
    for (std::size_t k = 0; k < shots.size(); ++k) nu_r(k) = shots[k].measured_start(current);
  }
};

/// predicted - measured of all shots side by side: free velocities x samples.
Eigen::MatrixXd residuals(const model::Structure& structure, const std::vector<Shot>& shots,
                          const Unknowns& unknowns) {
  Index samples = 0;
  for (const Shot& shot : shots) samples += shot.samples();
  Eigen::MatrixXd r(shots.front().rows(), samples);
  Index at = 0;
  for (std::size_t k = 0; k < shots.size(); ++k) {
    auto columns = r.middleCols(at, shots[k].samples());
    if (!internal::ShotRunner(structure, shots[k]).run(unknowns.of(k), columns, nullptr))
      refuse("start", "is a model that runs away or has no inertia",
             "output error refines a fit; it needs one that is nearly right");
    columns -= shots[k].measured;
    at += shots[k].samples();
  }
  return r;
}

Eigen::VectorXd rms(const Eigen::MatrixXd& r) {
  return (r.rowwise().squaredNorm() / static_cast<double>(r.cols())).cwiseSqrt().cwiseMax(1e-9);
}

Eigen::MatrixXd measured(const std::vector<Shot>& shots) {
  Index samples = 0;
  for (const Shot& shot : shots) samples += shot.samples();
  Eigen::MatrixXd all(shots.front().rows(), samples);
  Index at = 0;
  for (const Shot& shot : shots) {
    all.middleCols(at, shot.samples()) = shot.measured;
    at += shot.samples();
  }
  return all;
}

double cost(const Eigen::MatrixXd& r, const Eigen::VectorXd& sigma) {
  return 0.5 * (sigma.cwiseInverse().asDiagonal() * r).squaredNorm();
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

ceres::Solver::Summary minimise(const model::Structure& structure, const std::vector<Shot>& shots,
                                const solve::ConicSet& conditions, const OutputErrorOptions& options,
                                const Eigen::VectorXd& sigma, const Level& level, Unknowns& unknowns) {
  double *theta = unknowns.x.data(), *delay = unknowns.delay(), *current_n = unknowns.current_n().data();
  ceres::Problem problem;
  ceres::Solver::Options how;
  how.linear_solver_ordering = std::make_shared<ceres::ParameterBlockOrdering>();
  for (std::size_t k = 0; k < shots.size(); ++k) {
    problem.AddResidualBlock(new internal::ShotCost(structure, shots[k], sigma), nullptr, theta, delay,
                             current_n, unknowns.nu_r(k).data());
    how.linear_solver_ordering->AddElementToGroup(unknowns.nu_r(k).data(), 0);
  }
  for (double* common : {theta, delay, current_n}) how.linear_solver_ordering->AddElementToGroup(common, 1);
  const auto barrier = new internal::ConditionBarrier(conditions, level.barrier);
  if (barrier->num_residuals() > 0)
    problem.AddResidualBlock(barrier, nullptr, theta);
  else
    delete barrier;
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

/// Columns of what all shots share, initial velocities eliminated, at the estimate.
class Profile {
 public:
  Profile(const model::Structure& structure, const std::vector<Shot>& shots, const Unknowns& unknowns,
          const Eigen::VectorXd& sigma, const OutputErrorOptions& options)
      : structure_(structure), shots_(shots), unknowns_(unknowns), sigma_(sigma) {
    const auto n = static_cast<int>(structure.size());
    for (int k = 0; k < n; ++k) columns_.push_back(k);
    if (options.estimate_delay) columns_.push_back(n);
    if (options.estimate_current) columns_.insert(columns_.end(), {n + 1, n + 2});
  }

  Index unknowns() const { return static_cast<Index>(columns_.size()); }

  /// `take(number of the shot, P)`, P of its samples below one another in sigmas.
  template <class Take>
  void pass(const Take& take) const {
    Eigen::MatrixXd predicted, jacobian;
    for (std::size_t k = 0; k < shots_.size(); ++k) {
      const Shot& shot = shots_[k];
      predicted.resizeLike(shot.measured);
      internal::ShotRunner(structure_, shot).run(unknowns_.of(k), predicted, &jacobian);
      jacobian = sigma_.cwiseInverse().replicate(shot.samples(), 1).asDiagonal() * jacobian;
      const Eigen::MatrixXd initial = jacobian.rightCols(shot.rows()), common = jacobian(Eigen::all, columns_);
      const Eigen::MatrixXd share = (initial.transpose() * initial).ldlt().solve(initial.transpose() * common);
      take(k, Eigen::MatrixXd(common - initial * share));
    }
  }

 private:
  const model::Structure& structure_;
  const std::vector<Shot>& shots_;
  const Unknowns& unknowns_;
  const Eigen::VectorXd& sigma_;
  std::vector<int> columns_;
};

/// Sandwich of the moments P'r with their serial correlation, and what a constant attitude error does.
Eigen::MatrixXd covariance(const model::Structure& structure, std::span<const Recording> recordings,
                           const std::vector<Shot>& shots, const Unknowns& unknowns,
                           const Eigen::VectorXd& sigma, const OutputErrorOptions& options, double& bandwidth) {
  const Eigen::VectorXd weight = sigma.cwiseInverse();
  const Eigen::MatrixXd r = weight.asDiagonal() * residuals(structure, shots, unknowns);
  std::vector<Eigen::MatrixXd> by_attitude;  // one sigma about each axis
  for (int axis = 0; axis < 3; ++axis) {
    if (options.attitude_sigma[axis] <= 0) continue;
    const auto turned = internal::make_shots(structure, recordings, options,
                                             Vec3(options.attitude_sigma[axis] * Vec3::Unit(axis)));
    by_attitude.push_back(weight.asDiagonal() * residuals(structure, turned, unknowns) - r);
  }
  const Profile profile(structure, shots, unknowns, sigma, options);
  const Index rows = r.rows(), count = profile.unknowns();
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(count, count), moments(count, r.cols());
  Eigen::MatrixXd shift = Eigen::MatrixXd::Zero(count, static_cast<Index>(by_attitude.size()));
  std::vector<Index> breaks;
  Index sample = 0;
  profile.pass([&](std::size_t k, const Eigen::MatrixXd& P) {
    if (shots[k].begins && sample > 0) breaks.push_back(sample);
    H += P.transpose() * P;
    const Index samples = shots[k].samples();
    for (std::size_t axis = 0; axis < by_attitude.size(); ++axis)
      shift.col(static_cast<Index>(axis)) +=
          P.transpose() * by_attitude[axis].middleCols(sample, samples).reshaped();
    for (Index i = 0; i < samples; ++i, ++sample)
      moments.col(sample).noalias() = P.middleRows(rows * i, rows).transpose() * r.col(sample);
  });
  const solve::LongRun long_run = solve::long_run_covariance(moments, breaks);
  bandwidth = long_run.bandwidth;
  Eigen::MatrixXd S = long_run.covariance * static_cast<double>(r.cols());
  if (options.estimate_current) {
    const double information = 1 / (options.current_sigma * options.current_sigma);
    H.diagonal().tail<2>().array() += information;
    S.diagonal().tail<2>().array() += information;
  }
  return internal::scaled_inverse(H) * (S + shift * shift.transpose()) * internal::scaled_inverse(H);
}

Vec6 on_six(const model::Structure& structure, const Eigen::VectorXd& free_values) {
  Vec6 all = Vec6::Constant(nan);
  all(model::free_indices(structure.dof)) = free_values;
  return all;
}

/// R2 of shots from their measured initial velocities.
Vec6 r2(const model::Structure& structure, const std::vector<Shot>& shots, Unknowns unknowns) {
  unknowns.restart(shots);
  const Eigen::MatrixXd r = residuals(structure, shots, unknowns);
  const Eigen::MatrixXd y = measured(shots);
  Eigen::VectorXd values(r.rows());
  for (Index row = 0; row < r.rows(); ++row)
    values[row] = metrics(y.row(row).transpose(), (y + r).row(row).transpose()).r2;
  return on_six(structure, values);
}

}  // namespace

OutputError refine(const model::Structure& structure, std::span<const Recording> recordings,
                   const solve::ConicSet& conditions, const Fit& start, const OutputErrorOptions& options) {
  check_input(structure, conditions, start, options);
  const std::vector<Shot> shots = internal::make_shots(structure, recordings, options);
  if (shots.empty())
    refuse("log", fmt::format("has no stretch of {} s without a gap", options.least_shot),
           "shorter shots can be asked for");
  Unknowns unknowns(start, shots, options.most_delay);
  const Unknowns before = unknowns;
  const Eigen::MatrixXd r_before = residuals(structure, shots, before);

  unknowns.theta() = internal::moved_inside(conditions, start.theta);
  // Sigmas follow the residuals. No error counts for less than the motion itself: a velocity that the start
  // predicts badly would weigh nothing, and its equation would be spent on the others.
  const Eigen::VectorXd most = rms(measured(shots));
  Eigen::VectorXd sigma = rms(r_before).cwiseMin(most);
  OutputError out;
  // A low barrier alone would make it creep along the border that the start is on.
  const std::array<double, 4> heights = {1000, 100, 10, 1};
  for (const double height : heights) {
    const bool last = height == heights.back();
    const int left = options.iterations - out.iterations;
    const Level level = {height * options.barrier, last ? 1e-6 : 1e-3, out.iterations,
                         last ? left : std::min(left, options.iterations / 3)};
    const ceres::Solver::Summary summary =
        minimise(structure, shots, conditions, options, sigma, level, unknowns);
    out.iterations += static_cast<int>(summary.iterations.size()) - 1;
    out.converged = summary.termination_type == ceres::CONVERGENCE;
    out.about = summary.message;
    if (!last) sigma = rms(residuals(structure, shots, unknowns)).cwiseMin(most);
  }

  const auto n = static_cast<Index>(structure.size());
  out.theta = unknowns.theta();
  const Eigen::MatrixXd all = covariance(structure, recordings, shots, unknowns, sigma, options, out.bandwidth);
  // Forces that are all too large by a share make every parameter so.
  out.covariance =
      all.topLeftCorner(n, n) + options.thrust_sigma * options.thrust_sigma * out.theta * out.theta.transpose();
  out.nuisance.supposition = start.nuisance.supposition;
  out.nuisance.supposition.delay = *unknowns.delay();
  out.nuisance.supposition.current_n.head<2>() = unknowns.current_n();
  if (options.estimate_delay) out.nuisance.delay_sigma = std::sqrt(all(n, n));
  if (options.estimate_current) out.nuisance.current_sigma.head<2>() = all.diagonal().tail<2>().cwiseSqrt();
  const Eigen::MatrixXd r_after = residuals(structure, shots, unknowns);
  out.cost_before = cost(r_before, sigma);
  out.cost_after = cost(r_after, sigma);
  out.sigma = on_six(structure, sigma);
  out.r2_before = r2(structure, shots, before);
  out.r2_after = r2(structure, shots, unknowns);
  out.shots = shots.size();
  out.samples = static_cast<std::size_t>(r_after.cols());
  return out;
}

}  // namespace fathom::identify
