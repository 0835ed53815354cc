#include "fathom/model/dof.hpp"

#include <algorithm>

namespace fathom::model {

std::span<const int> free_indices(Dof dof) {
  static constexpr std::array<int, 3> three = {0, 1, 5};
  static constexpr std::array<int, 4> four = {0, 1, 2, 5};
  static constexpr std::array<int, 6> six = {0, 1, 2, 3, 4, 5};
  switch (dof) {
    case Dof::three: return three;
    case Dof::four: return four;
    case Dof::six: break;
  }
  return six;
}

bool is_free(Dof dof, int index) {
  const auto free = free_indices(dof);
  return std::find(free.begin(), free.end(), index) != free.end();
}

}  // namespace fathom::model
