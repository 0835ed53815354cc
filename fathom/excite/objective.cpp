#include "fathom/excite/objective.hpp"

#include <cmath>

#include "fathom/excite/outlook.hpp"

namespace fathom::excite {
namespace {

/// The condition number is the paper's: every equation counts the same, and nothing is known beforehand.
Eigen::VectorXd weights_of(const Problem& problem) {
  const Eigen::VectorXd weight = row_weights(problem);
  return problem.criterion == Criterion::condition ? Eigen::VectorXd::Ones(weight.size()) : weight;
}

}  // namespace

PathObjective::PathObjective(const Problem& problem, const trajectory::Basis& basis)
    : limits_(problem),
      sampling_(basis, problem.coordinates(), problem.start, problem.end, problem.sampling, !limits_.empty()),
      information_(problem.structure, weights_of(problem)),
      criterion_(problem.criterion, parameter_scales(problem), prior_information(problem)),
      samples_(sampling_.rows()),
      adjoint_(sampling_.rows()),
      weight_(sampling_.mask()),
      W_(information_.size(), information_.size()) {}

double PathObjective::evaluate(const Eigen::VectorXd& x, double mu, Eigen::VectorXd& gradient) {
  sampling_.sample(x, samples_);
  const double value = criterion_.evaluate(information_.matrix(samples_), W_);
  if (!std::isfinite(value)) return value;
  for (Eigen::ArrayXXd* columns :
       {&adjoint_.pose, &adjoint_.rate, &adjoint_.acceleration, &adjoint_.nu, &adjoint_.nu_dot, &adjoint_.down})
    columns->setZero();
  double barrier = 0;
  if (!limits_.empty() && mu > 0) {
    weight_ = mu * sampling_.mask();
    barrier = limits_.barrier(samples_, weight_, &adjoint_);
    if (!std::isfinite(barrier)) return barrier;
  }
  information_.add_gradient(samples_, W_, adjoint_);
  sampling_.gradient(samples_, adjoint_, gradient);
  return value + barrier;
}

bool PathObjective::is_inside(const Eigen::VectorXd& x) {
  if (limits_.empty()) return true;
  sampling_.sample(x, samples_);
  return std::isfinite(limits_.barrier(samples_, sampling_.mask(), nullptr));
}

}  // namespace fathom::excite
