#include "fathom/identify/tank/towing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/median.hpp"
#include "fathom/identify/internal/student.hpp"
#include "fathom/solve/non_negative.hpp"

namespace fathom::identify {
namespace {

/// Indices of runs, in groups of one speed, in order of speed.
using SpeedGroups = std::vector<std::vector<std::size_t>>;

constexpr std::size_t most_pairs = 3000;
constexpr double cut_square = 9;

/// Sum of the nearest three quarters of the distances, each over what noise and an imperfect law explain.
double distance_of_most(const std::vector<TowedRun>& runs, const DragLaw& law) {
  std::vector<double> distances;
  for (const TowedRun& run : runs)
    distances.push_back(std::abs(run.force - law.force(run.speed)) /
                        (std::sqrt(run.variance) + 0.02 * std::abs(run.force)));
  const auto most = distances.begin() + static_cast<std::ptrdiff_t>((3 * distances.size() + 3) / 4);
  std::nth_element(distances.begin(), most - 1, distances.end());
  return std::accumulate(distances.begin(), most, 0.0);
}

/// Not below zero: where one would be, the other alone through both.
DragLaw law_through(const TowedRun& a, const TowedRun& b) {
  Eigen::Matrix2d A;
  A << DragLaw::basis(a.speed).transpose(), DragLaw::basis(b.speed).transpose();
  const Eigen::Vector2d f(a.force, b.force);
  DragLaw law;
  if (std::abs(A.determinant()) > 1e-9 * A.squaredNorm()) law.c = A.inverse() * f;
  if (law.c.minCoeff() >= 0 && law.c.maxCoeff() > 0) return law;
  const Eigen::Index only = law.c[0] < 0 ? 1 : 0;
  law.c.setZero();
  law.c[only] = std::max(0.0, A.col(only).dot(f) / A.col(only).squaredNorm());
  return law;
}

SpeedGroups speed_groups(const std::vector<TowedRun>& runs, const std::vector<bool>& kept, double same_speed) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < runs.size(); ++k)
    if (kept[k]) order.push_back(k);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return runs[a].speed < runs[b].speed; });
  SpeedGroups groups;
  for (const std::size_t k : order) {
    const bool same = !groups.empty() && std::abs(runs[k].speed - runs[groups.back().front()].speed) <=
                                             same_speed * std::abs(runs[k].speed);
    if (!same) groups.emplace_back();
    groups.back().push_back(k);
  }
  return groups;
}

/// c >= 0 through two of the runs, those for which three quarters of all lie nearest.
DragLaw robust_law(const std::vector<TowedRun>& runs) {
  const std::size_t pairs = runs.size() * (runs.size() - 1) / 2, stride = pairs / most_pairs + 1;
  DragLaw best;
  double least = infinity;
  std::size_t number = 0;
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t j = i + 1; j < runs.size(); ++j)
      if (number++ % stride == 0) {
        const DragLaw law = law_through(runs[i], runs[j]);
        if (const double distance = distance_of_most(runs, law); distance < least) {
          least = distance;
          best = law;
        }
      }
  return best;
}

/// N, scatter between runs of one speed beyond their variances, from differences of pairs; where hardly any
/// speed was run twice, from distances to the law.
double scatter_of_runs(const std::vector<TowedRun>& runs, const SpeedGroups& groups, const DragLaw& law) {
  constexpr std::size_t enough = 4;
  std::vector<double> steps, residuals, variances;
  const auto residual = [&](std::size_t k) { return runs[k].force - law.force(runs[k].speed); };
  for (const auto& group : groups)
    for (std::size_t i = 0; i < group.size(); ++i) {
      residuals.push_back(std::abs(residual(group[i])));
      variances.push_back(runs[group[i]].variance);
      for (std::size_t j = 0; j < i; ++j)
        steps.push_back(std::abs(residual(group[i]) - residual(group[j])) / std::sqrt(2.0));
    }
  const double sigma = sigmas_of_mad * median(steps.size() >= enough ? steps : residuals);
  return std::sqrt(std::max(0.0, sigma * sigma - median(variances)));
}

/// N, by which points miss the law beyond their variances: that with which the squares of residuals over their
/// sigmas add up to the degrees of freedom (DerSimonian and Laird 1986), each cut at nine.
double misfit_of_law(const std::vector<FusedPoint>& points, const DragLaw& law, double degrees) {
  double largest = 0;
  const auto excess = [&](double misfit) {
    double sum = 0;
    for (const FusedPoint& point : points) {
      const double r = point.force - law.force(point.speed);
      largest = std::max(largest, std::abs(r));
      sum += std::min(cut_square, r * r / (point.sigma * point.sigma + misfit * misfit));
    }
    return sum - degrees;
  };
  if (excess(0) <= 0) return 0;
  double low = 0, high = 10 * largest;
  for (int k = 0; k < 50; ++k) (excess(0.5 * (low + high)) > 0 ? low : high) = 0.5 * (low + high);
  return high;
}

using Eigen::Index;
using Eigen::Matrix2d;
using Eigen::Vector2d;

constexpr std::size_t fewest_towed_speeds = 3;

void check_runs(const std::vector<TowedRun>& runs) {
  for (const TowedRun& run : runs) {
    if (!std::isfinite(run.speed) || !std::isfinite(run.force) || run.speed == 0)
      reject(run.name, fmt::format("has speed {} and force {}, must be finite, and the speed not 0", run.speed,
                                   run.force));
    if (!(run.variance > 0 && std::isfinite(run.variance)))
      reject(run.name, fmt::format("has a variance of {}, must be above 0", run.variance),
             "a force that does not vary at all is no measurement");
    if (run.shared.size() != runs.front().shared.size())
      reject(run.name, "has not as many shared errors as the first run");
  }
}

/// A cell whose sign is wrong shows in every run.
void check_signs(const std::vector<TowedRun>& runs) {
  const auto against = std::count_if(runs.begin(), runs.end(), [](const TowedRun& run) {
    return run.force * run.speed < 0 && run.force * run.force > 9 * run.variance;
  });
  if (2 * against > static_cast<std::ptrdiff_t>(runs.size()))
    reject("runs", fmt::format("{} of {} have a force against their speed", against, runs.size()),
           "the force is the one that the carriage needs; turn the sign of the cells, or subtract less for the "
           "bracket");
}

/// The bracket's law leaves each run, and its uncertainty becomes errors that all runs share: the columns of
/// the factor of its covariance.
void subtract(std::vector<TowedRun>& runs, const DragLaw& bracket) {
  const Eigen::LDLT<Matrix2d> factor(bracket.covariance);
  if (!bracket.c.allFinite() || !bracket.covariance.allFinite() || factor.vectorD().minCoeff() < 0)
    reject("bracket", "has a law or covariance that is not finite, or no covariance at all");
  const Matrix2d L = factor.transpositionsP().transpose() *
                     Matrix2d(Matrix2d(factor.matrixL()) * factor.vectorD().cwiseSqrt().asDiagonal());
  for (TowedRun& run : runs) {
    run.force -= bracket.force(run.speed);
    const Vector2d errors = L.transpose() * DragLaw::basis(run.speed);
    run.shared.insert(run.shared.end(), errors.begin(), errors.end());
  }
}

/// docs/tank-tests.md eqs. 3 and 4: P = 1 / sum(1 / P_i), force = P sum(force_i / P_i).
FusedPoint fused(const std::vector<TowedRun>& runs, const std::vector<std::size_t>& group, double run_sigma) {
  FusedPoint point{0, 0, 0, group};
  double information = 0;
  for (const std::size_t k : group) {
    const double weight = 1 / (runs[k].variance + run_sigma * run_sigma);
    information += weight;
    point.speed += weight * runs[k].speed;
    point.force += weight * runs[k].force;
  }
  point.speed /= information;
  point.force /= information;
  point.sigma = std::sqrt(1 / information);
  return point;
}

struct Normal {
  Matrix2d gram = Matrix2d::Zero();
  Vector2d moment = Vector2d::Zero();
  void add(double u, double force, double variance) {
    const Vector2d a = DragLaw::basis(u);
    gram += a * a.transpose() / variance;
    moment += a * force / variance;
  }
};

double variance_of(const FusedPoint& point, double misfit) {
  return point.sigma * point.sigma + misfit * misfit;
}

Normal normal_of(const DragFit& fit) {
  Normal normal;
  for (const FusedPoint& point : fit.points)
    normal.add(point.speed, point.force, variance_of(point, fit.misfit));
  return normal;
}

/// c1, c2 >= 0 by weighted least squares; the weights hold what the law itself is wrong by, which
/// comes out of the residuals, so both are repeated.
void fit_law(DragFit& fit) {
  fit.degrees = std::max(1.0, static_cast<double>(fit.points.size()) - 2);
  for (int round = 0; round < 5; ++round) {
    const Normal normal = normal_of(fit);
    fit.law.c = solve::non_negative(normal.gram, normal.moment);
    fit.misfit = misfit_of_law(fit.points, fit.law, fit.degrees);
  }
  const Normal normal = normal_of(fit);
  fit.law.c = solve::non_negative(normal.gram, normal.moment);
  fit.law.covariance = normal.gram.inverse();
  fit.free_c = fit.law.covariance * normal.moment;
  for (const int k : {0, 1})
    if (fit.law.c[k] == 0) fit.at_bound.push_back(k == 0 ? "c1" : "c2");
  fit.t95 = internal::student_t(0.975, fit.degrees);
}

/// What all runs share moves the law as it moves the points: C += d d', d = G^-1 sum(a error / P).
void add_shared(DragFit& fit, const std::vector<TowedRun>& runs, double run_sigma) {
  const Normal normal = normal_of(fit);
  const Matrix2d inverse = normal.gram.inverse();
  for (std::size_t e = 0; e < runs.front().shared.size(); ++e) {
    Normal moved;
    for (const FusedPoint& point : fit.points) {
      double error = 0, information = 0;
      for (const std::size_t k : point.runs) {
        const double weight = 1 / (runs[k].variance + run_sigma * run_sigma);
        error += weight * runs[k].shared[e];
        information += weight;
      }
      moved.add(point.speed, error / information, variance_of(point, fit.misfit));
    }
    const Vector2d d = inverse * moved.moment;
    fit.law.covariance += d * d.transpose();
  }
}

DragFit fit_points(const std::vector<TowedRun>& runs, const SpeedGroups& groups, double run_sigma) {
  DragFit fit;
  for (const auto& group : groups) fit.points.push_back(fused(runs, group, run_sigma));
  fit_law(fit);
  return fit;
}

/// Signed distances of all runs from the law in sigmas of a run.
std::vector<double> distances_from(const DragFit& fit, const std::vector<TowedRun>& runs, double run_sigma) {
  std::vector<double> z;
  for (const TowedRun& run : runs) {
    const double f = fit.law.force(run.speed);
    z.push_back((run.force - f) / std::sqrt(run.variance + run_sigma * run_sigma + fit.misfit * fit.misfit));
  }
  return z;
}

/// Leaves runs out until those left and the law agree on which.
void name_outliers(TowingFit& fit, std::vector<bool>& kept, const TowingOptions& options) {
  const std::vector<bool> whole(fit.runs.size(), true);
  DragFit fitted;
  fitted.law = robust_law(fit.runs);
  fit.run_sigma = scatter_of_runs(fit.runs, speed_groups(fit.runs, whole, options.same_speed), fitted.law);
  for (const auto& group : speed_groups(fit.runs, whole, options.same_speed))
    fitted.points.push_back(fused(fit.runs, group, fit.run_sigma));
  fitted.misfit =
      misfit_of_law(fitted.points, fitted.law, std::max(1.0, static_cast<double>(fitted.points.size()) - 2));
  for (int round = 0; round < 6; ++round) {
    const std::vector<double> z = distances_from(fitted, fit.runs, fit.run_sigma);
    std::vector<bool> now(z.size());
    fit.outliers.clear();
    for (std::size_t k = 0; k < z.size(); ++k) {
      now[k] = std::abs(z[k]) <= options.outlier_sigmas;
      if (!now[k]) fit.outliers.push_back({k, z[k]});
    }
    if (round > 0 && now == kept) return;
    kept = now;
    const SpeedGroups groups = speed_groups(fit.runs, kept, options.same_speed);
    if (groups.size() < fewest_towed_speeds) return;
    fit.run_sigma = scatter_of_runs(fit.runs, groups, fitted.law);
    fitted = fit_points(fit.runs, groups, fit.run_sigma);
  }
}

std::optional<DragFit> fit_direction(const TowingFit& fit, std::vector<bool> kept, double direction,
                                     const TowingOptions& options) {
  for (std::size_t k = 0; k < kept.size(); ++k) kept[k] = kept[k] && direction * fit.runs[k].speed > 0;
  const SpeedGroups groups = speed_groups(fit.runs, kept, options.same_speed);
  if (groups.size() < fewest_towed_speeds) return std::nullopt;
  return fit_points(fit.runs, groups, fit.run_sigma);
}

/// Hotelling's: with two unknowns the tail of F has a closed form (docs/tank-tests.md eq. 7). What both
/// directions share is not in these covariances, and moves both alike.
double probability_of_difference(const DragFit& a, const DragFit& b) {
  const Vector2d d = a.free_c - b.free_c;
  const double chi2 = d.dot((a.law.covariance + b.law.covariance).inverse() * d);
  const double degrees = a.degrees + b.degrees;
  return std::pow(1 + chi2 / degrees, -degrees / 2);
}

}  // namespace

double DragFit::misfit_at(double u) const {
  // What a point misses the law by, if that is more than its own sigma.
  const auto miss = [&](const FusedPoint& point) {
    const double r = std::abs(point.force - law.force(point.speed));
    return r > point.sigma ? r : 0;
  };
  const auto above = std::find_if(points.begin(), points.end(), [&](const auto& p) { return p.speed >= u; });
  if (points.empty()) return misfit;
  if (above == points.begin()) return std::max(misfit, miss(points.front()));
  if (above == points.end()) return std::max(misfit, miss(points.back()));
  const auto below = above - 1;
  const double part = (u - below->speed) / (above->speed - below->speed);
  return std::max(misfit, (1 - part) * miss(*below) + part * miss(*above));
}

double DragFit::sigma(double u) const {
  const Vector2d a = DragLaw::basis(u);
  return std::hypot(std::sqrt(a.dot(law.covariance * a)), misfit_at(u));
}

double DragFit::half_width_of(int k) const { return t95 * std::sqrt(law.covariance(k, k)); }

TowingFit fit_towing(std::vector<TowedRun> runs, const std::optional<DragLaw>& bracket,
                     const TowingOptions& options) {
  check_runs(runs);
  if (bracket) subtract(runs, *bracket);
  std::vector<bool> kept(runs.size(), true);
  const auto speeds = speed_groups(runs, kept, options.same_speed).size();
  if (speeds < fewest_towed_speeds)
    reject("runs", fmt::format("have {} different speeds, must have {} or more", speeds, fewest_towed_speeds));
  check_signs(runs);
  TowingFit fit{std::move(runs), {}, 0, {}, {}, {}};
  name_outliers(fit, kept, options);
  const SpeedGroups groups = speed_groups(fit.runs, kept, options.same_speed);
  if (groups.size() < fewest_towed_speeds)
    reject("runs", fmt::format("without {} outliers have {} different speeds, must have {} or more",
                               fit.outliers.size(), groups.size(), fewest_towed_speeds));
  fit.all = fit_points(fit.runs, groups, fit.run_sigma);
  fit.forward = fit_direction(fit, kept, 1, options);
  fit.backward = fit_direction(fit, kept, -1, options);
  if (fit.forward && fit.backward) fit.same_both_ways = probability_of_difference(*fit.forward, *fit.backward);
  for (DragFit* one :
       {&fit.all, fit.forward ? &*fit.forward : nullptr, fit.backward ? &*fit.backward : nullptr})
    if (one) add_shared(*one, fit.runs, fit.run_sigma);
  return fit;
}

}  // namespace fathom::identify
