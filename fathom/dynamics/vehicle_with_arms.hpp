#pragma once
#include <span>
#include <vector>

#include "fathom/dynamics/arm.hpp"
#include "fathom/geometry/twist_map.hpp"
#include "fathom/model/vehicle_with_arms.hpp"

namespace fathom::dynamics {

/// The constants of the equations of motion of a vehicle and the arms on it, computed once: docs/arms.md eqs.
/// 16 to 19. Immutable; threads share it, each with a workspace of its own. Joints count through all arms, in
/// the order of the file. The vehicle moves in all six degrees of freedom.
class VehicleWithArms {
 public:
  explicit VehicleWithArms(const model::VehicleWithArms& robot,
                           const model::Environment& environment = model::Environment());

  struct Mounted {
    Arm arm;
    TwistMap mount;     ///< twists of the vehicle to those of the arm's base
    Mat3 R_bm;          ///< axes of the mount in the vehicle's
    Mat6 H;             ///< mount, as a matrix
    std::size_t first;  ///< of its joints

    /// Motion of the arm's base as the vehicle moves; docs/arms.md eq. 16.
    Motion base_motion(const Motion& motion) const {
      return {mount.twist(motion.nu_r_b), mount.twist(motion.nu_r_dot_b), R_bm.transpose() * motion.down_b};
    }
  };

  const Vehicle& vehicle() const { return vehicle_; }
  const std::vector<Mounted>& arms() const { return arms_; }
  std::size_t joints() const { return joints_; }

 private:
  Vehicle vehicle_;
  std::vector<Mounted> arms_;
  std::size_t joints_ = 0;
};

/// Scratch of the functions below, so that they do not allocate.
class VehicleWithArmsWorkspace {
 public:
  explicit VehicleWithArmsWorkspace(const VehicleWithArms& robot);

  struct OfArm {
    ArmWorkspace links;
    ArmInertia inertia;
    Eigen::Matrix<double, Eigen::Dynamic, 6> coupling;  ///< of joints with the vehicle's acceleration
    Eigen::Matrix<double, Eigen::Dynamic, 6> solved;    ///< joints' inertia \ coupling
    Eigen::VectorXd bias, rate;
    Eigen::LLT<Eigen::MatrixXd> llt;
  };
  std::vector<OfArm> arms;
  std::vector<double> zero;
};

/// What thrusters and joints must give for a motion: the wrench on the vehicle and the efforts of all joints,
/// without friction. `motion` is the vehicle's.
void inverse_dynamics(const VehicleWithArms& robot, const Motion& motion, std::span<const double> q,
                      std::span<const double> dq, std::span<const double> ddq,
                      VehicleWithArmsWorkspace& workspace, Vec6& tau_b, std::span<double> efforts);

/// nu_r_dot and ddq under the wrench tau_b and joint efforts; `motion.nu_r_dot_b` does not count. Throws
/// InputError where an arm's inertia is singular.
void forward_dynamics(const VehicleWithArms& robot, const Motion& motion, std::span<const double> q,
                      std::span<const double> dq, const Vec6& tau_b, std::span<const double> efforts,
                      VehicleWithArmsWorkspace& workspace, Vec6& nu_r_dot_b, std::span<double> ddq);

/// Impulse of vehicle, arms and the water that they move, at the body's origin and in its axes: only what comes
/// from outside changes it (docs/arms.md eq. 19).
Vec6 impulse(const VehicleWithArms& robot, const Vec6& nu_r_b, std::span<const double> q,
             std::span<const double> dq, VehicleWithArmsWorkspace& workspace);

}  // namespace fathom::dynamics
