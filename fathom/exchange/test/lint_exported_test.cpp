// Lint of what Fathom exports: silent as it is, and each fault that is planted in the text is told at its line
// and tag.
#include <gtest/gtest.h>

#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/exchange/export.hpp"
#include "fathom/exchange/test/lint_case.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::exchange::lint_exported_test {
namespace {

using test::lines_of;

LintedFile lint_text(const std::string& text, const std::string& name) {
  const fathom::test::TemporaryFolder folder;
  fathom::test::spill(folder / name, text);
  return lint_file(folder / name);
}

std::string exported_text(const std::string& robot, Format format) {
  const model::Robot read = model::read_robot(FATHOM_ROBOTS_DIR "/" + robot + ".yaml");
  return export_robot(read, format).files.front().text;
}

/// Errors and warnings of a robot's own files; what it cannot hold is a note.
std::string error_texts(const LintedFile& linted) {
  std::string text;
  for (const LintFinding& finding : linted.findings)
    if (finding.severity != Severity::note) text += finding.text() + " [" + finding.rule + "]\n";
  return text;
}

TEST(LintExported, NothingIsWrongWithWhatFathomWrites) {
  for (const model::Robot& robot : model::test::all_robots())
    for (const auto& [format, name] :
         {std::pair(Format::gz_sim, "model.sdf"), {Format::uuv_simulator, "model.urdf"}}) {
      const fathom::test::TemporaryFolder folder;
      const auto files = write_exported(export_robot(robot, format), folder.path());
      const LintedFile linted = lint_file(files.front());
      EXPECT_TRUE(linted.reads) << robot.name() << " " << name << lines_of(linted.findings);
      EXPECT_EQ(error_texts(linted), "") << robot.name() << " " << name;
    }
}

struct TextFault {
  const char* name;
  Format format;
  const char *from, *to;
  const char *rule, *tag;
};

const TextFault text_faults[] = {
    {"damping that drives", Format::gz_sim, "<zWabsW>-190</zWabsW>", "<zWabsW>190</zWabsW>", "damping-sign",
     "zWabsW"},
    {"negative added mass", Format::gz_sim, "<zz>18.68</zz>", "<zz>-18.68</zz>", "added-mass-sign", "zz"},
    {"added mass with a moved point", Format::gz_sim, "<zz>18.68</zz>", "<zz>1868</zz>", "scale-added-mass",
     "zz"},
};

TEST(LintExported, FaultsInTheTextAreToldAtTheirLineAndTag) {
  for (const TextFault& fault : text_faults) {
    const std::string good = exported_text("bluerov2-heavy", fault.format);
    ASSERT_NE(good.find(fault.from), std::string::npos) << fault.name << "\n" << good.substr(0, 3000);
    const std::string spoilt = model::test::with(good, fault.from, fault.to);
    const LintedFile linted = lint_text(spoilt, "model.sdf");
    const LintFinding* found = test::found_by(linted.findings, fault.rule);
    ASSERT_NE(found, nullptr) << fault.name << "\n" << lines_of(linted.findings);
    const auto line =
        1 + std::count(spoilt.begin(), spoilt.begin() + static_cast<long>(spoilt.find(fault.to)), '\n');
    EXPECT_EQ(found->line, line) << fault.name;
    EXPECT_EQ(found->tag, fault.tag) << fault.name;
  }
}

/// TAM.yaml beside the model of UUV Simulator.
TEST(LintExported, AnAllocationMatrixOfOtherPosesIsTold) {
  const fathom::test::TemporaryFolder folder;
  Exported exported = export_robot(model::read_robot(FATHOM_ROBOTS_DIR "/rexrov.yaml"), Format::uuv_simulator);
  bool planted = false;
  for (ExportedFile& file : exported.files)
    if (file.name.ends_with("TAM.yaml")) {
      const std::size_t at = file.text.find("0.70710");
      ASSERT_NE(at, std::string::npos) << file.text;
      file.text.replace(at, 7, "0.30710");
      planted = true;
    }
  ASSERT_TRUE(planted);
  const LintedFile linted = lint_file(write_exported(exported, folder.path()).front());
  const LintFinding* found = test::found_by(linted.findings, "allocation");
  ASSERT_NE(found, nullptr) << lines_of(linted.findings);
  EXPECT_EQ(found->tag, "tam");
  EXPECT_TRUE(found->file.ends_with("TAM.yaml")) << found->file;
}

}  // namespace
}  // namespace fathom::exchange::lint_exported_test
