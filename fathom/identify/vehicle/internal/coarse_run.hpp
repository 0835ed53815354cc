#pragma once
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/identify/vehicle/recording.hpp"

namespace fathom::identify::internal {

/// Samples in a step of a simulation: the vehicle's fastest motion, decay by drag or swing about level, takes
/// many steps, and no step is longer than a tenth of a second.
Eigen::Index step_of(const dynamics::Vehicle& vehicle, const Recording& recording);

/// Sums of a wrench from the first sample on, linear between samples: means over any stretch at the cost of two
/// looks. Keeps a reference to the wrench.
class WrenchIntegral {
 public:
  explicit WrenchIntegral(const Mat6X& tau_b);
  /// Between two places, 2.5 being half-way between samples 2 and 3; beyond either end the end value goes on.
  Vec6 mean(double from, double until) const { return (to(until) - to(from)) / (until - from); }

 private:
  Vec6 to(double place) const;

  const Mat6X& tau_b_;
  Mat6X sums_;
};

/// The state a time `h` later, by Runge-Kutta 4 with the step's mean wrench: what a velocity gets of the wrench
/// over a step is exact to first order.
dynamics::State stepped(const dynamics::Vehicle& vehicle, const model::Current& current,
                        const dynamics::State& state, const Vec6& tau_b, double h);

}  // namespace fathom::identify::internal
