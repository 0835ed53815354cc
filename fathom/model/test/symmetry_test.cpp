#include "fathom/model/internal/symmetry.hpp"

#include <gtest/gtest.h>

#include "fathom/geometry/test/random_geometry.hpp"

namespace fathom::model::symmetry_test {
namespace {

using fathom::test::random_matrix;

/// How a twist mirrors in the plane with normal `axis`: velocities like arrows, rates with the other sign.
Mat6 mirror(int axis) {
  Vec3 arrow = Vec3::Ones();
  arrow[axis] = -1;
  Vec6 signs;
  signs << arrow, -arrow;
  return signs.asDiagonal();
}

/// The mirrors that a symmetry states: port-starboard turns y, fore-aft x, top-bottom z.
std::vector<Mat6> mirrors(const Symmetry& symmetry) {
  std::vector<Mat6> result;
  if (symmetry.port_starboard) result.push_back(mirror(1));
  if (symmetry.fore_aft) result.push_back(mirror(0));
  if (symmetry.top_bottom) result.push_back(mirror(2));
  return result;
}

std::vector<Symmetry> all_symmetries() {
  std::vector<Symmetry> result;
  for (int k = 0; k < 8; ++k) result.push_back({(k & 1) != 0, (k & 2) != 0, (k & 4) != 0});
  return result;
}

/// A random matrix that is its own image in every mirror.
Mat6 symmetric_matrix(const Symmetry& symmetry, RandomStream& random) {
  Mat6 m = random_matrix<Mat6>(random);
  for (const Mat6& S : mirrors(symmetry)) m = (0.5 * (m + S * m * S)).eval();
  return m;
}

TEST(Symmetry, AllowsTheEntriesThatSurviveTheReflectionLaw) {
  RandomStream random(1, "reflection");
  for (const Symmetry& symmetry : all_symmetries()) {
    const Mat6 m = symmetric_matrix(symmetry, random);
    for (const Mat6& S : mirrors(symmetry)) ASSERT_TRUE(Mat6(S * m * S) == m);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        EXPECT_EQ(internal::allowed_by(symmetry, i, j), m(i, j) != 0) << i << " " << j;
  }
}

TEST(Symmetry, IsNotBrokenByAMatrixThatIsItsOwnImage) {
  RandomStream random(1, "own image");
  for (const Symmetry& symmetry : all_symmetries())
    EXPECT_FALSE(internal::broken_symmetry(symmetry, symmetric_matrix(symmetry, random)));
}

TEST(Symmetry, IsBrokenByAnyEntryThatAMirrorTurns) {
  for (const Symmetry& symmetry : all_symmetries())
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        Mat6 m = Mat6::Identity();
        m(i, j) = 1e-300;
        const auto broken = internal::broken_symmetry(symmetry, m);
        ASSERT_EQ(broken.has_value(), !internal::allowed_by(symmetry, i, j)) << i << " " << j;
        if (!broken) continue;
        EXPECT_EQ(broken->row, i);
        EXPECT_EQ(broken->column, j);
      }
}

TEST(Symmetry, NamesThePlaneThatIsBroken) {
  Mat6 m = Mat6::Zero();
  m(0, 4) = 1;  // surge and pitch: a keel, no mirror image above
  EXPECT_FALSE(internal::broken_symmetry({true, true, false}, m));
  EXPECT_EQ(internal::broken_symmetry({true, true, true}, m)->plane, "top_bottom");
  m(0, 5) = 1;  // surge and yaw: comes first in the order of planes
  EXPECT_EQ(internal::broken_symmetry({true, true, true}, m)->plane, "port_starboard");
}

TEST(Symmetry, ListsOnlyThePlanesThatAreStated) {
  EXPECT_TRUE(internal::planes({}).empty());
  const auto two = internal::planes({true, false, true});
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].name, "port_starboard");
  EXPECT_EQ(two[1].name, "top_bottom");
  for (const internal::Plane& plane : internal::planes({true, true, true})) {
    const int axis = plane.name == "port_starboard" ? 1 : plane.name == "fore_aft" ? 0 : 2;
    for (int i = 0; i < 6; ++i)
      EXPECT_EQ(plane.signs[static_cast<std::size_t>(i)], mirror(axis)(i, i)) << plane.name;
  }
}

TEST(Symmetry, OfAllPlanesLeavesOnlyTheDiagonal) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) EXPECT_EQ(internal::allowed_by({true, true, true}, i, j), i == j);
}

}  // namespace
}  // namespace fathom::model::symmetry_test
