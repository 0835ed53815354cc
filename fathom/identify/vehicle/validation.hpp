#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/identify/metrics.hpp"
#include "fathom/identify/vehicle/band.hpp"
#include "fathom/identify/vehicle/current_fit.hpp"
#include "fathom/identify/vehicle/prediction.hpp"

namespace fathom::identify {

struct ValidationOptions {
  PredictionOptions prediction;
  std::optional<WarpOptions> warp = WarpOptions();  ///< the slowest part: 50 ms for 280 s at 50 Hz
  std::optional<BandOptions> band;                  ///< with prediction bands
  double delay_sigma = 0;                           ///< s, for the bands
  /// Of the wrench that the model leaves unexplained, for the bands; never of the recordings to predict.
  std::optional<ResidualStatistics> residual = {};
  std::optional<DataRange> range = {};  ///< of the data that the model comes from
  /// Of each recording, or empty: all have that of `prediction`.
  std::vector<CurrentFit> currents = {};

  PredictionOptions prediction_of(std::size_t recording) const;
};

/// How well one velocity of one recording is predicted.
struct VelocityResult {
  Metrics metrics;
  double warp_mean = nan;  ///< m/s or rad/s
  double coverage = nan;   ///< of the band
  double noise = nan;      ///< rms of the measurement's standard deviation
  double range = nan;      ///< of the measurement
};

struct RecordingResult {
  std::string name;
  std::size_t samples = 0, compared = 0;
  Prediction prediction;
  std::optional<Band> band;
  std::vector<BeyondRange> beyond = {};      ///< where it leaves the range
  std::array<VelocityResult, 6> velocities;  ///< in the order of [u v w p q r]; held ones have no samples
};

/// Five numbers of a sample, by linear interpolation between its order statistics; NaN where it is empty.
struct Spread {
  double least, low_quartile, median, high_quartile, most;
  std::size_t count = 0;
};
/// What is not finite is left out.
Spread spread_of(std::vector<double> values);

/// Forward simulation of unseen recordings.
struct Validation {
  model::Dof dof = model::Dof::six;
  std::vector<RecordingResult> recordings;
  bool has_covariance = false;  ///< the robot says how well it is known: the bands hold that too

  /// Over recordings.
  Spread r2(int velocity) const;
  Spread rmse(int velocity) const;
  Spread coverage(int velocity) const;
  bool diverged() const;  ///< somewhere
};

/// Predicts each recording.
Validation validate(const model::Robot& robot, const model::Environment& environment, model::Dof dof,
                    std::span<const Recording> recordings, const ValidationOptions& options, ThreadPool& pool);

/// Adds what options.warp asks for; validate() does that too.
void add_warps(Validation& validation, std::span<const Recording> recordings, const WarpOptions& options,
               WorkerPool& pool);
/// Adds the bands that options.band asks for; validate() does that too.
void add_bands(Validation& validation, const model::Robot& robot, const model::Environment& environment,
               std::span<const Recording> recordings, const ValidationOptions& options, WorkerPool& pool);

/// Are four degrees of freedom enough? By surge, sway, heave and yaw, which both have.
struct DofComparison {
  double four = 0, six = 0;  ///< median over recordings of the mean rmse over range
  double noise =
      0;  ///< the same of what the measurement itself is unsure of, or of the scatter between recordings
  bool six_is_better = false;
  std::string verdict;  ///< a sentence
};
DofComparison compare_dof(const Validation& four, const Validation& six);

/// The structure of the parameters that the robot was identified by; the full one where it was not.
model::Structure identified_structure(const model::Robot& robot, model::Dof dof);

}  // namespace fathom::identify
