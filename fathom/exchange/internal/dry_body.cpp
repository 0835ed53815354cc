#include "fathom/exchange/internal/dry_body.hpp"

#include <Eigen/Eigenvalues>

#include "fathom/geometry/spectrum.hpp"

namespace fathom::exchange::internal {
namespace {

/// Of a point mass about a point that is `lever` away (Huygens and Steiner).
Mat3 steiner(double mass, const Vec3& lever) {
  return mass * (lever.squaredNorm() * Mat3::Identity() - lever * lever.transpose());
}

}  // namespace

DryBody together(const std::vector<DryBody>& parts) {
  if (parts.size() == 1) return parts.front();  // to the last bit
  DryBody whole;
  Vec3 moment = Vec3::Zero();
  for (const DryBody& part : parts) {
    whole.mass += part.mass;
    moment += part.mass * part.centre_of_mass;
  }
  if (whole.mass > 0) whole.centre_of_mass = moment / whole.mass;
  for (const DryBody& part : parts)
    whole.inertia += part.inertia + steiner(part.mass, part.centre_of_mass - whole.centre_of_mass);
  return whole;
}

DryBody without(const DryBody& body, const std::vector<DryBody>& parts) {
  if (parts.empty()) return body;
  DryBody rest = body;
  Vec3 moment = body.mass * body.centre_of_mass;
  for (const DryBody& part : parts) {
    rest.mass -= part.mass;
    moment -= part.mass * part.centre_of_mass;
    rest.inertia -= part.inertia + steiner(part.mass, part.centre_of_mass - body.centre_of_mass);
  }
  rest.centre_of_mass = moment / rest.mass;
  rest.inertia -= steiner(rest.mass, rest.centre_of_mass - body.centre_of_mass);
  return rest;
}

bool is_physical(const DryBody& body) {
  const Vec3 moments = symmetric_eigenvalues(body.inertia);
  return body.mass > 0 && moments[0] > 0 && moments[0] + moments[1] >= moments[2];
}

}  // namespace fathom::exchange::internal
