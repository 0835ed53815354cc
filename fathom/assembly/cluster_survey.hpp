#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/assembly/assembly.hpp"
#include "fathom/assembly/loads_at_rest.hpp"
#include "fathom/assembly/merge.hpp"
#include "fathom/dynamics/figures.hpp"
#include "fathom/dynamics/reach.hpp"

namespace fathom::assembly {

/// A wrench on a module of an assembly, in the module's own axes.
struct Push {
  std::size_t module = 0;
  Vec6 wrench_b = Vec6::Zero();
};

struct SurveyOptions {
  MergeOptions merge = {};
  std::vector<Push> pushes = {};                ///< all at once; those on other clusters are left out
  std::optional<Quat> attitude = std::nullopt;  ///< of the first module: another to tell the loads in
  std::vector<std::string> failed = {};         ///< thrusters by the merged robot's names
};

/// What the couplings of a cluster carry when it starts from rest. Weight and buoyancy act in the cases that
/// say so and in no other: loads at rest add up.
struct LoadCase {
  std::string name, what;
  bool has_weight = false;
  Vec6 acceleration_b = Vec6::Zero();  ///< of the first module, in its own axes
  std::vector<Vec6> loads = {};        ///< by coupling of the cluster, each in its own frame
};

/// What one looks at first in docked robots: are they a body, how does it lie in the water, what can its
/// thrusters do, what do its couplings carry?
struct ClusterSurvey {
  std::size_t cluster = 0;
  std::vector<std::size_t> modules, couplings;  ///< by index in the assembly
  std::vector<bool> in_loop;                    ///< by coupling of the cluster
  std::size_t loops = 0;
  Merged merged;
  Mat6 M = Mat6::Zero();  ///< of the merged robot, with added mass, at its origin
  dynamics::Figures figures;
  Equilibrium equilibrium;
  dynamics::Reach reach;                                      ///< of all thrusters
  std::vector<std::string> failed;                            ///< those of the options that are in this cluster
  std::optional<dynamics::Reach> reach_after = std::nullopt;  ///< where some failed
  std::vector<LoadCase> cases = {};
};

ClusterSurvey survey(const Assembly& assembly, std::size_t cluster, const model::Environment& environment,
                     const SurveyOptions& options = {});

}  // namespace fathom::assembly
