#pragma once
#include <string>
#include <vector>

#include "fathom/base/random.hpp"
#include "fathom/dynamics/arm.hpp"
#include "fathom/model/arm.hpp"

namespace fathom::dynamics::test {

struct RandomArm {
  std::size_t joints = 4;
  bool tree = false;       ///< else a chain
  bool prismatic = false;  ///< some joints
  bool wet = true;
  bool full_drag = true;  ///< coupled and displaced, else diagonal at the links' origins
};
/// An arm that no engineer would build, but nature would allow.
model::Arm random_arm(std::uint64_t seed, const RandomArm& options = {});
/// Chains and trees, dry and wet.
std::vector<model::Arm> random_arms();

/// Of an arm on a base that moves and leans.
struct ArmMotion {
  Motion base;
  Eigen::VectorXd q, dq, ddq;

  std::span<const double> angles() const { return {q.data(), static_cast<std::size_t>(q.size())}; }
  std::span<const double> speeds() const { return {dq.data(), static_cast<std::size_t>(dq.size())}; }
  std::span<const double> rates() const { return {ddq.data(), static_cast<std::size_t>(ddq.size())}; }
};
ArmMotion random_arm_motion(std::size_t joints, RandomStream& random, bool base_moves = true);

Eigen::VectorXd efforts_of(const Arm& arm, const ArmMotion& motion, Vec6* base_wrench = nullptr);

}  // namespace fathom::dynamics::test
