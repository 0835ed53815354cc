#pragma once
#include <vector>

#include <Eigen/Core>

#include "fathom/dynamics/vehicle.hpp"
#include "fathom/excite/information.hpp"
#include "fathom/excite/problem.hpp"
#include "fathom/excite/samples.hpp"

namespace fathom::excite {

/// A lag as identification knows it beforehand, as a Gaussian.
struct LagPrior {
  double mean = 0, sigma = 0;  ///< s
};
/// What the robot file says of its thrusters' lag: the mean where they differ, with 15 % where the file has no
/// sigma. Where it gives none, the mean and standard deviation of 1/T between .01 and .6 s. No sigma for
/// thrusters with a motor or an axial flow, whose law `identify` keeps.
LagPrior lag_prior(const model::Robot& robot);

/// What errors of the thrusters do to the wrench that identification takes for known, by sample: of their lag,
/// their delay, the gain of each, and the table that they share; docs/excitation.md eqs. 25 to 27. Each column
/// has a prior of sigma 1. One per thread: it holds scratch memory.
class ThrusterErrors {
 public:
  /// `mask`: 1 for samples, 0 for rows that only fill a block; rows are in the order of time, problem.sampling
  /// apart. Empty where the problem does not count errors of thrusters, or the robot has no thrusters.
  ThrusterErrors(const Problem& problem, const Eigen::ArrayXd& mask);

  bool empty() const { return columns_.empty(); }
  const std::vector<ErrorColumn>& columns() const { return columns_; }
  /// Columns of Samples::wrench.
  Eigen::Index width() const { return width_; }

  /// Fills `wrench` of the samples from their motion. Does not allocate.
  void fill(Samples& at);
  /// Hands the derivative by `wrench` on to nu, nu_dot and down, at the motion that was last filled in. Does
  /// not allocate.
  void add_gradient(Samples& adjoint);

 private:
  /// A smooth error of a table on one side, force (constant + linear |force|): prior sigma 1. A force near zero
  /// has some of both sides, so that the criterion has no kink there.
  struct Mode {
    std::vector<Eigen::Index> thrusters;
    double side, constant, linear, width;
    /// The error of a force [N], and its slope.
    double error(double force) const;
    double slope(double force) const;
  };
  void add_tables(const model::Robot& robot);
  void add_columns(const LagPrior& lag, double gain_sigma);
  void fill_modes(Eigen::Index i, Samples& at) const;
  Eigen::ArrayXXd::ColXpr column(Samples& at, Eigen::Index group, Eigen::Index axis) const {
    return at.wrench.col(6 * group + axis);
  }

  dynamics::Vehicle vehicle_;
  std::vector<int> axes_;           // free ones
  std::vector<Eigen::Index> rows_;  // of samples, in order of time
  double interval_, keep_ = 0;      // s; what a lag keeps of its state over an interval
  Eigen::MatrixXd B_, inverse_;     // free axes x thrusters and its pseudo-inverse
  std::vector<Mode> modes_;
  std::vector<ErrorColumn> columns_;
  Eigen::Index width_ = 0;
  std::vector<Mat6> by_twist_;
  Eigen::MatrixXd forces_, forces_adjoint_, wrench_;  // a column per sample
};

}  // namespace fathom::excite
