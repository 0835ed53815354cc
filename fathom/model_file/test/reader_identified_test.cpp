#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/model_file/robot_spec_file.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::reader_identified_test {
namespace {

using test::error_text;
using test::with;

/// small_file() with what an estimate of three parameters said; from line 14 on.
const std::string identified_file = test::small_file() + R"(identified:
  structure: surge and weight
  source: log 7
  density: 1000
  gravity: 9.81
  parameters:
    - name: m11
      value: 17.86
      covariance: [0.04]
    - {name: d11, value: 4, covariance: [-0.01, 0.25]}
    - {name: W-B, value: 0, covariance: [0, 0, .inf]}
)";

std::string error_text_about(const std::string& from, const std::string& to) {
  return error_text(with(identified_file, from, to));
}

TEST(ReaderIdentified, ReadsTheParametersWithTheirCovariance) {
  const IdentifiedParameters identified = parse_robot(identified_file, "f").identified().value();
  EXPECT_EQ(identified.structure, "surge and weight");
  EXPECT_EQ(identified.source, "log 7");
  EXPECT_EQ(identified.density, 1000);
  EXPECT_EQ(identified.gravity, 9.81);
  const ParameterVector& p = identified.parameters;
  ASSERT_EQ(p.size(), 3u);
  EXPECT_EQ(p[1].name, "d11");
  EXPECT_EQ(p[1].unit, "N s/m");
  EXPECT_EQ(p[1].group, "damping.linear");
  EXPECT_EQ(p.values(), Eigen::Vector3d(17.86, 4, 0));
  const double inf = HUGE_VAL;
  EXPECT_EQ(p.covariance(), (Eigen::Matrix3d() << 0.04, -0.01, 0, -0.01, 0.25, 0, 0, 0, inf).finished());
}

TEST(ReaderIdentified, LetsTheRobotAnswerWithIt) {
  const ParameterVector p =
      parameters_of(parse_robot(identified_file, "f"), Environment(), structure_by_name("vehicle-24"))
          .parameters;
  EXPECT_EQ(
      p.covariance()(static_cast<Eigen::Index>(*p.find("m11")), static_cast<Eigen::Index>(*p.find("d11"))),
      -0.01);
}

TEST(ReaderIdentified, KeepsTheDelay) {
  const Robot robot =
      parse_robot(with(identified_file, "gravity: 9.81", "gravity: 9.81\n  delay: [0.12, 0.01]"), "f");
  EXPECT_EQ(robot.identified()->delay->value, 0.12);
  EXPECT_EQ(robot.identified()->delay->sigma, 0.01);
  EXPECT_EQ(parse_robot(robot_to_yaml(robot), "g").identified()->delay->value, 0.12);
  EXPECT_NE(error_text_about("gravity: 9.81", "gravity: 9.81\n  delay: [-0.12, 0.01]").find("identified.delay"),
            std::string::npos);
}

TEST(ReaderIdentified, KeepsTheStatisticsOfTheData) {
  const std::string statistics = R"(gravity: 9.81
  residual: {sigma: [1, 2, 3, 0.1, 0.2, 0.3], correlation_time: [0.5, 0.5, 0.5, 0, 0, 1]}
  range:
    wrench_min: [-10, -10, -5, 0, 0, -1]
    wrench_max: [10, 10, 5, 0, 0, 1]
    velocity_min: [-1, -1, -1, 0, 0, -1]
    velocity_max: [1, 1, 1, 0, 0, 1]
    attitude_min: [-0.1, -0.2]
    attitude_max: [0.1, 0.2]
    extrapolation: [1, 1.5, 2, 2, 2, 3]
    command_min: [1400, -1]
    command_max: [1600, 1]
  baseline: {lag: -0.05, wrench: [0.1, 0, 0, 0, 0, 0], velocity: [-1, 0, 0, 0, 0, 0], constant: [0.01, 0, 0, 0, 0, 0]})";
  const Robot robot = parse_robot(with(identified_file, "gravity: 9.81", statistics), "f");
  const Robot again = parse_robot(robot_to_yaml(robot), "g");
  for (const Robot* one : {&robot, &again}) {
    const IdentifiedParameters& identified = *one->identified();
    EXPECT_EQ(identified.residual->sigma[2], 3);
    EXPECT_EQ(identified.residual->correlation_time[5], 1);
    EXPECT_EQ(identified.range->wrench_min[0], -10);
    EXPECT_EQ(identified.range->attitude_max[1], 0.2);
    EXPECT_EQ(identified.range->extrapolation[5], 3);
    EXPECT_EQ(identified.range->command_max, (std::vector<double>{1600, 1}));
    EXPECT_EQ(identified.baseline->lag, -0.05);
    EXPECT_EQ(identified.baseline->velocity[0], -1);
  }
  const auto about = [&](const std::string& from, const std::string& to) {
    return error_text_about("gravity: 9.81", with(statistics, from, to));
  };
  EXPECT_NE(about("sigma: [1,", "sigma: [-1,").find("identified.residual.sigma"), std::string::npos);
  EXPECT_NE(about("wrench_max: [10,", "wrench_max: [-11,").find("identified.range.wrench_max"),
            std::string::npos);
  EXPECT_NE(about("extrapolation: [1,", "extrapolation: [0.5,").find("identified.range.extrapolation"),
            std::string::npos);
  EXPECT_NE(about("command_max: [1600,", "command_max: [1300,").find("identified.range.command_max"),
            std::string::npos);
}

TEST(ReaderIdentified, RefusesNamesThatAreNotThere) {
  EXPECT_EQ(
      error_text_about("name: d11", "name: d17"),
      "bad.yaml:23: identified.parameters[1].name = 'd17' is no parameter (such as m11, d26, q11|1|, W-B, "
      "zgW-zbB)");
  EXPECT_EQ(error_text_about("name: d11", "name: m11"),
            "bad.yaml:23: identified.parameters[1].name = 'm11' is used twice (one entry for each parameter)");
  EXPECT_EQ(error_text_about("surge and weight", "vehicle-42"),
            "bad.yaml:15: identified.structure = 'vehicle-42', expected one of vehicle-23, vehicle-24, "
            "vehicle-25, vehicle-27 (did you mean vehicle-24?)");
  EXPECT_EQ(
      error_text_about("surge and weight", "vehicle-27"),
      "bad.yaml:24: identified.parameters[2].name = 'W-B' is no parameter of vehicle-27 (give the structure "
      "a name of its own)");
  EXPECT_EQ(error_text_about("surge and weight", "vehicle-24"), "(it loads)") << "some of a structure will do";
  EXPECT_EQ(error_text_about("surge and weight", "full"), "(it loads)");
}

TEST(ReaderIdentified, RefusesRowsOfAnotherLength) {
  EXPECT_EQ(error_text_about("[-0.01, 0.25]", "[0.25]"),
            "bad.yaml:23: identified.parameters[1].covariance is a list of 1, expected 2 numbers (with each "
            "parameter above it, and its variance last)");
  EXPECT_EQ(
      error_text_about("[-0.01, 0.25]", "0.25"),
      "bad.yaml:23: identified.parameters[1].covariance is '0.25', expected 2 numbers (with each parameter "
      "above it, and its variance last)");
}

TEST(ReaderIdentified, RefusesCovariancesThatCannotBe) {
  EXPECT_EQ(
      error_text_about("[-0.01, 0.25]", "[-0.11, 0.25]"),
      "bad.yaml:23: identified.parameters[1].covariance[0] = -0.11, must be within +-0.1, by the variances "
      "of d11 and m11 (was a number edited, or a row moved?)");
  EXPECT_EQ(error_text_about("[-0.01, 0.25]", "[-0.01, -0.25]"),
            "bad.yaml:23: identified.parameters[1].covariance[1] = -0.25, must be >= 0 (the last number is the "
            "variance)");
  EXPECT_EQ(
      error_text_about("[0, 0, .inf]", "[0, 1, .inf]"),
      "bad.yaml:24: identified.parameters[2].covariance[1] = 1, must be within +-0, by the variances of W-B "
      "and d11 (what is exact or unknown has no covariance with the rest)");
  EXPECT_EQ(
      error_text(
          with(with(identified_file, "[-0.01, 0.25]", "[-0.09, 0.25]"), "[0, 0, .inf]", "[-0.18, -0.45, 1]")),
      "bad.yaml:19: identified.parameters have an indefinite covariance: the smallest eigenvalue of their "
      "correlations is -0.8, must be >= 0 (was a number edited, or a row moved?)");
}

TEST(ReaderIdentified, RefusesWhatIsNotFinite) {
  EXPECT_EQ(error_text_about("[0, 0, .inf]", "[0, .inf, .inf]"),
            "bad.yaml:24: identified.parameters[2].covariance[1] = .inf, must be finite (only a variance, the "
            "last, can be .inf)");
  EXPECT_EQ(
      error_text_about("[0, 0, .inf]", "[0, 0, .nan]"),
      "bad.yaml:24: identified.parameters[2].covariance[2] = .nan, must be finite (write .inf for what is "
      "unknown)");
  EXPECT_EQ(
      error_text_about("value: 4,", "value: .inf,"),
      "bad.yaml:23: identified.parameters[1].value = .inf, must be finite (measure it, or leave the key out "
      "if it is optional)");
  EXPECT_EQ(error_text_about("density: 1000", "density: 0"),
            "bad.yaml:17: identified.density = 0, must be > 0 (kg/m^3 and m/s^2, such as 1000 and 9.81)");
}

TEST(ReaderIdentified, RefusesWhatIsMissing) {
  EXPECT_EQ(error_text_about("  gravity: 9.81\n", ""),
            "bad.yaml:14: identified lacks the key gravity (m/s^2, such as 9.81)");
  EXPECT_EQ(error_text_about("value: 4, ", ""),
            "bad.yaml:23: identified.parameters[1] lacks the key value (of the estimate)");
  const std::string head = identified_file.substr(0, identified_file.find("    - name: m11"));
  EXPECT_EQ(error_text(with(head, "parameters:", "parameters: []")),
            "bad.yaml:19: identified.parameters is empty (leave identified out if nothing was)");
  std::string many = head;
  for (int k = 0; k < 100000; ++k) many += "    - {}\n";
  EXPECT_EQ(error_text(many),
            "bad.yaml:19: identified.parameters is a list of 100000, expected at most 294 (one entry for each "
            "parameter)");
}

TEST(ReaderIdentified, IsLintedForValuesThatWereEditedAfterwards) {
  const auto lint = [](const std::string& text) {
    const fathom::test::TemporaryFolder folder;
    fathom::test::spill(folder / "f.yaml", text);
    std::string lines;
    for (Finding finding : read_robot_spec(folder / "f.yaml", Environment(1025)).findings)
      if (finding.key.starts_with("identified")) {
        finding.file = "f.yaml";
        lines += to_string(finding.severity) + ": " + finding.text() + "\n";
      }
    return lines;
  };
  EXPECT_EQ(lint(identified_file), "") << "in its own environment, not that of lint";
  EXPECT_EQ(lint(with(identified_file, "[4, 6, 5, ", "[4.5, 6, 5, ")),
            "warning: f.yaml:23: identified.parameters[1] d11 = 4 was identified, the robot now has 4.5: the "
            "covariance is not used for it (a value was edited after the estimate? estimate again, or remove "
            "identified)\n");
  EXPECT_EQ(
      lint(with(identified_file, "mass: 11.5", "mass: 11.4")),
      "warning: f.yaml:20: identified.parameters[0] m11 = 17.86 was identified, the robot now has 17.76 (and "
      "1 more like it): the covariance is not used for it (a value was edited after the estimate? estimate "
      "again, or remove identified)\n");
}

}  // namespace
}  // namespace fathom::model::reader_identified_test
