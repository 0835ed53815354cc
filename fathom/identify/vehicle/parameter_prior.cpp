#include "fathom/identify/vehicle/parameter_prior.hpp"

#include <cmath>
#include <vector>

#include <Eigen/Eigenvalues>

#include "fathom/base/constants.hpp"
#include "fathom/identify/vehicle/internal/uncertainty.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

constexpr double half_of_variance = 0.70710678118654752;  // in sigmas: as much from the logs as from the file

/// Of a combination, in squares of its parameters' sigmas. Numbers of a file that two parameters share, such as
/// m y_g in m16 and m34, would make their sum exact, and no file is.
constexpr double least_variance = 1e-4;

std::vector<Index> known_indices(const Eigen::VectorXd& sigma) {
  std::vector<Index> known;
  for (Index k = 0; k < sigma.size(); ++k)
    if (std::isfinite(sigma[k])) known.push_back(k);
  return known;
}

}  // namespace

Eigen::MatrixXd ParameterPrior::root() const {
  const std::vector<Index> known = known_indices(sigma);
  if (known.empty()) return Eigen::MatrixXd::Zero(0, sigma.size());
  const Eigen::VectorXd unit = sigma(known);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
      Eigen::MatrixXd(unit.asDiagonal() * information(known, known) * unit.asDiagonal()));
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(static_cast<Index>(known.size()), sigma.size());
  rows(Eigen::all, known) = eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal() *
                            eigen.eigenvectors().transpose() * unit.cwiseInverse().asDiagonal();
  return rows;
}

ParameterPrior file_prior(const model::Structure& structure, const model::Robot& robot,
                          const model::Environment& environment) {
  const model::ParameterVector file = model::parameters_of(robot, environment, structure).parameters;
  const Eigen::MatrixXd& C = file.covariance();
  ParameterPrior prior;
  prior.value = file.values();
  prior.sigma = C.diagonal().cwiseSqrt();
  for (double& sigma : prior.sigma)
    if (!(sigma > 0)) sigma = infinity;
  prior.information.setZero(C.rows(), C.cols());
  const std::vector<Index> known = known_indices(prior.sigma);
  if (known.empty()) return prior;
  const Eigen::VectorXd unit = prior.sigma(known);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
      Eigen::MatrixXd(unit.cwiseInverse().asDiagonal() * C(known, known) * unit.cwiseInverse().asDiagonal()));
  const Eigen::VectorXd root = eigen.eigenvalues().cwiseMax(least_variance).cwiseSqrt().cwiseInverse();
  prior.information(known, known) =
      internal::square_of(unit.cwiseInverse().asDiagonal() * eigen.eigenvectors() * root.asDiagonal());
  return prior;
}

Vec6 nominal_inertia(const model::Robot& robot) {
  return (model::rigid_body_inertia(robot.hull()) + robot.hull().added_mass.value).diagonal();
}

consistency::Identifiability at_prior(const ParameterPrior& prior, const Eigen::MatrixXd& covariance) {
  const std::vector<Index> known = known_indices(prior.sigma);
  consistency::Identifiability result;
  if (known.empty()) return result;
  result = consistency::identifiability(internal::scaled_inverse(covariance(known, known)), prior.sigma(known),
                                        half_of_variance);
  const auto renumber = [&](std::size_t& parameter) { parameter = static_cast<std::size_t>(known[parameter]); };
  for (std::size_t& parameter : result.unidentifiable) renumber(parameter);
  for (auto* list : {&result.unidentifiable_directions, &result.identifiable_combinations})
    for (consistency::Combination& one : *list)
      for (auto& term : one.terms) renumber(term.parameter);
  return result;
}

}  // namespace fathom::identify
