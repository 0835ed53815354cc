#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fathom/base/text.hpp"

namespace fathom::joined_test {
namespace {

TEST(Joined, StandsBetweenWordsAndNowhereElse) {
  EXPECT_EQ(joined(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(joined(std::vector<std::string>{"surge"}, ", "), "surge");
  EXPECT_EQ(joined(std::vector<std::string>{"surge", "", "yaw"}, ", "), "surge, , yaw");
  EXPECT_EQ(joined(std::array<std::string_view, 3>{"a", "b", "c"}, " -> "), "a -> b -> c");
}

}  // namespace
}  // namespace fathom::joined_test
