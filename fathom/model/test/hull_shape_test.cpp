#include "fathom/model/hull_shape.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"

namespace fathom::model::hull_shape_test {
namespace {

using std::numbers::pi;
constexpr double water = 1000;

Vec6 of_ellipsoid(double a, double b, double c) {
  return added_mass_of_shape(Ellipsoid{Vec3(2 * a, 2 * b, 2 * c)}, water);
}

TEST(HullShape, ASphereHasHalfItsWaterAndTurnsFreely) {
  const Vec6 mass = of_ellipsoid(0.3, 0.3, 0.3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(mass[i], 2.0 / 3 * pi * water * std::pow(0.3, 3), 1e-10);
    EXPECT_NEAR(mass[3 + i], 0, 1e-12);
  }
}

TEST(HullShape, EllipsoidsAreLambs) {
  // SciPy: elliprd for Lamb's integrals, and his quotient of differences (arts. 114 and 115) as it stands.
  const auto expect = [](const Vec6& mass, const Vec6& scipy, double tolerance) {
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(mass[i] / scipy[i], 1, tolerance) << i;
  };
  expect(of_ellipsoid(1, 0.5, 0.25),
         (Vec6() << 66.2722727551, 208.482441701, 794.855026209, 13.292803729, 108.441442607, 19.004081137)
             .finished(),
         1e-10);
  expect(of_ellipsoid(0.3, 0.4, 0.2),
         (Vec6() << 44.1192079146, 26.9276137814, 94.193892439, 1.20422639583, 0.335630620967, 0.198333380068)
             .finished(),
         1e-10);
  expect(of_ellipsoid(2, 0.1, 0.15),
         (Vec6() << 1.18042575657, 184.742868894, 82.226924047, 0.130402217113, 63.3551000581, 142.87177233)
             .finished(),
         1e-9);
}

TEST(HullShape, LimitsOfEllipsoids) {
  const Vec6 needle = of_ellipsoid(5, 0.1, 0.1);
  const double section = pi * water * 0.01;  // per length: the water of the section
  EXPECT_NEAR(needle[1], section * 2.0 / 3 * 10, 0.01 * needle[1]);
  EXPECT_NEAR(needle[5], section * 4.0 / 15 * 125, 0.02 * needle[5]);  // strips: integral x^2 (1 - x^2/a^2)
  EXPECT_LT(needle[0], 0.01 * needle[1]);
  const Vec6 disc = of_ellipsoid(0.5, 0.5, 0.006);
  EXPECT_NEAR(disc[2], 8.0 / 3 * water * 0.125, 0.02 * disc[2]);
  EXPECT_NEAR(disc[4], 16.0 / 45 * water * std::pow(0.5, 5), 0.03 * disc[4]);
}

TEST(HullShape, ASlenderCylinderHasTheWaterOfItsSections) {
  const double r = 0.05, length = 8, sections = water * pi * r * r * length;
  const Vec6 mass = added_mass_of_shape(Cylinder{length, 2 * r}, water);
  EXPECT_NEAR(mass[1], sections, 0.01 * sections);
  EXPECT_NEAR(mass[4], sections * length * length / 12, 0.02 * mass[4]);
  EXPECT_EQ(mass[3], 0);
}

TEST(HullShape, AFlatCylinderIsADisc) {
  const Vec6 mass = added_mass_of_shape(Cylinder{0.011, 1}, water);
  EXPECT_NEAR(mass[0], 8.0 / 3 * water * 0.125, 0.03 * mass[0]);
  EXPECT_NEAR(mass[4], 16.0 / 45 * water * std::pow(0.5, 5), 0.4 * mass[4]);  // strips, by Lamb's share
}

TEST(HullShape, BoxesAreThePublishedPrismsStripsAndPlates) {
  // DNV-RP-H103: prisms along their length, of their own volume.
  const std::array<std::pair<double, double>, 4> prisms = {{{1, 0.68}, {2, 0.36}, {4, 0.19}, {10, 0.08}}};
  for (const auto& [slimness, share] : prisms)
    EXPECT_NEAR(added_mass_of_shape(Cuboid{Vec3(slimness, 1, 1)}, water)[0], share * slimness * water, 0.5);
  // A long square bar across its length: 1.51 rho pi (a/2)^2 per length, but for the ends.
  EXPECT_NEAR(added_mass_of_shape(Cuboid{Vec3(90, 1, 1)}, water)[1] / 90, 1.51 * pi / 4 * water, 10);
  // A thin square plate: 0.579 rho pi/4 a^3.
  EXPECT_NEAR(added_mass_of_shape(Cuboid{Vec3(0.01, 1, 1)}, water)[0], 0.579 * pi / 4 * water, 8);
  // A long thin plate turning about its long mid-line: rho pi/8 (a/2)^4 per length, with some thickness.
  const double plate = pi / 8 * water / 16;
  EXPECT_NEAR(added_mass_of_shape(Cuboid{Vec3(90, 1, 0.9)}, water)[3] / 90, 0.234 * pi * water / 16,
              0.8 * plate);
}

TEST(HullShape, BiggerIsHeavierWhateverTheTurn) {
  const Vec6 box = added_mass_of_shape(Cuboid{Vec3(0.5, 0.4, 0.3)}, water);
  const Vec6 twice = added_mass_of_shape(Cuboid{Vec3(1.0, 0.8, 0.6)}, water);
  EXPECT_TRUE(twice.head<3>().isApprox(8 * box.head<3>(), 1e-12));
  EXPECT_TRUE(twice.tail<3>().isApprox(32 * box.tail<3>(), 1e-12));
  const Vec6 turned = added_mass_of_shape(Cuboid{Vec3(0.4, 0.5, 0.3)}, water);
  EXPECT_NEAR(turned[0], box[1], 1e-12);
  EXPECT_NEAR(turned[3], box[4], 1e-12);
}

TEST(HullShape, VolumesShadowsAndGyration) {
  EXPECT_NEAR(volume_of(Ellipsoid{Vec3(2, 2, 2)}), 4.0 / 3 * pi, 1e-12);
  EXPECT_NEAR(volume_of(Cylinder{3, 2}), 3 * pi, 1e-12);
  EXPECT_EQ(volume_of(Cuboid{Vec3(2, 3, 4)}), 24);
  EXPECT_NEAR(shadow_of(Cylinder{3, 2}).x(), pi, 1e-12);
  EXPECT_NEAR(shadow_of(Cylinder{3, 2}).y(), 6, 1e-12);
  EXPECT_NEAR(gyration_of(Ellipsoid{Vec3(2, 2, 2)}).x(), 0.4, 1e-12);
  EXPECT_NEAR(gyration_of(Cylinder{3, 2}).x(), 0.5, 1e-12);
  EXPECT_NEAR(gyration_of(Cylinder{3, 2}).y(), 0.25 + 0.75, 1e-12);
  EXPECT_NEAR(gyration_of(Cuboid{Vec3(2, 3, 4)}).z(), 13.0 / 12, 1e-12);
}

TEST(HullShape, RefusesWhatIsNoBody) {
  const auto rejection = [](const Shape& shape) -> std::string {
    try {
      added_mass_of_shape(shape, water);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(rejection(Cuboid{Vec3(1, 0, 1)}).find("measures 1 x 0 x 1 m, must be positive"), std::string::npos);
  EXPECT_NE(rejection(Cylinder{std::nan(""), 1}).find("must be positive"), std::string::npos);
  EXPECT_NE(rejection(Ellipsoid{Vec3(500, 0.4, 0.3)}).find("less than a hundredth"), std::string::npos);
}

}  // namespace
}  // namespace fathom::model::hull_shape_test
