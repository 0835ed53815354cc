// Times to the nanosecond, against Python's datetime and integers written out.
#include "fathom/log/internal/stamp.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace fathom::log::stamp_test {
namespace {

using internal::parse_stamp;
using Ns = std::optional<std::int64_t>;

constexpr internal::StampForm seconds{}, milliseconds{false, 6}, nanoseconds{false, 0}, date{true, 0};

TEST(Stamp, LosesNoDigit) {
  EXPECT_EQ(parse_stamp("1669909203330211715", nanoseconds), Ns(1669909203330211715));
  EXPECT_EQ(parse_stamp("1669909203.330211715", seconds), Ns(1669909203330211715));
  EXPECT_EQ(parse_stamp("1.669909203330211715e+18", nanoseconds), Ns(1669909203330211715));
  EXPECT_EQ(parse_stamp("1669909203330.211715", milliseconds), Ns(1669909203330211715));
  EXPECT_EQ(parse_stamp("-0.25", seconds), Ns(-250000000));
  EXPECT_EQ(parse_stamp("+12", seconds), Ns(12000000000));
  EXPECT_EQ(parse_stamp(".5", seconds), Ns(500000000));
  EXPECT_EQ(parse_stamp("000000000000000000000000001", seconds), Ns(1000000000));
}

TEST(Stamp, RoundsBelowANanosecond) {
  EXPECT_EQ(parse_stamp("0.12345678949999", seconds), Ns(123456789));
  EXPECT_EQ(parse_stamp("0.1234567895", seconds), Ns(123456790));
  EXPECT_EQ(parse_stamp("0.0100000000000000002", seconds), Ns(10000000));
  EXPECT_EQ(parse_stamp("5e-300", seconds), Ns(0));
  EXPECT_EQ(parse_stamp("1e-5", milliseconds), Ns(10));
}

TEST(Stamp, IsRefusedWhereItIsNone) {
  for (const char* text : {"", "-", ".", "1e", "1.2.3", "12s", "nan", "0x10", "1 2", "1e400", "1e-401", "--1"})
    EXPECT_EQ(parse_stamp(text, seconds), std::nullopt) << text;
  EXPECT_EQ(parse_stamp("9223372036854775807", nanoseconds), Ns(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(parse_stamp("9223372036854775808", nanoseconds), std::nullopt);
  EXPECT_EQ(parse_stamp("9223372037", seconds), std::nullopt);
  EXPECT_EQ(parse_stamp("99999999999999999999999999", nanoseconds), std::nullopt);
}

TEST(Stamp, OfDates) {
  // datetime.fromisoformat(...).timestamp()
  EXPECT_EQ(parse_stamp("2022-12-01T15:40:08.877Z", date), Ns(1669909208877000000));
  EXPECT_EQ(parse_stamp("2022-12-01 15:40:08.877428140", date), Ns(1669909208877428140));
  EXPECT_EQ(parse_stamp("2022-12-01T17:40:08+02:00", date), Ns(1669909208000000000));
  EXPECT_EQ(parse_stamp("2022-12-01T10:10:08-0530", date), Ns(1669909208000000000));
  EXPECT_EQ(parse_stamp("1970-01-01T00:00:00", date), Ns(0));
  EXPECT_EQ(parse_stamp("1969-12-31T23:59:59.5", date), Ns(-500000000));
  EXPECT_EQ(parse_stamp("2024-02-29T00:00:00Z", date), Ns(1709164800000000000));
  for (const char* text : {"2023-02-29T00:00:00", "2022-12-01", "2022-12-01T25:00:00", "22-12-01T00:00:00",
                           "2022-12-01T15:40:08.Z", "2022-12-01T15:40:08 UTC", "1669909208"})
    EXPECT_EQ(parse_stamp(text, date), std::nullopt) << text;
}

}  // namespace
}  // namespace fathom::log::stamp_test
