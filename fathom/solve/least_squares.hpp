#pragma once
#include <functional>
#include <limits>
#include <optional>

#include <Eigen/Core>

namespace fathom::solve {

/// The rows of A x = y, kept as the triangular factor of [A y]: memory does not grow with the rows, and nothing
/// is squared, so that x is as good as from the whole matrix at once.
class Rows {
 public:
  explicit Rows(Eigen::Index unknowns);

  /// Adds rows; weights, if any, are standard deviations by which rows are divided.
  void add(const Eigen::Ref<const Eigen::MatrixXd>& A, const Eigen::Ref<const Eigen::VectorXd>& y);
  void add(const Eigen::Ref<const Eigen::MatrixXd>& A, const Eigen::Ref<const Eigen::VectorXd>& y,
           const Eigen::Ref<const Eigen::VectorXd>& sigma);
  /// As if the other's rows had been added here.
  void add(const Rows& other);

  Eigen::Index unknowns() const { return n_; }
  Eigen::Index count() const { return count_; }
  /// Upper triangular, (n + 1) x (n + 1): the factor of [A y].
  Eigen::MatrixXd factor() const;
  /// A'A, A'y, y'y.
  Eigen::MatrixXd gram() const;
  Eigen::VectorXd moment() const;
  double square() const;

 private:
  Eigen::Index n_, count_ = 0, filled_ = 0;
  Eigen::MatrixXd block_;  // R over rows that wait
};

struct LinearFit {
  Eigen::VectorXd x;
  /// sigma^2 (A'A)^-1 with sigma^2 = rss / (rows - rank): true only for independent residuals of equal size.
  Eigen::MatrixXd covariance;
  double rss = 0;
  Eigen::Index rows = 0, rank = 0;
  Eigen::VectorXd singular_values;  ///< of A with columns scaled to unit length
  Eigen::VectorXd column_norms;
  double condition() const;             ///< of A as it is
  double scaled_condition() const;      ///< of A with unit columns
  Eigen::VectorXd own_singular_values;  ///< of A as it is
};

/// Least |A x - y|; where the rank is short, the x of least scaled norm.
LinearFit ordinary(const Rows& rows, double rank_tolerance = 1e-12);

/// Total least squares: A too has errors, independent, with the standard deviation of each column (of y last)
/// in `column_sigma`, up to a common factor; columns with 0 are exact (mixed problem: Golub and Van Loan, Van
/// Huffel and Vandewalle). Throws InputError where the problem has no solution (nongeneric).
LinearFit total(const Rows& rows, const Eigen::VectorXd& column_sigma);

/// Rows of A, y and instruments Z of the same shape, for x = (Z'A)^-1 Z'y; consistent where errors of A are not
/// correlated with Z.
class InstrumentalRows {
 public:
  explicit InstrumentalRows(Eigen::Index unknowns);
  void add(const Eigen::Ref<const Eigen::MatrixXd>& A, const Eigen::Ref<const Eigen::MatrixXd>& Z,
           const Eigen::Ref<const Eigen::VectorXd>& y);
  const Eigen::MatrixXd& ZA() const { return ZA_; }
  const Eigen::VectorXd& Zy() const { return Zy_; }
  const Eigen::MatrixXd& ZZ() const { return ZZ_; }

 private:
  Eigen::MatrixXd ZA_, ZZ_;
  Eigen::VectorXd Zy_;
};
/// Throws InputError where Z'A is singular. The covariance is left empty: see sandwich().
LinearFit instrumental(const InstrumentalRows& rows);

/// One pass over rows: calls `take` with each block.
using RowTaker =
    std::function<void(const Eigen::Ref<const Eigen::MatrixXd>&, const Eigen::Ref<const Eigen::VectorXd>&)>;
using RowSource = std::function<void(const RowTaker& take)>;

struct RobustFit : LinearFit {
  double scale = 0;                ///< of residuals, from their median
  Eigen::Index down_weighted = 0;  ///< rows with a residual beyond the corner
  int iterations = 0;
  bool converged = false;
};
/// Huber's estimate with corner 1.345 times the scale (95 % efficient for Gaussian residuals), by reweighting.
RobustFit huber(Eigen::Index unknowns, const RowSource& rows, double corner = 1.345);

}  // namespace fathom::solve
