#pragma once

#include "fathom/identify/commanded/vehicle_fit.hpp"

namespace fathom::identify {

struct FreeRunOptions {
  double window = 5;           ///< s, from a measured state on with commands alone
  double every = 1;            ///< s between the windows' beginnings
  double settle = 0.8;         ///< s after the run's beginning, in which smoothing has but one side
  double longest_step = 0.05;  ///< s, of Heun's method; whole steps of the grid
  /// What becomes of a model that runs away, beyond 100 m/s: rejected, or held there until its window ends.
  bool reject_runaway = true;
};

/// Where the windows of a run lie. Throws InputError for a run that is shorter than a window.
struct FreeRunWindows {
  Eigen::Index step, steps;  ///< samples; how many of them a window has
  Eigen::Index first, every, room;

  FreeRunWindows(const CommandedRun& run, const FreeRunOptions& options);
  Eigen::Index count() const { return room / every + 1; }
  Eigen::Index begin(Eigen::Index window) const { return first + window * every; }  ///< sample of the run
};

/// Velocities at the sensor, a sample per column, window after window without their first.
struct FreeRun {
  Mat6X predicted_c, measured_c;
  Mat6X held_c;  ///< that of each window's beginning: what "constant velocity" predicts
};
/// Throws InputError for a run that is shorter than a window, or a model that runs away.
FreeRun free_run(const VehicleFit& fit, const CommandedRun& run, const FreeRunOptions& options = {});

/// How well the accelerations and free runs of unseen runs come out, all of them together, per axis.
struct VehicleScore {
  Vec6 r2 = Vec6::Zero();                 ///< of blurred accelerations at the sensor
  Vec6 constant_r2 = Vec6::Zero();        ///< of no acceleration at all: 0 or just below
  Vec6 error_over_spread = Vec6::Zero();  ///< of free runs; docs/identification.md eq. 33
  Vec6 constant_error_over_spread = Vec6::Zero();
  /// Sums of squared errors by blocks of the length of a window (a column each), of the model and of the
  /// baseline; and those of the measurement about its mean, of all blocks.
  Mat6X rate_errors{6, 0}, constant_rate_errors{6, 0}, free_errors{6, 0}, constant_free_errors{6, 0};
  Vec6 rate_spread = Vec6::Zero();
};
/// A run and the model that has not seen it.
struct UnseenRun {
  const VehicleFit* fit;
  const BlurredRun* run;
};
/// Runs of several, put together.
class ScoreSums {
 public:
  void add(const UnseenRun& one, const FreeRunOptions& options);
  /// So many samples of the rates, and of the free runs, are a block.
  struct BlockSize {
    Eigen::Index rates, free;
    BlockSize(const BlurredRun& run, const FreeRunOptions& options);
  };
  void add(const Mat6X& rates_c, const Mat6X& predicted_c, const FreeRun& free, const BlockSize& block);
  VehicleScore score() const;

 private:
  Mat6X rates_c_{6, 0}, predicted_c_{6, 0};
  FreeRun free_{Mat6X(6, 0), Mat6X(6, 0), Mat6X(6, 0)};
  VehicleScore blocks_;  // their errors alone
};

/// A model and the linear one on the same unseen runs; the third, constant velocity, is in either score.
struct ComparedScores {
  VehicleScore ours, linear;

  double gain(int axis) const;   ///< in R2 of acceleration over the better baseline
  double ratio(int axis) const;  ///< of the free runs' error to that of the better baseline
  /// Standard errors of the two by paired blocks; infinite where there is but one.
  double gain_sigma(int axis) const;
  double ratio_sigma(int axis) const;
};

VehicleScore score_vehicle(const std::vector<UnseenRun>& runs, const FreeRunOptions& options = {});

}  // namespace fathom::identify
