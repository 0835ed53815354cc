#include "fathom/identify/arm/arm_fit.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/median.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/arm/internal/arm_rows.hpp"
#include "fathom/identify/arm/internal/block_jackknife.hpp"
#include "fathom/identify/internal/student.hpp"
#include "fathom/identify/vehicle/internal/uncertainty.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using internal::ArmRows;
using Estimator = ArmFitOptions::Estimator;

constexpr int most_weight_rounds = 20;
constexpr double huber_corner = 1.345;

void check_arm_runs(const model::Arm& arm, std::span<const ArmRun> runs, const ArmFitOptions& options) {
  const auto n = static_cast<Index>(arm.size());
  if (runs.empty()) reject("runs", "there is none to learn from");
  for (const ArmRun& run : runs) {
    if (!run.prepared()) reject(run.place(), 0, "", "has no velocities and accelerations yet: prepare() it");
    if (run.q.cols() != n || run.effort.cols() != n)
      reject(run.place(), 0, "", fmt::format("has {} joints, the arm {}", run.q.cols(), n));
  }
  if (!options.by_current) return;
  for (const model::Joint& joint : arm.joints())
    if (!joint.actuator)
      reject("by_current",
             fmt::format("joint {} has no actuator, so nothing says what an ampere of it makes",
                         in_quotes(joint.name)),
             "gains for all joints, or efforts in N m");
}

/// Of each joint: rms, or 1.4826 times the median of sizes.
Eigen::VectorXd residual_scale(const ArmRows& rows, const Eigen::VectorXd& residuals, Index joints,
                               bool by_median) {
  Eigen::VectorXd scale(joints);
  for (Index j = 0; j < joints; ++j) {
    std::vector<double> sizes;
    double square = 0;
    for (Index k = 0; k < residuals.size(); ++k)
      if (rows.joint[static_cast<std::size_t>(k)] == j) {
        sizes.push_back(std::abs(residuals[k]));
        square += residuals[k] * residuals[k];
      }
    if (sizes.empty())
      scale[j] = 1;
    else
      scale[j] = by_median ? 1.4826 * median(sizes) : std::sqrt(square / static_cast<double>(sizes.size()));
    scale[j] = std::max(scale[j], 1e-12);
  }
  return scale;
}

/// One over the sigma of each row.
Eigen::VectorXd row_weights(const ArmRows& rows, const Eigen::VectorXd& sigma) {
  Eigen::VectorXd weights(rows.y.size());
  for (Index k = 0; k < weights.size(); ++k) weights[k] = 1 / sigma[rows.joint[static_cast<std::size_t>(k)]];
  return weights;
}

solve::LinearFit solve_weighted(const ArmRows& rows, const Eigen::VectorXd& weights) {
  solve::Rows sums(rows.A.cols());
  sums.add(weights.asDiagonal() * rows.A, weights.cwiseProduct(rows.y));
  return solve::ordinary(sums);
}

/// Robust rows: |r| within the corner count fully.
struct Solved {
  solve::LinearFit fit;
  Eigen::VectorXd weights;  ///< of rows, Huber's not among them
  Eigen::VectorXd pull;     ///< Huber's weight of each row, 1 elsewhere
};

Solved solve_rows(const ArmRows& rows, const ArmFitOptions& options, ArmFit& out) {
  const auto joints = static_cast<Index>(out.arm.size());
  const bool robust = options.estimator == Estimator::huber;
  Solved solved{{}, Eigen::VectorXd::Ones(rows.y.size()), Eigen::VectorXd::Ones(rows.y.size())};
  solved.fit = solve_weighted(rows, solved.weights);
  if (options.estimator == Estimator::ordinary) return solved;
  Eigen::VectorXd sigma = Eigen::VectorXd::Ones(joints);
  for (out.rounds = 1; out.rounds < most_weight_rounds; ++out.rounds) {
    const Eigen::VectorXd residuals = rows.y - rows.A * solved.fit.x;
    const Eigen::VectorXd next = residual_scale(rows, residuals, joints, robust);
    const double changed = (next.array() / sigma.array() - 1).abs().maxCoeff();
    sigma = next;
    solved.weights = row_weights(rows, sigma);
    if (robust)
      solved.pull =
          (huber_corner / solved.weights.cwiseProduct(residuals).array().abs().max(1e-300)).min(1).matrix();
    solved.fit = solve_weighted(rows, solved.weights.cwiseProduct(solved.pull.cwiseSqrt()));
    if (changed < 1e-3 && (!robust || out.rounds >= 10)) break;
  }
  out.down_weighted = static_cast<std::size_t>((solved.pull.array() < 1).count());
  return solved;
}

/// The correlations of a covariance with other variances.
Eigen::MatrixXd with_variances(const Eigen::MatrixXd& covariance, const Eigen::VectorXd& variances) {
  const Eigen::VectorXd factor = variances.cwiseQuotient(covariance.diagonal().cwiseMax(1e-300)).cwiseSqrt();
  return factor.asDiagonal() * covariance * factor.asDiagonal();
}

/// docs/identification.md eqs. 10 and 11: the moments of a sample are those of its joints together. Variances
/// are those of a jackknife over blocks of time, which are not below these: with a run of a few periods of its
/// motion the long-run covariance sees too little of errors that the model makes, which are as slow as the
/// motion.
internal::BlockJackknife add_estimate(const ArmRows& rows, const Solved& solved, ArmFit& out) {
  const Eigen::VectorXd residuals = rows.y - rows.A * solved.fit.x;
  const Eigen::VectorXd square = solved.weights.cwiseAbs2();
  Eigen::MatrixXd moments = Eigen::MatrixXd::Zero(rows.A.cols(), rows.samples);
  Eigen::VectorXd counts = square;
  for (Index k = 0; k < residuals.size(); ++k) {
    moments.col(rows.sample[static_cast<std::size_t>(k)]) +=
        square[k] * solved.pull[k] * residuals[k] * rows.A.row(k).transpose();
    if (solved.pull[k] < 1) counts[k] = 0;  // psi' of Huber's psi
  }
  const Eigen::MatrixXd slope = rows.A.transpose() * counts.asDiagonal() * rows.A;
  const solve::LongRun long_run = solve::long_run_covariance(moments, rows.breaks);
  const Eigen::MatrixXd inverse = internal::scaled_inverse(slope);
  const Eigen::MatrixXd in_the_long_run =
      inverse * (long_run.covariance * static_cast<double>(rows.samples)) * inverse;
  internal::BlockJackknife jackknife =
      internal::block_jackknife(rows, solved.weights.cwiseProduct(solved.pull.cwiseSqrt()), residuals);
  out.estimate =
      out.base.combined(out.parameters, solved.fit.x, with_variances(in_the_long_run, jackknife.variance));
  out.effective_samples = long_run.effective_samples;
  out.degrees = jackknife.degrees;
  out.naive_sigma = solved.fit.covariance.diagonal().cwiseSqrt();
  const Eigen::VectorXd white = inverse.diagonal().cwiseMax(1e-300);
  out.inflation = std::max(1.0, out.estimate.covariance().diagonal().cwiseQuotient(white).mean());
  out.information = slope / out.inflation;
  return jackknife;
}

/// What one sigma of each parameter makes of the effort of the joint where it makes most.
Eigen::VectorXd share_of_effort(const ArmRows& rows, const ArmFit& fit) {
  const auto joints = static_cast<Index>(fit.arm.size());
  Eigen::MatrixXd column = Eigen::MatrixXd::Zero(joints, rows.A.cols());
  Eigen::VectorXd effort = Eigen::VectorXd::Zero(joints);
  for (Index k = 0; k < rows.y.size(); ++k) {
    const Index j = rows.joint[static_cast<std::size_t>(k)];
    column.row(j) += rows.A.row(k).cwiseAbs2();
    effort[j] += rows.y[k] * rows.y[k];
  }
  Eigen::VectorXd share(rows.A.cols());
  for (Index c = 0; c < share.size(); ++c)
    share[c] = fit.estimate.sigma(static_cast<std::size_t>(c)) *
               std::sqrt((column.col(c).array() / effort.array().max(1e-300)).maxCoeff());
  return share;
}

/// Structural base parameters, and of those what the rows show.
void choose_base(const dynamics::ArmRegressor& regressor, std::span<const ArmRun> runs,
                 const ArmFitOptions& options, ArmFit& out, ArmRows& rows) {
  out.base =
      consistency::base_parameters(regressor, consistency::draw({.down_b = options.down_b}, out.arm.joints()));
  out.structural_rank = out.base.rank();
  rows = internal::arm_rows(regressor, runs, options, out.base);
  if (rows.y.size() < 4 * rows.A.cols())
    reject(
        "runs",
        fmt::format("have {} rows that tell something, too few for {} unknowns", rows.y.size(), rows.A.cols()),
        "longer runs, or a smaller rest_speed");
  solve::Rows sums(rows.A.cols());
  sums.add(rows.A, rows.y);
  const consistency::BaseParameters shown = consistency::base_parameters(sums, options.run_tolerance);
  if (shown.rank() == out.base.rank()) return;
  std::vector<std::size_t> kept;
  for (const std::size_t k : shown.kept) kept.push_back(out.base.kept[k]);
  out.base.kept = kept;
  out.base.grouping = shown.grouping * out.base.grouping;
  const std::vector<Index> columns(shown.kept.begin(), shown.kept.end());
  rows.A = rows.A(Eigen::all, columns).eval();
}

}  // namespace

double ArmFit::half_width(std::size_t k) const {
  return internal::student_t(0.975, std::max(1.0, degrees)) * estimate.sigma(k);
}

bool ArmFit::is_weak(std::size_t k) const { return effort_share[static_cast<Index>(k)] > options.weak_share; }

std::string ArmFit::grouping(std::size_t k) const { return base.to_text(k, parameters); }

ArmFit fit_arm(const model::Arm& arm, std::span<const ArmRun> runs, const ArmFitOptions& options) {
  check_arm_runs(arm, runs, options);
  const dynamics::ArmRegressor regressor = internal::regressor_of(arm, options);
  ArmFit out(regressor.nominal(), options);
  out.drag_moved = regressor.left_out();
  out.parameters = regressor.parameters();
  ArmRows rows;
  choose_base(regressor, runs, options, out, rows);
  const Solved solved = solve_rows(rows, options, out);
  out.free_beta = solved.fit.x;
  out.scaled_condition = solved.fit.scaled_condition();
  out.rows = static_cast<std::size_t>(rows.y.size());
  out.samples = static_cast<std::size_t>(rows.samples);
  out.at_rest = rows.at_rest;
  const internal::BlockJackknife jackknife = add_estimate(rows, solved, out);
  out.effort_share = share_of_effort(rows, out);
  if (options.estimator == Estimator::consistent) {
    out.consistent = internal::consistent_arm(regressor, out);
    out.estimate = out.estimate.with_values(out.base.grouping * out.consistent->theta);
  }
  out.joint_sigma =
      residual_scale(rows, rows.y - rows.A * out.estimate.values(), static_cast<Index>(arm.size()), false);
  out.band_factor = internal::band_factors(out, rows, jackknife.shift);
  return out;
}

Eigen::MatrixXd predict(const ArmFit& fit, const ArmRun& run) {
  Eigen::MatrixXd efforts(run.samples(), run.q.cols());
  const std::vector<Index> kept(fit.base.kept.begin(), fit.base.kept.end());
  const Eigen::VectorXd beta = fit.estimate.values();
  internal::visit_samples(internal::regressor_of(fit.arm, fit.options), fit.options, run,
                          [&](Index k, const Eigen::MatrixXd& Y, const Eigen::VectorXd& known) {
                            efforts.row(k) = (Y(Eigen::all, kept) * beta + known).transpose();
                          });
  return efforts;
}

Eigen::MatrixXd predict(const ArmFit& fit, const Eigen::VectorXd& theta, const ArmRun& run) {
  Eigen::MatrixXd efforts(run.samples(), run.q.cols());
  internal::visit_samples(internal::regressor_of(fit.arm, fit.options), fit.options, run,
                          [&](Index k, const Eigen::MatrixXd& Y, const Eigen::VectorXd& known) {
                            efforts.row(k) = (Y * theta + known).transpose();
                          });
  return efforts;
}

bool is_at_rest(const model::Arm& arm, const ArmFitOptions& options, std::size_t joint, double q, double dq) {
  if (!internal::has_dry_friction(options.columns)) return false;
  const auto& actuator = arm.joints()[joint].actuator;
  if (!options.rest_shaft_speed || !actuator) return std::abs(dq) < options.rest_speed;
  return std::abs(model::motor_angle(actuator->transmission, q).ratio * dq) < *options.rest_shaft_speed;
}

std::vector<Metrics> internal::score_moving(const ArmFit& fit, const ArmRun& run,
                                            const Eigen::MatrixXd& predicted) {
  std::vector<Metrics> scores;
  for (Index j = 0; j < run.q.cols(); ++j) {
    std::vector<Index> moving;
    for (Index k = 0; k < run.samples(); ++k)
      if (!is_at_rest(fit.arm, fit.options, static_cast<std::size_t>(j), run.q(k, j), run.dq(k, j)))
        moving.push_back(k);
    if (moving.empty())
      scores.emplace_back();
    else
      scores.push_back(
          metrics(Eigen::VectorXd(run.effort.col(j)(moving)), Eigen::VectorXd(predicted.col(j)(moving))));
  }
  return scores;
}

std::vector<Metrics> score(const ArmFit& fit, const ArmRun& run) {
  return internal::score_moving(fit, run, predict(fit, run));
}

std::vector<Metrics> score_of_file(const model::Arm& arm, const ArmFitOptions& options, const ArmRun& run) {
  ArmFit file(arm, options);
  dynamics::ArmColumns& columns = file.options.columns;
  columns.buoyancy = columns.added_mass = columns.drag = false;
  file.parameters = internal::regressor_of(arm, file.options).parameters();
  return internal::score_moving(file, run, predict(file, file.parameters.values(), run));
}

}  // namespace fathom::identify
