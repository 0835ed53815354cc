#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "fathom/model/hull_shape.hpp"
#include "fathom/model/internal/lamb.hpp"

namespace fathom::model {
namespace {

using std::numbers::pi;

struct Point {
  double x, y;
};

/// Straight lines between the points; the end values beyond.
double between_points(std::span<const Point> table, double x) {
  if (x <= table.front().x) return table.front().y;
  for (std::size_t k = 1; k < table.size(); ++k)
    if (x <= table[k].x) {
      const Point &a = table[k - 1], &b = table[k];
      return a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x);
    }
  return table.back().y;
}

// The tables are those of DNV-RP-H103 (2011), appendix A; docs/prior.md has them.

/// A thin rectangle a x b moving along its normal, over a/b <= 1: of the water in pi/4 a^2 b.
constexpr std::array<Point, 10> plate = {{{0, 1},
                                          {0.1, 0.947},
                                          {0.125, 0.934},
                                          {0.2, 0.897},
                                          {0.25, 0.872},
                                          {1 / 3.0, 0.830},
                                          {0.5, 0.757},
                                          {2 / 3.0, 0.690},
                                          {0.8, 0.642},
                                          {1, 0.579}}};

/// What thickness along the motion makes of that, over depth / a: of a strip, infinitely long.
constexpr std::array<Point, 8> thick_strip = {
    {{0, 1}, {0.1, 1.14}, {0.2, 1.21}, {0.5, 1.36}, {1, 1.51}, {2, 1.70}, {5, 1.98}, {10, 2.23}}};

/// The same of a square: prisms along their length, 0.68, 0.36, 0.24 .. 0.08 of their own volume, by the plate.
constexpr double square_plate = 0.579 * pi / 4;
constexpr std::array<Point, 10> thick_square = {{{0, 1},
                                                 {0.1, 1.14},
                                                 {0.2, 1.21},
                                                 {0.5, 1.36},
                                                 {1, 0.68 / square_plate},
                                                 {2, 2 * 0.36 / square_plate},
                                                 {3, 3 * 0.24 / square_plate},
                                                 {4, 4 * 0.19 / square_plate},
                                                 {5, 5 * 0.15 / square_plate},
                                                 {10, 10 * 0.08 / square_plate}}};

/// A cylinder across its axis, over diameter / length: of the water that it displaces.
constexpr std::array<Point, 5> across_cylinder = {
    {{0, 1}, {1 / 9.0, 0.96}, {0.2, 0.90}, {0.4, 0.78}, {1 / 1.2, 0.62}}};

/// Along one axis of a box: docs/prior.md eq. 7.
double along_box(double depth, double side, double other_side, double density) {
  const auto [a, b] = std::minmax(side, other_side);
  const double strip = between_points(thick_strip, depth / a), square = between_points(thick_square, depth / a);
  return density * 0.25 * pi * a * a * b * between_points(plate, a / b) * (strip + a / b * (square - strip));
}

/// What of strip theory's moment a body turning about axis i has: docs/prior.md eq. 8.
double turning_share(const Vec3& size, int i) {
  constexpr double plate_about_its_middle = 0.375;
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  const Vec3 half = 0.5 * size;
  const Vec6 mass = internal::ellipsoid_added_mass(half, 1);
  const double strips = (mass[j] * half[k] * half[k] + mass[k] * half[j] * half[j]) / 5;
  return std::max(plate_about_its_middle, mass[3 + i] / strips);
}

struct AddedMass {
  double density;

  Vec6 operator()(const Ellipsoid& e) const { return internal::ellipsoid_added_mass(0.5 * e.size, density); }

  Vec6 operator()(const Cylinder& c) const {
    const double r = 0.5 * c.diameter, slimness = c.length / c.diameter;
    const double of_displaced = slimness < 1.2 ? 0.62 * slimness / 1.2  // edge on, as the length
                                               : between_points(across_cylinder, 1 / slimness);
    const double across = of_displaced * density * pi * r * r * c.length;
    // A disc, 8/3 rho r^3, thick as a square of its area is.
    const double along =
        8.0 / 3 * density * r * r * r * between_points(thick_square, c.length / (std::sqrt(pi) * r));
    const double strips = across * c.length * c.length / 12 + along * r * r / 4;
    const double turning = strips * turning_share(size_of(c), 1);
    return (Vec6() << along, across, across, 0, turning, turning).finished();
  }

  Vec6 operator()(const Cuboid& box) const {
    Vec6 mass;
    for (int i = 0; i < 3; ++i)
      mass[i] = along_box(box.size[i], box.size[(i + 1) % 3], box.size[(i + 2) % 3], density);
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      const double strips = (mass[j] * box.size[k] * box.size[k] + mass[k] * box.size[j] * box.size[j]) / 12;
      mass[3 + i] = turning_share(box.size, i) * strips;
    }
    return mass;
  }
};

}  // namespace

Vec6 added_mass_of_shape(const Shape& shape, double density) {
  check_shape(shape);
  return std::visit(AddedMass{density}, shape);
}

}  // namespace fathom::model
