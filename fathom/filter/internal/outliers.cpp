#include <cmath>
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/base/median.hpp"
#include "fathom/filter/internal/series.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::filter::internal {
namespace {

constexpr std::size_t side = 5;    // neighbours before a sample, and after it
constexpr double reach = 1;        // s, how far they may be
constexpr std::size_t least = 5;   // neighbours, fewer tell nothing
constexpr double of_mad = 1.4826;  // sigmas of a normal variable in its median absolute deviation

/// What sample i says beyond sample `origin`: a difference, or a small rotation.
Eigen::VectorXd beyond(const Series& series, std::size_t origin, std::size_t i) {
  if (series.kind != Kind::attitude) return series.value(i) - series.value(origin);
  return log_rotation(series.quaternion(origin).conjugate() * series.quaternion(i));
}

/// The usable samples next to i.
std::vector<std::size_t> neighbours_of(const Series& series, std::size_t i) {
  std::vector<std::size_t> found;
  const auto is_near = [&](std::size_t k) { return std::abs(series.t(k) - series.t(i)) <= reach; };
  for (std::size_t k = i, count = 0; count < side && k-- > 0 && is_near(k);)
    if (series.usable[k]) found.push_back(k), ++count;
  for (std::size_t k = i + 1, count = 0; count < side && k < series.size() && is_near(k); ++k)
    if (series.usable[k]) found.push_back(k), ++count;
  return found;
}

/// The neighbour that is nearest to all others, which is no outlier itself.
std::size_t most_central(const Series& series, const std::vector<std::size_t>& neighbours) {
  std::size_t best = neighbours.front();
  double nearest = infinity;
  for (const std::size_t a : neighbours) {
    std::vector<double> distances;
    for (const std::size_t b : neighbours) distances.push_back(beyond(series, a, b).lpNorm<Eigen::Infinity>());
    if (const double distance = median(distances); distance < nearest) {
      nearest = distance;
      best = a;
    }
  }
  return best;
}

/// Whether sample i is far from the lines through pairs of its neighbours, by their median and its spread.
bool outliers(const Series& series, std::size_t i, double limit) {
  const std::vector<std::size_t> neighbours = neighbours_of(series, i);
  if (neighbours.size() < least) return false;
  const std::size_t origin = most_central(series, neighbours);
  const Eigen::VectorXd here = beyond(series, origin, i);
  std::vector<Eigen::VectorXd> there;
  for (const std::size_t k : neighbours) there.push_back(beyond(series, origin, k));
  for (Eigen::Index row = 0; row < here.size(); ++row) {
    std::vector<double> expected;
    for (std::size_t a = 0; a < neighbours.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const double t_a = series.t(neighbours[a]), t_b = series.t(neighbours[b]);
        if (std::abs(t_a - t_b) <= same_time) continue;
        const double share = (series.t(i) - t_a) / (t_b - t_a);
        expected.push_back(there[a][row] + share * (there[b][row] - there[a][row]));
      }
    if (expected.size() < least) return false;
    const double centre = median(expected);
    for (double& value : expected) value = std::abs(value - centre);
    const double spread = of_mad * median(expected) + series.sigma(row);
    if (!(std::abs(here[row] - centre) <= limit * spread)) return true;
  }
  return false;
}

/// A cheap test that every stray fails: far from both the sample before and the one after.
bool may_be_outlier(const Series& series, std::size_t i, std::size_t before, std::size_t after, double limit) {
  const double far = limit * series.readings->sigma.minCoeff();
  const auto is_far = [&](std::size_t k) {
    return k >= series.size() || !(beyond(series, k, i).lpNorm<Eigen::Infinity>() <= far);
  };
  return is_far(before) && is_far(after);
}

}  // namespace

void leave_out_outliers(Series& series, double limit) {
  std::vector<std::size_t> samples, found;
  for (std::size_t i = 0; i < series.size(); ++i)
    if (series.usable[i]) samples.push_back(i);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const std::size_t none = series.size();
    const std::size_t before = k > 0 ? samples[k - 1] : none,
                      after = k + 1 < samples.size() ? samples[k + 1] : none;
    if (may_be_outlier(series, samples[k], before, after, limit) && outliers(series, samples[k], limit))
      found.push_back(samples[k]);
  }
  for (const std::size_t i : found) series.usable[i] = 0;
  series.outliers += found.size();
}

}  // namespace fathom::filter::internal
