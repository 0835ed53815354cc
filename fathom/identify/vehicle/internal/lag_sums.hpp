#pragma once
#include <functional>
#include <span>
#include <vector>

#include <Eigen/Cholesky>

#include "fathom/identify/vehicle/fit.hpp"
#include "fathom/identify/vehicle/internal/weighed_rows.hpp"
#include "fathom/identify/vehicle/thruster_lag.hpp"

namespace fathom::identify::internal {

/// What a fit with the weights and the prior of another one needs of its rows, for many lags of the thrusters:
/// Y does not depend on the lag, so that Y'WY is made once and Y'W tau for all lags in one pass
/// (docs/identification.md eq. 40). Unknowns are the parameters and the current; the delay is a slope of tau.
class LagSums {
 public:
  LagSums(const Regression& regression, const Fit& fit, const FitOptions& options, const model::Robot& robot,
          const model::Environment& environment);

  /// Sums for one lag at one delay.
  struct Point {
    ThrusterLag lag;
    double delay = 0;                      ///< s
    Eigen::VectorXd moment = {};           ///< A'y
    double square = 0;                     ///< y'y
    Eigen::VectorXd moment_by_delay = {};  ///< A'u, u the slope of y by the delay
    double cross_by_delay = 0;             ///< y'u
    double square_by_delay = 0;            ///< u'u
  };
  void add_to(std::vector<Point>& points) const;

  /// A'A less what noise has added to it, with the rows of what was known before.
  const Eigen::MatrixXd& gram() const { return gram_; }
  /// By how much residuals that remember make the log of the likelihood too sure of the lag: long-run variance
  /// of the score by the lag over that of white residuals. At least 1.
  double inflation(const Point& at, const Point& below, const Point& above,
                   const Eigen::LDLT<Eigen::MatrixXd>& solver) const;
  /// A'w of `count` further wrenches, a column each: `make(recording, c)` is the c-th, on the recording's
  /// clock. It is asked for a few of them at a time, recording by recording.
  Eigen::MatrixXd moments_of(std::size_t count, double delay,
                             const std::function<Mat6X(const Recording&, std::size_t)>& make) const;

 private:
  /// How many columns of all rows are kept at once.
  std::size_t columns_at_once() const;
  Eigen::MatrixXd columns_of(std::span<const Point> points) const;
  void whiten(Eigen::MatrixXd& columns) const;
  template <class Take>
  void pass(const Take& take) const;

  const Regression& regression_;
  const model::Robot& robot_;
  const model::Environment& environment_;
  FitState state_;
  Extra extra_;
  std::vector<char> begins_;  // of each sample: a run does
  Eigen::MatrixXd gram_;
  Eigen::VectorXd moment_;  // of the rows as they are, with the prior's
  Eigen::VectorXd own_moment_;
  double square_ = 0, own_square_ = 0;
};

}  // namespace fathom::identify::internal
