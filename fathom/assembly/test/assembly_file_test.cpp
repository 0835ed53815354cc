#include "fathom/assembly/assembly_file.hpp"

#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/assembly/test/assemblies.hpp"
#include "fathom/base/constants.hpp"
#include "fathom/base/test/temporary_folder.hpp"

namespace fathom::assembly::assembly_file_test {
namespace {

using fathom::test::spill;
using fathom::test::TemporaryFolder;
using model::test::with;

const std::vector<std::filesystem::path> folders = {FATHOM_ROBOTS_DIR};

/// Line 4 has the key assembly, 6 to 8 the modules, 10 and 11 the couplings.
const std::string pair_file = R"(format: fathom-robot-1
name: pair
title: Two
assembly:
  modules:
    - {name: A, robot: nielsen-bluerov}
    - {name: frame, robot: nielsen-connector}
    - {name: B, robot: nielsen-bluerov}
  couplings:
    - {name: left, between: [A.starboard, frame.port]}
    - {between: [frame.starboard, B.port]}
)";

Assembly parse(const std::string& text) { return parse_assembly(text, "pair.yaml", folders); }

std::string error_text(const std::string& text, const std::string& file = "bad.yaml") {
  try {
    parse_assembly(text, file, folders);
  } catch (const InputError& error) {
    return error.what();
  }
  return "(it loads)";
}
std::string changed(const std::string& from, const std::string& to) {
  return error_text(with(pair_file, from, to));
}

void expect_pose(const Assembly& assembly, std::size_t module, const Vec3& position, const Vec3& rpy_deg) {
  const Pose& pose = assembly.poses()[module];
  EXPECT_NEAR((pose.p_pc_p - position).norm(), 0, 1e-12) << assembly.modules()[module].name;
  const Quat wanted = quaternion_from_euler(rpy_deg * degree);
  EXPECT_NEAR(pose.q_pc.angularDistance(wanted), 0, 1e-7) << assembly.modules()[module].name;
}

TEST(AssemblyFile, IsRead) {
  const Assembly assembly = parse(pair_file);
  EXPECT_EQ(assembly.name(), "pair");
  EXPECT_EQ(assembly.spec().title, "Two");
  ASSERT_EQ(assembly.modules().size(), 3u);
  EXPECT_EQ(assembly.modules()[1].name, "frame");
  EXPECT_EQ(assembly.modules()[1].robot.name(), "nielsen-connector");
  EXPECT_EQ(std::filesystem::path(assembly.modules()[1].robot_file).filename(), "nielsen-connector.yaml");
  ASSERT_EQ(assembly.couplings().size(), 2u);
  EXPECT_EQ(assembly.couplings()[0].name, "left");
  EXPECT_EQ(assembly.couplings()[1].name, "frame_starboard-B_port");
  expect_pose(assembly, 2, {0, 0.774, 0}, {0, 0, 0});  // 0.165 + 0.444 + 0.165
  EXPECT_FALSE(assembly.spec().one_cluster);
  EXPECT_EQ(assembly.spec().tolerance.distance, 1e-3);
}

TEST(AssemblyFile, TakesEveryKey) {
  const Assembly assembly = parse(R"(format: fathom-robot-1
name: every-key
notes: none
assembly:
  one_cluster: true
  tolerance: {distance: 0.02, angle_deg: 5}
  modules:
    - {name: A, robot: nielsen-bluerov, position: [1, 2, 3], attitude_deg: [0, 0, 90]}
    - name: B
      robot: nielsen-bluerov
      connectors:
        - {name: keel, position: [0, 0, 0.2], attitude_deg: [0, -90, 0], assumed: a ruler}
      position: [1.365, 2, 3.01]
      attitude: [0, -1.55, 0]
  couplings:
    - {name: under, between: [A.port, B.keel], turn_deg: 180}
)");
  EXPECT_TRUE(assembly.spec().one_cluster);
  EXPECT_EQ(assembly.spec().tolerance.distance, 0.02);
  EXPECT_NEAR(assembly.spec().tolerance.angle, 5 * degree, 1e-15);
  ASSERT_EQ(assembly.modules()[1].connectors.size(), 5u);
  EXPECT_EQ(assembly.modules()[1].connectors[4].position_b.source, "a ruler");
  EXPECT_NEAR(assembly.couplings()[0].turn, std::numbers::pi, 1e-15);
  expect_pose(assembly, 1, {1.365, 2, 3}, {0, -90, 0});  // under the port side of A, its own bow down
}

// --- those that ship

TEST(AssembliesThatShip, Load) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::assemblies_folder())) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    EXPECT_TRUE(is_assembly_file(entry.path())) << entry.path();
    const Assembly assembly = read_assembly(entry.path(), folders);
    EXPECT_EQ(assembly.name(), entry.path().stem().string());
    EXPECT_EQ(assembly.clusters().size(), 1u);
  }
  EXPECT_EQ(count, 4);
}

TEST(AssembliesThatShip, SitAsNielsenHasThem) {
  const Assembly a = read_assembly(test::assemblies_folder() / "nielsen-case-a.yaml", folders);
  expect_pose(a, 0, {0, 0, 0}, {0, 0, 0});
  expect_pose(a, 1, {0, 1, 0}, {90, 0, 0});  // Table 3.2
  const Assembly b = read_assembly(test::assemblies_folder() / "nielsen-case-b.yaml", folders);
  expect_pose(b, 1, {0, 1, 0}, {0, 0, 0});
  const Assembly pair = read_assembly(test::assemblies_folder() / "bluerov-pair.yaml", folders);
  expect_pose(pair, 1, {0, 0.387, 0}, {0, 0, 0});
}

TEST(AssembliesThatShip, HaveARingThatIsClosed) {
  const Assembly ring = read_assembly(test::assemblies_folder() / "ring-of-four.yaml", folders);
  expect_pose(ring, 2, {-0.457, 0.575, 0}, {0, 0, 0});
  EXPECT_EQ(ring.cluster(0).loops(), 1u);
}

TEST(IsAssemblyFile, TellsAtAGlance) {
  TemporaryFolder folder;
  EXPECT_FALSE(is_assembly_file(std::filesystem::path(FATHOM_ROBOTS_DIR) / "rexrov.yaml"));
  EXPECT_FALSE(is_assembly_file(folder / "none.yaml"));
  spill(folder / "broken.yaml", "assembly: [");
  EXPECT_FALSE(is_assembly_file(folder / "broken.yaml"));
  spill(folder / "wrong.yaml", "{assembly: 5}");
  EXPECT_TRUE(is_assembly_file(folder / "wrong.yaml"));
  std::string utf16 = "\xff\xfe";
  for (const char c : std::string("assembly: {}\n")) utf16 += {c, '\0'};
  spill(folder / "utf16.yaml", utf16);
  EXPECT_TRUE(is_assembly_file(folder / "utf16.yaml"));
}

// --- assemblies of assemblies

TEST(NestedAssemblies, ComeInThePlaceOfTheirModule) {
  TemporaryFolder folder;
  spill(folder / "pair.yaml", pair_file);
  spill(folder / "fleet.yaml", R"(format: fathom-robot-1
name: fleet
assembly:
  modules:
    - {name: first, robot: pair.yaml}
    - {name: link, robot: nielsen-connector}
    - {name: second, robot: ./pair.yaml, position: [0, 10, 0], attitude_deg: [0, 0, 180]}
  couplings:
    - {between: [first-B.starboard, link.port]}
)");
  const Assembly fleet = read_assembly(folder / "fleet.yaml", folders);
  std::vector<std::string> modules, couplings;
  for (const Module& module : fleet.modules()) modules.push_back(module.name);
  for (const Coupling& coupling : fleet.couplings()) couplings.push_back(coupling.name);
  EXPECT_EQ(modules, (std::vector<std::string>{"first-A", "first-frame", "first-B", "link", "second-A",
                                               "second-frame", "second-B"}));
  EXPECT_EQ(couplings,
            (std::vector<std::string>{"first-left", "first-frame_starboard-B_port", "second-left",
                                      "second-frame_starboard-B_port", "first-B_starboard-link_port"}));
  EXPECT_EQ(fleet.clusters(), (std::vector<std::vector<std::size_t>>{{0, 1, 2, 3}, {4, 5, 6}}));
  expect_pose(fleet, 3, {0, 1.161, 0}, {0, 0, 0});
  expect_pose(fleet, 6, {0, 10 - 0.774, 0}, {0, 0, 180});
}

TEST(NestedAssemblies, InACycleAreRefusedWithTheCycle) {
  TemporaryFolder folder;
  const auto of = [&](const std::string& name, const std::string& inner) {
    spill(folder / (name + ".yaml"), "format: fathom-robot-1\nname: " + name +
                                         "\nassembly:\n  modules: [{name: x, robot: " + inner + "}]\n");
  };
  of("a", "b.yaml");
  of("b", "./c.yaml");
  of("c", "../" + folder.path().filename().string() + "/a.yaml");
  try {
    read_assembly(folder / "a.yaml", folders);
    ADD_FAILURE() << "it loads";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(
        text.find("closes a cycle of files: a.yaml -> b.yaml -> c.yaml -> a.yaml (an assembly cannot be a "
                  "module of itself)"),
        std::string::npos)
        << text;
    EXPECT_EQ(text.find((folder / "a.yaml").string() + ":4: assembly.modules[0].robot cannot be used: "), 0u)
        << text;
  }
}

TEST(NestedAssemblies, ThatMultiplyAreCutOff) {
  TemporaryFolder folder;
  // Each has ten of the one before: 10^k modules.
  const auto of = [&](const std::string& name, const std::string& inner, int count) {
    std::string text = "format: fathom-robot-1\nname: " + name + "\nassembly:\n  modules:\n";
    for (int k = 0; k < count; ++k)
      text += fmt::format("    - {{name: m{}, robot: {}, position: [{}, 0, 0]}}\n", k, inner, k);
    spill(folder / (name + ".yaml"), text);
  };
  of("l0", "nielsen-table-3-3", 10);
  for (int level = 1; level < 12; ++level)
    of("l" + std::to_string(level), "l" + std::to_string(level - 1) + ".yaml", 10);
  const std::string text =
      error_text("format: fathom-robot-1\nname: top\nassembly: {modules: [{name: m, robot: l11.yaml}]}\n",
                 folder / "top.yaml");
  EXPECT_NE(text.find("cannot be used"), std::string::npos) << text;
  of("deep0", "nielsen-table-3-3", 1);
  for (int level = 1; level < 40; ++level)
    of("deep" + std::to_string(level), "deep" + std::to_string(level - 1) + ".yaml", 1);
  const std::string deep =
      error_text("format: fathom-robot-1\nname: top\nassembly: {modules: [{name: m, robot: deep39.yaml}]}\n",
                 folder / "top.yaml");
  EXPECT_NE(deep.find("is nested deeper than 16 files"), std::string::npos) << deep;
}

TEST(NestedAssemblies, MakeNoMoreModulesThanOneFileMay) {
  TemporaryFolder folder;
  std::string text = "format: fathom-robot-1\nname: row\nassembly:\n  modules:\n";
  for (int k = 0; k < 1500; ++k) text += fmt::format("    - {{name: m{}, robot: nielsen-table-3-3}}\n", k);
  spill(folder / "row.yaml", text);
  EXPECT_EQ(
      error_text("format: fathom-robot-1\nname: rows\nassembly:\n  modules:\n    - {name: a, robot: row.yaml}\n"
                 "    - {name: b, robot: row.yaml}\n    - {name: c, robot: row.yaml}\n    - {name: d, robot: "
                 "row.yaml}\n"
                 "  couplings: [{between: [c-m0.rod, d-m1.rod]}]\n",
                 folder / "top.yaml"),
      (folder / "top.yaml").string() +
          ":7: assembly.modules[2] makes 4500 modules of this assembly, at most 4096 (nested assemblies count "
          "with all their modules)");
}

TEST(NestedAssemblies, AreWrongWhereTheyAreWrong) {
  TemporaryFolder folder;
  spill(folder / "pair.yaml", with(pair_file, "A.starboard", "A.starbord"));
  const std::string use =
      "format: fathom-robot-1\nname: top\nassembly:\n  modules:\n"
      "    - {name: one, robot: pair.yaml}\n    - {name: two, robot: pair.yaml}\n"
      "  couplings: [{between: [one-A.port, two-B.starboard]}]\n";
  EXPECT_EQ(error_text(use, folder / "top.yaml"),
            (folder / "top.yaml").string() +
                ":5: assembly.modules[0].robot cannot be used: " + (folder / "pair.yaml").string() +
                ":10: assembly.couplings[0].between[0] = 'A.starbord': module 'A' has no connector 'starbord' "
                "(did you "
                "mean A.starboard? A has bow, stern, port, starboard)");
  spill(folder / "pair.yaml", pair_file);
  EXPECT_EQ(error_text(with(use, "one-A.port", "one.port"), folder / "top.yaml"),
            (folder / "top.yaml").string() +
                ":7: assembly.couplings[0].between[0] = 'one.port': there is no module 'one' (one is an "
                "assembly: name "
                "one of its modules, such as one-A)");
  EXPECT_EQ(
      error_text(with(use, "one-A.port", "two-A.port"), folder / "top.yaml")
          .substr(folder.path().string().size()),
      "/top.yaml:7: assembly.couplings[0] 'two-A_port-two-B_starboard' does not close the loop two-A - "
      "two-frame - "
      "two-B - two-A: two-B.starboard is 1104.0 mm and 0.00 degrees from two-A.port; at most 1.00 mm and 0.57 "
      "degrees (look at the connectors and turn_deg of the loop, or leave one of its couplings out)");
}

// --- what is wrong with a file

TEST(AssemblyFileErrors, NameTheNearestConnector) {
  EXPECT_EQ(changed("frame.port", "frame.prot"),
            "bad.yaml:10: assembly.couplings[0].between[1] = 'frame.prot': module 'frame' has no connector "
            "'prot' (did "
            "you mean frame.port? frame has port, starboard)");
  EXPECT_EQ(
      changed("frame.port", "frame.keel"),
      "bad.yaml:10: assembly.couplings[0].between[1] = 'frame.keel': module 'frame' has no connector 'keel' "
      "(frame has port, starboard)");
  EXPECT_EQ(changed("{name: B, robot: nielsen-bluerov}", "{name: B, robot: nielsen-table-3-3}"),
            "bad.yaml:11: assembly.couplings[1].between[1] = 'B.port': module 'B' has no connector 'port' (B "
            "has none: "
            "give it some under connectors)");
}

TEST(AssemblyFileErrors, NameTheNearestModule) {
  EXPECT_EQ(
      changed("frame.port", "fram.port"),
      "bad.yaml:10: assembly.couplings[0].between[1] = 'fram.port': there is no module 'fram' (did you mean "
      "frame?)");
  EXPECT_EQ(changed("frame.port", "hub.port"),
            "bad.yaml:10: assembly.couplings[0].between[1] = 'hub.port': there is no module 'hub' (there are "
            "A, frame, "
            "B)");
  EXPECT_EQ(
      changed("[A.starboard, frame.port]", "[A, frame.port]"),
      "bad.yaml:10: assembly.couplings[0].between[0] = 'A', expected module.connector (such as A.starboard)");
  EXPECT_EQ(changed("[A.starboard, frame.port]", "[A.starboard]"),
            "bad.yaml:10: assembly.couplings[0].between must be two connectors ([A.starboard, B.port])");
}

TEST(AssemblyFileErrors, NameTheNearestRobotAndMissNothingElse) {
  EXPECT_EQ(changed("{name: frame, robot: nielsen-connector}", "{name: frame, robot: nielsen-conector}"),
            "bad.yaml:7: assembly.modules[1].robot cannot be found: there is no robot 'nielsen-conector' (did "
            "you mean "
            "nielsen-connector?)");
  EXPECT_EQ(
      changed("{name: frame, robot: nielsen-connector}", "{name: frame, robot: ./frame.yaml}"),
      "bad.yaml:7: assembly.modules[1].robot = './frame.yaml', which does not exist (a path is meant from the "
      "folder of this file)");
}

TEST(AssemblyFileErrors, TellTheLinesOfWhatDoesNotFit) {
  EXPECT_EQ(
      changed("{between: [frame.starboard, B.port]}", "{between: [A.starboard, B.port]}"),
      "bad.yaml:11: assembly.couplings[1] 'A_starboard-B_port' uses A.starboard, which 'left' uses already (a "
      "connector takes one other; give the module another connector)");
  EXPECT_EQ(
      changed("{between: [frame.starboard, B.port]}", "{name: own, between: [B.starboard, B.port]}"),
      "bad.yaml:11: assembly.couplings[1] 'own' couples B with itself (between: connectors of two modules)");
  EXPECT_EQ(changed("{name: B, robot: nielsen-bluerov}", "{name: A, robot: nielsen-bluerov}").substr(0, 87),
            "bad.yaml:11: assembly.couplings[1].between[1] = 'B.port': there is no module 'B' (there");
  EXPECT_EQ(
      error_text(with(with(pair_file, "{name: B, robot: nielsen-bluerov}", "{name: A, robot: nielsen-bluerov}"),
                      "    - {between: [frame.starboard, B.port]}\n", "")),
      "bad.yaml:8: assembly.modules[2].name = 'A' is used twice (give each a name of its own)");
  EXPECT_EQ(
      changed("{name: B, robot: nielsen-bluerov}",
              "{name: B, robot: nielsen-bluerov, position: [0, 0.786, 0], attitude_deg: [0, 0, 2]}"),
      "bad.yaml:11: assembly.couplings[1] 'frame_starboard-B_port' does not close: B.port, as B is placed, is "
      "13.4 "
      "mm and 2.00 degrees from frame.starboard; at most 1.00 mm and 0.57 degrees (leave out position and "
      "attitude of B: they follow from the coupling)");
  EXPECT_EQ(changed("    - {between: [frame.starboard, B.port]}\n", "  one_cluster: true\n"),
            "bad.yaml:8: assembly.modules[2] 'B' floats free: no coupling leads from it to 'A', and "
            "one_cluster is true "
            "(couple it, such as between: [A.bow, B.bow])");
  EXPECT_EQ(changed("{name: B, robot: nielsen-bluerov}",
                    "{name: B, robot: nielsen-bluerov, connectors: [{name: port}]}"),
            "bad.yaml:8: assembly.modules[2].connectors[4].name = 'port': B has a connector of that name "
            "already (its "
            "robot's file may have it; give each a name of its own)");
}

TEST(AssemblyFileErrors, TellWhatTheFormForbids) {
  EXPECT_EQ(error_text("format: fathom-robot-1\nname: none\nassembly: {modules: []}\n"),
            "bad.yaml:3: assembly.modules is empty (at least one {name: A, robot: bluerov2-heavy})");
  EXPECT_EQ(error_text("format: fathom-robot-1\nname: none\nassembly: {}\n"),
            "bad.yaml:3: assembly lacks the key modules (a list of {name: A, robot: bluerov2-heavy})");
  EXPECT_EQ(
      changed("title: Two\n", "hull: {mass: 5}\n"),
      "bad.yaml:3: hull stands beside assembly (an assembly has none of its own; its modules' files have)");
  EXPECT_EQ(
      error_text(model::test::small_file()),
      "bad.yaml:1: the key assembly is missing (modules, couplings; a robot alone: 'fathom models' shows it)");
  EXPECT_EQ(changed("  modules:", "  module:"),
            "bad.yaml:4: assembly lacks the key modules (a list of {name: A, robot: bluerov2-heavy})\n"
            "bad.yaml:5: assembly has the unknown key 'module' (did you mean modules?)");
  EXPECT_EQ(changed("  couplings:", "  coupling:\n  couplings:"),
            "bad.yaml:9: assembly has the unknown key 'coupling' (did you mean couplings?)");
  EXPECT_EQ(changed("title: Two\n", "title: Two\nnames: [A]\n"),
            "bad.yaml:4: unknown key 'names' (did you mean name?)");
  EXPECT_EQ(changed("frame.port]}", "frame.port], turn_deg: .nan}"),
            "bad.yaml:10: assembly.couplings[0].turn_deg = .nan, must be finite (measure it, or leave the key "
            "out if it "
            "is optional)");
  EXPECT_EQ(changed("name: pair", "name: a pair"),
            "bad.yaml:2: name = 'a pair', expected at most 64 letters, digits, - and _, a letter or digit "
            "first (names "
            "become file names)");
  EXPECT_EQ(changed("format: fathom-robot-1", "format: fathom-scenario-1"),
            "bad.yaml:1: format = 'fathom-scenario-1': this is a scenario, not a robot (fathom simulate)");
  EXPECT_EQ(changed("{name: B, robot: nielsen-bluerov}",
                    "{name: B, robot: nielsen-bluerov, position: [0, 0, 0], attitude: [0, 0, 0], attitude_deg: "
                    "[0, 0, 0]}"),
            "bad.yaml:8: assembly.modules[2].attitude_deg stands beside attitude (give one of them)");
  EXPECT_EQ(
      changed("{name: B, robot: nielsen-bluerov}", "{name: B, robot: nielsen-bluerov, attitude: [0, 0, 1]}"),
      "bad.yaml:8: assembly.modules[2].attitude stands without position (a module has both, or neither: then "
      "they "
      "follow from the couplings)");
}

TEST(AssemblyFileErrors, CutOffWhatNobodyWroteByHand) {
  std::string many = "format: fathom-robot-1\nname: many\nassembly: {modules: [";
  for (int k = 0; k < 100000; ++k) many += "{},";
  EXPECT_EQ(error_text(many + "]}\n"),
            "bad.yaml:3: assembly.modules has 100000 entries, at most 4096 (several assemblies?)");
  // Aliases: a few bytes each, and a long list behind every one.
  std::string bomb =
      "format: fathom-robot-1\nname: bomb\nassembly:\n  modules:\n    - name: m\n      robot: rexrov\n"
      "      connectors: &long [";
  for (int k = 0; k < 9000; ++k) bomb += fmt::format("{{name: c{}}},", k);
  bomb += "]\n";
  for (int k = 0; k < 3000; ++k)
    bomb += fmt::format("    - {{name: m{}, robot: rexrov, connectors: *long}}\n", k);
  EXPECT_EQ(error_text(bomb).substr(0, 88),
            "bad.yaml:8: assembly.modules[1].connectors has 9000 entries, at most 7384 (several assem");
  std::string wrong = pair_file;
  for (int k = 0; k < 10000; ++k) wrong += fmt::format("    - {{between: [nobody{}.port, B.starboard]}}\n", k);
  EXPECT_NE(error_text(wrong).find(
                "assembly.couplings has more entries, which were not read (mend those above first)"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom::assembly::assembly_file_test
