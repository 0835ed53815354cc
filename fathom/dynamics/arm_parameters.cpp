#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/dynamics/arm_regressor.hpp"

namespace fathom::dynamics {
namespace {

constexpr std::string_view axis_names = "xyz";

void add_rigid(const model::Link& link, std::vector<ArmParameter>& list) {
  const Mat6 M = model::rigid_body_inertia(link.body);
  const double m = link.body.mass.value;
  list.push_back({link.name + ".m", "kg", m});
  for (std::size_t k = 0; k < 3; ++k)
    list.push_back({fmt::format("{}.m{}", link.name, axis_names[k]), "kg m",
                    m * link.body.centre_of_mass.value[static_cast<Eigen::Index>(k)]});
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t l = k; l < 3; ++l)
      list.push_back({fmt::format("{}.I{}{}", link.name, axis_names[k], axis_names[l]), "kg m^2",
                      M(static_cast<Eigen::Index>(3 + k), static_cast<Eigen::Index>(3 + l))});
}

void add_buoyancy(const model::Link& link, double density, std::vector<ArmParameter>& list) {
  const double displaced = density * link.body.volume.value;
  list.push_back({link.name + ".b", "kg", displaced});
  for (std::size_t k = 0; k < 3; ++k)
    list.push_back({fmt::format("{}.b{}", link.name, axis_names[k]), "kg m",
                    displaced * link.body.centre_of_buoyancy.value[static_cast<Eigen::Index>(k)]});
}

void add_added_mass(const model::Link& link, std::vector<ArmParameter>& list) {
  const Mat6& given = link.body.added_mass.value;
  for (Eigen::Index k = 0; k < 6; ++k)
    for (Eigen::Index l = k; l < 6; ++l)
      list.push_back({fmt::format("{}.A{}{}", link.name, k + 1, l + 1),
                      k > 2   ? "kg m^2"
                      : l > 2 ? "kg m"
                              : "kg",
                      0.5 * (given(k, l) + given(l, k))});
}

void add_drag(const model::Link& link, std::vector<ArmParameter>& list) {
  Vec6 linear = Vec6::Zero(), quadratic = Vec6::Zero();
  for (const Drag& drag : make_drag_list(link.damping)) {
    if (!drag.at_origin || !drag.matrices.empty())
      reject(link.name + ".damping", "is not diagonal at the link's origin",
             "a regressor's columns of drag are");
    linear += drag.linear_diagonal;
    quadratic += drag.quadratic_diagonal;
  }
  for (Eigen::Index k = 0; k < 6; ++k)
    list.push_back({fmt::format("{}.D{}", link.name, k + 1), k < 3 ? "N s/m" : "N m s", linear[k]});
  for (Eigen::Index k = 0; k < 6; ++k)
    list.push_back({fmt::format("{}.Q{}", link.name, k + 1), k < 3 ? "N s^2/m^2" : "N m s^2", quadratic[k]});
}

void add_joint(const model::Joint& joint, const ArmColumns& columns, std::vector<ArmParameter>& list) {
  const bool turns = joint.kind == model::Joint::Kind::revolute;
  const std::string effort = turns ? "N m" : "N";
  const double forward = joint.friction.coulomb_forward.value, backward = joint.friction.coulomb_backward.value;
  if (columns.viscous)
    list.push_back({joint.name + ".viscous", turns ? "N m s" : "N s/m", joint.friction.viscous.value});
  if (columns.coulomb == ArmColumns::Coulomb::symmetric)
    list.push_back({joint.name + ".coulomb", effort, 0.5 * (forward + backward)});
  if (columns.coulomb == ArmColumns::Coulomb::by_direction) {
    list.push_back({joint.name + ".coulomb+", effort, forward});
    list.push_back({joint.name + ".coulomb-", effort, backward});
  }
  // With one number for both directions half of their difference is a constant effort.
  const bool symmetric = columns.coulomb == ArmColumns::Coulomb::symmetric;
  if (columns.offset)
    list.push_back({joint.name + ".offset", effort, symmetric ? 0.5 * (forward - backward) : 0});
  if (!columns.motor || !joint.actuator) return;
  const model::JointMotor& motor = joint.actuator->motor;
  list.push_back({joint.name + ".motor_inertia", "kg m^2", motor.inertia});
  list.push_back({joint.name + ".motor_viscous", "N m s", motor.viscous});
  list.push_back({joint.name + ".motor_coulomb", "N m", motor.coulomb});
}

}  // namespace

std::vector<ArmParameter> arm_parameters(const model::Arm& arm, const model::Environment& environment,
                                         const ArmColumns& columns) {
  std::vector<ArmParameter> list;
  for (const model::Link& link : arm.links()) {
    if (columns.rigid) add_rigid(link, list);
    if (columns.buoyancy) add_buoyancy(link, environment.density(), list);
    if (columns.added_mass) add_added_mass(link, list);
    if (columns.drag) add_drag(link, list);
  }
  for (const model::Joint& joint : arm.joints()) add_joint(joint, columns, list);
  return list;
}

model::Arm with_drag_at_origins(const model::Arm& arm, std::vector<std::string>* changed) {
  model::ArmSpec spec = arm.spec();
  for (model::Link& link : spec.links) {
    const std::vector<Drag> drags = make_drag_list(link.damping);
    bool is_plain = true;
    for (const Drag& drag : drags) is_plain = is_plain && drag.at_origin && drag.matrices.empty();
    if (is_plain) continue;
    model::DragElement element;
    element.name = link.name;
    element.linear.value = damping_matrix(drags, Vec6::Zero()).diagonal().asDiagonal();
    for (int k = 0; k < 6; ++k)
      element.quadratic.value.by_speed[static_cast<std::size_t>(k)](k, k) =
          std::max(0.0, damping_matrix(drags, Vec6::Unit(k))(k, k) - element.linear.value(k, k));  // rounding
    link.damping = {element};
    if (changed) changed->push_back(link.name);
  }
  return model::Arm::make(std::move(spec));
}

}  // namespace fathom::dynamics
