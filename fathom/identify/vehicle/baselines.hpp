#pragma once
#include <span>
#include <vector>

#include "fathom/dynamics/vehicle.hpp"
#include "fathom/identify/commanded/vehicle_score.hpp"
#include "fathom/identify/vehicle/recording.hpp"
#include "fathom/model/identified.hpp"

namespace fathom::identify {

struct BaselineOptions {
  double delay = 0;                   ///< s, from command to wrench, of the vehicle
  std::vector<Vec3> currents_n = {};  ///< m/s, of each unseen recording; empty: still water
  bool measured_tilt = false;         ///< as PredictionOptions has it
  AccelerationOptions acceleration = {};
  FreeRunOptions free_run{.settle = 1};
};

using LinePerAxis = model::IdentifiedParameters::Baseline;

/// Fits `nu_dot_i = a tau_i + b nu_i + c`, each axis that moves and is driven for itself and all with one lag,
/// where tau is what was commanded, before any command path. Throws InputError where no recording has a stretch
/// as long as a free run.
LinePerAxis fit_line_per_axis(std::span<const Recording> seen, const BaselineOptions& options = {});

/// A vehicle on recordings that it has not seen, beside two models that anybody has: constant velocity, and a
/// line per axis. docs/identification.md eq. 33. Throws InputError where no recording has a stretch as long as
/// a window.
ComparedScores compare_with_baselines(const dynamics::Vehicle& vehicle, std::span<const Recording> unseen,
                                      const LinePerAxis& line, const BaselineOptions& options = {});

}  // namespace fathom::identify
