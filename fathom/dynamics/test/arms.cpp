#include "fathom/dynamics/test/arms.hpp"

#include <fmt/format.h>

#include "fathom/dynamics/test/robots.hpp"

namespace fathom::dynamics::test {
namespace {

Eigen::VectorXd random_vector(std::size_t n, RandomStream& random, double size) {
  Eigen::VectorXd x(static_cast<Eigen::Index>(n));
  for (double& value : x) value = random.uniform(-size, size);
  return x;
}

/// The hull and drag of a random vehicle, in the size of a link.
model::Link random_link(std::uint64_t seed, const RandomArm& options, RandomStream& random) {
  const model::Robot robot = random_robot(seed);
  model::Link link;
  link.body = robot.hull();
  link.body.symmetry = {};
  link.body.size.reset();
  if (options.full_drag) {
    link.damping = robot.damping();
  } else {
    model::DragElement element;
    element.name = "drag";
    for (Eigen::Index k = 0; k < 6; ++k) {
      element.linear.value(k, k) = random.uniform(0, 10);
      element.quadratic.value.by_speed[static_cast<std::size_t>(k)](k, k) = random.uniform(0, 20);
    }
    link.damping = {element};
  }
  if (!options.wet) {
    link.body.volume.value = 0;
    link.body.added_mass.value.setZero();
    link.damping.clear();
  }
  return link;
}

}  // namespace

model::Arm random_arm(std::uint64_t seed, const RandomArm& options) {
  RandomStream random(seed, "random arm");
  model::ArmSpec spec;
  spec.name = fmt::format("random-{}", seed);
  for (std::size_t k = 0; k < options.joints; ++k) {
    model::Joint joint;
    joint.name = fmt::format("j{}", k);
    if (options.prismatic && random.uniform() < 0.4) joint.kind = model::Joint::Kind::prismatic;
    if (k > 0)
      joint.parent = options.tree ? static_cast<std::size_t>(random.uniform() * static_cast<double>(k)) : k - 1;
    joint.zero = {quaternion_from_euler(random_vec3(random, 3)), random_vec3(random, 0.5)};
    joint.axis = random_vec3(random).normalized();
    spec.joints.push_back(joint);
    spec.links.push_back(random_link(seed * 100 + k, options, random));
    spec.links.back().name = fmt::format("l{}", k);
  }
  return model::Arm::make(std::move(spec));
}

std::vector<model::Arm> random_arms() {
  std::vector<model::Arm> arms;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    arms.push_back(random_arm(seed, {.joints = 3 + seed, .prismatic = seed % 2 == 0}));
    arms.push_back(random_arm(10 + seed, {.joints = 5 + seed, .tree = true, .prismatic = true}));
    arms.push_back(random_arm(20 + seed, {.joints = 2 + seed, .tree = seed % 2 == 0, .wet = false}));
  }
  return arms;
}

ArmMotion random_arm_motion(std::size_t joints, RandomStream& random, bool base_moves) {
  ArmMotion motion;
  motion.base.down_b = random_vec3(random).normalized();
  if (base_moves) {
    motion.base.nu_r_b = random_vec6(random);
    motion.base.nu_r_dot_b = random_vec6(random);
  }
  motion.q = random_vector(joints, random, 3);
  motion.dq = random_vector(joints, random, 2);
  motion.ddq = random_vector(joints, random, 3);
  return motion;
}

Eigen::VectorXd efforts_of(const Arm& arm, const ArmMotion& motion, Vec6* base_wrench) {
  ArmWorkspace workspace(arm);
  Eigen::VectorXd efforts(static_cast<Eigen::Index>(arm.size()));
  inverse_dynamics(arm, motion.base, motion.angles(), motion.speeds(), motion.rates(), workspace,
                   {efforts.data(), arm.size()}, base_wrench);
  return efforts;
}

}  // namespace fathom::dynamics::test
