#pragma once
#include <span>
#include <vector>

#include "fathom/geometry/types.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::identify::internal {

/// Of the free velocities only; on the stack.
using FreeVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
using FreeMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

/// The equation of motion with the terms of a structure and nothing else, solved for the rate:
/// nu_r_dot = M^-1 (tau - Y(nu_r, 0) theta), docs/model.md eqs. 16 to 18. Unlike dynamics::Vehicle it needs no
/// robot, so that a solver can make one for any theta. rate() does not allocate.
class VelocityModel {
 public:
  VelocityModel(const model::Structure& structure, const double* theta);

  bool can_run() const { return M_inverse_.allFinite(); }
  const FreeMatrix& M_inverse() const { return M_inverse_; }
  /// `by_twist`: its derivative by nu_r.
  FreeVector rate(const FreeVector& nu_r, const Vec3& down_b, const FreeVector& tau,
                  FreeMatrix* by_twist = nullptr) const;

 private:
  struct Quadratic {
    int row, column, speed;
    double value;
  };
  void set(const model::Term& term, double value);

  std::span<const int> free_;
  Mat6 M_ = Mat6::Zero(), linear_ = Mat6::Zero();
  std::vector<Quadratic> quadratic_;
  double net_weight_ = 0;
  Vec3 first_moment_ = Vec3::Zero();
  FreeMatrix M_inverse_;
};

}  // namespace fathom::identify::internal
