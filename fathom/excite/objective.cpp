#include "fathom/excite/objective.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/excite/accuracy.hpp"

namespace fathom::excite {
namespace {

/// The condition number is the paper's: every equation counts the same, and nothing is known beforehand.
Eigen::VectorXd weights_of(const Problem& problem) {
  const Eigen::VectorXd weight = row_weights(problem);
  return problem.criterion == Criterion::condition ? Eigen::VectorXd::Ones(weight.size()) : weight;
}

/// The condition number does not depend on errors of the thrusters.
Problem without_unused_errors(Problem problem) {
  problem.thruster_errors = problem.thruster_errors && problem.criterion != Criterion::condition;
  return problem;
}

/// Along limits that are curved, steps that stay inside are as short as the root of the distance to them: a
/// path that is too near does not get on. This keeps a distance, and costs at most this much of the criterion
/// for each sample that is at a limit.
constexpr double least_mu = 1e-5;

}  // namespace

PathObjective::PathObjective(const Problem& problem, const trajectory::Basis& basis)
    : limits_(problem),
      sampling_(basis, problem.coordinates(), problem.start, problem.end, problem.sampling, !limits_.empty()),
      errors_(without_unused_errors(problem), sampling_.mask()),
      information_(problem.structure, weights_of(problem), errors_.columns()),
      marginal_(static_cast<Eigen::Index>(problem.structure.size()),
                static_cast<Eigen::Index>(errors_.columns().size())),
      criterion_(problem.criterion, parameter_scales(problem), prior_information(problem)),
      samples_(sampling_.rows(), errors_.width()),
      adjoint_(sampling_.rows(), errors_.width()),
      weight_(sampling_.mask()),
      least_(Eigen::ArrayXXd::Ones(sampling_.rows(), static_cast<Eigen::Index>(limits_.kinds()))),
      before_(least_),
      slopes_{Samples(limits_.empty() ? 0 : sampling_.rows()), Samples(limits_.empty() ? 0 : sampling_.rows())},
      W_(criterion_.size(), criterion_.size()) {}

double PathObjective::evaluate(const Eigen::VectorXd& x, double mu, Eigen::VectorXd& gradient) {
  sampling_.sample(x, samples_);
  if (!errors_.empty()) errors_.fill(samples_);
  const Eigen::MatrixXd& G = information_.matrix(samples_);
  value_ = criterion_.evaluate(errors_.empty() ? G : marginal_.reduce(G), W_);
  if (!std::isfinite(value_)) return value_;
  if (limits_.empty() && errors_.empty()) {  // nothing else hangs on the samples
    information_.set_gradient(samples_, W_, adjoint_);
    sampling_.body_gradient(samples_, adjoint_, gradient);
    return value_;
  }
  adjoint_.set_zero();
  double barrier = 0;
  if (mu > 0 && !limits_.empty()) {
    weight_ = std::max(mu, least_mu) * sampling_.mask();
    barrier = limits_.barrier(samples_, weight_, &adjoint_, &least_);
    if (!std::isfinite(barrier)) return barrier;
  }
  add_criterion_gradient();
  sampling_.gradient(samples_, adjoint_, gradient);
  return value_ + barrier;
}

void PathObjective::add_criterion_gradient() {
  if (errors_.empty()) return information_.add_gradient(samples_, W_, adjoint_);
  information_.add_gradient(samples_, marginal_.expand(W_), adjoint_);
  errors_.add_gradient(adjoint_);
}

/// Gauss-Newton part of the barrier: docs/solvers.md eq. 13.
void PathObjective::add_curvature(const Eigen::VectorXd&, double mu, solve::Curvature& to) {
  if (limits_.empty() || !(mu > 0)) return;
  weight_ = std::max(mu, least_mu) * sampling_.mask();
  before_ = least_;
  bool is_near = false;
  for (std::size_t kind = 0; kind < limits_.kinds(); ++kind) {
    if (least_.col(static_cast<Eigen::Index>(kind)).minCoeff() > PathLimits::far) continue;
    is_near = true;
    for (Samples& slope : slopes_) slope.set_zero();
    limits_.slopes(kind, samples_, weight_, least_, slopes_);
    for (Samples& slope : slopes_) sampling_.add_squares(samples_, slope);
  }
  if (is_near) sampling_.give_squares(to);
}

double PathObjective::slack_ratio() const { return least_.size() == 0 ? 1 : (least_ / before_).minCoeff(); }

bool PathObjective::is_inside(const Eigen::VectorXd& x) {
  if (limits_.empty()) return true;
  sampling_.sample(x, samples_);
  return std::isfinite(limits_.barrier(samples_, sampling_.mask(), nullptr));
}

}  // namespace fathom::excite
