#pragma once
#include <array>

#include <Eigen/Core>

namespace fathom::solve::internal {

using FourRows = std::array<const double*, 4>;

/// y += w0 c0 + w1 c1 + w2 c2 + w3 c3 over n numbers each. Four at once: y is loaded and stored a fourth as
/// often, which is what such sums spend their time on. y overlaps none of the others.
inline void add_four(double* __restrict y, const FourRows& c, const std::array<double, 4>& w, Eigen::Index n) {
  const double w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3];
  const double* __restrict c0 = c[0], * __restrict c1 = c[1], * __restrict c2 = c[2], * __restrict c3 = c[3];
  for (Eigen::Index j = 0; j < n; ++j) y[j] += (w0 * c0[j] + w1 * c1[j]) + (w2 * c2[j] + w3 * c3[j]);
}

}  // namespace fathom::solve::internal
