#include "fathom/model/hull_shape.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::model {
namespace {

using std::numbers::pi;

/// The squares of the other two entries, added.
Vec3 sums_of_other_squares(const Vec3& v) {
  const Vec3 squares = v.cwiseAbs2();
  return Vec3::Constant(squares.sum()) - squares;
}

Vec3 products_of_others(const Vec3& v) { return {v.y() * v.z(), v.x() * v.z(), v.x() * v.y()}; }

struct SizeOf {
  Vec3 operator()(const Ellipsoid& e) const { return e.size; }
  Vec3 operator()(const Cylinder& c) const { return {c.length, c.diameter, c.diameter}; }
  Vec3 operator()(const Cuboid& b) const { return b.size; }
};

struct ShareOfBox {
  double operator()(const Ellipsoid&) const { return pi / 6; }
  double operator()(const Cylinder&) const { return pi / 4; }
  double operator()(const Cuboid&) const { return 1; }
};

struct ShadowOf {
  Vec3 operator()(const Ellipsoid& e) const { return 0.25 * pi * products_of_others(e.size); }
  Vec3 operator()(const Cylinder& c) const {
    return {0.25 * pi * c.diameter * c.diameter, c.length * c.diameter, c.length * c.diameter};
  }
  Vec3 operator()(const Cuboid& b) const { return products_of_others(b.size); }
};

struct GyrationOf {
  Vec3 operator()(const Ellipsoid& e) const { return sums_of_other_squares(e.size) / 20; }
  Vec3 operator()(const Cylinder& c) const {
    const double d2 = c.diameter * c.diameter, across = d2 / 16 + c.length * c.length / 12;
    return {d2 / 8, across, across};
  }
  Vec3 operator()(const Cuboid& b) const { return sums_of_other_squares(b.size) / 12; }
};

}  // namespace

void check_shape(const Shape& shape) {
  constexpr double flattest = 0.01;  // the tables of docs/prior.md say nothing of thinner bodies
  const Vec3 size = size_of(shape);
  for (int i = 0; i < 3; ++i)
    if (!(size[i] > 0 && std::isfinite(size[i])))
      reject("shape",
             fmt::format("measures {:g} x {:g} x {:g} m, must be positive", size[0], size[1], size[2]));
  if (size.minCoeff() < flattest * size.maxCoeff())
    reject("shape",
           fmt::format("measures {:g} x {:g} x {:g} m: one side is less than a hundredth of another", size[0],
                       size[1], size[2]),
           "millimetres for one of them? Fathom wants m");
}

Vec3 size_of(const Shape& shape) { return std::visit(SizeOf{}, shape); }
double volume_of(const Shape& shape) { return std::visit(ShareOfBox{}, shape) * size_of(shape).prod(); }
Vec3 shadow_of(const Shape& shape) { return std::visit(ShadowOf{}, shape); }
Vec3 gyration_of(const Shape& shape) { return std::visit(GyrationOf{}, shape); }

}  // namespace fathom::model
