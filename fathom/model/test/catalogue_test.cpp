#include "fathom/model/catalogue.hpp"

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/model/test/robots.hpp"

namespace fathom::model::catalogue_test {
namespace {

using fathom::test::error_text;
using fathom::test::spill;
using fathom::test::TemporaryFolder;
using Paths = std::vector<std::filesystem::path>;

TEST(Catalogue, ListsTheRobotsOfAFolderByName) {
  const TemporaryFolder folder;
  for (const char* name : {"b.yaml", "a.yaml", "c.yml", "notes.md", "robot.schema.json", ".yaml"})
    spill(folder / name, "");
  EXPECT_EQ(list_robot_files({folder.path()}), (Paths{folder / "a.yaml", folder / "b.yaml"}));
}

TEST(Catalogue, PrefersTheFirstFolder) {
  const TemporaryFolder own, shipped;
  spill(own / "b.yaml", "");
  spill(shipped / "a.yaml", "");
  spill(shipped / "b.yaml", "");
  EXPECT_EQ(list_robot_files({own.path(), shipped.path()}), (Paths{shipped / "a.yaml", own / "b.yaml"}));
  EXPECT_EQ(find_robot_file("b", {own.path(), shipped.path()}), own / "b.yaml");
  EXPECT_EQ(find_robot_file("b", {shipped.path(), own.path()}), shipped / "b.yaml");
  EXPECT_EQ(find_robot_file("a", {own.path(), shipped.path()}), shipped / "a.yaml");
}

TEST(Catalogue, PassesOverFoldersThatAreNotThere) {
  const TemporaryFolder folder;
  spill(folder / "a.yaml", "");
  EXPECT_EQ(list_robot_files({"/nowhere/at/all", folder.path()}), Paths{folder / "a.yaml"});
  EXPECT_TRUE(list_robot_files({}).empty());
}

TEST(Catalogue, ListsFilesOnly) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "folder.yaml");
  spill(folder / "a.yaml", "");
  EXPECT_EQ(list_robot_files({folder.path()}), Paths{folder / "a.yaml"});
}

TEST(Catalogue, FindsTheRobotsThatShipWithFathom) {
  EXPECT_EQ(read_robot(find_robot_file("bluerov2-heavy", {FATHOM_MODELS_DIR})).name(), "bluerov2-heavy");
  for (const auto& file : test::all_robot_files())
    EXPECT_EQ(find_robot_file(file.stem().string(), {FATHOM_MODELS_DIR}), file);
}

TEST(Catalogue, TakesWhatLooksLikeAPathForAPath) {
  const TemporaryFolder folder;
  spill(folder / "mine.yaml", "");
  EXPECT_EQ(find_robot_file("mine.yaml", {folder.path()}), "mine.yaml") << "in the current folder";
  EXPECT_EQ(find_robot_file("./mine", {folder.path()}), "./mine");
  EXPECT_EQ(find_robot_file("/a/b", {folder.path()}), "/a/b");
}

TEST(Catalogue, NamesTheNearestRobot) {
  const TemporaryFolder folder;
  spill(folder / "rexrov.yaml", "");
  spill(folder / "bluerov2-heavy.yaml", "");
  EXPECT_EQ(error_text([&] { find_robot_file("bluerov2heavy", {folder.path()}); }),
            "there is no robot 'bluerov2heavy' (did you mean bluerov2-heavy?)");
}

TEST(Catalogue, ListsTheRobotsIfNoneIsNear) {
  const TemporaryFolder folder;
  spill(folder / "rexrov.yaml", "");
  spill(folder / "bluerov2-heavy.yaml", "");
  EXPECT_EQ(
      error_text([&] { find_robot_file("submarine", {folder.path()}); }),
      "there is no robot 'submarine' (known: bluerov2-heavy, rexrov; a path must hold a '/' or end in .yaml)");
}

TEST(Catalogue, SaysWhereItLookedIfThereAreNoRobots) {
  EXPECT_EQ(error_text([] {
              find_robot_file("rexrov", {"/nowhere", "/either"});
            }),
            "there is no robot 'rexrov' (no robots in /nowhere, /either; set FATHOM_MODELS)");
}

}  // namespace
}  // namespace fathom::model::catalogue_test
