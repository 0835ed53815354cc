#include "fathom/model/dof.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace fathom::model::dof_test {
namespace {

std::vector<std::string_view> free_names(Dof dof) {
  std::vector<std::string_view> names;
  for (const int index : free_indices(dof)) names.push_back(dof_name(index));
  return names;
}

TEST(Dof, FreesTheVelocitiesThatItsNameCounts) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(free_names(Dof::three), (Names{"surge", "sway", "yaw"}));
  EXPECT_EQ(free_names(Dof::four), (Names{"surge", "sway", "heave", "yaw"}));
  EXPECT_EQ(free_names(Dof::six), (Names{"surge", "sway", "heave", "roll", "pitch", "yaw"}));
}

TEST(Dof, HoldsTheOthers) {
  EXPECT_TRUE(is_free(Dof::three, 5));
  EXPECT_FALSE(is_free(Dof::three, 2));
  EXPECT_FALSE(is_free(Dof::four, 3));
  EXPECT_TRUE(is_free(Dof::six, 3));
  EXPECT_FALSE(is_free(Dof::six, 6));
  EXPECT_FALSE(is_free(Dof::six, -1));
}

}  // namespace
}  // namespace fathom::model::dof_test
