// With first_unit_test.cpp: helpers of two files of one large unit may have the same name.
#include <gtest/gtest.h>

namespace fathom {
namespace {
namespace FATHOM_UNIT {

constexpr const char* name = "second";
int helper() { return 2; }

}  // namespace FATHOM_UNIT
}  // namespace

TEST(Unit, SecondFileHasHelpersOfItsOwn) {
  EXPECT_STREQ(FATHOM_UNIT::name, "second");
  EXPECT_EQ(FATHOM_UNIT::helper(), 2);
}

}  // namespace fathom
