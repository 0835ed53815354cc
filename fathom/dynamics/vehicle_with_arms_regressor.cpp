#include "fathom/dynamics/vehicle_with_arms_regressor.hpp"

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::dynamics {

VehicleWithArmsRegressor::VehicleWithArmsRegressor(const model::VehicleWithArms& robot,
                                                   const model::Environment& environment,
                                                   const model::Structure& structure, const ArmColumns& columns)
    : vehicle_(structure, robot.vehicle, environment), which_(columns), robot_(robot, environment) {
  if (structure.dof != Dof::six)
    reject("structure", fmt::format("{} has {} degrees of freedom, a vehicle with arms moves in six",
                                    structure.name, static_cast<int>(structure.dof)));
  add(vehicle_, "");
  for (const model::MountedArm& mounted : robot.arms)
    add(ArmRegressor(mounted.arm, environment, columns, {.first = joints_}), mounted.name + ".");
}

void VehicleWithArmsRegressor::add(const Regressor& part, const std::string& prefix) {
  std::vector<model::Parameter> entries = parameters_.entries();
  for (model::Parameter parameter : part.parameters().entries()) {
    parameter.name = prefix + parameter.name;
    entries.push_back(std::move(parameter));
  }
  const Eigen::Index n = columns(), more = part.columns();
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(n + more, n + more);
  covariance.topLeftCorner(n, n) = parameters_.covariance();
  covariance.bottomRightCorner(more, more) = part.parameters().covariance();
  parameters_ = model::ParameterVector(std::move(entries), std::move(covariance));
  for (const Row& row : part.rows()) rows_.push_back({prefix + row.name, row.unit});
  for (const std::string& name : part.left_out()) left_out_.push_back(prefix + name);
  joints_ += part.joints();
}

void VehicleWithArmsRegressor::fill_rows(const MotionBatch& motion, Eigen::Ref<Eigen::MatrixXd> Y) const {
  Y.setZero();
  const auto of_vehicle = vehicle_.columns();
  for (Eigen::Index k = 0; k < motion.samples(); ++k)
    regressor(vehicle_.structure(), motion.base_at(k), Y.block(k * row_count(), 0, 6, of_vehicle));
  Eigen::Index column = of_vehicle;
  for (const VehicleWithArms::Mounted& mounted : robot_.arms()) {
    ArmWorkspace workspace(mounted.arm);
    const auto n = static_cast<Eigen::Index>(mounted.arm.size()),
               count = static_cast<Eigen::Index>(column_count(mounted.arm, which_)),
               first = static_cast<Eigen::Index>(mounted.first);
    Eigen::MatrixXd wrench(6, count);
    for (Eigen::Index k = 0; k < motion.samples(); ++k) {
      const auto of = [&](const Eigen::MatrixXd& all) {
        return std::span<const double>(all.col(k).data() + first, mounted.arm.size());
      };
      const Motion base = mounted.base_motion(motion.base_at(k));
      const Eigen::Index top = k * row_count();
      arm_regressor(mounted.arm, which_, base, of(motion.q), of(motion.dq), of(motion.ddq), workspace,
                    Y.block(top + 6 + first, column, n, count));
      base_regressor(mounted.arm, which_, base, of(motion.q), of(motion.dq), of(motion.ddq), workspace, wrench);
      Y.block(top, column, 6, count).noalias() = mounted.H.transpose() * wrench;
    }
    column += count;
  }
}

}  // namespace fathom::dynamics
