// fathom_arm_dump FILE ...: arms in air at random motions, on a base that moves, as JSON for
// tests/oracle/check_arm.py.
#include <cstdio>

#include <nlohmann/json.hpp>

#include "fathom/base/error.hpp"
#include "fathom/dynamics/arm_regressor.hpp"
#include "fathom/dynamics/test/arms.hpp"
#include "fathom/model_file/arm_file.hpp"

#include "tests/oracle/matrix_json.hpp"

namespace {

using namespace fathom;
using Json = nlohmann::ordered_json;
using test::list_of;
using test::rows_of;

Json at_motion(const dynamics::Arm& arm, const dynamics::test::ArmMotion& motion) {
  dynamics::ArmWorkspace workspace(arm);
  const auto n = static_cast<Eigen::Index>(arm.size());
  Vec6 wrench;
  const Eigen::VectorXd efforts = dynamics::test::efforts_of(arm, motion, &wrench);
  dynamics::ArmInertia inertia;
  dynamics::joint_inertia(arm, motion.angles(), workspace, inertia);
  dynamics::ArmDerivatives by;
  dynamics::inverse_derivatives(arm, motion.base, motion.angles(), motion.speeds(), motion.rates(), workspace,
                                by);
  Eigen::VectorXd ddq(n);
  dynamics::forward_dynamics(arm, motion.base, motion.angles(), motion.speeds(), {efforts.data(), arm.size()},
                             workspace, {ddq.data(), arm.size()});
  Eigen::MatrixXd Y(n, 10 * n), C;
  dynamics::arm_regressor(arm, {}, motion.base, motion.angles(), motion.speeds(), motion.rates(), workspace, Y);
  dynamics::coriolis_matrix(arm, motion.angles(), motion.speeds(), workspace, C);
  std::vector<Pose> poses(arm.size());
  dynamics::link_poses(arm, motion.angles(), poses);
  Json places = Json::array();
  for (const Pose& pose : poses) places.push_back(list_of(pose.p_pc_p));
  return {{"down", list_of(motion.base.down_b)},
          {"nu", list_of(motion.base.nu_r_b)},
          {"nu_dot", list_of(motion.base.nu_r_dot_b)},
          {"q", list_of(motion.q)},
          {"dq", list_of(motion.dq)},
          {"ddq", list_of(motion.ddq)},
          {"efforts", list_of(efforts)},
          {"wrench", list_of(wrench)},
          {"inertia", rows_of(inertia.joints)},
          {"base_inertia", rows_of(inertia.base)},
          {"coupling", rows_of(inertia.coupling)},
          {"by_q", rows_of(by.by_q)},
          {"by_dq", rows_of(by.by_dq)},
          {"forward", list_of(ddq)},
          {"regressor", rows_of(Y)},
          {"coriolis", rows_of(C)},
          {"places", places}};
}

}  // namespace

int main(int argc, char** argv) {
  Json arms = Json::array();
  RandomStream random(1, "arm dump");
  for (int k = 1; k < argc; ++k) {
    try {
      const model::Arm robot = model::read_arm(argv[k]);
      const dynamics::Arm arm(robot, model::Environment(), dynamics::Medium::air);
      Json joints = Json::array(), motions = Json::array();
      for (const model::Joint& joint : robot.joints()) joints.push_back(joint.name);
      for (int m = 0; m < 5; ++m)
        motions.push_back(at_motion(arm, dynamics::test::random_arm_motion(arm.size(), random)));
      arms.push_back({{"joints", joints}, {"motions", motions}, {"gravity", arm.environment().gravity()}});
    } catch (const InputError& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 2;
    }
  }
  std::puts(arms.dump().c_str());
}
