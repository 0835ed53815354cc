#include "fathom/base/gaussian_taps.hpp"

#include <cmath>

namespace fathom {

GaussianTaps::GaussianTaps(double sigma, double dt, Eigen::Index reach, double offset)
    : value(2 * reach + 1), rate(value.size()) {
  const auto time = [&](Eigen::Index k) { return static_cast<double>(k - reach) * dt; };
  for (Eigen::Index k = 0; k < value.size(); ++k)
    value[k] = std::exp(-0.5 * std::pow((time(k) - offset) / sigma, 2));
  value /= value.sum();
  // The slope of the window; cut off and sampled, it gives constants and lines nearly what it should.
  for (Eigen::Index k = 0; k < rate.size(); ++k) rate[k] = (time(k) - offset) * value[k];
  rate.array() -= rate.mean();
  double of_line = 0;
  for (Eigen::Index k = 0; k < rate.size(); ++k) of_line += rate[k] * time(k);
  rate /= of_line;
}

}  // namespace fathom
