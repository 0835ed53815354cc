#pragma once
#include "fathom/dynamics/arm_regressor.hpp"
#include "fathom/dynamics/vehicle_with_arms.hpp"

namespace fathom::dynamics {

/// Regressor of a vehicle with arms: six rows of the wrench on the vehicle, then the efforts of all joints.
///
/// Columns are those of the structure, then those of each arm, named `arm.link.m`; groups count links and
/// joints through all arms.
class VehicleWithArmsRegressor final : public Regressor {
 public:
  /// Throws InputError unless the structure has six degrees of freedom.
  VehicleWithArmsRegressor(const model::VehicleWithArms& robot, const model::Environment& environment,
                           const model::Structure& structure, const ArmColumns& columns);

 private:
  void add(const Regressor& part, const std::string& prefix);
  void fill_rows(const MotionBatch& motion, Eigen::Ref<Eigen::MatrixXd> Y) const override;

  VehicleRegressor vehicle_;
  ArmColumns which_;
  VehicleWithArms robot_;
};

}  // namespace fathom::dynamics
