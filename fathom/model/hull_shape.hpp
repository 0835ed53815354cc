#pragma once
#include <variant>

#include "fathom/geometry/pose.hpp"
#include "fathom/geometry/types.hpp"

namespace fathom::model {

/// Bodies whose hydrodynamics can be told from their dimensions, in axes and about the middle of their own.
struct Ellipsoid {
  Vec3 size = Vec3::Zero();  ///< m, length, width, height: twice the semi-axes
};
struct Cylinder {
  double length = 0, diameter = 0;  ///< m; its axis is its x
};
struct Cuboid {
  Vec3 size = Vec3::Zero();  ///< m, length, width, height
};
using Shape = std::variant<Ellipsoid, Cylinder, Cuboid>;

/// A hull as a shape: where its middle is in b, and how it is turned.
struct HullShape {
  Shape shape;
  Pose pose;
};

/// Throws InputError unless every dimension is positive, finite and within a hundredth of the largest.
void check_shape(const Shape& shape);

/// m, of the box around it, in its own axes.
Vec3 size_of(const Shape& shape);
/// m^3
double volume_of(const Shape& shape);
/// m^2, of its shadow along each of its axes.
Vec3 shadow_of(const Shape& shape);
/// m^2: inertia about the middle of a body that fills the shape evenly, per kg; docs/prior.md eq. 1.
Vec3 gyration_of(const Shape& shape);

/// Added mass about the middle, in the shape's own axes, where it is diagonal: kg and kg m^2.
/// docs/prior.md eqs. 4 to 9.
Vec6 added_mass_of_shape(const Shape& shape, double density);

}  // namespace fathom::model
