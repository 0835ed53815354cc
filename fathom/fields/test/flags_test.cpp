#include "fathom/fields/flags.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <gtest/gtest.h>

#include "fathom/fields/codec.hpp"

namespace fathom::fields {
namespace flags_test {

struct Common {
  std::string robot;
  std::optional<double> density;
};
struct Options : Common {
  std::string file;
  std::string estimator = "consistent", side = "left", note;
  double max_delay = 0.4;
  int starts = 2;
  bool loud = false;
  std::optional<std::array<double, 2>> current;
  std::vector<std::string> log, sensors;
  std::vector<double> angles = {};
};

}  // namespace flags_test

using flags_test::Common;
using flags_test::Options;

template <>
const Keys& Table<Common>::fields() {
  static const Keys keys{field<&Common::robot>("robot").required().metavar("NAME").doc("Robot."),
                         field<&Common::density>("density")
                             .unit("kg/m^3")
                             .between(500, 2000)
                             .hint("fresh 1000")
                             .by_default("that of the file")
                             .doc("Water density.")};
  return keys;
}
template <>
const Keys& Table<Options>::fields() {
  static const Keys keys{
      inherited<Options, Common>(),
      field<&Options::file>("file").positional().required().metavar("FILE").doc("File."),
      field<&Options::estimator>("estimator")
          .words({"consistent", "ordinary", "robust"})
          .doc("Estimator of values."),
      field<&Options::side>("side").words({"left", "right"}).doc("Side."),
      field<&Options::note>("note").doc("Note."),
      field<&Options::max_delay>("max_delay")
          .unit("s")
          .above(0)
          .doc("Largest command delay.")
          .was("most_delay"),
      field<&Options::starts>("starts").between(1, 99).doc("Random beginnings."),
      field<&Options::loud>("loud").doc("Say more."),
      field<&Options::current>("current").unit("m/s").metavar("N E").doc("Water current, north and east."),
      field<&Options::log>("log").metavar("DIR").doc("Log; may be repeated."),
      field<&Options::sensors>("sensors").metavar("NAME,...").words({"imu", "dvl"}).doc("Sensors."),
      field<&Options::angles>("angles").at_least(0).doc("Angles.")};
  return keys;
}

namespace flags_test {

const Flag& flag(const std::string& name) {
  static const std::vector<Flag> all = flags<Options>();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Flag& f) { return f.name == name; });
  if (found == all.end()) throw std::out_of_range(name);
  return *found;
}

Options with(const std::string& name, const std::vector<std::string>& arguments) {
  Options options;
  flag(name).set(&options, arguments);
  return options;
}

std::string error_text(const std::string& name, const std::vector<std::string>& arguments) {
  try {
    with(name, arguments);
    return "";
  } catch (const InputError& error) {
    return error.findings().front().text();
  }
}

using Words = std::vector<std::string>;

TEST(Flags, HelpTellsUnitWordsAndDefault) {
  EXPECT_EQ(flag("--max-delay").help, "Largest command delay [s] (default: 0.4)");
  EXPECT_EQ(flag("--max-delay").placeholder, "SECONDS");
  EXPECT_EQ(flag("--max-delay").aliases, Words{"--most-delay"});
  EXPECT_EQ(flag("--density").help, "Water density [kg/m^3] (default: that of the file)");
  EXPECT_EQ(flag("--density").placeholder, "NUMBER");
  EXPECT_EQ(flag("--estimator").help,
            "Estimator of values (one of consistent, ordinary, robust; default: consistent)");
  EXPECT_EQ(flag("--estimator").placeholder, "WORD");
  EXPECT_EQ(flag("--side").help, "Side (default: left)");
  EXPECT_EQ(flag("--side").placeholder, "left|right");
  EXPECT_EQ(flag("--note").help, "Note");
  EXPECT_EQ(flag("--starts").placeholder, "COUNT");
  EXPECT_TRUE(flag("--loud").is_switch);
  EXPECT_EQ(flag("--loud").help, "Say more");
  EXPECT_EQ(flag("--robot").help, "Robot");
}

TEST(Flags, TellHowManyArgumentsTheyTake) {
  EXPECT_TRUE(flag("file").is_positional);
  EXPECT_TRUE(flag("file").is_required);
  EXPECT_TRUE(flag("--robot").is_required);
  EXPECT_FALSE(flag("--note").is_required);
  EXPECT_TRUE(flag("--log").is_list);
  EXPECT_FALSE(flag("--note").is_list);
  EXPECT_EQ(flag("--current").count, 2);
  EXPECT_FALSE(flag("--current").is_list);
  EXPECT_EQ(flag("--log").count, 1);
}

TEST(Flags, SetEachTypeOfValue) {
  EXPECT_EQ(with("file", {"a b.yaml"}).file, "a b.yaml");
  EXPECT_EQ(with("--robot", {"rov"}).robot, "rov") << "a member of the base";
  EXPECT_EQ(with("--density", {"1025"}).density, 1025);
  EXPECT_EQ(with("--estimator", {"robust"}).estimator, "robust");
  EXPECT_EQ(with("--max-delay", {"2.5e-1"}).max_delay, 0.25);
  EXPECT_EQ(with("--starts", {"7"}).starts, 7);
  EXPECT_TRUE(with("--loud", {"true"}).loud);
  EXPECT_EQ(with("--current", {"0.5", "-1"}).current, (std::array{0.5, -1.0}));
  EXPECT_EQ(with("--log", {"a,b", "c"}).log, (Words{"a,b", "c"})) << "a comma is part of a path";
  EXPECT_EQ(with("--sensors", {"imu,dvl", "imu"}).sensors, (Words{"imu", "dvl", "imu"}));
  EXPECT_EQ(with("--angles", {"1,2", "3"}).angles, (std::vector<double>{1, 2, 3}));
}

TEST(Flags, NameWhatIsWrong) {
  EXPECT_EQ(error_text("--max-delay", {"-2"}), "--max-delay = -2 s, must be > 0");
  EXPECT_EQ(error_text("--density", {"10"}), "--density = 10 kg/m^3, must be 500 to 2000 (fresh 1000)");
  EXPECT_EQ(error_text("--density", {""}),
            "--density = '', expected a number in kg/m^3 (a decimal point, no comma, no quotes)");
  EXPECT_EQ(error_text("--max-delay", {"5s"}),
            "--max-delay = '5s', expected a number in s (write 5 alone; the unit is s)");
  EXPECT_EQ(error_text("--estimator", {"robst"}),
            "--estimator = 'robst', expected one of consistent, ordinary, robust (did you mean robust?)");
  EXPECT_EQ(error_text("--sensors", {"imu,dvk"}),
            "--sensors[1] = 'dvk', expected one of imu, dvl (did you mean dvl?)");
  EXPECT_EQ(error_text("--angles", {"1,-2"}), "--angles[1] = -2, must be >= 0");
  EXPECT_EQ(error_text("--starts", {"100"}), "--starts = 100, expected a whole number from 1 to 99");
  for (const char* text : {"1.5", "010", "", "1e1", "+5", "5.0", "ten"})
    EXPECT_EQ(error_text("--starts", {text}),
              "--starts = '" + std::string(text) + "', expected a whole number (must be 1 to 99)");
}

TEST(Flags, GiveTheArgumentsBack) {
  Options options;
  for (const Flag& each : flags<Options>())
    EXPECT_EQ(each.arguments(&options), each.is_required ? Words{""} : Words{}) << each.name;
  const std::vector<std::pair<std::string, Words>> all = {
      {"file", {"f"}},      {"--robot", {"r"}},           {"--density", {"1025"}}, {"--max-delay", {"0.25"}},
      {"--loud", {"true"}}, {"--current", {"0.5", "-1"}}, {"--log", {"a", "b"}},   {"--starts", {"3"}}};
  for (const auto& [name, arguments] : all)
    EXPECT_EQ(flag(name).arguments(std::make_unique<Options>(with(name, arguments)).get()), arguments) << name;
}

TEST(Flags, CheckValuesThatNoFlagSet) {
  Options options;
  EXPECT_NO_THROW(check_values(options));
  options.density = 10;
  options.max_delay = std::nan("");
  options.estimator = "best";
  try {
    check_values(options);
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.findings().size(), 3u);
    EXPECT_EQ(error.findings()[0].text(), "--density = 10 kg/m^3, must be 500 to 2000 (fresh 1000)");
    EXPECT_EQ(error.findings()[1].key, "--estimator");
    EXPECT_EQ(error.findings()[2].key, "--max-delay");
  }
}

}  // namespace flags_test
}  // namespace fathom::fields
