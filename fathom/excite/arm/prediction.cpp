#include "fathom/excite/arm/prediction.hpp"

namespace fathom::excite {

std::vector<ArmShown> arm_prediction(const ArmDesigner& designer, const ArmDesign& design) {
  const consistency::BaseParameters& base = designer.base();
  const dynamics::ArmRegressor regressor = regressor_of(designer.problem(), designer.problem().columns);
  const model::ParameterVector& numbers = regressor.parameters();
  const Eigen::VectorXd theta = numbers.values(), beta = base.grouping * theta;
  const Eigen::VectorXd terms = base.grouping.cwiseAbs() * theta.cwiseAbs();
  std::vector<ArmShown> shown;
  for (std::size_t k = 0; k < base.rank(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const model::Parameter& kept = numbers[base.kept[k]];
    // Nothing is relative to what rounding has left of zero.
    const double value = std::abs(beta[i]) > 1e-9 * std::max(terms[i], design.sigma[i]) ? beta[i] : 0;
    shown.push_back({kept.name, kept.unit, base.to_text(k, numbers), value, design.sigma[i]});
  }
  return shown;
}

}  // namespace fathom::excite
