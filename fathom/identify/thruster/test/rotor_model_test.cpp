#include "fathom/identify/thruster/internal/rotor_model.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/solve/runge_kutta.hpp"

namespace fathom::identify::rotor_model_test {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index rows = 200;
constexpr double dt = 0.01, most = 300;  // s, rad/s

const VectorXd times = VectorXd::LinSpaced(rows, 0, (rows - 1) * dt);

/// Held for 25 rows each: from rest up, down, back to rest; where `reverses`, also through it.
VectorXd goals(RandomStream& random, bool reverses) {
  VectorXd goal = VectorXd::Zero(rows);
  for (Index k = 25; k < rows; k += 25) {
    const double to = k % 75 == 0 ? 0 : random.uniform(reverses ? -most : 0, most);
    goal.segment(k, std::min<Index>(25, rows - k)).setConstant(to);
  }
  return goal;
}

/// The same by small steps of the equation itself; goals come half a row late.
template <class Rate>
VectorXd by_small_steps(const VectorXd& goal, double first, const Rate& rate) {
  constexpr int steps = 100;  // a row, half of them under the goal before
  VectorXd w(rows);
  w[0] = first;
  for (Index k = 1; k < rows; ++k) {
    double now = w[k - 1];
    for (int i = 0; i < steps; ++i) {
      const double to = goal[std::max<Index>(0, i < steps / 2 ? k - 2 : k - 1)];
      now = solve::runge_kutta_step([&](double at) { return rate(at, to); }, now, dt / steps);
    }
    w[k] = now;
  }
  return w;
}

StepNumbers random_rotor(RandomStream& random) {
  StepNumbers numbers;
  numbers.lag = random.uniform(0.02, 0.3);
  numbers.delay = dt / 2;
  numbers.bend = random.uniform(-0.8, 1);
  numbers.slowing = random.uniform(0.3, 3);
  numbers.motor = {random.uniform(50, 500), random.uniform(0.5, 10), random.uniform(0.005, 0.1)};
  return numbers;
}

double bent_rate(const StepNumbers& numbers, double w, double goal) {
  const double pull =
      (1 - numbers.bend) * (goal - w) + numbers.bend / most * (goal * std::abs(goal) - w * std::abs(w));
  return (pull * w < 0 ? numbers.slowing : 1) * pull / numbers.lag;
}

TEST(RotorModel, OfABentLoadAreThoseOfItsEquation) {
  RandomStream random(1, "bent");
  for (int k = 0; k < 20; ++k) {
    const StepNumbers numbers = random_rotor(random);
    const VectorXd goal = goals(random, false);
    const VectorXd expected =
        by_small_steps(goal, 0, [&](double w, double to) { return bent_rate(numbers, w, to); });
    EXPECT_LT((internal::bent(times, goal, numbers, most) - expected).cwiseAbs().maxCoeff(), 1e-6 * most);
  }
}

TEST(RotorModel, ThroughRestAreNearThoseOfTheEquation) {
  RandomStream random(2, "reversed");
  for (int k = 0; k < 20; ++k) {
    const StepNumbers numbers = random_rotor(random);
    const VectorXd goal = goals(random, true);
    const VectorXd expected =
        by_small_steps(goal, 0, [&](double w, double to) { return bent_rate(numbers, w, to); });
    EXPECT_LT((internal::bent(times, goal, numbers, most) - expected).cwiseAbs().maxCoeff(), 2e-3 * most);
  }
}

TEST(RotorModel, OfAMotorAreThoseOfItsEquation) {
  RandomStream random(3, "motor");
  for (int k = 0; k < 20; ++k) {
    const StepNumbers numbers = random_rotor(random);
    for (const bool reverses : {false, true}) {
      const VectorXd volts = goals(random, reverses) * (24 / most);
      const VectorXd expected =
          by_small_steps(volts, 0, [&](double w, double V) { return numbers.motor.acceleration(V, w); });
      EXPECT_LT((internal::motor_speeds(times, volts, numbers) - expected).cwiseAbs().maxCoeff(),
                (reverses ? 1e-3 : 1e-7) * most);
    }
  }
}

TEST(RotorModel, OfALoadThatIsAllQuadraticEndsAtRest) {
  StepNumbers numbers;
  numbers.lag = 0.1;
  numbers.bend = 1;  // then w' = -w^2 / (most lag)
  VectorXd goal = VectorXd::Zero(rows);
  goal[0] = most;
  const VectorXd w = internal::bent(times, goal, numbers, most);
  for (Index k = 1; k < rows; ++k) {
    const double t = times[k] - times[1];
    EXPECT_NEAR(w[k], most / (1 + t / numbers.lag), 1e-9 * most);
  }
}

TEST(RotorModel, SmoothedIsTheLagOfAStraightLine) {
  const double T = 0.03;
  const VectorXd even = VectorXd::Constant(rows, dt);
  const VectorXd ramp = 5 * times;
  const VectorXd y = internal::smoothed(even, ramp, T);
  for (Index k = 0; k < rows; ++k)  // T y' = 5 t - y, y(0) = 0
    EXPECT_NEAR(y[k], 5 * (times[k] - T * (1 - std::exp(-times[k] / T))), 1e-12);
  EXPECT_EQ(internal::smoothed(even, ramp, 0), ramp);
}

}  // namespace
}  // namespace fathom::identify::rotor_model_test
