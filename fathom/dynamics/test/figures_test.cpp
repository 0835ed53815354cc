// A robot so simple that its figures can be written down.
#include "fathom/dynamics/figures.hpp"

#include <gtest/gtest.h>

#include "fathom/model_file/robot_file.hpp"

namespace fathom::dynamics::figures_test {
namespace {

/// Two thrusters that push ahead, side by side.
constexpr const char* file = R"(
format: fathom-robot-1
name: pair
hull:
  mass: 10
  inertia: [1, 2, 2.5]
  centre_of_mass: [0, 0, 0.03]
  volume: 0.011
  centre_of_buoyancy: [0, 0, -0.02]
  added_mass: [5, 6, 7, 0.1, 0.2, 0.3]
damping:
  - name: hull
    linear: [1, 1, 1, 1, 1, 1]
thrusters:
  - {name: port, position: [0, -0.2, 0], direction: [1, 0, 0], force: [-30, 40]}
  - {name: starboard, position: [0, 0.2, 0], direction: [1, 0, 0], force: [-30, 40]}
)";

TEST(Figures, OfAPairOfThrustersByHand) {
  const Figures of = figures_of(model::parse_robot(file, "pair.yaml"), model::Environment(1025));
  EXPECT_NEAR(of.triangle_margin, 0.5, 1e-14);
  EXPECT_NEAR(of.largest_moment, 2.5, 1e-14);
  EXPECT_NEAR(of.righting_arm, 0.05, 1e-15);
  EXPECT_NEAR(of.buoyancy / of.weight, 1.025 * 0.011 / 0.010, 1e-14);
  EXPECT_EQ(of.rank, 2);
  ASSERT_TRUE(of.alone);
  const std::array<model::ForceRange, 6> expected = {{{-60, 80}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {-12, 12}}};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR((*of.alone)[i].min, expected[i].min, 1e-9) << i;
    EXPECT_NEAR((*of.alone)[i].max, expected[i].max, 1e-9) << i;
  }
}

/// Roll with sway: [[m + a, -m z], [-m z, I]] has a smaller root in closed form, where I is about the origin.
TEST(Figures, LeastEigenvalueOfTheMassMatrix) {
  const model::Robot robot = model::parse_robot(file, "pair.yaml");
  const double a = 10 + 6, b = -10 * 0.03, d = model::rigid_body_inertia(robot.hull())(3, 3) + 0.1;
  EXPECT_NEAR(figures_of(robot, model::Environment()).smallest_inertia,
              0.5 * (a + d) - std::sqrt(0.25 * (a - d) * (a - d) + b * b), 1e-12);
}

TEST(Figures, WithoutKnownForcesNothingIsSaidOfWrenches) {
  std::string text = file;
  for (std::size_t at; (at = text.find(", force: [-30, 40]")) != std::string::npos;) text.erase(at, 18);
  const Figures of = figures_of(model::parse_robot(text, "pair.yaml"), model::Environment());
  EXPECT_FALSE(of.alone);
  EXPECT_EQ(of.rank, 2);
}

}  // namespace
}  // namespace fathom::dynamics::figures_test
