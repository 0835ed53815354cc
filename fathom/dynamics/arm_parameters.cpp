#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/dynamics/arm_regressor.hpp"

namespace fathom::dynamics {
namespace {

constexpr std::string_view axis_names = "xyz";

/// Collects parameters; `group` is that of the next ones.
class ParameterList {
 public:
  std::string group;
  void add(std::string name, std::string unit, double value) {
    list.push_back({std::move(name), std::move(unit), group, value});
  }
  std::vector<model::Parameter> list;
};

void add_rigid(const model::Link& link, ParameterList& parameters) {
  const Mat6 M = model::rigid_body_inertia(link.body);
  const double m = link.body.mass.value;
  parameters.add(link.name + ".m", "kg", m);
  for (std::size_t k = 0; k < 3; ++k)
    parameters.add(fmt::format("{}.m{}", link.name, axis_names[k]), "kg m",
                   m * link.body.centre_of_mass.value[static_cast<Eigen::Index>(k)]);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t l = k; l < 3; ++l)
      parameters.add(fmt::format("{}.I{}{}", link.name, axis_names[k], axis_names[l]), "kg m^2",
                     M(static_cast<Eigen::Index>(3 + k), static_cast<Eigen::Index>(3 + l)));
}

void add_buoyancy(const model::Link& link, double density, ParameterList& parameters) {
  const double displaced = density * link.body.volume.value;
  parameters.add(link.name + ".b", "kg", displaced);
  for (std::size_t k = 0; k < 3; ++k)
    parameters.add(fmt::format("{}.b{}", link.name, axis_names[k]), "kg m",
                   displaced * link.body.centre_of_buoyancy.value[static_cast<Eigen::Index>(k)]);
}

void add_added_mass(const model::Link& link, ParameterList& parameters) {
  const Mat6& given = link.body.added_mass.value;
  for (Eigen::Index k = 0; k < 6; ++k)
    for (Eigen::Index l = k; l < 6; ++l)
      parameters.add(fmt::format("{}.A{}{}", link.name, k + 1, l + 1),
                     k > 2   ? "kg m^2"
                     : l > 2 ? "kg m"
                             : "kg",
                     0.5 * (given(k, l) + given(l, k)));
}

void add_drag(const model::Link& link, const std::string& group, ParameterList& parameters) {
  Vec6 linear = Vec6::Zero(), quadratic = Vec6::Zero();
  for (const Drag& drag : make_drag_list(link.damping)) {
    if (!drag.at_origin || !drag.matrices.empty())
      reject(link.name + ".damping", "is not diagonal at the link's origin",
             "a regressor's columns of drag are");
    linear += drag.linear_diagonal;
    quadratic += drag.quadratic_diagonal;
  }
  parameters.group = group + ".linear";
  for (Eigen::Index k = 0; k < 6; ++k)
    parameters.add(fmt::format("{}.D{}", link.name, k + 1), k < 3 ? "N s/m" : "N m s", linear[k]);
  parameters.group = group + ".quadratic";
  for (Eigen::Index k = 0; k < 6; ++k)
    parameters.add(fmt::format("{}.Q{}", link.name, k + 1), k < 3 ? "N s^2/m^2" : "N m s^2", quadratic[k]);
}

void add_friction(const model::Joint& joint, const ArmColumns& columns, ParameterList& parameters) {
  const bool turns = joint.kind == model::Joint::Kind::revolute;
  const std::string effort = turns ? "N m" : "N";
  const double forward = joint.friction.coulomb_forward.value, backward = joint.friction.coulomb_backward.value;
  if (columns.viscous)
    parameters.add(joint.name + ".viscous", turns ? "N m s" : "N s/m", joint.friction.viscous.value);
  if (columns.coulomb == ArmColumns::Coulomb::symmetric)
    parameters.add(joint.name + ".coulomb", effort, 0.5 * (forward + backward));
  if (columns.coulomb == ArmColumns::Coulomb::by_direction) {
    parameters.add(joint.name + ".coulomb+", effort, forward);
    parameters.add(joint.name + ".coulomb-", effort, backward);
  }
  // With one number for both directions half of their difference is a constant effort.
  const bool symmetric = columns.coulomb == ArmColumns::Coulomb::symmetric;
  if (columns.offset)
    parameters.add(joint.name + ".offset", effort, symmetric ? 0.5 * (forward - backward) : 0);
}

void add_motor(const std::string& joint, const model::JointMotor& motor, ParameterList& parameters) {
  parameters.add(joint + ".motor_inertia", "kg m^2", motor.inertia);
  parameters.add(joint + ".motor_viscous", "N m s", motor.viscous);
  parameters.add(joint + ".motor_coulomb", "N m", motor.coulomb);
}

}  // namespace

model::ParameterVector arm_parameters(const model::Arm& arm, const model::Environment& environment,
                                      const ArmColumns& columns, std::size_t first) {
  ParameterList parameters;
  for (std::size_t k = 0; k < arm.size(); ++k) {
    const model::Link& link = arm.links()[k];
    const std::string group = fmt::format("link.{}.", first + k + 1);
    parameters.group = group + "inertia";
    if (columns.rigid) add_rigid(link, parameters);
    parameters.group = group + "restoring";
    if (columns.buoyancy) add_buoyancy(link, environment.density(), parameters);
    parameters.group = group + "inertia";
    if (columns.added_mass) add_added_mass(link, parameters);
    if (columns.drag) add_drag(link, group + "damping", parameters);
  }
  for (std::size_t k = 0; k < arm.size(); ++k) {
    const model::Joint& joint = arm.joints()[k];
    parameters.group = fmt::format("joint.{}.friction", first + k + 1);
    add_friction(joint, columns, parameters);
    parameters.group = fmt::format("actuator.{}", first + k + 1);
    if (columns.motor && joint.actuator) add_motor(joint.name, joint.actuator->motor, parameters);
  }
  return model::ParameterVector(std::move(parameters.list));
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
