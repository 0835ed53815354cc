#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace fathom::solve {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// lower <= A x <= upper over unknowns of its own. Either bound may be infinite. Rows should touch neighbouring
/// unknowns only: the work grows with the square of the widest row.
struct Block {
  SparseRows A;
  Eigen::VectorXd lower, upper;
};

/// Independent blocks; x stacks their unknowns in order.
struct BlockProgram {
  std::vector<Block> blocks;
  /// What an objective knows of its curvature (Objective::add_curvature) may tie unknowns i and j of any two
  /// blocks with |i - j| < reach; the blocks then have as many unknowns each. 0: it tells nothing.
  Eigen::Index curvature_reach = 0;
  Eigen::Index unknowns() const;
};

/// Takes what an objective knows of its Hessian.
class Curvature {
 public:
  virtual ~Curvature() = default;
  /// Adds a symmetric matrix, positive semi-definite in sum, on the unknowns first to first + count - 1 of all
  /// blocks; `count` is at most the program's curvature_reach. Entry (i, j) stands at [i * n + j] for
  /// n = count * blocks, of which those with j >= i are read; i runs over the first unknown of every block,
  /// then the second of every block, and so on.
  virtual void add(Eigen::Index first, Eigen::Index count, const double* matrix) = 0;
};

/// What is minimized over a BlockProgram.
class Objective {
 public:
  virtual ~Objective() = default;
  /// f(x) + mu phi(x) and its gradient, phi a barrier of limits that the blocks do not hold (zero where there
  /// are none). Infinite or NaN outside of the domain; the gradient is then not read.
  virtual double evaluate(const Eigen::VectorXd& x, double mu, Eigen::VectorXd& gradient) = 0;
  /// The part of the Hessian of f + mu phi at x that is known and positive semi-definite, such as the
  /// Gauss-Newton part of phi: the quasi-Newton matrix then learns the rest alone. Asked where the last
  /// `evaluate` was, of programs with a curvature_reach.
  virtual void add_curvature(const Eigen::VectorXd& x, double mu, Curvature& to) {
    static_cast<void>(x), static_cast<void>(mu), static_cast<void>(to);
  }
  /// The least ratio of a slack of phi's limits where the last `evaluate` was, inside or not, to the same where
  /// the last `add_curvature` was: how far the step between went towards their boundary.
  virtual double slack_ratio() const { return 1; }
};

struct InteriorPointOptions {
  int memory = 8;                   ///< pairs of the quasi-Newton matrix, at most 20; more did not pay
  double mu_first = 1e-2;           ///< barrier, from
  double mu_last = 1e-6;            ///< to
  double mu_factor = 5;             ///< divided by, once the error is below 10 mu
  double tolerance = 1e-3;          ///< of the KKT error at the last mu
  double progress = 2e-4;           ///< of f with barriers over max(1, |f|): less
  int patience = 15;                ///< over this many iterations counts as none
  int iterations = 1000;            ///< at most
  double to_boundary = 0.99;        ///< share of the way to the nearest bound that one step may go
  std::function<bool()> stop = {};  ///< asked once per iteration; true ends the search where it is
  /// Told of each iterate; f with the objective's own barrier.
  std::function<void(int iteration, double f)> step = {};
};

/// How a search ended, with its certificate: the residuals of the conditions of optimality.
struct InteriorPointResult {
  enum class Status { not_run, converged, no_progress, iteration_limit, stopped, failed };
  Status status = Status::not_run;
  std::string reason;          ///< of `failed`
  Eigen::VectorXd x;           ///< strictly inside every bound
  double f = 0;                ///< without barriers
  double stationarity = 0;     ///< largest |grad f - A' z|, scaled as in Waechter and Biegler 2006, eq. 5
  double complementarity = 0;  ///< largest slack times dual, likewise
  double margin = 0;           ///< smallest slack over the width of its row's range; > 0
  int iterations = 0, evaluations = 0;
};
std::string to_string(InteriorPointResult::Status status);

/// Feasible primal-dual interior point with a limited-memory quasi-Newton matrix; docs/solvers.md. The matrix
/// of a step is a banded one per block plus low rank, solved by banded Cholesky and Woodbury's identity. Holds
/// the program in its own layout and scratch memory: one per thread. `minimize` does not allocate but for its
/// result.
class InteriorPoint {
 public:
  /// Throws InputError where sizes differ, a number is NaN, a row's bounds cross or touch. Rows that touch no
  /// unknown are left aside if their bounds hold zero, and rejected otherwise.
  explicit InteriorPoint(const BlockProgram& program);
  ~InteriorPoint();
  InteriorPoint(InteriorPoint&&) noexcept;
  InteriorPoint& operator=(InteriorPoint&&) noexcept;

  /// `start` must lie strictly inside every bound and in the objective's domain.
  InteriorPointResult minimize(Objective& objective, const Eigen::VectorXd& start,
                               const InteriorPointOptions& options = {});
  /// The point of the polytope nearest to `target` (to the tolerance of a few mu), strictly inside, from a
  /// strictly inner `start`.
  Eigen::VectorXd project(const Eigen::VectorXd& target, const Eigen::VectorXd& start);

  /// The smallest slack over the width of its row's range (one where a side is open); negative outside.
  double margin(const Eigen::VectorXd& x) const;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> work_;
};

/// A row that cannot be met together with others.
struct Conflict {
  std::size_t block = 0;
  Eigen::Index row = 0;
  double value = 0;   ///< of A x at the point that misses least
  double missed = 0;  ///< how far beyond its bound
};

/// A strictly inner point, or the rows in conflict at the point whose misses, each over the width of its row's
/// range, have the least sum of squares.
struct InnerPoint {
  bool found = false;
  Eigen::VectorXd x;
  std::vector<Conflict> conflicts;
};
/// `inset`: how far inside every bound the point must be, as a share of the width of the row's range.
InnerPoint find_inner_point(const BlockProgram& program, double inset = 1e-3);

}  // namespace fathom::solve
