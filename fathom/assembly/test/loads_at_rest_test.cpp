#include "fathom/assembly/loads_at_rest.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/assembly/test/cubes.hpp"
#include "fathom/base/constants.hpp"
#include "fathom/geometry/test/random_geometry.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::assembly::loads_at_rest_test {
namespace {

using fathom::test::distance;
using fathom::test::random_matrix;
using test::Cube;

const model::Environment fresh;

TEST(Equilibrium, PutsTheCentreOfBuoyancyAboveTheCentreOfMass) {
  // Nielsen 2019, section 3.6.1: the pair of case A has its centre of buoyancy at (0.05, -0.05) in y and z.
  const Equilibrium rest = equilibrium(test::cube_robot({.centre_of_buoyancy = {0, 0.05, -0.05}}), fresh);
  const Vec3 rpy = degrees * euler_from_quaternion(rest.q_nb);
  EXPECT_NEAR(rpy.x(), -45, 1e-9);
  EXPECT_NEAR(rpy.y(), 0, 1e-9);
  EXPECT_NEAR(degrees * rest.tilt, 45, 1e-9);
  EXPECT_NEAR(rest.stiffness, 10 * 9.81 * 0.05 * std::sqrt(2), 1e-9);
  EXPECT_FALSE(rest.any_attitude);
}

TEST(Equilibrium, IsWhereTheEnergyIsLeast) {
  RandomStream random(1, "equilibrium");
  for (int trial = 0; trial < 20; ++trial) {
    const model::Robot robot = test::cube_robot({.centre_of_buoyancy = 0.1 * random_matrix<Vec3>(random)});
    const dynamics::Vehicle vehicle(robot, fresh);
    const Equilibrium rest = equilibrium(robot, fresh);
    EXPECT_LT(dynamics::restoring(vehicle, rest.q_nb).norm(), 1e-11);
    EXPECT_NEAR(euler_from_quaternion(rest.q_nb).z(), 0, 1e-12);
    const auto energy = [&](const Quat& q_nb) {
      return dynamics::potential_energy(vehicle, {q_nb, Vec3(0, 0, 5), Vec6::Zero()});
    };
    const Vec3 lean = {0.1, 0, 0}, nod = {0, 0.1, 0};
    for (const Vec3& turn : {lean, nod})
      EXPECT_NEAR(energy(exp_rotation(turn) * rest.q_nb) - energy(rest.q_nb),
                  rest.stiffness * (1 - std::cos(0.1)), 1e-11);
  }
}

TEST(Equilibrium, HoldsUpsideDownAndNowhere) {
  const Equilibrium over = equilibrium(test::cube_robot({.centre_of_buoyancy = {0, 0, 0.1}}), fresh);
  EXPECT_NEAR((over.q_nb * Vec3::UnitZ()).z(), -1, 1e-12);
  EXPECT_NEAR(over.tilt, std::numbers::pi, 1e-12);
  const Equilibrium none = equilibrium(test::cube_robot(), fresh);
  EXPECT_TRUE(none.any_attitude);
  EXPECT_EQ(distance(none.q_nb, Quat::Identity()), 0);
}

TEST(LoadsAtRest, OfAPushIsWhatTheOtherModuleNeeds) {
  const Cube heavy{.mass = 22, .volume = 0.022};
  const Assembly pair = Assembly::make(test::cube_pair({}, heavy, "bow", "stern"));
  const LoadsAtRest at_rest(pair, 0, fresh);
  const std::vector<Vec6> push = {12 * Vec6::Unit(0), Vec6::Zero()};
  const LoadsAtRest::Answer answer = at_rest.of_wrenches(push);
  // 12 kg and 24 kg with added mass; the second is ahead, so that the first presses against it.
  EXPECT_NEAR(answer.acceleration_b[0], 12.0 / 36, 1e-12);
  EXPECT_LT(distance(answer.loads[0], -8 * Vec6::Unit(0)), 1e-12);
}

TEST(LoadsAtRest, OfWeightIsWhatHangsBelow) {
  const Cube heavy{.mass = 11, .volume = 0.01}, light{.mass = 10, .volume = 0.011};
  const Assembly pair = Assembly::make(test::cube_pair(heavy, light, "top", "bottom"));
  const LoadsAtRest at_rest(pair, 0, fresh);
  // The first hangs from the second by the 9.81 N that it is too heavy: its connector's x points up.
  const LoadsAtRest::Answer upright = at_rest.of_weight(Quat::Identity());
  EXPECT_LT(distance(upright.loads[0], 9.81 * Vec6::Unit(0)), 1e-12);
  EXPECT_LT(upright.acceleration_b.norm(), 1e-12);
  const LoadsAtRest::Answer over = at_rest.of_weight(exp_rotation({std::numbers::pi, 0, 0}));
  EXPECT_LT(distance(over.loads[0], -9.81 * Vec6::Unit(0)), 1e-12);
}

/// Newton's law for each body by itself: what acts on it, loads included, is its inertia times its
/// acceleration.
void expect_each_body_obeys_newton(const Assembly& assembly, RandomStream& random) {
  const LoadsAtRest at_rest(assembly, 0, fresh);
  std::vector<Vec6> wrenches;
  for (std::size_t i = 0; i < assembly.modules().size(); ++i) wrenches.push_back(random_matrix<Vec6>(random));
  const LoadsAtRest::Answer answer = at_rest.of_wrenches(wrenches);
  for (std::size_t i = 0; i < assembly.modules().size(); ++i) {
    const dynamics::Vehicle vehicle(assembly.modules()[i].robot, fresh);
    const Pose in_first = assembly.poses()[0].inverse() * assembly.poses()[i];
    Vec6 left = vehicle.M() * twist_transform(in_first) * answer.acceleration_b - wrenches[i];
    for (std::size_t k = 0; k < assembly.couplings().size(); ++k) {
      const auto& ends = assembly.couplings()[k].ends;
      if (ends[0].module != i && ends[1].module != i) continue;
      const Pose frame_a = assembly.modules()[ends[0].module].connectors[ends[0].connector].pose();
      const Pose in_body = assembly.poses()[i].inverse() * assembly.poses()[ends[0].module] * frame_a;
      const double sign = ends[0].module == i ? 1 : -1;
      left -= sign * twist_transform(in_body).transpose() * answer.loads[k];
    }
    EXPECT_LT(left.norm(), 1e-11) << "module " << i;
  }
}

TEST(LoadsAtRest, GiveEachBodyWhatItsAccelerationTakes) {
  RandomStream random(1, "loads at rest");
  for (int trial = 0; trial < 5; ++trial) {
    expect_each_body_obeys_newton(Assembly::make(test::cube_ring()), random);
    expect_each_body_obeys_newton(
        Assembly::make(test::cube_pair({}, {.mass = 30, .volume = 0.03}, "port", "top")), random);
  }
}

TEST(LoadsAtRest, ALoneModuleHasNone) {
  AssemblySpec spec;
  spec.name = "alone";
  spec.modules = {test::cube_module("A")};
  const LoadsAtRest at_rest(Assembly::make(spec), 0, fresh);
  const LoadsAtRest::Answer answer = at_rest.of_wrenches(std::vector<Vec6>{6 * Vec6::Unit(1)});
  EXPECT_TRUE(answer.loads.empty());
  EXPECT_NEAR(answer.acceleration_b[1], 0.5, 1e-12);
}

}  // namespace
}  // namespace fathom::assembly::loads_at_rest_test
