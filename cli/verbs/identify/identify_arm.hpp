#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/verb.hpp"

namespace fathom::cli {

/// What `fathom identify --what arm` is told.
struct ArmOptions {
  std::string arm;
  std::vector<std::string> tests;  ///< runs that nothing is learnt from
  std::string columns, friction = "auto", derivatives = "zero-phase", medium = "auto", fit_water, down, gains;
  bool by_current = false, no_offset = false, no_motors = false;
  double cutoff_hz = 10, hold_out = 0, rest_speed = 0.02, spread = 1;
  std::optional<double> rest_shaft_speed = {};
  // Shared with other variants of the verb.
  std::vector<std::string> logs = {};
  std::string estimator = "consistent";
  std::optional<double> density = {};

  bool given() const {
    return !arm.empty() || !tests.empty() || !columns.empty() || !gains.empty() || !fit_water.empty();
  }
};
void add_arm_options(CLI::App& app, ArmOptions& options);
int identify_arm(const Verb& verb, const ArmOptions& options);

}  // namespace fathom::cli
