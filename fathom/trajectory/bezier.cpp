#include "fathom/trajectory/bezier.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::trajectory {
namespace {

void check_knots(const std::vector<double>& knots) {
  if (knots.size() < 2) reject("knots", fmt::format("has {} entries, at least 2 are needed", knots.size()));
  for (std::size_t k = 0; k < knots.size(); ++k) {
    const std::string key = fmt::format("knots[{}]", k);
    if (!std::isfinite(knots[k])) reject(key, fmt::format("= {} s, is not finite", knots[k]));
    if (k > 0 && !(knots[k] > knots[k - 1]))
      reject(key, fmt::format("= {} s, must be above the knot before, {} s", knots[k], knots[k - 1]));
  }
}

// Bernstein polynomials of degree k - 1 to those of degree k, in place: sums of positive numbers only.
void raise(int k, double u, Eigen::Ref<Eigen::VectorXd> b) {
  for (int i = k; i > 0; --i) b[i] = (1 - u) * b[i] + u * b[i - 1];
  b[0] *= 1 - u;
}

}  // namespace

Bezier::Bezier(std::vector<double> knots, int degree, Eigen::MatrixXd points)
    : knots_(std::move(knots)), degree_(degree), points_(std::move(points)) {
  check_knots(knots_);
  if (degree_ < 1) reject("degree", fmt::format("= {}, must be >= 1", degree_));
  const Eigen::Index columns = pieces() * (degree_ + 1);
  if (points_.cols() != columns)
    reject("points", fmt::format("has {} columns, {} pieces of degree {} need {}", points_.cols(), pieces(),
                                 degree_, columns));
  if (!points_.allFinite()) reject("points", "is not finite");
}

Bezier::Sample Bezier::at(double t) const {
  if (std::isnan(t)) reject("t", "is not a number");
  const double inside = std::clamp(t, begin(), end());
  // The last piece that has begun; the end belongs to the last.
  const auto after = std::upper_bound(knots_.begin() + 1, knots_.end() - 1, inside);
  const double from = *(after - 1), duration = *after - from;
  Eigen::VectorXd value(degree_ + 1), first(degree_ + 1), second(degree_ + 1);
  bernstein(degree_, (inside - from) / duration, value, first, second);
  const auto points = points_.middleCols((after - 1 - knots_.begin()) * (degree_ + 1), degree_ + 1);
  return {points * value, points * first / duration, points * second / (duration * duration)};
}

void bernstein(int n, double u, Eigen::Ref<Eigen::VectorXd> value, Eigen::Ref<Eigen::VectorXd> first,
               Eigen::Ref<Eigen::VectorXd> second) {
  value.setZero();
  value[0] = 1;
  for (int k = 1; k <= n - 2; ++k) raise(k, u, value);
  // b_i,n'' = n (n - 1) (b_i-2,n-2 - 2 b_i-1,n-2 + b_i,n-2), b_i,n' = n (b_i-1,n-1 - b_i,n-1).
  const auto entry = [&](int i) { return i < 0 ? 0 : value[i]; };
  for (int i = 0; i <= n; ++i)
    second[i] = n < 2 ? 0 : n * (n - 1) * (entry(i - 2) - 2 * entry(i - 1) + entry(i));
  if (n >= 2) raise(n - 1, u, value);
  for (int i = 0; i <= n; ++i) first[i] = n < 1 ? 0 : n * (entry(i - 1) - entry(i));
  if (n >= 1) raise(n, u, value);
}

}  // namespace fathom::trajectory
