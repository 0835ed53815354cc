#include "studies/modular/sphere_fit.hpp"

#include <ceres/cost_function.h>
#include <ceres/problem.h>

#include "fathom/geometry/rotation.hpp"
#include "fathom/identify/small_fit.hpp"

namespace fathom::studies {
namespace {

constexpr Eigen::Index sphere_stride = 2;  // every second sample: 5 Hz, forty in a swing

identify::DecayRun thinned(const identify::DecayRun& run) {
  const Eigen::Index n = run.t.size() / sphere_stride;
  const auto every = Eigen::seqN(0, n, sphere_stride);
  return {run.name, run.t(every), run.angle(every)};
}

/// Theta in units in which a step of one is large: millimetres, and drag as it is.
const Eigen::Vector4d theta_unit(1e-3, 1e-3, 1, 1);

/// Rolls of a run less the measured ones; derivatives by differences.
class SphereCost : public ceres::CostFunction {
 public:
  SphereCost(const SpherePair& spheres, const identify::DecayRun& run) : spheres_(spheres), run_(run) {
    set_num_residuals(static_cast<int>(run.t.size()));
    mutable_parameter_block_sizes()->assign({4, 2});
  }
  bool Evaluate(double const* const* x, double* residuals, double** jacobians) const override {
    Eigen::Matrix<double, 6, 1> at;
    at << Eigen::Map<const Eigen::Vector4d>(x[0]), Eigen::Map<const Eigen::Vector2d>(x[1]);
    const Eigen::VectorXd roll = rolls(at);
    Eigen::Map<Eigen::VectorXd>(residuals, roll.size()) = roll - run_.angle;
    for (int block = 0; jacobians && block < 2; ++block) {
      if (!jacobians[block]) continue;
      const int from = block == 0 ? 0 : 4, columns = block == 0 ? 4 : 2;
      using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      Eigen::Map<Rows> J(jacobians[block], roll.size(), columns);
      for (int k = 0; k < columns; ++k) {
        constexpr double h = 1e-5;
        Eigen::Matrix<double, 6, 1> moved = at;
        moved[from + k] += h;
        J.col(k) = (rolls(moved) - roll) / h;
      }
    }
    return roll.allFinite();
  }

 private:
  Eigen::VectorXd rolls(const Eigen::Matrix<double, 6, 1>& x) const {
    const SphereTheta theta = SphereTheta::of(x.head<4>().cwiseProduct(theta_unit));
    return swing_spheres(spheres_, theta, run_.t, x[4], x[5]);
  }

  const SpherePair& spheres_;
  const identify::DecayRun& run_;
};

SphereFit solve_spheres(const SpherePair& spheres, const std::vector<identify::DecayRun>& all,
                        const SphereTheta& start, bool is_held) {
  std::vector<identify::DecayRun> runs;
  for (const identify::DecayRun& run : all) runs.push_back(thinned(run));
  Eigen::Vector4d x = start.vector().cwiseQuotient(theta_unit);
  std::vector<Eigen::Vector2d> first;
  for (const identify::DecayRun& run : runs) first.emplace_back(run.angle[0], 0);
  ceres::Problem problem;
  for (std::size_t k = 0; k < runs.size(); ++k)
    problem.AddResidualBlock(new SphereCost(spheres, runs[k]), nullptr, x.data(), first[k].data());
  for (const int k : {2, 3}) identify::keep_within(problem, x.data(), k, 0, infinity);
  if (is_held) problem.SetParameterBlockConstant(x.data());
  const bool converged =
      identify::solve_small(problem, {.function_tolerance = 1e-7, .most_iterations = 50}).converged;
  SphereFit fit{SphereTheta::of(x.cwiseProduct(theta_unit)), {}, converged};
  for (std::size_t k = 0; k < runs.size(); ++k)
    fit.mse.push_back(
        (swing_spheres(spheres, fit.theta, runs[k].t, first[k][0], first[k][1]) - runs[k].angle).squaredNorm() /
        static_cast<double>(runs[k].t.size()));
  return fit;
}

}  // namespace

Eigen::VectorXd swing_spheres(const SpherePair& spheres, const SphereTheta& theta, const Eigen::VectorXd& t,
                              double roll, double rate, int steps) {
  CoupledRobots pair(spheres.members(theta));
  dynamics::State first = at_rest_under_water(exp_rotation({roll, 0, 0}));
  first.nu_b << 0, 0, -rate * SpherePair::rod / 2, rate, 0, 0;  // the middle of the rod stays
  pair.begin(first);
  const double dt = (t[1] - t[0]) / steps;
  Eigen::VectorXd rolls(t.size());
  for (Eigen::Index k = 0; k < t.size(); ++k) {
    rolls[k] = pair.roll(0);
    for (int i = 0; i < steps; ++i) pair.step(dt);
  }
  return rolls;
}

SphereFit fit_spheres(const SpherePair& spheres, const std::vector<identify::DecayRun>& runs,
                      const SphereTheta& start) {
  return solve_spheres(spheres, runs, start, false);
}

SphereFit judge_spheres(const SpherePair& spheres, const std::vector<identify::DecayRun>& runs,
                        const SphereTheta& theta) {
  return solve_spheres(spheres, runs, theta, true);
}

}  // namespace fathom::studies
