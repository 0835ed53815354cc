#pragma once
#include <functional>

#include "fathom/dynamics/vehicle.hpp"
#include "fathom/identify/vehicle/recording.hpp"

namespace fathom::identify::test {

/// Body wrench over time.
using Wrench = std::function<Vec6(double t)>;

/// A wrench of a few sinusoids per degree of freedom that a vehicle of ten to twenty kilograms can take.
Wrench sinusoids(std::uint64_t seed, const Vec6& size = (Vec6() << 12, 12, 12, 0, 0, 2).finished());

/// A pool day without noise, integrated ten times as finely as it is recorded: what is commanded at a velocity
/// is logged, what acts may look back at the log.
Recording swim_under(const dynamics::Vehicle& vehicle,
                     const std::function<Vec6(double t, const Vec6& nu_b)>& commanded,
                     const std::function<Vec6(const Recording& log, double t)>& acting, double duration,
                     double dt, dynamics::State state = {}, const model::Current& current = {});

/// The vehicle under tau(t - delay).
Recording swim(const dynamics::Vehicle& vehicle, const Wrench& tau, double duration, double dt,
               double delay = 0, const dynamics::State& state = {}, const model::Current& current = {});

}  // namespace fathom::identify::test
