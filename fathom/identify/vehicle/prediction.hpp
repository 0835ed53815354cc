#pragma once
#include <cstddef>
#include <vector>

#include "fathom/dynamics/vehicle.hpp"
#include "fathom/identify/vehicle/recording.hpp"

namespace fathom::identify {

struct PredictionOptions {
  double delay = 0;               ///< s, from command to wrench
  Vec3 current_n = Vec3::Zero();  ///< m/s
  /// s; the prediction starts anew from the measured state this often. 0: never, forward over the whole log.
  double horizon = 0;
  /// Of a vehicle without roll and pitch: takes them and their rates from the recording, as the regression
  /// does. The prediction then knows more than the commands; who shows it says so.
  bool measured_tilt = false;
};

/// Velocities that the model gives from the inputs alone, at the track's times.
struct Prediction {
  Mat6X nu_b;  ///< NaN where it does not run (before the first and after the last usable sample)
  /// 1 where prediction and measurement can be compared.
  std::vector<char> compared;
  std::size_t starts = 0;    ///< how often it started from a measured state
  std::size_t diverged = 0;  ///< samples that are NaN because the model ran away (above 100 m/s or rad/s)
};

/// Forward simulation of the recording's wrench from its measured initial state: Runge-Kutta 4 at the track's
/// step, the wrench linear between its samples. Held velocities of a vehicle with fewer than six degrees of
/// freedom stay zero, roll and pitch too, unless `measured_tilt` has them. After a gap in the usable samples it
/// starts anew; a sample that it starts from is not compared, and none is until the wrench of a delay ago is
/// known. Throws InputError for options that are not finite or negative, and for a recording whose parts differ
/// in length.
Prediction predict(const dynamics::Vehicle& vehicle, const Recording& recording,
                   const PredictionOptions& options = {});
/// The same with a further wrench, of no delay, at the track's times.
Prediction predict(const dynamics::Vehicle& vehicle, const Recording& recording,
                   const PredictionOptions& options, const Mat6X& disturbance_b);

}  // namespace fathom::identify
