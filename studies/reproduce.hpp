#pragma once
#include "studies/host.hpp"
#include "studies/study.hpp"

namespace fathom::studies {

/// Each fills in the rows of its study.
void reproduce_arm(Study& study, const Host& host);
void reproduce_excitation(Study& study, const Host& host);
void reproduce_identification(Study& study, const Host& host);
void reproduce_modular(Study& study, const Host& host);
void reproduce_real(Study& study, const Host& host);
void reproduce_tank(Study& study, const Host& host);
void reproduce_thrusters(Study& study, const Host& host);

}  // namespace fathom::studies
