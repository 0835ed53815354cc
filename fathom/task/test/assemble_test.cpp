#include "fathom/task/assemble/assemble.hpp"

#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/assembly/test/cubes.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/base/text.hpp"
#include "fathom/geometry/test/random_geometry.hpp"
#include "fathom/report/test/items.hpp"

namespace fathom::task::assemble_test {
namespace {

using assembly::test::Cube;
using fathom::test::distance;
using report::Bars;
using report::Document;
using report::Row;
using report::Scene;
using report::Table;
using report::Text;
using report::test::all;

const std::filesystem::path root = FATHOM_SOURCE_DIR;

Context context() {
  Context context;
  context.paths = SearchPaths::in(root / "data");
  return context;
}

DockedResult result_of(assembly::AssemblySpec spec, const AssembleOptions& options = {}) {
  return assemble(assembly::Assembly::make(std::move(spec)), options);
}

const Table* table_with(const Document& document, const std::string& title) {
  for (const Table* table : all<Table>(document))
    if (table->title.find(title) != std::string::npos) return table;
  return nullptr;
}

std::string shown_row(const Table& table, std::size_t row) {
  std::vector<std::string> cells;
  for (std::size_t k = 0; k < table.columns.size(); ++k)
    cells.push_back(report::shown(table.rows[row][k], table.columns[k], report::Where::terminal));
  return join(cells, " ");
}

/// Saved and loaded: the same numbers and robots, without what the pictures come from.
template <class Result>
Result loaded(Result result) {
  const fathom::test::TemporaryFolder folder;
  OutputFolder out(folder / "out", {"assemble"});
  result.save(out);
  EXPECT_EQ(read_file(folder / "out/summary.json"), result.to_json());
  Result again = Result::load(folder / "out");
  EXPECT_EQ(again.to_json(), result.to_json());
  EXPECT_EQ(again.files().size(), result.files().size());
  EXPECT_EQ(again.files().at(0).bytes, result.files().at(0).bytes);
  EXPECT_TRUE(all<Scene>(again.report()).empty());
  return again;
}

/// A heavy cube below a light one, by 1 kg each: 9.81 N pull at the coupling.
assembly::AssemblySpec hanging() {
  return assembly::test::cube_pair({.mass = 11, .volume = 0.01}, {.mass = 10, .volume = 0.011}, "top",
                                   "bottom");
}

TEST(Assemble, DrawsModulesWithTheForceInTheirCoupling) {
  const Document hung = result_of(hanging()).report();
  const auto scenes = all<Scene>(hung);
  ASSERT_EQ(scenes.size(), 1u);
  const Scene& scene = *scenes[0];
  ASSERT_EQ(scene.bodies.size(), 2u);
  EXPECT_EQ(scene.bodies[0].name, "A");
  EXPECT_EQ(scene.bodies[0].t.size(), 1u);
  EXPECT_LT(distance(scene.bodies[1].p_n[0] - scene.bodies[0].p_n[0], Vec3(0, 0, -0.4)), 1e-12);  // B is above
  EXPECT_GT(scene.bodies[1].p_n[0].z(), 0.4);  // below the surface
  ASSERT_EQ(scene.markers.size(), 1u);
  const report::Marker& marker = scene.markers[0];
  EXPECT_EQ(marker.name, "dock");
  EXPECT_EQ(marker.group, "at rest");
  EXPECT_EQ(marker.kind, "pulls apart");
  EXPECT_EQ(marker.label, "9.81 N, 0 N m");
  EXPECT_LT(distance(marker.vector_n, Vec3(0, 0, -9.81)), 1e-9);  // A is pulled up
  EXPECT_LT(distance(marker.p_n, scene.bodies[0].p_n[0] + Vec3(0, 0, -0.2)), 1e-12);
}

TEST(Assemble, LiesAsItDoesInTheWater) {
  // As in case A of Nielsen 2019, with the turn about y.
  assembly::AssemblySpec spec = assembly::test::cube_pair(
      {.centre_of_buoyancy = {0, 0, -0.1}}, {.centre_of_buoyancy = {0, 0, -0.1}}, "starboard", "port");
  spec.couplings[0].turn = std::numbers::pi / 2;  // about y
  const DockedResult turned = result_of(spec);
  const double tilt = turned.evidence->clusters[0].equilibrium.tilt;
  EXPECT_NEAR(tilt, std::numbers::pi / 4, 1e-12);
  const Document document = turned.report();
  const Scene& scene = *all<Scene>(document).at(0);
  EXPECT_NEAR((scene.bodies[0].q_nb[0] * Vec3::UnitZ()).z(), std::cos(tilt), 1e-12);
  EXPECT_EQ(all<report::Figures>(document).at(0)->figures.at(4).value, "45\u00b0");
}

TEST(Assemble, TellsLoadsInTheCouplingsFrame) {
  AssembleOptions options;
  options.push = {"A: Z=12"};
  const Document hung = result_of(hanging(), options).report();
  const Table* loads = table_with(hung, "What the couplings");
  ASSERT_TRUE(loads);
  ASSERT_EQ(loads->rows.size(), 2u);
  EXPECT_EQ(shown_row(*loads, 0), "dock at rest 9.81 0 0 0 0 0");
  EXPECT_EQ(shown_row(*loads, 1).substr(0, 14), "dock push 5.76");  // 12 N on 13 of 25 kg: 12 kg hang on
  EXPECT_EQ(all<Bars>(hung).size(), 2u);
  EXPECT_EQ(all<Scene>(hung).at(0)->markers.size(), 2u);
}

TEST(Assemble, SaysWhatThrustersReachAndLoopsLeaveOpen) {
  const Cube thrusting{.has_thrusters = true};
  AssembleOptions options;
  options.fail = {"A-port", "A-starboard", "B-port", "B-starboard"};
  options.assembly = "made here";
  const Document pair =
      result_of(assembly::test::cube_pair(thrusting, thrusting, "starboard", "port"), options).report();
  const Table* reach = table_with(pair, "attain");
  ASSERT_TRUE(reach);
  ASSERT_EQ(reach->columns.size(), 4u);
  EXPECT_EQ(reach->rows[0][3], "cannot be pushed");
  EXPECT_NE(reach->rows[0][2], "cannot be pushed");
  const Table* allocation = table_with(pair, "Allocation");
  ASSERT_TRUE(allocation);
  EXPECT_EQ(allocation->rows.size(), 12u);
  EXPECT_EQ(shown_row(*allocation, 0), "A-port 1 0 0 0 0 0.3");
  EXPECT_NE(to_html(pair).find("made here"), std::string::npos);

  const Document ring = result_of(assembly::test::cube_ring()).report();
  EXPECT_NE(table_with(ring, "What the couplings")->note.find("those told are the least"), std::string::npos);
  EXPECT_EQ(table_with(ring, "attain"), nullptr);
}

TEST(Assemble, HasOnePictureForEachClusterUpToSix) {
  assembly::AssemblySpec spec;
  spec.name = "loose";
  for (int k = 0; k < 8; ++k) {
    spec.modules.push_back(assembly::test::cube_module(fmt::format("m{}", k)));
    spec.modules.back().pose = Pose{Quat::Identity(), Vec3(2 * k, 0, 0)};
  }
  const DockedResult result = result_of(spec);
  const Document loose = result.report();
  EXPECT_EQ(all<Scene>(loose).size(), 6u);
  EXPECT_NE(all<Text>(loose).back()->paragraphs.at(0).find("6 of 8 clusters are drawn"), std::string::npos);
  EXPECT_EQ(table_with(loose, "Modules")->rows.size(), 8u);
  EXPECT_EQ(table_with(loose, "Couplings"), nullptr);
  EXPECT_EQ(loaded(result).robots.size(), 8u);
}

TEST(Assemble, ReadsAShippedAssemblyAndItsResultBack) {
  AssembleOptions options;
  options.assembly = "bluerov-pair";
  const DockedResult result = assemble(options, context());
  EXPECT_EQ(result.summary.file, (root / "data/assemblies/bluerov-pair.yaml").string());
  EXPECT_EQ(result.inputs.size(), 4u);
  EXPECT_EQ(result.summary.clusters.at(0).merged.thrusters.size(), 12u);
  const DockedResult again = loaded(result);
  EXPECT_EQ(table_with(again.report(), "Modules")->rows, table_with(result.report(), "Modules")->rows);
}

TEST(Assemble, RejectsWhatItCannotPushOrFail) {
  AssembleOptions options;
  options.assembly = "bluerov-pari";
  EXPECT_THROW(assemble(options, context()), InputError);
  options.push = {"Q: X=1"};
  EXPECT_THROW(result_of(hanging(), options), InputError);
  options.push = {"A: X=1, X=2"};
  EXPECT_THROW(result_of(hanging(), options), InputError);
  options.push = {};
  options.fail = {"A-port"};
  EXPECT_THROW(result_of(hanging(), options), InputError);
  EXPECT_THROW(DockedResult::from_json("{}"), InputError);
  options = {};
  options.density = 1;
  EXPECT_THROW(result_of(hanging(), options), InputError);
  options = {.origin = "middle"};
  EXPECT_THROW(result_of(hanging(), options), InputError);
}

AssembleOptions armed() {
  AssembleOptions options;
  options.assembly = (root / "examples/vehicle-with-arm/heavy-alpha-5.yaml").string();
  return options;
}

TEST(AssembleArms, ShowsWhereArmsAreAndWhatHoldingThemTakes) {
  HeldArmsResult result = assemble_arms(armed(), context());
  EXPECT_EQ(result.inputs.size(), 3u);
  result.summary.arms.at(0).joints.at(1).second.effort = 0.5;
  result.summary.arms[0].joints[2].second.effort = -0.25;
  result.summary.wrench_for_arms << 0, 0, -5, 0, 1.3, 0;
  const Document document = result.report();
  const auto scenes = all<Scene>(document);
  ASSERT_EQ(scenes.size(), 1u);
  EXPECT_EQ(scenes[0]->bodies.size(), 1u);
  EXPECT_EQ(scenes[0]->paths.size(), 4u);
  // The arm hangs: its first joint is below its base by its origin's height.
  const auto& first = scenes[0]->paths[0].points_n;
  EXPECT_NEAR(first[1].z() - first[0].z(), 0.014, 1e-12);
  const auto tables = all<Table>(document);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0]->rows[1], (Row{"alpha", "d", "1.57 rad", "89.95\u00b0", "0.5 N m", "1 N m", 50.}));
  const auto figures = all<report::Figures>(document);
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_EQ(figures[0]->figures[2].value, "1.3 N m");
  EXPECT_EQ(figures[0]->figures[2].note, "down");  // the vehicle must push its bow up
  EXPECT_EQ(figures[0]->figures.back().value, "50 %");
  EXPECT_NE(to_html(document).find("heavy-alpha-5.yaml"), std::string::npos);
}

TEST(AssembleArms, ReadsBackAndRejectsWhatIsForDockedRobots) {
  const HeldArmsResult result = assemble_arms(armed(), context());
  EXPECT_NE(to_text(loaded(result).report(), 100).find("5.16 N down"), std::string::npos);
  AssembleOptions options = armed();
  options.fail = {"A-port"};
  EXPECT_THROW(assemble_arms(options, context()), InputError);
}

}  // namespace
}  // namespace fathom::task::assemble_test
