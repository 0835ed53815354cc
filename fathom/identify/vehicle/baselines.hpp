#pragma once
#include <span>

#include "fathom/dynamics/vehicle.hpp"
#include "fathom/identify/commanded/vehicle_score.hpp"
#include "fathom/identify/vehicle/recording.hpp"

namespace fathom::identify {

struct BaselineOptions {
  double delay = 0;               ///< s, from command to wrench, of the vehicle
  Vec3 current_n = Vec3::Zero();  ///< m/s
  AccelerationOptions acceleration = {};
  FreeRunOptions free_run{.settle = 1};
};

/// A vehicle on recordings that it has not seen, beside two models that anybody has: constant velocity; and
/// `nu_dot_i = a tau_i + b nu_i + c`, each axis for itself with the best lag of its own, fitted to `seen`,
/// where tau is what was commanded, before any command path. docs/identification.md eq. 33. Throws InputError
/// where a recording has no stretch as long as a window.
ComparedScores compare_with_baselines(const dynamics::Vehicle& vehicle, std::span<const Recording> unseen,
                                      std::span<const Recording> seen, const BaselineOptions& options = {});

}  // namespace fathom::identify
