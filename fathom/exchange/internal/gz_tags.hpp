#pragma once
#include <array>
#include <string>
#include <string_view>

#include "fathom/geometry/types.hpp"

// Names of SDF and of Gazebo Sim's systems; docs/export.md says where each was read.
namespace fathom::exchange::internal {

inline constexpr std::string_view gz_forces = "xyzkmn";      ///< SNAME, of Hydrodynamics
inline constexpr std::string_view gz_velocities = "UVWPQR";  ///< likewise
inline constexpr std::string_view sdf_axes = "xyzpqr";       ///< of <fluid_added_mass>

/// xDotU: force i by acceleration j.
inline std::string dot_tag(Eigen::Index i, Eigen::Index j) {
  return {gz_forces[static_cast<std::size_t>(i)], 'D', 'o', 't', gz_velocities[static_cast<std::size_t>(j)]};
}
/// xU: force i by velocity j.
inline std::string linear_tag(Eigen::Index i, Eigen::Index j) {
  return {gz_forces[static_cast<std::size_t>(i)], gz_velocities[static_cast<std::size_t>(j)]};
}
/// xUabsV: force i by velocity j times the size of velocity k.
inline std::string quadratic_tag(Eigen::Index i, Eigen::Index j, Eigen::Index k) {
  return linear_tag(i, j) + "abs" + gz_velocities[static_cast<std::size_t>(k)];
}
/// xUV: the same without a size, so that it does not change sign with the direction of motion.
inline std::string signed_quadratic_tag(Eigen::Index i, Eigen::Index j, Eigen::Index k) {
  return linear_tag(i, j) + gz_velocities[static_cast<std::size_t>(k)];
}
/// xp, i <= j.
inline std::string added_mass_tag(Eigen::Index i, Eigen::Index j) {
  return {sdf_axes[static_cast<std::size_t>(i)], sdf_axes[static_cast<std::size_t>(j)]};
}

struct InertiaTag {
  const char* tag;
  Eigen::Index i, j;
};
/// Of <inertia>, in SDF and in URDF.
inline constexpr std::array<InertiaTag, 6> inertia_tags = {
    {{"ixx", 0, 0}, {"ixy", 0, 1}, {"ixz", 0, 2}, {"iyy", 1, 1}, {"iyz", 1, 2}, {"izz", 2, 2}}};

}  // namespace fathom::exchange::internal
