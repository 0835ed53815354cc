#pragma once
#include <string>
#include <vector>

#include "fathom/model/parameters.hpp"

namespace fathom::excite {

/// How well a motion will show a robot's parameters.
struct Prediction {
  /// Nominal values, and the variances that least squares is predicted to have.
  model::ParameterVector parameters;
  Eigen::VectorXd scale;                  ///< error of each parameter that counts as one; of an arm its size
  std::vector<std::string> made_of = {};  ///< of an arm: the combination that motion shows

  /// Returns sigma over scale; infinite where the scale is zero.
  double relative(std::size_t k) const { return parameters.sigma(k) / scale[static_cast<Eigen::Index>(k)]; }
};

}  // namespace fathom::excite
