#pragma once
#include <optional>
#include <string>

#include <Eigen/Core>

namespace fathom::identify {

/// What a carriage recorded while it accelerated, towed and braked.
struct TowingRecord {
  Eigen::VectorXd t;      ///< s, rising
  Eigen::VectorXd force;  ///< N along the path (N m about the axis), as long as t
  Eigen::VectorXd speed;  ///< m/s (rad/s), as long as t; empty: only the force tells
};

/// Mean of a series that remembers (docs/tank-tests.md eq. 1): so many samples are worth one independent one.
struct SerialMean {
  double value = 0;
  double variance = 0;           ///< of the mean, not of a sample
  double integral_time = 1;      ///< samples
  double effective_samples = 0;  ///< independent ones that tell as much
};
/// Throws InputError for fewer than 8 samples, or one that is not finite.
SerialMean serial_mean(const Eigen::Ref<const Eigen::VectorXd>& series);

struct SteadyOptions {
  double least_duration = 2;      ///< s; shorter ones say little of waves in the tank
  double speed_tolerance = 0.02;  ///< of the speed: what a carriage keeps to
  double force_tolerance = 0.1;   ///< of the force, where only that tells: waves and noise come on top
  double effective_samples = 4;   ///< at least: fewer give no variance
  Eigen::Index fewest_samples = 40;
};

struct SteadyPart {
  Eigen::Index from = 0, count = 0;  ///< samples
  double speed = 0;                  ///< m/s, mean; NaN where it was not measured
  SerialMean force;                  ///< N
};

/// Either a part or why there is none, for people.
struct SteadySearch {
  std::optional<SteadyPart> part = {};
  std::string why_not = {};
};

/// The longest stretch in which running medians of block means stay within the tolerance, less what the force
/// still takes to settle at its beginning (marginal standard error rule, White 1997). Throws InputError for
/// lengths that differ, times that do not rise, or numbers that are not finite.
SteadySearch find_steady_part(const TowingRecord& record, const SteadyOptions& options = {});

/// How many samples at the beginning are at rest: before the speed, or without it the force, leaves its noise.
Eigen::Index samples_at_rest(const TowingRecord& record);

}  // namespace fathom::identify
