#include "fathom/exchange/internal/sdf_volume.hpp"

#include <numbers>

#include "fathom/geometry/types.hpp"

namespace fathom::exchange::internal {
namespace {

double positive(const XmlElement& shape, std::string_view tag) {
  const XmlElement size = shape.required_child(tag, "in metres");
  const double value = size.number();
  if (!(value > 0)) size.reject_it("must be above zero");
  return value;
}

Vec3 positive_vector(const XmlElement& shape, std::string_view tag) {
  const XmlElement size = shape.required_child(tag, "three lengths in metres");
  Vec3 value = size.vector3();
  if (!(value.minCoeff() > 0)) size.reject_it("must be above zero");
  return value;
}

}  // namespace

std::optional<double> volume_of_geometry(const XmlElement& geometry) {
  constexpr double pi = std::numbers::pi;
  if (const auto box = geometry.child("box")) return positive_vector(*box, "size").prod();
  if (const auto sphere = geometry.child("sphere"))
    return 4 * pi / 3 * std::pow(positive(*sphere, "radius"), 3);
  if (const auto cylinder = geometry.child("cylinder")) {
    const double radius = positive(*cylinder, "radius");
    return pi * radius * radius * positive(*cylinder, "length");
  }
  if (const auto ellipsoid = geometry.child("ellipsoid"))
    return 4 * pi / 3 * positive_vector(*ellipsoid, "radii").prod();
  if (const auto capsule = geometry.child("capsule")) {
    const double radius = positive(*capsule, "radius");
    return pi * radius * radius * (positive(*capsule, "length") + 4 * radius / 3);
  }
  return std::nullopt;
}

}  // namespace fathom::exchange::internal
