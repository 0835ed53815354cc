#pragma once
#include <cstdint>
#include <vector>

#include "fathom/base/thread_pool.hpp"
#include "fathom/identify/vehicle/prediction.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::identify {

/// What a model leaves unexplained of a recording, on its clock: tau(t - delay) less what the measured motion
/// needs.
struct WrenchResiduals {
  double dt = 0;  ///< s
  Mat6X wrench_b;
  std::vector<char> usable;  ///< 0 where there is none
};
WrenchResiduals residuals_of(const dynamics::Vehicle& vehicle, const Recording& recording,
                             const PredictionOptions& options = {});

/// A model and how well it is known.
struct UncertainModel {
  model::Robot robot;
  model::Environment environment;
  model::Structure structure;
  /// In the order of the structure. What has an infinite variance is taken as exact: nothing is known of how
  /// wrong it may be.
  model::ParameterVector parameters;
  PredictionOptions prediction;
  double delay_sigma = 0;  ///< s
  std::vector<WrenchResiduals>
      residuals;  ///< of data other than those to predict; none: the water does nothing else
};

struct BandOptions {
  int members = 64;
  std::uint64_t seed = 1;
  double level = 0.95;  ///< share of the measurements that the band shall hold
};

/// Where measured velocities are expected.
struct Band {
  Mat6X low, high;  ///< NaN where nothing is predicted; zero width for held velocities
  /// 1 where band and measurement can be compared.
  std::vector<char> compared;
  Vec6 coverage;             ///< share of the compared samples inside, per velocity; NaN for held ones
  double block = 0;          ///< s, of the residuals drawn at a time; 0: none
  std::size_t redrawn = 0;   ///< draws of parameters that no body has
  std::size_t shrunk = 0;    ///< members that had to be drawn nearer to the estimate
  std::size_t ran_away = 0;  ///< members that left 100 m/s; left out where they did
};

/// Simulates the recording with models drawn from the estimate's distribution (docs/identification.md). Each
/// member has its own parameters, delay, initial velocity and a wrench of residuals, drawn in blocks so that
/// its memory is that of the data. The band is mean +- t times the members' standard deviation; t is Student's
/// for a further draw. Residuals hold the error of the measured motion too: simulated, they give it back. So
/// the noise of the measured velocities is added in quadrature only where there are no residuals. (With both,
/// bands of simulated logs held 99.9 %, as it is 95 to 98 %.) Deterministic for a seed, whatever the pool.
Band band(const UncertainModel& uncertain, const Recording& recording, const BandOptions& options,
          WorkerPool& pool);

}  // namespace fathom::identify
