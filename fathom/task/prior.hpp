#pragma once
#include <array>
#include <string>
#include <vector>

#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/task/context.hpp"
#include "fathom/task/result.hpp"

namespace fathom::task {

/// Options of prior(); keys are the flags of `fathom prior`.
struct PriorOptions {
  std::string hull = {};                ///< hull file (docs/prior.md)
  double density = model::fresh_water;  ///< kg/m^3: pools are fresh
};

/// The numbers of a prior, as summary.json has them.
struct PriorSummary {
  struct Row {
    std::string dof;
    std::array<double, 2> added_mass = {}, linear = {}, quadratic = {};  ///< value and sigma
  };
  std::string command, robot;
  double density = 0;
  std::vector<Row> value_and_sigma = {};
  std::vector<std::string> warnings = {};
  std::vector<std::string> files = {};
};

struct PriorResult : ResultOf<PriorResult, PriorSummary> {
  model::Robot robot;

  report::Document report() const;
  std::vector<ResultFile> files() const;
  static PriorResult load(const std::filesystem::path& folder);
};

/// Makes a robot with wide sigmas from the shape of its hull (docs/prior.md). Throws InputError.
PriorResult prior(const PriorOptions& options, const Context& context = {});

}  // namespace fathom::task
