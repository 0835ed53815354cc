#include "fathom/model/held_joint.hpp"

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/test/arms.hpp"

namespace fathom::dynamics::held_joint_test {
namespace {

/// What a vector has besides entry `k`.
Eigen::VectorXd without(const Eigen::VectorXd& x, std::size_t k) {
  const auto i = static_cast<Eigen::Index>(k);
  Eigen::VectorXd out(x.size() - 1);
  out << x.head(i), x.tail(x.size() - 1 - i);
  return out;
}

/// The other joints feel no difference between a joint that is held and one that stands still.
TEST(HeldJoint, IsAJointThatStandsStill) {
  RandomStream random(1, "held joint");
  for (const model::Arm& whole : test::random_arms())
    for (std::size_t held = 0; held < whole.size(); ++held) {
      const Arm arm(whole);
      test::ArmMotion motion = test::random_arm_motion(whole.size(), random);
      const auto i = static_cast<Eigen::Index>(held);
      motion.dq[i] = motion.ddq[i] = 0;
      const Arm less(model::with_joint_held(whole, held, motion.q[i]));
      const test::ArmMotion rest{motion.base, without(motion.q, held), without(motion.dq, held),
                                 without(motion.ddq, held)};
      const Eigen::VectorXd expected = without(test::efforts_of(arm, motion), held);
      const Eigen::VectorXd found = test::efforts_of(less, rest);
      EXPECT_LT((found - expected).norm(), 1e-10 * (1 + expected.norm())) << whole.name() << ", joint " << held;
    }
}

TEST(HeldJoint, OfOneNothingIsLeft) {
  test::RandomArm one;
  one.joints = 1;
  const auto arm = test::random_arm(1, one);
  EXPECT_NE(fathom::test::error_text([&] { model::with_joint_held(arm, 0, 0); }).find("nothing moves"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom::dynamics::held_joint_test
