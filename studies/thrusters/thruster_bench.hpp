#pragma once
#include <filesystem>

#include "fathom/identify/thruster/thruster_dynamics.hpp"

namespace fathom::studies {

/// The thruster bench of the folder thruster_bench: steady points and two runs, each with its own zero.
struct ThrusterBench {
  identify::SteadyLaws steady;
  identify::BenchRun forward, reverse;  ///< to 3 V and to -2 V
};
ThrusterBench read_thruster_bench(const std::filesystem::path& folder);

/// `run` with its end where the other run has it, counted from the beginning of the ramp: nothing about the end
/// is taken from the run itself.
identify::BenchRun with_end_of(identify::BenchRun run, const identify::BenchRun& other,
                               const identify::ThrusterDynamics& model);

}  // namespace fathom::studies
