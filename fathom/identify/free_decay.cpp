#include "fathom/identify/free_decay.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <ceres/cost_function.h>
#include <ceres/problem.h>
#include <ceres/solver.h>
#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/identify/internal/decay_start.hpp"
#include "fathom/identify/internal/student.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using Eigen::Matrix4d;
using Eigen::MatrixXd;
using Eigen::Vector4d;
using Eigen::VectorXd;
using Slope = Eigen::Matrix<double, Eigen::Dynamic, 6>;

constexpr Index fewest_decay_samples = 40;

/// Angle and rate, and their derivatives by the four rates and the first state.
struct DecayState {
  double angle = 0, rate = 0;
  Eigen::Matrix<double, 1, 6> d_angle, d_rate;
};

DecayState operator+(const DecayState& a, const DecayState& b) {
  return {a.angle + b.angle, a.rate + b.rate, a.d_angle + b.d_angle, a.d_rate + b.d_rate};
}
DecayState operator*(double h, const DecayState& a) {
  return {h * a.angle, h * a.rate, h * a.d_angle, h * a.d_rate};
}

/// docs/tank-tests.md eq. 8 and, under it, its derivative.
DecayState derivative(const DecayRates& rates, const DecayState& x, bool with_slope) {
  const double away = x.angle - rates.equilibrium, speed = std::abs(x.rate);
  const double sine = std::sin(away);
  DecayState d{x.rate, -rates.restoring * sine - (rates.linear + rates.quadratic * speed) * x.rate,
               Eigen::Matrix<double, 1, 6>::Zero(), Eigen::Matrix<double, 1, 6>::Zero()};
  if (!with_slope) return d;
  const double stiffness = rates.restoring * std::cos(away);
  d.d_angle = x.d_rate;
  d.d_rate = -stiffness * x.d_angle - (rates.linear + 2 * rates.quadratic * speed) * x.d_rate;
  d.d_rate[0] -= sine;
  d.d_rate[1] += stiffness;
  d.d_rate[2] -= x.rate;
  d.d_rate[3] -= speed * x.rate;
  return d;
}

DecayState decay_step(const DecayRates& rates, const DecayState& x, double h, bool with_slope) {
  const DecayState k1 = derivative(rates, x, with_slope);
  const DecayState k2 = derivative(rates, x + h / 2 * k1, with_slope);
  const DecayState k3 = derivative(rates, x + h / 2 * k2, with_slope);
  const DecayState k4 = derivative(rates, x + h * k3, with_slope);
  return x + h / 6 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
}

/// Angles of one run less the measured ones, over the four rates and its own first state.
class DecayCost : public ceres::CostFunction {
 public:
  explicit DecayCost(const DecayRun& run) : run_(run) {
    set_num_residuals(static_cast<int>(run.t.size()));
    mutable_parameter_block_sizes()->assign({DecayRates::size, 2});
  }
  bool Evaluate(double const* const* x, double* residuals, double** jacobians) const override {
    const DecayRates rates{x[0][0], x[0][1], x[0][2], x[0][3]};
    Slope slope;
    const VectorXd angle = simulate_decay(rates, run_.t, x[1][0], x[1][1], jacobians ? &slope : nullptr);
    Eigen::Map<VectorXd>(residuals, angle.size()) = angle - run_.angle;
    if (!jacobians) return angle.allFinite();
    using Rows4 = Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor>;
    using Rows2 = Eigen::Matrix<double, Eigen::Dynamic, 2, Eigen::RowMajor>;
    if (jacobians[0]) Eigen::Map<Rows4>(jacobians[0], angle.size(), 4) = slope.leftCols<4>();
    if (jacobians[1]) Eigen::Map<Rows2>(jacobians[1], angle.size(), 2) = slope.rightCols<2>();
    return angle.allFinite() && slope.allFinite();
  }

 private:
  const DecayRun& run_;
};

void check_decays(const std::vector<DecayRun>& runs) {
  if (runs.empty()) refuse("runs", "are none, must be one or more");
  for (const DecayRun& run : runs) {
    if (run.t.size() != run.angle.size() || run.t.size() < fewest_decay_samples)
      refuse(run.name, fmt::format("has {} times and {} angles, must have as many, {} or more", run.t.size(),
                                   run.angle.size(), fewest_decay_samples));
    if (!run.t.allFinite() || !run.angle.allFinite())
      refuse(run.name, "has a number that is not finite", "leave the row out");
    for (Index k = 1; k < run.t.size(); ++k)
      if (!(run.t[k] > run.t[k - 1]))
        refuse(run.name, fmt::format("has times that do not rise: {} s after {} s", run.t[k], run.t[k - 1]));
    if (run.angle.maxCoeff() == run.angle.minCoeff())
      refuse(run.name, "has an angle that does not move", "is it the right column?");
  }
}

/// Residuals and what the rates do to them that a run's own first state cannot do.
struct Evidence {
  VectorXd residuals;
  Eigen::Matrix<double, Eigen::Dynamic, 4> slope;
  std::vector<Index> breaks;  // first sample of each run but the first
};

Evidence evidence_of(const std::vector<DecayRun>& runs, DecayFit& fit) {
  Evidence all;
  Index samples = 0;
  for (const DecayRun& run : runs) samples += run.t.size();
  all.residuals.resize(samples);
  all.slope.resize(samples, 4);
  Index from = 0;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    DecayFit::Run& one = fit.runs[k];
    Slope slope;
    one.angle = simulate_decay(fit.rates, runs[k].t, one.first_angle, one.first_rate, &slope);
    const Index n = one.angle.size();
    const VectorXd r = one.angle - runs[k].angle;
    one.mse = r.squaredNorm() / static_cast<double>(n);
    const Eigen::Matrix<double, Eigen::Dynamic, 2> own = slope.rightCols<2>();
    const Eigen::Matrix2d gram = own.transpose() * own;
    all.residuals.segment(from, n) = r;
    all.slope.middleRows(from, n) =
        slope.leftCols<4>() - own * gram.ldlt().solve(own.transpose() * slope.leftCols<4>());
    if (from > 0) all.breaks.push_back(from);
    from += n;
  }
  return all;
}

/// What runs differ by, as if each were one sample: sum over runs of their moments squared, over R (R - 1) /
/// R^2.
MatrixXd between_runs(const MatrixXd& moments, const std::vector<Index>& breaks) {
  const auto runs = static_cast<double>(breaks.size() + 1);
  MatrixXd sum = MatrixXd::Zero(moments.rows(), moments.rows());
  for (std::size_t k = 0; k <= breaks.size(); ++k) {
    const Index from = k == 0 ? 0 : breaks[k - 1], until = k < breaks.size() ? breaks[k] : moments.cols();
    const VectorXd moment = moments.middleCols(from, until - from).rowwise().sum();
    sum += moment * moment.transpose();
  }
  return sum * runs / (runs - 1);
}

/// docs/tank-tests.md eq. 10: the sandwich of all samples, widened for each rate to what the runs themselves
/// differ by.
void judge_decay(DecayFit& fit, const Evidence& evidence) {
  for (std::size_t k = 2; k < 4; ++k)
    if (fit.rates.vector()[static_cast<Index>(k)] <= 0) fit.at_bound.emplace_back(decay_names[k]);
  const Eigen::RowVector4d scale = evidence.slope.colwise().norm().cwiseMax(1e-300);
  const MatrixXd J = evidence.slope * scale.cwiseInverse().asDiagonal();
  const MatrixXd moments = (evidence.residuals.asDiagonal() * J).transpose();
  const solve::LongRun long_run = solve::long_run_covariance(moments, evidence.breaks);
  MatrixXd covariance = solve::sandwich(J.transpose() * J, long_run, J.rows());
  fit.degrees = std::max(3.0, std::min(1000.0, long_run.effective_samples - 4));
  if (!evidence.breaks.empty()) {
    const MatrixXd inverse = (J.transpose() * J).inverse();
    const MatrixXd between = inverse * between_runs(moments, evidence.breaks) * inverse;
    const Vector4d wider = (between.diagonal().cwiseQuotient(covariance.diagonal())).cwiseMax(1.0).cwiseSqrt();
    covariance = wider.asDiagonal() * covariance * wider.asDiagonal();
  }
  fit.covariance = scale.cwiseInverse().asDiagonal() * covariance * scale.cwiseInverse().asDiagonal();
  fit.t95 = internal::student_t(0.975, fit.degrees);
  fit.integral_time = solve::integral_time(evidence.residuals);
}

void solve_decay(const std::vector<DecayRun>& runs, DecayFit& fit) {
  internal::DecayStart start = internal::decay_start(runs);
  Vector4d x = start.rates.vector();
  ceres::Problem problem;
  for (std::size_t k = 0; k < runs.size(); ++k)
    problem.AddResidualBlock(new DecayCost(runs[k]), nullptr, x.data(),
                             start.first[k].data());  // the problem's
  for (const int k : {0, 2, 3}) problem.SetParameterLowerBound(x.data(), k, 0);
  ceres::Solver::Options how;
  how.linear_solver_type = ceres::DENSE_QR;
  how.num_threads = 1;  // the same bytes on every machine
  how.max_num_iterations = 100;
  how.function_tolerance = 1e-10;
  how.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(how, &problem, &summary);
  fit.rates = {x[0], x[1], x[2], x[3]};
  fit.converged = summary.termination_type == ceres::CONVERGENCE;
  for (const Eigen::Vector2d& first : start.first) fit.runs.push_back({first[0], first[1], 0, {}});
}

double explained(const std::vector<DecayRun>& runs, const VectorXd& residuals) {
  double total = 0;
  for (const DecayRun& run : runs) total += (run.angle.array() - run.angle.mean()).square().sum();
  return 1 - residuals.squaredNorm() / total;
}

}  // namespace

VectorXd simulate_decay(const DecayRates& rates, const Eigen::Ref<const VectorXd>& t, double first_angle,
                        double first_rate, Slope* slope) {
  VectorXd angle(t.size());
  DecayState x{first_angle, first_rate, Eigen::Matrix<double, 1, 6>::Zero(),
               Eigen::Matrix<double, 1, 6>::Zero()};
  x.d_angle[4] = x.d_rate[5] = 1;
  if (slope) slope->resize(t.size(), 6);
  // Thirty steps in a swing: the error of fourth order is then far below any sensor's.
  const double longest = 0.2 / std::sqrt(std::max(rates.restoring, 1e-12));
  for (Index k = 0; k < t.size(); ++k) {
    angle[k] = x.angle;
    if (slope) slope->row(k) = x.d_angle;
    if (k + 1 == t.size()) break;
    const double dt = t[k + 1] - t[k];
    const double stiff = (rates.linear + 2 * rates.quadratic * std::abs(x.rate)) * dt;
    const int steps = std::clamp(static_cast<int>(std::ceil(std::max(dt / longest, 2 * stiff))), 1, 100);
    for (int i = 0; i < steps; ++i) x = decay_step(rates, x, dt / steps, slope != nullptr);
  }
  return angle;
}

double DecayFit::half_width(int k) const { return t95 * std::sqrt(covariance(k, k)); }

DecayFit fit_decay(const std::vector<DecayRun>& runs) {
  check_decays(runs);
  DecayFit fit;
  solve_decay(runs, fit);
  const Evidence evidence = evidence_of(runs, fit);
  fit.r2 = explained(runs, evidence.residuals);
  judge_decay(fit, evidence);
  return fit;
}

DecayCoefficients coefficients_of(const DecayFit& fit, const KnownOfDecay& known) {
  if (!(known.value > 0 && std::isfinite(known.value) && known.sigma >= 0 && std::isfinite(known.sigma)))
    refuse("known",
           fmt::format("= {} with sigma {}, must be above 0, the sigma not below", known.value, known.sigma));
  const bool is_inertia = known.what == KnownOfDecay::What::inertia;
  const DecayRates& r = fit.rates;
  const double inertia = is_inertia ? known.value : known.value / r.restoring;
  DecayCoefficients c{inertia, inertia * r.restoring, inertia * r.linear, inertia * r.quadratic,
                      Vector4d::Zero()};
  // Rows: inertia, restoring, linear, quadratic. Columns: the known number, then the four rates.
  Eigen::Matrix<double, 4, 5> J = Eigen::Matrix<double, 4, 5>::Zero();
  J.col(0) = Vector4d(c.inertia, c.restoring, c.linear, c.quadratic) / known.value;
  J(1, 1) = J(2, 3) = J(3, 4) = inertia;
  if (!is_inertia) J.col(1) -= Vector4d(c.inertia, c.restoring, c.linear, c.quadratic) / r.restoring;
  Eigen::Matrix<double, 5, 5> covariance = Eigen::Matrix<double, 5, 5>::Zero();
  covariance(0, 0) = known.sigma * known.sigma;
  covariance.bottomRightCorner<4, 4>() = fit.covariance;
  c.sigma = (J * covariance * J.transpose()).diagonal().cwiseMax(0.0).cwiseSqrt();
  return c;
}

Eigen::Vector2d restoring_arm(double restoring, double equilibrium, double weight) {
  return restoring / weight * Eigen::Vector2d(-std::sin(equilibrium), -std::cos(equilibrium));
}

double equilibrium_of_arm(const Eigen::Vector2d& arm) { return std::atan2(-arm[0], -arm[1]); }

}  // namespace fathom::identify
