#include "fathom/loop/log_layout.hpp"

#include <gtest/gtest.h>

namespace fathom::loop::log_layout_test {
namespace {

/// The names that people and other programs see stand where the numbers say.
TEST(LogLayout, NamesStandAtTheirPlaces) {
  const auto pose = PoseAndTwist::columns();
  ASSERT_EQ(pose.size(), PoseAndTwist::width);
  EXPECT_EQ(pose[PoseAndTwist::position].name, "north");
  EXPECT_EQ(pose[PoseAndTwist::attitude].name, "qw");
  EXPECT_EQ(pose[PoseAndTwist::twist].name, "u");
  ASSERT_EQ(Demand::columns().size(), Demand::width);
  EXPECT_EQ(Demand::columns()[Demand::wrench].name, "X");
  EXPECT_EQ(Demand::columns()[Demand::saturated].name, "saturated");
  ASSERT_EQ(Pull::columns().size(), Pull::width);
  EXPECT_EQ(Pull::columns()[Pull::force].name, "north");
  EXPECT_EQ(Pull::columns()[Pull::tension].name, "tension");
}

TEST(LogLayout, APoseThatIsPutIsReadBack) {
  std::vector<double> row(20, -1);
  const Quat q_nb(0.5, -0.5, 0.1, 0.7);
  const auto filled = PoseAndTwist::put(row, q_nb, Vec3(1, 2, 3), Vec6::LinSpaced(4, 9));
  ASSERT_EQ(filled.size(), PoseAndTwist::width);
  EXPECT_EQ(PoseAndTwist::position_in(row), Vec3(1, 2, 3));
  EXPECT_EQ(PoseAndTwist::attitude_in(row).coeffs(), q_nb.coeffs());
  EXPECT_EQ(row[3], 0.5);  // w first
  EXPECT_EQ(row[PoseAndTwist::twist + 5], 9);
  EXPECT_EQ(row[PoseAndTwist::width], -1);
}

}  // namespace
}  // namespace fathom::loop::log_layout_test
