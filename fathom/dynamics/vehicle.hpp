#pragma once
#include <span>
#include <vector>

#include "fathom/dynamics/drag.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/model/dof.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::dynamics {

using model::Current;
using model::Dof;

/// Pose and twist of a vehicle.
struct State {
  Quat q_nb = Quat::Identity();
  Vec3 p_nb_n = Vec3::Zero();
  Vec6 nu_b = Vec6::Zero();
};

/// What the equation needs of a motion: velocity and acceleration relative to the water, and where down is.
struct Motion {
  Vec6 nu_r_b = Vec6::Zero();
  Vec6 nu_r_dot_b = Vec6::Zero();
  Vec3 down_b = Vec3::UnitZ();  ///< R_bn (g_n - a_current_n) / g; a unit vector unless the water accelerates
};

/// The constants of the equation of motion of one robot in one environment, computed once. Immutable; threads
/// share it. Nothing here or below needs scratch memory beyond the stack, so no workspace is passed.
class Vehicle {
 public:
  explicit Vehicle(const model::Robot& robot, const model::Environment& environment = model::Environment(),
                   Dof dof = Dof::six);

  Dof dof() const { return dof_; }
  const model::Environment& environment() const { return environment_; }
  const Mat6& M_rb() const { return M_rb_; }
  const Mat6& M_a() const { return M_a_; }
  const Mat6& M() const { return M_; }
  /// S' (S M S')^-1 S with S the rows of the free velocities: M^-1 in 6-DoF, zero on held rows and columns.
  const Mat6& M_inverse() const { return M_inverse_; }
  /// Wrench of gravity and buoyancy per acceleration in body axes; docs/model.md eq. 12.
  const Mat63& hydrostatic() const { return hydrostatic_; }
  const std::vector<Drag>& drag() const { return drag_; }
  const Mat6X& allocation() const { return allocation_; }

 private:
  model::Environment environment_;
  Dof dof_;
  Mat6 M_rb_, M_a_, M_, M_inverse_;
  Mat63 hydrostatic_;
  std::vector<Drag> drag_;
  Mat6X allocation_;
};

/// S' (S M S')^-1 S of any inertia, as Vehicle::M_inverse().
Mat6 inverse_on_free(const Mat6& M, Dof dof);

/// B f, the wrench of the thrusters' forces [N].
Vec6 thruster_wrench(const Vehicle& vehicle, std::span<const double> forces);

/// D(nu_r) with D(nu_r) nu_r the damping wrench; docs/model.md eqs. 10, 11.
Mat6 damping_matrix(const Vehicle& vehicle, const Vec6& nu_r_b);
/// D(nu_r) nu_r. `jacobian`: by nu_r; at nu_j = 0 cross terms |nu_j| nu_k have a kink, there the mean slope.
Vec6 damping_force(const Vehicle& vehicle, const Vec6& nu_r_b, Mat6* jacobian = nullptr);

/// g(eta): the restoring term of the left-hand side, minus the wrench of gravity and buoyancy.
Vec6 restoring(const Vehicle& vehicle, const Quat& q_nb);

/// Velocity of the water in body axes as a twist, and nu relative to it.
Vec6 relative_twist(const State& state, const Current& current);

/// Derivatives of nu_dot = forward_dynamics(...). The state's attitude moves by q_nb * Exp(theta). Position
/// does not enter: the current is given as it is at the robot.
struct ForwardJacobian {
  Mat63 by_attitude;
  Mat6 by_twist;
  Mat6 by_wrench;  ///< times allocation(): by thruster forces
};

/// nu_dot of the free velocities under the wrench tau_b; zero for held ones. docs/model.md eq. 14.
Vec6 forward_dynamics(const Vehicle& vehicle, const State& state, const Vec6& tau_b,
                      const Current& current = {}, ForwardJacobian* jacobian = nullptr);

/// The wrench that gives nu_dot, held rows included: there it is what the holder must supply; docs/model.md
/// eq. 15.
Vec6 inverse_dynamics(const Vehicle& vehicle, const State& state, const Vec6& nu_dot_b,
                      const Current& current = {});

/// The same of a motion, without Current::convective_n; `by_twist`: its derivative by nu_r. That by nu_r_dot is
/// M, that by down -g hydrostatic().
Vec6 inverse_dynamics(const Vehicle& vehicle, const Motion& motion, Mat6* by_twist = nullptr);

/// Kinetic energy of body and water, 1/2 nu_r' M nu_r.
double kinetic_energy(const Vehicle& vehicle, const Vec6& nu_r_b);
/// Potential energy of weight and buoyancy, with both centres counted from the body origin at the surface.
double potential_energy(const Vehicle& vehicle, const State& state);

}  // namespace fathom::dynamics
