#include <gtest/gtest.h>

#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/model/test/robots.hpp"

namespace fathom::model::lint_file_test {
namespace {

using fathom::test::spill;
using fathom::test::TemporaryFolder;

/// What lint says of a file with this text, a line each, without the folder; "loads" or "does not load" first.
std::string lint(const std::string& text) {
  const TemporaryFolder folder;
  spill(folder / "f.yaml", text);
  const LintResult result = lint_robot_file(folder / "f.yaml", Environment());
  std::string lines = result.loads ? "loads" : "does not load";
  for (Finding finding : result.findings) {
    EXPECT_EQ(finding.file, (folder / "f.yaml").string());
    finding.file = "f.yaml";
    lines += "\n" + to_string(finding.severity) + ": " + finding.text();
  }
  return lines;
}

TEST(LintRobotFile, GivesTheLinesOfWhatIsOdd) {
  const std::string text = test::with(test::with(test::small_file, "hull:\n", "hull:\n  source: tank\n"),
                                      "  - name: hull\n", "  - name: hull\n    source: tank\n");
  EXPECT_EQ(lint(text), "loads");
  EXPECT_EQ(
      lint(test::with(text, "volume: 0.0115", "volume: 0.0100")),
      "loads\nwarning: f.yaml:8: hull.volume makes the vehicle sink by 13.0 % of its weight in water of 1000 "
      "kg/m^3 (trimmed vehicles are within 1 to 2 %)");
  EXPECT_EQ(lint(test::with(text, "[6.36, 7.12, ", "[6.36, 0, ")),
            "loads\nnote: f.yaml:10: hull.added_mass[1] is zero (a sphere has half the displaced mass)");
}

TEST(LintRobotFile, GivesTheLineOfDoubtfulDamping) {
  const std::string text = lint(test::changed(
      "[18, 21, 36, 1.5, 1.6, 1.7]",
      "{u: [18, -1, 0, 0, 0, 0], v: [0, 21, 0, 0, 0, 0], w: [0, 0, 36, 0, 0, 0], p: [0, 0, 0, 1, 0, 0]}"));
  EXPECT_TRUE(text.starts_with("loads\nwarning: f.yaml:13: damping[0].quadratic is not proved to dissipate"))
      << text;
}

TEST(LintRobotFile, TellsWhatKeepsAFileFromLoading) {
  EXPECT_EQ(lint(test::changed("11.5\n", "13.5 kg\n")),
            "does not load\nerror: f.yaml:4: hull.mass = '13.5 kg', expected a number in kg (write 13.5 alone; "
            "the unit "
            "is kg)");
  EXPECT_EQ(lint(test::changed("[6.36, ", "[-6.36, ")),
            "does not load\nerror: f.yaml:9: hull.added_mass[0] = -6.36, must be >= 0 (SNAME sign? use "
            "sname_added_mass)");
}

TEST(LintRobotFile, DoesNotThrowForWhatIsNoYamlOrNoFile) {
  EXPECT_TRUE(lint("a: [").starts_with("does not load\nerror: f.yaml:1: is not valid YAML: ")) << lint("a: [");
  const TemporaryFolder folder;
  for (const auto& path : {folder / "none.yaml", folder.path()}) {
    const LintResult result = lint_robot_file(path, Environment());
    EXPECT_FALSE(result.loads);
    EXPECT_EQ(result.findings.size(), 1u);
  }
}

TEST(LintRobotFile, FindsNoErrorInAnyRobotThatShipsWithFathom) {
  for (const auto& file : test::all_robot_files()) {
    const LintResult result = lint_robot_file(file, Environment());
    EXPECT_TRUE(result.loads) << file;
    EXPECT_FALSE(has_errors(result.findings)) << file;
  }
}

}  // namespace
}  // namespace fathom::model::lint_file_test
