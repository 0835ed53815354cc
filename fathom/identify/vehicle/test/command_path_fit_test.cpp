// Dead band, gain and delay of commands, from logs of a plant that is not the model.
#include "fathom/identify/vehicle/command_path_fit.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/identify/vehicle/identify.hpp"
#include "fathom/identify/vehicle/test/command_path_plant.hpp"
#include "fathom/model/candidates.hpp"

namespace fathom::identify::command_path_fit_test {
namespace {

using test::newton_robot, test::steered;

std::vector<Recording> recorded(const test::Steered& truth, const model::Robot& robot, std::uint64_t seed = 1) {
  return {
      make_recording(test::logged(truth, test::crooked_robot(), seed), "swim", robot, model::Environment())};
}

const model::Value<double> unknown{0, "", false, std::nullopt}, unknown_gain{1, "", false, std::nullopt},
    held_at_one{1, "", false, 0.0};

TEST(SteeringFitLong, FindsTheDeadBandInsideItsInterval) {
  const model::Robot robot = steered(unknown);
  int held = 0;
  for (const double dead_band : {0.8, 2.0})
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      const CommandPathFit fit = fit_command_path(recorded({dead_band, 0.15}, robot, seed), robot);
      ASSERT_TRUE(fit.dead_band && !fit.gain);
      held += fit.dead_band->low <= dead_band && dead_band <= fit.dead_band->high;
      EXPECT_NEAR(fit.dead_band->value, dead_band, 0.15 * dead_band) << seed;
      EXPECT_LT(fit.dead_band->high - fit.dead_band->low, 0.6 * dead_band) << "an interval that says something";
      EXPECT_FALSE(fit.at_limit());
    }
  EXPECT_GE(held, 7);  // of 8 by 95 %: fewer come in 6 of 100
}

TEST(SteeringFitLong, DrawsManyPiecesInGroups) {
  const model::Robot robot = steered(unknown);
  std::vector<Recording> recordings = recorded({2, 0.15}, robot);
  recordings.push_back(recordings.front());
  CommandPathOptions options;
  options.block = 5;
  options.draws = 40;
  const CommandPathFit fit = fit_command_path(recordings, robot, options);
  EXPECT_EQ(fit.blocks, 64U);  // of some 90 pieces: memory does not grow with the log
  EXPECT_NEAR(fit.dead_band->value, 2, 0.3);
}

TEST(SteeringFitLong, GivesNoDeadBandToAVehicleWithout) {
  const model::Robot robot = steered(unknown);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const CommandPathFit fit = fit_command_path(recorded({0, 0.1}, robot, seed), robot);
    EXPECT_EQ(fit.dead_band->low, 0) << seed;
    EXPECT_LT(fit.dead_band->value, 0.3) << seed;
  }
}

TEST(SteeringFitLong, LeavesDelayAndMassesToTheFitWhichThenHoldsThem) {
  const model::Robot robot = steered(unknown);
  std::vector<Recording> recordings = recorded({2, 0.15}, robot);
  const CommandPathFit command_path = fit_command_path(recordings, robot);
  IdentifyOptions options;
  options.candidates = {model::candidate("cross", robot)};
  options.compare = false;
  const Identified raw = identify(recordings, robot, model::Environment(), options);
  apply_command_path(command_path, robot, recordings);
  Identified found = identify(recordings, robot, model::Environment(), options);
  const double sigma_before = found.parameters.sigma(0);
  widen_by_dead_band(recordings, robot, model::Environment(), options, command_path.dead_band->value,
                     command_path.dead_band->sigma, found);
  EXPECT_GT(found.parameters.sigma(0), sigma_before);
  const NuisanceEstimate& nuisance = found.fit.nuisance;
  EXPECT_NEAR(nuisance.value.delay, 0.15, 1.96 * nuisance.delay_sigma);
  EXPECT_LT(nuisance.delay_sigma, 0.02);
  EXPECT_LT(found.residual_rms(0), 0.5 * raw.residual_rms(0));
  const double mass = robot.hull().mass.value + robot.hull().added_mass.value(0, 0);
  EXPECT_NEAR(found.parameters[0].value, mass, 2.5 * found.parameters.sigma(0));
}

/// What a file says of a saturation that is looked for: any number.
const model::Value<double> unknown_saturation{20, "", false, std::nullopt};

test::Steered clipped(double saturation, double dead_band = 0) {
  test::Steered truth{dead_band, 0.15};
  truth.saturation = saturation;
  return truth;
}

TEST(SteeringFitLong, FindsTheSaturationInsideItsInterval) {
  const model::Robot robot = steered({}, {}, unknown_saturation);
  int held = 0;
  for (const double saturation : {3.0, 5.0})
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      const CommandPathFit fit = fit_command_path(recorded(clipped(saturation), robot, seed), robot);
      ASSERT_TRUE(fit.saturation && !fit.dead_band) << saturation << " seed " << seed;
      held += fit.saturation->low <= saturation && saturation <= fit.saturation->high;
      EXPECT_NEAR(fit.saturation->value, saturation, 0.15 * saturation) << seed;
      EXPECT_LT(fit.saturation->high - fit.saturation->low, 0.6 * saturation)
          << "an interval that says something";
    }
  EXPECT_GE(held, 7);  // of 8 by 95 %: fewer come in 6 of 100
}

TEST(SteeringFitLong, FindsDeadBandAndSaturationTogether) {
  const model::Robot robot = steered(unknown, {}, unknown_saturation);
  const CommandPathFit fit = fit_command_path(recorded(clipped(3, 1.5), robot), robot);
  ASSERT_TRUE(fit.saturation && fit.dead_band);
  EXPECT_TRUE(fit.saturation->low <= 3 && 3 <= fit.saturation->high) << fit.saturation->value;
  EXPECT_TRUE(fit.dead_band->low <= 1.5 && 1.5 <= fit.dead_band->high) << fit.dead_band->value;
}

TEST(SteeringFitLong, SaysThatASaturationIsNotReached) {
  const model::Robot robot = steered(unknown, {}, model::Value<double>{1000, "", false, std::nullopt}),
                     without = steered(unknown);
  for (const std::uint64_t seed : {1, 2, 3}) {
    std::vector<Recording> recordings = recorded({1, 0.1}, robot, seed),
                           others = recorded({1, 0.1}, without, seed);
    const CommandPathFit fit = fit_command_path(recordings, robot), other = fit_command_path(others, without);
    EXPECT_TRUE(fit.saturation_not_reached()) << seed << ' ' << (fit.saturation ? fit.saturation->value : 0);
    EXPECT_FALSE(other.looked_for_saturation);
    EXPECT_EQ(fit.dead_band->value, other.dead_band->value);
    EXPECT_EQ(fit.dead_band->sigma, other.dead_band->sigma);
    apply_command_path(fit, robot, recordings);
    apply_command_path(other, without, others);
    EXPECT_EQ(recordings[0].tau_b, others[0].tau_b);
    EXPECT_FALSE(robot_with_command_path(robot, fit, "a log").command_path()->saturation);
  }
}

TEST(CommandPathFit, TakesASaturationAsItIsHeldAndWritesWhatItFinds) {
  const model::Robot held = steered({}, {}, model::Value<double>{3, "", false, 0.0});
  std::vector<Recording> recordings = recorded(clipped(3), held);
  EXPECT_FALSE(fit_command_path(recordings, held).found_any());
  EXPECT_EQ(recordings[0].saturation, 3);
  EXPECT_LT((recordings[0].tau_b - wrench_beyond(recordings[0], 0)).cwiseAbs().maxCoeff(), 0.1);
  const model::Robot robot = steered({}, {}, unknown_saturation);
  CommandPathFit fit;
  fit.looked_for_saturation = true;
  fit.saturation = CommandPathNumber{2, 0.1, 1.8, 2.2};
  apply_command_path(fit, robot, recordings);
  EXPECT_LE((recordings[0].tau_b - wrench_beyond(recordings[0], 0, 2)).cwiseAbs().maxCoeff(), 1e-12);
  const auto written = robot_with_command_path(robot, fit, "a log").command_path()->saturation;
  EXPECT_EQ(written->value, 2);
  EXPECT_EQ(written->sigma, 0.1);
}

TEST(CommandPathFit, FindsTheGainByTheMassesOfTheRobotFile) {
  model::RobotSpec spec = steered({}, unknown_gain).spec();
  spec.hull.added_mass.sigma = 0.1 * spec.hull.added_mass.value;
  const model::Robot robot = model::Robot::make(spec);
  std::vector<Recording> recordings = recorded({0, 0.1, 0.6}, robot);
  const CommandPathFit fit = fit_command_path(recordings, robot);
  ASSERT_TRUE(fit.gain && !fit.dead_band);
  EXPECT_NEAR(fit.gain->value, 0.6, 1.96 * fit.gain->sigma);
  EXPECT_LT(fit.gain->sigma, 0.12);  // this plant tilts by tens of degrees, which eq. 30 takes for drag
  const double before = recordings[0].tau_b.norm();
  apply_command_path(fit, robot, recordings);
  EXPECT_NEAR(recordings[0].tau_b.norm(), fit.gain->value * before, 1e-9 * before);
  const model::Robot after = robot_with_command_path(robot, fit, "a log");
  EXPECT_EQ(after.thrust_gain(), fit.gain->value);
  EXPECT_EQ(after.command_path()->gain->source, "a log");
}

TEST(CommandPathFit, LooksForNothingThatIsHeld) {
  const model::Value<double> held{2, "", false, 0.0};
  const model::Robot robot = steered(held, held_at_one);
  std::vector<Recording> recordings = recorded({2, 0.1}, robot);
  EXPECT_FALSE(fit_command_path(recordings, robot).found_any());
  EXPECT_FALSE(fit_command_path(recordings, newton_robot()).found_any());
  // The wrench of the recording is the one beyond the dead band that is held; where a command crosses its edge
  // within a sample, the mean of what is left is not what is left of the mean.
  EXPECT_LT((recordings[0].tau_b - wrench_beyond(recordings[0], 2)).cwiseAbs().maxCoeff(), 0.05);
}

std::string error_text_of(const model::Robot& robot, const std::vector<Recording>& recordings) {
  try {
    fit_command_path(recordings, robot);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CommandPathFit, SaysWhatKeepsItFromLooking) {
  const std::vector<Recording> recordings = recorded({0, 0.1}, steered(unknown));
  EXPECT_NE(error_text_of(steered({}, unknown_gain), recordings).find("added_mass a sigma"), std::string::npos);
  model::RobotSpec spec = steered(unknown).spec();
  for (model::Thruster& thruster : spec.thrusters)
    thruster.transient = model::Transient{model::FirstOrder{0.2}, "", false};
  const model::Robot lagging = model::Robot::make(spec);
  EXPECT_NE(error_text_of(lagging, recorded({0, 0.1}, lagging)).find("lag"), std::string::npos);
}

}  // namespace
}  // namespace fathom::identify::command_path_fit_test
