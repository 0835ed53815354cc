#include "fathom/log/internal/message_definition.hpp"

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"

namespace fathom::log::message_definition_test {
namespace {

using fathom::test::error_text;
using internal::Definitions;
using internal::Field;
using internal::parse_definitions;
using Count = Field::Count;

std::string rejection(const std::string& text) {
  return error_text([&] { parse_definitions("a_msgs/msg/A", text); });
}

TEST(MessageDefinition, HasFieldsOfEveryKind) {
  const Definitions definitions = parse_definitions("a_msgs/msg/A",
                                                    "float64 x\n"
                                                    "int8[3] fixed\r\n"
                                                    "\tuint16[]   sequence # comment\n"
                                                    "bool[<=5] bounded\n"
                                                    "string<=10[<=4] words\n"
                                                    "wstring wide\n"
                                                    "B own\n"
                                                    "b_msgs/C[2] others\n"
                                                    "b_msgs/msg/D full\n"
                                                    "Header header");
  const std::vector<Field> expected = {{"float64", "x"},
                                       {"int8", "fixed", Count::fixed, 3},
                                       {"uint16", "sequence", Count::sequence},
                                       {"bool", "bounded", Count::sequence},
                                       {"string", "words", Count::sequence},
                                       {"wstring", "wide"},
                                       {"a_msgs/B", "own"},
                                       {"b_msgs/C", "others", Count::fixed, 2},
                                       {"b_msgs/D", "full"},
                                       {"std_msgs/Header", "header"}};
  EXPECT_EQ(definitions.at("a_msgs/A"), expected);
}

TEST(MessageDefinition, HasNoFieldsForConstantsCommentsAndDefaults) {
  const Definitions definitions = parse_definitions("a_msgs/A",
                                                    "# float64 comment\n"
                                                    "uint8 ONE=1\n"
                                                    "uint8 TWO = 2\n"
                                                    "string WORD=\"a # b\"\n"
                                                    "\n"
                                                    "float64 x 1.5\n"
                                                    "string name \"a=b\"\n"
                                                    "int32[] list [1, 2]#end\n"
                                                    "float64 y# comment\n");
  const std::vector<Field> expected = {
      {"float64", "x"}, {"string", "name"}, {"int32", "list", Count::sequence}, {"float64", "y"}};
  EXPECT_EQ(definitions.at("a_msgs/A"), expected);
}

TEST(MessageDefinition, BringsWhatItUses) {
  const Definitions definitions =
      parse_definitions("a_msgs/msg/A", "B b\n====\nMSG: a_msgs/B\nC c\n====\nMSG: a_msgs/msg/C\nint8 x\n");
  EXPECT_EQ(definitions.size(), 3u);
  EXPECT_EQ(definitions.at("a_msgs/C").front(), (Field{"int8", "x"}));
}

TEST(MessageDefinition, WithoutFieldsHasTheByteOfIdl) {
  EXPECT_EQ(parse_definitions("std_msgs/msg/Empty", "# nothing\n").at("std_msgs/Empty").size(), 1u);
}

TEST(MessageDefinition, RefusesWithItsLine) {
  EXPECT_EQ(
      rejection("float64 x\nfloat64\n"),
      "definition of a_msgs/A:2: has a field without a name: 'float64' (expected lines such as float64[3] "
      "velocity)");
  EXPECT_NE(rejection("float64[3 x").find("has an open bracket: '[3'"), std::string::npos);
  EXPECT_NE(rejection("float64[0] x").find("has a length that is no positive number: '0'"), std::string::npos);
  EXPECT_NE(rejection("float64[-1] x").find("has a length that is no positive number"), std::string::npos);
  EXPECT_NE(rejection("float64[99999999999] x").find("no positive number"), std::string::npos);
  EXPECT_NE(rejection("float64<=3 x").find("has a bound on what is no string"), std::string::npos);
  EXPECT_NE(rejection("a/b/c x").find("has a type that cannot be: 'a/b/c'"), std::string::npos);
  EXPECT_NE(rejection("a! x").find("has a type that cannot be"), std::string::npos);
  EXPECT_NE(rejection("int8 x-y").find("has a field without a name"), std::string::npos);
  for (const std::string_view type :
       {std::string_view("A"), std::string_view("a/b/C"), std::string_view("a/"), std::string_view("\0/A", 3)})
    EXPECT_TRUE(error_text([&] { parse_definitions(type, ""); }).find("not of the form package/Name") !=
                std::string::npos);
}

TEST(MessageDefinition, UsualOnesAreComplete) {
  const Definitions usual = internal::usual_definitions();
  EXPECT_GT(usual.size(), 50u);
  for (const auto& [type, fields] : usual)
    for (const Field& field : fields)
      EXPECT_TRUE(field.type.find('/') == std::string::npos || usual.contains(field.type))
          << type << ": " << field.type;
  EXPECT_EQ(internal::usual_definitions("sensor_msgs/msg/Range").size(), 2u);
  EXPECT_EQ(internal::usual_definitions("sensor_msgs/msg/Imu").size(), 1u);
  EXPECT_TRUE(internal::usual_definitions("nobody_msgs/msg/Knows").empty());
}

}  // namespace
}  // namespace fathom::log::message_definition_test
