#include "fathom/model_file/catalogue.hpp"

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::catalogue_test {
namespace {

using fathom::test::error_text;
using fathom::test::spill;
using fathom::test::TemporaryFolder;

TEST(Catalogue, FindsTheRobotsThatShipWithFathom) {
  EXPECT_EQ(read_robot(find_robot_file("bluerov2-heavy", {FATHOM_ROBOTS_DIR})).name(), "bluerov2-heavy");
  for (const auto& file : test::all_robot_files())
    EXPECT_EQ(find_robot_file(file.stem().string(), {FATHOM_ROBOTS_DIR}), file);
}

TEST(Catalogue, TakesUrdfForAPathOfAnArmOnly) {
  EXPECT_EQ(find_arm_file("mine.urdf", {}), "mine.urdf");
  EXPECT_EQ(find_arm_file("mine.yaml", {}), "mine.yaml");
  EXPECT_EQ(error_text([] { find_arm_file("mine", {"/nowhere"}); }),
            "there is no arm 'mine' (there is none in /nowhere)");
  EXPECT_EQ(error_text([] { find_robot_file("mine.urdf", {"/nowhere"}); }),
            "there is no robot 'mine.urdf' (there is none in /nowhere; set FATHOM_MODELS)");
}

TEST(Catalogue, NamesTheNearestRobot) {
  const TemporaryFolder folder;
  spill(folder / "rexrov.yaml", "");
  spill(folder / "bluerov2-heavy.yaml", "");
  EXPECT_EQ(error_text([&] { find_robot_file("bluerov2heavy", {folder.path()}); }),
            "there is no robot 'bluerov2heavy' (did you mean bluerov2-heavy?)");
  EXPECT_EQ(
      error_text([&] { find_robot_file("submarine", {folder.path()}); }),
      "there is no robot 'submarine' (known: bluerov2-heavy, rexrov; a path must hold a '/' or end in .yaml)");
}

}  // namespace
}  // namespace fathom::model::catalogue_test
