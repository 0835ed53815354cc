#include "fathom/log/internal/cdr.hpp"

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"

namespace fathom::log::cdr_test {
namespace {

using fathom::test::error_text;
using internal::Decoded;
using internal::Layout;
using internal::layout_of;
using internal::parse_definitions;

/// Bytes of a message, written by hand after the specification (formal/02-06-51, 15.3): each number at a
/// multiple of its size.
class Cdr {
 public:
  explicit Cdr(bool little = true) : little_(little) { bytes_ = {0, static_cast<unsigned char>(little), 0, 0}; }

  template <class T>
  Cdr& operator<<(T value) {
    while ((bytes_.size() - 4) % sizeof(T) != 0) bytes_.push_back(0xee);
    unsigned char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if (little_)
      bytes_.insert(bytes_.end(), raw, raw + sizeof(T));
    else
      bytes_.insert(bytes_.end(), std::reverse_iterator(raw + sizeof(T)), std::reverse_iterator(raw));
    return *this;
  }
  Cdr& operator<<(const std::string& text) {
    *this << static_cast<std::uint32_t>(text.size() + 1);
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    bytes_.push_back(0);
    return *this;
  }

  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_)); }

 private:
  bool little_;
  std::vector<unsigned char> bytes_;
};

Layout layout(const std::string& definition, std::span<const std::byte> first = {}) {
  return layout_of("a_msgs/A", parse_definitions("a_msgs/A", definition), first);
}

struct Row {
  Decoded decoded;
  std::vector<double> values;
};

Row row_of(const Layout& layout, std::span<const std::byte> message, std::int64_t start_ns = 0) {
  Row row{Decoded::unreadable, std::vector<double>(layout.columns.size(), -1)};
  row.decoded = internal::decode(layout, message, start_ns, row.values);
  return row;
}

constexpr std::string_view of_everything =
    "bool a\nint8 b\nuint8 c\nint16 d\nuint16 e\nint32 f\nuint32 g\nint64 h\nuint64 i\nfloat32 j\nfloat64 k\n"
    "byte l\nchar m\n";

template <class Write>
void both_orders(const Write& write) {
  for (const bool little : {true, false}) {
    Cdr cdr(little);
    write(cdr);
  }
}

TEST(Cdr, HasNumbersOfEveryKindInBothByteOrders) {
  both_orders([](Cdr& cdr) {
    cdr << true << std::int8_t{-2} << std::uint8_t{250} << std::int16_t{-300} << std::uint16_t{60000}
        << std::int32_t{-70000} << std::uint32_t{4000000000} << std::int64_t{-5000000000} << std::uint64_t{1}
        << 0.1f << 0.1 << std::uint8_t{200} << std::uint8_t{201};
    const Row row = row_of(layout(std::string(of_everything)), cdr.bytes());
    EXPECT_EQ(row.decoded, Decoded::whole);
    const std::vector<double> expected = {
        1, -2, 250, -300, 60000, -70000, 4e9, -5e9, 1, static_cast<double>(0.1f), 0.1, 200, 201};
    EXPECT_EQ(row.values, expected);
  });
}

TEST(Cdr, AlignsBehindStringsOfEveryLength) {
  const Layout text = layout("string s\nfloat64 x\nstring t\nint16 y\n");
  for (std::size_t n = 0; n < 20; ++n)
    for (std::size_t m = 0; m < 5; ++m) {
      Cdr cdr;
      cdr << std::string(n, 'a') << 1.5 << std::string(m, 'b') << std::int16_t{7};
      const Row row = row_of(text, cdr.bytes());
      EXPECT_EQ(row.decoded, Decoded::whole);
      EXPECT_EQ(row.values, (std::vector<double>{1.5, 7}));
    }
}

TEST(Cdr, StepsOverWhatIsNoNumber) {
  const std::string text =
      "string[2] a\nstring[] b\nwstring c\nB[] d\nfloat64[] e\nB[2] f\nuint8 z\n===\nMSG: a_msgs/B\nint8 "
      "x\nfloat64 y\n"
      "string s\n";
  both_orders([&](Cdr& cdr) {
    const auto structs = [&](int count) {
      for (int k = 0; k < count; ++k) cdr << static_cast<std::int8_t>(k) << k + 0.5 << std::string("s");
    };
    cdr << std::string("1") << std::string("22") << std::uint32_t{3} << std::string("") << std::string("x")
        << std::string("yy") << std::uint32_t{2} << std::uint32_t{'a'} << std::uint32_t{'b'}
        << std::uint32_t{3};
    structs(3);
    cdr << std::uint32_t{0};  // an empty sequence: no alignment to 8 behind it
    structs(2);
    cdr << std::uint8_t{9};
    const Layout made = layout(text, cdr.bytes());
    EXPECT_EQ(made.columns, (std::vector<std::string>{"f[0].x", "f[0].y", "f[1].x", "f[1].y", "z"}));
    const Row row = row_of(made, cdr.bytes());
    EXPECT_EQ(row.decoded, Decoded::whole);
    EXPECT_EQ(row.values, (std::vector<double>{0, 0.5, 1, 1.5, 9}));
  });
}

TEST(Cdr, NeighboursAreOneStep) {
  EXPECT_EQ(layout_of("sensor_msgs/msg/Imu", internal::usual_definitions()).steps.size(), 3u);
  EXPECT_EQ(layout_of("nav_msgs/msg/Odometry", internal::usual_definitions()).steps.size(), 4u);
}

TEST(Cdr, AStepDoesNotGrowIntoABody) {
  const std::string text = "int8 a\nB[] b\nint8 c\n===\nMSG: a_msgs/B\nint8 x\n";
  Cdr cdr;
  cdr << std::int8_t{1} << std::uint32_t{2} << std::int8_t{2} << std::int8_t{3} << std::int8_t{4};
  EXPECT_EQ(row_of(layout(text, cdr.bytes()), cdr.bytes()).values, (std::vector<double>{1, 4}));
}

TEST(Cdr, TimesCountFromTheStartToTheNanosecond) {
  const internal::Definitions definitions = internal::usual_definitions();
  Cdr cdr;
  cdr << std::int32_t{1'747'231'141} << std::uint32_t{123'456'789} << std::string("map");
  const Layout header = layout_of("std_msgs/msg/Header", definitions);
  EXPECT_EQ(header.columns, std::vector<std::string>{"stamp"});
  EXPECT_EQ(row_of(header, cdr.bytes(), 1'747'231'141'123'456'788).values[0], 1e-9);
  EXPECT_EQ(row_of(header, cdr.bytes(), 1'747'231'142'123'456'789).values[0], -1);

  internal::Definitions with_duration = parse_definitions("a_msgs/A", "builtin_interfaces/Duration[2] d\n");
  with_duration.merge(internal::usual_definitions());
  Cdr durations;
  durations << std::int32_t{-1} << std::uint32_t{500'000'000} << std::int32_t{2} << std::uint32_t{1};
  const Layout two = layout_of("a_msgs/A", with_duration);
  EXPECT_EQ(two.columns, (std::vector<std::string>{"d[0]", "d[1]"}));
  EXPECT_EQ(row_of(two, durations.bytes(), 77).values, (std::vector<double>{-0.5, 2.000000001}));
}

Cdr with_sequence(std::uint32_t count) {
  Cdr cdr;
  cdr << count;
  for (std::uint32_t k = 0; k < count; ++k) cdr << k + 0.5;
  return cdr << std::int32_t{42};
}

TEST(Cdr, TheFirstMessageDecidesTheColumnsOfASequence) {
  const Cdr first = with_sequence(3);
  const Layout made = layout("float64[] x\nint32 y\n", first.bytes());
  EXPECT_EQ(made.columns, (std::vector<std::string>{"x[0]", "x[1]", "x[2]", "y"}));
  EXPECT_EQ(row_of(made, first.bytes()).values, (std::vector<double>{0.5, 1.5, 2.5, 42}));
  const Row shorter = row_of(made, with_sequence(1).bytes());
  EXPECT_EQ(shorter.decoded, Decoded::other_length);
  EXPECT_EQ(shorter.values[0], 0.5);
  EXPECT_TRUE(std::isnan(shorter.values[1]) && std::isnan(shorter.values[2]));
  EXPECT_EQ(shorter.values[3], 42);
  const Row longer = row_of(made, with_sequence(5).bytes());
  EXPECT_EQ(longer.decoded, Decoded::other_length);
  EXPECT_EQ(longer.values, (std::vector<double>{0.5, 1.5, 2.5, 42}));
}

TEST(Cdr, LargeArraysAreNoColumns) {
  const Cdr most = with_sequence(internal::most_of_sequence),
            more = with_sequence(internal::most_of_sequence + 1);
  EXPECT_EQ(layout("float64[] x\nint32 y\n", most.bytes()).columns.size(), internal::most_of_sequence + 1);
  const Layout image = layout("float64[] x\nint32 y\n", more.bytes());
  EXPECT_EQ(image.columns, std::vector<std::string>{"y"});
  EXPECT_EQ(row_of(image, more.bytes()).values[0], 42);
  EXPECT_EQ(row_of(image, more.bytes()).decoded, Decoded::whole);
  EXPECT_EQ(layout("uint8[1024] x\n").columns.size(), 1024u);
  EXPECT_EQ(layout("uint8[1025] x\nint8 y\n").columns.size(), 1u);
}

TEST(Cdr, MessagesThatDoNotFitAreUnreadable) {
  const Layout made = layout("float64 x\nstring s\n");
  Cdr cdr;
  cdr << 1.0 << std::string("abc");
  EXPECT_EQ(row_of(made, cdr.bytes()).decoded, Decoded::whole);
  for (std::size_t size = 0; size < cdr.bytes().size(); ++size)
    EXPECT_EQ(row_of(made, cdr.bytes().first(size)).decoded, Decoded::unreadable) << size;
  Cdr padded = cdr;
  padded << std::uint8_t{0} << std::uint8_t{0} << std::uint8_t{0};
  EXPECT_EQ(row_of(made, padded.bytes()).decoded, Decoded::whole);
  padded << std::uint8_t{0};
  EXPECT_EQ(row_of(made, padded.bytes()).decoded, Decoded::unreadable);  // of a longer definition
  std::vector<std::byte> other(cdr.bytes().begin(), cdr.bytes().end());
  other[1] = std::byte{3};
  EXPECT_EQ(row_of(made, other).decoded, Decoded::unreadable);  // a parameter list
}

TEST(Cdr, LengthsThatLieEndAtTheEnd) {
  Cdr huge;
  huge << std::uint32_t{0xffffffff} << 1.0;
  for (const std::string type : {"float64[]", "string", "wstring", "string[]", "B[]"})
    EXPECT_EQ(row_of(layout(type + " x\n===\nMSG: a_msgs/B\nint8 x\n"), huge.bytes()).decoded,
              Decoded::unreadable)
        << type;
}

TEST(Cdr, RefusesDefinitionsThatCannotBe) {
  EXPECT_EQ(error_text([] { layout("B b\n"); }), "there is no definition of a_msgs/B");
  EXPECT_EQ(error_text([] { layout("A a\n"); }), "a_msgs/A is nested more than 32 deep");
  EXPECT_EQ(error_text([] { layout("uint8[1024] a\nuint8[1024] b\nuint8[1024] c\nuint8[1024] d\nuint8 e\n"); }),
            "has more than 4096 numbers in each message");
  std::string bomb = "B0[] x\n";
  for (int k = 0; k < 30; ++k) bomb += fmt::format("===\nMSG: a_msgs/B{}\nB{} a\nB{} b\n", k, k + 1, k + 1);
  EXPECT_EQ(error_text([&] { layout(bomb + "===\nMSG: a_msgs/B30\nint8 x\n"); }),
            "has more than 100000 fields");
  EXPECT_EQ(error_text([] { layout("uint8[4000000000] a\n"); }), "has more than 2^30 numbers");
  const Cdr cdr = with_sequence(2);
  EXPECT_EQ(error_text([&] { layout("float64 x\n", cdr.bytes()); }),
            "its first message does not fit the definition (is it of another release of ROS?)");
}

}  // namespace
}  // namespace fathom::log::cdr_test
