// Assemblies, as read from their files, merged: against the constrained dynamics of their clusters.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/assembly/assembly_file.hpp"
#include "fathom/assembly/merge.hpp"
#include "fathom/assembly/test/assemblies.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/model/test/compare.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::assembly::merge_assembly_test {
namespace {

using dynamics::State;
using dynamics::Vehicle;

std::vector<Assembly> shipped() {
  std::vector<Assembly> list;
  for (const auto& entry : std::filesystem::directory_iterator(test::assemblies_folder()))
    if (entry.path().extension() == ".yaml") list.push_back(read_assembly(entry.path(), {FATHOM_ROBOTS_DIR}));
  return list;
}

/// Each module swims for itself, the cluster makes the accelerations one motion, and that is the merged
/// robot's.
TEST(MergeAssembly, MovesAsItsCluster) {
  RandomStream random(1, "assembly");
  for (const Assembly& assembly : shipped())
    for (std::size_t c = 0; c < assembly.clusters().size(); ++c) {
      const Merged merged = merge(assembly, c);
      const Vehicle whole(merged.robot);
      const Cluster cluster = assembly.cluster(c);
      for (int k = 0; k < 10; ++k) {
        const State state = dynamics::test::random_state(random);
        Vec6 tau = Vec6::Zero();
        std::vector<Vec6> nu_dot;
        for (std::size_t i = 0; i < cluster.size(); ++i) {
          const Mat6 H = twist_transform(merged.poses[i]);
          const Pose pose_n = Pose{state.q_nb, state.p_nb_n} * merged.poses[i];
          const Vec6 tau_i = dynamics::test::random_vec6(random, 20);
          const Vehicle vehicle(assembly.modules()[assembly.clusters()[c][i]].robot);
          nu_dot.push_back(
              dynamics::forward_dynamics(vehicle, {pose_n.q_pc, pose_n.p_pc_p, H * state.nu_b}, tau_i));
          tau += H.transpose() * tau_i;
        }
        cluster.make_rigid(nu_dot);
        const Vec6 ours = dynamics::forward_dynamics(whole, state, tau);
        for (std::size_t i = 0; i < cluster.size(); ++i)
          EXPECT_LT((twist_transform(merged.poses[i]) * ours - nu_dot[i]).norm(), 1e-10 * nu_dot[i].norm())
              << assembly.name() << " " << i;
      }
    }
}

TEST(MergeAssembly, IsARobotOfItsNameWithTheConnectorsThatAreFree) {
  for (const Assembly& assembly : shipped()) {
    std::size_t connectors = 0, thrusters = 0;
    for (const Module& module : assembly.modules()) {
      connectors += module.connectors.size();
      thrusters += module.robot.thrusters().size();
    }
    ASSERT_EQ(assembly.clusters().size(), 1u) << assembly.name();
    const Merged merged = merge(assembly, 0, {MergeOptions::Origin::first_module});
    EXPECT_EQ(merged.robot.name(), assembly.name());
    EXPECT_EQ(merged.robot.connectors().size(), connectors - 2 * assembly.couplings().size());
    EXPECT_EQ(merged.robot.thrusters().size(), thrusters);
    const model::Robot back = model::parse_robot(model::robot_to_yaml(merged.robot), "merged.yaml");
    EXPECT_EQ(model::test::difference(merged.robot, back), "") << assembly.name();
  }
}

TEST(MergeAssembly, OfTheThesisHasTheSumsOfItsTables) {
  // Nielsen 2019, Tables 5.2 and 6.1: two vehicles 0.774 m apart and the frame between them.
  const Merged merged =
      merge(read_assembly(test::assemblies_folder() / "bluerov-pair.yaml", {FATHOM_ROBOTS_DIR}), 0);
  const model::Hull& hull = merged.robot.hull();
  EXPECT_NEAR(hull.mass.value, 2 * 11 + 1.52, 1e-12);
  EXPECT_NEAR(hull.added_mass.value(0, 0), 2 * 2.6 + 1.52, 1e-12);
  EXPECT_NEAR(hull.added_mass.value(1, 1), 2 * 18.5 + 0.517, 1e-12);
  EXPECT_NEAR(hull.added_mass.value(5, 5), 2 * (0.28 + 2.6 * 0.387 * 0.387) + 0.025, 1e-12);
  EXPECT_NEAR(hull.inertia.value(2, 2), 2 * (0.203 + 11 * 0.387 * 0.387) + 0.0402, 1e-12);
  EXPECT_TRUE(hull.symmetry.port_starboard && hull.symmetry.fore_aft && !hull.symmetry.top_bottom);
  EXPECT_LT((hull.size->value - Vec3(0.483, 0.33 + 0.774, 0.25)).norm(), 1e-12);
}

TEST(MergeAssembly, ClustersThatFloatApartAreRobotsWithANumber) {
  AssemblySpec spec;
  spec.name = "two";
  spec.modules = {test::module("a"), test::module("b")};
  spec.modules[1].pose = Pose{Quat::Identity(), Vec3(3, 0, 0)};
  const Assembly assembly = Assembly::make(spec);
  EXPECT_EQ(merge(assembly, 0).robot.name(), "two-1");
  EXPECT_EQ(merge(assembly, 1).robot.name(), "two-2");
  EXPECT_EQ(fathom::test::error_text([&] { merge(assembly, 2); }),
            "cluster = 2, but two has 2 of them, counted from 0");
}

TEST(MergeAssembly, PlacesOfConnectorsAreTakenAsExactAndThatIsTold) {
  AssemblySpec spec;
  spec.name = "pair";
  spec.modules = {test::module("a"), test::module("b")};
  spec.modules[0].connectors = {test::connector("front", {1, 0, 0}, {0, 0, 0})};
  spec.modules[1].connectors = {test::connector("rear", {-1, 0, 0}, {0, 0, 3.141592653589793})};
  spec.modules[1].connectors[0].position_b.sigma = Vec3::Constant(1e-3);
  spec.couplings = {{"joint", {{{0, 0}, {1, 0}}}}};
  const Merged merged = merge(Assembly::make(spec), 0);
  EXPECT_TRUE(merged.robot.connectors().empty());
  EXPECT_EQ(std::count(merged.losses.begin(), merged.losses.end(),
                       "sigma of b's connector rear: modules are taken to sit exactly as the couplings say"),
            1);
}

TEST(MergeAssemblyLong, TakesAThousandModules) {
  AssemblySpec spec;
  spec.name = "row";
  const int modules = 1000;
  for (int k = 0; k < modules; ++k) {
    spec.modules.push_back(test::module(fmt::format("m{}", k)));
    spec.modules.back().connectors = {test::connector("front", {1, 0, 0}, {0, 0, 0}),
                                      test::connector("rear", {-1, 0, 0}, {0, 0, 3.141592653589793})};
    const auto at = static_cast<std::size_t>(k);
    if (k > 0) spec.couplings.push_back({fmt::format("c{}", k), {{{at - 1, 0}, {at, 1}}}});
  }
  const Merged merged = merge(Assembly::make(spec), 0);
  EXPECT_NEAR(merged.robot.hull().mass.value, modules * spec.modules[0].robot.hull().mass.value, 1e-7);
  EXPECT_EQ(merged.robot.connectors().size(), 2u);
}

}  // namespace
}  // namespace fathom::assembly::merge_assembly_test
