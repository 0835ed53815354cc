#include "fathom/identify/tank/free_decay.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <ceres/cost_function.h>
#include <ceres/problem.h>
#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/identify/internal/student.hpp"
#include "fathom/identify/small_fit.hpp"
#include "fathom/identify/tank/internal/decay_start.hpp"
#include "fathom/solve/runge_kutta.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using Eigen::Matrix4d;
using Eigen::MatrixXd;
using Eigen::Vector4d;
using Eigen::VectorXd;
using DecaySlope = Eigen::Matrix<double, Eigen::Dynamic, 6>;

constexpr Index fewest_decay_samples = 40;

/// Angle and rate.
using Swung = Eigen::Vector2d;
/// The same, and under it derivatives by the four rates and the first state: a row each.
using SwungWithSlope = Eigen::Matrix<double, 2, 7>;

/// docs/tank-tests.md eq. 8.
double acceleration(const DecayRates& rates, double angle, double rate) {
  return -rates.restoring * std::sin(angle - rates.equilibrium) -
         (rates.linear + rates.quadratic * std::abs(rate)) * rate;
}

Swung derivative(const DecayRates& rates, const Swung& x) { return {x[1], acceleration(rates, x[0], x[1])}; }

SwungWithSlope derivative(const DecayRates& rates, const SwungWithSlope& x) {
  const double away = x(0, 0) - rates.equilibrium, rate = x(1, 0), speed = std::abs(rate);
  const double stiffness = rates.restoring * std::cos(away);
  SwungWithSlope d;
  d.row(0) = x.row(1);
  d.row(1) = -stiffness * x.row(0) - (rates.linear + 2 * rates.quadratic * speed) * x.row(1);
  d(1, 0) = acceleration(rates, x(0, 0), rate);
  d(1, 1) -= std::sin(away);
  d(1, 2) += stiffness;
  d(1, 3) -= rate;
  d(1, 4) -= speed * rate;
  return d;
}

/// Calls take(k, state) at each time.
template <class State, class Take>
void swing(const DecayRates& rates, const Eigen::Ref<const VectorXd>& t, State x, const Take& take) {
  // Thirty steps in a swing: the error of fourth order is then far below any sensor's.
  const double longest = 0.2 / std::sqrt(std::max(rates.restoring, 1e-12));
  const auto rate = [&](const State& at) { return derivative(rates, at); };
  for (Index k = 0; k < t.size(); ++k) {
    take(k, x);
    if (k + 1 == t.size()) break;
    const double dt = t[k + 1] - t[k];
    const double stiff = (rates.linear + 2 * rates.quadratic * std::abs(x(1, 0))) * dt;
    const int steps = std::clamp(static_cast<int>(std::ceil(std::max(dt / longest, 2 * stiff))), 1, 100);
    for (int i = 0; i < steps; ++i) x = solve::runge_kutta_step(rate, x, dt / steps);
  }
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
    DecaySlope slope;
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
  if (runs.empty()) reject("runs", "are none, must be one or more");
  for (const DecayRun& run : runs) {
    if (run.t.size() != run.angle.size() || run.t.size() < fewest_decay_samples)
      reject(run.name, fmt::format("has {} times and {} angles, must have as many, {} or more", run.t.size(),
                                   run.angle.size(), fewest_decay_samples));
    if (!run.t.allFinite() || !run.angle.allFinite())
      reject(run.name, "has a number that is not finite", "leave the row out");
    for (Index k = 1; k < run.t.size(); ++k)
      if (!(run.t[k] > run.t[k - 1]))
        reject(run.name, fmt::format("has times that do not rise: {} s after {} s", run.t[k], run.t[k - 1]));
    if (run.angle.maxCoeff() == run.angle.minCoeff())
      reject(run.name, "has an angle that does not move", "is it the right column?");
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
    DecaySlope slope;
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

/// What runs say by differing.
struct BetweenRuns {
  Vector4d variance = Vector4d::Zero();
  Vector4d degrees = Vector4d::Zero();  // of freedom: as many runs as tell of a rate, less one
};

/// Variances by leaving out one run at a time, to first order: without run r the estimate moves by (G - G_r)^-1
/// m_r, with G_r and m_r its share of the Gram matrix and of the moments.
BetweenRuns jackknife(const MatrixXd& J, const VectorXd& residuals, const std::vector<Index>& breaks) {
  const auto runs = static_cast<double>(breaks.size() + 1);
  const MatrixXd gram = J.transpose() * J, inverse = gram.inverse();
  BetweenRuns between;
  Vector4d squares = Vector4d::Zero();
  for (std::size_t k = 0; k <= breaks.size(); ++k) {
    const Index from = k == 0 ? 0 : breaks[k - 1], until = k < breaks.size() ? breaks[k] : J.rows();
    const auto part = J.middleRows(from, until - from);
    const MatrixXd own = part.transpose() * part;
    const VectorXd step = (gram - own).ldlt().solve(part.transpose() * residuals.segment(from, until - from));
    between.variance += (runs - 1) / runs * step.cwiseAbs2();
    // Its part in the variance of white noise is its weight.
    squares += (inverse * own * inverse).diagonal().cwiseQuotient(inverse.diagonal()).cwiseAbs2();
  }
  between.degrees = (squares.cwiseInverse().array() - 1).cwiseMax(1.0).matrix();
  return between;
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
  fit.degrees.setConstant(std::clamp(long_run.effective_samples - 4, 3.0, 1000.0));
  if (!evidence.breaks.empty()) {
    const BetweenRuns between = jackknife(J, evidence.residuals, evidence.breaks);
    const Vector4d wider = between.variance.cwiseQuotient(covariance.diagonal()).cwiseMax(1.0).cwiseSqrt();
    covariance = wider.asDiagonal() * covariance * wider.asDiagonal();
    for (Index k = 0; k < 4; ++k)
      if (wider[k] > 1) fit.degrees[k] = between.degrees[k];
  }
  fit.covariance = scale.cwiseInverse().asDiagonal() * covariance * scale.cwiseInverse().asDiagonal();
  fit.integral_time = solve::integral_time(evidence.residuals);
}

void solve_decay(const std::vector<DecayRun>& runs, DecayFit& fit) {
  internal::DecayStart start = internal::decay_start(runs);
  Vector4d x = start.rates.vector();
  ceres::Problem problem;
  for (std::size_t k = 0; k < runs.size(); ++k)
    problem.AddResidualBlock(new DecayCost(runs[k]), nullptr, x.data(),
                             start.first[k].data());  // the problem's
  for (const int k : {0, 2, 3}) keep_within(problem, x.data(), k, 0, infinity);
  fit.converged = solve_small(problem, {.function_tolerance = 1e-10}).converged;
  // The sine does not tell turns apart: the one that the angles are in.
  const double whole = 2 * std::numbers::pi;
  x[1] -= whole * std::round((x[1] - runs.front().angle.mean()) / whole);
  fit.rates = {x[0], x[1], x[2], x[3]};
  for (const Eigen::Vector2d& first : start.first) fit.runs.push_back({first[0], first[1], 0, {}});
}

double explained(const std::vector<DecayRun>& runs, const VectorXd& residuals) {
  double total = 0;
  for (const DecayRun& run : runs) total += (run.angle.array() - run.angle.mean()).square().sum();
  return 1 - residuals.squaredNorm() / total;
}

}  // namespace

VectorXd simulate_decay(const DecayRates& rates, const Eigen::Ref<const VectorXd>& t, double first_angle,
                        double first_rate, DecaySlope* slope) {
  VectorXd angle(t.size());
  if (!slope) {
    swing(rates, t, Swung(first_angle, first_rate), [&](Index k, const Swung& x) { angle[k] = x[0]; });
    return angle;
  }
  slope->resize(t.size(), 6);
  SwungWithSlope first = SwungWithSlope::Zero();
  first.col(0) << first_angle, first_rate;
  first(0, 5) = first(1, 6) = 1;
  swing(rates, t, first, [&](Index k, const SwungWithSlope& x) {
    angle[k] = x(0, 0);
    slope->row(k) = x.row(0).tail<6>();
  });
  return angle;
}

double DecayFit::half_width(int k) const {
  return internal::student_t(0.975, degrees[k]) * std::sqrt(covariance(k, k));
}

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
    reject("known",
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
