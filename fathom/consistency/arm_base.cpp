#include "fathom/consistency/arm_base.hpp"

#include <cmath>
#include <numbers>

#include "fathom/base/random.hpp"

namespace fathom::consistency {
namespace {

struct RandomJoints {
  Eigen::VectorXd q, dq, ddq;
};

void draw_joints(const model::Arm& arm, RandomStream& random, RandomJoints& joints) {
  for (std::size_t k = 0; k < arm.size(); ++k) {
    const model::Joint& joint = arm.joints()[k];
    const double reach = joint.kind == model::Joint::Kind::revolute ? std::numbers::pi : 1;
    const double low = std::isfinite(joint.limits.min) ? joint.limits.min : -reach;
    const double high = std::isfinite(joint.limits.max) ? joint.limits.max : reach;
    const auto i = static_cast<Eigen::Index>(k);
    joints.q[i] = random.uniform(low, high);
    joints.dq[i] = random.uniform(-2, 2);
    joints.ddq[i] = random.uniform(-4, 4);
  }
}

Vec3 random_vector(RandomStream& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

dynamics::Motion draw_base(const ArmSetting& setting, RandomStream& random) {
  dynamics::Motion base;
  base.down_b = setting.down_b;
  if (setting.base == ArmSetting::Base::fixed) return base;
  base.nu_r_b << random_vector(random, 1), random_vector(random, 1);
  base.nu_r_dot_b << random_vector(random, 2), random_vector(random, 2);
  base.down_b = random_vector(random, 1).normalized();
  return base;
}

}  // namespace

solve::Rows random_arm_rows(const model::Arm& robot, const dynamics::ArmColumns& columns,
                            const ArmSetting& setting) {
  const dynamics::Arm arm(robot, model::Environment(), setting.medium);
  dynamics::ArmWorkspace workspace(arm);
  RandomStream random(setting.seed, "arm base parameters");
  const auto n = static_cast<Eigen::Index>(arm.size());
  const auto count = static_cast<Eigen::Index>(dynamics::column_count(arm, columns));
  const Eigen::Index base_rows = setting.base == ArmSetting::Base::with_wrench ? 6 : 0;
  RandomJoints joints{Eigen::VectorXd(n), Eigen::VectorXd(n), Eigen::VectorXd(n)};
  Eigen::MatrixXd Y(n + base_rows, count);
  solve::Rows rows(count);
  const auto span_of = [n](const Eigen::VectorXd& x) {
    return std::span(x.data(), static_cast<std::size_t>(n));
  };
  for (std::size_t k = 0; k < setting.states; ++k) {
    draw_joints(robot, random, joints);
    const dynamics::Motion base = draw_base(setting, random);
    dynamics::arm_regressor(arm, columns, base, span_of(joints.q), span_of(joints.dq), span_of(joints.ddq),
                            workspace, Y.topRows(n));
    if (base_rows > 0)
      dynamics::base_regressor(arm, columns, base, span_of(joints.q), span_of(joints.dq), span_of(joints.ddq),
                               workspace, Y.bottomRows(base_rows));
    for (auto row : Y.rowwise())
      if (const double length = row.norm(); length > 0) row /= length;
    rows.add(Y, Eigen::VectorXd::Zero(Y.rows()));
  }
  return rows;
}

BaseParameters arm_base_parameters(const model::Arm& arm, const dynamics::ArmColumns& columns,
                                   const ArmSetting& setting) {
  return base_parameters(random_arm_rows(arm, columns, setting));
}

}  // namespace fathom::consistency
