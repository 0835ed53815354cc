#include <array>
#include <string>

#include <gtest/gtest.h>

#include "fathom/base/text.hpp"

namespace fathom::nearest_word_test {
namespace {

constexpr std::array<std::string_view, 5> keys = {"mass", "inertia", "centre_of_mass", "volume", "added_mass"};

TEST(NearestWord, IsTheWordItself) { EXPECT_EQ(nearest_word("volume", keys), "volume"); }

TEST(NearestWord, ForgivesOneInsertionDeletionReplacementOrSwap) {
  EXPECT_EQ(nearest_word("volumee", keys), "volume");
  EXPECT_EQ(nearest_word("volme", keys), "volume");
  EXPECT_EQ(nearest_word("volune", keys), "volume");
  EXPECT_EQ(nearest_word("voulme", keys), "volume");
  EXPECT_EQ(nearest_word("maas", keys), "mass");
}

TEST(NearestWord, CountsASwapOfNeighboursAsOneEdit) {
  constexpr std::array<std::string_view, 1> one = {"abc"};
  EXPECT_EQ(nearest_word("acb", one), "abc");  // one swap; as two replacements it would be too far
  EXPECT_EQ(nearest_word("bca", one), "");     // two edits of three letters
}

TEST(NearestWord, TakesTheClosestOfSeveral) {
  constexpr std::array<std::string_view, 3> near = {"linear_ab", "linear_a", "linear"};
  EXPECT_EQ(nearest_word("linear_x", near), "linear_a");
}

TEST(NearestWord, DoesNotCareAboutCase) {
  EXPECT_EQ(nearest_word("VOLUME", keys), "volume");
  constexpr std::array<std::string_view, 1> upper = {"NED"};
  EXPECT_EQ(nearest_word("ned", upper), "NED");
}

TEST(NearestWord, IsNothingIfAllAreFar) {
  EXPECT_EQ(nearest_word("thruster", keys), "");
  EXPECT_EQ(nearest_word("xy", keys), "");
  EXPECT_EQ(nearest_word("mass", std::span<const std::string_view>{}), "");
}

TEST(NearestWord, AllowsOneEditForEveryThreeLetters) {
  constexpr std::array<std::string_view, 1> word = {"centre_of_mass"};
  EXPECT_EQ(nearest_word("center_of_mass", word), "centre_of_mass");
  EXPECT_EQ(nearest_word("xxxxre_of_mass", word), "centre_of_mass");  // 4 of 14
  EXPECT_EQ(nearest_word("xxxxxx_of_mass", word), "");                // 6 of 14
}

TEST(NearestWord, IsNothingForNoWordAndForOneThatIsTooLong) {
  EXPECT_EQ(nearest_word("", keys), "");
  const std::string longest(64, 'a'), too_long(65, 'a');
  const std::array<std::string_view, 1> same = {longest}, same_again = {too_long};
  EXPECT_EQ(nearest_word(longest, same), longest);
  EXPECT_EQ(nearest_word(too_long, same_again), "");
}

TEST(NearestWord, DoesNotTakeOneLetterForAnotherLetter) {
  constexpr std::array<std::string_view, 3> letters = {"u", "v", "w"};
  EXPECT_EQ(nearest_word("x", letters), "");  // nothing of the word is left
  EXPECT_EQ(nearest_word("V", letters), "v");
}

TEST(DidYouMean, NamesTheNearestOrSaysWhatElseItIsTold) {
  EXPECT_EQ(did_you_mean("volme", keys, "see the manual"), "did you mean volume?");
  EXPECT_EQ(did_you_mean("thruster", keys, "see the manual"), "see the manual");
  EXPECT_EQ(did_you_mean("thruster", keys), "");
}

}  // namespace
}  // namespace fathom::nearest_word_test
