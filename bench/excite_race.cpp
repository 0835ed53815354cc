// fathom_excite_race PROBLEM STARTS [PARTS]: solves a problem of excitation from random starts, by Fathom and,
// where it is installed, by Ipopt with the same functions. Prints problem, starts and results as JSON for
// bench/excitation_race, which has CasADi solve it too. Times are CPU time of one thread.
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "fathom/excite/design.hpp"
#include "fathom/excite/objective.hpp"

#include "bench/ipopt_run.hpp"
#include "tests/oracle/excitation_json.hpp"

namespace fathom {
namespace {

using oracle::Json;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Median of some runs.
template <class Work>
double time_of(int runs, const Work& work) {
  std::vector<double> seconds;
  for (int k = 0; k < runs; ++k) {
    const double begin = cpu_seconds();
    work();
    seconds.push_back(cpu_seconds() - begin);
  }
  std::nth_element(seconds.begin(), seconds.begin() + runs / 2, seconds.end());
  return seconds[static_cast<std::size_t>(runs / 2)];
}

class Race {
 public:
  Race(const excite::Problem& problem)
      : designer_(problem),
        objective_(problem, designer_.bounds().basis),
        plain_(designer_.bounds().program),
        gradient_(designer_.bounds().program.unknowns()) {}

  Json run(int starts) {
    Json list = Json::array(), ours = Json::array(), ipopt = Json::object();
    designer_.solve(0, {}, [] { return false; });  // memory and caches
    for (int k = 0; k < starts; ++k) {
      const Eigen::VectorXd x = designer_.random_path(1, k);
      objective_.criterion().set_power(64);
      const double value = objective_.evaluate(x, 0, gradient_);
      list.push_back({{"x", oracle::json(x)}, {"value", value}, {"gradient", oracle::json(gradient_)}});
      ours.push_back(by_fathom(k));
#ifdef FATHOM_WITH_IPOPT
      ipopt["sharp"].push_back(by_ipopt(x, {}));
      if (is_condition()) ipopt["smooth, then sharp"].push_back(by_ipopt(x, 8));
#endif
    }
    const Eigen::VectorXd x = designer_.random_path(1, 0);
    return {{"problem", oracle::json(designer_.problem(), designer_.bounds().basis)},
            {"criterion", is_condition() ? "condition" : "a-optimal"},
            {"program",
             {{"x_lower", oracle::json(plain_.x_lower)},
              {"x_upper", oracle::json(plain_.x_upper)},
              {"A", oracle::json(plain_.A)},
              {"lower", oracle::json(plain_.lower)},
              {"upper", oracle::json(plain_.upper)}}},
            {"function", time_of(201, [&] { objective_.evaluate(x, 0, gradient_); })},
            {"starts", list},
            {"fathom", ours},
            {"ipopt", ipopt}};
  }

 private:
  bool is_condition() const { return designer_.problem().criterion == excite::Criterion::condition; }

  Json result(const Eigen::VectorXd& x, double seconds, int iterations, int evaluations) {
    objective_.sampling().sample(x, objective_.samples());
    const auto accuracy = excite::accuracy_of(designer_.problem(), objective_.samples());
    return {{"seconds", seconds},      {"iterations", iterations},        {"evaluations", evaluations},
            {"error", accuracy.error}, {"condition", accuracy.condition}, {"x", oracle::json(x)}};
  }

  /// The start's projection onto the bounds is part of it.
  Json by_fathom(int number) {
    excite::Outcome outcome;
    const double seconds = time_of(3, [&] { outcome = designer_.solve(number, {}, [] { return false; }); });
    Json json = result(outcome.result.x, seconds, outcome.result.iterations, outcome.result.evaluations);
    json["status"] = to_string(outcome.result.status);
    json["start_seconds"] = time_of(3, [&] { designer_.random_path(1, number); });
    return json;
  }

#ifdef FATHOM_WITH_IPOPT
  Json by_ipopt(Eigen::VectorXd x, std::optional<double> smooth_power) {
    IpoptRun ipopt(objective_, plain_);
    IpoptOptions options;
    const double begin = cpu_seconds();
    if (smooth_power) {
      objective_.criterion().set_power(*smooth_power);
      ipopt.minimize(x, options);
      options.warm = true;
    }
    objective_.criterion().set_power(64);
    const int status = ipopt.minimize(x, options);
    Json json = result(x, cpu_seconds() - begin, ipopt.iterations, ipopt.evaluations);
    json["status"] = status == 0 ? "solved" : "Ipopt " + std::to_string(status);
    return json;
  }
#endif

  excite::Designer designer_;
  excite::PathObjective objective_;
  PlainProgram plain_;
  Eigen::VectorXd gradient_;
};

}  // namespace

PlainProgram::PlainProgram(const solve::BlockProgram& program)
    : x_lower(Eigen::VectorXd::Constant(program.unknowns(), -endless)), x_upper(-x_lower) {
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<double> low, high;
  int first = 0;
  for (const solve::Block& block : program.blocks) {
    for (Eigen::Index row = 0; row < block.A.rows(); ++row) {
      const double from = std::max(block.lower[row], -endless), to = std::min(block.upper[row], endless);
      if (block.A.row(row).nonZeros() == 1) {
        solve::SparseRows::InnerIterator it(block.A, row);
        const Eigen::Index k = first + it.col();
        const auto [least, most] = std::minmax({from / it.value(), to / it.value()});
        x_lower[k] = std::max(x_lower[k], least);
        x_upper[k] = std::min(x_upper[k], most);
        continue;
      }
      for (solve::SparseRows::InnerIterator it(block.A, row); it; ++it)
        entries.emplace_back(static_cast<int>(low.size()), first + static_cast<int>(it.col()), it.value());
      low.push_back(from);
      high.push_back(to);
    }
    first += static_cast<int>(block.A.cols());
  }
  const auto rows = static_cast<Eigen::Index>(low.size());
  A.resize(rows, program.unknowns());
  A.setFromTriplets(entries.begin(), entries.end());
  lower = Eigen::Map<Eigen::VectorXd>(low.data(), rows);
  upper = Eigen::Map<Eigen::VectorXd>(high.data(), rows);
}

}  // namespace fathom

int main(int argc, char** argv) {
#ifdef FATHOM_WITH_IPOPT
  const char* const solvers = "fathom ipopt";
#else
  const char* const solvers = "fathom";
#endif
  if (argc == 2 && argv[1] == std::string("--solvers")) return std::puts(solvers) < 0;
  if (argc < 3) {
    std::fputs("fathom_excite_race PROBLEM STARTS [PARTS], or --solvers\n", stderr);
    return 2;
  }
  auto problem = fathom::excite::read_problem(std::string(FATHOM_PROBLEMS_DIR) + "/" + argv[1] + ".yaml",
                                              {FATHOM_ROBOTS_DIR});
  problem.thruster_errors = false;  // the other solver has the criterion of the parameters alone
  if (argc > 3) problem.shape.parts = std::stoi(argv[3]);
  problem.shape.interval = 3.2;  // s: 348 free numbers, as many as the paper's formulation
  std::puts(fathom::Race(problem).run(std::stoi(argv[2])).dump().c_str());
}
