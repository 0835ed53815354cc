#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/identify/test/least_held.hpp"
#include "fathom/identify/thruster/internal/rotor_model.hpp"
#include "fathom/identify/thruster/step_law_choice.hpp"
#include "fathom/identify/thruster/test/step_plant.hpp"

namespace fathom::identify::step_law_test {
namespace {

using Base = StepLaw::Base;
using fathom::test::error_text;
using test::bollard;
using test::least_held;
using test::parameter;
using test::Plant;
using test::plant_with_flow;
using test::random_plant;
using test::two_runs;

constexpr double gain = 0.5, T_ww = 1e-3, lag = 0.12;  // rad/s per us, N s^2, s

/// w = gain x, f = T_ww |w| w on both sides; as a propeller, or as a force alone.
IdentifiedThruster thruster(bool propeller) {
  const model::Command command{model::CommandUnit::pwm_us, 1100, 1900, 1500};
  IdentifiedThruster result;
  result.unit = command.unit;
  IdentifiedThruster::AtVoltage test;
  test.laws.map = {command, model::LinearQuadratic{{0, T_ww * gain * gain}, {}, {}}, {}, "", false};
  test.laws.forward.law = test.laws.reverse.law = {2, 0, 400, {0, T_ww * gain * gain}};
  test.forward_shaft.emplace().speed.shaft = {gain, 1, 0};
  test.forward_shaft->thrust.T_ww = T_ww;
  test.reverse_shaft = test.forward_shaft;
  result.tests.push_back(test);
  if (propeller)
    result.propeller = {command,
                        model::Propeller{model::ThrustCoefficients{T_ww, 0}, model::LinearShaft{gain, {}}},
                        {},
                        "",
                        false};
  return result;
}

/// From rest to 1700, then to 1300, by the closed form of a first-order shaft.
StepRun stepped(double sigma, RandomStream& random) {
  constexpr Eigen::Index n = 300;
  StepRun run{"steps.csv", Eigen::VectorXd(n), Eigen::VectorXd(n), Eigen::VectorXd(n), Eigen::VectorXd(n)};
  for (Eigen::Index k = 0; k < n; ++k)  // not even
    run.times[k] = 0.01 * static_cast<double>(k) + 0.004 * std::sin(static_cast<double>(k));
  for (Eigen::Index k = 0; k < n; ++k) {
    const double t = run.times[k];
    const double up = 200 * gain, first = run.times[100], second = run.times[200];
    const double at_second = up * (1 - std::exp(-(second - first) / lag));
    const double w = k <= 100   ? 0
                     : k <= 200 ? up * (1 - std::exp(-(t - first) / lag))
                                : -up + (at_second + up) * std::exp(-(t - second) / lag);
    run.commands[k] = k < 100 ? 1500 : k < 200 ? 1700 : 1300;
    (*run.speeds)[k] = std::abs(w) + sigma * random.normal();
    (*run.forces)[k] = T_ww * std::abs(w) * w + 0.1 * sigma * random.normal();
  }
  return run;
}

TEST(StepLaw, RecoversAFirstOrderShaft) {
  RandomStream random(1, "steps");
  const StepRun run = stepped(0, random);
  StepRun force_alone = run, speed_alone = run;
  force_alone.speeds.reset();
  speed_alone.forces.reset();
  for (const StepRun& one : {run, force_alone, speed_alone}) {
    const StepLawChoice found = choose_step_law(thruster(true), {one, one});
    EXPECT_EQ(name_of(found.best().law), "shaft");
    EXPECT_NEAR(found.best().numbers.lag, lag, 1e-5);
    ASSERT_EQ(found.best().held_out.size(), 2u);
    const StepScore& score = found.best().held_out[1];
    EXPECT_EQ(std::isnan(score.speed_r2), !one.speeds);
    EXPECT_EQ(std::isnan(score.force_r2), !one.forces);
    for (const double r2 : {score.speed_r2, score.force_r2}) EXPECT_FALSE(r2 < 1 - 1e-8);
  }
}

/// As a robot file has it: without a shaft the force lags itself, which is not what this thruster does.
TEST(StepLaw, ForceOfAMapWithoutShaftLagsItself) {
  RandomStream random(2, "steps");
  const StepRun run = stepped(0, random);
  StepNumbers numbers;
  numbers.lag = lag;
  const StepModel force(thruster(false), {Base::force, false}, {run});
  const double full = T_ww * 100 * 100, t = run.times[110] - run.times[100];
  EXPECT_NEAR(force.simulate(0, numbers).forces[110], full * (1 - std::exp(-t / lag)), 1e-9);
  const StepLawChoice found = choose_step_law(thruster(false), {run});
  EXPECT_EQ(name_of(found.best().law), "shaft");
  EXPECT_LT(found.laws[0].held_out[0].force_r2, 0.999);
  EXPECT_GT(found.best().held_out[0].force_r2, 0.99999);
  // The map that goes with it has a shaft, and gives the same force.
  const model::ThrusterMap map = StepModel(thruster(false), found.best().law, {run}).map();
  EXPECT_NEAR(model::attained_force(map, {}, 1000).max, T_ww * 200 * 200, 1e-6);
}

/// The same thruster driven by a voltage, at rest for ten rows, then under steps of it.
constexpr Eigen::Index rest_rows = 10, step_rows = 100;
IdentifiedThruster on_volts() {
  IdentifiedThruster result = thruster(true);
  result.unit = model::CommandUnit::volt;
  for (model::ThrusterMap* map : {&result.tests[0].laws.map, &*result.propeller})
    map->command = {model::CommandUnit::volt, -15, 15, 0};
  return result;
}
StepRun volts_run(const std::vector<double>& levels) {
  const Eigen::Index n = rest_rows + step_rows * static_cast<Eigen::Index>(levels.size());
  StepRun run{"volts.csv",
              Eigen::VectorXd::LinSpaced(n, 0, 5e-3 * static_cast<double>(n - 1)),
              Eigen::VectorXd::Zero(n),
              Eigen::VectorXd::Zero(n),
              {}};
  for (std::size_t k = 0; k < levels.size(); ++k)
    run.commands.segment(rest_rows + step_rows * static_cast<Eigen::Index>(k), step_rows)
        .setConstant(levels[k]);
  return run;
}

/// Without a quadratic load drive V / linear (1 - exp(-linear t)), without a linear one w tanh(drive V t / w)
/// to w = sqrt(drive V / quadratic); with both, where eq. 34 of docs/model.md balances.
TEST(StepLaw, AMotorIsItsClosedForms) {
  constexpr double volts = 5, drive = 120;
  const StepRun run = volts_run({volts, volts, volts});
  const StepModel model(on_volts(), {Base::motor, false}, {run});
  StepNumbers linear, quadratic, both;
  linear.motor = {drive, 4, 0};
  quadratic.motor = {drive, 0, 0.03};
  both.motor = {drive, 4, 0.03};
  const double most = std::sqrt(drive * volts / quadratic.motor.quadratic);
  const Eigen::VectorXd by_linear = model.simulate(0, linear).speeds,
                        by_quadratic = model.simulate(0, quadratic).speeds;
  for (const Eigen::Index k : {1, 40, 250}) {
    const double t = run.times[rest_rows + k] - run.times[rest_rows];
    EXPECT_NEAR(by_linear[rest_rows + k], drive * volts / 4 * (1 - std::exp(-4 * t)), 1e-5);
    EXPECT_NEAR(by_quadratic[rest_rows + k], most * std::tanh(drive * volts * t / most), 1e-3);
  }
  const double steady = model.simulate(0, both).speeds.tail<1>()[0];
  EXPECT_NEAR(both.motor.acceleration(volts, steady), 0, 1e-3);
}

TEST(StepLaw, RecoversAMotor) {
  const model::MotorRates truth{137, 1.9, 0.007};
  std::vector<StepRun> runs = {volts_run({8, 14, -6, 3, -12}), volts_run({-9, 5, 12, -4, 10})};
  StepNumbers numbers;
  numbers.motor = truth;
  const StepModel model(on_volts(), {Base::motor, false}, runs);
  for (std::size_t k = 0; k < runs.size(); ++k) runs[k].speeds = model.simulate(k, numbers).speeds;
  const StepLawFit found = choose_step_law(on_volts(), runs, StepLaw{Base::motor, false}).best();
  EXPECT_NEAR(found.numbers.motor.drive, truth.drive, 1e-3 * truth.drive);
  EXPECT_NEAR(found.numbers.motor.linear, truth.linear, 1e-3 * truth.linear);
  EXPECT_NEAR(found.numbers.motor.quadratic, truth.quadratic, 1e-3 * truth.quadratic);
}

/// One number after the other moves and comes back, as under differences; two runs in turn.
TEST(StepLaw, MemoryOfRotorsChangesNoBit) {
  RandomStream random(8, "steps");
  const std::vector<StepRun> runs = {stepped(0, random), stepped(2, random)};
  const auto moved = [](StepNumbers numbers, int which) {
    double* const all[] = {&numbers.lag,         &numbers.flow.share,  &numbers.flow.time_constant,
                           &numbers.speed_scale, &numbers.force_scale, &numbers.tachometer_lag,
                           &numbers.cell_lag,    &numbers.delay,       &numbers.bend,
                           &numbers.slowing,     &numbers.drive_lag,   &numbers.left.pace,
                           &numbers.left.speed,  &numbers.left.command};
    if (which > 0) *all[which - 1] += 0.01;
    return numbers;
  };
  for (const bool propeller : {true, false})
    for (const StepLaw& law : step_laws()) {
      const IdentifiedThruster plant = thruster(propeller);
      if (!why_not(plant, law, runs).empty()) continue;
      const StepModel model(plant, law, runs);
      for (const bool bent : {false, true}) {
        StepNumbers base;
        base.lag = lag;
        base.flow = {0.2, 0.3, 0.1};
        base.left.command = 1700;
        base.is_bent = bent;
        internal::RotorMemory memory;
        for (int which = 0; which < 15; ++which)
          for (const int now : {which, 0})
            for (std::size_t run = 0; run < 2; ++run) {
              const StepNumbers numbers = moved(base, now);
              const StepResponse plain = model.simulate(run, numbers),
                                 told = model.simulate(run, numbers, &memory);
              ASSERT_EQ(told.forces, plain.forces) << name_of(law) << " " << now;
              ASSERT_EQ(told.speeds, plain.speeds) << name_of(law) << " " << now;
            }
      }
    }
}

TEST(StepLawLong, IntervalsOfALagHold) {
  RandomStream random(3, "steps");
  constexpr int days = 60;
  int held = 0;
  for (int day = 0; day < days; ++day) {
    const StepLawChoice found =
        choose_step_law(thruster(true), {stepped(2, random), stepped(2, random)}, StepLaw{Base::shaft, false});
    const StepParameter& of = found.best().parameters.front();
    held += of.low < lag && lag < of.high;
    EXPECT_LT(of.high - of.low, 0.2 * lag);
  }
  EXPECT_GE(held, least_held(days));
}

TEST(StepLaw, TellsWhatIsWrong) {
  RandomStream random(4, "steps");
  const StepRun run = stepped(0.1, random);
  const auto told = [](const IdentifiedThruster& of, const StepRun& one, std::optional<StepLaw> law = {}) {
    return error_text([&] { choose_step_law(of, {one}, law); });
  };
  const auto has = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  StepRun bad = run;
  bad.forces->setConstant(1);
  has(told(thruster(true), bad), "steps.csv: has a force that never changes");
  StepRun still = volts_run({8, -6});
  has(told(on_volts(), still, StepLaw{Base::motor, false}), "volts.csv: has a speed that never changes");
  bad.forces.reset();
  IdentifiedThruster no_speed = thruster(true);
  no_speed.tests[0].reverse_shaft.reset();
  has(told(no_speed, bad), "has shaft speeds alone");
  has(told(thruster(true), bad, StepLaw{Base::shaft, true}), "shaft+flow needs the force in every run");
  bad = run;
  bad.forces =
      run.commands.unaryExpr([](double c) { return T_ww * gain * gain * std::abs(c - 1500) * (c - 1500); });
  bad.speeds.reset();
  has(told(thruster(true), bad), "shows no lag");
  has(told(thruster(false), bad, StepLaw{Base::motor, false}), "motor needs the shaft speed in every run");
  has(told(thruster(false), run, StepLaw{Base::motor, false}),
      "motor needs the motor's voltage as the command");
  has(told(thruster(true), run, StepLaw{Base::force, false}), "force would lose the inflow");
  bad = run;
  bad.commands.setConstant(1700);
  has(told(thruster(true), bad), "has a command that never changes");
  bad.commands.tail(200).setConstant(1800);
  has(told(thruster(true), bad), "has one step: nothing is left to judge laws by");
  has(error_text([] { step_law_named("engine"); }),
      "--law = 'engine', expected one of force, shaft, motor, force+flow");
}

TEST(StepLawLong, AFirstOrderShaftGetsNoFlow) {
  RandomStream random(6, "plain");
  for (int k = 0; k < 6; ++k) {
    Plant p = random_plant(random);
    p.rotor = Plant::Rotor::plain;
    p.first_order = random.uniform(0.04, 0.15);
    const StepLawChoice found = choose_step_law(bollard(p, random), two_runs(p, random));
    EXPECT_FALSE(found.best().law.flow) << k;
    EXPECT_EQ(found.best().law.base, Base::shaft) << k;
    EXPECT_NEAR(found.best().numbers.lag, p.first_order, 0.15 * p.first_order) << k;
  }
}

TEST(StepLawLong, AFlowIsSeenWhereThereIsOne) {
  RandomStream random(7, "flows");
  int motors = 0;
  const int plants = 8;
  for (int k = 0; k < plants; ++k) {
    const Plant p = plant_with_flow(random);
    const StepLawChoice found = choose_step_law(bollard(p, random), two_runs(p, random));
    EXPECT_TRUE(found.best().law.flow) << k;
    motors += found.best().law.base == Base::motor;
    if (!found.best().law.flow) continue;
    EXPECT_NEAR(parameter(found.best(), "flow.share").value, p.share, 0.05 * p.share) << k;
  }
  EXPECT_GE(motors, plants - plants / 8);
}

}  // namespace
}  // namespace fathom::identify::step_law_test
