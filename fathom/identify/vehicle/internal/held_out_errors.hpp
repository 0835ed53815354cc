#pragma once
#include <string>

#include "fathom/base/error.hpp"
#include "fathom/identify/vehicle/internal/structure_trial.hpp"

namespace fathom::identify::internal {

/// Sets the score of each block by the held-out predictions of the refits, eq. 47 of docs/identification.md; or
/// why there is none. `predicting`: the rows as the structure's predictions have the motion.
void score(const TrialProblem& problem, const Regression& predicting, const Nuisance& at, Trial& trial);

/// Returns "damping[0].quadratic[2] = -1.8, must be >= 0".
std::string words_of(const InputError& error);

}  // namespace fathom::identify::internal
