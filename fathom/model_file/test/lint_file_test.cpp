#include <gtest/gtest.h>

#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/model_file/robot_spec_file.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::lint_file_test {
namespace {

using fathom::test::spill;
using fathom::test::TemporaryFolder;

/// What lint says of a file with this text, a line each, without the folder; "loads" or "does not load" first.
std::string lint(const std::string& text) {
  const TemporaryFolder folder;
  spill(folder / "f.yaml", text);
  const RobotSpecFile result = read_robot_spec(folder / "f.yaml", Environment());
  std::string lines = result.loads ? "loads" : "does not load";
  for (Finding finding : result.findings) {
    EXPECT_EQ(finding.file, (folder / "f.yaml").string());
    finding.file = "f.yaml";
    lines += "\n" + to_string(finding.severity) + ": " + finding.text();
  }
  return lines;
}

TEST(LintRobotFile, GivesTheLinesOfWhatIsOdd) {
  const std::string text = test::with(test::with(test::small_file(), "hull:\n", "hull:\n  source: tank\n"),
                                      "  - name: hull\n", "  - name: hull\n    source: tank\n");
  EXPECT_EQ(lint(text), "loads");
  EXPECT_EQ(
      lint(test::with(test::small_file(), "hull:\n", "hull:\n  source: tank\n")),
      "loads\nnote: f.yaml:13: damping[0].linear and 1 more have no source (say where each number comes from: "
      "source: or assumed:)");
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
    const RobotSpecFile result = read_robot_spec(path, Environment());
    EXPECT_FALSE(result.loads);
    EXPECT_EQ(result.findings.size(), 1u);
  }
}

TEST(LintRobotFile, FindsNoErrorInAnyRobotThatShipsWithFathom) {
  for (const auto& file : test::all_robot_files()) {
    const RobotSpecFile result = read_robot_spec(file, Environment());
    EXPECT_TRUE(result.loads) << file;
    EXPECT_FALSE(has_errors(result.findings)) << file;
  }
}

}  // namespace
}  // namespace fathom::model::lint_file_test
