#pragma once
#include <Eigen/Core>

namespace fathom {

/// Holds the filter weights of a Gaussian window over 2 reach + 1 samples, dt apart, evaluated at `offset` [s]
/// from the middle sample: `value` for the smoothed value, `rate` for its derivative. Constants keep their
/// value and straight lines their rate exactly; at offset 0 straight lines keep their value too.
struct GaussianTaps {
  GaussianTaps(double sigma, double dt, Eigen::Index reach, double offset = 0);

  Eigen::VectorXd value, rate;
};

}  // namespace fathom
