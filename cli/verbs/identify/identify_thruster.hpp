#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/verb.hpp"

namespace fathom::cli {

/// What `fathom identify --what thruster` is told.
struct ThrusterOptions {
  std::string table, name = "thruster";
  std::vector<std::string> columns;  ///< ROLE=NAME:UNIT
  std::vector<std::string> steps;    ///< files
  std::string law;                   ///< of the runs; empty: chosen
  std::optional<double> neutral;

  bool given() const {
    return !table.empty() || !columns.empty() || !steps.empty() || !law.empty() || neutral ||
           name != "thruster";
  }
};
void add_thruster_options(CLI::App& app, ThrusterOptions& options);
int identify_thruster(const Verb& verb, const ThrusterOptions& options);

}  // namespace fathom::cli
