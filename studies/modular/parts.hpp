#pragma once
#include "studies/host.hpp"
#include "studies/study.hpp"

// The parts of `fathom reproduce modular`, one file each: Nielsen 2019, chapters 3, 4 and 6.
namespace fathom::studies {

/// Table 3.4: when two vehicles on a rod first swing back.
void study_peaks(Study& study, const Host& host);
/// Section 3.6.2: two vehicles that push alike, and one that drags more.
void study_case_b(Study& study, const Host& host);
/// What the constraints of eqs. 3.58, 3.61 and 3.68 do as printed.
void study_printed_constraint(Study& study, const Host& host);
/// Section 4.3: where two spheres come to rest; Table 4.4: thrust over signal.
void study_rest(Study& study, const Host& host);
/// Section 4.3.1: four numbers fitted to decays, with intervals and runs that were not fitted.
void study_decay_fit(Study& study, const Host& host);
/// Section 4.4: a step on both thrusters of two spheres.
void study_manoeuvre(Study& study, const Host& host);
/// Chapter 6: two BlueROVs and a connector, straight and in circles.
void study_connected(Study& study, const Host& host);
/// Section 6.1.1: warping of two pendulums.
void study_warp(Study& study);

}  // namespace fathom::studies
