#include "fathom/identify/vehicle/log_currents.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "fathom/base/error.hpp"
#include "fathom/identify/vehicle/identified_robot.hpp"
#include "fathom/model/candidates.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

constexpr int most_rounds = 6;
constexpr double settled = 0.003;     // m/s, from one round to the next
constexpr double least_apart = 0.02;  // m/s: less moves no parameter by much
constexpr double sigmas_apart = 4;

/// The 4-DoF candidate with most parameters, or the first where all have six.
model::Structure structure_of(const model::Robot& robot, const IdentifyOptions& options) {
  const std::vector<model::Structure> candidates =
      options.candidates.empty() ? model::candidate_structures(robot) : options.candidates;
  const model::Structure* best = &candidates.front();
  for (const model::Structure& one : candidates)
    if (one.dof == model::Dof::four && (best->dof != model::Dof::four || one.size() > best->size()))
      best = &one;
  return *best;
}

/// The current of each recording as one fit of all of them sees it; none where one of them shows none.
std::optional<std::vector<CurrentFit>> currents_of(const std::vector<Recording>& recordings,
                                                   const model::Robot& robot,
                                                   const model::Environment& environment,
                                                   const IdentifyOptions& options) {
  const Identified found = identify(recordings, robot, environment, options);
  const dynamics::Vehicle vehicle(
      identified_robot(robot, environment, found.structure, found.parameters, "currents"), environment,
      found.structure.dof);
  CurrentFitOptions how;
  how.share = 1;
  how.blur = options.regression.blur;
  how.measured_tilt = found.structure.dof != model::Dof::six;
  std::vector<CurrentFit> list;
  for (const Recording& recording : recordings) {
    const auto one = fit_current(vehicle, recording, found.fit.nuisance.value.delay, {}, how);
    if (!one) return std::nullopt;
    list.push_back(*one);
  }
  return list;
}

bool are_apart(const std::vector<CurrentFit>& list) {
  for (const CurrentFit& a : list)
    for (const CurrentFit& b : list) {
      const double apart = (a.current_n - b.current_n).norm();
      if (apart > least_apart && apart > sigmas_apart * std::sqrt((a.covariance + b.covariance).trace()))
        return true;
    }
  return false;
}

void take_out(const Vec3& current_n, Recording& recording) {
  filter::Track& track = recording.track;
  for (Index k = 0; k < recording.size(); ++k) {
    const Vec3 current_b = track.attitude(k).conjugate() * current_n;
    track.nu_b.col(k).head<3>() -= current_b;
    track.nu_dot_b.col(k).head<3>() += Vec3(track.nu_b.col(k).tail<3>()).cross(current_b);  // it turns in b
  }
  recording.current_n += current_n;
}

}  // namespace

std::vector<CurrentFit> take_out_currents(std::vector<Recording>& recordings, const model::Robot& robot,
                                          const model::Environment& environment,
                                          const IdentifyOptions& options) {
  if (recordings.size() < 2 || !options.fit.estimate_current) return {};
  IdentifyOptions one = options;
  one.candidates = {structure_of(robot, options)};
  one.compare = false;
  std::vector<CurrentFit> out;
  try {
    for (int round = 0; round < most_rounds; ++round) {
      const auto found = currents_of(recordings, robot, environment, one);
      if (!found || (round == 0 && !are_apart(*found))) return out;
      double moved = 0;
      for (std::size_t k = 0; k < recordings.size(); ++k) {
        const CurrentFit& current = (*found)[k];
        take_out(current.current_n, recordings[k]);
        moved = std::max(moved, current.current_n.norm());
      }
      out = *found;
      for (std::size_t k = 0; k < recordings.size(); ++k) out[k].current_n = recordings[k].current_n;
      if (moved < settled) break;
    }
  } catch (const InputError&) {
    return out;  // identify() throws the same, with the structure that it tries
  }
  return out;
}

}  // namespace fathom::identify
