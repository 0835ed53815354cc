#pragma once
#include <vector>

#include <Eigen/Core>

namespace fathom::filter {

/// A Butterworth low-pass filter in second-order sections, run forward and then backward: no phase, the square
/// of the magnitude (one half at the cut-off), docs/filters.md eq. 16. Series are extended at both ends by
/// their reflection through the end point, for as long as the filter takes to settle, and the sections begin in
/// the steady state of the first value; so a straight line passes as it is.
class Butterworth {
 public:
  /// Throws InputError unless 1 <= order <= 16 and 0 < cutoff_hz < 1 / (2 dt).
  Butterworth(int order, double cutoff_hz, double dt);

  /// Row by row. Throws InputError where there are no more than 3 (order + 1) samples.
  Eigen::MatrixXd apply(const Eigen::Ref<const Eigen::MatrixXd>& rows) const;
  /// Samples that a series is extended by, if it has more than that.
  Eigen::Index extension() const { return extension_; }

 private:
  struct Section {
    double b0, b1, b2, a1, a2;
  };
  void run(Eigen::VectorXd& x) const;

  std::vector<Section> sections_;
  Eigen::Index least_, extension_ = 0;
};

/// A Gaussian window and its slope as a pair: smooth(x) is h * x, slope(x) is h' * x, the derivative of what
/// smooth gives, to the 1e-3 that cutting at four sigma leaves; docs/filters.md eq. 17. Constants and straight
/// lines are exact. Both sides of an equation that is linear in x and its rate may be seen through them.
class Gaussian {
 public:
  /// Throws InputError unless both are positive and sigma is at least dt / 2.
  Gaussian(double sigma, double dt);

  /// Samples on either side that an output depends on.
  Eigen::Index reach() const { return smooth_.size() - 1; }
  /// Row by row, as many columns as came in; the first and last `reach` see the end values repeated.
  Eigen::MatrixXd smooth(const Eigen::Ref<const Eigen::MatrixXd>& rows) const;
  Eigen::MatrixXd slope(const Eigen::Ref<const Eigen::MatrixXd>& rows) const;
  /// The same at samples `reach`, `reach` + step, ... as far as their inputs are all there: no end is made up.
  /// Throws InputError for a step below one, or a series that has no such sample.
  Eigen::MatrixXd smooth_every(Eigen::Index step, const Eigen::Ref<const Eigen::MatrixXd>& rows) const;
  Eigen::MatrixXd slope_every(Eigen::Index step, const Eigen::Ref<const Eigen::MatrixXd>& rows) const;
  /// 1 where every input within reach is there and usable.
  std::vector<char> usable(const std::vector<char>& inputs) const;

 private:
  Eigen::VectorXd smooth_, slope_;  // at 0, dt, 2 dt ..: even and odd
};

}  // namespace fathom::filter
