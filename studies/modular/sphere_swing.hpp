#pragma once
#include <vector>

#include "fathom/base/random.hpp"

#include "studies/modular/sphere_pair.hpp"

namespace fathom::studies {

/// The plant of the decays: what is not fitted. Between the spheres is a rod with mass, added mass and drag of
/// its own; the water pushes; the markers sit a little differently in every run, are seen a little late, and
/// with noise.
class SphereSwing {
 public:
  static constexpr double seconds = 120, rate_hz = 10;
  static constexpr int samples = static_cast<int>(seconds * rate_hz);

  explicit SphereSwing(const SpherePair& spheres);

  /// The spheres' own: the thesis' fit.
  static SphereTheta truth() { return SphereTheta::printed_fit(); }
  /// Five runs, each let go with the rod about level.
  std::vector<identify::DecayRun> campaign(RandomStream& random);
  /// Five without anything random.
  std::vector<identify::DecayRun> quiet_campaign();

 private:
  /// From rest at this roll of A; `noise` scales all that is random.
  identify::DecayRun run(const std::string& name, double roll, double noise, RandomStream& random);

  CoupledRobots spheres_;
};

}  // namespace fathom::studies
