#pragma once
#include <vector>

#include "fathom/dynamics/vehicle.hpp"
#include "fathom/identify/recording.hpp"

namespace fathom::identify {

struct PredictionOptions {
  double delay = 0;               ///< s, from command to wrench
  Vec3 current_n = Vec3::Zero();  ///< m/s
  /// s; the prediction starts anew from the measured state this often. 0: never, forward over the whole log.
  double horizon = 0;
};

/// Velocities that the model gives from the inputs alone, at the track's times.
struct Prediction {
  Mat6X nu_b;  ///< NaN where it does not run (before the first and after the last usable sample)
  /// 1 where prediction and measurement can be compared.
  std::vector<char> compared;
};

/// Forward simulation of the recording's wrench from its measured initial state. Held velocities of a vehicle
/// with fewer than six degrees of freedom stay zero, roll and pitch too.
Prediction predict(const dynamics::Vehicle& vehicle, const Recording& recording,
                   const PredictionOptions& options = {});

}  // namespace fathom::identify
