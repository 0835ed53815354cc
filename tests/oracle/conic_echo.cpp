// fathom_conic_echo [REPEATS]: reads problems of least squares under matrix inequalities as JSON from the
// standard input, solves each and prints the results as JSON; with REPEATS also the median time of as many cold
// solves. tests/oracle/check_conic.py compares them with Clarabel's.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>

#include <nlohmann/json.hpp>

#include "fathom/base/error.hpp"
#include "fathom/solve/conic.hpp"

namespace {

using nlohmann::json;
using namespace fathom::solve;

Eigen::VectorXd vector_of(const json& numbers) {
  const auto values = numbers.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

Eigen::MatrixXd matrix_of(const json& rows) {
  const auto n = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd A(n, n);
  for (Eigen::Index i = 0; i < n; ++i) A.row(i) = vector_of(rows[i]).transpose();
  return A;
}

ConicSet set_of(const json& in) {
  ConicSet set{in["unknowns"], {}, {}};
  for (const json& matrix : in["matrices"]) {
    set.matrices.push_back({"", matrix_of(matrix["constant"]), {}});
    for (const json& e : matrix["entries"]) set.matrices.back().entries.push_back({e[0], e[1], e[2], e[3]});
  }
  for (const json& scalar : in["scalars"]) {
    set.scalars.push_back({"", scalar["constant"], {}});
    for (const json& e : scalar["entries"]) set.scalars.back().entries.push_back({e[0], e[1]});
  }
  return set;
}

ConicObjective objective_of(const json& in) {
  ConicObjective objective;
  objective.G = matrix_of(in["G"]);
  objective.b = vector_of(in["b"]);
  objective.c = in["c"];
  if (in.contains("Q")) objective.Q = matrix_of(in["Q"]);
  if (in.contains("x0")) objective.x0 = vector_of(in["x0"]);
  if (in.contains("huber")) objective.huber = in["huber"];
  return objective;
}

const char* name_of(ConicStatus status) {
  switch (status) {
    case ConicStatus::not_run: return "not run";
    case ConicStatus::solved: return "solved";
    case ConicStatus::infeasible: return "infeasible";
    case ConicStatus::unbounded: return "unbounded";
    case ConicStatus::iteration_limit: return "iteration limit";
    case ConicStatus::stalled: return "stalled";
  }
  return "";
}

json json_of(const ConicResult& result) {
  json out = {{"status", name_of(result.status)},
              {"x", result.x},
              {"f", result.f},
              {"gap", result.gap},
              {"iterations", result.iterations},
              {"stationarity", result.stationarity},
              {"infeasibility", result.infeasibility},
              {"z", result.z}};
  for (const Eigen::MatrixXd& Z : result.Z) {
    json rows = json::array();
    for (Eigen::Index i = 0; i < Z.rows(); ++i) rows.push_back(Eigen::VectorXd(Z.row(i).transpose()));
    out["Z"].push_back(rows);
  }
  return out;
}

double median_seconds(ConicSolver& solver, const ConicObjective& objective, int repeats) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  for (int k = 0; k < repeats; ++k) {
    const auto start = Clock::now();
    solver.solve(objective);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + repeats / 2, seconds.end());
  return seconds[repeats / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 0;
  json results = json::array();
  for (const json& in : json::parse(std::cin)) {
    try {
      ConicOptions options;
      options.relative_gap = in.value("relative_gap", options.relative_gap);
      ConicSolver solver(set_of(in), options);
      const ConicObjective objective = objective_of(in);
      results.push_back(json_of(solver.solve(objective)));
      if (repeats > 0) results.back()["seconds"] = median_seconds(solver, objective, repeats);
    } catch (const fathom::InputError& error) {
      results.push_back({{"status", "refused"}, {"message", error.what()}});
    }
  }
  std::cout << results << "\n";
}
