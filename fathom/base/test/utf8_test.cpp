#include "fathom/base/utf8.hpp"

#include <gtest/gtest.h>

namespace fathom::utf8_test {
namespace {

TEST(Utf8, FindsTheFirstByteThatIsNoText) {
  EXPECT_EQ(find_invalid_utf8(""), std::string::npos);
  EXPECT_EQ(find_invalid_utf8("m\xc3\xb6we \xe2\x82\xac \xf0\x9f\x90\x9f\n\t\x7f\xc2\x85"), std::string::npos);
  EXPECT_EQ(find_invalid_utf8("m\xf6we"), 1u);         // Latin-1
  EXPECT_EQ(find_invalid_utf8("ab\xc0\xaf"), 2u);      // over-long
  EXPECT_EQ(find_invalid_utf8("ab\xe0\x80\xaf"), 2u);  // over-long
  EXPECT_EQ(find_invalid_utf8("\xed\xa0\x80"), 0u);    // half of a pair of UTF-16
  EXPECT_EQ(find_invalid_utf8("\xf4\x90\x80\x80"), 0u);
  EXPECT_EQ(find_invalid_utf8("abc\xe2\x82"), 3u);  // cut off
}

TEST(Utf8, EscapesWhatIsNoText) {
  EXPECT_EQ(as_utf8("m\xc3\xb6we"), "m\xc3\xb6we");
  EXPECT_EQ(as_utf8("m\xf6we\xff"), "m\\xf6we\\xff");
}

}  // namespace
}  // namespace fathom::utf8_test
