#pragma once
#include <vector>

#include "fathom/solve/conic.hpp"
#include "fathom/solve/internal/conic_cholesky.hpp"

namespace fathom::solve::internal {

/// The inequalities of a set in one layout: "stacks" hold all matrices with all their entries, one after the
/// other, then the scalars; so that <S, Z> is the dot product of two stacks.
class Cones {
 public:
  struct Entry {
    int unknown;
    int index, mirror;  ///< places in a stack
    double value;
    double weight;  ///< of Z[index] in <A_i, Z>: twice the value off the diagonal
    int pair;       ///< place of (row, column) among those that the block's entries touch
    double halved;  ///< half the value on the diagonal
  };
  struct Block {
    int size, offset;
    int first, last;                 ///< entries, by unknown
    std::vector<int> rows, columns;  ///< that entries touch
  };

  explicit Cones(const ConicSet& set);

  int unknowns() const { return unknowns_; }
  int stack_size() const { return scalars_at_ + scalar_count_; }
  int scalars_at() const { return scalars_at_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  const Eigen::VectorXd& constant() const { return constant_; }
  /// Barrier degree: all rows of matrices and scalars.
  double degree() const { return degree_; }

  /// Whether the unknown stands on a diagonal, or in a scalar: there, and not beside it, slacks grow.
  bool is_on_diagonal(Eigen::Index unknown) const { return on_diagonal_[unknown]; }

  /// S += A(x)
  void add(const Eigen::VectorXd& x, Eigen::VectorXd& S) const;
  /// y = A*(Z)
  void adjoint(const Eigen::VectorXd& Z, Eigen::VectorXd& y) const;
  /// V = S^-1 and, where asked for, log det S; false unless S > 0.
  bool invert(const Eigen::VectorXd& S, Eigen::VectorXd& V, double* log_det) const;
  /// Lower triangle of K += tr(A_i V A_k Z).
  void add_hessian(const Eigen::VectorXd& V, const Eigen::VectorXd& Z, TileCholesky& K) const;
  /// Y = the symmetric part of A B C.
  void product(const Eigen::VectorXd& A, const Eigen::VectorXd& B, const Eigen::VectorXd& C,
               Eigen::VectorXd& Y) const;
  /// A share of dS, at most `most`, that keeps S + share dS > 0; short of the largest by `accuracy`.
  double share_inside(const Eigen::VectorXd& S, const Eigen::VectorXd& dS, double most,
                      double accuracy = 0.02) const;
  bool is_inside(const Block& block, const Eigen::VectorXd& S, const Eigen::VectorXd& dS, double share) const;

 private:
  void add_matrix(const MatrixInequality& matrix);
  void add_scalar(const ScalarInequality& scalar, int number);

  int unknowns_, scalar_count_, scalars_at_ = 0;
  double degree_ = 0;
  std::vector<Block> blocks_;
  std::vector<Entry> entries_;       // of matrices, then of scalars
  std::vector<int> scalar_entries_;  // where each scalar's begin, and the end
  std::vector<bool> on_diagonal_;    // by unknown
  Eigen::VectorXd constant_;
};

}  // namespace fathom::solve::internal
