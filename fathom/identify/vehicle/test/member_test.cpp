#include "fathom/identify/vehicle/internal/member.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/identify/vehicle/identified_robot.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::identify::member_test {
namespace {

using Eigen::Index;

/// Parameters with a common error of 20 %, and one of 1 % each by itself, of a robot whose gain is known to
/// `gain_sigma`.
UncertainModel with_gain(double gain_sigma) {
  const model::Environment environment;
  const model::Structure structure = model::full_structure(model::Dof::four);
  model::RobotSpec spec = dynamics::test::robot_named("bluerov2-heavy").spec();
  spec.command_path = model::CommandPath{.by = model::CommandPath::By::axes};
  spec.command_path->gain = model::Value<double>{0.5, "", false, gain_sigma};
  const model::Robot robot = model::Robot::make(std::move(spec));
  const Eigen::VectorXd theta = model::parameters_of(robot, environment, structure).parameters.values();
  Eigen::MatrixXd C = 0.2 * 0.2 * theta * theta.transpose();
  C.diagonal() += 0.01 * 0.01 * theta.cwiseAbs2();
  const model::ParameterVector parameters(structure.parameters(theta), C);
  return {identified_robot(robot, environment, structure, parameters, "a test"),
          environment,
          structure,
          parameters,
          {}};
}

/// Relative standard deviation of the surge inertia over draws.
double spread_of_mass(const UncertainModel& uncertain) {
  const internal::MemberSource source(uncertain);
  RandomStream random(1, "members");
  constexpr int draws = 60;
  double sum = 0, square = 0;
  for (int k = 0; k < draws; ++k) {
    const double m11 = source.draw(random).vehicle.M()(0, 0);
    sum += m11;
    square += m11 * m11;
  }
  const double mean = sum / draws;
  return std::sqrt(square / draws - mean * mean) / mean;
}

/// Gain and parameters have one scale: an error of the gain that is in all parameters is no error of a
/// prediction by the same gain.
TEST(MemberSource, DrawsNoScaleThatTheGainOfTheCommandPathShares) {
  EXPECT_GT(spread_of_mass(with_gain(0)), 0.1);  // the gain is exact: the scale is the parameters' own
  EXPECT_LT(spread_of_mass(with_gain(0.5 * 0.2)), 0.03);
  EXPECT_LT(spread_of_mass(with_gain(0.5 * 0.4)), 0.03);  // no more is taken than there is
}

}  // namespace
}  // namespace fathom::identify::member_test
