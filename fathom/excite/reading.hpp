#pragma once
#include <string>

#include <Eigen/Core>

#include "fathom/excite/problem.hpp"

namespace fathom::excite {

/// A criterion's value as people read it.
struct Reading {
  std::string name, unit;
  double value = 0;
};

/// `f` as CriterionFunction has it, of n parameters. A-optimal: root mean square of the predicted errors;
/// D-optimal: their geometric mean along the axes of the confidence ellipsoid.
Reading reading_of(Criterion criterion, double f, Eigen::Index n);

}  // namespace fathom::excite
