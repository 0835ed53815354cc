// What is predicted of a motion against explicit least squares on a stack of regressors.
#include "fathom/excite/accuracy.hpp"

#include <algorithm>
#include <numbers>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <gtest/gtest.h>

#include "fathom/dynamics/regressor.hpp"
#include "fathom/excite/assessment.hpp"
#include "fathom/excite/test/problems.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::excite::accuracy_test {
namespace {

/// Every regressor, one below the other; rows as the structure's free velocities.
Eigen::MatrixXd stacked(const Problem& problem, const Grid& grid) {
  const auto rows = static_cast<Eigen::Index>(model::free_indices(problem.structure.dof).size());
  const auto count = static_cast<Eigen::Index>(grid.mask.sum());
  Eigen::MatrixXd Y(rows * count, static_cast<Eigen::Index>(problem.structure.size()));
  for (Eigen::Index k = 0; k < count; ++k) {
    const dynamics::Motion motion{grid.samples.nu.row(k).transpose(), grid.samples.nu_dot.row(k).transpose(),
                                  grid.samples.down.row(k).transpose()};
    Y.middleRows(k * rows, rows) = dynamics::regressor(problem.structure, motion);
  }
  return Y;
}

Grid random_grid(const Problem& problem) {
  const Designer designer(problem);
  const trajectory::Bezier path = designer.path(designer.random_path(4, 0));
  return sample_path(
      problem, [&](double t) { return path.at(t); }, problem.sampling);
}

std::vector<Problem> problems() {
  std::vector<Problem> all = {test::tank(), test::pool(), test::pond(), test::tank()};
  all[3].priors = {{"W-B", 0.05}, {"m22", 12}};
  return all;
}

/// All damping of the robot for sinusoids at the speed limits: the part of its force that swings with the
/// velocity, per velocity. One velocity drives, or its speed lends drag to another.
Mat6 damping_by_hand(const Problem& problem) {
  const auto full = model::full_structure(model::Dof::six);
  const Eigen::VectorXd theta =
      model::parameters_of(problem.robot, problem.environment, full).parameters.values();
  const auto free = model::free_indices(problem.structure.dof);
  Mat6 D = Mat6::Zero();
  for (std::size_t k = 0; k < full.size(); ++k) {
    const model::Term& term = full.terms[k];
    const auto is_free = [&](int i) { return std::find(free.begin(), free.end(), i) != free.end(); };
    if (term.kind == model::Term::Kind::linear && is_free(term.row) && is_free(term.column))
      D(term.row, term.column) += theta[static_cast<Eigen::Index>(k)];
    if (term.kind != model::Term::Kind::quadratic) continue;
    if (!is_free(term.row) || !is_free(term.column) || !is_free(term.speed)) continue;
    double V = 0, product = 0, square = 0;
    for (const Segment& segment : problem.segments)
      V = std::max(V, segment.limits.rate[static_cast<std::size_t>(term.speed)].max);
    for (int step = 0; step < 1000; ++step) {  // the slope that fits |v| v best
      const double v = V * std::sin(2 * std::numbers::pi * step / 1000);
      product += std::abs(v) * v * v;
      square += v * v;
    }
    D(term.row, term.column) += theta[static_cast<Eigen::Index>(k)] * product / square;
  }
  return D;
}

/// 1 / variance of the rows: noise of the wrench and of the velocities through damping.
Eigen::VectorXd weights_by_hand(const Problem& problem) {
  const Mat6 D = damping_by_hand(problem);
  const auto free = model::free_indices(problem.structure.dof);
  Eigen::VectorXd weight(static_cast<Eigen::Index>(free.size()));
  for (std::size_t k = 0; k < free.size(); ++k) {
    double variance = std::pow(free[k] < 3 ? problem.noise.force : problem.noise.torque, 2);
    for (const int j : free)
      variance += std::pow(D(free[k], j) * (j < 3 ? problem.noise.velocity : problem.noise.turn_rate), 2);
    weight[static_cast<Eigen::Index>(k)] = 1 / variance;
  }
  return weight;
}

/// Heave of the BlueROV2 Heavy, by the numbers of its file: the structure has a term for the quadratic part.
TEST(ExpectedAccuracy, NoiseOfVelocityPassesThroughAllDamping) {
  Problem problem = test::pool();
  const auto values = model::parameters_of(problem.robot, problem.environment, problem.structure).parameters;
  double linear = 0, quadratic = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k].name == "d33") linear = values[k].value;
    if (values[k].name == "q33|3|") quadratic = values[k].value;
  }
  ASSERT_GT(quadratic, 1);
  problem.noise = {2, 0.4, 0.3, 0};
  const double drag = linear + 8 / (3 * std::numbers::pi) * 0.25 * quadratic;  // N s/m at 0.25 m/s
  EXPECT_NEAR(1 / row_weights(problem)[2], 4 + std::pow(0.3 * drag, 2), 1e-9);
}

TEST(ExpectedAccuracy, SigmaIsThatOfWeightedLeastSquares) {
  for (const Problem& problem : problems()) {
    const Grid grid = random_grid(problem);
    const Eigen::MatrixXd Y = stacked(problem, grid);
    const Eigen::Index n = Y.cols();
    const Eigen::VectorXd weight = weights_by_hand(problem), scale = parameter_scales(problem);
    Eigen::MatrixXd equations(Y.rows() + n, n);  // a prior is one more equation
    equations << Y, Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index row = 0; row < Y.rows(); ++row)
      equations.row(row) *= std::sqrt(weight[row % weight.size()]);
    for (const Prior& prior : problem.priors)
      for (Eigen::Index k = 0; k < n; ++k)
        if (model::name_of(problem.structure.terms[static_cast<std::size_t>(k)]) == prior.parameter)
          equations(Y.rows() + k, k) = 1 / prior.sigma;
    equations *= scale.asDiagonal();
    const Eigen::MatrixXd R =
        Eigen::HouseholderQR<Eigen::MatrixXd>(equations).matrixQR().topRows(n).triangularView<Eigen::Upper>();
    const Eigen::MatrixXd R_inverse = R.triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(n, n));
    const Eigen::VectorXd relative = R_inverse.rowwise().norm();

    const ExpectedAccuracy accuracy = accuracy_of(problem, grid.samples);
    EXPECT_LT((accuracy.sigma.cwiseQuotient(relative.cwiseProduct(scale)).array() - 1).abs().maxCoeff(), 1e-6)
        << problem.name;
    EXPECT_NEAR(accuracy.error, std::sqrt(relative.squaredNorm() / static_cast<double>(n)),
                1e-6 * accuracy.error);
  }
}

TEST(ExpectedAccuracy, ConditionNumberIsThatOfTheStackedRegressor) {
  for (const Problem& problem : problems()) {
    const Grid grid = random_grid(problem);
    const Eigen::MatrixXd Y = stacked(problem, grid);
    const Eigen::MatrixXd R =
        Eigen::HouseholderQR<Eigen::MatrixXd>(Y).matrixQR().topRows(Y.cols()).triangularView<Eigen::Upper>();
    const Eigen::VectorXd singular = Eigen::JacobiSVD<Eigen::MatrixXd>(R).singularValues();
    const ExpectedAccuracy accuracy = accuracy_of(problem, grid.samples);
    const double expected = singular[0] / singular[singular.size() - 1];
    EXPECT_NEAR(accuracy.condition, expected, 1e-6 * expected) << problem.name;
    EXPECT_LE(accuracy.floor, accuracy.condition);
    const Eigen::VectorXd columns = Y.colwise().norm();
    EXPECT_NEAR(accuracy.floor, columns.maxCoeff() / columns.minCoeff(), 1e-9 * accuracy.floor);
  }
}

TEST(ExpectedAccuracy, FloorIsOneOverTheRmsOfHeaveAcceleration) {
  const Problem problem = test::tank();
  const Grid grid = random_grid(problem);
  const ExpectedAccuracy accuracy = accuracy_of(problem, grid.samples);
  double sum = 0;
  for (Eigen::Index k = 0; k < grid.t.size(); ++k) sum += grid.mask[k] * std::pow(grid.samples.nu_dot(k, 2), 2);
  EXPECT_EQ(accuracy.floor_high, "W-B");
  EXPECT_EQ(accuracy.floor_low, "m33");
  EXPECT_NEAR(accuracy.floor, 1 / std::sqrt(sum / grid.mask.sum()), 1e-9 * accuracy.floor);
}

TEST(ExpectedAccuracy, WithoutMotionNothingIsKnown) {
  const Problem problem = test::tank();
  const ExpectedAccuracy accuracy = accuracy_of(problem, Samples(16));
  EXPECT_TRUE(std::isinf(accuracy.error));
  EXPECT_TRUE((accuracy.sigma.array() == std::numeric_limits<double>::infinity()).all());
  EXPECT_TRUE(std::isinf(accuracy.condition));
  EXPECT_TRUE(std::isinf(accuracy.floor));
}

/// Without heave, the columns of heave are rounding: no number that a motion could be judged by.
TEST(ExpectedAccuracy, ASingularRegressorHasNoConditionNumber) {
  const Problem problem = test::tank();
  Grid grid = random_grid(problem);
  for (const double heave : {1e-3, 1e-12, 0.0}) {
    Samples samples = grid.samples;
    samples.nu.col(2) *= heave;
    samples.nu_dot.col(2) *= heave;
    const double condition = accuracy_of(problem, samples).condition;
    if (heave > 1e-6)
      EXPECT_LT(condition, 1e7);
    else
      EXPECT_TRUE(std::isinf(condition)) << heave;
  }
}

TEST(ExpectedAccuracy, ScalesAreDiagonalsAndAFifthOfTheirMean) {
  const Problem problem = test::tank();
  const auto values = problem.structure.parameters(linearised_parameters(problem));
  const Eigen::VectorXd scale = parameter_scales(problem);
  const auto at = [&](const std::string& name) {
    for (std::size_t k = 0; k < values.size(); ++k)
      if (values[k].name == name) return k;
    throw std::runtime_error("no " + name);
  };
  const auto value = [&](const std::string& name) { return values[at(name)].value; };
  const auto scale_of = [&](const std::string& name) { return scale[static_cast<Eigen::Index>(at(name))]; };
  EXPECT_NEAR(scale_of("m11"), value("m11"), 1e-12);
  EXPECT_NEAR(scale_of("m66"), value("m66"), 1e-12);
  EXPECT_NEAR(scale_of("d22"), value("d22"), 1e-12);
  EXPECT_NEAR(scale_of("m26"), 0.2 * std::sqrt(value("m22") * value("m66")), 1e-12);
  EXPECT_NEAR(scale_of("d13"), 0.2 * std::sqrt(value("d11") * value("d33")), 1e-12);
  EXPECT_NEAR(scale_of("d31"), scale_of("d13"), 1e-12);
  const double weight = problem.robot.hull().mass.value * problem.environment.gravity();
  EXPECT_NEAR(scale_of("W-B"), std::max(std::abs(value("W-B")), 0.005 * weight), 1e-12);
}

/// A Monte Carlo of least squares: sigma is what comes out of noise.
TEST(ExpectedAccuracy, SigmaIsTheSpreadOfEstimates) {
  Problem problem = test::pond();
  problem.noise = {2, 0.5, 0, 0};
  const Grid grid = random_grid(problem);
  const Eigen::MatrixXd Y = stacked(problem, grid);
  const Eigen::VectorXd weight = weights_by_hand(problem);
  Eigen::VectorXd root(Y.rows());
  for (Eigen::Index k = 0; k < Y.rows(); ++k) root[k] = std::sqrt(weight[k % weight.size()]);
  const Eigen::HouseholderQR<Eigen::MatrixXd> least_squares(root.asDiagonal() * Y);
  RandomStream random(1, "noise");
  constexpr int draws = 400;
  Eigen::VectorXd square = Eigen::VectorXd::Zero(Y.cols());
  for (int k = 0; k < draws; ++k) {  // whitened noise has variance one
    const Eigen::VectorXd noise = Eigen::VectorXd::NullaryExpr(Y.rows(), [&] { return random.normal(); });
    square += Eigen::VectorXd(least_squares.solve(noise)).cwiseAbs2();
  }
  const ExpectedAccuracy accuracy = accuracy_of(problem, grid.samples);
  for (Eigen::Index k = 0; k < Y.cols(); ++k)  // five standard deviations of a variance from 400 draws
    EXPECT_NEAR(square[k] / draws / std::pow(accuracy.sigma[k], 2), 1, 5 * std::sqrt(2.0 / draws)) << k;
}

}  // namespace
}  // namespace fathom::excite::accuracy_test
