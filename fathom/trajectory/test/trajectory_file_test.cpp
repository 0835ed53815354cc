#include "fathom/trajectory/trajectory_file.hpp"

#include <bit>
#include <limits>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"

namespace fathom::trajectory::trajectory_file_test {
namespace {

Bezier random_path(int degree, int pieces, std::uint64_t seed) {
  RandomStream random(seed, "trajectory file");
  std::vector<double> knots = {0};
  for (int k = 0; k < pieces; ++k) knots.push_back(knots.back() + random.uniform(0.1, 3));
  Eigen::MatrixXd points(6, pieces * (degree + 1));
  for (double& x : points.reshaped()) x = random.uniform(-3, 3) * std::pow(10, random.uniform(-12, 3));
  return Bezier(knots, degree, points);
}

std::string findings_of(const std::string& text) {
  try {
    parse_trajectory(text, "path.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string changed(std::string text, const std::string& old, const std::string& now) {
  const auto at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), now);
}

TEST(TrajectoryFile, ReadsBackTheSameBits) {
  for (const int degree : {1, 3, 20, 60}) {
    Bezier path = random_path(degree, 7, degree);
    Eigen::MatrixXd points = path.points();
    points(0, 0) = -0.0;
    points(1, 1) = std::numeric_limits<double>::denorm_min();
    points(2, 0) = 0.1 + 0.2;
    points(3, 0) = -1e6;
    path = Bezier(path.knots(), degree, points);
    const Bezier read = parse_trajectory(trajectory_to_yaml(path, {"tank: 'x'", "#1"}), "path.yaml");
    EXPECT_EQ(read.degree(), degree);
    ASSERT_EQ(read.knots().size(), path.knots().size());
    ASSERT_EQ(read.points().size(), path.points().size());
    for (std::size_t k = 0; k < path.knots().size(); ++k)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(read.knots()[k]), std::bit_cast<std::uint64_t>(path.knots()[k]));
    for (Eigen::Index k = 0; k < path.points().size(); ++k)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(read.points().data()[k]),
                std::bit_cast<std::uint64_t>(path.points().data()[k]));
  }
}

TEST(TrajectoryFile, SaysWhatIsWrong) {
  const std::string good = R"(format: fathom-trajectory-1
coordinates: [x, y, z, roll, pitch, yaw]
units: [m, m, m, rad, rad, rad]
degree: 1
knots: [0, 1, 2]
points:
  x: [[0, 1], [1, 2]]
  y: [[0, 0], [0, 0]]
  z: [[5, 5], [5, 5]]
  roll: [[0, 0], [0, 0]]
  pitch: [[0, 0], [0, 0]]
  yaw: [[0, 0], [0, 0]]
)";
  EXPECT_EQ(findings_of(good), "");
  EXPECT_EQ(parse_trajectory(good, "").at(1.5).value[0], 1.5);
  const auto expect = [&](const std::string& old, const std::string& now, const std::string& words) {
    const std::string found = findings_of(changed(good, old, now));
    EXPECT_NE(found.find(words), std::string::npos) << words << "\n" << found;
  };
  expect("trajectory-1", "scenario-1", "path.yaml:1: format = 'fathom-scenario-1': this is a scenario");
  expect("[x, y, z,", "[x, z, y,", "path.yaml:2: coordinates = [x, z, y, roll, pitch, yaw], expected [x, y, z");
  expect("rad, rad, rad", "deg, deg, deg", "path.yaml:3: units = [m, m, m, deg, deg, deg], expected");
  expect("degree: 1", "degree: 61", "path.yaml:4: degree = 61, expected a whole number from 1 to 60");
  expect("[0, 1, 2]", "[0, 2, 1]", "path.yaml:5: knots[2] = 1 s, must be above the knot before, 2 s");
  expect("[0, 1, 2]", "[0, 1, 2, 3]", "path.yaml:7: points.x has 2 rows, expected 3");
  expect("[0, 1, 2]", "[]", "path.yaml:5: knots has 0 entries, at least 2");
  expect("[0, 1, 2]", "[1]", "path.yaml:5: knots has 1 entries, at least 2");
  expect("[1, 2]]", "[1, 2, 3]]", "path.yaml:7: points.x[1] is a list of 3, expected 2 numbers");
  expect("[[5, 5]", "[[5, .nan]", "must be finite");
  expect("[[5, 5]", "[[5, -1.1e6]", "path.yaml:9: points.z[0] has -1.1e+06 m, must be within 1e+06 m of zero");
  expect("yaw: [[0, 0]", "yaw: [[1e300, 0]",
         "path.yaml:12: points.yaw[0] has 1e+300 rad, must be within 1e+06 rad");
  expect("  yaw:", "  yar:", "points lacks the key yaw");
  expect("degree: 1\n", "", "the key degree is missing");
  expect("knots: [0, 1, 2]\n", "", "the key knots is missing");
  expect("knots", "knotts", "did you mean knots?");
  EXPECT_NE(findings_of("").find("empty"), std::string::npos);
}

TEST(TrajectoryFile, HoldsSixCoordinatesOnly) {
  EXPECT_THROW(trajectory_to_yaml(Bezier({0, 1}, 1, Eigen::MatrixXd::Zero(4, 2))), InputError);
}

}  // namespace
}  // namespace fathom::trajectory::trajectory_file_test
