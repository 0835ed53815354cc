#include "fathom/base/search_path.hpp"

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/base/test/temporary_folder.hpp"

namespace fathom::search_path_test {
namespace {

using test::error_text;
using test::spill;
using test::TemporaryFolder;
using Paths = std::vector<std::filesystem::path>;

TEST(SearchPath, ListsTheFilesOfAFolderByName) {
  const TemporaryFolder folder;
  for (const char* name : {"b.yaml", "a.yaml", "c.yml", "notes.md", "robot.schema.json", ".yaml"})
    spill(folder / name, "");
  std::filesystem::create_directory(folder / "folder.yaml");
  EXPECT_EQ(list_files({folder.path()}), (Paths{folder / "a.yaml", folder / "b.yaml"}));
  EXPECT_EQ(list_names({folder.path()}), (std::vector<std::string>{"a", "b"}));
}

TEST(SearchPath, PrefersTheFirstFolder) {
  const TemporaryFolder own, shipped;
  spill(own / "b.yaml", "");
  spill(shipped / "a.yaml", "");
  spill(shipped / "b.yaml", "");
  const SearchPath search_path{"tank", {own.path(), shipped.path()}},
      turned{"tank", {shipped.path(), own.path()}};
  EXPECT_EQ(list_files(search_path.folders), (Paths{shipped / "a.yaml", own / "b.yaml"}));
  EXPECT_EQ(find_file(search_path, "b"), own / "b.yaml");
  EXPECT_EQ(find_file(turned, "b"), shipped / "b.yaml");
  EXPECT_EQ(find_file(search_path, "a"), shipped / "a.yaml");
}

TEST(SearchPath, PassesOverFoldersThatAreNotThere) {
  const TemporaryFolder folder;
  spill(folder / "a.yaml", "");
  EXPECT_EQ(list_files({"/nowhere/at/all", folder.path()}), Paths{folder / "a.yaml"});
  EXPECT_TRUE(list_files({}).empty());
}

TEST(SearchPath, TakesWhatLooksLikeAPathForAPath) {
  const TemporaryFolder folder;
  spill(folder / "mine.yaml", "");
  const SearchPath search_path{"tank", {folder.path()}}, arms{"arm", {folder.path()}, "", ".urdf"};
  EXPECT_EQ(find_file(search_path, "mine.yaml"), "mine.yaml") << "in the current folder";
  EXPECT_EQ(find_file(search_path, "./mine"), "./mine");
  EXPECT_EQ(find_file(search_path, "/a/b"), "/a/b");
  EXPECT_EQ(find_file(arms, "mine.urdf"), "mine.urdf");
}

TEST(SearchPath, RefusesANameWithTheNearestOrTheList) {
  const TemporaryFolder folder;
  spill(folder / "pool.yaml", "");
  spill(folder / "pond.yaml", "");
  const auto rejected = [&](const SearchPath& search_path, const std::string& name) {
    return error_text([&] { find_file(search_path, name); });
  };
  const SearchPath search_path{"tank", {folder.path()}}, arms{"arm", {folder.path()}, "", ".urdf"};
  EXPECT_EQ(rejected(search_path, "pol"), "there is no tank 'pol' (did you mean pool?)");
  EXPECT_EQ(rejected(search_path, "aquarium"),
            "there is no tank 'aquarium' (known: pond, pool; a path must hold a '/' or end in .yaml)");
  EXPECT_EQ(rejected(arms, "mine.urd"),
            "there is no arm 'mine.urd' (known: pond, pool; a path must hold a '/' or end in .yaml or .urdf)");
}

TEST(SearchPath, SaysWhereItLookedIfThereIsNothing) {
  EXPECT_EQ(error_text([] {
              find_file({"tank", {"/nowhere", "/either"}, "TANKS"}, "pool");
            }),
            "there is no tank 'pool' (there is none in /nowhere, /either; set TANKS)");
  EXPECT_EQ(error_text([] {
              find_file({"tank", {}}, "pool");
            }),
            "there is no tank 'pool' (there is no folder to look in)");
}

}  // namespace
}  // namespace fathom::search_path_test
