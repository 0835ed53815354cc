#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "fathom/base/thread_pool.hpp"

#include "studies/study.hpp"

namespace fathom::studies {

/// Root mean squares of errors of predicted current, A.
struct ArianeErrors {
  double with = 0;     ///< actuators among the columns
  double without = 0;  ///< classical arm, friction at the joints
  double floor = 0;    ///< the true parameters in the model with actuators
  int samples = 0;
};

/// Of one joint, on runs that were not fitted.
struct ArianeJoint {
  ArianeErrors all;     ///< as Table IV has them
  ArianeErrors moving;  ///< without samples at rest, of which no model with dry friction tells the current
  /// Without / floor: the 1 % quantile over resampled blocks of 4 s, of all samples and of moving ones.
  double least_ratio_of_all = 0, least_ratio = 0;
  /// Moving, fitted to a run in the middle 60 % of the ranges, at samples with this joint beyond it.
  ArianeErrors beyond;
};

/// The experiment of Leborne et al. 2018 on a simulated arm: excitation in the motors' space, cascaded loops, a
/// plant that is richer than any model fitted here; trained on one motion, judged on `judged` others.
struct ArianeResult {
  std::array<ArianeJoint, 3> joints;
  std::size_t base_with = 0, base_without = 0;  ///< base parameters
  double condition = 0, raw_condition = 0;      ///< of the training excitation
  double least_margin = 0;                      ///< of all excitations to any limit, as a share of it
  double worst_tracking = 0;                    ///< rad of a shaft
  int saturated = 0;
};
inline constexpr std::uint64_t ariane_judged = 5;
/// Throws Interrupted once cancellation was requested.
ArianeResult ariane_experiment(const std::string& arm_file, std::uint64_t seed, ThreadPool& pool,
                               std::uint64_t judged = ariane_judged);

/// The same as rows of a study: Table IV beside ours, the floor, and what must hold: with actuators at most
/// 1.15 of the floor, without them above it by 99 %.
std::vector<StudyRow> ariane_rows(const ArianeResult& result);

}  // namespace fathom::studies
