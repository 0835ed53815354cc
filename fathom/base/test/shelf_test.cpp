#include "fathom/base/shelf.hpp"

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"

namespace fathom::shelf_test {
namespace {

TEST(Shelf, TellsPathsFromNames) {
  EXPECT_TRUE(is_path("./tank"));
  EXPECT_TRUE(is_path("tank.yaml"));
  EXPECT_FALSE(is_path("tank"));
  EXPECT_FALSE(is_path("tank.yml"));
}

TEST(Shelf, RefusesANameWithTheNearestOrTheList) {
  const auto text_of = [](const std::string& name) {
    try {
      refuse_name("tank", name, {"pool", "pond"}, "there are two");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(text_of("pol"), "there is no tank 'pol' (did you mean pool?)");
  EXPECT_EQ(text_of("aquarium"), "there is no tank 'aquarium' (there are two)");
}

}  // namespace
}  // namespace fathom::shelf_test
