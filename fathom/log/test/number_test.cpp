// Every double comes back as the same bits, in the digits that std::to_chars finds.
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/log/internal/csv_header.hpp"

namespace fathom::log::internal::number_test {
namespace {

std::string text_of(double x) {
  char text[number_room];
  return {text, write_number(text, x)};
}

std::uint64_t bits_of_text(const std::string& text) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  EXPECT_TRUE(error == std::errc() && end == text.data() + text.size()) << text;
  return std::bit_cast<std::uint64_t>(x);
}

/// Significant digits, without point, exponent, and zeros at either end.
std::string digits_of(const std::string& text) {
  std::string digits;
  for (const char c : text.substr(0, text.find('e')))
    if (c >= '0' && c <= '9' && (c != '0' || !digits.empty())) digits += c;
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  return digits;
}

void expect_exact_and_shortest(double x) {
  const std::string text = text_of(x);
  ASSERT_EQ(bits_of_text(text), std::bit_cast<std::uint64_t>(x)) << text;
  ASSERT_LE(text.size(), 25u) << text;
  char other[64];
  const std::string check_under(
      other, std::to_chars(other, other + sizeof other, x, std::chars_format::scientific).ptr);
  ASSERT_EQ(digits_of(text), digits_of(check_under)) << text << " and " << check_under;
}

TEST(WriteNumber, RandomBitPatterns) {
  RandomStream random(1, "bits");
  for (int k = 0; k < 300000; ++k) {
    const double x = std::bit_cast<double>(random.next());
    if (std::isfinite(x)) expect_exact_and_shortest(x);
  }
}

TEST(WriteNumber, NumbersOfEverydaySize) {
  RandomStream random(1, "sizes");
  for (int k = 0; k < 300000; ++k)
    expect_exact_and_shortest(random.normal() * std::pow(10, random.uniform(-12, 20)));
}

TEST(WriteNumber, DecimalsOfEveryLength) {
  RandomStream random(1, "decimals");
  for (int digits = 0; digits <= 9; ++digits)
    for (int k = 0; k < 20000; ++k) {
      const double whole = std::floor(random.uniform(0, std::pow(10, random.uniform(0, 17))));
      const double x = whole / std::pow(10, digits);
      expect_exact_and_shortest(x);
      expect_exact_and_shortest(std::nextafter(x, 1e300));  // neighbours of a round number are not round
      expect_exact_and_shortest(-std::nextafter(x, 0.0));
    }
}

TEST(WriteNumber, PowersOfTwoAndTen) {
  for (int k = -1074; k <= 1023; ++k) expect_exact_and_shortest(std::ldexp(1.0, k));
  for (int k = -323; k <= 308; ++k) {
    double x = 0;
    const std::string text = "1e" + std::to_string(k);
    std::from_chars(text.data(), text.data() + text.size(), x);
    expect_exact_and_shortest(x);
    expect_exact_and_shortest(std::nextafter(x, 0.0));
    expect_exact_and_shortest(-std::nextafter(x, 1e308));
  }
}

TEST(WriteNumber, LooksAsAPersonWouldWriteIt) {
  EXPECT_EQ(text_of(0), "0");
  EXPECT_EQ(text_of(-0.0), "-0");
  EXPECT_EQ(text_of(1), "1");
  EXPECT_EQ(text_of(-12.34), "-12.34");
  EXPECT_EQ(text_of(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(text_of(0.000001), "0.000001");
  EXPECT_EQ(text_of(0.0000012345678901234567), "0.0000012345678901234567");
  EXPECT_EQ(text_of(0.0000001), "1e-7");
  EXPECT_EQ(text_of(1.5e-9), "1.5e-9");
  EXPECT_EQ(text_of(1500), "1500");
  EXPECT_EQ(text_of(99999999), "99999999");
  EXPECT_EQ(text_of(100000000), "100000000");
  EXPECT_EQ(text_of(123456789.125), "123456789.125");
  EXPECT_EQ(text_of(1763246400.123456), "1763246400.123456");
  EXPECT_EQ(text_of(9007199254740992), "9007199254740992");
  EXPECT_EQ(text_of(1e15), "1000000000000000");
  EXPECT_EQ(text_of(1e16), "1e16");
  EXPECT_EQ(text_of(1e308), "1e308");
  EXPECT_EQ(text_of(-std::numeric_limits<double>::max()), "-1.7976931348623157e308");
  EXPECT_EQ(text_of(std::numeric_limits<double>::min()), "2.2250738585072014e-308");
  EXPECT_EQ(text_of(std::numeric_limits<double>::denorm_min()), "5e-324");
}

TEST(WriteRow, LeavesNaNEmptyAndRefusesInfinity) {
  char text[row_room(3)];
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const auto row = [&](std::array<double, 3> values) {
    return std::string(text, write_row(text, 0.01, values));
  };
  EXPECT_EQ(row({1, nan, -nan}), "0.01,1,,\n");
  EXPECT_EQ(write_row(text, 0, std::array<double, 3>{1, inf, 1}), nullptr);
  EXPECT_EQ(write_row(text, 0, std::array<double, 3>{1, 1, -inf}), nullptr);
}

}  // namespace
}  // namespace fathom::log::internal::number_test
