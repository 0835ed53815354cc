#pragma once
#include <span>

#include "fathom/geometry/types.hpp"
#include "fathom/model/thruster_map.hpp"

namespace fathom::dynamics::internal {

/// The least sum of weight f^2 with A f = y within the limits, by its six multipliers: there
/// f_i = clamp(a_i' lambda / w_i), and A f(lambda) = y is solved by Newton's method, which climbs the concave
/// dual function. A dozen steps or so, each of the order of n, where an active set needs about n. Gives up
/// where y cannot be had, or is too near the edge of what can. Takes no memory beside its scratch.
class DualNewton {
 public:
  struct Scratch {
    explicit Scratch(int thrusters) : slope(thrusters), rate(thrusters) {}
    Eigen::VectorXd slope, rate;  // a_i' lambda, and its change along a step
  };

  /// `unit`: N, the size of a force. All must outlive it.
  DualNewton(const Mat6X& A, const Eigen::VectorXd& inverse_weights, std::span<const model::ForceRange> limits,
             double unit, Scratch& scratch);

  /// True if found; else f is as it was. Forces that are `held` stay as they are in f.
  bool solve(const Vec6& y, std::span<const char> held, Eigen::VectorXd& f) const;

 private:
  struct Look;  // at one lambda
  Look look(const Vec6& y, std::span<const char> held, const Eigen::VectorXd& f, const Vec6& lambda) const;
  double step_length(double y_rate, std::span<const char> held) const;
  double force(Eigen::Index i, double slope) const;

  const Mat6X& A_;
  const Eigen::VectorXd& inverse_weights_;
  std::span<const model::ForceRange> limits_;
  double reach_;  // N, N m: the largest wrench that there could be
  Scratch& s_;
};

}  // namespace fathom::dynamics::internal
