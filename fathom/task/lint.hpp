#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/exchange/lint.hpp"
#include "fathom/task/context.hpp"
#include "fathom/task/result.hpp"

namespace fathom::task {

/// Options of lint(); keys are the flags of `fathom lint`.
struct LintOptions {
  std::vector<std::string> file = {};      ///< robots by name or file, assemblies, other simulators' models
  std::optional<std::string> target = {};  ///< flag --for; absent: the simulator that each file is written for
  std::optional<double> density = {};      ///< kg/m^3; absent: that of the file, or fresh water
};

/// The findings, as --json prints them.
struct LintSummary {
  struct Found {
    std::string severity, rule, file;
    int line = 0;
    std::string key, tag, message, hint;
  };
  struct File {
    std::string file, format, for_;
    bool loads = false;
    std::vector<Found> findings = {};
  };
  std::vector<File> files = {};
  int status = 0;
};

/// It has no files: its report has every finding.
struct LintResult : ResultOf<LintResult, LintSummary> {
  Status status() const { return static_cast<Status>(summary.status); }
  report::Document report() const;
};

/// Checks the physics of robot files and of other simulators' models (docs/lint.md). A file that cannot be read
/// is a finding with status bad_input, not an exception.
LintResult lint(const LintOptions& options, const Context& context = {});

}  // namespace fathom::task
