// With second_unit_test.cpp: helpers of two files of one large unit may have the same name.
#include <gtest/gtest.h>

namespace fathom {
namespace {
namespace FATHOM_UNIT {

constexpr const char* name = "first";
int helper() { return 1; }

}  // namespace FATHOM_UNIT
}  // namespace

TEST(Unit, FirstFileHasHelpersOfItsOwn) {
  EXPECT_STREQ(FATHOM_UNIT::name, "first");
  EXPECT_EQ(FATHOM_UNIT::helper(), 1);
}

}  // namespace fathom
