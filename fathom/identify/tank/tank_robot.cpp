#include "fathom/identify/tank/tank_robot.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/model/dof.hpp"

namespace fathom::identify {
namespace {

const model::DragElement& only_element(const model::Robot& robot) {
  if (robot.damping().size() != 1 || !robot.damping().front().at_origin())
    reject("--robot",
           fmt::format("{} has {} drag elements, must have one, at the body origin", robot.name(),
                       robot.damping().size()),
           "drag of an axis has no place among several");
  return robot.damping().front();
}

std::string joined_source(const std::string& before, const std::string& more) {
  return before.empty() ? more : before + "; " + more;
}

/// What was not said to be known stays unknown.
Mat6& sigma_of(model::Value<Mat6>& value) {
  if (!value.sigma) value.sigma = Mat6::Constant(infinity);
  return *value.sigma;
}

model::QuadraticDrag& sigma_of(model::Value<model::QuadraticDrag>& value) {
  if (!value.sigma) {
    value.sigma = model::QuadraticDrag();
    for (Mat6& Q : value.sigma->by_speed) Q.setConstant(infinity);
  }
  return *value.sigma;
}

void put_drag(model::RobotSpec& spec, int axis, const AxisDrag& drag, const std::string& source) {
  model::DragElement& element = spec.damping.front();
  const auto speed = static_cast<std::size_t>(axis);
  element.linear.value(axis, axis) = drag.linear;
  sigma_of(element.linear)(axis, axis) = drag.linear_sigma;
  element.quadratic.value.by_speed[speed](axis, axis) = drag.quadratic;
  sigma_of(element.quadratic).by_speed[speed](axis, axis) = drag.quadratic_sigma;
  element.linear.source = joined_source(element.linear.source, source);
  element.quadratic.source = joined_source(element.quadratic.source, source);
  spec.identified.reset();
}

/// z_g W - z_b B = k cos(th0), y_g W - y_b B = k sin(th0) for roll, x_g W - x_b B = -k sin(th0) for pitch.
void put_buoyancy(model::RobotSpec& spec, const model::Environment& environment, int axis, double k,
                  double k_sigma, double th0, double th0_sigma, const std::string& source) {
  const double W = spec.hull.mass.value * environment.gravity();
  const double B = spec.hull.volume.value * environment.density() * environment.gravity();
  const Vec3& g = spec.hull.centre_of_mass.value;
  const int across = axis == 3 ? 1 : 0;
  const double sign = axis == 3 ? 1 : -1;
  auto& centre = spec.hull.centre_of_buoyancy;
  if (!centre.sigma) centre.sigma = Vec3::Constant(infinity);
  centre.value[2] = (g[2] * W - k * std::cos(th0)) / B;
  centre.value[across] = (g[across] * W - sign * k * std::sin(th0)) / B;
  (*centre.sigma)[2] = std::hypot(std::cos(th0) * k_sigma, k * std::sin(th0) * th0_sigma) / B;
  (*centre.sigma)[across] = std::hypot(std::sin(th0) * k_sigma, k * std::cos(th0) * th0_sigma) / B;
  centre.source = joined_source(centre.source, source);
}

}  // namespace

model::Robot with_axis_drag(const model::Robot& robot, int axis, const AxisDrag& drag,
                            const std::string& source) {
  only_element(robot);
  model::RobotSpec spec = robot.spec();
  put_drag(spec, axis, drag, source);
  return model::Robot::make(std::move(spec));
}

model::Robot with_decay(const model::Robot& robot, const model::Environment& environment, int axis,
                        const DecayCoefficients& found, double equilibrium, double equilibrium_sigma,
                        const std::string& source) {
  only_element(robot);
  if (axis != 3 && axis != 4)
    reject("--robot", fmt::format("has nothing that restores {}", model::dof_name(axis)), "roll or pitch");
  model::RobotSpec spec = robot.spec();
  const double dry = model::rigid_body_inertia(spec.hull)(axis, axis), added = found.inertia - dry;
  if (!(added >= 0))
    reject("--robot",
           fmt::format("{} has {:.4g} kg m^2 dry about {}, the decay shows {:.4g} with the water's",
                       robot.name(), dry, model::dof_name(axis), found.inertia),
           "is what the campaign calls known right?");
  spec.hull.added_mass.value(axis, axis) = added;
  sigma_of(spec.hull.added_mass)(axis, axis) = found.sigma[0];
  spec.hull.added_mass.source = joined_source(spec.hull.added_mass.source, source);
  put_buoyancy(spec, environment, axis, found.restoring, found.sigma[1], equilibrium, equilibrium_sigma,
               source);
  put_drag(spec, axis, {found.linear, found.quadratic, found.sigma[2], found.sigma[3]}, source);
  return model::Robot::make(std::move(spec));
}

}  // namespace fathom::identify
