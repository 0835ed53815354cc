// The wrench that commands give, against that of the plant which swam under them.
#include "fathom/identify/vehicle/internal/recording_wrench.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "fathom/consistency/constraints.hpp"
#include "fathom/identify/vehicle/fit.hpp"
#include "fathom/identify/vehicle/identified_robot.hpp"
#include "fathom/identify/vehicle/internal/recording_commands.hpp"
#include "fathom/identify/vehicle/test/recording_logs.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"
#include "fathom/model/candidates.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/model/test/random_thruster_map.hpp"

namespace fathom::identify::recording_wrench_test {
namespace {

using internal::Source;
using internal::ThrusterStates;
using internal::Unknown;
using internal::WrenchData;
using test::heavy;
using test::Swim;
using test::swim;

/// Motors, a propeller with inflow, reverse coefficients and a lagging shaft, flows behind three of them, one
/// that is told newtons, one that follows at once.
model::Robot motley() {
  model::RobotSpec spec = heavy().spec();
  spec.sensors.clear();
  RandomStream random(3, "motley");
  for (std::size_t k = 0; k < 2; ++k) {
    model::test::random_motor(spec.thrusters[k], random);
    spec.thrusters[k].force.reset();
    spec.thrusters[k].map_name = spec.thrusters[k].transient_name = "";
  }
  model::Thruster& shaft = spec.thrusters[2];
  shaft.map->law = model::Propeller{model::ThrustCoefficients{1e-3, -2e-3}, model::LinearShaft{200, {}},
                                    model::ThrustCoefficients{7e-4, -1e-3}};
  shaft.force.reset();
  shaft.map_name = "";
  spec.thrusters[3].map.reset();
  spec.thrusters[3].map_name = "";
  spec.thrusters[4].transient.reset();
  spec.thrusters[4].transient_name = "";
  for (const std::size_t k : {1, 2, 5}) {
    spec.thrusters[k].transient->flow = model::AxialFlow{0.5, 0.2, 0.3};
    spec.thrusters[k].transient_name = "";
  }
  return model::Robot::make(spec);
}

/// The plant's own motion: every `every`-th step of it, the first after `skipped` steps.
filter::Track true_track(const Swim& swum, std::size_t every = 1, std::size_t skipped = 0) {
  filter::Track track;
  track.t0 = swum.step * static_cast<double>(skipped);
  track.dt = swum.step * static_cast<double>(every);
  const std::size_t n = (swum.truth.size() - 1 - skipped) / every + 1;
  track.nu_b.resize(6, static_cast<Eigen::Index>(n));
  for (std::size_t k = 0; k < n; ++k)
    track.nu_b.col(static_cast<Eigen::Index>(k)) = swum.truth[skipped + k * every].state.nu_b;
  track.measured.assign(n, 1);
  return track;
}

TEST(RecordingWrench, IsTheMeanOfThePlantsForEveryKindOfThruster) {
  const model::Robot robot = motley();
  const Swim swum = swim(robot, 6, 0.001);
  const filter::Track track = true_track(swum, 10, 5);  // each in the middle of a command
  const WrenchData data =
      internal::read_wrench(Source(swum.log, "swim"), "rov.", robot, model::Environment(), {}, track);
  const double scale = swum.tau_b.cwiseAbs().maxCoeff();
  ASSERT_GT(scale, 10);
  for (Eigen::Index k = 0; k < track.size() - 1; ++k) {
    Vec6 mean = Vec6::Zero();
    for (const int j : {1, 3, 5, 7, 9}) mean += swum.tau_b.col(10 * k + j) / 5;
    ASSERT_LT((data.tau_b.col(k) - mean).cwiseAbs().maxCoeff(), 1e-5 * scale) << k;
  }
}

TEST(RecordingWrench, DoesNotDependOnTheClockOfTheTrack) {
  const model::Robot robot = motley();
  const Swim swum = swim(robot, 4, 0.001);
  const Source source(swum.log, "swim");
  const WrenchData fine =
      internal::read_wrench(source, "rov.", robot, model::Environment(), {}, true_track(swum));
  const WrenchData coarse =
      internal::read_wrench(source, "rov.", robot, model::Environment(), {}, true_track(swum, 37));
  const double scale = fine.tau_b.cwiseAbs().maxCoeff();
  for (Eigen::Index k = 1; k < coarse.tau_b.cols() - 1; ++k) {
    const Vec6 mean = fine.tau_b.middleCols(37 * k - 18, 37).rowwise().mean();
    // The velocity is that of the middle.
    ASSERT_LT((coarse.tau_b.col(k) - mean).norm(), 1e-4 * scale) << k;
  }
}

TEST(RecordingWrench, HoldsEachCommandUntilTheNext) {
  model::RobotSpec spec = heavy().spec();
  for (model::Thruster& thruster : spec.thrusters) {
    thruster.map.reset();
    thruster.transient.reset();
    thruster.map_name = thruster.transient_name = "";
  }
  const model::Robot robot = model::Robot::make(spec);
  log::Channel told;
  told.info.name = "thrusters";
  for (const model::Thruster& thruster : spec.thrusters)
    told.info.columns.push_back({"command_" + thruster.name, "N"});
  const std::vector<double> first = {1, 2, 3, 4, 5, 6, 7, 8}, second = {-8, 7, -6, 5, -4, 3, -2, 1};
  told.append(0.1 + 0.2, first);  // one bit above the 0.3 of the track
  told.append(0.6, second);
  log::Dataset log;
  log.add(told);
  filter::Track track;
  track.t0 = 0;
  track.dt = 0.1;
  track.nu_b.setZero(6, 9);
  const WrenchData data =
      internal::read_wrench(Source(log, "hand"), "", robot, model::Environment(), {}, track);
  const Mat6X B = model::allocation_matrix(robot);
  const Vec6 tau_1 = B * Eigen::Map<const Eigen::VectorXd>(first.data(), 8);
  const Vec6 tau_2 = B * Eigen::Map<const Eigen::VectorXd>(second.data(), 8);
  for (Eigen::Index k = 0; k < 9; ++k) {
    // The second begins in the middle of sample 6; of sample 3 only the half with commands counts.
    const Vec6 expected = k < 3   ? Vec6::Zero().eval()
                          : k < 6 ? tau_1
                          : k > 6 ? tau_2
                                  : (0.5 * (tau_1 + tau_2)).eval();
    EXPECT_LT((data.tau_b.col(k) - expected).norm(), 1e-12) << k;
    const Unknown why = k < 3 ? Unknown::before_commands : k < 7 ? Unknown::no : Unknown::after_commands;
    EXPECT_EQ(data.unknown[static_cast<std::size_t>(k)], why) << k;
  }
}

/// Rows at uneven times are commands logged when they change: none is lost. Rows at an even step are, in a gap.
TEST(RecordingWrench, AHoldIsNoGapUnlessTheLogIsPeriodic) {
  for (const bool is_periodic : {false, true}) {
    log::Channel wrench;
    wrench.info = {"wrench", "b", {{"X", ""}, {"Y", ""}, {"Z", ""}, {"K", ""}, {"M", ""}, {"N", ""}}};
    double t = 0;
    for (int k = 0; k < 40; ++k) {
      wrench.append(t, std::array{1.0 + k, 0.0, 0.0, 0.0, 0.0, 0.0});
      t += k == 20 ? 2.0 : is_periodic ? 0.1 : 0.1 + 0.1 * (k % 5);
    }
    log::Dataset log;
    log.add(wrench);
    filter::Track track;
    track.dt = 0.05;
    track.nu_b.setZero(6, static_cast<Eigen::Index>(wrench.t.back() / track.dt));
    const WrenchData data =
        internal::read_wrench(Source(log, "hand"), "", heavy(), model::Environment(), {}, track);
    const auto in_gap = std::count(data.unknown.begin(), data.unknown.end(), Unknown::command_gap);
    EXPECT_EQ(in_gap > 30, is_periodic);
    EXPECT_EQ(in_gap > 0, is_periodic);
    EXPECT_EQ(data.warnings.empty(), !is_periodic);
  }
}

TEST(RecordingWrench, OfAnAutopilotIsTakenAsItIsWhereThereAreNoCommands) {
  log::Channel wrench;
  wrench.info = {
      "rov.wrench", "b", {{"N", "N m"}, {"X", "N"}, {"Y", ""}, {"Z", "N"}, {"K", "N m"}, {"M", "N m"}}};
  wrench.append(0, std::array{6.0, 1.0, 2.0, 3.0, 4.0, 5.0});
  wrench.append(1, std::array{60.0, 10.0, 20.0, 30.0, 40.0, 50.0});
  wrench.append(2, std::array{60.0, 10.0, std::nan(""), 30.0, 40.0, 50.0});
  wrench.append(3, std::array{60.0, 10.0, 20.0, 30.0, 40.0, 50.0});
  log::Dataset log;
  log.add(wrench);
  filter::Track track;
  track.dt = 0.5;
  track.nu_b.setZero(6, 7);
  const WrenchData data =
      internal::read_wrench(Source(log, "hand"), "rov.", heavy(), model::Environment(), {}, track);
  Vec6 expected;
  expected << 1, 2, 3, 4, 5, 6;
  EXPECT_LT((data.tau_b.col(1) - expected).norm(), 1e-12);
  EXPECT_LT((data.tau_b.col(2) - 5.5 * expected).norm(), 1e-12);  // half of its interval each
  EXPECT_LT((data.tau_b.col(3) - 10 * expected).norm(), 1e-12);
  EXPECT_EQ(data.unknown[3], Unknown::no);
  EXPECT_EQ(data.unknown[4], Unknown::command_missing);
  EXPECT_EQ(data.unknown[5], Unknown::command_missing);
  EXPECT_EQ(data.unknown[6], Unknown::command_missing);  // of half of its interval
  // The last wrench goes on: with a zero there the lag that is looked for would have a step to remember.
  EXPECT_LT((data.tau_b.col(5) - 10 * expected).norm(), 1e-12);
  EXPECT_EQ(data.commands.t, (std::vector<double>{0, 1}));
  EXPECT_TRUE(data.tau_b.allFinite());
}

TEST(RecordingWrench, IsUnknownWhereTheLogLostCommands) {
  const model::Robot robot = test::with_sensors(heavy(), {});
  const Swim swum = swim(robot, 6, 0.005);
  const log::Dataset log = test::changed(swum.log, "rov.thrusters", [](log::Channel& told) {
    // Rows every 0.05 s; those of 2.05 to 2.95 s are lost.
    told.t.erase(told.t.begin() + 41, told.t.begin() + 60);
    told.values.erase(told.values.begin() + 41 * 8, told.values.begin() + 60 * 8);
  });
  const filter::Track track = true_track(swum);
  const WrenchData data =
      internal::read_wrench(Source(log, "swim"), "rov.", robot, model::Environment(), {}, track);
  for (Eigen::Index k = 0; k < track.size(); ++k) {
    const bool lost = track.t(k) > 2.05 - 1e-9 && track.t(k) < 3 + 1e-9;
    ASSERT_EQ(data.unknown[static_cast<std::size_t>(k)], lost ? Unknown::command_gap : Unknown::no)
        << track.t(k);
  }
  ASSERT_EQ(data.warnings.size(), 1u);
  EXPECT_EQ(data.warnings[0].severity, Severity::warning);
  EXPECT_EQ(data.warnings[0].message, "1 gaps in the commands, the longest 1 s, at a step of 0.05 s");
}

/// A command that holds for 0.01 s is 5 ms old on average.
TEST(RecordingWrench, DoesNotLengthenTheDelayByHalfACommand) {
  constexpr double period = 0.01, delay = 0.06;
  const model::Robot nominal = model::read_robot(FATHOM_ROBOTS_DIR "/defender-like.yaml");
  const model::Environment water;
  const model::Structure structure = model::candidate("quadratic", nominal);
  const model::ParameterVector theta = model::parameters_of(nominal, water, structure).parameters;
  const dynamics::Vehicle vehicle(identified_robot(nominal, water, structure, theta, "test"), water,
                                  structure.dof);
  const test::Wrench smooth = test::sinusoids(5);
  const auto held = [&](double t) { return smooth(period * std::floor(t / period + 1e-6)); };
  std::vector<Recording> recordings = {test::swim(vehicle, held, 80, 0.02, delay)};
  Recording& recording = recordings.front();
  log::Channel told;
  told.info = {
      "rov.wrench", "b", {{"X", "N"}, {"Y", "N"}, {"Z", "N"}, {"K", "N m"}, {"M", "N m"}, {"N", "N m"}}};
  for (int k = 0; k <= 8000; ++k) {
    const Vec6 tau_b = smooth(period * k);
    told.append(period * k, std::vector<double>(tau_b.begin(), tau_b.end()));
  }
  log::Dataset log;
  log.add(told);
  recording.tau_b =
      internal::read_wrench(Source(log, "hand"), "rov.", nominal, water, {}, recording.track).tau_b;
  const Fit found =
      fit(Regression(structure, recordings), consistency::constraints(structure, nominal, water), {});
  // The swim's Runge-Kutta steps of 2 ms see a new command a third of a millisecond early.
  EXPECT_NEAR(found.nuisance.value.delay, delay, 1e-3);
}

TEST(ThrusterStates, AMotorSettlesInOneLongStep) {
  const model::Robot robot = motley();
  ThrusterStates states(robot, model::Environment(), 16);
  const model::Thruster& thruster = robot.thrusters()[0];
  const double volt = thruster.map->command.max / 2;
  states.command(0, volt);
  states.advance(1e6);
  const dynamics::ThrusterModel model(thruster, model::fresh_water);
  const Vec6 expected = model.steady_force(volt, 0, 16) * model.column();
  EXPECT_LT((states.wrench_b(Vec6::Zero()) - expected).norm(), 1e-9 * expected.norm());
}

}  // namespace
}  // namespace fathom::identify::recording_wrench_test
