#include "fathom/simulate/current_field.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/simulate/ode.hpp"

namespace fathom::simulate::current_field_test {
namespace {

// An instant refers to its field.
template <class Field>
concept HasInstants = requires(Field&& field) {
  std::forward<Field>(field).at_time(0);
};
static_assert(HasInstants<const CurrentField&>);
static_assert(!HasInstants<CurrentField>);

Vec3 random_vec3(RandomStream& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

CurrentSpec random_spec(RandomStream& random, ProfileShape shape) {
  CurrentSpec spec;
  spec.constant_n = random_vec3(random, 0.5);
  spec.profile_shape = shape;
  double depth = random.uniform(0, 3);
  const double sink = random.uniform(-0.1, 0.1);
  for (int k = 0; k < 6; ++k) {
    Vec3 v = random_vec3(random, 0.5);
    v.z() = sink;
    spec.profile.push_back({depth, v});
    depth += random.uniform(0.5, 4);
  }
  spec.variation_sigma_n = Vec3(0.1, 0.05, 0.02);
  spec.variation_time = 30;
  spec.ramp = {random_vec3(random, 0.3), random_vec3(random, 0.3), 5, 25, RampShape::smooth};
  return spec;
}

constexpr ProfileShape shapes[] = {ProfileShape::linear, ProfileShape::monotone_cubic};

TEST(CurrentField, IsStillByDefault) {
  const model::Current current = CurrentField().at(3, {1, 2, 3}, {4, 5, 6});
  EXPECT_TRUE(current.velocity_n.isZero(0));
  EXPECT_TRUE(current.acceleration_n.isZero(0));
  EXPECT_TRUE(current.convective_n.isZero(0));
}

TEST(CurrentField, AccelerationIsTheRateAlongThePathAndWithConvectiveThatOfAParticle) {
  RandomStream random(1, "current path");
  constexpr double h = 1e-5;
  for (const ProfileShape shape : shapes) {
    const CurrentSpec spec = random_spec(random, shape);
    const CurrentField field(spec, 7);
    for (int k = 0; k < 200; ++k) {
      const double t = random.uniform(0, 30);
      const Vec3 p(0, 0, random.uniform(-1, 20)), v_robot = random_vec3(random, 1);
      bool near_row = false;  // where a linear profile has its kinks
      for (const CurrentAtDepth& row : spec.profile) near_row |= std::abs(row.depth - p.z()) < 1e-4;
      if (near_row) continue;
      const model::Current now = field.at(t, p, v_robot);
      const auto rate = [&](const Vec3& v) -> Vec3 {
        return (field.at(t + h, p + h * v, v).velocity_n - field.at(t - h, p - h * v, v).velocity_n) / (2 * h);
      };
      EXPECT_LE((now.acceleration_n - rate(v_robot)).norm(), 1e-8);
      EXPECT_LE((now.acceleration_n + now.convective_n - rate(now.velocity_n)).norm(), 1e-8);
    }
  }
}

TEST(CurrentField, ProfileMeetsItsRowsDoesNotOvershootAndIsClampedOutside) {
  RandomStream random(2, "current profile");
  for (const ProfileShape shape : shapes) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      CurrentSpec spec;
      spec.profile = random_spec(random, shape).profile;
      spec.profile_shape = shape;
      const CurrentField field(spec);
      const auto at = [&](double z) { return field.at(0, {0, 0, z}, Vec3::Zero()).velocity_n; };
      for (const CurrentAtDepth& row : spec.profile) EXPECT_LE((at(row.depth) - row.velocity_n).norm(), 1e-15);
      EXPECT_EQ(at(-100), spec.profile.front().velocity_n);
      EXPECT_EQ(at(1e6), spec.profile.back().velocity_n);
      for (std::size_t k = 0; k + 1 < spec.profile.size(); ++k) {
        const auto &a = spec.profile[k], &b = spec.profile[k + 1];
        for (double s = 0; s <= 1; s += 0.01) {
          const Vec3 v = at(a.depth + s * (b.depth - a.depth));
          for (int i = 0; i < 3; ++i) {
            EXPECT_LE(v[i], std::max(a.velocity_n[i], b.velocity_n[i]) + 1e-12);
            EXPECT_GE(v[i], std::min(a.velocity_n[i], b.velocity_n[i]) - 1e-12);
          }
        }
      }
    }
  }
}

TEST(CurrentField, CubicProfileHasNoKink) {
  RandomStream random(3, "current kink");
  const CurrentSpec spec = random_spec(random, ProfileShape::monotone_cubic);
  const CurrentField field(spec);
  const Vec3 down(0, 0, 1);
  for (const CurrentAtDepth& row : spec.profile) {
    const Vec3 above = field.at(0, {0, 0, row.depth - 1e-9}, down).acceleration_n;
    const Vec3 below = field.at(0, {0, 0, row.depth + 1e-9}, down).acceleration_n;
    EXPECT_LE((above - below).norm(), 1e-6);
  }
}

TEST(CurrentField, RampsReachTheirEnds) {
  for (const RampShape shape : {RampShape::smooth, RampShape::constant_acceleration}) {
    CurrentSpec spec;
    spec.ramp = {{0.1, 0, 0}, {0.5, -0.2, 0}, 10, 20, shape};
    const CurrentField field(spec);
    const auto at = [&](double t) { return field.at(t, Vec3::Zero(), Vec3::Zero()); };
    EXPECT_EQ(at(0).velocity_n, spec.ramp.before_n);
    EXPECT_EQ(at(100).velocity_n, spec.ramp.after_n);
    EXPECT_LE((at(15).velocity_n - Vec3(0.3, -0.1, 0)).norm(), 1e-15);
    EXPECT_LE((at(10 + 1e-9).velocity_n - spec.ramp.before_n).norm(), 1e-9);
    EXPECT_LE((at(20 - 1e-9).velocity_n - spec.ramp.after_n).norm(), 1e-9);
    if (shape == RampShape::constant_acceleration) {
      for (const double t : {10.1, 14.0, 19.9})
        EXPECT_LE((at(t).acceleration_n - Vec3(0.04, -0.02, 0)).norm(), 1e-15);
    } else {  // twice differentiable: acceleration and its slope start at zero
      EXPECT_LE(at(10 + 1e-4).acceleration_n.norm(), 1e-9);
      EXPECT_LE(at(20 - 1e-4).acceleration_n.norm(), 1e-9);
    }
    EXPECT_TRUE(at(5).acceleration_n.isZero(0));
    EXPECT_TRUE(at(25).acceleration_n.isZero(0));
  }
}

TEST(CurrentField, PartsAddUp) {
  RandomStream random(4, "current parts");
  const CurrentSpec all = random_spec(random, ProfileShape::monotone_cubic);
  CurrentSpec parts[4];
  parts[0].constant_n = all.constant_n;
  parts[1].profile = all.profile;
  parts[2].variation_sigma_n = all.variation_sigma_n;
  parts[2].variation_time = all.variation_time;
  parts[3].ramp = all.ramp;
  const Vec3 p(1, 2, 6), v(0.3, 0.2, 0.1);
  Vec3 sum = Vec3::Zero(), rate = Vec3::Zero();
  for (const CurrentSpec& part : parts) {
    sum += CurrentField(part, 3).at(12, p, v).velocity_n;
    rate += CurrentField(part, 3).at(12, p, v).acceleration_n;
  }
  EXPECT_LE((CurrentField(all, 3).at(12, p, v).velocity_n - sum).norm(), 1e-14);
  EXPECT_LE((CurrentField(all, 3).at(12, p, v).acceleration_n - rate).norm(), 1e-14);
}

/// Spectrum cut at the fastest tone: correlation is the integral of cos(w t) over it; docs/water.md eq. 4.
double expected_correlation(double lag, double cutoff) {
  double sum = 0;
  constexpr int steps = 20000;
  for (int k = 0; k < steps; ++k) sum += std::cos(std::tan((k + 0.5) / steps * std::atan(cutoff)) * lag);
  return sum / steps;
}

TEST(CurrentField, VariationHasTheDeviationAndCorrelationAskedFor) {
  CurrentSpec spec;
  spec.variation_sigma_n = {0.2, 0.1, 0};
  spec.variation_time = 40;
  constexpr int seeds = 4000;
  const double lags[] = {0, 0.1, 0.25, 0.5, 1, 2, 4};
  double moment[7][2] = {}, cross = 0, fourth = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    const CurrentField field(spec, static_cast<std::uint64_t>(seed));
    const double t0 = 17.0 * seed;  // stationary: any time will do
    const Vec3 start = field.at(t0, Vec3::Zero(), Vec3::Zero()).velocity_n;
    EXPECT_EQ(start.z(), 0);
    cross += start.x() * start.y() / (0.2 * 0.1 * seeds);
    fourth += std::pow(start.x() / 0.2, 4) / seeds;
    for (int k = 0; k < 7; ++k) {
      const Vec3 later = field.at(t0 + lags[k] * spec.variation_time, Vec3::Zero(), Vec3::Zero()).velocity_n;
      moment[k][0] += start.x() * later.x() / (0.2 * 0.2 * seeds);
      moment[k][1] += start.y() * later.y() / (0.1 * 0.1 * seeds);
    }
  }
  EXPECT_NEAR(cross, 0, 4 / std::sqrt(seeds));
  EXPECT_NEAR(fourth, 3 - 1.5 / spec.variation_tones, 0.5);  // a Gaussian has 3, a single tone 1.5
  for (int k = 0; k < 7; ++k) {
    const double rounded = expected_correlation(lags[k], spec.variation_cutoff);
    for (const double m : moment[k]) EXPECT_NEAR(m, rounded, 4 * std::sqrt(2.0 / seeds)) << "lag " << lags[k];
    EXPECT_NEAR(rounded, std::exp(-lags[k]), 0.045) << "lag " << lags[k];  // what docs/water.md promises
  }
}

TEST(CurrentField, VariationOfOneSeedHasItsDeviationOverTime) {
  CurrentSpec spec;
  spec.variation_sigma_n = {0.2, 0.2, 0.2};
  spec.variation_time = 10;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const CurrentField field(spec, seed);
    Vec3 square = Vec3::Zero();
    constexpr int samples = 40000;
    for (int k = 0; k < samples; ++k)
      square += field.at(2.0 * k, Vec3::Zero(), Vec3::Zero()).velocity_n.cwiseAbs2() / samples;
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(std::sqrt(square[i]), 0.2, 0.01);
    EXPECT_NE(square.x(), square.y());
  }
}

TEST(CurrentField, TheSeedAloneDecides) {
  CurrentSpec spec;
  spec.variation_sigma_n = {0.1, 0.1, 0};
  const auto at = [&](std::uint64_t seed) {
    return CurrentField(spec, seed).at(100, Vec3::Zero(), Vec3::Zero()).velocity_n;
  };
  EXPECT_EQ(at(1), at(1));
  EXPECT_NE(at(1), at(2));
  const Vec3 both = at(1);
  spec.variation_sigma_n.y() = 0;
  EXPECT_EQ(at(1).x(), both.x());  // an axis more or less does not change the others
}

TEST(CurrentField, NeverExceedsItsLargestSpeed) {
  RandomStream random(5, "current bound");
  for (int repeat = 0; repeat < 20; ++repeat) {
    const CurrentField field(random_spec(random, shapes[repeat % 2]), static_cast<std::uint64_t>(repeat));
    for (int k = 0; k < 500; ++k) {
      const Vec3 p(0, 0, random.uniform(-1, 20));
      EXPECT_LE(field.at(random.uniform(0, 1000), p, Vec3::Zero()).velocity_n.norm(), field.largest_speed());
    }
  }
}

TEST(CurrentField, RefusesWhatWaterCannotDo) {
  const auto text = [](const auto& change) {
    CurrentSpec spec;
    change(spec);
    return fathom::test::error_text([&] { CurrentField{spec}; });
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(
      text([](CurrentSpec& s) { s.constant_n.x() = nan; }).find("constant_n = [nan, 0, 0], must be finite"),
      std::string::npos);
  EXPECT_NE(text([](CurrentSpec& s) { s.constant_n.x() = 20; }).find("not knots"), std::string::npos);
  EXPECT_NE(text([](CurrentSpec& s) {
              s.profile = {{2, Vec3::Zero()}, {1, Vec3::Zero()}};
            }).find("profile[1].depth = 1, must be greater"),
            std::string::npos);
  EXPECT_NE(text([](CurrentSpec& s) {
              s.profile = {{0, Vec3::Zero()}, {1, Vec3(0, 0, 0.1)}};
            }).find("cannot be compressed"),
            std::string::npos);
  EXPECT_NE(text([](CurrentSpec& s) { s.variation_sigma_n.y() = -1; }).find("variation_sigma_n"),
            std::string::npos);
  EXPECT_NE(text([](CurrentSpec& s) { s.variation_time = 0; }).find("variation_time = 0"), std::string::npos);
  EXPECT_NE(text([](CurrentSpec& s) { s.variation_tones = 1; }).find("variation_tones = 1"), std::string::npos);
  EXPECT_NE(text([](CurrentSpec& s) { s.variation_cutoff = nan; }).find("variation_cutoff"), std::string::npos);
  EXPECT_NE(text([](CurrentSpec& s) { s.ramp.after_n.x() = 1; }).find("water cannot jump"), std::string::npos);
  EXPECT_NE(text([](CurrentSpec& s) { s.ramp.begin = 1; }).find("not before ramp.begin"), std::string::npos);
  EXPECT_NE(text([](CurrentSpec& s) { s.speed_limit = -1; }).find("speed_limit = -1"), std::string::npos);
}

/// A neutral body without drag crosses a shear layer straight down. Its own momentum stays; the added mass
/// takes up momentum at the rate at which new water is met, so with m = rho V and added mass m_a the speed it
/// gains is m_a / (m + m_a) of the current: M_rb v_dot + M_a (v_dot - w dU/dz) = 0. Dv/Dt = 0, so f_fk must not
/// act; that it would if one acceleration served both uses is the reason for Current::convective_n.
TEST(CurrentField, ABodyThatSinksThroughShearGainsOnlyTheShareOfItsAddedMass) {
  const double m = 12, m_a = 6;
  model::RobotSpec robot;
  robot.name = "ball";
  robot.hull.mass.value = m;
  robot.hull.volume.value = m / 1000;
  robot.hull.inertia.value = 0.1 * Mat3::Identity();
  robot.hull.added_mass.value.topLeftCorner<3, 3>() = m_a * Mat3::Identity();
  const dynamics::Vehicle vehicle(model::Robot::make_unchecked(robot));
  CurrentSpec spec;
  spec.profile = {{1, Vec3::Zero()}, {3, Vec3(0.6, -0.3, 0)}};
  const CurrentField field(spec);
  dynamics::State state;
  state.nu_b[2] = 0.5;
  const double dt = 0.001;
  for (int k = 0; k < 10000; ++k) {  // explicit midpoint: the current must be asked at the place of each stage
    const auto rate = [&](const dynamics::State& s) {
      return dynamics::forward_dynamics(vehicle, s, Vec6::Zero(),
                                        field.at(k * dt, s.p_nb_n, s.q_nb * s.nu_b.head<3>()));
    };
    dynamics::State middle = state;
    middle.nu_b += dt / 2 * rate(state);
    middle.p_nb_n += dt / 2 * (state.q_nb * state.nu_b.head<3>());
    state.p_nb_n += dt * (middle.q_nb * middle.nu_b.head<3>());
    state.nu_b += dt * rate(middle);
  }
  EXPECT_GT(state.p_nb_n.z(), 3);
  EXPECT_LE((state.nu_b.head<3>() - m_a / (m + m_a) * Vec3(0.6, -0.3, 0) - Vec3(0, 0, 0.5)).norm(), 1e-5);
}

}  // namespace
}  // namespace fathom::simulate::current_field_test
