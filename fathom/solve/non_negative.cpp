#include "fathom/solve/non_negative.hpp"

#include <vector>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"

namespace fathom::solve {
namespace {

using Eigen::Index;

/// Least squares over the free unknowns alone; the others are zero.
Eigen::VectorXd least_over(const std::vector<Index>& free, const Eigen::Ref<const Eigen::MatrixXd>& gram,
                           const Eigen::Ref<const Eigen::VectorXd>& moment) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(moment.size());
  const Eigen::MatrixXd part = gram(free, free);
  const Eigen::VectorXd of_part = moment(free);
  const Eigen::VectorXd least = part.ldlt().solve(of_part);
  x(free) = least;
  return x;
}

/// Goes from x towards `wanted` until the first free unknown is zero, and holds it there.
void step_back(Eigen::VectorXd& x, const Eigen::VectorXd& wanted, std::vector<Index>& free) {
  double share = 1;
  Index first = -1;
  for (const Index k : free) {
    if (wanted[k] > 0) continue;
    const double here = x[k] > 0 ? x[k] / (x[k] - wanted[k]) : 0;
    if (first >= 0 && here >= share) continue;
    share = here;
    first = k;
  }
  x += share * (wanted - x);
  x[first] = 0;
  std::erase_if(free, [&](Index k) { return x[k] <= 0; });
}

}  // namespace

Eigen::VectorXd non_negative(const Eigen::Ref<const Eigen::MatrixXd>& gram,
                             const Eigen::Ref<const Eigen::VectorXd>& moment) {
  const Index n = moment.size();
  if (gram.rows() != n || gram.cols() != n)
    reject("gram", fmt::format("is {} x {}, the moment has {} entries", gram.rows(), gram.cols(), n));
  if (!gram.allFinite() || !moment.allFinite()) reject("gram", "has an entry that is not finite");
  const double zero = 1e3 * epsilon * moment.lpNorm<Eigen::Infinity>();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  std::vector<Index> free;
  for (Index step = 0; step < 3 * n + 3; ++step) {  // every step lowers the sum; rounding could make it circle
    Eigen::VectorXd slope = moment - gram * x;
    for (const Index k : free) slope[k] = -infinity;
    Index steepest = 0;
    if (n == 0 || slope.maxCoeff(&steepest) <= zero) break;
    free.push_back(steepest);
    Eigen::VectorXd wanted = least_over(free, gram, moment);
    while (!free.empty() && wanted(free).minCoeff() <= 0) {
      step_back(x, wanted, free);
      wanted = least_over(free, gram, moment);
    }
    x = wanted;
  }
  return x.cwiseMax(0.0);
}

}  // namespace fathom::solve
