#pragma once
#include <cstdint>
#include <filesystem>

#include <Eigen/Core>

#include "fathom/base/thread_pool.hpp"
#include "fathom/excite/margins.hpp"

namespace fathom::studies {

struct NoiseStudyOptions {
  int draws = 200;
  std::uint64_t seed = 1;
};

/// How well a motion lets somebody with a log identify the robot: the problem's noise on velocities and wrench
/// is drawn many times, and each time the parameters are found by least squares.
struct NoiseStudy {
  int draws = 0;         ///< done; fewer than asked for where the user interrupted
  Eigen::VectorXd rms;   ///< of each parameter's error over its scale
  Eigen::VectorXd mean;  ///< likewise: what does not average out
  double error = 0;      ///< root mean square over parameters and draws
  double bias = 0;       ///< root mean square of `mean`; error / sqrt(draws) of it is chance
  double predicted = 0;  ///< excite::ExpectedAccuracy::error of the same motion, priors left aside
  double filter = 0;     ///< s, standard deviation of the filter's kernel
};

/// `truth`: the structure's parameters; `grid` has the problem's sampling. A draw depends on seed and number
/// alone. Nothing but velocities, attitude and wrench is measured. Accelerations are had as most would: both
/// sides of tau = Y theta pass the same zero-phase filter h, and h * nu_dot = h' * nu. So the filter itself
/// biases nothing, however wide; what noise in the regressor biases is part of the result. Throws InputError
/// where there are no draws, the motion is too short for the filter, or shows less than all parameters.
NoiseStudy study_noise(const excite::Problem& problem, const Eigen::VectorXd& truth, const excite::Grid& grid,
                       WorkerPool& pool, const NoiseStudyOptions& options = {});

/// Standard deviation [s] of the Gaussian kernel: a third of the shortest time in which the limits let a
/// coordinate reach its full speed, .5 s for .2 m/s^2 and .3 m/s. A swing at both limits then loses 5 %, while
/// noise of 0.01 m/s leaves accelerations within 0.005 m/s^2 at 5 Hz.
double filter_width(const excite::Problem& problem);

/// Reads `name: value` of every parameter of the structure. Throws InputError for those that lack or are
/// unknown.
Eigen::VectorXd read_truth(const std::filesystem::path& path, const model::Structure& structure);

}  // namespace fathom::studies
