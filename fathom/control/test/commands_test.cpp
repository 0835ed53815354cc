#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/control/command_series.hpp"
#include "fathom/control/joystick.hpp"

namespace fathom::control::commands_test {
namespace {

TEST(CommandSeries, HoldsOrBlends) {
  const std::vector<double> times = {1, 2, 4}, values = {10, 0, 20, 1, 40, 3};
  const CommandSeries held(times, values, 2), blended(times, values, 2, CommandSeries::Between::linear);
  std::array<double, 2> out;
  const auto expect = [&](const CommandSeries& series, double t, double a, double b) {
    series.at(t, out);
    EXPECT_DOUBLE_EQ(out[0], a) << t;
    EXPECT_DOUBLE_EQ(out[1], b) << t;
  };
  expect(held, 0.99, 0, 0);
  expect(held, 1, 10, 0);
  expect(held, 1.99, 10, 0);
  expect(held, 2, 20, 1);
  expect(held, 99, 40, 3);
  expect(blended, 0.5, 0, 0);
  expect(blended, 1.5, 15, 0.5);
  expect(blended, 3, 30, 2);
  expect(blended, 4, 40, 3);
}

TEST(CommandSeries, RefusesBadRows) {
  const auto message = [](std::vector<double> times, std::vector<double> values) -> std::string {
    try {
      CommandSeries(std::move(times), std::move(values), 1);
    } catch (const InputError& error) {
      return error.findings()[0].text();
    }
    return "";
  };
  EXPECT_EQ(message({}, {}), "commands has no row, at least one is needed");
  EXPECT_EQ(message({0, 0}, {1, 2}), "commands [1] is at 0 s, after 0 s: times must increase");
  EXPECT_EQ(message({0}, {1, 2}), "commands has 2 values for 1 times, expected 1 each");
  EXPECT_EQ(message({0, 1}, {1, NAN}), "commands [1] has a value that is not finite");
}

JoystickOptions one_axis() {
  JoystickOptions options;
  options.limit_b[0] = 10;
  options.stick_time = 0;
  return options;
}

TEST(Joystick, StaysWithinItsLimitsAndHoldsAsLongAsItSays) {
  Joystick joystick(one_axis(), 1, "pilot");
  constexpr double dt = 0.01;
  double previous = 0, since = 0, shortest = 1e9, longest = 0, at_rest = 0;
  int changes = 0;
  constexpr int steps = 400000;
  for (int k = 0; k < steps; ++k) {
    const Vec6& tau = joystick.at(k * dt);
    ASSERT_LE(std::abs(tau[0]), 10);
    ASSERT_TRUE(tau.tail<5>().isZero(0));
    at_rest += tau[0] == 0 ? 1. / steps : 0;
    if (tau[0] == previous) continue;
    if (changes++ > 0) {  // two rests in a row look like one longer hold
      shortest = std::min(shortest, k * dt - since);
      if (previous != 0) longest = std::max(longest, k * dt - since);
    }
    since = k * dt;
    previous = tau[0];
  }
  EXPECT_GE(shortest, 0.5 - 2 * dt);
  EXPECT_LE(longest, 4 + 2 * dt);
  EXPECT_NEAR(at_rest, 0.3, 0.05);
  EXPECT_GT(changes, 1000);
}

TEST(Joystick, IsTheSameForTheSameSeedAndAnAxisDoesNotDependOnAnother) {
  JoystickOptions both = one_axis();
  both.limit_b[2] = 5;
  Joystick a(one_axis(), 7, "pilot"), b(both, 7, "pilot"), other(one_axis(), 8, "pilot");
  bool differs = false;
  for (int k = 0; k < 2000; ++k) {
    const double first = a.at(0.01 * k)[0];
    ASSERT_EQ(first, b.at(0.01 * k)[0]);
    differs = differs || first != other.at(0.01 * k)[0];
  }
  EXPECT_TRUE(differs);
}

TEST(Joystick, APilotPushesBackWhatLeavesItsBox) {
  JoystickOptions options = one_axis();
  options.limit_b = (Vec6() << 30, 20, 25, 0, 0, 5).finished();
  Joystick blind(options, 7, "pilot");
  options.keep_in = {Vec3(-2, -1, 0.5), Vec3(2, 1, 1.5)};
  Joystick pilot(options, 7, "pilot");
  dynamics::State state;
  state.q_nb = Quat(Eigen::AngleAxisd(0.7, Vec3::UnitZ()));
  for (int k = 0; k < 500; ++k) {
    const double t = 0.1 * k;
    state.p_nb_n = Vec3(k % 3 == 0 ? 2.1 : 0, k % 5 == 0 ? -1.2 : 0, k % 7 == 0 ? 1.6 : 1);
    const Vec6 free = blind.at(t), seen = pilot.at(t, state);
    const Vec3 free_n = state.q_nb * free.head<3>(), seen_n = state.q_nb * seen.head<3>();
    EXPECT_NEAR(seen_n.x(), k % 3 == 0 ? -20 : free_n.x(), 1e-9);
    EXPECT_NEAR(seen_n.y(), k % 5 == 0 ? 20 : free_n.y(), 1e-9);
    EXPECT_NEAR(seen_n.z(), k % 7 == 0 ? -20 : free_n.z(), 1e-9);
    EXPECT_EQ(seen.tail<3>(), free.tail<3>());
  }
}

TEST(Joystick, PushesGoThroughAPointOfTheHull) {
  JoystickOptions options = one_axis();
  options.limit_b = (Vec6() << 30, 20, 25, 0, 0, 5).finished();
  Joystick sticks(options, 7, "pilot");
  options.point_b = Vec3(-0.15, 0, -0.1);
  Joystick joystick(options, 7, "pilot");
  for (double t = 0; t < 20; t += 0.5) {
    const Vec6 f = sticks.at(t), w = joystick.at(t, dynamics::State());
    EXPECT_EQ(w.head<3>(), f.head<3>());
    EXPECT_NEAR(w[3], 0.1 * f[1], 1e-12);  // r x F by hand
    EXPECT_NEAR(w[4], -0.1 * f[0] + 0.15 * f[2], 1e-12);
    EXPECT_NEAR(w[5], f[5] - 0.15 * f[1], 1e-12);
  }
}

TEST(Joystick, DoesNotDependOnHowOftenItIsAsked) {
  for (const double stick_time : {0.0, 0.15}) {
    JoystickOptions options = one_axis();
    options.limit_b.setConstant(5);
    options.stick_time = stick_time;
    Joystick coarse(options, 3, "pilot"), fine(options, 3, "pilot");
    for (int k = 0; k < 5000; ++k) {
      fine.at(0.02 * k - (k ? 0.01 : 0));
      ASSERT_LT((coarse.at(0.02 * k) - fine.at(0.02 * k)).norm(), 1e-9) << k;
    }
  }
}

TEST(Joystick, RefusesBadOptions) {
  const auto with = [](auto change) {
    JoystickOptions options = one_axis();
    change(options);
    return Joystick(options, 1, "pilot");
  };
  EXPECT_THROW(with([](JoystickOptions& o) { o.limit_b[1] = -1; }), InputError);
  EXPECT_THROW(with([](JoystickOptions& o) { o.shortest = 0; }), InputError);
  EXPECT_THROW(with([](JoystickOptions& o) { o.longest = 0.1; }), InputError);
  EXPECT_THROW(with([](JoystickOptions& o) { o.rest_share = 2; }), InputError);
  EXPECT_THROW(with([](JoystickOptions& o) { o.stick_time = -1; }), InputError);
  EXPECT_THROW(with([](JoystickOptions& o) { o.keep_in = Box{Vec3(0, 0, 2), Vec3(1, 1, 1)}; }), InputError);
}

}  // namespace
}  // namespace fathom::control::commands_test
