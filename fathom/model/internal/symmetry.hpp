#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/model/robot.hpp"

namespace fathom::model::internal {

/// The sign with which each velocity [u v w p q r] mirrors in a plane; docs/model.md eq. 24.
struct Plane {
  std::string_view name;
  std::array<int, 6> signs;
};

/// The planes that `symmetry` states.
std::vector<Plane> planes(const Symmetry& symmetry);

/// May entry (row, column) of an inertia or damping matrix differ from zero?
bool allowed_by(const Symmetry& symmetry, int row, int column);

/// The first entry of `m` that is not zero though a stated plane says so.
struct BrokenSymmetry {
  int row, column;
  std::string_view plane;
};
std::optional<BrokenSymmetry> broken_symmetry(const Symmetry& symmetry, const Mat6& m);

}  // namespace fathom::model::internal
