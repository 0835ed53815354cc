#include "fathom/report/assembly_page.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/assembly/test/cubes.hpp"
#include "fathom/geometry/test/random_geometry.hpp"
#include "fathom/report/test/items.hpp"

namespace fathom::report::assembly_page_test {
namespace {

using assembly::Assembly;
using assembly::test::Cube;
using fathom::test::distance;
using test::all;

const model::Environment fresh;

/// The assembly outlives the page that looks at it.
struct Surveyed {
  Assembly assembly;
  std::vector<assembly::ClusterSurvey> clusters;
  Page page;
};

Surveyed survey_of(assembly::AssemblySpec spec, const assembly::SurveyOptions& options = {}) {
  Surveyed out{Assembly::make(std::move(spec)), {}, {}};
  for (std::size_t k = 0; k < out.assembly.clusters().size(); ++k)
    out.clusters.push_back(assembly::survey(out.assembly, k, fresh, options));
  out.page = assembly_page({&out.assembly, out.clusters, fresh, {{"pair.yaml", "merged"}}, "made here"});
  return out;
}

const Table* table_with(const Page& page, const std::string& title) {
  for (const Table* table : all<Table>(page))
    if (table->title.find(title) != std::string::npos) return table;
  return nullptr;
}

/// A heavy cube below a light one, by 1 kg each: 9.81 N pull at the coupling.
assembly::AssemblySpec hanging() {
  return assembly::test::cube_pair({.mass = 11, .volume = 0.01}, {.mass = 10, .volume = 0.011}, "top",
                                   "bottom");
}

TEST(AssemblyPage, DrawsModulesWithTheForceInTheirCoupling) {
  const Surveyed hung = survey_of(hanging());
  const auto scenes = all<Scene>(hung.page);
  ASSERT_EQ(scenes.size(), 1u);
  const Scene& scene = *scenes[0];
  ASSERT_EQ(scene.bodies.size(), 2u);
  EXPECT_EQ(scene.bodies[0].name, "A");
  EXPECT_EQ(scene.bodies[0].t.size(), 1u);
  EXPECT_LT(distance(scene.bodies[1].p_n[0] - scene.bodies[0].p_n[0], Vec3(0, 0, -0.4)), 1e-12);  // B is above
  EXPECT_GT(scene.bodies[1].p_n[0].z(), 0.4);  // below the surface
  ASSERT_EQ(scene.markers.size(), 1u);
  const Marker& marker = scene.markers[0];
  EXPECT_EQ(marker.name, "dock");
  EXPECT_EQ(marker.group, "at rest");
  EXPECT_EQ(marker.kind, "pulls apart");
  EXPECT_EQ(marker.label, "9.81 N, 0 N m");
  EXPECT_LT(distance(marker.vector_n, Vec3(0, 0, -9.81)), 1e-9);  // A is pulled up
  EXPECT_LT(distance(marker.p_n, scene.bodies[0].p_n[0] + Vec3(0, 0, -0.2)), 1e-12);
}

TEST(AssemblyPage, LiesAsItDoesInTheWater) {
  // As in case A of Nielsen 2019, with the turn about y.
  assembly::AssemblySpec spec = assembly::test::cube_pair(
      {.centre_of_buoyancy = {0, 0, -0.1}}, {.centre_of_buoyancy = {0, 0, -0.1}}, "starboard", "port");
  spec.couplings[0].turn = std::numbers::pi / 2;  // about y
  const Surveyed turned = survey_of(spec);
  const double tilt = turned.clusters[0].equilibrium.tilt;
  EXPECT_NEAR(tilt, std::numbers::pi / 4, 1e-12);
  const Scene& scene = *all<Scene>(turned.page).at(0);
  EXPECT_NEAR((scene.bodies[0].q_nb[0] * Vec3::UnitZ()).z(), std::cos(tilt), 1e-12);
}

TEST(AssemblyPage, TellsLoadsInTheCouplingsFrame) {
  assembly::SurveyOptions options;
  options.pushes = {{0, 12 * Vec6::Unit(2)}};
  const Surveyed hung = survey_of(hanging(), options);
  const Table* loads = table_with(hung.page, "What the couplings");
  ASSERT_TRUE(loads);
  ASSERT_EQ(loads->rows.size(), 2u);
  EXPECT_EQ(loads->rows[0], (Row{"dock", "at rest", "9.81", "0", "0", "0", "0", "0"}));
  EXPECT_EQ(loads->rows[1][1], "push");
  EXPECT_EQ(loads->rows[1][2], "5.76");  // 12 N on 13 of 25 kg: 12 kg hang on
  EXPECT_EQ(all<Bars>(hung.page).size(), 2u);
  EXPECT_EQ(all<Scene>(hung.page).at(0)->markers.size(), 2u);
}

TEST(AssemblyPage, SaysWhatThrustersReachAndLoopsLeaveOpen) {
  const Cube thrusting{.has_thrusters = true};
  assembly::SurveyOptions options;
  options.failed = {"A-port", "A-starboard", "B-port", "B-starboard"};
  const Surveyed pair =
      survey_of(assembly::test::cube_pair(thrusting, thrusting, "starboard", "port"), options);
  const Table* reach = table_with(pair.page, "attain");
  ASSERT_TRUE(reach);
  ASSERT_EQ(reach->columns.size(), 4u);
  EXPECT_EQ(reach->rows[0][3], "cannot be pushed");
  EXPECT_NE(reach->rows[0][2], "cannot be pushed");
  const Table* allocation = table_with(pair.page, "Allocation");
  ASSERT_TRUE(allocation);
  EXPECT_EQ(allocation->rows.size(), 12u);
  EXPECT_EQ(allocation->rows[0], (Row{"A-port", "1", "0", "0", "0", "0", "0.3"}));

  const Surveyed ring = survey_of(assembly::test::cube_ring());
  EXPECT_NE(table_with(ring.page, "What the couplings")->note.find("those told are the least"),
            std::string::npos);
  EXPECT_EQ(table_with(ring.page, "attain"), nullptr);
  EXPECT_NE(to_html(ring.page).find("made here"), std::string::npos);
}

TEST(AssemblyPage, HasOnePictureForEachClusterUpToSix) {
  assembly::AssemblySpec spec;
  spec.name = "loose";
  for (int k = 0; k < 8; ++k) {
    spec.modules.push_back(assembly::test::cube_module(fmt::format("m{}", k)));
    spec.modules.back().pose = Pose{Quat::Identity(), Vec3(2 * k, 0, 0)};
  }
  const Surveyed loose = survey_of(spec);
  EXPECT_EQ(all<Scene>(loose.page).size(), 6u);
  EXPECT_NE(all<Text>(loose.page).back()->paragraphs.at(0).find("6 of 8 clusters are drawn"),
            std::string::npos);
  EXPECT_EQ(table_with(loose.page, "Modules")->rows.size(), 8u);
  EXPECT_EQ(table_with(loose.page, "Couplings"), nullptr);
}

}  // namespace
}  // namespace fathom::report::assembly_page_test
