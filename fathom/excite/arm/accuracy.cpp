#include "fathom/excite/arm/accuracy.hpp"

namespace fathom::excite {

Prediction arm_accuracy(const ArmDesigner& designer, const ArmDesign& design) {
  const consistency::BaseParameters& base = designer.base();
  const dynamics::ArmRegressor regressor = regressor_of(designer.problem(), designer.problem().columns);
  const Eigen::VectorXd theta = regressor.parameters().values();
  const Eigen::VectorXd terms = base.grouping.cwiseAbs() * theta.cwiseAbs();
  // Nothing is relative to what rounding has left of zero.
  Eigen::VectorXd values = base.grouping * theta;
  values = (values.array().abs() > 1e-9 * terms.cwiseMax(design.sigma).array()).select(values, 0);
  Prediction prediction{base.combined(regressor.parameters(), values, design.sigma.cwiseAbs2().asDiagonal()),
                        values.cwiseAbs()};
  for (std::size_t k = 0; k < base.rank(); ++k)
    prediction.made_of.push_back(base.to_text(k, regressor.parameters()));
  return prediction;
}

}  // namespace fathom::excite
