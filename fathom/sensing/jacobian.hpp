#pragma once
#include "fathom/geometry/types.hpp"

namespace fathom::sensing {

/// Derivatives of `rows` measured numbers by the state: the attitude moves by R_nb Exp(dtheta), position and
/// twist by addition.
template <int rows, int max_rows = rows>
struct Jacobian {
  template <int columns>
  using Block = Eigen::Matrix<double, rows, columns, Eigen::RowMajor, max_rows, columns>;
  Block<3> by_attitude, by_position;
  Block<6> by_twist;

  /// All three side by side, in the order of dynamics::State.
  Block<12> all() const {
    Block<12> matrix(by_twist.rows(), 12);
    matrix << by_attitude, by_position, by_twist;
    return matrix;
  }
};

/// The same where the acceleration is measured too.
template <int rows>
struct AccelerationJacobian : Jacobian<rows> {
  Eigen::Matrix<double, rows, 6> by_nu_dot;
};

}  // namespace fathom::sensing
