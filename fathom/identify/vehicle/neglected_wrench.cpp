#include "fathom/identify/vehicle/neglected_wrench.hpp"

#include <cmath>
#include <vector>

#include "fathom/identify/vehicle/internal/uncertainty.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::identify {
namespace {

using Kind = model::Term::Kind;
using Eigen::Index;

/// Whether the term is there only where roll and pitch are free.
bool is_held(const model::Term& term, model::Dof dof) {
  switch (term.kind) {
    case Kind::inertia:
    case Kind::inertia_entry:
    case Kind::linear: return !model::is_free(dof, term.row) || !model::is_free(dof, term.column);
    case Kind::quadratic:
      return !model::is_free(dof, term.row) || !model::is_free(dof, term.column) ||
             !model::is_free(dof, term.speed);
    case Kind::first_moment: return true;
    case Kind::net_weight:
    case Kind::weight:
    case Kind::buoyancy: return false;
  }
  return false;
}

/// Terms of the robot file that the structure cannot have, with their values and sigmas.
struct HeldTerms {
  model::Structure structure;
  Eigen::VectorXd value, sigma;
};

HeldTerms held_terms(model::Dof dof, const model::Robot& robot, const model::Environment& environment) {
  const model::Structure full = model::full_structure();
  const model::ParameterVector file = model::parameters_of(robot, environment, full).parameters;
  HeldTerms held{{"held", dof, {}}, {}, {}};
  std::vector<double> values, sigmas;
  for (std::size_t k = 0; k < full.size(); ++k) {
    const double sigma = std::isfinite(file.sigma(k)) ? file.sigma(k) : 0;
    if (!is_held(full.terms[k], dof) || (file[k].value == 0 && sigma == 0)) continue;
    held.structure.terms.push_back(full.terms[k]);
    values.push_back(file[k].value);
    sigmas.push_back(sigma);
  }
  const auto vector = [](const std::vector<double>& list) {
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(list.data(), static_cast<Index>(list.size())));
  };
  held.value = vector(values);
  held.sigma = vector(sigmas);
  return held;
}

}  // namespace

Neglected neglected(const model::Structure& structure, std::span<const Recording> recordings,
                    const model::Robot& robot, const model::Environment& environment, const Nuisance& at,
                    const Eigen::VectorXd& row_sigma, const RegressionOptions& options) {
  const auto n = static_cast<Index>(structure.size());
  Neglected result;
  result.covariance.setZero(n, n);
  if (structure.dof == model::Dof::six) return result;
  const HeldTerms held = held_terms(structure.dof, robot, environment);
  const auto h = static_cast<Index>(held.structure.size());
  if (h == 0) return result;
  model::Structure both = structure;
  both.terms.insert(both.terms.end(), held.structure.terms.begin(), held.structure.terms.end());
  const Regression regression(both, recordings, options);
  const Index rows = regression.rows();
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(n + h, n + h);
  regression.pass(at, [&](const RowBlock& block) {
    const auto Y = block.Y.rightCols(h);
    const Eigen::VectorXd square = (Y * held.value).cwiseAbs2() + Y.cwiseAbs2() * held.sigma.cwiseAbs2();
    for (Index k = 0; k < square.size(); ++k)
      result.wrench[regression.free()[static_cast<std::size_t>(k % rows)]] += square[k];
    const Eigen::MatrixXd weighed =
        row_sigma.replicate(square.size() / rows, 1).cwiseInverse().asDiagonal() * block.Y;
    gram.noalias() += weighed.transpose() * weighed;
  });
  result.wrench = (result.wrench / static_cast<double>(regression.samples())).cwiseSqrt();
  const Eigen::VectorXd size = (held.value.cwiseAbs2() + held.sigma.cwiseAbs2()).cwiseSqrt();
  const Eigen::MatrixXd inverse = internal::scaled_inverse(gram.topLeftCorner(n, n));
  result.covariance = internal::square_of(inverse * gram.topRightCorner(n, h) * size.asDiagonal());
  return result;
}

}  // namespace fathom::identify
