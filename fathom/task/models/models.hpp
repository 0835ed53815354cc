#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/task/context.hpp"
#include "fathom/task/result.hpp"

namespace fathom::task {

/// Options of show_model(); keys are the flags of `fathom models`.
struct ModelOptions {
  std::string name = {};                ///< name or path of a robot
  double density = model::fresh_water;  ///< kg/m^3
};

/// A robot with its values and checks, as --json prints it.
struct ModelSummary {
  /// A matrix for each velocity is quadratic drag; two numbers are a range.
  using Numbers = std::variant<double, Eigen::VectorXd, Eigen::MatrixXd, ByName<Eigen::MatrixXd>>;
  struct Value {
    std::string key;
    Numbers value;
    std::string unit;
    std::optional<Numbers> sigma;
    std::string source;
    bool assumed = false;
  };
  struct Matrices {
    Mat6 M_rb, M_a;
    Mat6X allocation;
  };
  struct Check {
    std::string name;
    bool pass = false;
    std::string value;
  };

  std::string name, title, file;
  std::vector<Value> values;
  Matrices matrices;
  std::vector<Check> checks;
};

struct ModelResult : ResultOf<ModelResult, ModelSummary> {
  std::optional<model::Robot> robot = {};  ///< nothing in a result that was read from JSON

  Status status() const { return status_of(std::ranges::all_of(summary.checks, &ModelSummary::Check::pass)); }
  report::Document report() const;
};

/// The robots that are found by name, as --json prints them.
struct ModelListSummary {
  struct Robot {
    std::string name;
    IfAny<std::string> title;
    std::string file;
    bool loads = false;
    IfAny<double> mass;
    IfAny<std::size_t> thrusters;
  };
  std::vector<Robot> robots;
};

struct ModelListResult : ResultOf<ModelListResult, ModelListSummary> {
  std::vector<std::string> errors = {};  ///< why a robot does not load

  Status status() const {
    return status_of(std::ranges::all_of(summary.robots, &ModelListSummary::Robot::loads));
  }
  report::Document report() const;
};

/// Reads a robot, and lists its values with units, uncertainty and sources, its matrices and checks of its
/// physics. Throws InputError.
ModelResult show_model(const ModelOptions& options, const Context& context = {});
/// Lists the robots of the search path; a file that does not load hides no other. Throws InputError where
/// there is none.
ModelListResult list_models(const Context& context);

}  // namespace fathom::task
