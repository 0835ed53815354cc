// Arms beside Pinocchio's C++, in one run: inverse dynamics in air and in water, regressor, derivatives,
// forward dynamics of seven revolute joints. `./dev bench arms` builds it against the headers of the wheel that
// the tests have. Both sides take turns, so that what else the machine does meets both.
#include <algorithm>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include "fathom/dynamics/arm_regressor.hpp"
#include "fathom/dynamics/test/arms.hpp"

namespace fathom {
namespace {

constexpr std::size_t joints = 7;

/// Axes along z, which is what Pinocchio has its fastest joint for; drag as a robot file usually has it.
model::Arm seven_joints() {
  model::ArmSpec spec = dynamics::test::random_arm(7, {.joints = joints, .full_drag = false}).spec();
  for (model::Joint& joint : spec.joints) joint.axis = Vec3::UnitZ();
  return model::Arm::make(std::move(spec));
}

pinocchio::Model same_for_pinocchio(const model::Arm& arm) {
  pinocchio::Model model;
  pinocchio::JointIndex parent = 0;
  for (std::size_t k = 0; k < arm.size(); ++k) {
    const Pose& zero = arm.joints()[k].zero;
    const model::Hull& body = arm.links()[k].body;
    parent = model.addJoint(parent, pinocchio::JointModelRZ(),
                            pinocchio::SE3(zero.q_pc.toRotationMatrix(), zero.p_pc_p), fmt::format("j{}", k));
    model.appendBodyToJoint(parent,
                            pinocchio::Inertia(body.mass.value, body.centre_of_mass.value, body.inertia.value));
  }
  model.gravity.linear(Eigen::Vector3d(0, 0, 9.81));
  return model;
}

/// ns of the processor for one call, over a stretch of `calls`: what others take of it does not count.
double time_of(const std::function<void(std::size_t)>& call, std::size_t calls) {
  const auto now = [] {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
  };
  const double begin = now();
  for (std::size_t k = 0; k < calls; ++k) call(k);
  return (now() - begin) / static_cast<double>(calls);
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void race(const std::string& what, const std::string& other, const std::function<void(std::size_t)>& ours,
          const std::function<void(std::size_t)>& theirs) {
  std::vector<double> own, their, ratio;
  for (int turn = 0; turn < 60; ++turn) {
    own.push_back(time_of(ours, 4000));
    their.push_back(time_of(theirs, 4000));
    ratio.push_back(own.back() / their.back());
  }
  fmt::print(
      "{:34} {:>8.0f} {:>8.0f} {:>8.0f} ns   {:28} {:>8.0f} {:>8.0f} {:>8.0f} ns   ratio {:.2f} {:.2f} "
      "{:.2f}\n",
      what, quantile(own, 0.1), quantile(own, 0.5), quantile(own, 0.9), other, quantile(their, 0.1),
      quantile(their, 0.5), quantile(their, 0.9), quantile(ratio, 0.1), quantile(ratio, 0.5),
      quantile(ratio, 0.9));
}

struct Race {
  model::Arm robot = seven_joints();
  dynamics::Arm wet{robot}, dry{robot, model::Environment(), dynamics::Medium::air};
  dynamics::ArmWorkspace workspace{dry};
  pinocchio::Model model = same_for_pinocchio(robot);
  pinocchio::Data data{model};
  std::vector<dynamics::test::ArmMotion> motions;
  Eigen::VectorXd efforts = Eigen::VectorXd::Zero(joints);
  Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(joints, 10 * joints);
  dynamics::ArmDerivatives by;
  Eigen::MatrixXd by_q = Eigen::MatrixXd::Zero(joints, joints), by_v = by_q, by_a = by_q;

  Race() {
    RandomStream random(1, "arm race");
    for (int k = 0; k < 64; ++k) {
      motions.push_back(dynamics::test::random_arm_motion(joints, random, false));
      motions.back().base.down_b = Vec3::UnitZ();
    }
  }
  const dynamics::test::ArmMotion& at(std::size_t k) const { return motions[k % motions.size()]; }
  void inverse(const dynamics::Arm& arm, std::size_t k) {
    const auto& m = at(k);
    dynamics::inverse_dynamics(arm, m.base, m.angles(), m.speeds(), m.rates(), workspace,
                               {efforts.data(), joints});
  }
};

}  // namespace
}  // namespace fathom

int main() {
  using namespace fathom;
  Race r;
  const auto rnea = [&](std::size_t k) {
    pinocchio::rnea(r.model, r.data, r.at(k).q, r.at(k).dq, r.at(k).ddq);
  };
  rnea(0);
  r.inverse(r.dry, 0);
  if ((r.efforts - r.data.tau).norm() > 1e-9 * r.data.tau.norm()) {
    fmt::print("the two do not agree: {} against {}\n", r.efforts.norm(), r.data.tau.norm());
    return 1;
  }
  fmt::print("{:34} {:>29}   {:28} {:>29}\n", "Fathom", "p10, p50, p90", "against", "p10, p50, p90");
  race(
      "inverse dynamics, air", "Pinocchio", [&](std::size_t k) { r.inverse(r.dry, k); }, rnea);
  race(
      "inverse dynamics, water", "the same in air", [&](std::size_t k) { r.inverse(r.wet, k); },
      [&](std::size_t k) { r.inverse(r.dry, k); });
  race(
      "regressor, 10 a link", "Pinocchio",
      [&](std::size_t k) {
        const auto& m = r.at(k);
        dynamics::arm_regressor(r.dry, {}, m.base, m.angles(), m.speeds(), m.rates(), r.workspace, r.Y);
      },
      [&](std::size_t k) {
        pinocchio::computeJointTorqueRegressor(r.model, r.data, r.at(k).q, r.at(k).dq, r.at(k).ddq);
      });
  race(
      "derivatives by q and dq", "Pinocchio",
      [&](std::size_t k) {
        const auto& m = r.at(k);
        dynamics::inverse_derivatives(r.dry, m.base, m.angles(), m.speeds(), m.rates(), r.workspace, r.by);
      },
      [&](std::size_t k) {
        pinocchio::computeRNEADerivatives(r.model, r.data, r.at(k).q, r.at(k).dq, r.at(k).ddq, r.by_q, r.by_v,
                                          r.by_a);
      });
  race(
      "forward dynamics, air", "Pinocchio (articulated bodies)",
      [&](std::size_t k) {
        const auto& m = r.at(k);
        dynamics::forward_dynamics(r.dry, m.base, m.angles(), m.speeds(), m.rates(), r.workspace,
                                   {r.efforts.data(), joints});
      },
      [&](std::size_t k) {
        pinocchio::aba(r.model, r.data, r.at(k).q, r.at(k).dq, r.at(k).ddq, pinocchio::Convention::LOCAL);
      });
}
