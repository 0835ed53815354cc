#include "fathom/identify/vehicle/identify.hpp"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/identify/vehicle/identified_robot.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"
#include "fathom/model/candidates.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::identify::identify_test {
namespace {

using fathom::test::error_text;

const model::Robot& robot() { return dynamics::test::robot_named("bluerov2-heavy"); }

std::vector<Recording> swum(double duration) {
  const dynamics::Vehicle vehicle(robot(), model::Environment(), model::Dof::four);
  std::vector<Recording> out = {test::swim(vehicle, test::sinusoids(1), duration, 0.05)};
  out.front().track.nu_sigma_b.setConstant(1e-4);
  return out;
}

Identified identified(const std::vector<Recording>& recordings, const std::string& structure,
                      IdentifyOptions options = {}) {
  options.candidates = {model::candidate(structure, robot())};
  options.compare = false;
  return identify(recordings, robot(), model::Environment(), options);
}

TEST(Identify, NamesTheVelocityThatNothingDrives) {
  std::vector<Recording> recordings = swum(40);
  recordings.front().tau_b.row(5).setZero();
  const std::string text = error_text([&] { identified(recordings, "diagonal"); });
  EXPECT_NE(text.find("swim: yaw is driven by no thruster"), std::string::npos) << text;
  EXPECT_EQ(text.find("surge"), std::string::npos) << text;
}

TEST(Identify, SaysThatALogIsTooShortForItsParameters) {
  const std::string text = error_text([&] { identified(swum(9), "quadratic"); });
  EXPECT_NE(text.find("swim: log is too short: "), std::string::npos) << text;
  EXPECT_NE(text.find("for the 27 parameters of structure quadratic"), std::string::npos) << text;
}

TEST(Identify, TellsBoundsFromEdgesThatAreToBeExpected) {
  Identified found;
  found.fit.active = {"d11 >= 0", "quadratic damping |v| of sway and yaw", "q33|3| >= 0",
                      "linear damping of sway and yaw"};
  EXPECT_EQ(found.active_constraints(),
            (std::vector<std::string>{"d11 >= 0", "q33|3| >= 0", "linear damping of sway and yaw"}));
  EXPECT_EQ(found.expected_active_constraints(),
            std::vector<std::string>{"quadratic damping |v| of sway and yaw"});
  found.structure = model::candidate("6dof-oblique", dynamics::test::robot_named("defender-like"));
  found.fit.active = {"quadratic damping |v| of sway and yaw", "q33|2| >= 0"};
  EXPECT_EQ(found.expected_active_constraints(), found.fit.active);
  EXPECT_TRUE(found.active_constraints().empty());
}

TEST(Identify, NamesWhatNoMotionTellsApart) {
  // All six move, and still only W - B and the first moment show.
  const model::Robot& six = dynamics::test::robot_named("defender-like");
  const dynamics::Vehicle vehicle(six, model::Environment(), model::Dof::six);
  const Vec6 size = (Vec6() << 12, 12, 12, 2, 2, 2).finished();
  std::vector<Recording> recordings = {test::swim(vehicle, test::sinusoids(1, size), 60, 0.05)};
  recordings.front().track.nu_sigma_b.setConstant(1e-4);
  IdentifyOptions options;
  options.candidates = {model::candidate("vehicle-25", six)};
  options.compare = false;
  const Identified found = identify(recordings, six, model::Environment(), options);  // a fit is never lost
  const auto unseen = [&](const std::vector<std::size_t>& list, const std::string& name) {
    return std::count(list.begin(), list.end(), *found.parameters.find(name)) == 1;
  };
  for (const char* name : {"W", "B"}) {
    EXPECT_TRUE(unseen(found.not_told_apart, name)) << name;
    EXPECT_TRUE(unseen(found.identifiability.unidentifiable, name)) << name;
  }
  EXPECT_FALSE(unseen(found.identifiability.unidentifiable, "m11"));
}

TEST(Identify, RefusesACurrentThatRunsAway) {
  // Water at 4 m/s that the log does not tell of, and a prior that allows it.
  std::vector<Recording> recordings = swum(60);
  for (Eigen::Index k = 0; k < recordings[0].size(); ++k)
    recordings[0].track.nu_b.col(k).head<3>() += recordings[0].track.attitude(k).conjugate() * Vec3(4, 0, 0);
  IdentifyOptions options;
  options.fit.current_sigma = 10;
  const std::string text = error_text([&] { identified(recordings, "diagonal", options); });
  EXPECT_NE(text.find("current its estimate ran away, to "), std::string::npos) << text;
}

TEST(Identify, TellsItsProgressInOrder) {
  IdentifyOptions options;
  std::vector<double> shares;
  options.progress = [&](double share, const std::string& doing) {
    shares.push_back(share);
    EXPECT_FALSE(doing.empty());
  };
  identified(swum(40), "diagonal", options);
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
}

TEST(Identify, ARefinedEstimateTakesThePlaceOfTheFittedOneWithAllThatIsSaidOfIt) {
  std::vector<Recording> recordings = swum(60);
  RandomStream random(1, "noise");
  for (double& nu : recordings[0].track.nu_b.reshaped()) nu += 0.005 * random.normal();
  IdentifyOptions options;
  options.fit.thrust_sigma = 0.01;
  std::vector<std::string> doing;
  options.progress = [&](double, const std::string& what) { doing.push_back(what); };
  const Identified fitted = identified(recordings, "diagonal", options);
  Identified found = fitted;
  const OutputError refined = refine(recordings, robot(), model::Environment(), options, found);
  EXPECT_TRUE(refined.converged) << refined.about;
  EXPECT_EQ(doing.back(), "refining diagonal");
  EXPECT_NE(refined.theta, fitted.fit.theta);
  EXPECT_EQ(found.fit.theta, refined.theta);
  EXPECT_EQ(found.parameters.values(), refined.theta);
  EXPECT_EQ(found.fit.covariance, refined.covariance);
  EXPECT_EQ(found.fit.active, refined.active);
  EXPECT_LT((found.fit.information * refined.covariance -
             Eigen::MatrixXd::Identity(refined.theta.size(), refined.theta.size()))
                .norm(),
            1e-3);
  EXPECT_EQ(found.fit.nuisance.value.delay, refined.nuisance.value.delay);
  ASSERT_EQ(found.estimates.size(), fitted.estimates.size() + 1);
  EXPECT_EQ(found.estimates.back().name, "output-error");
  // Residuals are those of the equation at the refined values.
  const Regression regression(found.structure, recordings, options.regression);
  regression.pass(found.fit.nuisance.value, [&](const RowBlock& block) {
    const Eigen::VectorXd r = block.tau - block.Y * refined.theta;
    const auto got = found.fit.residuals.values.middleCols(block.first_sample, r.size() / 4);
    EXPECT_LT((got.reshaped() - r).norm(), 1e-12);
  });
  EXPECT_GT((found.fit.residuals.values - fitted.fit.residuals.values).norm(), 1e-3);
}

TEST(Identify, TakesTheLargestErrorOfSeveralAttitudeSensors) {
  model::RobotSpec spec = robot().spec();
  spec.sensors.clear();
  const auto add = [&](const char* name, std::map<std::string, double> bias) {
    model::Sensor sensor;
    sensor.name = name;
    sensor.kind = model::SensorKind::ahrs;
    sensor.rate_hz.emplace().value = 100;
    for (const auto& [channel, value] : bias) sensor.bias[channel].value = value;
    spec.sensors.push_back(sensor);
  };
  add("first", {{"attitude", 0.01}, {"heading", 0.02}});
  add("second", {{"attitude", 0.02}, {"heading", 0.01}});
  add("silent", {});
  EXPECT_EQ(attitude_sigma(model::Robot::make(spec)), Vec3(0.02, 0.02, 0.02));
}

TEST(Identify, TakesTheErrorOfTheAttitudeFromTheRobotUnlessItIsGiven) {
  const std::vector<Recording> recordings = swum(60);
  const auto sigmas = [&](std::optional<Vec3> attitude) {
    IdentifyOptions options;
    options.fit.attitude_sigma = attitude;
    options.candidates = {model::candidate("diagonal", robot())};
    const Identified found = identify(recordings, robot(), model::Environment(), options);
    Eigen::MatrixXd all(found.parameters.size(), 1 + found.estimates.size());
    all.col(0) = found.fit.covariance.diagonal().cwiseSqrt();
    for (std::size_t k = 0; k < found.estimates.size(); ++k)
      all.col(static_cast<Eigen::Index>(1 + k)) = found.estimates[k].covariance.diagonal().cwiseSqrt();
    return all;
  };
  const Eigen::MatrixXd by_default = sigmas({}), of_robot = sigmas(attitude_sigma(robot())),
                        none = sigmas(Vec3::Zero());
  ASSERT_GT(attitude_sigma(robot()).minCoeff(), 0);
  EXPECT_EQ(by_default, of_robot);
  EXPECT_TRUE((none.array() <= by_default.array()).all());
  EXPECT_TRUE((none.colwise().sum().array() < by_default.colwise().sum().array()).all());
}

TEST(Identify, ARefinedEstimateHasTheErrorOfTheAttitudeFromTheRobot) {
  std::vector<Recording> recordings = swum(60);
  RandomStream random(1, "noise");
  for (double& nu : recordings[0].track.nu_b.reshaped()) nu += 0.005 * random.normal();
  const auto refined = [&](std::optional<Vec3> attitude) {
    IdentifyOptions options;
    options.fit.attitude_sigma = attitude;
    Identified found = identified(recordings, "diagonal", options);
    return refine(recordings, robot(), model::Environment(), options, found).covariance;
  };
  const Eigen::MatrixXd by_default = refined({});
  EXPECT_EQ(by_default, refined(attitude_sigma(robot())));
  EXPECT_GT(by_default.diagonal().sum(), refined(Vec3::Zero()).diagonal().sum());
}

TEST(Identify, ChoosesAmongAllCandidatesByDefault) {
  IdentifyOptions options;
  options.compare = false;
  const Identified found = identify(swum(60), robot(), model::Environment(), options);
  ASSERT_TRUE(found.choice);
  EXPECT_EQ(found.choice->candidates.size(), model::candidate_structures(robot()).size());
}

TEST(IdentifiedRobot, StatesNoPlaneThatItsStructureCanBreak) {
  ASSERT_TRUE(robot().hull().symmetry.port_starboard);
  const model::Environment water;
  const model::Structure linear = model::candidate("linear", robot());
  std::vector<model::Parameter> parameters = model::parameters_of(robot(), water, linear).parameters.entries();
  for (model::Parameter& p : parameters) {
    if (p.group == "damping.linear") p.value = p.name[1] == p.name[2] ? 20 : 0;
    if (p.name == "d12") p.value = 1.5;  // port and starboard alike would forbid it
  }
  const model::Robot found =
      identified_robot(robot(), water, linear, model::ParameterVector(parameters), "a test");
  EXPECT_FALSE(found.hull().symmetry.port_starboard);
  const auto back = model::parameters_of(found, water, linear).parameters;
  EXPECT_NEAR(back[*back.find("d12")].value, 1.5, 1e-12);

  const model::Structure diagonal = model::candidate("diagonal", robot());
  const model::Robot same = identified_robot(
      robot(), water, diagonal, model::parameters_of(robot(), water, diagonal).parameters, "a test");
  EXPECT_TRUE(same.hull().symmetry.port_starboard);
}

}  // namespace
}  // namespace fathom::identify::identify_test
