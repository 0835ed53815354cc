#pragma once
#include <cmath>

#include <Eigen/Core>

#include "fathom/base/constants.hpp"

namespace fathom::filter::internal {

/// A value and its slope by columns.
struct Interpolated {
  double value = nan, slope = nan;
};

/// Row `row` of x at a place between columns: cubic convolution (Keys 1981), smooth in the place. NaN where a
/// neighbour on either side is missing.
inline Interpolated between_columns(const Eigen::Ref<const Eigen::MatrixXd>& x, Eigen::Index row,
                                    double place) {
  const double floor = std::floor(place);
  if (!(floor >= 1 && floor + 2 < static_cast<double>(x.cols()))) return {};
  const auto k = static_cast<Eigen::Index>(floor);
  const double s = place - floor, a = x(row, k - 1), b = x(row, k), c = x(row, k + 1), d = x(row, k + 2);
  const double m0 = 0.5 * (c - a), m1 = 0.5 * (d - b), c2 = 3 * (c - b) - 2 * m0 - m1,
               c3 = m0 + m1 - 2 * (c - b);
  return {b + s * (m0 + s * (c2 + s * c3)), m0 + s * (2 * c2 + 3 * s * c3)};
}

}  // namespace fathom::filter::internal
