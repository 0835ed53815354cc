#pragma once
#include <variant>

#include "fathom/excite/arm/problem.hpp"
#include "fathom/excite/problem.hpp"

namespace fathom::excite {

/// Where robots and arms are looked up by name.
struct ProblemFolders {
  std::vector<std::filesystem::path> robots, arms;
};

/// A problem file is of a vehicle, with the key `robot`, or of an arm, with the key `arm`.
using AnyProblem = std::variant<Problem, ArmProblem>;

/// Reads either; docs/problem-file.md. `duration` > 0 replaces the file's, of an arm its period. Throws
/// InputError that lists everything wrong with it.
AnyProblem read_any_problem(const std::filesystem::path& path, const ProblemFolders& folders,
                            std::optional<double> duration = {});
AnyProblem parse_any_problem(const std::string& text, const std::string& file, const ProblemFolders& folders,
                             std::optional<double> duration = {});

}  // namespace fathom::excite
