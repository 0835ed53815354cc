#pragma once
#include <functional>

#include <Eigen/Core>

namespace fathom::solve {

/// The rows of A x = y, kept as the triangular factor of [A y]: memory does not grow with the rows, and nothing
/// is squared, so that x is as good as from the whole matrix at once. Numbers that are not finite and sizes
/// that do not fit are rejected with an InputError.
class Rows {
 public:
  explicit Rows(Eigen::Index unknowns);

  /// Adds rows; `sigma`, if any, holds standard deviations, by which rows are divided.
  void add(const Eigen::Ref<const Eigen::MatrixXd>& A, const Eigen::Ref<const Eigen::VectorXd>& y);
  void add(const Eigen::Ref<const Eigen::MatrixXd>& A, const Eigen::Ref<const Eigen::VectorXd>& y,
           const Eigen::Ref<const Eigen::VectorXd>& sigma);
  /// As if the other's rows had been added here.
  void add(const Rows& other);

  Eigen::Index unknowns() const { return n_; }
  Eigen::Index count() const { return count_; }
  /// Upper triangular, (n + 1) x (n + 1): the factor of [A y], up to signs of its rows.
  Eigen::MatrixXd factor() const;
  /// A'A, A'y, y'y.
  Eigen::MatrixXd gram() const;
  Eigen::VectorXd moment() const;
  double square() const;

 private:
  using Sigma = Eigen::Ref<const Eigen::VectorXd>;
  void append(const Eigen::Ref<const Eigen::MatrixXd>& A, const Eigen::Ref<const Eigen::VectorXd>& y,
              const Sigma* sigma);

  Eigen::Index n_, count_ = 0, filled_ = 0;
  Eigen::MatrixXd block_;  // the first `filled_` rows: R, then rows that wait
};

struct LinearFit {
  Eigen::VectorXd x;
  /// sigma^2 (A'A)^-1 with sigma^2 = rss / (rows - rank): true only for independent residuals of equal size.
  /// Where the rank is short, of the part of x that the rows tell. Empty where rows = rank: nothing tells
  /// sigma.
  Eigen::MatrixXd covariance;
  double rss = 0;  ///< |A x - y|^2
  Eigen::Index rows = 0, rank = 0;
  Eigen::VectorXd column_norms;         ///< of A
  Eigen::VectorXd singular_values;      ///< of A with columns scaled to unit length, falling
  Eigen::VectorXd own_singular_values;  ///< of A as it is, falling
  double scaled_condition() const;      ///< of A with unit columns
  double condition() const;             ///< of A as it is
};

/// Least |A x - y|; where the rank is short, the x of least scaled norm. The rank counts singular values of A
/// with unit columns above `rank_tolerance` times the largest.
LinearFit ordinary(const Rows& rows, double rank_tolerance = 1e-12);

/// Total least squares: A too has errors, independent, with the standard deviation of each column (of y last)
/// in `column_sigma`, up to a common factor; columns with 0 are exact (mixed problem: Golub and Van Loan, Van
/// Huffel and Vandewalle). rss is the sum of squares of the corrections to [A y], each over its column's sigma;
/// covariance is that of Gaussian errors (Fuller 1987, section 2.2). Throws InputError where the problem has no
/// solution (nongeneric), or none that the numbers tell apart from others.
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
  const Rows& rows() const { return rows_; }  ///< A and y alone

 private:
  Rows rows_;
  Eigen::MatrixXd ZA_, ZZ_;
  Eigen::VectorXd Zy_;
};
/// Throws InputError where Z'A is singular. The covariance is left empty: serial_correlation.hpp, sandwich().
LinearFit instrumental(const InstrumentalRows& rows);

/// One pass over rows: calls `take` with each block. Every pass gives the same rows in the same order.
using RowTaker =
    std::function<void(const Eigen::Ref<const Eigen::MatrixXd>&, const Eigen::Ref<const Eigen::VectorXd>&)>;
using RowSource = std::function<void(const RowTaker& take)>;

struct RobustFit : LinearFit {
  double scale = 0;                ///< of residuals, from their median
  Eigen::Index down_weighted = 0;  ///< rows with a residual beyond the corner
  int iterations = 0;
  bool converged = false;
};
/// Huber's estimate with corner 1.345 times the scale (95 % efficient for Gaussian residuals), by reweighting
/// from the ordinary one: one number per row is kept. rss is the plain sum of squares; the covariance is
/// Huber's (1981, section 7.6), for independent residuals.
RobustFit huber(Eigen::Index unknowns, const RowSource& rows, double corner = 1.345);

}  // namespace fathom::solve
