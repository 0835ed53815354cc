// The map of bluerov2-heavy, and tables, against the manufacturer's measurements. The data is not part of the
// repository: FATHOM_DATA names its folder.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "fathom/base/test/data_folder.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::t200_data_test {
namespace {

struct Point {
  double pwm = 0, force = 0;
};

/// By voltage; empty if the data is not there.
std::map<double, std::vector<Point>> t200_points() {
  std::ifstream file(fathom::test::data_folder() / "thruster_t200" / "T200_10_12_16_20V_derived.csv");
  std::map<double, std::vector<Point>> points;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream words(line);
    double pwm = 0, rpm = 0, current = 0, voltage = 0, power = 0, kgf = 0;
    if (words >> pwm >> rpm >> current >> voltage >> power >> kgf)
      points[voltage].push_back({pwm, 9.80665 * kgf});
  }
  return points;
}

TEST(T200Data, ThePolynomialPairOfBluerov2HeavyFitsTheTableAt16Volt) {
  const auto points = t200_points();
  if (points.empty()) GTEST_SKIP() << "no thruster_t200 in FATHOM_DATA";
  const Robot robot = read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml");
  for (const Thruster& thruster : robot.thrusters()) {
    ASSERT_TRUE(thruster.map);
    double sum = 0, peak = 0;
    for (const Point& point : points.at(16)) {
      const double error = force_of_command(*thruster.map, (point.pwm - 1500) / 400, 16) - point.force;
      sum += error * error;
      peak = std::max(peak, std::abs(error));
    }
    EXPECT_LT(std::sqrt(sum / static_cast<double>(points.at(16).size())), 0.18);  // the file says 0.17 N
    EXPECT_LT(peak, 0.62);                                                        // and 0.61 N
  }
}

/// Every fourth point of each voltage makes the table (noise that falls is levelled), the others judge it.
TEST(T200Data, ATableOfFourVoltagesReproducesPointsHeldOut) {
  const auto points = t200_points();
  if (points.empty()) GTEST_SKIP() << "no thruster_t200 in FATHOM_DATA";
  ThrusterMap map;
  map.command = {CommandUnit::pwm_us, 1100, 1900, 1500};
  ForceTable table;
  for (const auto& [voltage, list] : points) {
    std::vector<double> row;
    table.commands.clear();
    for (std::size_t k = 0; k < list.size(); k += 4) {
      table.commands.push_back(list[k].pwm);
      row.push_back(row.empty() ? list[k].force : std::max(row.back(), list[k].force));
    }
    table.voltages.push_back(voltage);
    table.forces.push_back(row);
  }
  map.law = table;
  const auto findings = check_thruster_map(map, std::nullopt, "map");
  ASSERT_TRUE(findings.empty()) << findings.front().text();
  double peak = 0, between = 0;
  for (const auto& [voltage, list] : points)
    for (const Point& point : list)
      peak = std::max(peak, std::abs(force_of_command(map, point.pwm, voltage) - point.force));
  EXPECT_LT(peak, 0.8);  // of 66 N; the table itself is rough by half of that
  // A voltage that the table does not have: 12 V from 10 and 16 V.
  ForceTable coarse = table;
  coarse.voltages.erase(coarse.voltages.begin() + 1);
  coarse.forces.erase(coarse.forces.begin() + 1);
  map.law = coarse;
  for (const Point& point : points.at(12))
    between = std::max(between, std::abs(force_of_command(map, point.pwm, 12) - point.force));
  EXPECT_LT(between, 1.5);
  EXPECT_EQ(force_of_command(map, 1900, 8), force_of_command(map, 1900, 10));
  EXPECT_EQ(force_of_command(map, 1900, 30), force_of_command(map, 1900, 20));
}

}  // namespace
}  // namespace fathom::model::t200_data_test
