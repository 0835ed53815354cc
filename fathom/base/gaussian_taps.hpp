#pragma once
#include <Eigen/Core>

namespace fathom {

/// Weights of 2 reach + 1 samples, dt apart, for what a Gaussian window shows of them at `offset` [s] from the
/// middle one: the value, and its rate. Of a constant the value is exact, of a straight line the rate is, and
/// in the middle the value too.
struct GaussianTaps {
  GaussianTaps(double sigma, double dt, Eigen::Index reach, double offset = 0);

  Eigen::VectorXd value, rate;
};

}  // namespace fathom
