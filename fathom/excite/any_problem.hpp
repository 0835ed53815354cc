#pragma once
#include <variant>

#include "fathom/excite/arm/problem.hpp"
#include "fathom/excite/problem.hpp"
#include "fathom/fields/key.hpp"
#include "fathom/model_file/catalogue.hpp"

namespace fathom::excite {

/// A problem file is of a vehicle, with the key `robot`, or of an arm, with the key `arm`.
using AnyProblem = std::variant<Problem, ArmProblem>;

/// Reads either; docs/problem-file.md. `duration` > 0 replaces the file's, of an arm its period. Throws
/// InputError that lists everything wrong with it.
AnyProblem read_any_problem(const std::filesystem::path& path, const model::Folders& folders,
                            std::optional<double> duration = {});
AnyProblem parse_any_problem(const std::string& text, const std::string& file, const model::Folders& folders,
                             std::optional<double> duration = {});

/// Returns the JSON schema of problem files.
fields::Json problem_schema();

}  // namespace fathom::excite
