#include "fathom/model/internal/symmetry.hpp"

namespace fathom::model::internal {

std::vector<Plane> planes(const Symmetry& symmetry) {
  std::vector<Plane> result;
  if (symmetry.port_starboard) result.push_back({"port_starboard", {1, -1, 1, -1, 1, -1}});
  if (symmetry.fore_aft) result.push_back({"fore_aft", {-1, 1, 1, 1, -1, -1}});
  if (symmetry.top_bottom) result.push_back({"top_bottom", {1, 1, -1, -1, -1, 1}});
  return result;
}

bool allowed_by(const Symmetry& symmetry, int row, int column) {
  for (const Plane& plane : planes(symmetry))
    if (plane.signs[static_cast<std::size_t>(row)] != plane.signs[static_cast<std::size_t>(column)])
      return false;
  return true;
}

std::optional<BrokenSymmetry> broken_symmetry(const Symmetry& symmetry, const Mat6& m) {
  for (const Plane& plane : planes(symmetry))
    for (int row = 0; row < 6; ++row)
      for (int column = 0; column < 6; ++column)
        if (plane.signs[static_cast<std::size_t>(row)] != plane.signs[static_cast<std::size_t>(column)] &&
            m(row, column) != 0)
          return BrokenSymmetry{row, column, plane.name};
  return std::nullopt;
}

}  // namespace fathom::model::internal
