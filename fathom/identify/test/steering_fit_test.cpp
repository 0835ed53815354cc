// Dead band, gain and delay of commands, from logs of a plant that is not the model: its drag acts beside the
// origin and couples every axis, its sensors are noisy, and its thrusters lose what they lose by other code.
#include "fathom/identify/steering_fit.hpp"

#include <cmath>
#include <vector>

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/identify/identify.hpp"
#include "fathom/identify/test/recording_logs.hpp"
#include "fathom/identify/test/recordings.hpp"
#include "fathom/model/candidates.hpp"

namespace fathom::identify::steering_fit_test {
namespace {

using model::SensorKind;

/// Thrusters that take newton and follow at once, a DVL and an AHRS.
model::Robot newton_robot() {
  model::RobotSpec spec = test::heavy().spec();
  for (model::Thruster& thruster : spec.thrusters) {
    thruster.map.reset();
    thruster.transient.reset();
    thruster.force.reset();
    thruster.map_name = thruster.transient_name = "";
  }
  spec.sensors = {test::exact_sensor("dvl", SensorKind::dvl, 10, Vec3(0.1, 0, 0.1), Vec3::Zero(), 0),
                  test::exact_sensor("ahrs", SensorKind::ahrs, 20, Vec3::Zero(), Vec3::Zero(), 0)};
  spec.sensors[0].noise["velocity"].value = 0.01;
  spec.sensors[1].noise["attitude"].value = spec.sensors[1].noise["heading"].value = 0.005;
  return model::Robot::make(std::move(spec));
}

/// What is fitted: newton_robot() with what it leaves open.
model::Robot steered(const std::optional<model::Value<double>>& dead_band,
                     const std::optional<model::Value<double>>& gain = {}) {
  model::RobotSpec spec = newton_robot().spec();
  spec.steering = model::Steering{model::Steering::By::wrench, dead_band, gain};
  return model::Robot::make(std::move(spec));
}

/// Another drag than any candidate: a second element behind and above the origin, turned.
model::Robot crooked_robot() {
  model::RobotSpec spec = newton_robot().spec();
  model::DragElement fin;
  fin.name = "fin";
  fin.position_b.value = Vec3(-0.2, 0.03, -0.1);
  fin.attitude_rpy.value = Vec3(0.1, 0.2, 0.4);
  fin.quadratic.value.by_speed[0](0, 0) = 30;
  fin.quadratic.value.by_speed[1](1, 1) = 90;
  fin.quadratic.value.by_speed[2](1, 1) = 40;
  spec.damping.push_back(fin);
  spec.hull.symmetry = {};
  return model::Robot::make(std::move(spec));
}

struct Truth {
  double dead_band = 0, delay = 0, gain = 1;
};

/// A log of 240 s with the commanded wrench at 50 Hz.
log::Dataset logged(const Truth& truth, std::uint64_t seed) {
  constexpr double step = 0.01, duration = 240;
  const model::Robot robot = crooked_robot();
  const Mat6X B = model::allocation_matrix(robot);
  const Eigen::MatrixXd inverse = B.completeOrthogonalDecomposition().pseudoInverse();
  simulate::Plant plant(robot, model::Dof::six, {model::Environment(), simulate::CurrentField()});
  dynamics::State start;
  start.p_nb_n.z() = 30;
  Eigen::VectorXd x = plant.initial(start);
  simulate::RungeKutta4 rk4(plant.size());
  const test::Wrench wrench = test::sinusoids(seed, (Vec6() << 14, 14, 14, 0, 0, 2).finished());
  const auto commanded = [&](double t) {
    return t < 0 ? Vec6(Vec6::Zero()) : wrench(0.02 * std::floor(t / 0.02 + 1e-9));
  };
  std::vector<test::LoggedSensor> sensors;
  for (const model::Sensor& sensor : robot.sensors()) sensors.emplace_back(sensor, seed);
  log::Channel told = test::empty_channel("rov.wrench", {"X", "Y", "Z", "K", "M", "N"});
  simulate::Truth before;
  for (int n = 0; n <= std::lround(duration / step); ++n) {
    simulate::Truth now;
    now.t = step * n;
    std::vector<double> forces;
    for (const double force : Eigen::VectorXd(inverse * commanded(now.t - truth.delay))) {
      const double left = std::max(0.0, std::abs(force) - truth.dead_band);
      forces.push_back(truth.gain * (force > 0 ? left : -left));
    }
    plant.command(forces);
    if (n % 2 == 0) {
      const Vec6 tau = commanded(now.t);
      told.append(now.t, std::span<const double>(tau.data(), 6));
    }
    now.state = plant.vehicle_state(x);
    now.nu_dot_b = rk4.begin(plant, now.t, x).segment<6>(7);
    if (n > 0)
      for (test::LoggedSensor& sensor : sensors) sensor.step(before, now);
    before = now;
    rk4.finish(plant, now.t, step, x);
  }
  log::Dataset log;
  for (test::LoggedSensor& sensor : sensors) log.add(std::move(sensor.channel));
  log.add(std::move(told));
  return log;
}

std::vector<Recording> recorded(const Truth& truth, const model::Robot& robot, std::uint64_t seed = 1) {
  return {make_recording(logged(truth, seed), "swim", robot, model::Environment())};
}

const model::Value<double> unknown{0, "", false, std::nullopt}, unknown_gain{1, "", false, std::nullopt},
    held_at_one{1, "", false, 0.0};

TEST(SteeringFit, finds_the_dead_band_inside_its_interval) {
  const model::Robot robot = steered(unknown);
  int held = 0;
  for (const double dead_band : {0.8, 2.0})
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      const SteeringFit fit = fit_steering(recorded({dead_band, 0.15}, robot, seed), robot);
      ASSERT_TRUE(fit.dead_band && !fit.gain);
      held += fit.dead_band->low <= dead_band && dead_band <= fit.dead_band->high;
      EXPECT_NEAR(fit.dead_band->value, dead_band, 0.15 * dead_band) << seed;
      EXPECT_LT(fit.dead_band->high - fit.dead_band->low, 0.6 * dead_band) << "an interval that says something";
      EXPECT_FALSE(fit.at_limit());
    }
  EXPECT_GE(held, 7);  // of 8 by 95 %: fewer come in 6 of 100
}

TEST(SteeringFit, gives_no_dead_band_to_a_vehicle_without) {
  const model::Robot robot = steered(unknown);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const SteeringFit fit = fit_steering(recorded({0, 0.1}, robot, seed), robot);
    EXPECT_EQ(fit.dead_band->low, 0) << seed;
    EXPECT_LT(fit.dead_band->value, 0.3) << seed;
  }
}

TEST(SteeringFit, leaves_delay_and_masses_to_the_fit_which_then_holds_them) {
  const model::Robot robot = steered(unknown);
  std::vector<Recording> recordings = recorded({2, 0.15}, robot);
  const SteeringFit steering = fit_steering(recordings, robot);
  IdentifyOptions options;
  options.candidates = {model::candidate("cross", robot)};
  options.compare = false;
  const Identified raw = identify(recordings, robot, model::Environment(), options);
  apply_steering(steering, robot, recordings);
  Identified found = identify(recordings, robot, model::Environment(), options);
  const double sigma_before = found.parameters.sigma(0);
  widen_by_dead_band(recordings, robot, model::Environment(), options, steering.dead_band->value,
                     steering.dead_band->sigma, found);
  EXPECT_GT(found.parameters.sigma(0), sigma_before);
  const Nuisance& nuisance = found.fit.nuisance;
  EXPECT_NEAR(nuisance.supposition.delay, 0.15, 1.96 * nuisance.delay_sigma);
  EXPECT_LT(nuisance.delay_sigma, 0.02);
  EXPECT_LT(found.residual_rms(0), 0.5 * raw.residual_rms(0));
  const double mass = robot.hull().mass.value + robot.hull().added_mass.value(0, 0);
  EXPECT_NEAR(found.parameters[0].value, mass, 2.5 * found.parameters.sigma(0));
}

TEST(SteeringFit, finds_the_gain_by_the_masses_of_the_robot_file) {
  model::RobotSpec spec = steered({}, unknown_gain).spec();
  spec.hull.added_mass.sigma = 0.1 * spec.hull.added_mass.value;
  const model::Robot robot = model::Robot::make(spec);
  std::vector<Recording> recordings = recorded({0, 0.1, 0.6}, robot);
  const SteeringFit fit = fit_steering(recordings, robot);
  ASSERT_TRUE(fit.gain && !fit.dead_band);
  EXPECT_NEAR(fit.gain->value, 0.6, 1.96 * fit.gain->sigma);
  EXPECT_LT(fit.gain->sigma, 0.12);  // this plant tilts by tens of degrees, which eq. 30 takes for drag
  const double before = recordings[0].tau_b.norm();
  apply_steering(fit, robot, recordings);
  EXPECT_NEAR(recordings[0].tau_b.norm(), fit.gain->value * before, 1e-9 * before);
  const model::Robot after = steered_robot(robot, fit, "a log");
  EXPECT_EQ(after.thrust_gain(), fit.gain->value);
  EXPECT_EQ(after.steering()->gain->source, "a log");
}

TEST(SteeringFit, looks_for_nothing_that_is_held) {
  const model::Value<double> held{2, "", false, 0.0};
  const model::Robot robot = steered(held, held_at_one);
  std::vector<Recording> recordings = recorded({2, 0.1}, robot);
  EXPECT_FALSE(fit_steering(recordings, robot).found_any());
  EXPECT_FALSE(fit_steering(recordings, newton_robot()).found_any());
  // The wrench of the recording is the one beyond the dead band that is held; where a command crosses its edge
  // within a sample, the mean of what is left is not what is left of the mean.
  EXPECT_LT((recordings[0].tau_b - wrench_beyond(recordings[0], 2)).cwiseAbs().maxCoeff(), 0.05);
}

std::string complaint_of(const model::Robot& robot, const std::vector<Recording>& recordings) {
  try {
    fit_steering(recordings, robot);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SteeringFit, says_what_keeps_it_from_looking) {
  const std::vector<Recording> recordings = recorded({0, 0.1}, steered(unknown));
  EXPECT_NE(complaint_of(steered({}, unknown_gain), recordings).find("added_mass a sigma"), std::string::npos);
  model::RobotSpec spec = steered(unknown).spec();
  for (model::Thruster& thruster : spec.thrusters)
    thruster.transient = model::Transient{model::FirstOrder{0.2}, "", false};
  const model::Robot lagging = model::Robot::make(spec);
  EXPECT_NE(complaint_of(lagging, recorded({0, 0.1}, lagging)).find("lag"), std::string::npos);
}

}  // namespace
}  // namespace fathom::identify::steering_fit_test
