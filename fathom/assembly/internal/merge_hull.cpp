#include "fathom/assembly/internal/merge_hull.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/assembly/internal/merge_parts.hpp"
#include "fathom/assembly/internal/merge_sigma.hpp"

namespace fathom::assembly::internal {
namespace {

using model::Hull;
using model::Value;

constexpr double same_centre = 1e-6;  // m

Extent extent_of(const Hull& hull, const Pose& pose) {
  const Vec3 centre = pose * hull.centre_of_buoyancy.value;  // where simulate/contact.hpp has a hull's box
  const Vec3 half = pose.q_pc.toRotationMatrix().cwiseAbs() * (0.5 * hull.size->value);
  return {centre - half, centre + half};
}

/// Parts of rounding, block by block of equal units, are zero; the rest is symmetric to the last bit.
template <class Matrix>
Matrix tidied(const Matrix& m) {
  Matrix result = 0.5 * (m + m.transpose());
  for (Eigen::Index i = 0; i < m.rows(); i += 3)
    for (Eigen::Index j = 0; j < m.cols(); j += 3) {
      // Off the diagonal an entry is a sum of products that may cancel: its size is that of the diagonals.
      const double scale = std::sqrt(result.template block<3, 3>(i, i).diagonal().maxCoeff() *
                                     result.template block<3, 3>(j, j).diagonal().maxCoeff());
      for (Eigen::Index a = i; a < i + 3; ++a)
        for (Eigen::Index b = j; b < j + 3; ++b) result(a, b) = without_rounding(result(a, b), scale);
    }
  return result;
}

/// Values of all hulls as one: assumed if one of them is.
template <class T, class Member>
Value<T> merged_value(std::span<const MergePart> parts, const T& value, const Member& member) {
  Value<T> result{value, fmt::format("merged from {}", robots_of(parts)), false, std::nullopt};
  for (const MergePart& part : parts) result.assumed = result.assumed || member(part.robot->hull()).assumed;
  return result;
}

void merge_size(std::span<const MergePart> parts, const HullNumbers& numbers, Hull& hull,
                std::vector<std::string>& losses) {
  if (!numbers.box) {
    if (std::any_of(parts.begin(), parts.end(),
                    [](const MergePart& p) { return p.robot->hull().size.has_value(); }))
      losses.push_back("hull.size: not every module has one");
    return;
  }
  const Vec3 size = numbers.box->max - numbers.box->min;
  if (numbers.volume > size.prod()) {
    losses.push_back("hull.size: the modules displace more than the box round them holds, so they overlap");
    return;
  }
  hull.size = merged_value(parts, size, [](const Hull& h) -> const Value<Vec3>& { return *h.size; });
  const Vec3 off =
      without_rounding(0.5 * (numbers.box->min + numbers.box->max) - numbers.centre_of_buoyancy, size.norm());
  if (off.cwiseAbs().maxCoeff() > same_centre)
    losses.push_back(fmt::format(
        "hull.size: the box round the modules has its middle [{:.3g}, {:.3g}, {:.3g}] m from the centre of "
        "buoyancy, but walls and surface meet one about that centre",
        off.x(), off.y(), off.z()));
}

}  // namespace

HullNumbers numbers_of(std::span<const PlacedHull> hulls) {
  HullNumbers sum;
  bool all_have_size = true;
  for (const auto& [hull, pose] : hulls) {
    sum.mass += hull->mass.value;
    sum.centre_of_mass += hull->mass.value * (pose * hull->centre_of_mass.value);
    sum.volume += hull->volume.value;
    sum.centre_of_buoyancy += hull->volume.value * (pose * hull->centre_of_buoyancy.value);
    const Mat6 H = twist_transform(pose);
    sum.added_mass += H.transpose() * hull->added_mass.value * H;
    all_have_size = all_have_size && hull->size;
  }
  sum.centre_of_mass /= sum.mass;
  sum.centre_of_buoyancy /= sum.volume;
  for (const auto& [hull, pose] : hulls) {
    const Mat3 R = pose.q_pc.toRotationMatrix();
    const Mat3 S = skew(pose * hull->centre_of_mass.value - sum.centre_of_mass);
    sum.inertia += R * hull->inertia.value * R.transpose() - hull->mass.value * S * S;  // Steiner
    if (!all_have_size) continue;
    const Extent box = extent_of(*hull, pose);
    if (!sum.box) sum.box = box;
    sum.box->min = sum.box->min.cwiseMin(box.min);
    sum.box->max = sum.box->max.cwiseMax(box.max);
  }
  return sum;
}

void merge_hulls(std::span<const MergePart> parts, model::RobotSpec& spec, std::vector<std::string>& losses) {
  std::vector<PlacedHull> hulls;
  double arm = 0;  // m
  for (const MergePart& part : parts) {
    hulls.push_back({&part.robot->hull(), part.pose});
    arm = std::max({arm, part.pose.p_pc_p.norm(), part.robot->hull().centre_of_mass.value.norm(),
                    part.robot->hull().centre_of_buoyancy.value.norm()});
  }
  const HullNumbers numbers = numbers_of(hulls);
  Hull& hull = spec.hull;
  hull.mass = merged_value(
      parts, numbers.mass, [](const Hull& h) -> auto& { return h.mass; });
  hull.inertia = merged_value(
      parts, tidied(numbers.inertia), [](const Hull& h) -> auto& { return h.inertia; });
  hull.centre_of_mass = merged_value(
      parts, without_rounding(numbers.centre_of_mass, arm),
      [](const Hull& h) -> auto& { return h.centre_of_mass; });
  hull.volume = merged_value(
      parts, numbers.volume, [](const Hull& h) -> auto& { return h.volume; });
  hull.centre_of_buoyancy = merged_value(
      parts, without_rounding(numbers.centre_of_buoyancy, arm),
      [](const Hull& h) -> auto& { return h.centre_of_buoyancy; });
  hull.added_mass = merged_value(
      parts, tidied(numbers.added_mass), [](const Hull& h) -> auto& { return h.added_mass; });
  merge_size(parts, numbers, hull, losses);
  carry_hull_sigmas(parts, hull, losses);
}

}  // namespace fathom::assembly::internal
