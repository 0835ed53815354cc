#include <cmath>
#include <numbers>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "fathom/exchange/internal/drag_at_origin.hpp"
#include "fathom/exchange/internal/dry_body.hpp"
#include "fathom/exchange/internal/flu.hpp"
#include "fathom/exchange/internal/losses.hpp"
#include "fathom/exchange/internal/names.hpp"
#include "fathom/exchange/internal/uuv_conversion.hpp"
#include "fathom/exchange/internal/writers.hpp"
#include "fathom/exchange/internal/xml_text.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/geometry/spectrum.hpp"

namespace fathom::exchange::internal {
namespace {

constexpr std::string_view stonefish = "Stonefish";
/// A disc to draw in the place of each propeller: Stonefish asks for a mesh.
constexpr std::string_view disc_file = "propeller.obj";
constexpr double disc_radius = 0.04;  // m

std::string disc_obj() {
  std::string text = "# a disc across x in the place of a propeller; written by Fathom\n";
  constexpr int corners = 12;
  for (const double x : {-0.005, 0.005}) {
    text += fmt::format("v {} 0 0\n", x);
    for (int k = 0; k < corners; ++k) {
      const double angle = 2 * std::numbers::pi * k / corners;
      text +=
          fmt::format("v {} {:.6f} {:.6f}\n", x, disc_radius * std::cos(angle), disc_radius * std::sin(angle));
    }
  }
  for (int k = 0; k < corners; ++k) {
    const int a = 2 + k, b = 2 + (k + 1) % corners, other = corners + 1;
    text += fmt::format("f 1 {} {}\nf {} {} {}\n", b, a, 1 + other, a + other, b + other);
    text += fmt::format("f {} {} {}\nf {} {} {}\n", a, b, b + other, a, b + other, a + other);
  }
  return text;
}

/// Principal moments and the attitude of their axes.
struct Principal {
  Vec3 moments, rpy = Vec3::Zero();
};
Principal principal_of(const Mat3& inertia) {
  if (inertia.isDiagonal(0)) return {inertia.diagonal()};
  Mat3 axes;
  const Vec3 moments = symmetric_eigenvalues(inertia, &axes);
  if (axes.determinant() < 0) axes.col(2) = -axes.col(2);
  return {moments, euler_from_quaternion(Quat(axes))};
}

/// Coefficients that give the box the drag of the hull along each axis at 1 m/s: friction on the sides,
/// pressure on the front. docs/how-to-stonefish.md eqs. 1 and 2.
struct BoxDrag {
  Vec3 viscous, quadratic;
};
BoxDrag box_drag(const Vec3& box, const OneDrag& drag, double density) {
  BoxDrag result;
  for (int i = 0; i < 3; ++i) {
    const double b = box[(i + 1) % 3], c = box[(i + 2) % 3];
    result.viscous[i] = drag.linear(i, i) / (density * 2 * box[i] * (b + c));
    result.quadratic[i] = 2 * drag.quadratic[i] / (density * b * c);
  }
  return result;
}

void write_stonefish_world(XmlText& xml, const model::Robot& robot, const model::Environment& water) {
  xml.open("environment");
  xml.empty("ned", {{"latitude", "0"}, {"longitude", "0"}});
  xml.open("ocean");
  xml.empty("water", {{"density", number_text(water.density())}, {"jerlov", "0.2"}});
  xml.empty("waves", {{"height", "0"}});
  xml.close();
  xml.close();
  xml.open("materials");
  xml.empty("material", {{"name", "hull"},
                         {"density", number_text(robot.hull().mass.value / robot.hull().volume.value)},
                         {"restitution", "0.5"}});
  xml.open("friction_table");
  xml.empty("friction", {{"material1", "hull"}, {"material2", "hull"}, {"static", "0.5"}, {"dynamic", "0.3"}});
  xml.close();
  xml.close();
  xml.open("looks");
  xml.empty("look", {{"name", "hull"}, {"gray", "0.5"}, {"roughness", "0.5"}});
  xml.close();
}

void write_stonefish_hull(XmlText& xml, const model::Hull& hull, const OneDrag& drag, double density) {
  const Vec3 box = box_of_volume(hull);
  const Principal principal = principal_of(hull.inertia.value);
  const BoxDrag coefficients = box_drag(box, drag, density);
  xml.open("base_link",
           {{"name", "base_link"}, {"type", "box"}, {"physics", "submerged"}, {"buoyant", "true"}});
  xml.comment("a box of the right volume about the centre of buoyancy");
  xml.empty("dimensions", {{"xyz", numbers_text(box)}});
  xml.empty("origin", {{"xyz", numbers_text(hull.centre_of_buoyancy.value)}, {"rpy", "0 0 0"}});
  xml.empty("material", {{"name", "hull"}});
  xml.empty("look", {{"name", "hull"}});
  xml.empty("mass", {{"value", number_text(hull.mass.value)}});
  xml.comment("principal moments; cg turns to their axes");
  xml.empty("inertia", {{"xyz", numbers_text(principal.moments)}});
  xml.empty("cg", {{"xyz", numbers_text(hull.centre_of_mass.value)}, {"rpy", numbers_text(principal.rpy)}});
  xml.empty("hydrodynamics", {{"viscous_drag", numbers_text(coefficients.viscous)},
                              {"quadratic_drag", numbers_text(coefficients.quadratic)}});
  xml.close();
}

/// Setpoints are counted from neutral: Stonefish starts with zero, and its limit is the same on both sides.
void write_stonefish_thruster(XmlText& xml, const model::Thruster& thruster, double density) {
  const UuvConversion conversion = uuv_conversion(thruster, density);
  const double neutral = thruster.map ? thruster.map->command.neutral : 0;
  const double low = thruster.map ? thruster.map->command.min : conversion.inputs.front();
  const double high = thruster.map ? thruster.map->command.max : conversion.inputs.back();
  xml.open("actuator", {{"name", thruster.name}, {"type", "thruster"}});
  xml.empty("specs", {{"max_setpoint", number_text(std::max(high - neutral, neutral - low))},
                      {"inverted_setpoint", "false"}});
  xml.open("propeller", {{"diameter", number_text(2 * disc_radius)}, {"right", "true"}});
  xml.empty("mesh", {{"filename", std::string(disc_file)}, {"scale", "1"}});
  xml.empty("material", {{"name", "hull"}});
  xml.empty("look", {{"name", "hull"}});
  xml.close();
  const auto* lag = thruster.transient ? std::get_if<model::FirstOrder>(&thruster.transient->law) : nullptr;
  if (lag) {
    xml.open("rotor_dynamics", {{"type", "first_order"}});
    xml.empty("time_constant", {{"value", number_text(lag->time_constant)}});
    xml.close();
  } else {
    xml.empty("rotor_dynamics", {{"type", "zero_order"}});
  }
  if (conversion.rotor_constant && neutral == 0) {
    xml.open("thrust_model", {{"type", "quadratic"}});
    xml.empty("thrust_coeff", {{"value", number_text(*conversion.rotor_constant)}});
  } else {
    std::vector<double> from_neutral = conversion.inputs;
    for (double& x : from_neutral) x -= neutral;
    xml.open("thrust_model", {{"type", "linear_interpolation"}});
    xml.empty("input", {{"value", numbers_text(from_neutral)}});
    xml.empty("output", {{"value", numbers_text(conversion.outputs)}});
  }
  xml.close();
  xml.empty("origin", {{"xyz", numbers_text(thruster.position_b.value)},
                       {"rpy", numbers_text(rpy_along(thruster.axis_b()))}});
  xml.empty("link", {{"name", "base_link"}});
  xml.close();
}

void lose_hull(const model::Robot& robot, const OneDrag& drag, std::vector<Loss>& losses) {
  const model::Hull& hull = robot.hull();
  const Vec6 added = hull.added_mass.value.diagonal();
  losses.push_back(
      {"hull.added_mass",
       fmt::format("all of it (diagonal {} {} {} kg, {} {} {} kg m^2): Stonefish computes its own from "
                   "the box and takes one mean value for all directions",
                   added[0], added[1], added[2], added[3], added[4], added[5]),
       "compare its motion with `fathom simulate`"});
  Mat6 rest = drag.linear;
  rest.diagonal().head<3>().setZero();
  if (!rest.isZero(0))
    losses.push_back(
        {"damping.linear",
         fmt::format("rotation ({} {} {} N m s) and couplings: Stonefish has what follows from the box",
                     drag.linear(3, 3), drag.linear(4, 4), drag.linear(5, 5)),
         ""});
  if (!drag.quadratic.tail<3>().isZero(0))
    losses.push_back({"damping.quadratic",
                      fmt::format("rotation ({} {} {} N m s^2): Stonefish has what follows from the box",
                                  drag.quadratic[3], drag.quadratic[4], drag.quadratic[5]),
                      ""});
  losses.push_back(
      {"damping",
       "the law of drag: coefficients are set so that friction and pressure are right at 1 m/s along "
       "each axis; how they grow with speed depends on the version of Stonefish",
       "see docs/how-to-stonefish.md"});
  if (!hull.size)
    losses.push_back({"hull.size", "nothing is said of it, so the box is a cube of the right volume",
                      "state hull.size: it gives the box its proportions"});
}

void lose_stonefish_thruster(const model::Thruster& thruster, std::size_t k, double density,
                             std::vector<Loss>& losses) {
  const auto lose_it = [&](const char* key, std::string what) {
    losses.push_back({fmt::format("thrusters[{}].{}", k, key), std::move(what), ""});
  };
  const UuvConversion conversion = uuv_conversion(thruster, density);
  if (thruster.force)
    lose_it("force", fmt::format("limits [{}, {}] N: Stonefish limits the setpoint alone",
                                 thruster.force->value.min, thruster.force->value.max));
  if (thruster.map && thruster.map->command.neutral != 0)
    lose_it("map.command.neutral", fmt::format("setpoints are counted from {}", thruster.map->command.neutral));
  if (thruster.map && !conversion.rotor_constant)
    lose_it("map",
            fmt::format("the law and the unit of its command: {} points with straight lines between, off by "
                        "{:.2g} N at most",
                        conversion.inputs.size(), conversion.error));
  if (const auto* propeller = thruster.map ? std::get_if<model::Propeller>(&thruster.map->law) : nullptr)
    if (const auto T = thrust_sides(*propeller, density); T.forward.wu != 0 || T.reverse.wu != 0)
      lose_it("map",
              fmt::format("the inflow's share, T_wu = {} N s^2/m, in reverse {}", T.forward.wu, T.reverse.wu));
  if (thruster.transient && thruster.transient->flow)
    lose_it("transient.axial_flow", "the flow behind the blades: a force without the overshoot of a step");
  if (model::motor_rates(thruster.transient)) lose_it("transient", "the dynamics of the DC motor");
  const auto* lag = thruster.transient ? std::get_if<model::FirstOrder>(&thruster.transient->law) : nullptr;
  if (lag && lag->acts_on == model::ActsOn::force)
    lose_it("transient", "that the lag is of the force: Stonefish has it of the rotor, before the thrust");
}

}  // namespace

Exported to_stonefish(const model::Robot& robot, const ExportOptions& options) {
  const double density = options.environment.density();
  Exported exported;
  const OneDrag drag = one_drag(robot, stonefish, exported.losses);
  XmlText xml;
  xml.comment("for Stonefish, written by Fathom; axes forward, starboard, down in north, east, down");
  xml.open("scenario");
  write_stonefish_world(xml, robot, options.environment);
  xml.open("robot", {{"name", robot.name()}, {"fixed", "false"}, {"self_collisions", "false"}});
  write_stonefish_hull(xml, robot.hull(), drag, density);
  lose_hull(robot, drag, exported.losses);
  for (std::size_t k = 0; k < robot.thrusters().size(); ++k) {
    write_stonefish_thruster(xml, robot.thrusters()[k], density);
    lose_stonefish_thruster(robot.thrusters()[k], k, density, exported.losses);
  }
  xml.empty("world_transform", {{"xyz", "0 0 2"}, {"rpy", "0 0 0"}});
  exported.files.push_back({ros_name(robot.name()) + ".scn", xml.take()});
  if (!robot.thrusters().empty()) exported.files.push_back({std::string(disc_file), disc_obj()});
  if (options.environment.gravity() != model::Environment().gravity())
    exported.losses.push_back(
        {"gravity", fmt::format("{} m/s^2: Stonefish has its own", options.environment.gravity()), ""});
  add_common_losses(robot, exported.losses);
  return exported;
}

}  // namespace fathom::exchange::internal
