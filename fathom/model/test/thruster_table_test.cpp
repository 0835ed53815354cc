// Tables of thrusters between their points: docs/model.md eq. 29a.
#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/model/thruster_map.hpp"

namespace fathom::model::thruster_table_test {
namespace {

/// A law with a dead band, as a bench gives it: a point every 0.1.
double law(double u) {
  const double x = std::max(0.0, std::abs(u) - 0.06);
  return std::copysign(12 * x + 30 * x * x, u);
}

ThrusterMap bench() {
  ForceTable table{{}, {16}, {{}}};
  const auto add = [&](double u) {
    table.commands.push_back(u);
    table.forces[0].push_back(law(u));
  };
  for (int k = -10; k <= -1; ++k) add(0.1 * k);
  for (const double u : {-0.06, 0.0, 0.06}) add(u);
  for (int k = 1; k <= 10; ++k) add(0.1 * k);
  ThrusterMap map;
  map.law = table;
  return map;
}

TEST(ThrusterTable, FollowsASmoothLawBetweenItsPoints) {
  const ThrusterMap map = bench();
  double worst = 0, of_lines = 0;
  for (double u = -1; u <= 1; u += 0.003) {
    worst = std::max(worst, std::abs(force_of_command(map, u, 16) - law(u)));
    const double low = std::floor(u * 10 + 1e-9) / 10, share = (u - low) / 0.1;
    if (std::abs(u) > 0.2)
      of_lines = std::max(of_lines, std::abs(law(low) + share * (law(low + 0.1) - law(low)) - law(u)));
  }
  EXPECT_LT(worst, 0.02);  // of 38 N
  EXPECT_GT(of_lines, 0.07);
}

TEST(ThrusterTable, GivesItsPointsAndNothingInADeadBandAndNeverFalls) {
  const ThrusterMap map = bench();
  const auto& table = std::get<ForceTable>(map.law);
  for (std::size_t k = 0; k < table.commands.size(); ++k)
    EXPECT_DOUBLE_EQ(force_of_command(map, table.commands[k], 16), table.forces[0][k]);
  for (const double u : {-0.05, -0.01, 0.02, 0.059}) EXPECT_EQ(force_of_command(map, u, 16), 0);
  ThrusterMap steep = map;  // a step between two shelves
  steep.law = ForceTable{{-1, -0.5, 0, 0.5, 0.52, 1}, {16}, {{-2, -2, 0, 0.1, 9, 9.1}}};
  double last = -infinity;
  for (double u = -1; u <= 1; u += 1e-3) {
    const double f = force_of_command(steep, u, 16);
    EXPECT_GE(f, last - 1e-12) << u;
    last = f;
  }
}

TEST(ThrusterTable, ACommandGivesItsForceBack) {
  const ThrusterMap map = bench();
  for (double f = -27; f <= 37; f += 0.37) {
    const double u = command_of_force(map, f, 16);
    EXPECT_NEAR(force_of_command(map, u, 16), f, 1e-10) << f;
  }
}

/// A neutral command between two points gives nothing, as check_thruster_map() wants it.
TEST(ThrusterTable, NeutralBetweenPointsGivesNothing) {
  ThrusterMap map;
  map.command = {CommandUnit::volt, -2, 3, 0.25};
  map.law = ForceTable{{-2, -1, 1.5, 3}, {12}, {{-9, -2, 2, 11}}};
  ASSERT_TRUE(check_thruster_map(map, std::nullopt, "map").empty());
  EXPECT_NEAR(force_of_command(map, 0.25, 12), 0, 1e-15);
}

}  // namespace
}  // namespace fathom::model::thruster_table_test
