#include <gtest/gtest.h>

#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::reader_number_errors_test {
namespace {

using test::changed;
using test::error_text;

std::string mass(const std::string& text) {
  return error_text(changed("mass: 11.5\n", "mass: " + text + "\n"));
}
std::string added_mass(const std::string& text) {
  return error_text(changed("[6.36, 7.12, 18.68, 0.189, 0.135, 0.222]", text));
}

TEST(ReaderNumberErrors, RefuseAUnitBehindTheNumber) {
  EXPECT_EQ(mass("13.5 kg"),
            "bad.yaml:4: hull.mass = '13.5 kg', expected a number in kg (write 13.5 alone; the unit is kg)");
  EXPECT_EQ(mass("13.5kg"),
            "bad.yaml:4: hull.mass = '13.5kg', expected a number in kg (write 13.5 alone; the unit is kg)");
  EXPECT_EQ(added_mass("[6 kg, 7, 8, 1, 1, 1]"),
            "bad.yaml:9: hull.added_mass[0] = '6 kg', expected a number (write 6 alone)");
  EXPECT_EQ(added_mass("[0.5 %, 7, 8, 1, 1, 1]"),
            "bad.yaml:9: hull.added_mass[0] = '0.5 %', expected a number (a share: 0.005)");
}

TEST(ReaderNumberErrors, RefuseAnotherUnit) {
  EXPECT_EQ(mass("{value: 13500, unit: g}"),
            "bad.yaml:4: hull.mass.unit = 'g', expected kg (convert the number; Fathom's files are in SI)");
  EXPECT_EQ(error_text(changed("volume: 0.0115", "volume: {value: 11.5, unit: l}")),
            "bad.yaml:7: hull.volume.unit = 'l', expected m^3 (convert the number; Fathom's files are in SI)");
}

TEST(ReaderNumberErrors, RefuseQuotedNumbers) {
  const std::string expected =
      "bad.yaml:4: hull.mass = '13.5', expected a number in kg (write 13.5 alone; the unit is kg)";
  EXPECT_EQ(mass("\"13.5\""), expected);
  EXPECT_EQ(mass("'13.5'"), expected);
}

TEST(ReaderNumberErrors, HintAtADecimalComma) {
  EXPECT_EQ(mass("13,5"), "bad.yaml:4: hull.mass = '13,5', expected a number in kg (a decimal point: 13.5)");
  EXPECT_EQ(mass("{value: 13,5, unit: kg}"),
            "bad.yaml:4: hull.mass has the unknown key '5' (a decimal comma? numbers have a point)");
}

TEST(ReaderNumberErrors, RefuseWords) {
  EXPECT_EQ(mass("heavy"),
            "bad.yaml:4: hull.mass = 'heavy', expected a number in kg (a decimal point, no comma, no quotes)");
  EXPECT_EQ(mass("--5"),
            "bad.yaml:4: hull.mass = '--5', expected a number in kg (a decimal point, no comma, no quotes)");
  EXPECT_EQ(mass("true"),
            "bad.yaml:4: hull.mass = 'true', expected a number in kg (a decimal point, no comma, no quotes)");
}

TEST(ReaderNumberErrors, DoNotTakeTheBeginningOfAWordForANumber) {
  EXPECT_EQ(
      mass("infinite"),
      "bad.yaml:4: hull.mass = 'infinite', expected a number in kg (a decimal point, no comma, no quotes)");
  EXPECT_EQ(mass("nano"),
            "bad.yaml:4: hull.mass = 'nano', expected a number in kg (a decimal point, no comma, no quotes)");
}

TEST(ReaderNumberErrors, RefuseTwoSigns) {
  EXPECT_EQ(error_text(changed("[0, 0, 0.02]", "[0, 0, +-0.02]")),
            "bad.yaml:6: hull.centre_of_mass[2] = '+-0.02', expected a number (a decimal point, no comma, no "
            "quotes)");
}

TEST(ReaderNumberErrors, SayWhatStandsThereInstead) {
  EXPECT_EQ(mass("[1, 2]"),
            "bad.yaml:4: hull.mass is a list of 2, expected a number in kg (one number, without brackets)");
  EXPECT_EQ(mass("{a: 1}"),
            "bad.yaml:4: hull.mass is a map, expected a number in kg (one number, without brackets)");
  EXPECT_EQ(mass("~"),
            "bad.yaml:4: hull.mass is nothing, expected a number in kg (one number, without brackets)");
}

TEST(ReaderNumberErrors, RefuseNotANumberAndInfinity) {
  for (const std::string text :
       {".nan", ".NaN", "nan", ".inf", "-.inf", "+.Inf", "inf", "-inf", "1e999", "-1e999"}) {
    EXPECT_EQ(mass(text), "bad.yaml:4: hull.mass = " + text +
                              ", must be finite (measure it, or leave the key out if it is optional)");
    EXPECT_EQ(added_mass("[6.36, " + text + ", 18.68, 0.189, 0.135, 0.222]"),
              "bad.yaml:9: hull.added_mass[1] = " + text +
                  ", must be finite (measure it, or leave the key out if it is optional)");
  }
}

TEST(ReaderNumberErrors, TakeInfinityForASigmaInYamlSSpellingOnly) {
  const auto sigma = [](const std::string& text) { return mass("{value: 11.5, sigma: " + text + "}"); };
  for (const char* text : {".inf", ".Inf", ".INF", "+.inf"}) EXPECT_EQ(sigma(text), "(it loads)") << text;
  for (const std::string text : {".nan", "-.inf", "inf", "1e999"})
    EXPECT_EQ(sigma(text),
              "bad.yaml:4: hull.mass.sigma = " + text + ", must be finite (write .inf for what is unknown)");
  EXPECT_EQ(mass("{value: .inf, sigma: .inf}"),
            "bad.yaml:4: hull.mass.value = .inf, must be finite (measure it, or leave the key out if it is "
            "optional)");
  EXPECT_EQ(added_mass("{value: [6, 7, 18, 0.1, 0.1, 0.2], sigma: [.inf, 0, 1, 0, 0, .inf]}"), "(it loads)");
  const std::string quadratic = "[18, 21, 36, 1.5, 1.6, 1.7]";
  EXPECT_EQ(error_text(changed(quadratic, "{value: " + quadratic + ", sigma: {u: [.inf, 0, 1, 0, 0, 0]}}")),
            "(it loads)");
}

TEST(ReaderNumberErrors, DoNotCallATinyNumberInfinite) {
  EXPECT_EQ(mass("1e-999").find("must be finite"), std::string::npos) << mass("1e-999");
}

TEST(ReaderNumberErrors, RefuseWrongLengths) {
  EXPECT_EQ(
      error_text(changed("[0.16, 0.17, 0.18]", "[0.16, 0.17]")),
      "bad.yaml:5: hull.inertia is a list of 2, expected 3 numbers (the diagonal) or 3 rows of 3 (kg m^2 about "
      "the centre of mass, body axes)");
  EXPECT_EQ(
      error_text(changed("[0, 0, 0.02]", "[0, 0]")),
      "bad.yaml:6: hull.centre_of_mass is a list of 2, expected 3 numbers (x, y, z in m, body axes forward, "
      "starboard, down)");
  EXPECT_EQ(
      added_mass("[1, 2, 3, 4, 5]"),
      "bad.yaml:9: hull.added_mass is a list of 5, expected 6 numbers (the diagonal) or 6 rows of 6 (rows and "
      "columns X Y Z K M N, u v w p q r; body axes forward, starboard, down)");
  EXPECT_EQ(added_mass("6.36"),
            "bad.yaml:9: hull.added_mass is '6.36', expected 6 numbers (the diagonal) or 6 rows of 6 (rows and "
            "columns "
            "X Y Z K M N, u v w p q r; body axes forward, starboard, down)");
  EXPECT_EQ(error_text(changed("[18, 21, 36, 1.5, 1.6, 1.7]", "[18, 21, 36]")),
            "bad.yaml:13: damping[0].quadratic is a list of 3, expected 6 numbers (one for each of u|u| ... "
            "r|r|, or a "
            "map from u, v, w, p, q, r to 6x6 matrices)");
}

TEST(ReaderNumberErrors, RefuseARowOfWrongLength) {
  EXPECT_EQ(added_mass("[[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0], [], [], [], []]"),
            "bad.yaml:9: hull.added_mass[1] is a list of 5, expected 6 numbers (rows and columns X Y Z K M N, "
            "u v w p "
            "q r; body axes forward, starboard, down)");
  EXPECT_EQ(added_mass("[1, [1], 3, 4, 5, 6]"),
            "bad.yaml:9: hull.added_mass[1] is a list of 1, expected a number (one number, without brackets)");
}

TEST(ReaderNumberErrors, RefuseASigmaOfAnotherShape) {
  EXPECT_EQ(
      mass("{value: 11.5, sigma: [1, 2]}"),
      "bad.yaml:4: hull.mass.sigma is a list of 2, expected a number in kg (one number, without brackets)");
  EXPECT_EQ(
      error_text(changed("[0, 0, 0.02]", "{value: [0, 0, 0], sigma: 0.1}")),
      "bad.yaml:6: hull.centre_of_mass.sigma is '0.1', expected 3 numbers (x, y, z in m, body axes forward, "
      "starboard, down)");
}

TEST(ReaderNumberErrors, AreAllToldAtOnce) {
  const std::string text = test::with(changed("11.5\n", "x\n"), "0.0115\n", "y\n");
  EXPECT_EQ(error_text(text),
            "bad.yaml:4: hull.mass = 'x', expected a number in kg (a decimal point, no comma, no quotes)\n"
            "bad.yaml:7: hull.volume = 'y', expected a number in m^3 (a decimal point, no comma, no quotes)");
}

}  // namespace
}  // namespace fathom::model::reader_number_errors_test
