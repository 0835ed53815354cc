#include "fathom/excite/arm/prediction.hpp"

namespace fathom::excite {

std::vector<ArmShown> arm_prediction(const ArmDesigner& designer, const ArmDesign& design) {
  const consistency::BaseParameters& base = designer.base();
  const auto numbers = arm_numbers(designer.problem(), designer.problem().columns);
  const Eigen::VectorXd theta = values_of(numbers), beta = base.grouping * theta;
  const Eigen::VectorXd terms = base.grouping.cwiseAbs() * theta.cwiseAbs();
  std::vector<std::string> names;
  for (const dynamics::ArmParameter& number : numbers) names.push_back(number.name);
  std::vector<ArmShown> shown;
  for (std::size_t k = 0; k < base.rank(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const dynamics::ArmParameter& kept = numbers[base.kept[k]];
    // Nothing is relative to what rounding has left of zero.
    const double value = std::abs(beta[i]) > 1e-9 * std::max(terms[i], design.sigma[i]) ? beta[i] : 0;
    shown.push_back({kept.name, kept.unit, to_text(base.combination(k), names), value, design.sigma[i]});
  }
  return shown;
}

}  // namespace fathom::excite
