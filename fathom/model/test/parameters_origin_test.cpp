#include <cmath>

#include <gtest/gtest.h>

#include "fathom/model/robot_parameters.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::parameters_origin_test {
namespace {

using Kind = Term::Kind;

const Environment fresh;

Robot assumed_robot() {
  return parse_robot(test::with(test::with(test::small_file(), "hull:\n", "hull:\n  assumed: a guess\n"),
                                "  - name: hull\n", "  - name: hull\n    assumed: a guess\n"),
                     "f");
}

/// The robot's own parameters, the k-th with the standard deviation 0.01 (k + 1).
ParameterVector known(const Robot& robot, const Structure& structure) {
  const ParameterVector p = parameters_of(robot, fresh, structure).parameters;
  Eigen::VectorXd variances(static_cast<Eigen::Index>(p.size()));
  for (Eigen::Index k = 0; k < variances.size(); ++k)
    variances[k] = std::pow(0.01 * static_cast<double>(k + 1), 2);
  return ParameterVector(p.entries(), variances.asDiagonal());
}

TEST(WithParameters, PutsTheSourceOnEverythingThatWasEstimated) {
  const Structure structure = structure_by_name("vehicle-24");
  const Robot robot =
      with_parameters(assumed_robot(), fresh, structure, known(assumed_robot(), structure), "log 7");
  const auto expect_new = [](const auto& value) {
    EXPECT_EQ(value.source, "log 7");
    EXPECT_FALSE(value.assumed);
  };
  expect_new(robot.hull().added_mass);
  expect_new(robot.hull().volume);
  expect_new(robot.hull().centre_of_buoyancy);
  expect_new(robot.damping()[0].linear);
  expect_new(robot.damping()[0].quadratic);
  EXPECT_EQ(robot.hull().mass.source, "a guess");
  EXPECT_TRUE(robot.hull().mass.assumed);
  EXPECT_EQ(robot.hull().inertia.source, "a guess");
}

TEST(WithParameters, LeavesTheSourceOfWhatTheStructureDoesNotHold) {
  StructureOptions options;
  options.linear = StructureOptions::Linear::none;
  options.quadratic_diagonal = false;
  options.net_weight = options.first_moments = false;
  const Structure inertia_only = make_structure("inertia only", options);
  const Robot robot =
      with_parameters(assumed_robot(), fresh, inertia_only, known(assumed_robot(), inertia_only), "log 7");
  EXPECT_EQ(robot.hull().added_mass.source, "log 7");
  EXPECT_EQ(robot.damping()[0].linear.source, "a guess");
  EXPECT_EQ(robot.damping()[0].quadratic.source, "a guess");
  EXPECT_EQ(robot.hull().volume.source, "a guess");
  EXPECT_FALSE(robot.hull().volume.sigma);
}

TEST(WithParameters, PutsTheSourceOnACentreOfBuoyancyThatMovesWithTheVolume) {
  // vehicle-23 sets W - B alone; the centre of buoyancy moves so that the first moment stays.
  RobotSpec spec = assumed_robot().spec();
  spec.hull.centre_of_buoyancy.value = Vec3(0.1, 0, -0.05);
  const Robot before = Robot::make(spec);
  const Structure structure = structure_by_name("vehicle-23");
  const ParameterVector p = known(before, structure);
  Eigen::VectorXd values = p.values();
  values[22] += 5;
  const Robot after = with_parameters(before, fresh, structure, p.with_values(values), "log 7");
  ASSERT_NE(after.hull().centre_of_buoyancy.value, before.hull().centre_of_buoyancy.value);
  EXPECT_EQ(after.hull().centre_of_buoyancy.source, "log 7");
}

TEST(WithParameters, PutsTheSigmaOfEachParameterWhereItsValueGoes) {
  const Structure structure = structure_by_name("vehicle-24");
  const ParameterVector p = known(test::small_robot(), structure);
  const Robot robot = with_parameters(test::small_robot(), fresh, structure, p, "log 7");
  const double buoyancy = 1000 * 9.81 * 0.0115;
  for (std::size_t k = 0; k < structure.size(); ++k) {
    const Term& term = structure.terms[k];
    const double sigma = 0.01 * static_cast<double>(k + 1);
    const int i = term.row, j = term.column;
    if (term.kind == Kind::inertia) {
      EXPECT_NEAR((*robot.hull().added_mass.sigma)(i, j), sigma, 1e-14) << p[k].name;
      EXPECT_NEAR((*robot.hull().added_mass.sigma)(j, i), sigma, 1e-14) << p[k].name;
    } else if (term.kind == Kind::linear) {
      EXPECT_NEAR((*robot.damping()[0].linear.sigma)(i, j), sigma, 1e-14) << p[k].name;
    } else if (term.kind == Kind::quadratic) {
      EXPECT_NEAR(robot.damping()[0].quadratic.sigma->by_speed[static_cast<std::size_t>(term.speed)](i, j),
                  sigma, 1e-14)
          << p[k].name;
    } else if (term.kind == Kind::net_weight) {
      EXPECT_NEAR(*robot.hull().volume.sigma, sigma / 9810, 1e-16);
    } else {
      EXPECT_NEAR((*robot.hull().centre_of_buoyancy.sigma)[i], sigma / buoyancy, 1e-14) << p[k].name;
    }
  }
}

TEST(WithParameters, PutsTheSigmaOfWeightLessBuoyancyOnTheVolume) {
  const Structure structure = structure_by_name("vehicle-25");
  const ParameterVector p = parameters_of(test::small_robot(), fresh, structure).parameters;
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(25, 25);
  const auto w = static_cast<Eigen::Index>(*p.find("W")), b = static_cast<Eigen::Index>(*p.find("B"));
  covariance(w, w) = 4;
  covariance(b, b) = 9;
  covariance(w, b) = covariance(b, w) = 2;
  const Robot robot =
      with_parameters(test::small_robot(), fresh, structure, ParameterVector(p.entries(), covariance), "t");
  EXPECT_NEAR(*robot.hull().volume.sigma, std::sqrt(4.0 + 9 - 2 * 2) / 9810, 1e-15);
}

TEST(WithParameters, WritesNoSigmaWhereNoneIsKnown) {
  const Structure structure = structure_by_name("vehicle-24");
  const ParameterVector p = parameters_of(test::small_robot(), fresh, structure).parameters;
  const Robot robot = with_parameters(test::small_robot(), fresh, structure, p, "log 7");
  EXPECT_FALSE(robot.hull().volume.sigma);
  EXPECT_FALSE(robot.hull().centre_of_buoyancy.sigma);
  EXPECT_FALSE(robot.hull().added_mass.sigma);
  EXPECT_FALSE(robot.damping()[0].linear.sigma);
  EXPECT_FALSE(robot.damping()[0].quadratic.sigma);
  const ParameterVector again = parameters_of(robot, fresh, structure).parameters;
  for (std::size_t k = 0; k < again.size(); ++k) EXPECT_TRUE(std::isinf(again.sigma(k))) << again[k].name;
}

TEST(WithParameters, CallsNothingExactThatNobodyKnows) {
  const Structure structure = structure_by_name("vehicle-24");
  const ParameterVector before = known(test::small_robot(), structure);
  Eigen::MatrixXd covariance = before.covariance();
  for (const char* name : {"m22", "d33", "q44|4|", "ygW-ybB"}) {
    const auto k = static_cast<Eigen::Index>(*before.find(name));
    covariance(k, k) = HUGE_VAL;
  }
  const Robot robot = with_parameters(test::small_robot(), fresh, structure,
                                      ParameterVector(before.entries(), covariance), "log 7");
  const Mat6 &added = *robot.hull().added_mass.sigma, &linear = *robot.damping()[0].linear.sigma;
  EXPECT_GT(added(0, 0), 0);
  EXPECT_TRUE(std::isinf(added(1, 1))) << "the data did not show it";
  EXPECT_TRUE(std::isinf(added(0, 1))) << "the structure does not have it";
  EXPECT_TRUE(std::isinf(linear(2, 2)));
  EXPECT_TRUE(std::isinf(linear(0, 1)));
  EXPECT_TRUE(std::isinf(robot.damping()[0].quadratic.sigma->by_speed[3](3, 3)));
  EXPECT_TRUE(std::isinf(robot.damping()[0].quadratic.sigma->by_speed[3](0, 1)));
  EXPECT_TRUE(std::isinf((*robot.hull().centre_of_buoyancy.sigma)[1]));
  EXPECT_TRUE(std::isfinite((*robot.hull().centre_of_buoyancy.sigma)[2]));
}

TEST(WithParameters, KeepsSigmasThatTheStructureDoesNotHold) {
  RobotSpec spec = test::small_robot().spec();
  spec.hull.added_mass.sigma = Mat6::Constant(0.25);
  const Structure structure = structure_by_name("vehicle-24");
  const Robot robot =
      with_parameters(Robot::make(spec), fresh, structure, known(Robot::make(spec), structure), "t");
  EXPECT_EQ((*robot.hull().added_mass.sigma)(0, 1), 0.25);
}

}  // namespace
}  // namespace fathom::model::parameters_origin_test
