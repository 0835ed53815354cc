#pragma once
#include <array>
#include <string>
#include <vector>

#include "fathom/geometry/types.hpp"

namespace fathom::identify {

/// What an acceleration may depend on.
struct Instant {
  Vec6 nu_b = Vec6::Zero(), tau_b = Vec6::Zero();
  Vec3 down_b = Vec3::Zero();
};

/// One column of an acceleration; docs/identification.md eq. 30.
struct AccelerationTerm {
  enum class Kind {
    wrench,     ///< tau_i
    velocity,   ///< nu_i
    drag,       ///< |v| nu_i, with the speed |v| of translation
    own_drag,   ///< |nu_i| nu_i
    turning,    ///< -(omega x v)_i: what a body that keeps its course does in axes that turn
    product,    ///< nu_i nu_j
    restoring,  ///< down_b, i
    constant,   ///< 1
  } kind = Kind::constant;
  int i = 0, j = 0;

  bool operator==(const AccelerationTerm&) const = default;
  double value(const Instant& at) const;
  /// By which blurred series can be told apart that need not be made again, if only tau_b or the place of the
  /// velocity sensor change.
  bool is_linear_in_velocity() const { return kind == Kind::velocity; }
  bool depends_on_wrench_or_place() const;
  std::string name() const;  ///< "X", "|v| u", "v r"
};

/// Of each of u_dot .. r_dot; one without terms keeps its velocity.
using AccelerationTerms = std::array<std::vector<AccelerationTerm>, 6>;

/// nu_dot_i = a tau_i + b nu_i + c, each for itself: the baseline.
AccelerationTerms linear_terms();
/// Surge, sway, heave and yaw; roll and pitch keep their rates and count for nothing.
AccelerationTerms level_terms();
/// All six, with restoring moments and buoyancy.
AccelerationTerms full_terms();

struct AccelerationModel {
  AccelerationTerms terms;
  std::array<Eigen::VectorXd, 6> theta;  ///< by the terms

  Vec6 acceleration_b(const Instant& at) const;
  /// Of a term that the axis has: force per acceleration of it [kg] is 1 / coefficient(axis, wrench).
  /// Throws InputError where there is none.
  double coefficient(int axis, const AccelerationTerm& term) const;
  /// The same over the coefficient of the axis' own wrench: in N per unit of the term.
  double in_newton(int axis, const AccelerationTerm& term) const;
};

}  // namespace fathom::identify
