#pragma once
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "fathom/excite/assessment.hpp"

#include "cli/output.hpp"

namespace fathom::cli {

/// A design with all there is to say of it.
struct ExciteResult {
  const excite::Designer& designer;
  excite::Design design;
  excite::Assessment assessment;
  std::uint64_t seed = 1;
  std::string command;

  const excite::Problem& problem() const { return designer.problem(); }
  bool converged() const;
  /// The search ended as it should, and every limit holds.
  bool good() const { return converged() && assessment.is_inside() && !design.interrupted; }
};

std::string to_string(excite::Criterion criterion);
/// A criterion's value as people think of it: "error 10.6 %", "condition number 42".
std::string in_words(const excite::Problem& problem, double criterion);

nlohmann::ordered_json summary_of(const ExciteResult& result);
std::string text_of(const ExciteResult& result);
/// What to try where sinusoids do better than the design by its own criterion; else, and where sinusoids are
/// spared limits that the design heeds, nothing. D-optimal designs are not judged: an ExpectedAccuracy has no
/// volume.
std::string advice_of(const excite::Problem& problem, const excite::Assessment& assessment);
/// How the search ended, with its residuals.
std::string certificate_of(const ExciteResult& result);

/// Trajectory, samples, way-points every `interval` [s] and report; not the summary.
void write_files(const ExciteResult& result, double interval, OutputFolder& out);

}  // namespace fathom::cli
