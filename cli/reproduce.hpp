#pragma once
#include "cli/study.hpp"
#include "cli/verb.hpp"

namespace fathom::cli {

/// Each fills in the rows of its study, with progress on standard error.
void reproduce_arm(Study& study, const CommonOptions& options);
void reproduce_excitation(Study& study, const CommonOptions& options);
void reproduce_identification(Study& study, const CommonOptions& options);
void reproduce_modular(Study& study, const CommonOptions& options);
void reproduce_real(Study& study, const CommonOptions& options);
void reproduce_tank(Study& study, const CommonOptions& options);
void reproduce_thrusters(Study& study, const CommonOptions& options);

}  // namespace fathom::cli
