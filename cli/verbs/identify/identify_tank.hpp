#pragma once
#include <optional>
#include <string>

#include "cli/verb.hpp"

namespace fathom::cli {

/// What `fathom identify --what towing` and `--what decay` are told.
struct TankOptions {
  std::string campaign;
  std::string robot;              ///< empty: no robot file is written
  std::optional<double> density;  ///< kg/m^3, of the water, for the restoring of a robot
};
void add_tank_options(CLI::App& app, TankOptions& options);
int identify_towing(const Verb& verb, const TankOptions& options);
int identify_decay(const Verb& verb, const TankOptions& options);

}  // namespace fathom::cli
