#include "fathom/excite/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "fathom/base/constants.hpp"
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/excite/information.hpp"
#include "fathom/excite/marginal.hpp"
#include "fathom/excite/thruster_errors.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::excite {
namespace {

using Kind = model::Term::Kind;

constexpr double off_diagonal_share = 0.2;  // of the geometric mean of the diagonal
constexpr double weight_share = 0.005;      // of the weight: net weights below that need not be known better
constexpr double least_damping = 1e-3;      // 1/s: damping over mass, where the robot file has none
// Of a regressor: the squares that G holds have lost what is beyond.
const double largest_condition = 1 / std::sqrt(epsilon);
// |v| v of v = V sin(w t) has the fundamental 8 / (3 pi) V v (Gelb and Vander Velde 1968, table of describing
// functions).
constexpr double fundamental = 8 / (3 * std::numbers::pi);

/// The largest rate of a coordinate that any segment allows; 1 where none limits it.
double largest_rate(const Problem& problem, int coordinate) {
  double largest = 0;
  for (const Segment& segment : problem.segments) {
    const Range& range = segment.limits.rate[static_cast<std::size_t>(coordinate)];
    largest = std::max({largest, std::abs(range.min), std::abs(range.max)});
  }
  return std::isfinite(largest) && largest > 0 ? largest : 1;
}

/// Damping on the free velocities, linearised at the speed limits; with `all`, also what the structure holds as
/// quadratic damping.
Mat6 damping_at_limits(const Problem& problem, bool all) {
  const auto full = model::full_structure(model::Dof::six);
  const auto values = model::parameters_of(problem.robot, problem.environment, full).parameters;
  const model::Structure& own = problem.structure;
  Mat6 D = Mat6::Zero();
  for (std::size_t k = 0; k < full.size(); ++k) {
    const model::Term& term = full.terms[k];
    if (!model::is_free(own.dof, term.row) || !model::is_free(own.dof, term.column)) continue;
    if (term.kind == Kind::linear) D(term.row, term.column) += values[k].value;
    if (term.kind != Kind::quadratic || values[k].value == 0 || !model::is_free(own.dof, term.speed)) continue;
    if (all || std::find(own.terms.begin(), own.terms.end(), term) == own.terms.end())
      D(term.row, term.column) += fundamental * largest_rate(problem, term.speed) * values[k].value;
  }
  return D;
}

/// Diagonals of M, D_lin and Q that scales refer to. Linear and quadratic damping each stand for all of the
/// drag at the speed limit: a file may well give one of them as zero.
struct Diagonals {
  Vec6 M, linear, quadratic;
};

Diagonals diagonals_of(const Problem& problem) {
  Diagonals d;
  d.M = dynamics::Vehicle(problem.robot, problem.environment).M().diagonal();
  d.linear = damping_at_limits(problem, true).diagonal().cwiseAbs().cwiseMax(least_damping * d.M);
  for (int k = 0; k < 6; ++k) d.quadratic[k] = d.linear[k] / (fundamental * largest_rate(problem, k));
  return d;
}

double scale_of(const Vec6& diagonal, int row, int column) {
  return row == column ? diagonal[row] : off_diagonal_share * std::sqrt(diagonal[row] * diagonal[column]);
}

/// Of the structure's parameters, errors of the thrusters not known.
Eigen::MatrixXd information_of(const Problem& problem, const Eigen::VectorXd& weight, const Samples& samples) {
  const Eigen::ArrayXd mask = (samples.down.square().rowwise().sum() > 0.5).cast<double>();
  ThrusterErrors errors(problem, mask);
  Information information(problem.structure, weight, errors.columns());
  if (errors.empty()) return information.matrix(samples);
  Samples at = samples;
  at.wrench.setZero(at.size(), errors.width());
  errors.fill(at);
  const auto n = static_cast<Eigen::Index>(problem.structure.size());
  return Marginal(n, information.size() - n).reduce(information.matrix(at));
}

}  // namespace

Mat6 linearised_damping(const Problem& problem) { return damping_at_limits(problem, false); }

Eigen::VectorXd linearised_parameters(const Problem& problem) {
  const Mat6 D = linearised_damping(problem);
  Eigen::VectorXd values =
      model::parameters_of(problem.robot, problem.environment, problem.structure).parameters.values();
  for (std::size_t k = 0; k < problem.structure.size(); ++k) {
    const model::Term& term = problem.structure.terms[k];
    if (term.kind == Kind::linear) values[static_cast<Eigen::Index>(k)] = D(term.row, term.column);
  }
  return values;
}

Eigen::VectorXd parameter_scales(const Problem& problem) {
  const Diagonals d = diagonals_of(problem);
  const model::Hull& hull = problem.robot.hull();
  const double g = problem.environment.gravity();
  const double weight = hull.mass.value * g, buoyancy = problem.environment.density() * g * hull.volume.value;
  const Vec3 moment = hull.centre_of_mass.value * weight - hull.centre_of_buoyancy.value * buoyancy;
  Eigen::VectorXd scale(static_cast<Eigen::Index>(problem.structure.size()));
  for (std::size_t k = 0; k < problem.structure.size(); ++k) {
    const model::Term& term = problem.structure.terms[k];
    double& s = scale[static_cast<Eigen::Index>(k)];
    switch (term.kind) {
      case Kind::inertia:
      case Kind::inertia_entry: s = scale_of(d.M, term.row, term.column); break;
      case Kind::linear: s = scale_of(d.linear, term.row, term.column); break;
      case Kind::quadratic:
        s = scale_of(d.quadratic, term.row, term.column);
        if (term.row == term.column && term.speed != term.row) s *= off_diagonal_share;
        break;
      case Kind::net_weight: s = std::max(std::abs(weight - buoyancy), weight_share * weight); break;
      case Kind::weight: s = weight; break;
      case Kind::buoyancy: s = buoyancy; break;
      case Kind::first_moment:
        s = term.row == 2 ? std::abs(moment[2]) : off_diagonal_share * std::abs(moment[2]);
        s = std::max(s, weight_share * weight * 0.1);  // a decimetre
        break;
    }
  }
  return scale;
}

Eigen::VectorXd row_weights(const Problem& problem) {
  const Noise& noise = problem.noise;
  Vec6 wrench, twist;
  wrench << Vec3::Constant(noise.force), Vec3::Constant(noise.torque);
  twist << Vec3::Constant(noise.velocity), Vec3::Constant(noise.turn_rate);
  const Vec6 variance = wrench.cwiseAbs2() + damping_at_limits(problem, true).cwiseAbs2() * twist.cwiseAbs2();
  const auto free = model::free_indices(problem.structure.dof);
  Eigen::VectorXd weight(static_cast<Eigen::Index>(free.size()));
  for (std::size_t k = 0; k < free.size(); ++k) weight[static_cast<Eigen::Index>(k)] = 1 / variance[free[k]];
  return weight;
}

Eigen::VectorXd prior_information(const Problem& problem) {
  Eigen::VectorXd information = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(problem.structure.size()));
  for (const Prior& prior : problem.priors)
    for (std::size_t k = 0; k < problem.structure.size(); ++k)
      if (model::name_of(problem.structure.terms[k]) == prior.parameter)
        information[static_cast<Eigen::Index>(k)] = 1 / (prior.sigma * prior.sigma);
  return information;
}

ExpectedAccuracy accuracy_of(const Problem& problem, const Samples& samples) {
  ExpectedAccuracy accuracy;
  const Eigen::VectorXd scale = parameter_scales(problem), weight = row_weights(problem);
  const Eigen::Index n = scale.size();
  Information plain(problem.structure, Eigen::VectorXd::Ones(weight.size()));

  Eigen::MatrixXd information = information_of(problem, weight, samples);
  information.diagonal() += prior_information(problem);
  information = scale.asDiagonal() * information * scale.asDiagonal();
  const Eigen::LLT<Eigen::MatrixXd> cholesky(information);
  accuracy.sigma = Eigen::VectorXd::Constant(n, infinity);
  accuracy.error = infinity;
  if (cholesky.info() == Eigen::Success) {
    const Eigen::VectorXd variance = cholesky.solve(Eigen::MatrixXd::Identity(n, n)).diagonal();
    accuracy.sigma = variance.cwiseSqrt().cwiseProduct(scale);
    accuracy.error = std::sqrt(variance.mean());
  }

  const Eigen::MatrixXd& G = plain.matrix(samples);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(G, Eigen::EigenvaluesOnly);
  const double least = std::max(spectrum.eigenvalues()[0], 0.0);
  accuracy.condition = std::sqrt(spectrum.eigenvalues()[n - 1] / least);
  if (!(accuracy.condition <= largest_condition)) accuracy.condition = infinity;
  Eigen::Index high = 0, low = 0;
  const double largest = G.diagonal().maxCoeff(&high), smallest = G.diagonal().minCoeff(&low);
  accuracy.floor = smallest > 0 ? std::sqrt(largest / smallest) : infinity;
  accuracy.floor_high = model::name_of(problem.structure.terms[static_cast<std::size_t>(high)]);
  accuracy.floor_low = model::name_of(problem.structure.terms[static_cast<std::size_t>(low)]);
  return accuracy;
}

Prediction prediction_of(const Problem& problem, const ExpectedAccuracy& accuracy) {
  return {model::ParameterVector(problem.structure.parameters(linearised_parameters(problem)),
                                 accuracy.sigma.cwiseAbs2().asDiagonal()),
          parameter_scales(problem)};
}

}  // namespace fathom::excite
