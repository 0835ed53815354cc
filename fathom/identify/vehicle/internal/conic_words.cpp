#include "fathom/identify/vehicle/internal/conic_words.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/text.hpp"

namespace fathom::identify::internal {

Finding no_estimate(const std::string& structure, const solve::ConicSet& constraints,
                    const solve::ConicResult& result) {
  using Status = solve::ConicStatus;
  Finding finding{Severity::error, "", 0, structure, "", ""};
  switch (result.status) {
    case Status::infeasible:
      finding.message = fmt::format("has conditions that {}: {}",
                                    result.infeasibility > 0 ? "contradict each other" : "leave no room",
                                    join(solve::conflict(constraints, result), "; "));
      finding.hint = "change a `--bound`, or the robot file's dry body; `--no-dry-body` does without it";
      break;
    case Status::unbounded:
      finding.message = "has parameters that the log does not determine: they can grow without end at no cost";
      finding.hint = "a smaller structure; or a motion that `fathom excite` designs";
      break;
    case Status::iteration_limit:
    case Status::stalled:
      finding.message = fmt::format(
          "the conic solver {} after {} iterations, up to {:.1g} of the sum of squares above the best estimate",
          result.status == Status::stalled ? "got stuck" : "was stopped", result.iterations,
          result.gap / std::abs(result.f));
      finding.hint = "the log may show too little of these parameters; try a smaller structure";
      break;
    case Status::solved:
    case Status::not_run: finding.message = "the conic solver was not run"; break;
  }
  return finding;
}

std::vector<std::string> active_constraints(const solve::ConicSet& set, const solve::ConicResult& result) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < set.matrices.size(); ++k)
    if (result.matrix_active[k]) names.push_back(set.matrices[k].name);
  for (std::size_t k = 0; k < set.scalars.size(); ++k)
    if (result.scalar_active[k]) names.push_back(set.scalars[k].name);
  return names;
}

}  // namespace fathom::identify::internal
