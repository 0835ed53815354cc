#pragma once
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "fathom/base/constants.hpp"

namespace fathom::solve {

/// S(x) = constant + sum_i x_i coefficient_i >= 0 (positive semi-definite), symmetric.
struct MatrixInequality {
  struct Entry {
    int unknown;
    int row, column;  ///< row <= column; the other triangle follows
    double value;
  };
  std::string name;
  Eigen::MatrixXd constant;
  std::vector<Entry> entries;
};

/// constant + sum a_i x_i >= 0.
struct ScalarInequality {
  struct Entry {
    int unknown;
    double value;
  };
  std::string name;
  double constant = 0;
  std::vector<Entry> entries;
};

/// What x may be.
struct ConicSet {
  int unknowns = 0;
  std::vector<MatrixInequality> matrices;
  std::vector<ScalarInequality> scalars;
};

/// f(x) = (x - x0)' Q (x - x0) + phi(s(x)), s = c - 2 b'x + x'Gx >= 0 the sum of squares of residuals and phi
/// the identity, or with a finite `huber` radius rho: s where s <= rho^2, else 2 rho sqrt(s) - rho^2. G and Q
/// are positive semi-definite; solve() throws InputError where G + Q is not.
struct ConicObjective {
  Eigen::MatrixXd G;
  Eigen::VectorXd b;
  double c = 0;
  Eigen::MatrixXd Q;   ///< empty: zero
  Eigen::VectorXd x0;  ///< empty: zero
  double huber = infinity;
};

struct ConicOptions {
  double relative_gap = 1e-7;  ///< of f - f*, against |f|
  double absolute_gap = 1e-12;
  int most_iterations = 60;
};

enum class ConicStatus {
  not_run,
  solved,
  infeasible,       ///< proved: no x satisfies the inequalities strictly (`infeasibility`)
  unbounded,        ///< a direction of no cost leads away for ever: x is one best point of no end of them
  iteration_limit,  ///< x is strictly feasible, `gap` says how good
  stalled,          ///< likewise; rounding stopped it
};

struct ConicResult {
  ConicStatus status = ConicStatus::not_run;
  Eigen::VectorXd x;  ///< strictly feasible, unless not_run or infeasible
  double f = nan;
  /// f - f* <= gap, rigorous up to rounding; docs/solvers.md.
  double gap = infinity;
  int iterations = 0;
  double stationarity = 0;     ///< |grad f - A*(Z)| relative to |grad| and |A*(Z)|
  double complementarity = 0;  ///< <S, Z> relative to |f|
  /// One multiplier matrix per matrix inequality, one number per scalar inequality.
  std::vector<Eigen::MatrixXd> Z;
  Eigen::VectorXd z;
  /// Active: it holds the optimum back. The last step predicted takes more than half of the slack that is left
  /// in some direction. As sure as `gap` is small.
  std::vector<bool> matrix_active, scalar_active;
  /// Where infeasible: Z, z are those of Farkas' lemma, A*(Z) = 0 and <constant, Z> = -infeasibility < 0 with
  /// Z of unit trace. 0 where there is no such proof because the set touches itself: it has no interior, but
  /// may have points.
  double infeasibility = 0;
};

/// Least squares under matrix inequalities: a primal-dual interior point with strictly feasible iterates
/// (docs/solvers.md, "Least squares under matrix inequalities"). The set is given once, and with it all memory;
/// solve() does not allocate as long as sizes stay.
class ConicSolver {
 public:
  /// Throws InputError where sizes, indices or names of the set do not fit, or a number is not finite.
  explicit ConicSolver(ConicSet set, const ConicOptions& options = {});
  ~ConicSolver();
  ConicSolver(ConicSolver&&) noexcept;
  ConicSolver& operator=(ConicSolver&&) noexcept;

  /// From a strictly feasible point that it finds itself (once; kept for later calls).
  const ConicResult& solve(const ConicObjective& objective);
  /// From near `last`, a solution of a problem like this one, blended towards a point inside that the latest
  /// solve without `last` met on its way.
  const ConicResult& solve(const ConicObjective& objective, const Eigen::VectorXd& last);

  const ConicSet& set() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

/// S(x), and constant + sum a_i x_i.
Eigen::MatrixXd slack(const MatrixInequality& matrix, const Eigen::VectorXd& x);
double slack(const ScalarInequality& scalar, const Eigen::VectorXd& x);

/// The smallest eigenvalue of each S_j(x).
std::vector<double> margins(const ConicSet& set, const Eigen::VectorXd& x);

/// Where `result` is infeasible: names of the inequalities that do not go together, those that the proof
/// (`Z`, `z`) needs, in the order of the set.
std::vector<std::string> conflict(const ConicSet& set, const ConicResult& result);

}  // namespace fathom::solve
