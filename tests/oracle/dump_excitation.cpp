// Prints problems of excitation, random paths and what the library makes of them as JSON, for
// tests/oracle/check_excitation.py, which compares them with CasADi's derivatives.
#include <cstdio>

#include "fathom/excite/design.hpp"
#include "fathom/excite/information.hpp"
#include "fathom/excite/objective.hpp"

#include "tests/oracle/excitation_json.hpp"

namespace {

using namespace fathom;
using excite::Criterion;
using oracle::Json;

Json json(const Eigen::MatrixXd& matrix) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    rows.push_back(oracle::json(matrix.row(i).transpose().eval()));
  return rows;
}

Json value_of(excite::Problem problem, const trajectory::Basis& basis, const Eigen::VectorXd& x,
              const std::string& name, Criterion criterion, double power) {
  problem.criterion = criterion;
  excite::PathObjective objective(problem, basis);
  objective.criterion().set_power(power);
  Eigen::VectorXd gradient(x.size());
  const double value = objective.evaluate(x, 0, gradient);
  return {{"criterion", name}, {"power", power}, {"value", value}, {"gradient", oracle::json(gradient)}};
}

Json case_of(const std::string& file, double sampling, std::vector<excite::Prior> priors) {
  excite::Problem problem =
      excite::read_problem(std::string(FATHOM_PROBLEMS_DIR) + "/" + file + ".yaml", {FATHOM_ROBOTS_DIR});
  problem.sampling = sampling;
  problem.priors = std::move(priors);
  problem.thruster_errors = false;  // the oracle has the criterion of the parameters alone
  const excite::Designer designer(problem);
  const trajectory::Basis& basis = designer.bounds().basis;
  const Eigen::VectorXd x = designer.random_path(1, 0);

  excite::PathObjective objective(problem, basis);
  objective.sampling().sample(x, objective.samples());
  excite::Information information(problem.structure, excite::row_weights(problem));
  Json values = Json::array();
  values.push_back(value_of(problem, basis, x, "a-optimal", Criterion::a_optimal, 0));
  values.push_back(value_of(problem, basis, x, "d-optimal", Criterion::d_optimal, 0));
  for (const double power : {4, 8, 64})
    values.push_back(value_of(problem, basis, x, "condition", Criterion::condition, power));
  return {{"problem", oracle::json(problem, basis)},
          {"x", oracle::json(x)},
          {"information", json(information.matrix(objective.samples()))},
          {"values", values}};
}

}  // namespace

int main() {
  const Json cases = {case_of("paper-excitation", 3.1, {}),
                      case_of("tank-defender", 2, {{"m11", 3}, {"d26", 0.5}}),
                      case_of("bluerov2-heavy-6dof", 0.7, {})};
  std::puts(cases.dump().c_str());
}
