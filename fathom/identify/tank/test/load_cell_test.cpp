#include "fathom/identify/tank/load_cell.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"

namespace fathom::identify::load_cell_test {
namespace {

using fathom::test::error_text;

/// Nielsen 2019, eq. 5.14: m1 + m2 - m3 cos(angle).
std::vector<LoadCell> bracket_cells(double angle) {
  LoadCell wire{"m3", -1, angle};
  return {{"m1"}, {"m2"}, wire};
}

Eigen::MatrixXd readings_of(const Eigen::RowVector3d& zero, const Eigen::RowVector3d& pull) {
  Eigen::MatrixXd readings(100, 3);
  readings.topRows(40).rowwise() = zero;
  readings.bottomRows(60).rowwise() = zero + pull;
  return readings;
}

TEST(PathForce, IsTheSumOfThreeCellsInLine) {  // eq. 4.14
  const PathForce path = path_force({{"a"}, {"b"}, {"c"}}, readings_of({1, -2, 3}, {5, 6, 7}), 40);
  EXPECT_NEAR(path.force[99], 18, 1e-12);
  EXPECT_NEAR(path.force[0], 0, 1e-12);
  EXPECT_EQ(path.zero, (std::vector<double>{1, -2, 3}));
}

TEST(PathForce, TakesTheWireOffAlongThePath) {  // eq. 5.14
  const double angle = std::numbers::pi / 3;
  const PathForce path = path_force(bracket_cells(angle), readings_of({0, 0, 4}, {20, 15, 10}), 40);
  EXPECT_NEAR(path.force[99], 20 + 15 - 10 * 0.5, 1e-12);
}

TEST(PathForce, WithoutRestTakesReadingsAsTheyAre) {
  const PathForce path = path_force({{"a"}}, Eigen::MatrixXd::Constant(50, 1, 2), 0);
  EXPECT_EQ(path.force[10], 2);
  EXPECT_EQ(path.zero_variance, 0);
}

TEST(PathForce, KnowsItsZeroAsWellAsTheRestIsLong) {
  RandomStream random(1, "zero");
  Eigen::MatrixXd readings(500, 1);
  for (double& x : readings.reshaped()) x = 0.5 * random.normal();
  EXPECT_NEAR(path_force({{"a"}}, readings, 400).zero_variance, 0.25 / 400, 0.4 * 0.25 / 400);
}

/// The derivative of the force by angle and gain, times their sigmas.
TEST(SharedErrors, AreDerivativesTimesSigmas) {
  std::vector<LoadCell> cells = bracket_cells(0.4);
  cells[2].angle_sigma = 0.02;
  cells[0].gain_sigma = 0.01;
  const Eigen::MatrixXd readings = readings_of({1, 2, 3}, {20, 15, 10});
  const PathForce path = path_force(cells, readings, 40);
  const std::vector<double> errors = shared_errors(cells, readings, path, 50, 40);
  ASSERT_EQ(errors.size(), 6u);
  const auto force_with = [&](double angle, double gain) {
    std::vector<LoadCell> other = cells;
    other[2].angle = angle;
    other[0].gain = gain;
    return path_force(other, readings, 40).force[99];
  };
  constexpr double h = 1e-6;
  EXPECT_NEAR(errors[2], 0.02 * (force_with(0.4 + h, 1) - force_with(0.4 - h, 1)) / (2 * h), 1e-6);
  EXPECT_NEAR(errors[3], 0.01 * (force_with(0.4, 1 + h) - force_with(0.4, 1 - h)) / (2 * h), 1e-6);
  EXPECT_EQ(errors[0], 0);
}

TEST(PathForce, RefusesWhatCannotBe) {
  const Eigen::MatrixXd readings = Eigen::MatrixXd::Ones(50, 1);
  EXPECT_NE(error_text([&] { path_force({{"a"}, {"b"}}, readings, 0); }).find("1 columns"), std::string::npos);
  LoadCell across{"a", 1, 1.6};
  EXPECT_NE(error_text([&] { path_force({across}, readings, 0); }).find("right angle"), std::string::npos);
  EXPECT_NE(error_text([&] { path_force({{"a"}}, readings, 3); }).find("3 samples at rest"), std::string::npos);
  Eigen::MatrixXd bad = readings;
  bad(3, 0) = nan;
  EXPECT_NE(error_text([&] { path_force({{"a"}}, bad, 0); }).find("not finite"), std::string::npos);
}

}  // namespace
}  // namespace fathom::identify::load_cell_test
