#pragma once

#include "fathom/base/constants.hpp"
#include "fathom/model/arm.hpp"
#include "fathom/model/test/random_robot.hpp"

namespace fathom::model::test {

/// Round degrees half of the time, as people write them.
inline double random_angle(RandomStream& random, double low, double high) {
  const double angle = random.uniform(low, high);
  return random.uniform() < 0.5 ? angle : std::round(angle * 57.3) * degree;
}

/// Of a joint that turns from -1 to 1 rad at most.
inline Actuator random_actuator(bool turns, RandomStream& random) {
  Actuator actuator;
  if (turns && random.uniform() < 0.5)
    actuator.transmission = ScrewLever{random.uniform(1, 80),          random.uniform(0.001, 0.01),
                                       random.uniform(0.05, 0.5),      random.uniform(0.05, 0.5),
                                       random_angle(random, 1.3, 1.8), random.uniform() < 0.5 ? 1.0 : -1.0};
  else
    actuator.transmission = Gear{random.uniform() < 0.5 ? random.uniform(1, 200) : -random.uniform(1, 200)};
  actuator.motor = {random.uniform(0.01, 1), random.uniform(), random.uniform(), random.uniform()};
  if (random.uniform() < 0.5) actuator.current = random.uniform(1, 10);
  if (random.uniform() < 0.5) actuator.speed = random.uniform(1, 500);
  if (random.uniform() < 0.5) actuator.acceleration = random.uniform(1, 5000);
  if (random.uniform() < 0.5) actuator.increments = std::round(random.uniform(1, 4096));
  if (random.uniform() < 0.7) actuator.source = random_text(random);
  actuator.assumed = !actuator.source.empty() && random.uniform() < 0.5;
  return actuator;
}

inline Joint random_joint(const std::string& name, RandomStream& random) {
  Joint joint;
  joint.name = name;
  const bool turns = random.uniform() < 0.7;
  joint.kind = turns ? Joint::Kind::revolute : Joint::Kind::prismatic;
  joint.zero.p_pc_p = random_matrix<Vec3>(random);
  if (random.uniform() < 0.5)
    joint.zero.q_pc = exp_rotation(random_matrix<Vec3>(random));
  else
    joint.zero.q_pc = quaternion_from_euler(
        {random_angle(random, -3, 3), random_angle(random, -1.5, 1.5), random_angle(random, -3, 3)});
  joint.axis = random.uniform() < 0.5 ? Vec3::Unit(static_cast<int>(random.uniform(0, 3)))
                                      : Vec3(random_matrix<Vec3>(random).normalized());
  joint.limits.min = random_angle(random, -1, -0.1);
  joint.limits.max = random_angle(random, 0.1, 1);
  if (random.uniform() < 0.5) joint.limits.speed = random_angle(random, 0.1, 3);
  if (random.uniform() < 0.5) joint.limits.effort = random.uniform(1, 100);
  for (Value<double>* value :
       {&joint.friction.viscous, &joint.friction.coulomb_forward, &joint.friction.coulomb_backward}) {
    if (random.uniform() < 0.3) continue;
    value->value = random.uniform();
    decorate(*value, random.uniform(), random);
  }
  if (random.uniform() < 0.6) joint.actuator = random_actuator(turns, random);
  if (random.uniform() < 0.5) joint.source = random_text(random);
  joint.assumed = !joint.source.empty() && random.uniform() < 0.5;
  return joint;
}

/// A tree whose links have full matrices, with names, sources and sigmas of all kinds.
inline ArmSpec random_arm(std::size_t joints, RandomStream& random) {
  ArmSpec spec;
  spec.name = "random";
  spec.title = random_text(random);
  spec.notes = random_text(random);
  for (std::size_t k = 0; k < joints; ++k) {
    Joint joint = random_joint("joint" + std::to_string(k), random);
    if (k > 0 && random.uniform() < 0.9)
      joint.parent = static_cast<std::size_t>(random.uniform(0, static_cast<double>(k)));
    spec.joints.push_back(std::move(joint));
    Link link;
    link.name = "link" + std::to_string(k);
    link.body = random_hull(random);
    link.body.size.reset();
    if (random.uniform() < 0.2) link.body.volume.value = 0;
    for (int i = static_cast<int>(random.uniform(0, 3)); i > 0; --i)
      link.damping.push_back(random_element("drag" + std::to_string(i), random));
    spec.links.push_back(std::move(link));
  }
  return spec;
}

}  // namespace fathom::model::test
