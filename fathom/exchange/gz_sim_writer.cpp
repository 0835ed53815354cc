#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fathom/exchange/export.hpp"
#include "fathom/exchange/internal/drag_at_origin.hpp"
#include "fathom/exchange/internal/dry_body.hpp"
#include "fathom/exchange/internal/flu.hpp"
#include "fathom/exchange/internal/gz_tags.hpp"
#include "fathom/exchange/internal/losses.hpp"
#include "fathom/exchange/internal/names.hpp"
#include "fathom/exchange/internal/writers.hpp"
#include "fathom/exchange/internal/xml_text.hpp"

namespace fathom::exchange::internal {
namespace {

/// A thruster as Gazebo Sim has it: a link that spins on a joint of the hull.
struct Propeller {
  std::string link, joint;
  Vec3 position_flu = Vec3::Zero();
  Vec3 axis_flu = Vec3::UnitX();  ///< of the force on the vehicle for positive thrust
  model::ForceRange force;        ///< N
  bool has_range = false;
  double diameter = 0;            ///< m
  double thrust_coefficient = 0;  ///< T = coefficient rho D^4 |w| w
  DryBody body;                   ///< in the hull's axes
};

/// The hull and its propellers, which together have the robot's mass, centre of mass and inertia. In FLU.
struct HullAndPropellers {
  DryBody hull;
  std::vector<Propeller> propellers;
};

constexpr double nominal_diameter = 0.1;  ///< m, where the robot says none
constexpr double nominal_speed = 300;     ///< rad/s at full thrust, where the robot says none

/// Where a thruster's law has a shaft, the propeller turns as fast as it says. It is for the eye: the force is
/// what is commanded.
void set_spin(const model::Thruster& thruster, const model::Environment& environment, Propeller& propeller) {
  propeller.diameter = nominal_diameter;
  double T_ww =
      std::max(std::max(propeller.force.max, -propeller.force.min), 1e-3) / (nominal_speed * nominal_speed);
  if (const auto* law = thruster.map ? std::get_if<model::Propeller>(&thruster.map->law) : nullptr) {
    if (const auto* open = std::get_if<model::OpenWater>(&law->thrust)) propeller.diameter = open->diameter;
    T_ww = model::thrust_coefficients(*law, environment.density()).ww;
  }
  const double D2 = propeller.diameter * propeller.diameter;
  propeller.thrust_coefficient = T_ww / (environment.density() * D2 * D2);
}

Propeller propeller_of(const model::Thruster& thruster, const model::Environment& environment) {
  Propeller propeller;
  propeller.position_flu = swap_frd_flu(thruster.position_b.value);
  propeller.axis_flu = swap_frd_flu(thruster.axis_b());
  propeller.has_range = thruster.force || thruster.map;
  if (thruster.force)
    propeller.force = thruster.force->value;
  else if (thruster.map)
    propeller.force = model::attained_force(*thruster.map, thruster.transient, environment.density());
  set_spin(thruster, environment, propeller);
  return propeller;
}

void name_all(const std::vector<model::Thruster>& thrusters, std::vector<Propeller>& propellers) {
  std::set<std::string> taken;
  for (std::size_t k = 0; k < propellers.size(); ++k) {
    std::string name = plain_name(thrusters[k].name);
    while (!taken.insert(name).second) name += fmt::format("_{}", k + 1);
    propellers[k].link = name + "_propeller";
    propellers[k].joint = name;
  }
}

std::vector<DryBody> bodies_of(const std::vector<Propeller>& propellers) {
  std::vector<DryBody> bodies;
  for (const Propeller& propeller : propellers) bodies.push_back(propeller.body);
  return bodies;
}

HullAndPropellers hull_and_propellers(const model::Robot& robot, const model::Environment& environment) {
  const model::Hull& hull = robot.hull();
  const DryBody whole = {hull.mass.value, swap_frd_flu(hull.centre_of_mass.value),
                         swap_frd_flu(hull.inertia.value)};
  HullAndPropellers parts;
  for (const model::Thruster& thruster : robot.thrusters())
    parts.propellers.push_back(propeller_of(thruster, environment));
  name_all(robot.thrusters(), parts.propellers);
  const double count = static_cast<double>(std::max<std::size_t>(parts.propellers.size(), 1));
  // A thousandth of the mass at first; less where the levers are so long that no hull would be left.
  for (double share = 1e-3; share > 1e-12; share /= 10) {
    for (Propeller& propeller : parts.propellers) {
      const double mass = share * whole.mass / count, radius = propeller.diameter / 2;
      // As a ball: it may turn without a change of the whole.
      propeller.body = {mass, propeller.position_flu, 0.4 * mass * radius * radius * Mat3::Identity()};
    }
    parts.hull = without(whole, bodies_of(parts.propellers));
    if (is_physical(parts.hull)) break;
  }
  return parts;
}

constexpr std::string_view sdf_version = "1.10";  // the first with <fluid_added_mass>
constexpr std::string_view base_link = "base_link";

/// What is written of a robot, in Gazebo's frame and signs.
struct GzModel {
  std::string name;
  HullAndPropellers parts;
  Mat6 added_mass_flu;
  Mat6 linear_flu;
  model::QuadraticDrag quadratic_flu;
  Vec3 buoyancy_flu;
  Vec3 box;                 ///< m, of the volume that the robot displaces
  Vec3 size;                ///< m, to be seen
  double added_to_dry = 0;  ///< spectral radius of M_rb^-1 M_a
};

GzModel gz_model(const model::Robot& robot, const ExportOptions& options, const DragAtOrigin& drag) {
  const model::Hull& hull = robot.hull();
  GzModel gz;
  gz.name = plain_name(robot.name());
  gz.parts = hull_and_propellers(robot, options.environment);
  gz.added_mass_flu = swap_frd_flu(hull.added_mass.value);
  gz.linear_flu = swap_frd_flu(drag.linear);
  gz.quadratic_flu = swap_frd_flu(drag.quadratic);
  gz.buoyancy_flu = swap_frd_flu(hull.centre_of_buoyancy.value);
  gz.box = box_of_volume(hull);
  gz.size = hull.size ? hull.size->value : gz.box;
  gz.added_to_dry = added_to_dry(hull);
  return gz;
}

void write_gz_inertial(XmlText& out, const DryBody& body, const Vec3& origin, const Mat6* added_mass_flu) {
  out.open("inertial");
  out.leaf("mass", body.mass);
  out.leaf("pose", numbers_text(Vec3(body.centre_of_mass - origin), Vec3::Zero()));
  out.open("inertia");
  for (const InertiaTag& entry : inertia_tags) out.leaf(entry.tag, body.inertia(entry.i, entry.j));
  out.close();
  if (added_mass_flu) {
    out.open("fluid_added_mass");
    for (Eigen::Index i = 0; i < 6; ++i)
      for (Eigen::Index j = i; j < 6; ++j) out.leaf(added_mass_tag(i, j), (*added_mass_flu)(i, j));
    out.close();
  }
  out.close();
}

void write_gz_box(XmlText& out, const Vec3& size) {
  out.open("geometry");
  out.open("box");
  out.leaf("size", size);
  out.close();
  out.close();
}

void write_gz_hull(XmlText& out, const GzModel& gz) {
  out.open("link", {{"name", std::string(base_link)}});
  out.comment(
      "Body frame: forward, port, up. Water that is carried along stands in fluid_added_mass, at the origin.");
  write_gz_inertial(out, gz.parts.hull, Vec3::Zero(), &gz.added_mass_flu);
  out.comment(
      "The buoyancy system takes volume and centre from here: this box has the volume that is displaced.");
  out.open("collision", {{"name", "displaced_water"}});
  out.leaf("pose", numbers_text(gz.buoyancy_flu, Vec3::Zero()));
  write_gz_box(out, gz.box);
  out.close();
  out.open("visual", {{"name", "hull"}});
  out.leaf("pose", numbers_text(gz.buoyancy_flu, Vec3::Zero()));
  write_gz_box(out, gz.size);
  out.close();
  out.close();
}

void write_gz_propeller(XmlText& out, const Propeller& propeller) {
  out.open("link", {{"name", propeller.link}});
  out.leaf("pose", numbers_text(propeller.position_flu, Vec3::Zero()),
           {{"relative_to", std::string(base_link)}});
  write_gz_inertial(out, propeller.body, propeller.position_flu, nullptr);
  out.close();
  out.open("joint", {{"name", propeller.joint}, {"type", "revolute"}});
  out.leaf("parent", base_link);
  out.leaf("child", propeller.link);
  out.open("axis");
  out.leaf("xyz", propeller.axis_flu);
  out.open("limit");
  out.leaf("lower", -1e16);
  out.leaf("upper", 1e16);
  out.close();
  out.close();
  out.close();
}

/// A coefficient of SNAME: forces on the body, so drag is negative. What is zero is left out.
void write_gz_derivative(XmlText& out, const std::string& tag, double positive) {
  if (positive != 0) out.leaf(tag, -positive);
}

void write_gz_hydrodynamics(XmlText& out, const GzModel& gz) {
  out.open("plugin",
           {{"filename", "gz-sim-hydrodynamics-system"}, {"name", "gz::sim::systems::Hydrodynamics"}});
  out.leaf("link_name", base_link);
  out.comment(
      fmt::format("Added mass and its Coriolis forces are the physics engine's, by fluid_added_mass. As xDotU "
                  "here it would be explicit, {} (largest ratio of added to dry mass {:.4g}).",
                  gz.added_to_dry < 1 ? "and stable" : "and blow up", gz.added_to_dry));
  out.leaf("disable_added_mass", "true");
  out.leaf("disable_coriolis", "true");
  for (Eigen::Index i = 0; i < 6; ++i)
    for (Eigen::Index j = 0; j < 6; ++j) write_gz_derivative(out, linear_tag(i, j), gz.linear_flu(i, j));
  for (Eigen::Index k = 0; k < 6; ++k)
    for (Eigen::Index i = 0; i < 6; ++i)
      for (Eigen::Index j = 0; j < 6; ++j)
        write_gz_derivative(out, quadratic_tag(i, j, k),
                            gz.quadratic_flu.by_speed[static_cast<std::size_t>(k)](i, j));
  out.close();
}

void write_gz_thruster(XmlText& out, const Propeller& propeller, const model::Environment& environment) {
  out.open("plugin", {{"filename", "gz-sim-thruster-system"}, {"name", "gz::sim::systems::Thruster"}});
  out.leaf("joint_name", propeller.joint);
  out.leaf("fluid_density", environment.density());
  out.leaf("propeller_diameter", propeller.diameter);
  out.leaf("thrust_coefficient", propeller.thrust_coefficient);
  out.leaf("velocity_control", "true");
  if (propeller.has_range) {
    out.leaf("max_thrust_cmd", propeller.force.max);
    out.leaf("min_thrust_cmd", propeller.force.min);
  }
  out.close();
}

void write_gz_model(XmlText& out, const GzModel& gz, const model::Environment& environment,
                    const Vec3& position) {
  out.open("model", {{"name", gz.name}});
  if (!position.isZero(0)) out.leaf("pose", numbers_text(position, Vec3::Zero()));
  write_gz_hull(out, gz);
  for (const Propeller& propeller : gz.parts.propellers) write_gz_propeller(out, propeller);
  write_gz_hydrodynamics(out, gz);
  for (const Propeller& propeller : gz.parts.propellers) write_gz_thruster(out, propeller, environment);
  out.close();
}

std::string gz_model_text(const GzModel& gz, const model::Environment& environment) {
  XmlText out;
  out.open("sdf", {{"version", std::string(sdf_version)}});
  write_gz_model(out, gz, environment, Vec3::Zero());
  return out.take();
}

std::string gz_world_text(const GzModel& gz, const model::Environment& environment) {
  XmlText out;
  const auto system = [&](std::string_view file, std::string_view name) {
    out.empty("plugin", {{"filename", fmt::format("gz-sim-{}-system", file)},
                         {"name", fmt::format("gz::sim::systems::{}", name)}});
  };
  out.open("sdf", {{"version", std::string(sdf_version)}});
  out.open("world", {{"name", "water"}});
  out.leaf("gravity", Vec3(0, 0, -environment.gravity()));
  out.open("physics", {{"name", "1ms"}, {"type", "dart"}});
  out.leaf("max_step_size", 0.001);
  out.leaf("real_time_factor", 1.0);
  out.close();
  system("physics", "Physics");
  system("user-commands", "UserCommands");
  system("scene-broadcaster", "SceneBroadcaster");
  out.comment("Water everywhere: no surface.");
  out.open("plugin", {{"filename", "gz-sim-buoyancy-system"}, {"name", "gz::sim::systems::Buoyancy"}});
  out.leaf("uniform_fluid_density", environment.density());
  out.close();
  out.open("light", {{"name", "sun"}, {"type", "directional"}});
  out.leaf("pose", "0 0 10 0 0 0");
  out.leaf("direction", "-0.5 0.1 -0.9");
  out.close();
  write_gz_model(out, gz, environment, Vec3(0, 0, -2));
  return out.take();
}

std::string gz_config_text(const GzModel& gz, const model::Robot& robot) {
  XmlText out;
  out.open("model");
  out.leaf("name", gz.name);
  out.leaf("version", "1.0");
  out.leaf("sdf", "model.sdf", {{"version", std::string(sdf_version)}});
  out.leaf("description", robot.spec().title.empty() ? robot.name() : robot.spec().title);
  return out.take();
}

void add_gz_losses(const model::Robot& robot, const GzModel& gz, std::vector<Loss>& losses) {
  losses.push_back(
      {"current",
       "in a current, forces of added mass: the physics engine has the velocity over ground, where "
       "the robot's equations have the one through the water",
       "in still water nothing is lost; plug-ins of 2026 and later put the Coriolis part right"});
  if (gz.parts.propellers.empty()) return;
  losses.push_back(
      {"thrusters",
       fmt::format("propellers are links of {:.3g} kg each, taken out of the hull, so that the whole "
                   "is the robot's; a spinning one adds a small gyroscopic moment",
                   gz.parts.propellers.front().body.mass),
       ""});
  for (std::size_t k = 0; k < robot.thrusters().size(); ++k)
    if (!gz.parts.propellers[k].has_range)
      losses.push_back({fmt::format("thrusters[{}].force", k),
                        fmt::format("'{}' has no limits; the plug-in has some of its own, +-1000 N",
                                    robot.thrusters()[k].name),
                        "give the thruster a force range"});
  for (std::size_t k = 0; k < robot.thrusters().size(); ++k)
    if (gz.parts.propellers[k].joint != robot.thrusters()[k].name)
      losses.push_back({fmt::format("thrusters[{}].name", k),
                        fmt::format("is called '{}' there", gz.parts.propellers[k].joint), ""});
}

}  // namespace

Exported to_gz_sim(const model::Robot& robot, const ExportOptions& options) {
  DragAtOrigin drag = drag_at_origin(robot);
  const GzModel gz = gz_model(robot, options, drag);
  Exported exported;
  exported.files = {{"model.sdf", gz_model_text(gz, options.environment)},
                    {"world.sdf", gz_world_text(gz, options.environment)},
                    {"model.config", gz_config_text(gz, robot)}};
  exported.losses = std::move(drag.losses);
  add_thruster_losses(robot, exported.losses);
  add_gz_losses(robot, gz, exported.losses);
  add_common_losses(robot, exported.losses);
  return exported;
}

}  // namespace fathom::exchange::internal
