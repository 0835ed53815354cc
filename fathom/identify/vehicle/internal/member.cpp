#include "fathom/identify/vehicle/internal/member.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "fathom/geometry/spectrum.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::identify::internal {

namespace {

using Eigen::Index;

constexpr int most_draws = 20;
constexpr double least_inertia = 0.1;  // of the estimate's; a lighter body would only blow up

/// Relative sigma of the command path's gain, where it was estimated with the parameters.
double gain_sigma(const model::Robot& robot) {
  const auto& path = robot.command_path();
  if (!robot.identified() || !path || !path->gain || !path->gain->sigma || path->gain->value <= 0) return 0;
  return *path->gain->sigma / path->gain->value;
}

/// Takes from a correlation matrix the part `common` common' that an error of the gain has: gain and parameters
/// have one scale, in which they were estimated together and which no prediction shows. Parameters drawn
/// without the gain would make of it an error of the thrust (docs/identification.md eq. 23). No more than makes
/// one direction exact.
void take_scale(Eigen::MatrixXd& correlation, Eigen::VectorXd common) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(correlation);
  const double least = 1e-12 * eigen.eigenvalues().maxCoeff();
  const Eigen::VectorXd along = eigen.eigenvectors().transpose() * common;
  double share = 0;  // common' correlation^-1 common
  for (Index k = 0; k < along.size(); ++k)
    if (eigen.eigenvalues()[k] > least) share += along[k] * along[k] / eigen.eigenvalues()[k];
  if (share > 1) common /= std::sqrt(share);
  correlation -= common * common.transpose();
}

/// A root of the covariance that takes what is unknown as exact, less an error of all parameters alike of
/// relative size `scale_sigma`. In units of the sigmas, because entries differ by many orders.
Eigen::MatrixXd root_of(const Eigen::MatrixXd& covariance, const Eigen::VectorXd& values, double scale_sigma) {
  const Index n = covariance.rows();
  Eigen::VectorXd sigma = covariance.diagonal().cwiseSqrt();
  for (double& s : sigma)
    if (!std::isfinite(s)) s = 0;
  Eigen::MatrixXd correlation = Eigen::MatrixXd::Zero(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (sigma[i] > 0 && sigma[j] > 0) correlation(i, j) = covariance(i, j) / (sigma[i] * sigma[j]);
  if (scale_sigma > 0)
    take_scale(correlation,
               (sigma.array() > 0).select(scale_sigma * values.array() / sigma.array().max(1e-300), 0));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(correlation);
  return sigma.asDiagonal() * eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
}

/// m_ij and m_ji of a structure that does not tie them are one number of a body.
void tie_inertia(const model::Structure& structure, Eigen::VectorXd& values) {
  using Kind = model::Term::Kind;
  for (std::size_t a = 0; a < structure.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const model::Term &x = structure.terms[a], &y = structure.terms[b];
      if (x.kind != Kind::inertia_entry || y.kind != Kind::inertia_entry) continue;
      if (x.row != y.column || x.column != y.row) continue;
      const auto i = static_cast<Index>(a), j = static_cast<Index>(b);
      values[i] = values[j] = 0.5 * (values[i] + values[j]);
    }
}

}  // namespace

MemberSource::MemberSource(const UncertainModel& uncertain)
    : uncertain_(uncertain),
      root_(root_of(uncertain.parameters.covariance(), uncertain.parameters.values(),
                    gain_sigma(uncertain.robot))),
      nominal_(vehicle_at(uncertain.parameters.values())),
      least_dissipation_(dissipation_of(nominal_).cwiseMin(0)) {}

dynamics::Vehicle MemberSource::vehicle_at(const Eigen::VectorXd& values) const {
  const model::Structure& structure = uncertain_.structure;
  const model::ParameterVector parameters(structure.parameters(values));
  return dynamics::Vehicle(model::with_parameters_unchecked(uncertain_.robot, uncertain_.environment, structure,
                                                            parameters, "a draw"),
                           uncertain_.environment, structure.dof);
}

Eigen::MatrixXd MemberSource::on_free(const Mat6& matrix) const {
  const auto free = model::free_indices(uncertain_.structure.dof);
  return matrix(free, free);
}

/// Least eigenvalues of D_lin + D_lin' and Q_j + Q_j'.
Eigen::VectorXd MemberSource::dissipation_of(const dynamics::Vehicle& vehicle) const {
  const auto free = model::free_indices(uncertain_.structure.dof);
  const Mat6 linear = dynamics::damping_matrix(vehicle, Vec6::Zero());
  const auto least = [this](const Mat6& D) { return symmetric_eigenvalues(on_free(D + D.transpose()))[0]; };
  Eigen::VectorXd result(1 + static_cast<Index>(free.size()));
  result[0] = least(linear);
  for (std::size_t k = 0; k < free.size(); ++k)
    result[1 + static_cast<Index>(k)] = least(dynamics::damping_matrix(vehicle, Vec6::Unit(free[k])) - linear);
  return result;
}

bool MemberSource::is_physical(const dynamics::Vehicle& vehicle) const {
  const Eigen::LLT<Eigen::MatrixXd> inertia(on_free(vehicle.M() - least_inertia * nominal_.M()));
  if (inertia.info() != Eigen::Success) return false;
  const double rounding = 1e-12 * dynamics::damping_matrix(nominal_, Vec6::Ones()).norm();
  return ((dissipation_of(vehicle) - least_dissipation_).array() >= -rounding).all();
}

MemberSource::Member MemberSource::draw(RandomStream& random) const {
  const Eigen::VectorXd estimate = uncertain_.parameters.values();
  const double delay = std::max(0.0, uncertain_.prediction.delay + uncertain_.delay_sigma * random.normal());
  Eigen::VectorXd values(estimate.size());
  for (int k = 0; k < most_draws; ++k) {
    Eigen::VectorXd z(estimate.size());
    for (double& x : z) x = random.normal();
    values = estimate + root_ * z;
    tie_inertia(uncertain_.structure, values);
    dynamics::Vehicle vehicle = vehicle_at(values);
    if (is_physical(vehicle)) return {std::move(vehicle), delay, k, false};
  }
  for (int k = 0; k < 10; ++k) {
    values = 0.5 * (values + estimate);
    dynamics::Vehicle vehicle = vehicle_at(values);
    if (is_physical(vehicle)) return {std::move(vehicle), delay, most_draws, true};
  }
  return {nominal_, delay, most_draws, true};
}

}  // namespace fathom::identify::internal
