#include "fathom/assembly/assembly.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/assembly/test/assemblies.hpp"
#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/dynamics/vehicle.hpp"

namespace fathom::assembly::assembly_test {
namespace {

using test::connector;
using test::error_text;
using test::module;

/// Fore and aft connectors on a body of 1 m: a train of such bodies goes straight back.
Module wagon(const std::string& name) {
  Module result = module(name);
  result.connectors = {connector("fore", {0.5, 0, 0}, {0, 0, 0}),
                       connector("aft", {-0.5, 0, 0}, {0, 0, std::numbers::pi})};
  return result;
}

AssemblySpec train(int length) {
  AssemblySpec spec;
  spec.name = "train";
  for (int k = 0; k < length; ++k) spec.modules.push_back(wagon("m" + std::to_string(k)));
  for (std::size_t k = 0; k + 1 < spec.modules.size(); ++k)
    spec.couplings.push_back({"c" + std::to_string(k), {End{k, 1}, End{k + 1, 0}}, 0});
  return spec;
}

/// Sides of a regular polygon: the aft connector leans by half of the outer angle, so that `sides` close the
/// ring.
AssemblySpec ring(int count, int sides) {
  AssemblySpec spec = train(count);
  spec.name = "ring";
  const double lean = std::numbers::pi / sides;
  for (Module& wagon : spec.modules) {
    wagon.connectors[0].attitude_rpy.value.z() = lean;
    wagon.connectors[1].attitude_rpy.value.z() = std::numbers::pi - lean;
  }
  const auto last = static_cast<std::size_t>(count - 1);
  spec.couplings.push_back({"last", {End{last, 1}, End{0, 0}}, 0});
  return spec;
}

Quat random_rotation(RandomStream& random) {
  return Quat(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
}
Vec3 random_point(RandomStream& random) { return Vec3(random.normal(), random.normal(), random.normal()); }

/// Modules anywhere in a world of their own, and couplings of any of them that fit exactly: axes laid out by
/// hand.
class RandomGraph {
 public:
  RandomGraph(std::size_t modules, std::size_t couplings, RandomStream& random) {
    spec.name = "graph";
    for (std::size_t k = 0; k < modules; ++k) {
      spec.modules.push_back(module("m" + std::to_string(k)));
      world.push_back({random_rotation(random), 10 * random_point(random)});
    }
    for (std::size_t k = 1; k < modules; ++k) couple(k, pick(k, random), random);  // a tree
    while (spec.couplings.size() < couplings) {
      const std::size_t a = pick(modules, random), b = pick(modules, random);
      if (a != b) couple(a, b, random);
    }
  }

  AssemblySpec spec;
  std::vector<Pose> world;

 private:
  static std::size_t pick(std::size_t below, RandomStream& random) {
    return static_cast<std::size_t>(random.uniform(0, static_cast<double>(below)));
  }
  void couple(std::size_t a, std::size_t b, RandomStream& random) {
    const Mat3 axes_a = random_rotation(random).toRotationMatrix();
    const double turn = random.uniform(-3, 3);
    Mat3 axes_b;  // x opposed, z turned from y's side: right-handed about the x axis of a
    axes_b.col(0) = -axes_a.col(0);
    axes_b.col(2) = std::cos(turn) * axes_a.col(2) - std::sin(turn) * axes_a.col(1);
    axes_b.col(1) = axes_b.col(2).cross(axes_b.col(0));
    const Vec3 point = 10 * random_point(random);
    const std::string name = "c" + std::to_string(spec.couplings.size());
    const auto add = [&](std::size_t m, const Mat3& axes) {
      const Pose pose = world[m].inverse() * Pose{Quat(axes), point};
      std::vector<model::Connector>& list = spec.modules[m].connectors;
      list.push_back(connector(name, pose.p_pc_p, euler_from_quaternion(pose.q_pc)));
      return End{m, list.size() - 1};
    };
    const End end_a = add(a, axes_a), end_b = add(b, axes_b);
    spec.couplings.push_back({name, {end_a, end_b}, turn});
  }
};

void expect_same(const Pose& a, const Pose& b, double tolerance) {
  EXPECT_NEAR((a.p_pc_p - b.p_pc_p).norm(), 0, tolerance);
  EXPECT_NEAR(a.q_pc.angularDistance(b.q_pc), 0, tolerance);
}

TEST(Assembly, PutsTheModulesOfAnyGraphWhereTheyWere) {
  RandomStream random(1, "graphs");
  for (int k = 0; k < 100; ++k) {
    const auto modules = static_cast<std::size_t>(random.uniform(1, 30));
    const RandomGraph graph(modules, modules > 1 ? static_cast<std::size_t>(random.uniform(0, 50)) : 0, random);
    const Assembly assembly = Assembly::make(graph.spec);
    ASSERT_EQ(assembly.clusters().size(), 1u);
    for (std::size_t m = 0; m < modules; ++m)
      expect_same(assembly.poses()[m], graph.world[0].inverse() * graph.world[m],
                  1e-6);  // gimbals near 90 degrees
  }
}

TEST(Assembly, KeepsToTheFrameOfAPlacedModule) {
  RandomStream random(2, "graphs");
  for (int k = 0; k < 30; ++k) {
    RandomGraph graph(8, 12, random);
    graph.spec.modules[0].pose = graph.world[0];
    graph.spec.modules[5].pose = graph.world[5];
    graph.spec.modules[2].pose = graph.world[2];
    const Assembly assembly = Assembly::make(graph.spec);
    for (std::size_t m = 0; m < 8; ++m) expect_same(assembly.poses()[m], graph.world[m], 1e-6);
  }
}

TEST(Assembly, SeparatesClusters) {
  AssemblySpec spec = train(6);
  spec.couplings.erase(spec.couplings.begin() + 2);  // m2 - m3
  std::swap(spec.modules[1], spec.modules[4]);       // and not in the order of the train
  const Assembly assembly = Assembly::make(spec);
  EXPECT_EQ(assembly.clusters(), (std::vector<std::vector<std::size_t>>{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(assembly.cluster_of(1), 0u);
  EXPECT_EQ(assembly.cluster_of(4), 1u);
  EXPECT_EQ(assembly.couplings_of(0), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(assembly.couplings_of(1), (std::vector<std::size_t>{2, 3}));
  expect_same(assembly.poses()[3], Pose(), 0);  // its own frame
  expect_same(assembly.poses()[5], {Quat::Identity(), Vec3(-2, 0, 0)}, 1e-15);
}

TEST(Assembly, IsReadyForFourThousandModules) {
  const Assembly assembly = Assembly::make(train(4096));
  expect_same(assembly.poses().back(), {Quat::Identity(), Vec3(-4095, 0, 0)},
              1e-8);  // half a turn, rounded, 4095 times
  const Assembly closed = Assembly::make(ring(1000, 1000));
  EXPECT_EQ(closed.clusters().size(), 1u);
}

TEST(Assembly, GivesItsClusterTheInertiasPosesAndLinks) {
  AssemblySpec spec = ring(6, 6);
  spec.modules.push_back(wagon("lonely"));
  spec.modules[0].pose = Pose{quaternion_from_euler({0.3, -0.2, 1}), Vec3(1, 2, 3)};
  const Assembly assembly = Assembly::make(spec);
  const Cluster cluster = assembly.cluster(0);
  ASSERT_EQ(cluster.size(), 6u);
  EXPECT_EQ(cluster.loops(), 1u);
  ASSERT_EQ(cluster.links().size(), 6u);
  expect_same(cluster.pose(0), Pose(), 1e-12);
  expect_same(cluster.pose(3), assembly.poses()[0].inverse() * assembly.poses()[3], 1e-12);
  EXPECT_EQ(cluster.links()[5].a, 5u);
  EXPECT_EQ(cluster.links()[5].b, 0u);
  expect_same(cluster.links()[5].frame_a, spec.modules[5].connectors[1].pose(), 0);
  // Momentum of one body that moves alone: that of its inertia with added mass, at the first body.
  const model::Robot& robot = spec.modules[0].robot;
  const Mat6 M = model::rigid_body_inertia(robot.hull()) + robot.hull().added_mass.value;
  std::vector<Vec6> velocities(6, Vec6::Zero());
  velocities[0] << 1, 2, 3, 4, 5, 6;
  EXPECT_NEAR((cluster.momentum(velocities) - M * velocities[0]).norm(), 0, 1e-9);
  EXPECT_EQ(assembly.cluster(1).size(), 1u);
}

// --- what does not fit

TEST(Assembly, TellsTheGapOfALoopThatDoesNotClose) {
  // A seventh of a turn is missing: the last side ends where the first would, were the ring of seven.
  const double outer = 2 * std::numbers::pi / 7, side = 1;
  EXPECT_EQ(error_text(ring(6, 7)).substr(0, 100),
            fmt::format("couplings[5] 'last' does not close the loop m5 - m4 - m3 - m2 - m1 - m0 - m5: m0.fore "
                        "is {:.1f} mm and {:.2f} degrees from",
                        1e3 * side, outer / degree)
                .substr(0, 100));
  EXPECT_EQ(error_text(ring(7, 7)), "(it is an assembly)");
}

TEST(Assembly, TakesALoopThatClosesWithinTheTolerance) {
  AssemblySpec spec = ring(6, 6);
  spec.modules[3].connectors[1].position_b.value.z() += 2e-3;
  EXPECT_EQ(
      error_text(spec),
      "couplings[5] 'last' does not close the loop m5 - m4 - m3 - m2 - m1 - m0 - m5: m0.fore is 2.00 mm and "
      "0.00 "
      "degrees from m5.aft; at most 1.00 mm and 0.57 degrees (look at the connectors and turn_deg of the loop, "
      "or leave one of its couplings out)");
  spec.tolerance.distance = 2.1e-3;
  EXPECT_EQ(error_text(spec), "(it is an assembly)");
  spec.couplings[2].turn = 0.02;
  EXPECT_NE(error_text(spec).find("does not close the loop"), std::string::npos);
}

TEST(Assembly, TellsWhichCouplingContradictsAPlace) {
  AssemblySpec spec = train(3);
  spec.modules[0].pose = Pose();
  const Quat turned = quaternion_from_euler({0, 0, 5 * degree});
  spec.modules[2].pose = Pose{turned, Vec3(-1.5, 0, 0.012) - turned * Vec3(0.5, 0, 0)};
  EXPECT_EQ(
      error_text(spec),
      "couplings[1] 'c1' does not close: m2.fore, as m2 is placed, is 12.0 mm and 5.00 degrees from m1.aft; at "
      "most 1.00 mm and 0.57 degrees (leave out position and attitude of m2: they follow from the coupling)");
  spec.modules[2].pose = Pose{Quat::Identity(), Vec3(-2.0004, 0, 0)};
  const Assembly assembly = Assembly::make(spec);  // near enough: the coupling then holds exactly
  expect_same(assembly.poses()[2], {Quat::Identity(), Vec3(-2, 0, 0)}, 1e-14);
}

TEST(Assembly, RefusesTwoModulesInOnePlace) {
  AssemblySpec spec = train(3);
  spec.modules[1].connectors[1] =
      connector("aft", {0.5, 0, 0}, {0, 0, 0});  // points ahead: m2 folds back into m0
  spec.modules[2].connectors[0] = connector("fore", {0.5, 0, 0}, {0, 0, std::numbers::pi});
  spec.modules[1].connectors[1].position_b.value = Vec3(1.5, 0, 0);
  EXPECT_EQ(
      error_text(spec),
      "modules[2] 'm2' is in the same place as 'm0' (is a connector's x axis pointing into the hull, or the "
      "wrong one coupled?)");
}

model::Robot with_size(const Vec3& size) {
  model::RobotSpec spec = model::test::small_robot().spec();
  spec.hull.size.emplace().value = size;
  return model::Robot::make(spec);
}

TEST(Assembly, RefusesAModuleInsideAnother) {
  AssemblySpec spec = train(2);
  spec.modules[0].robot = with_size({1.9, 0.3, 0.3});
  EXPECT_EQ(error_text(spec), "(it is an assembly)");
  spec.modules[0].robot = with_size({2.1, 0.3, 0.3});
  EXPECT_EQ(
      error_text(spec),
      "modules[1] 'm1' is inside 'm0': its middle is within that one's hull.size (is a connector's x axis "
      "pointing into the hull, or the wrong one coupled?)");
  std::swap(spec.modules[0].robot, spec.modules[1].robot);
  EXPECT_EQ(
      error_text(spec),
      "modules[1] 'm1' is around 'm0': that one's middle is within its hull.size (is a connector's x axis "
      "pointing into the hull, or the wrong one coupled?)");
  spec.couplings.clear();
  EXPECT_EQ(error_text(spec), "(it is an assembly)");  // nobody says where they are
  spec.modules[0].pose = Pose{Quat::Identity(), Vec3(5, 0, 0)};
  spec.modules[1].pose = Pose{Quat::Identity(), Vec3(5.5, 0, 0)};
  EXPECT_NE(error_text(spec).find("'m1' is around 'm0'"), std::string::npos);
}

TEST(Assembly, SaysItOnceWhereEverythingIsInOnePlace) {
  AssemblySpec spec;
  spec.name = "heap";
  for (int k = 0; k < 4096; ++k) {
    spec.modules.push_back(module("m" + std::to_string(k)));
    spec.modules.back().pose = Pose();
  }
  try {
    Assembly::make(spec);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(error.findings().size(), 20u);
  }
}

TEST(Assembly, NamesModulesThatFloatFree) {
  AssemblySpec spec = train(3);
  spec.couplings.pop_back();
  EXPECT_EQ(error_text(spec), "(it is an assembly)");
  spec.one_cluster = true;
  EXPECT_EQ(error_text(spec),
            "modules[2] 'm2' floats free: no coupling leads from it to 'm0', and one_cluster is true (couple "
            "it, such "
            "as between: [m0.fore, m2.fore])");
  spec.modules[0].pose = Pose();
  spec.modules[2].pose = Pose{Quat::Identity(), Vec3(-2.1, 0, 0)};
  EXPECT_EQ(error_text(spec),
            "modules[2] 'm2' floats free: no coupling leads from it to 'm0', and one_cluster is true (between: "
            "[m1.aft, m2.fore], the nearest free ones, 100 mm apart)");
  spec.modules[2].connectors.clear();
  EXPECT_NE(error_text(spec).find("(m2 has no free connector: give it one under connectors)"),
            std::string::npos);
  spec = train(4);
  spec.one_cluster = true;
  spec.couplings.erase(spec.couplings.begin() + 1);
  EXPECT_NE(error_text(spec).find("modules[2] 'm2' floats free, with 1 more:"), std::string::npos);
}

TEST(Assembly, RefusesConnectorsUsedTwiceAndCouplingsOfOneModule) {
  AssemblySpec spec = train(3);
  spec.couplings[1].ends[0] = {0, 1};
  EXPECT_EQ(
      error_text(spec),
      "couplings[1] 'c1' uses m0.aft, which 'c0' uses already (a connector takes one other; give the module "
      "another connector)");
  spec.couplings[1].ends = {End{2, 0}, End{2, 1}};
  EXPECT_EQ(error_text(spec), "couplings[1] 'c1' couples m2 with itself (between: connectors of two modules)");
  spec.couplings[1].ends = {End{2, 0}, End{3, 1}};
  EXPECT_EQ(error_text(spec),
            "couplings[1] 'c1' is between connectors that do not exist (by index, of modules and of their "
            "connectors)");
}

TEST(Assembly, RefusesNamesThatAreNoneOrStandTwice) {
  AssemblySpec spec = train(3);
  spec.modules[2].name = "m0";
  EXPECT_EQ(error_text(spec), "modules[2].name = 'm0' is used twice (give each a name of its own)");
  spec.modules[2].name = "m 2";
  EXPECT_EQ(error_text(spec),
            "modules[2].name = 'm 2', expected at most 64 letters, digits, - and _, a letter or digit first");
  spec = train(3);
  spec.couplings[1].name = "c0";
  EXPECT_EQ(error_text(spec), "couplings[1].name = 'c0' is used twice (give each a name of its own)");
  spec = train(1);
  spec.modules[0].connectors[1].name = "fore";
  EXPECT_EQ(
      error_text(spec),
      "modules[0].connectors[1].name = 'fore': m0 has a connector of that name already (its robot's file may "
      "have it; give each a name of its own)");
  spec.name = "";
  spec.modules.clear();
  EXPECT_EQ(error_text(spec),
            "name is empty (give each a name of its own)\n"
            "modules is empty (at least one {name: A, robot: bluerov2-heavy})");
}

TEST(Assembly, RefusesNumbersThatAreNone) {
  const double nan = std::nan("");
  AssemblySpec spec = train(2);
  spec.couplings[0].turn = nan;
  EXPECT_EQ(error_text(spec), "couplings[0].turn_deg of 'c0' is not finite (an angle)");
  spec = train(2);
  spec.modules[1].pose = Pose{Quat::Identity(), Vec3(0, nan, 0)};
  EXPECT_EQ(error_text(spec), "modules[1].position of m1 is not finite or beyond 1000 km (m)");
  spec.modules[1].pose = Pose{Quat(0, 0, 0, 0), Vec3::Zero()};
  EXPECT_EQ(error_text(spec), "modules[1].attitude of m1 is not a rotation (a quaternion of length 1)");
  spec = train(2);
  spec.modules[1].connectors[0].position_b.value.x() = HUGE_VAL;
  EXPECT_EQ(error_text(spec), "modules[1].connectors[0] 'fore' of m1 is not finite or beyond 1000 km (m, rad)");
  spec = train(2);
  spec.tolerance = {nan, -1};
  EXPECT_EQ(error_text(spec),
            "tolerance.distance = nan, must be >= 0 m\ntolerance.angle_deg must be 0 to 180 degrees");
}

TEST(Assembly, RefusesMoreThanAnybodyMeans) {
  EXPECT_EQ(error_text(train(4097)), "modules has 4097 entries, at most 4096 (several assemblies?)");
}

}  // namespace
}  // namespace fathom::assembly::assembly_test
