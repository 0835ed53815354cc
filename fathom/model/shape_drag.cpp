#include "fathom/model/shape_drag.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace fathom::model {
namespace {

/// By length / diameter of a cylinder, straight lines between; Hoerner 1965, White 2011 table 7.3.
struct DragPoint {
  double slimness, coefficient;
};
constexpr std::array<DragPoint, 6> along_axis = {
    {{0, 1.17}, {0.5, 1.15}, {1, 0.90}, {2, 0.85}, {4, 0.87}, {8, 0.99}}};
constexpr std::array<DragPoint, 6> across_axis = {
    {{1, 0.64}, {2, 0.68}, {5, 0.74}, {10, 0.82}, {40, 0.98}, {100, 1.20}}};

double coefficient(const std::array<DragPoint, 6>& table, double slimness) {
  if (slimness <= table.front().slimness) return table.front().coefficient;
  for (std::size_t k = 1; k < table.size(); ++k)
    if (slimness <= table[k].slimness) {
      const double share = (slimness - table[k - 1].slimness) / (table[k].slimness - table[k - 1].slimness);
      return table[k - 1].coefficient + share * (table[k].coefficient - table[k - 1].coefficient);
    }
  return table.back().coefficient;
}

/// On the shadow along each axis: docs/prior.md, table of coefficients.
struct Coefficients {
  Vec3 operator()(const Ellipsoid& e) const {
    constexpr double friction = 0.005, disc = 1.17;  // Hoerner 1965: form and skin
    Vec3 drag;
    for (int i = 0; i < 3; ++i) {
      const double fullness = std::sqrt(e.size[(i + 1) % 3] * e.size[(i + 2) % 3]) / e.size[i];
      drag[i] = std::min(disc, 0.44 * fullness + 4 * friction / fullness + 4 * friction * std::sqrt(fullness));
    }
    return drag;
  }
  Vec3 operator()(const Cylinder& c) const {
    const double slimness = c.length / c.diameter, across = coefficient(across_axis, slimness);
    return {coefficient(along_axis, slimness), across, across};
  }
  Vec3 operator()(const Cuboid&) const { return Vec3::Constant(1.05); }  // a cube, face on
};

/// The mean of |distance|^3 over a shadow, by the cube of its length in that direction: 1/32 where its width is
/// the same all along, 1/(15 pi) for an ellipse.
constexpr double of_rectangle = 1.0 / 32, of_ellipse = 1 / (15 * std::numbers::pi);

/// What strips that move across axis j, at their distances along axis k, make about the third: D_j size_k^3
/// mean.
struct Turning {
  Vec3 across;

  Vec3 operator()(const Ellipsoid& e) const { return strips(e.size, of_ellipse, of_ellipse); }
  Vec3 operator()(const Cuboid& b) const { return strips(b.size, of_rectangle, of_rectangle); }
  Vec3 operator()(const Cylinder& c) const {
    Vec3 turning = strips({c.length, c.diameter, c.diameter}, of_rectangle, of_ellipse);
    constexpr double rough_skin = 0.01;  // about its own axis nothing pushes, only the skin drags
    turning.x() = rough_skin * across.y() * std::pow(c.diameter, 3);
    return turning;
  }

 private:
  /// `ahead`: mean of the shadow along x; `aside`: of the others.
  Vec3 strips(const Vec3& size, double aside, double ahead) const {
    const Vec3 cubes = size.array().cube();
    return {aside * (across.y() * cubes.z() + across.z() * cubes.y()),
            aside * across.z() * cubes.x() + ahead * across.x() * cubes.z(),
            aside * across.y() * cubes.x() + ahead * across.x() * cubes.y()};
  }
};

}  // namespace

ShapeDrag quadratic_drag_of(const Shape& shape, HullKind kind, double density) {
  const bool open = kind == HullKind::open_frame;
  constexpr double of_bars = 1.2;  // bars, tubes and thrusters in the wake of one another, on the whole shadow
  const Vec3 coefficients = open ? Vec3::Constant(of_bars) : std::visit(Coefficients{}, shape);
  ShapeDrag drag;
  drag.value.head<3>() = 0.5 * density * coefficients.cwiseProduct(shadow_of(shape));
  drag.value.tail<3>() = std::visit(Turning{drag.value.head<3>()}, shape);
  drag.sigma.head<3>() = (open ? 0.75 : 0.5) * drag.value.head<3>();
  drag.sigma.tail<3>() = drag.value.tail<3>();
  // What sticks out of a smooth body of revolution turns about its axis as the sides of a box do.
  const Vec3 size = size_of(shape), cubes = size.array().cube();
  const double box_roll = of_rectangle * (drag.value[1] * cubes.z() + drag.value[2] * cubes.y());
  drag.sigma[3] = std::max(drag.sigma[3], box_roll);
  return drag;
}

}  // namespace fathom::model
