#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "fathom/base/thread_pool.hpp"
#include "fathom/excite/problem.hpp"
#include "fathom/log/dataset.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/loop/statistics.hpp"
#include "fathom/trajectory/bezier.hpp"

namespace fathom::studies {

/// The committed pool day, studies/pool-day: what swims, what is known of it beforehand, and the swims.
struct PoolDay {
  model::Robot plant, nominal;
  model::Robot in_class_plant;  ///< one that the fitted structure holds
  loop::Scenario excitation;    ///< also for unseen motions: with_motion() puts the motion in
  loop::Scenario joystick;
  loop::Scenario in_class;
};
PoolDay read_pool_day(const std::filesystem::path& folder);

/// The motion of a problem's best start. Throws Interrupted where the crew is to stop.
trajectory::Bezier design_motion(const excite::Problem& problem, std::uint64_t seed, ThreadPool& pool);
/// Motions of the same problem that nobody has seen: each where one random beginning leads to, by the seeds
/// that follow `seed`.
std::vector<trajectory::Bezier> unseen_motions(const excite::Problem& problem, std::uint64_t seed, int count,
                                               ThreadPool& pool);

/// The scenario with its first vehicle on this motion, from beginning to end.
loop::Scenario with_motion(loop::Scenario scenario, const trajectory::Bezier& motion);

/// What came of a swim.
struct Swim {
  log::Dataset log;
  loop::VehicleStatistics statistics;  ///< of the first vehicle
  std::vector<loop::Event> events;
  bool failed = false;  ///< the motion ran away; the log ends there
};
/// Throws Interrupted where it is to stop.
Swim swim(const loop::Scenario& scenario, std::uint64_t seed, const Stop& stop = {});
/// The same into a folder of CSV files, for people; its `log` stays empty.
Swim swim_to(const std::filesystem::path& folder, const loop::Scenario& scenario, std::uint64_t seed,
             const Stop& stop = {});

/// How well the PID holds the first vehicle on its motion: alone, or with the feed-forward of that robot. The
/// gains are those of the scenario's believed robot either way. Nothing where the motion ran away.
std::optional<loop::Tracking> track(loop::Scenario scenario, std::uint64_t seed,
                                    const std::optional<model::Robot>& feed_forward, const Stop& stop = {});

}  // namespace fathom::studies
