// How a line moves: with the water, without gaining energy, at the frequencies of a string of beads, in stable
// steps.
#include <cmath>
#include <complex>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "fathom/simulate/test/lines.hpp"

namespace fathom::simulate::tether_motion_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::displaced_per_length;
using test::Line;
using test::random_state;
using test::random_vec3;
using test::uniform_current;

TEST(Tether, ASlackNeutralLineGoesWithAcceleratingWater) {
  TetherSpec spec;
  spec.mass_per_length = displaced_per_length(spec);
  CurrentSpec current;
  current.ramp = {Vec3::Zero(), Vec3(0.4, -0.2, 0.1), 0, 10, RampShape::constant_acceleration};
  const Vec3 a = current.ramp.after_n / 10;
  const Line line{Tether(spec), CurrentField(current), Vec3(10, 0, 0), 5 * a};
  VectorXd x = line.initial();
  for (int k = 0; k < line.tether.inner_nodes(); ++k) x.segment<3>(6 * k + 3) = 5 * a;
  const VectorXd dx = line.rate(x, 5);
  for (int k = 1; k < line.tether.inner_nodes(); ++k)  // the first feels that the anchor stands still
    EXPECT_LE((dx.segment<3>(6 * k + 3) - a).norm(), 1e-12);
}

TEST(Tether, EnergyNeverRisesWithBothEndsHeldAndStaysWithoutDamping) {
  RandomStream random(5, "tether energy");
  for (int repeat = 0; repeat < 6; ++repeat) {
    TetherSpec spec;
    spec.length = 10;
    spec.segments = 6;
    spec.mass_per_length = random.uniform(0.02, 0.3);
    const bool lossless = repeat % 3 == 2;
    if (lossless) spec.damping_ratio = spec.drag_normal = spec.drag_tangential = 0;
    if (repeat % 3 == 1) spec.drag_normal = spec.drag_tangential = 0;
    spec.slack_strain = 0.01;
    const Line line{Tether(spec), {}, random_vec3(random, 1).normalized() * 9.7};
    VectorXd x = random_state(line, random, 0.2, 1);
    const double first = line.energy(x);
    double last = first, scale = 1, tension = 0;
    for (int k = 0; k < 8000; ++k) {
      x = line.rk4(x, 2.5e-4);
      const double now = line.energy(x);
      if (k == 0) scale = std::abs(first) + 1;
      if (!lossless) {
        ASSERT_LE(now, last + 2e-9 * scale) << "step " << k << " of case " << repeat;
      }
      last = now;
      tension = std::max(tension, line.load(x).tension_max);
    }
    EXPECT_GT(tension, 1);  // it did go taut
    if (lossless) {
      EXPECT_NEAR(last, first, 1e-5 * scale);
    } else {
      EXPECT_LT(last, first - 0.01);
    }
  }
}

TEST(Tether, ATautLineSwingsAtTheFrequenciesOfAStringOfBeads) {
  TetherSpec spec;
  spec.length = 20;
  spec.segments = 8;
  spec.mass_per_length = 0.2;
  spec.damping_ratio = spec.drag_normal = spec.drag_tangential = 0;
  const Line line{Tether(spec), {}, Vec3(20.5, 0, 0)};
  Line weightless = line;
  spec.mass_per_length = displaced_per_length(spec);
  weightless.tether = Tether(spec);
  const VectorXd x = weightless.initial();
  const double tension = weightless.load(x).tension_vehicle, piece = 20.5 / 8;
  const double mass = 2 * weightless.tether.end_mass();
  const Eigen::VectorXcd poles = weightless.jacobian(x).eigenvalues();
  for (int mode = 1; mode < 8; ++mode) {
    const double across = 2 * std::sqrt(tension / (mass * piece)) * std::sin(mode * M_PI / 16);
    const double along = 2 * std::sqrt(spec.axial_stiffness / (mass * 2.5)) * std::sin(mode * M_PI / 16);
    for (const double expected : {across, along}) {
      double nearest = 1e9;
      for (const std::complex<double>& pole : poles)
        nearest = std::min(nearest, std::abs(pole - std::complex<double>(0, expected)));
      EXPECT_LE(nearest, 1e-4 * expected) << "mode " << mode;
    }
  }
}

double rk4_gain(std::complex<double> z) {
  return std::abs(1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0))));
}

TEST(Tether, StableStepIsStableAndNotFarFromTheLimit) {
  RandomStream random(6, "tether step");
  double loosest = 0;
  for (int repeat = 0; repeat < 150; ++repeat) {
    TetherSpec spec;
    spec.length = random.uniform(3, 60);
    spec.segments = 3 + static_cast<int>(random.next() % 8);
    spec.axial_stiffness = std::pow(10, random.uniform(2, 5));
    spec.damping_ratio = random.uniform(0, 1);
    spec.mass_per_length = random.uniform(0.02, 0.5);
    const double speed = random.uniform(0.1, 2);
    const Line line{Tether(spec), uniform_current(random_vec3(random, 1).normalized() * speed),
                    random_vec3(random, 1).normalized() * spec.length * random.uniform(0.7, 1.02)};
    const VectorXd x = random_state(line, random, 0.004 * spec.length / spec.segments, 0);
    const double step = line.tether.stable_step(speed);
    double limit = 1e9;
    for (const std::complex<double>& pole : line.jacobian(x, 1e-7).eigenvalues()) {
      if (std::abs(pole) * step > 0.5) {
        EXPECT_LE(rk4_gain(step * pole), 1 + 1e-6) << "case " << repeat;
      }
      if (pole.real() > -1e-3 * std::abs(pole)) continue;
      for (double h = step / 4; h < 50 * step && h < limit; h *= 1.02)
        if (rk4_gain(h * pole) > 1 + 1e-9) limit = h;
    }
    if (limit < 1e9) loosest = std::max(loosest, step / limit);
  }
  EXPECT_GT(loosest, 0.7);  // the bound is nearly reached by some line
}

TEST(Tether, TheDefaultLineRunsAtTenMilliseconds) {
  EXPECT_GT(Tether(TetherSpec{}).stable_step(1), 0.01);
  Line line{Tether(TetherSpec{}), uniform_current({0.3, 0.2, 0}), Vec3(24.5, 0, 2)};
  VectorXd x = line.initial();
  double tension = 0;
  for (int k = 0; k < 6000; ++k) {  // the vehicle surges to and fro, to where the line is 2 % too short
    const double t = 0.01 * k, w = 0.6;
    line.end_n.x() = 24.5 + 1 * std::sin(w * t);
    line.end_velocity_n.x() = w * std::cos(w * t);
    x = line.rk4(x, 0.01);
    tension = std::max(tension, line.load(x).tension_max);
    ASSERT_TRUE(x.allFinite()) << "at " << t;
  }
  EXPECT_GT(tension, 20);
  EXPECT_LT(tension, 500);
}

}  // namespace
}  // namespace fathom::simulate::tether_motion_test
