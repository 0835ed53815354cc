#include <gtest/gtest.h>

#include "fathom/geometry/rotation.hpp"
#include "fathom/geometry/test/random_geometry.hpp"

namespace fathom::skew_test {
namespace {

TEST(Skew, IsTheCrossProductAsAMatrix) {
  RandomStream random(1, "skew");
  for (int k = 0; k < 100; ++k) {
    const Vec3 a = test::random_matrix<Vec3>(random), b = test::random_matrix<Vec3>(random);
    EXPECT_LT(test::distance(skew(a) * b, a.cross(b)), 1e-14);
  }
}

TEST(Skew, TurnsForwardIntoStarboardAboutDown) {
  EXPECT_EQ(skew(Vec3::UnitZ()) * Vec3::UnitX(), Vec3::UnitY());
}

TEST(Skew, ChangesSignWhenTransposed) {
  const Vec3 a(1, -2, 3);
  EXPECT_EQ(Mat3(skew(a).transpose()), Mat3(-skew(a)));
  EXPECT_EQ(skew(a)(2, 1), 1);
}

}  // namespace
}  // namespace fathom::skew_test
