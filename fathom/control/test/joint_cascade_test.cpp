#include "fathom/control/joint_cascade.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"

namespace fathom::control::joint_cascade_test {
namespace {

model::Actuator small_motor() {
  model::Actuator actuator;
  actuator.motor = {0.035, 2e-5, 2e-5, 0.02};
  actuator.current = 3;
  actuator.speed = 500;
  return actuator;
}

/// A shaft with dry friction and a load, a counter of 24 increments, followed for `seconds`.
struct Followed {
  double largest_late_error = 0, largest_current = 0, mean_late_current = 0;
};
Followed follow(double speed, double load_torque, double seconds) {
  const model::Actuator actuator = small_motor();
  const JointCascadeOptions options = cascade_for(actuator);
  JointCascade cascade(options);
  cascade.reset(0, 0);
  double angle = 0, w = 0, i = 0;
  const double step = 2 * std::numbers::pi / 24;
  const int count = static_cast<int>(seconds / options.period);
  Followed out;
  for (int k = 0; k < count; ++k) {
    const double reference = speed * k * options.period;
    const double command = cascade.step(reference, speed, step * std::floor(angle / step));
    for (int part = 0; part < 10; ++part) {
      const double dt = options.period / 10;
      i += dt * (command - i) / 1e-3;
      w += dt * (0.035 * i - 2e-5 * w - 0.02 * std::tanh(w / 2) - load_torque) / 2e-5;
      angle += dt * w;
    }
    out.largest_current = std::max(out.largest_current, std::abs(command));
    if (2 * k < count) continue;
    out.largest_late_error = std::max(out.largest_late_error, std::abs(reference - angle));
    out.mean_late_current += command / (count - count / 2);
  }
  return out;
}

TEST(JointCascade, FollowsARampUnderLoad) {
  const Followed out = follow(100, 0.03, 20);
  EXPECT_LT(out.largest_late_error, 1.5);  // rad of the shaft: six increments
  EXPECT_NEAR(out.mean_late_current, (2e-5 * 100 + 0.02 + 0.03) / 0.035, 0.02);
}

TEST(JointCascade, KeepsTheLimitOfCurrent) {
  const Followed out = follow(400, 0.2, 3);  // more than 3 A can lift
  EXPECT_EQ(out.largest_current, 3);
}

TEST(JointCascade, RefusesGainsThatCannotBe) {
  JointCascadeOptions options = cascade_for(small_motor());
  options.observer = 1000;
  EXPECT_NE(fathom::test::error_text([&] { JointCascade cascade(options); }).find("at most 500"),
            std::string::npos);
  options = JointCascadeOptions();
  EXPECT_NE(fathom::test::error_text([&] { JointCascade cascade(options); }).find("velocity_gain"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom::control::joint_cascade_test
