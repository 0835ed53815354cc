#include <algorithm>
#include <array>

#include "fathom/assembly/internal/merge_parts.hpp"

namespace fathom::assembly::internal {
namespace {

using model::Symmetry;

constexpr double same_place = 1e-9;  // m, and of the entries of a rotation

/// A plane through the origin, as what it does to a vector and to a twist [u v w p q r].
struct Mirror {
  bool Symmetry::*stated;
  Vec3 by_axis;
  /// Moments turn the other way: an axial vector keeps the sign that a polar one loses.
  Vec6 by_twist() const { return (Vec6() << by_axis, -by_axis).finished(); }
};
const std::array<Mirror, 3>& mirrors() {
  static const std::array<Mirror, 3> list = {{{&Symmetry::port_starboard, {1, -1, 1}},
                                              {&Symmetry::fore_aft, {-1, 1, 1}},
                                              {&Symmetry::top_bottom, {1, 1, -1}}}};
  return list;
}

/// Does the mirror image of `part` coincide with `other`? Its shape is its own image in its stated planes, so
/// that an odd number of them makes a rotation of what the mirror made of its pose (an even one never does).
bool is_image(const Mirror& mirror, const MergePart& part, const MergePart& other) {
  if ((mirror.by_axis.asDiagonal() * part.pose.p_pc_p - other.pose.p_pc_p).cwiseAbs().maxCoeff() > same_place)
    return false;
  const Symmetry& own = part.robot->hull().symmetry;
  for (int choice = 1; choice < 8; ++choice) {
    Vec3 reflect = Vec3::Ones();
    bool is_stated = true;
    for (std::size_t k = 0; k < 3; ++k) {
      if (!(choice >> k & 1)) continue;
      is_stated = is_stated && own.*mirrors()[k].stated;
      reflect = reflect.cwiseProduct(mirrors()[k].by_axis);
    }
    if (!is_stated) continue;
    const Mat3 R = mirror.by_axis.asDiagonal() * part.pose.q_pc.toRotationMatrix() * reflect.asDiagonal();
    if ((R - other.pose.q_pc.toRotationMatrix()).cwiseAbs().maxCoeff() < same_place) return true;
  }
  return false;
}

bool is_symmetric(const Mirror& mirror, std::span<const MergePart> parts) {
  return std::all_of(parts.begin(), parts.end(), [&](const MergePart& part) {
    return std::any_of(parts.begin(), parts.end(), [&](const MergePart& other) {
      return are_alike(part, other) && is_image(mirror, part, other);
    });
  });
}

/// Entries that a plane forbids.
Mat6 forbidden(const Mirror& mirror, const Mat6& m) {
  const Vec6 signs = mirror.by_twist();
  return m.cwiseProduct((0.5 * (Mat6::Ones() - signs * signs.transpose())));
}

/// Of elements at the origin, as a robot file is judged.
bool drag_allows(const Mirror& mirror, const model::RobotSpec& spec) {
  for (const model::DragElement& element : spec.damping) {
    if (!element.at_origin()) continue;
    if (!forbidden(mirror, element.linear.value).isZero(0)) return false;
    for (const Mat6& Q : element.quadratic.value.by_speed)
      if (!forbidden(mirror, Q).isZero(0)) return false;
  }
  return true;
}

}  // namespace

/// A plane holds where it maps modules on modules of the same robot. The added mass then has zeros to rounding,
/// and gets them to the last bit.
void merge_symmetry(std::span<const MergePart> parts, model::RobotSpec& spec) {
  for (const Mirror& mirror : mirrors()) {
    Mat6& added = spec.hull.added_mass.value;
    const Mat6 rest = forbidden(mirror, added);
    if (!is_symmetric(mirror, parts) || !drag_allows(mirror, spec) ||
        rest.cwiseAbs().maxCoeff() > same_place * added.cwiseAbs().maxCoeff())
      continue;
    spec.hull.symmetry.*mirror.stated = true;
    added -= rest;
    added = added.unaryExpr([](double x) { return x == 0 ? 0.0 : x; });
  }
}

}  // namespace fathom::assembly::internal
