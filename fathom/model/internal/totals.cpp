#include "fathom/model/internal/totals.hpp"

namespace fathom::model::internal {

Totals totals_of(const Hull& hull, const Environment& environment) {
  Totals totals;
  totals.M = rigid_body_inertia(hull);
  totals.weight = hull.mass.value * environment.gravity();
  totals.buoyancy = environment.density() * hull.volume.value * environment.gravity();
  totals.first_moment =
      totals.weight * hull.centre_of_mass.value - totals.buoyancy * hull.centre_of_buoyancy.value;
  return totals;
}

Mat6 linear_at_origin(const DragElement& element) {
  const Mat6 H = twist_transform(element.pose());
  return H.transpose() * element.linear.value * H;
}

Totals totals_of(const RobotSpec& spec, const Environment& environment) {
  Totals totals = totals_of(spec.hull, environment);
  totals.M += spec.hull.added_mass.value;
  for (const DragElement& element : spec.damping) {
    totals.linear += linear_at_origin(element);
    if (!element.at_origin()) continue;
    for (std::size_t j = 0; j < 6; ++j) totals.quadratic.by_speed[j] += element.quadratic.value.by_speed[j];
  }
  return totals;
}

Totals sizes_of(const RobotSpec& spec, const Environment& environment) {
  Totals sizes = totals_of(spec, environment);
  const Vec6 root = sizes.M.diagonal().cwiseAbs().cwiseSqrt();
  sizes.M = root * root.transpose();  // M is definite: no entry is larger
  sizes.linear.setZero();
  for (Mat6& Q : sizes.quadratic.by_speed) Q.setZero();
  for (const DragElement& element : spec.damping) {
    const Mat6 H = twist_transform(element.pose()).cwiseAbs();
    sizes.linear += H.transpose() * element.linear.value.cwiseAbs() * H;
    if (!element.at_origin()) continue;
    for (std::size_t j = 0; j < 6; ++j)
      sizes.quadratic.by_speed[j] += element.quadratic.value.by_speed[j].cwiseAbs();
  }
  sizes.first_moment = sizes.weight * spec.hull.centre_of_mass.value.cwiseAbs() +
                       sizes.buoyancy * spec.hull.centre_of_buoyancy.value.cwiseAbs();
  return sizes;
}

double size_of(const Term& term, const Totals& sizes) {
  return term.kind == Term::Kind::net_weight ? sizes.weight + sizes.buoyancy : value_of(term, sizes);
}

double value_of(const Term& term, const Totals& totals) {
  switch (term.kind) {
    case Term::Kind::inertia:
    case Term::Kind::inertia_entry: return totals.M(term.row, term.column);
    case Term::Kind::linear: return totals.linear(term.row, term.column);
    case Term::Kind::quadratic:
      return totals.quadratic.by_speed[static_cast<std::size_t>(term.speed)](term.row, term.column);
    case Term::Kind::net_weight: return totals.weight - totals.buoyancy;
    case Term::Kind::weight: return totals.weight;
    case Term::Kind::buoyancy: return totals.buoyancy;
    case Term::Kind::first_moment: return totals.first_moment[term.row];
  }
  return 0;
}

Eigen::VectorXd values_of(const Structure& structure, const Totals& totals) {
  Eigen::VectorXd values(static_cast<Eigen::Index>(structure.size()));
  for (std::size_t k = 0; k < structure.size(); ++k)
    values[static_cast<Eigen::Index>(k)] = value_of(structure.terms[k], totals);
  return values;
}

}  // namespace fathom::model::internal
