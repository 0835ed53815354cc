#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fathom/base/text.hpp"

namespace fathom::join_test {
namespace {

TEST(Join, StandsBetweenWordsAndNowhereElse) {
  EXPECT_EQ(join(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(join(std::vector<std::string>{"surge"}, ", "), "surge");
  EXPECT_EQ(join(std::vector<std::string>{"surge", "", "yaw"}, ", "), "surge, , yaw");
  EXPECT_EQ(join(std::array<std::string_view, 3>{"a", "b", "c"}, " -> "), "a -> b -> c");
}

}  // namespace
}  // namespace fathom::join_test
