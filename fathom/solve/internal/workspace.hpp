#pragma once
#include "fathom/solve/interior_point.hpp"
#include "fathom/solve/internal/iterate.hpp"

namespace fathom::solve {

struct InteriorPoint::Workspace : internal::Iterate {
  using Iterate::Iterate;
};

}  // namespace fathom::solve
