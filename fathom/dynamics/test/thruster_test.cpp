// Laws of thrusters: maps rise and invert, transients follow their closed forms, published numbers come out.
#include "fathom/dynamics/thruster.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/geometry/test/random_geometry.hpp"
#include "fathom/model/test/random_thruster_map.hpp"

namespace fathom::dynamics::thruster_test {
namespace {

using model::CommandUnit;
using model::DcMotor;
using model::FirstOrder;
using model::Propeller;
using model::ThrustCoefficients;
using model::Thruster;

Thruster plain() {
  Thruster thruster;
  thruster.name = "t";
  thruster.direction_b.value = Vec3(1, 0, 0);
  return thruster;
}

Thruster with_map(const model::ThrusterMap& map) {
  Thruster thruster = plain();
  thruster.map = map;
  return thruster;
}

/// Rises, is zero at neutral, and command_for undoes it wherever the force can be had.
void expect_laws(const Thruster& thruster, RandomStream& random, const std::string& what) {
  const ThrusterModel t(thruster, 1000);
  ASSERT_TRUE(thruster.map);
  const model::Command& range = thruster.map->command;
  const double voltage = random.uniform(8, 24);
  double before = t.steady_force(range.min, 0, voltage);
  for (int k = 1; k <= 200; ++k) {
    const double force = t.steady_force(range.min + (range.max - range.min) * k / 200, 0, voltage);
    EXPECT_GE(force, before - 1e-12 * std::abs(before)) << what;
    before = force;
  }
  EXPECT_NEAR(t.steady_force(range.neutral, 0, voltage), 0, 1e-9) << what;
  EXPECT_EQ(t.command_for(0, 0, voltage), range.neutral) << what;
  EXPECT_EQ(t.steady_force(range.max + 5, 0, voltage), t.steady_force(range.max, 0, voltage)) << what;

  const double least = t.steady_force(range.min, 0, voltage), most = t.steady_force(range.max, 0, voltage);
  const double scale = std::max(-least, most);
  for (int k = 0; k <= 60; ++k) {
    double f = k < 40 ? least + (most - least) * k / 39 : scale * std::pow(10, random.uniform(-8, 0));
    if (k > 50) f = -f;
    const double attainable = std::clamp(f, least, most);
    const double got = t.steady_force(t.command_for(f, 0, voltage), 0, voltage);
    EXPECT_NEAR(got, attainable, 1e-9 * std::abs(f) + 1e-11 * scale) << what << " " << f;
  }
  for (int k = 0; k < 30; ++k) {  // with inflow: everything between the ends that has the sign of its end
    const double u = random.uniform(-2, 2);
    const double low = t.steady_force(range.min, u, voltage), high = t.steady_force(range.max, u, voltage);
    const double f =
        random.uniform() < 0.5 ? random.uniform() * std::min(0.0, low) : random.uniform() * std::max(0.0, high);
    const double command = t.command_for(f, u, voltage);
    EXPECT_NEAR(t.steady_force(command, u, voltage), f, 1e-9 * std::abs(f) + 1e-11 * scale) << what << " " << u;
    EXPECT_GE(command, range.min);
    EXPECT_LE(command, range.max);
  }
}

TEST(Thruster, RandomMapsRiseAndInvert) {
  RandomStream random(1, "thruster laws");
  for (int k = 0; k < 400; ++k)
    expect_laws(with_map(model::test::random_map(random)), random, "map " + std::to_string(k));
  for (int k = 0; k < 50; ++k) {
    Thruster thruster = plain();
    model::test::random_motor(thruster, random);
    expect_laws(thruster, random, "motor " + std::to_string(k));
  }
}

TEST(Thruster, MapsOfAllRobotsRiseAndInvert) {
  RandomStream random(1, "thruster laws");
  int maps = 0;
  for (const auto& [name, robot] : test::all_robots())
    for (Thruster thruster : robot.thrusters()) {
      const ThrusterModel limited(thruster, 1000);
      const model::ForceRange range = limited.force_range();
      if (thruster.force) {
        EXPECT_GE(range.min, thruster.force->value.min);
        EXPECT_LE(range.max, thruster.force->value.max);
        EXPECT_NEAR(limited.steady_force(limited.command_for(1e6, 0, 16), 0, 16), range.max, 1e-9 * range.max);
      }
      thruster.force.reset();
      if (!thruster.map) continue;
      ++maps;
      expect_laws(thruster, random, name);
      const model::ForceRange attained = model::attained_force(*thruster.map, thruster.transient, 1000);
      EXPECT_EQ(ThrusterModel(thruster, 1000).force_range(), attained);
    }
  EXPECT_GE(maps, 20);
}

TEST(Thruster, NielsenBollardFit) {  // PUBLISHED: T(100, 200, 300) = 5.64 16.33 32.05 N
  model::ThrusterMap map;
  map.command = {CommandUnit::pwm_us, 1100, 1900, 1500};
  map.law = model::LinearQuadratic{{3.123e-2, 2.52e-4}, std::nullopt, std::nullopt};
  const ThrusterModel t(with_map(map), 1000);
  EXPECT_NEAR(t.steady_force(1600, 0, 0), 5.64, 0.005);
  EXPECT_NEAR(t.steady_force(1700, 0, 0), 16.33, 0.005);
  EXPECT_NEAR(t.steady_force(1800, 0, 0), 32.05, 0.005);
  EXPECT_NEAR(t.steady_force(1200, 0, 0), -32.05, 0.005);
}

TEST(Thruster, OpenWaterCurveIsTheLawInRevolutions) {
  const double rho = 1025, D = 0.076, a0 = 0.45, a1 = -0.3;
  model::ThrusterMap map;
  map.command = {CommandUnit::rad_s, -400, 400, 0};
  map.law = Propeller{model::OpenWater{D, a0, a1}, model::DirectShaft{}};
  const ThrusterModel t(with_map(map), rho);
  const ThrustCoefficients T = model::thrust_coefficients(std::get<Propeller>(map.law), rho);
  map.law = Propeller{T, model::DirectShaft{}};
  const ThrusterModel same(with_map(map), rho);
  for (const double w : {-300.0, -20.0, 50.0, 380.0})
    for (const double u : {-1.5, 0.0, 0.7}) {
      const double n = w / (2 * std::numbers::pi), J = u / (n * D);  // rev/s: f = K_T rho D^4 n |n|
      const double expected = rho * std::pow(D, 4) * (a0 + a1 * J) * n * std::abs(n);
      EXPECT_NEAR(t.steady_force(w, u, 0), expected, 1e-12 * std::abs(expected));
      EXPECT_EQ(t.steady_force(w, u, 0), same.steady_force(w, u, 0));
    }
}

TEST(Thruster, InflowIsTheSpeedOfTheThrusterAlongItsAxis) {
  RandomStream random(1, "inflow");
  for (const auto& [name, robot] : test::all_robots()) {
    const Mat6X B = model::allocation_matrix(robot);
    for (std::size_t k = 0; k < robot.thrusters().size(); ++k) {
      const Thruster& thruster = robot.thrusters()[k];
      const ThrusterModel t(thruster, 1000);
      const Vec6 nu = fathom::test::random_matrix<Vec6>(random);
      const Vec3 v = nu.head<3>() + nu.tail<3>().cross(thruster.position_b.value);
      EXPECT_NEAR(t.inflow(nu), thruster.axis_b().dot(v), 1e-12);
      EXPECT_EQ(t.column(), B.col(static_cast<Eigen::Index>(k)));
    }
  }
}

TEST(Thruster, WithoutAMapTheCommandIsTheForce) {
  Thruster thruster = plain();
  const ThrusterModel unlimited(thruster, 1000);
  EXPECT_EQ(unlimited.steady_force(12, 3, 0), 12);
  EXPECT_EQ(unlimited.command_for(-7, 0, 0), -7);
  thruster.force.emplace().value = {-20, 30};
  const ThrusterModel limited(thruster, 1000);
  EXPECT_EQ(limited.steady_force(50, 0, 0), 30);
  EXPECT_EQ(limited.command_for(-50, 0, 0), -20);
  EXPECT_FALSE(limited.has_state());
  EXPECT_TRUE(std::isnan(limited.shaft_speed(3)));
  EXPECT_TRUE(std::isnan(limited.current(3, 3, 0, 16)));
}

/// One step of the classical Runge-Kutta method on the thruster's state.
double rk4(const ThrusterModel& t, double state, double target, double dt) {
  const double k1 = t.state_rate(state, target, 0), k2 = t.state_rate(state + dt / 2 * k1, target, 0),
               k3 = t.state_rate(state + dt / 2 * k2, target, 0), k4 = t.state_rate(state + dt * k3, target, 0);
  return state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

TEST(Thruster, FirstOrderLagOfForceAndOfShaft) {
  const double time_constant = 0.1;
  Thruster force = plain(), shaft = plain();
  force.transient = shaft.transient = model::Transient{FirstOrder{time_constant}, "", false};
  model::ThrusterMap map;
  map.command = {CommandUnit::rad_s, -300, 300, 0};
  map.law = Propeller{ThrustCoefficients{1e-3, -1e-3}, model::DirectShaft{}};
  shaft.map = map;
  const ThrusterModel a(force, 1000), b(shaft, 1000);
  EXPECT_TRUE(a.has_state());
  double f = ThrusterModel::resting_state(), w = ThrusterModel::resting_state();
  const double dt = 0.005;
  for (int k = 1; k <= 60; ++k) {
    f = rk4(a, f, a.target(20, 0), dt);
    w = rk4(b, w, b.target(200, 0), dt);
    const double share = 1 - std::exp(-k * dt / time_constant);
    EXPECT_NEAR(a.force(f, 0, 16), 20 * share, 1e-6);
    EXPECT_NEAR(b.shaft_speed(w), 200 * share, 1e-5);
    EXPECT_NEAR(b.force(w, 0.5, 16), 1e-3 * w * w - 1e-3 * w * 0.5, 1e-12);
  }
}

/// A lag before a map without shaft is of the command, and one behind a propeller's law of its thrust at rest.
TEST(Thruster, TheLagActsOnWhatTheFileSays) {
  const double time_constant = 0.1, dt = 0.002;
  model::ThrusterMap table;
  table.command = {CommandUnit::normalized, -1, 1, 0};
  table.law = model::ForceTable{{-1, -0.5, 0, 0.5, 1}, {16}, {{-40, -10, 0, 10, 40}}};
  model::ThrusterMap propeller;
  propeller.command = {CommandUnit::rad_s, -300, 300, 0};
  propeller.law = Propeller{ThrustCoefficients{1e-3, -1e-3}, model::DirectShaft{}};
  for (const bool is_table : {true, false})
    for (const model::ActsOn acts_on : {model::ActsOn::force, model::ActsOn::shaft}) {
      Thruster thruster = plain();
      thruster.map = is_table ? table : propeller;
      thruster.transient = model::Transient{FirstOrder{time_constant, {}, acts_on}, "", false};
      const ThrusterModel t(thruster, 1000);
      const double command = is_table ? 1 : 200, settled = 40;
      EXPECT_NEAR(t.steady_force(command, 0, 16), settled, 1e-9);
      EXPECT_NEAR(t.steady_force(t.command_for(10, 0, 16), 0, 16), 10, 1e-9);
      double state = ThrusterModel::resting_state();
      for (int k = 1; k <= 100; ++k) {
        state = rk4(t, state, t.target(command, 16), dt);
        const double share = 1 - std::exp(-k * dt / time_constant);
        const double expected = acts_on == model::ActsOn::force ? settled * share
                                : is_table                      ? model::force_of_command(table, share, 16)
                                                                : settled * share * share;
        ASSERT_NEAR(t.force(state, 0, 16), expected, 1e-6) << is_table << k;
      }
    }
}

TEST(Thruster, MotorSettlesAtItsClosedFormAndFollowsAFineIntegration) {
  RandomStream random(1, "motor");
  for (int k = 0; k < 20; ++k) {
    Thruster thruster = plain();
    model::test::random_motor(thruster, random);
    const ThrusterModel t(thruster, 1000);
    const DcMotor& m = std::get<DcMotor>(thruster.transient->law);
    const double volt = (k % 2 ? -1 : 1) * 4.5, target = t.target(volt, 0);
    // eq. 5.13 written out, by Euler's method in steps so small that its error does not show
    const auto rate = [&](double w) {
      return ((volt - w * m.k_t) / m.resistance * m.k_q - m.k_f1 * w - m.Q_ww * std::abs(w) * w) / m.inertia;
    };
    const double slowest = m.inertia / (m.k_q * m.k_t / m.resistance + m.k_f1);
    const double end = 0.5 * std::min(slowest, 1.0), dt = end / 100;
    double w = 0, fine = 0;
    for (int i = 0; i < 100; ++i) w = rk4(t, w, target, dt);
    const int steps = 200000;
    for (int i = 0; i < steps; ++i) fine += end / steps * rate(fine);
    EXPECT_NEAR(w, fine, 2e-5 * std::abs(fine));
    const double settled = model::steady_motor_speed(m, volt);
    EXPECT_NEAR(rate(settled) * m.inertia, 0, 1e-12);
    EXPECT_NEAR(model::steady_motor_voltage(m, settled), volt, 1e-12 * std::abs(volt));
    for (int i = 0; i < 5000; ++i) w = rk4(t, w, target, dt);
    EXPECT_NEAR(w, settled, 1e-9 * std::abs(settled));
    EXPECT_NEAR(t.force(w, 0.3, volt), t.steady_force(volt, 0.3, 0), 1e-7);
    EXPECT_NEAR(t.current(w, target, 0, volt), (volt - m.k_t * w) / m.resistance, 1e-12);
  }
}

TEST(Thruster, RatesOfAMotorAreTheMotorWithoutItsCurrent) {
  RandomStream random(2, "rates");
  Thruster thruster = plain();
  model::test::random_motor(thruster, random);
  const ThrusterModel whole(thruster, 1000);
  const DcMotor m = std::get<DcMotor>(thruster.transient->law);
  thruster.transient->law = model::rates_of(m);
  const ThrusterModel rates(thruster, 1000);
  const double by_hand = ((3 - 40 * m.k_t) / m.resistance * m.k_q - m.k_f1 * 40 - m.Q_ww * 1600) / m.inertia;
  for (const ThrusterModel* t : {&whole, &rates})
    EXPECT_NEAR(t->state_rate(40, 3, 0), by_hand, 1e-9 * std::abs(by_hand));
  EXPECT_TRUE(std::isnan(rates.current(40, 3, 0, 16)));
  const DcMotor again = model::rates_of(m).motor(m.k_t, m.resistance);  // supposes k_q = k_t
  EXPECT_NEAR(again.inertia * m.k_q / m.k_t, m.inertia, 1e-9 * m.inertia);
}

/// A shaft of first order and a flow of first order behind it, from rest, in closed form.
TEST(Thruster, AxialFlowFollowsTheShaft) {
  constexpr double lag = 0.05, flow_lag = 0.2, T = 1e-3, T_reverse = 6e-4;
  Thruster thruster = plain();
  thruster.transient = model::Transient{FirstOrder{lag}, "", false, model::AxialFlow{0.6, flow_lag, 0.3}};
  model::ThrusterMap map;
  map.command = {CommandUnit::rad_s, -300, 300, 0};
  map.law = Propeller{ThrustCoefficients{T, -1e-3}, model::DirectShaft{}, ThrustCoefficients{T_reverse, -5e-4}};
  thruster.map = map;
  const ThrusterModel t(thruster, 1000);
  ASSERT_TRUE(t.has_flow());
  EXPECT_EQ(t.fastest_rate(0), 1 / lag);
  const double dt = 0.001, goal = t.target(-200, 0);
  double w = 0, a = 0;
  for (int k = 1; k <= 400; ++k) {
    const double before = w;
    w = rk4(t, w, goal, dt);
    a += dt / 2 *
         (t.flow_rate(before, a, 16) + t.flow_rate(w, a + dt * t.flow_rate(before, a, 16), 16));  // Heun
    const double at = k * dt, slow = std::exp(-at / flow_lag), fast = std::exp(-at / lag);
    const double exact = goal * (1 - (flow_lag * slow - lag * fast) / (flow_lag - lag));
    ASSERT_NEAR(a, exact, 2e-3);
    ASSERT_NEAR(t.force_in_flow(w, a, 0, 16), T_reverse * std::abs(w) * (1.6 * w - 0.6 * a), 1e-12);
  }
  EXPECT_NEAR(t.force_in_flow(-200, -200, 0.4, 16), t.force(-200, 0.4, 16), 1e-12);
  EXPECT_NEAR(t.force(-200, 0.4, 16), 200 * (-200 * T_reverse - 0.4 * 5e-4), 1e-12);
  EXPECT_NEAR(t.force_in_flow(0, 100, 0, 16), -0.3 * T * 1e4, 1e-12);  // stopped blades in their slipstream
  EXPECT_NEAR(t.force_in_flow(0, -100, 0, 16), 0.3 * T_reverse * 1e4, 1e-12);
  EXPECT_NEAR(t.steady_force(t.command_for(-10, -0.4, 0), -0.4, 0), -10, 1e-9);
}

/// Of a map without shaft the flow follows the root of the force.
TEST(Thruster, AxialFlowOfAForce) {
  Thruster thruster = plain();
  thruster.transient = model::Transient{FirstOrder{0.1}, "", false, model::AxialFlow{0.5, 0.2, 0}};
  const ThrusterModel t(thruster, 1000);
  EXPECT_NEAR(t.flow_rate(-9, 1, 16), (-3 - 1) / 0.2, 1e-12);
  EXPECT_NEAR(t.force_in_flow(-9, 0, 0, 16), -9 * 1.5, 1e-12);
  EXPECT_NEAR(t.force_in_flow(-9, -3, 0, 16), -9, 1e-12);
}

TEST(Thruster, CurrentByTheCurveOfTheMap) {
  model::ThrusterMap map;
  map.law = model::LinearQuadratic{{10, 20}, std::nullopt, std::nullopt};
  map.current = std::array<double, 3>{0.5, 0.3, 0.01};
  const ThrusterModel t(with_map(map), 1000);
  EXPECT_NEAR(t.current(t.target(-1, 0), 0, 0, 0), 0.5 + 0.3 * 30 + 0.01 * 900, 1e-12);
}

TEST(Thruster, InflowThatLeavesNoThrustGivesNeutral) {
  model::ThrusterMap map;
  map.command = {CommandUnit::rad_s, -100, 100, 0};
  map.law = Propeller{ThrustCoefficients{1e-3, -0.1}, model::DirectShaft{}};
  const ThrusterModel t(with_map(map), 1000);
  EXPECT_LT(t.steady_force(100, 2, 0), 0);
  EXPECT_EQ(t.command_for(5, 2, 0), 0);
  EXPECT_NEAR(t.steady_force(t.command_for(-5, 2, 0), 2, 0), -5, 1e-9);
}

TEST(Thruster, ABadOneIsRefused) {
  model::ThrusterMap map;
  map.law = model::LinearQuadratic{{10, -20}, std::nullopt, std::nullopt};
  EXPECT_THROW(ThrusterModel(with_map(map), 1000), InputError);
  EXPECT_THROW(ThrusterModel(plain(), 0), InputError);
  EXPECT_THROW(ThrusterModel(plain(), std::nan("")), InputError);
}

}  // namespace
}  // namespace fathom::dynamics::thruster_test
