// Least squares under matrix inequalities: a 4-DoF vehicle's 25 parameters from a log, and 75 of a vehicle with
// an arm from a sliding window.

#include "fathom/base/random.hpp"
#include "fathom/solve/conic.hpp"

#include "bench/add.hpp"

namespace fathom {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using namespace solve;

/// A set, a truth in it and what is large of each unknown.
struct Instance {
  ConicSet set;
  std::vector<double> truth, unit;

  void add(double value, double size) {
    truth.push_back(value);
    unit.push_back(size);
    ++set.unknowns;
  }
};

/// Diagonals, and cross terms tied to the second of them.
void add_diagonal(Instance& in, RandomStream& random, double scale, const Eigen::Vector4d& constant) {
  const Eigen::Vector4d size(12, 12, 12, 0.25);
  MatrixInequality matrix{"matrix", -MatrixXd(constant.asDiagonal()), {}};
  const int first = in.set.unknowns;
  for (int i = 0; i < 4; ++i) {
    matrix.entries.push_back({first + i, i, i, 1});
    in.add(constant[i] + scale * size[i] * random.uniform(0.02, 1), scale * size[i]);
  }
  matrix.entries.push_back({first + 1, 1, 3, 0.1});
  in.set.matrices.push_back(matrix);
}

/// M - M_rb, linear and four quadratic drag matrices, four bounds.
Instance vehicle(RandomStream& random) {
  Instance in;
  add_diagonal(in, random, 1, {12, 12, 12, 0.25});
  in.set.matrices[0].entries.push_back({4, 1, 3, 1});
  in.add(0.1, 1.7);
  for (const double scale : {0.8, 1.5, 1.5, 1.5, 1.5}) add_diagonal(in, random, scale, Eigen::Vector4d::Zero());
  for (int i = 5; i < 9; ++i) in.set.scalars.push_back({"bound", 20 * in.unit[i], {{i, -1}}});
  return in;
}

void add_full(Instance& in, RandomStream& random, const VectorXd& scale) {
  const Eigen::Index m = scale.size();
  MatrixXd root(m, m);
  for (double& a : root.reshaped()) a = random.normal();
  root = scale.asDiagonal() * root;
  const MatrixXd truth = root * root.transpose();
  MatrixInequality matrix{"matrix", MatrixXd::Zero(m, m), {}};
  for (int j = 0; j < m; ++j)
    for (int i = 0; i <= j; ++i) {
      matrix.entries.push_back({in.set.unknowns, i, j, 1});
      in.add(truth(i, j), scale[i] * scale[j]);
    }
  in.set.matrices.push_back(matrix);
}

/// Inertia 6 x 6, four pseudo-inertias 4 x 4, 14 frictions, 48 bounds.
Instance arm(RandomStream& random) {
  Instance in;
  add_full(in, random, (VectorXd(6) << 3.5, 3.5, 3.5, 0.5, 0.5, 0.5).finished());
  for (int k = 0; k < 4; ++k) add_full(in, random, Eigen::Vector4d(0.1, 0.1, 0.1, 0.8));
  for (int k = 0; k < 14; ++k) in.add(random.uniform(0.1, 2), 1);
  for (int i = 61; i < 75; ++i) in.set.scalars.push_back({"friction", 0, {{i, 1}}});
  for (int i = 41; i < 75; ++i) in.set.scalars.push_back({"bound", 20 * in.unit[i], {{i, -1}}});
  return in;
}

/// Rows of a regression, `shift` rows further on: what a sliding window sees.
struct Window {
  Window(const Instance& in, RandomStream& random, int rows) : A(rows, in.set.unknowns), y(rows) {
    for (double& a : A.reshaped()) a = random.normal();
    for (double& e : y) e = random.normal();
    for (int j = 0; j < in.set.unknowns; ++j) A.col(j) /= in.unit[j];
    y += A * Eigen::Map<const VectorXd>(in.truth.data(), in.set.unknowns);
  }
  ConicObjective at(int shift, int rows) const {
    const auto part = A.middleRows(shift, rows);
    ConicObjective objective;
    objective.G = part.transpose() * part;
    objective.b = part.transpose() * y.segment(shift, rows);
    objective.c = y.segment(shift, rows).squaredNorm();
    return objective;
  }
  MatrixXd A;
  VectorXd y;
};

void cold(benchmark::State& state) {
  RandomStream random(1, "conic");
  const Instance in = vehicle(random);
  const Window window(in, random, 600);
  ConicSolver solver(in.set);
  std::vector<ConicObjective> objectives;
  for (int k = 0; k < 20; ++k) objectives.push_back(window.at(10 * k, 400));
  std::size_t k = 0;
  for (auto _ : state) benchmark::DoNotOptimize(solver.solve(objectives[k++ % objectives.size()]).f);
}

void with_inner_point(benchmark::State& state) {
  RandomStream random(1, "conic");
  const Instance in = vehicle(random);
  const ConicObjective objective = Window(in, random, 400).at(0, 400);
  for (auto _ : state) benchmark::DoNotOptimize(ConicSolver(in.set).solve(objective).f);
}

/// As online: the prior is the last solution, the window has moved by ten rows.
void warm(benchmark::State& state, double huber) {
  RandomStream random(1, "conic");
  const Instance in = arm(random);
  const Window window(in, random, 1000);
  ConicSolver solver(in.set);
  std::vector<ConicObjective> objectives;
  std::vector<VectorXd> starts;
  VectorXd last = Eigen::Map<const VectorXd>(in.truth.data(), in.set.unknowns);
  for (int k = 0; k < 40; ++k) {
    ConicObjective objective = window.at(10 * k, 500);
    objective.Q.setZero(75, 75);
    for (int i = 0; i < 75; ++i) objective.Q(i, i) = 10 / (in.unit[i] * in.unit[i]);
    objective.x0 = last;
    objective.huber = huber;
    starts.push_back(last);
    objectives.push_back(objective);
    last = k == 0 ? solver.solve(objective).x : solver.solve(objective, last).x;
  }
  std::size_t k = 0;
  double iterations = 0;
  for (auto _ : state) {
    k = k % 39 + 1;
    iterations += solver.solve(objectives[k], starts[k]).iterations;
  }
  state.counters["iterations"] = benchmark::Counter(iterations, benchmark::Counter::kAvgIterations);
}

const int conic_registered = [] {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto add_us = [](const char* name, const std::function<void(benchmark::State&)>& work) {
    add(name, work)->Unit(benchmark::kMicrosecond);
  };
  add_us("conic: 25 unknowns, cold", cold);
  add_us("conic: 25 unknowns, with the inner point", with_inner_point);
  add_us("conic: 75 unknowns, warm", [infinity](benchmark::State& state) { warm(state, infinity); });
  add_us("conic: 75 unknowns, warm, Huber bends", [](benchmark::State& state) { warm(state, 10); });
  return 0;
}();

}  // namespace
}  // namespace fathom
