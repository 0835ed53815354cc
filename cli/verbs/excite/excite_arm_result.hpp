#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "fathom/excite/arm/accuracy.hpp"

#include "cli/output.hpp"

namespace fathom::cli {

/// An arm's design with all there is to say of it.
struct ArmExciteResult {
  const excite::ArmDesigner& designer;
  excite::ArmDesign design;
  excite::Prediction shown;
  double random_condition = 0;  ///< the best of `random_motions` within the same limits
  excite::ArmRunIn run_in;      ///< of the trajectory's table: from rest to rest
  double rate_hz = 100;         ///< likewise
  std::uint64_t seed = 1;
  std::string command;

  static constexpr int random_motions = 20;
  const excite::ArmProblem& problem() const { return designer.problem(); }
  bool is_inside() const { return excite::least_share(design.margins) >= 0 && run_in.least_share >= 0; }
  /// Every limit holds, and nothing was cut short.
  bool good() const { return is_inside() && !design.interrupted; }
};

/// A criterion's value as people think of it: "condition number 42".
std::string in_words(const ArmExciteResult& result, double criterion);
std::string certificate_of(const ArmExciteResult& result);
nlohmann::ordered_json summary_of(const ArmExciteResult& result);
std::string text_of(const ArmExciteResult& result);
/// The motion as a table and as a series, and the report; not the summary.
void write_files(const ArmExciteResult& result, OutputFolder& out);

}  // namespace fathom::cli
