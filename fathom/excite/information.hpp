#pragma once
#include <vector>

#include <Eigen/Core>

#include "fathom/excite/internal/kernel.hpp"
#include "fathom/excite/samples.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::excite {

/// What samples of a motion tell of the parameters of a structure: G = sum of Y' diag(weight) Y
/// (docs/excitation.md eq. 9), Y the regressor of a sample (docs/model.md eqs. 16 to 18) and weight one number
/// per free velocity. Entries of Y are sums of few features (velocities, accelerations, their products), so G
/// is gathered from products of features; its derivative goes the same way back. One per thread: it holds
/// scratch memory.
class Information {
 public:
  Information(const model::Structure& structure, const Eigen::VectorXd& weight);

  Eigen::Index size() const { return G_.rows(); }
  /// G over all rows of `at`; rows that only fill a block must be zero, `down` included. Does not allocate.
  const Eigen::MatrixXd& matrix(const Samples& at);
  /// Adds to `adjoint` the derivative by nu, nu_dot and down of a number whose derivative by the (symmetric) G
  /// is W.
  void add_gradient(const Samples& at, const Eigen::MatrixXd& W, Samples& adjoint);

 private:
  struct Entry {  // of G: += coefficient times the sum of a pair
    int row, column, pair;
    double coefficient;
  };
  int feature_of(internal::Feature feature);
  void add_term(const model::Term& term, int column);
  void add(int row, int column, internal::Feature feature, double coefficient);
  void make_pairs(const Eigen::VectorXd& weight);
  internal::Pairs pairs_at(const Samples& at);

  model::Dof dof_;
  std::vector<internal::Feature> features_;
  std::vector<int> used_;  // base columns
  struct Part {            // of Y: entry (row, column) has coefficient times a feature
    int row, column, feature;
    double coefficient;
  };
  std::vector<Part> parts_;
  std::vector<Entry> entries_;
  std::vector<int> first_, pair_begin_, pair_second_;  // by pair; by feature
  std::vector<int> partner_begin_, partner_other_, partner_pair_;
  std::vector<double> sums_, pair_weight_, partner_weight_;
  const double* base_[internal::most_base];
  Eigen::MatrixXd G_;
};

}  // namespace fathom::excite
