// What errors of the thrusters do to the wrench, and what they leave of the information.
#include "fathom/excite/thruster_errors.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/dynamics/regressor.hpp"
#include "fathom/excite/accuracy.hpp"
#include "fathom/excite/design.hpp"
#include "fathom/excite/marginal.hpp"
#include "fathom/excite/margins.hpp"
#include "fathom/excite/test/problems.hpp"
#include "fathom/model/table_scatter.hpp"

namespace fathom::excite::thruster_errors_test {
namespace {

using Eigen::Index;

/// The robot with a table that scatters and a lag on all thrusters.
Problem with_thruster(Problem problem, std::optional<double> lag, std::optional<double> sigma = {}) {
  model::ThrusterMap map;
  model::ForceTable table;
  table.voltages = {16};
  table.forces.emplace_back();
  for (int k = -10; k <= 10; ++k) {
    table.commands.push_back(0.1 * k);
    table.forces[0].push_back((k < 0 ? 3.0 : 4.0) * k * (1 + 0.01 * std::sin(7.0 * k)));
  }
  map.law = table;
  model::RobotSpec spec = problem.robot.spec();
  for (model::Thruster& thruster : spec.thrusters) {
    thruster.map = map;
    thruster.force = {};
    thruster.transient = {};
    if (lag) thruster.transient = model::Transient{model::FirstOrder{*lag, sigma}, "", false, {}};
  }
  problem.robot = model::Robot::make_unchecked(std::move(spec));
  problem.thruster_errors = true;
  return problem;
}

/// Level, at rest but for a heave acceleration that is a sine.
Samples heave_sine(Index count, double interval, double w) {
  Samples at(count);
  at.down.col(2).setOnes();
  for (Index k = 0; k < count; ++k) at.nu_dot(k, 2) = std::sin(w * interval * static_cast<double>(k));
  return at;
}

TEST(LagPrior, IsThatOfIdentify) {
  const LagPrior stated = lag_prior(with_thruster(test::tank(), 0.2).robot);
  EXPECT_DOUBLE_EQ(stated.mean, 0.2);
  EXPECT_DOUBLE_EQ(stated.sigma, 0.03);
  EXPECT_DOUBLE_EQ(lag_prior(with_thruster(test::tank(), 0.2, 0.004).robot).sigma, 0.004);
  // 1/T from .01 to .6 s, by a sum over its logarithm.
  const LagPrior none = lag_prior(with_thruster(test::tank(), {}).robot);
  double mean = 0, square = 0;
  constexpr int steps = 100000;
  for (int k = 0; k < steps; ++k) {
    const double T = 0.01 * std::pow(60, (k + 0.5) / steps);
    mean += T / steps, square += T * T / steps;
  }
  EXPECT_NEAR(none.mean, mean, 1e-6);
  EXPECT_NEAR(none.sigma, std::sqrt(square - mean * mean), 1e-6);
}

TEST(ThrusterErrors, SlopesByLagAndDelayAreThoseOfASine) {
  constexpr double w = 1.5, T = 0.2;
  Problem problem = with_thruster(test::tank(), T);
  problem.sampling = 0.05;
  Samples at = heave_sine(1200, problem.sampling, w);
  ThrusterErrors errors(problem, Eigen::ArrayXd::Ones(at.size()));
  at.wrench.setZero(at.size(), errors.width());
  errors.fill(at);
  const double m33 = dynamics::Vehicle(problem.robot, problem.environment).M()(2, 2);
  for (Index k = 600; k < 1100; ++k) {
    const double wt = w * problem.sampling * static_cast<double>(k);
    // d/dT of 1 / (1 + T s) u, with y = 1 / (1 + T s) u the sine: -s / (1 + T s) y.
    const double by_lag = -m33 * w * (std::cos(wt) + w * T * std::sin(wt)) / (1 + w * w * T * T);
    EXPECT_NEAR(at.wrench(k, 6 + 2), by_lag, 2e-3 * m33 * w) << k;
    EXPECT_NEAR(at.wrench(k, 12 + 2), -m33 * w * std::cos(wt), 2e-3 * m33 * w) << k;
  }
}

/// Generalised least squares whose noise has the covariance that the errors add: (Y' V^-1 Y)^-1 with
/// V = 1/W + sum of n n', n the change of the stacked wrench by one sigma.
TEST(ThrusterErrors, CovarianceIsThatOfGeneralisedLeastSquares) {
  for (const Problem& base : {test::tank(), test::pool()}) {
    Problem problem = with_thruster(base, 0.2);
    problem.sampling = 0.5;
    const Designer designer(problem);
    const trajectory::Bezier path = designer.path(designer.random_path(1, 0));
    const Grid grid = sample_path(
        problem, [&](double t) { return path.at(t); }, problem.sampling);
    const auto free = model::free_indices(problem.structure.dof);
    const auto axes = static_cast<Index>(free.size());
    const auto count = static_cast<Index>(grid.mask.sum());
    const auto n = static_cast<Index>(problem.structure.size());
    ThrusterErrors errors(problem, grid.mask);
    ASSERT_EQ(errors.columns().size(), 2 + problem.robot.thrusters().size() + 4) << "lag, delay, gains, table";
    Samples at = grid.samples;
    at.wrench.setZero(at.size(), errors.width());
    errors.fill(at);
    Eigen::MatrixXd Y(count * axes, n);
    Eigen::MatrixXd V = Eigen::MatrixXd::Zero(count * axes, count * axes);
    Eigen::MatrixXd N = Eigen::MatrixXd::Zero(count * axes, static_cast<Index>(errors.columns().size()));
    const Eigen::VectorXd weight = row_weights(problem);
    for (Index k = 0; k < count; ++k) {
      const dynamics::Motion motion{at.nu.row(k).transpose(), at.nu_dot.row(k).transpose(),
                                    at.down.row(k).transpose()};
      Y.middleRows(k * axes, axes) = dynamics::regressor(problem.structure, motion);
      V.diagonal().segment(k * axes, axes) = weight.cwiseInverse();
      for (std::size_t c = 0; c < errors.columns().size(); ++c)
        for (const ErrorColumn::Part& part : errors.columns()[c].parts) {
          const auto row = std::find(free.begin(), free.end(), part.row) - free.begin();
          N(k * axes + row, static_cast<Index>(c)) += part.coefficient * at.wrench(k, part.column);
        }
    }
    // One thruster's gain by itself, from its force; all gains together are the wrench.
    const Mat6X B = model::allocation_matrix(problem.robot);
    const Eigen::MatrixXd pushed = Eigen::MatrixXd(B)(free, Eigen::all);
    Eigen::VectorXd tau(axes), all = Eigen::VectorXd::Zero(axes);
    for (Index a = 0; a < axes; ++a) tau[a] = at.wrench(7, free[static_cast<std::size_t>(a)]);
    const Eigen::VectorXd force = pushed.completeOrthogonalDecomposition().solve(tau);
    EXPECT_LT((N.col(3).segment(7 * axes, axes) - 0.005 * pushed.col(1) * force[1]).norm(), 1e-9 * tau.norm());
    for (Index k = 0; k < pushed.cols(); ++k) all += N.col(2 + k).segment(7 * axes, axes);
    EXPECT_LT((all - 0.005 * tau).norm(), 1e-9 * tau.norm());

    V += N * N.transpose();
    const Eigen::MatrixXd information = Y.transpose() * V.llt().solve(Y);
    const Eigen::VectorXd variance = information.inverse().diagonal();
    const ExpectedAccuracy accuracy = accuracy_of(problem, grid.samples);
    for (Index k = 0; k < n; ++k)
      EXPECT_NEAR(accuracy.sigma[k] / std::sqrt(variance[k]), 1, 1e-6) << problem.name << " " << k;
    problem.thruster_errors = false;
    EXPECT_GT(accuracy.error, accuracy_of(problem, grid.samples).error) << problem.name;
  }
}

/// Independent errors of a table's points leave the nearest line, relative to the force, uncertain by
/// scatter^2 (A'A)^-1; every thruster of the table has that error at its own force.
TEST(ThrusterErrors, OfATableAreThoseOfALineThroughItsPoints) {
  const Problem problem = with_thruster(test::tank(), 0.2);
  const auto& map = *problem.robot.thrusters().front().map;
  const auto& table = std::get<model::ForceTable>(map.law);
  const double scatter = *model::table_scatter(table, map.command.neutral);
  Samples at = heave_sine(80, problem.sampling, 0.7);
  for (Index k = 0; k < at.size(); ++k) at.nu_dot(k, 0) = 0.3 * std::cos(0.2 * static_cast<double>(k));
  ThrusterErrors errors(problem, Eigen::ArrayXd::Ones(at.size()));
  at.wrench.setZero(at.size(), errors.width());
  errors.fill(at);
  const auto free = model::free_indices(problem.structure.dof);
  const Eigen::MatrixXd B = Eigen::MatrixXd(model::allocation_matrix(problem.robot))(free, Eigen::all);
  for (Index k = 1; k < at.size(); ++k) {
    const Eigen::VectorXd tau = at.wrench.row(k).head<6>().matrix().transpose()(free);
    const Eigen::VectorXd f = B.completeOrthogonalDecomposition().solve(tau);
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(4, 4), found = expected;
    for (const double side : {1.0, -1.0}) {
      const double largest = side > 0 ? table.forces[0].back() : -table.forces[0].front();
      Eigen::MatrixXd A(10, 2), slope = Eigen::MatrixXd::Zero(4, 2);
      for (Index i = 0; i < 10; ++i)
        A.row(i) << 1, std::abs(table.forces[0][std::size_t(side > 0 ? 11 + i : i)]) / largest;
      for (Index j = 0; j < f.size(); ++j) {
        const double share = 0.5 + 0.5 * side * f[j] / std::hypot(f[j], 0.05 * largest);  // 1 far on that side
        slope += share * B.col(j) * f[j] * Eigen::RowVector2d(1, std::abs(f[j]) / largest);
      }
      expected += scatter * scatter * slope * (A.transpose() * A).inverse() * slope.transpose();
    }
    for (Index mode = 0; mode < 4; ++mode) {
      const Eigen::VectorXd one = at.wrench.row(k).segment<6>(6 * (3 + mode)).matrix().transpose()(free);
      found += one * one.transpose();
    }
    ASSERT_GT(expected.norm(), 0);
    EXPECT_LT((found - expected).norm(), 1e-9 * expected.norm()) << k;
  }
}

TEST(ThrusterErrors, AreNoneWhereTheyDoNotCount) {
  Problem problem = test::tank();
  EXPECT_TRUE(ThrusterErrors(problem, Eigen::ArrayXd::Ones(8)).empty());
  problem.thruster_errors = true;
  EXPECT_FALSE(ThrusterErrors(problem, Eigen::ArrayXd::Ones(8)).empty());
  model::RobotSpec spec = problem.robot.spec();
  spec.thrusters.clear();
  problem.robot = model::Robot::make_unchecked(std::move(spec));
  EXPECT_TRUE(ThrusterErrors(problem, Eigen::ArrayXd::Ones(8)).empty());
}

TEST(Marginal, IsTheSchurComplementAndItsDerivative) {
  RandomStream random(1, "information");
  const Eigen::MatrixXd R = Eigen::MatrixXd::NullaryExpr(9, 6, [&] { return random.normal(); });
  const Eigen::MatrixXd G = R.transpose() * R;
  Marginal marginal(4, 2);
  const Eigen::MatrixXd reduced = marginal.reduce(G);
  Eigen::MatrixXd with_prior = G;
  with_prior.diagonal().tail<2>().array() += 1;
  const Eigen::MatrixXd covariance = with_prior.inverse();
  EXPECT_LT((reduced.inverse() - covariance.topLeftCorner(4, 4)).norm(), 1e-9 * covariance.norm());
  Eigen::MatrixXd W = R.topLeftCorner(4, 4);
  W = (W + W.transpose()).eval();
  const Eigen::MatrixXd slope = marginal.expand(W);
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j <= i; ++j) {
      constexpr double step = 1e-6;
      const auto moved = [&](double by) {
        Eigen::MatrixXd there = G;
        there(i, j) += by;
        if (i != j) there(j, i) += by;
        return marginal.reduce(there).cwiseProduct(W).sum();
      };
      EXPECT_NEAR((moved(step) - moved(-step)) / (2 * step), (i == j ? 1 : 2) * slope(i, j), 1e-6) << i << j;
    }
}

}  // namespace
}  // namespace fathom::excite::thruster_errors_test
