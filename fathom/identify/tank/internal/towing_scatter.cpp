#include "fathom/identify/tank/internal/towing_scatter.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/LU>

#include "fathom/base/constants.hpp"
#include "fathom/base/median.hpp"

namespace fathom::identify::internal {
namespace {

constexpr double sigmas_of_mad = 1.4826;
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

}  // namespace

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

}  // namespace fathom::identify::internal
