#include <string>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/base/text.hpp"

namespace fathom::in_quotes_test {
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

TEST(InQuotes, DoesNotCutACharacterInTwo) {
  std::string umlauts;
  for (int k = 0; k < 50; ++k) umlauts += "ü";
  EXPECT_EQ(in_quotes("a" + umlauts), "'a" + umlauts.substr(0, 38) + "...'");
}

TEST(Printable, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(printable("ab é 深 🤖"), "ab é 深 🤖");
  EXPECT_EQ(printable("\xc3"), "\\xc3") << "cut off";
  EXPECT_EQ(printable("\xc0\x80"), "\\xc0\\x80") << "over-long";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a surrogate pair";
  EXPECT_EQ(printable("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80") << "beyond Unicode";
  EXPECT_EQ(printable("\xc2\x85"), "\\xc2\\x85") << "a control character of two bytes";
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

TEST(Trimmed, LeavesWhatIsNotBlankAtBothEnds) {
  EXPECT_EQ(trimmed(" \ta b\t "), "a b");
  EXPECT_EQ(trimmed(" \t"), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("a\n"), "a\n");
  EXPECT_EQ(trimmed("a\n", " \n"), "a");
}

}  // namespace
}  // namespace fathom::in_quotes_test
