#include <array>

#include <fmt/format.h>

#include "fathom/exchange/internal/drag_at_origin.hpp"
#include "fathom/exchange/internal/dry_body.hpp"
#include "fathom/exchange/internal/flu.hpp"
#include "fathom/exchange/internal/losses.hpp"
#include "fathom/exchange/internal/names.hpp"
#include "fathom/exchange/internal/uuv_conversion.hpp"
#include "fathom/exchange/internal/writers.hpp"
#include "fathom/exchange/internal/xml_text.hpp"

namespace fathom::exchange::internal {
namespace {

constexpr std::string_view uuv = "UUV Simulator";
/// Gazebo drops links without mass, so that each propeller needs a little; kg and kg m^2.
constexpr double propeller_mass = 1e-3, propeller_inertia = 1e-8;

/// Of the smoothed acceleration f: f' = (1 - a) f - a r f is stable for r < 2 / a - 1, and a is 0.3 there.
constexpr double most_added_to_dry = 2 / 0.3 - 1;

void write_uuv_inertial(XmlText& xml, double mass, const Vec3& centre_flu, const Mat3& inertia_flu) {
  xml.open("inertial");
  xml.empty("mass", {{"value", number_text(mass)}});
  xml.empty("origin", {{"xyz", numbers_text(centre_flu)}, {"rpy", "0 0 0"}});
  xml.empty("inertia", {{"ixx", number_text(inertia_flu(0, 0))},
                        {"ixy", number_text(inertia_flu(0, 1))},
                        {"ixz", number_text(inertia_flu(0, 2))},
                        {"iyy", number_text(inertia_flu(1, 1))},
                        {"iyz", number_text(inertia_flu(1, 2))},
                        {"izz", number_text(inertia_flu(2, 2))}});
  xml.close();
}

void write_uuv_base_link(XmlText& xml, const model::Hull& hull, const std::string& base) {
  xml.open("link", {{"name", base}});
  write_uuv_inertial(xml, hull.mass.value, swap_frd_flu(hull.centre_of_mass.value),
                     swap_frd_flu(hull.inertia.value));
  if (hull.size)
    for (const char* part : {"visual", "collision"}) {
      xml.open(part);
      xml.open("geometry");
      xml.empty("box", {{"size", numbers_text(hull.size->value)}});
      xml.close();
      xml.close();
    }
  xml.close();
}

/// Row by row on lines of their own. `sign` is -1 where the simulator has damping negative.
void write_uuv_rows(XmlText& xml, const char* tag, const Mat6& m, double sign) {
  std::string text = "\n";
  for (Eigen::Index i = 0; i < 6; ++i) {
    std::array<double, 6> row{};
    for (std::size_t j = 0; j < 6; ++j) row[j] = sign * m(i, static_cast<Eigen::Index>(j));
    text += "            " + numbers_text(row) + "\n";
  }
  xml.leaf(tag, text);
}

void write_uuv_hydrodynamics(XmlText& xml, const model::Hull& hull, const OneDrag& drag) {
  xml.open("hydrodynamic_model");
  xml.leaf("type", "fossen");
  write_uuv_rows(xml, "added_mass", hull.added_mass.value, 1);
  if (drag.linear.isDiagonal(0)) {
    std::array<double, 6> diagonal{};
    for (std::size_t j = 0; j < 6; ++j) diagonal[j] = -drag.linear.diagonal()[static_cast<Eigen::Index>(j)];
    xml.leaf("linear_damping", numbers_text(diagonal));
  } else {
    write_uuv_rows(xml, "linear_damping", drag.linear, -1);
  }
  std::array<double, 6> quadratic{};
  for (std::size_t j = 0; j < 6; ++j) quadratic[j] = -drag.quadratic[static_cast<Eigen::Index>(j)];
  xml.leaf("quadratic_damping", numbers_text(quadratic));
  xml.close();
}

void write_uuv_plugin(XmlText& xml, const model::Robot& robot, const std::string& base, double density,
                      std::vector<Loss>& losses) {
  const model::Hull& hull = robot.hull();
  xml.open("gazebo");
  xml.open("plugin", {{"name", "uuv_plugin"}, {"filename", "libuuv_underwater_object_ros_plugin.so"}});
  xml.leaf("fluid_density", density);
  xml.leaf("flow_velocity_topic", "hydrodynamics/current_velocity");
  xml.leaf("debug", "0");
  xml.open("link", {{"name", base}});
  xml.leaf("neutrally_buoyant", "0");
  xml.leaf("volume", hull.volume.value);
  if (hull.size) {
    xml.open("box");
    xml.leaf("width", hull.size->value.y());
    xml.leaf("length", hull.size->value.x());
    xml.leaf("height", hull.size->value.z());
    xml.close();
  }
  xml.leaf("center_of_buoyancy", swap_frd_flu(hull.centre_of_buoyancy.value));
  xml.comment(
      "velocities are turned to forward, starboard, down before these are used: they stand in those axes");
  write_uuv_hydrodynamics(xml, hull, one_drag(robot, uuv, losses));
  xml.close();
  xml.close();
  xml.close();
}

void write_uuv_conversion(XmlText& xml, const UuvConversion& conversion) {
  xml.open("conversion");
  if (conversion.rotor_constant) {
    xml.leaf("type", "Basic");
    xml.leaf("rotorConstant", *conversion.rotor_constant);
  } else {
    xml.leaf("type", "LinearInterp");
    xml.leaf("inputValues", numbers_text(conversion.inputs));
    xml.leaf("outputValues", numbers_text(conversion.outputs));
  }
  xml.close();
}

void write_uuv_dynamics(XmlText& xml, const model::Thruster& thruster) {
  const auto* lag = thruster.transient ? std::get_if<model::FirstOrder>(&thruster.transient->law) : nullptr;
  xml.open("dynamics");
  xml.leaf("type", lag ? "FirstOrder" : "ZeroOrder");
  if (lag) xml.leaf("timeConstant", lag->time_constant);
  xml.close();
}

void write_uuv_thruster(XmlText& xml, const model::Thruster& thruster, const UuvConversion& conversion,
                        const std::optional<model::ForceRange>& force, std::size_t k, const std::string& space,
                        const std::string& base) {
  const std::string link = fmt::format("{}/thruster_{}", space, k);
  const std::string joint = fmt::format("{}/{}_joint", space, thruster.name);
  xml.open("link", {{"name", link}});
  write_uuv_inertial(xml, propeller_mass, Vec3::Zero(), propeller_inertia * Mat3::Identity());
  xml.close();
  xml.open("joint", {{"name", joint}, {"type", "continuous"}});
  xml.empty("origin", {{"xyz", numbers_text(swap_frd_flu(thruster.position_b.value))},
                       {"rpy", numbers_text(rpy_along(swap_frd_flu(thruster.axis_b())))}});
  xml.empty("axis", {{"xyz", "1 0 0"}});
  xml.empty("parent", {{"link", base}});
  xml.empty("child", {{"link", link}});
  xml.close();
  xml.open("gazebo");
  xml.open("plugin", {{"name", fmt::format("{}_{}_thruster_model", space, k)},
                      {"filename", "libuuv_thruster_ros_plugin.so"}});
  xml.leaf("linkName", link);
  xml.leaf("jointName", joint);
  xml.leaf("thrusterID", std::to_string(k));
  xml.leaf("gain", "1");
  if (thruster.map) {
    xml.leaf("clampMin", thruster.map->command.min);
    xml.leaf("clampMax", thruster.map->command.max);
  }
  if (force) {
    xml.leaf("thrustMin", force->min);
    xml.leaf("thrustMax", force->max);
  }
  xml.leaf("thrust_efficiency", "1");
  xml.leaf("propeller_efficiency", "1");
  write_uuv_dynamics(xml, thruster);
  write_uuv_conversion(xml, conversion);
  xml.close();
  xml.close();
}

bool has_shaft(const model::Thruster& thruster) {
  return thruster.map && std::holds_alternative<model::Propeller>(thruster.map->law);
}

void lose_of_thruster(const model::Thruster& thruster, const UuvConversion& conversion, std::size_t k,
                      double density, std::vector<Loss>& losses) {
  const auto lose = [&](const char* key, std::string what, std::string remedy) {
    losses.push_back({fmt::format("thrusters[{}].{}", k, key), std::move(what), std::move(remedy)});
  };
  if (has_shaft(thruster)) {
    const model::ThrustSides T = thrust_sides(std::get<model::Propeller>(thruster.map->law), density);
    if (T.forward.wu != 0 || T.reverse.wu != 0)
      lose("map",
           fmt::format("the inflow's share, T_wu = {} N s^2/m, in reverse {}: UUV Simulator has thrust at rest",
                       T.forward.wu, T.reverse.wu),
           "");
  }
  if (thruster.map && !conversion.rotor_constant && conversion.error > 0)
    lose("map",
         fmt::format(
             "the law itself: {} points with straight lines between stand for it, off by {:.2g} N at most",
             conversion.inputs.size(), conversion.error),
         "");
  if (thruster.map && thruster.map->command.unit != model::CommandUnit::rad_s)
    lose("map.command.unit",
         fmt::format("{}: the input of the plug-in is a number without a unit",
                     name_of(thruster.map->command.unit)),
         "send it the same numbers as the robot gets");
  if (const auto* table = thruster.map ? std::get_if<model::ForceTable>(&thruster.map->law) : nullptr;
      table && table->voltages.size() > 1)
    lose("map.table.voltages",
         fmt::format("forces at other voltages than the highest, {} V", table->voltages.back()), "");
  if (thruster.map && thruster.map->current) lose("map.current", "the supply current", "");
  if (!thruster.transient) return;
  if (thruster.transient->flow)
    lose("transient.axial_flow", "the flow behind the blades: a force without the overshoot of a step", "");
  if (model::motor_rates(thruster.transient))
    lose("transient", "the dynamics of the DC motor: the steady force follows at once",
         "put <dynamics><type>FirstOrder</type> with a time constant of yours in its place");
  else if (const auto& lag = std::get<model::FirstOrder>(thruster.transient->law);
           model::acts_on_of(thruster.map, lag) == model::ActsOn::force)
    lose("transient", "that the lag is of the force: UUV Simulator has it of the input, before the conversion",
         "");
}

void lose_what_uuv_does_otherwise(const model::Robot& robot, std::vector<Loss>& losses) {
  const Vec3 centre = robot.hull().centre_of_mass.value;
  if (!centre.isZero(0))
    losses.push_back(
        {"hull.centre_of_mass",
         fmt::format("that hydrodynamic forces act at the body origin: UUV Simulator takes velocities "
                     "there but lets the forces act at the centre of mass, {:.4g} m away",
                     centre.norm()),
         "state the robot about its centre of mass before it is exported"});
  const double ratio = added_to_dry(robot.hull());
  if (ratio > most_added_to_dry)
    losses.push_back(
        {"hull.added_mass",
         fmt::format("stability: added mass is {:.3g} times the dry mass in some direction. UUV Simulator "
                     "takes it from the acceleration of the step before, which blows up above {:.3g}",
                     ratio, most_added_to_dry),
         "use Gazebo Sim, whose engine solves for it: --to gz-sim"});
  if (const auto n = robot.thrusters().size(); n > 0)
    losses.push_back({"hull.mass",
                      fmt::format("{} propeller links of {} kg are added: Gazebo drops links without mass", n,
                                  propeller_mass),
                      ""});
}

}  // namespace

Exported to_uuv_simulator(const model::Robot& robot, const ExportOptions& options) {
  const double density = options.environment.density();
  const std::string space = ros_name(robot.name()), base = space + "/base_link";
  Exported exported;
  XmlText xml;
  xml.comment("for UUV Simulator, written by Fathom. Links are in axes forward, port, up");
  xml.open("robot", {{"name", robot.name()}});
  write_uuv_base_link(xml, robot.hull(), base);
  write_uuv_plugin(xml, robot, base, density, exported.losses);
  std::vector<UuvConversion> conversions;
  for (std::size_t k = 0; k < robot.thrusters().size(); ++k) {
    const model::Thruster& thruster = robot.thrusters()[k];
    conversions.push_back(uuv_conversion(thruster, density));
    write_uuv_thruster(xml, thruster, conversions.back(), force_range(thruster, density), k, space, base);
    lose_of_thruster(thruster, conversions.back(), k, density, exported.losses);
  }
  exported.files.push_back({space + ".urdf", xml.take()});
  if (!robot.thrusters().empty()) {
    exported.files.push_back(
        {"thruster_manager.yaml", manager_yaml(robot, space, conversions, density, exported.losses)});
    exported.files.push_back({"TAM.yaml", tam_yaml(robot)});
  }
  lose_what_uuv_does_otherwise(robot, exported.losses);
  add_common_losses(robot, exported.losses);
  return exported;
}

}  // namespace fathom::exchange::internal
