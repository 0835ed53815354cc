#include <string>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/base/text.hpp"

namespace fathom {
namespace {

TEST(InQuotes, LeavesPlainWordsAlone) {
  EXPECT_EQ(in_quotes("13.5 kg"), "'13.5 kg'");
  EXPECT_EQ(in_quotes(""), "''");
}

TEST(InQuotes, LeavesPrintableUtf8Alone) { EXPECT_EQ(in_quotes("Tiefe Süd µ"), "'Tiefe Süd µ'"); }

TEST(InQuotes, EscapesControlAndStrayBytes) {
  EXPECT_EQ(in_quotes(std::string("a\0b", 3)), "'a\\x00b'");
  EXPECT_EQ(in_quotes("a\nb\tc\x7f"), "'a\\x0ab\\x09c\\x7f'");
  EXPECT_EQ(in_quotes("\xff\xfe"), "'\\xff\\xfe'");
}

TEST(InQuotes, ShowsFortyCharactersAndCutsTheRest) {
  EXPECT_EQ(in_quotes(std::string(40, 'a')), "'" + std::string(40, 'a') + "'");
  EXPECT_EQ(in_quotes(std::string(41, 'a')), "'" + std::string(40, 'a') + "...'");
}

TEST(InQuotes, OfRandomBytesIsShortAndOnOneLine) {
  RandomStream random(1, "in_quotes");
  for (int k = 0; k < 20000; ++k) {
    std::string bytes(static_cast<std::size_t>(random.uniform(0, 300)), ' ');
    for (char& c : bytes) c = static_cast<char>(random.next() & 0xff);
    const std::string text = in_quotes(bytes);
    ASSERT_LE(text.size(), 50u) << k;
    ASSERT_GE(text.size(), 2u) << k;
    ASSERT_EQ(text.front(), '\'');
    ASSERT_EQ(text.back(), '\'');
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      ASSERT_TRUE(byte >= 0x20 && byte != 0x7f) << "control byte in the text for input " << k;
    }
    if (bytes.size() > 50) {
      ASSERT_EQ(text.substr(text.size() - 4), "...'") << k;
    }
  }
}

}  // namespace
}  // namespace fathom
