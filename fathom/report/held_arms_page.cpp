#include "fathom/report/held_arms_page.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/dynamics/arm.hpp"
#include "fathom/dynamics/figures.hpp"
#include "fathom/report/internal/assembly_scene.hpp"
#include "fathom/report/internal/number_text.hpp"
#include "fathom/report/robot_body.hpp"

namespace fathom::report {
namespace {

using internal::significant;
using internal::without_rounding;

constexpr double least_heel = 0.01;  // N m that anybody would mind

std::string told(double value, int digits = 3) { return significant(without_rounding(value), digits); }

bool turns(const model::Joint& joint) { return joint.kind == model::Joint::Kind::revolute; }

/// Shares of efforts' limits; NaN where a joint has none.
std::vector<double> shares_of(const HeldArmsPage& page) {
  std::vector<double> shares;
  std::size_t at = 0;
  for (const model::MountedArm& mounted : page.robot->arms)
    for (const model::Joint& joint : mounted.arm.joints()) {
      const double limit = joint.limits.effort;
      shares.push_back(std::isfinite(limit) ? std::abs(page.efforts[at]) / limit : nan);
      ++at;
    }
  return shares;
}

Figures held_figures(const HeldArmsPage& page) {
  const dynamics::Figures whole = dynamics::figures_of(page.held->robot, page.environment);
  double most = 0;
  for (const double share : shares_of(page))
    if (share > most) most = share;
  Figures figures;
  figures.figures = {
      {"Mass", significant(page.held->robot.hull().mass.value, 4) + " kg",
       fmt::format("{} kg of it the vehicle", significant(page.robot->vehicle.hull().mass.value, 4))},
      {"Weight less buoyancy", told(whole.weight - whole.buoyancy) + " N",
       fmt::format("the arms' share {} N", told(-page.wrench_b[2]))},
      {"Arms pull the bow", fmt::format("{} N m", told(std::abs(page.wrench_b[4]))),
       page.wrench_b[4] > 0 ? "down" : "up"}};
  if (std::abs(page.wrench_b[3]) >= least_heel)
    figures.figures.push_back({"Arms heel it by", fmt::format("{} N m", told(std::abs(page.wrench_b[3]))),
                               page.wrench_b[3] > 0 ? "to port" : "to starboard"});
  if (most > 0)
    figures.figures.push_back(
        {"Most of a joint's effort", told(100 * most, 2) + " %", "to hold the posture, level and still"});
  return figures;
}

Table joint_table(const HeldArmsPage& page) {
  Table table{.title = "What holding the arms takes",
              .columns = {"arm", "joint", "held at", "effort", "limit", "share (%)"}};
  const std::vector<double> shares = shares_of(page);
  std::size_t at = 0;
  for (const model::MountedArm& mounted : page.robot->arms)
    for (std::size_t k = 0; k < mounted.arm.size(); ++k, ++at) {
      const model::Joint& joint = mounted.arm.joints()[k];
      const std::string unit = turns(joint) ? " N m" : " N";
      const bool has_limit = std::isfinite(joint.limits.effort);
      table.rows.push_back(
          {mounted.name, joint.name,
           turns(joint) ? told(degrees * mounted.posture[k], 4) + "\u00b0" : told(mounted.posture[k], 4) + " m",
           told(page.efforts[at]) + unit, has_limit ? significant(joint.limits.effort, 3) + unit : "none",
           has_limit ? told(100 * shares[at], 2) : ""});
    }
  table.note = fmt::format("Level and still in water of {:g} kg/m\u00b3; friction, which helps, is left out.",
                           page.environment.density());
  return table;
}

/// Arms as lines from joint to joint to the last centre of mass.
Scene held_scene(const HeldArmsPage& page) {
  Body vehicle = robot_body(page.robot->vehicle.name(), page.robot->vehicle);
  const Pose pose_nb{Quat::Identity(), Vec3(0, 0, 3 * vehicle.size.maxCoeff())};  // the surface is out of sight
  vehicle.t = {0}, vehicle.p_n = {pose_nb.p_pc_p}, vehicle.q_nb = {pose_nb.q_pc};
  Scene scene{.title = page.robot->name + ", arms held"};
  scene.bodies.push_back(std::move(vehicle));
  std::size_t at = 0;
  for (const model::MountedArm& mounted : page.robot->arms) {
    std::vector<Pose> poses(mounted.arm.size());
    dynamics::link_poses(dynamics::Arm(mounted.arm), mounted.posture, poses);
    const Pose base_n = pose_nb * mounted.pose();
    for (std::size_t k = 0; k < poses.size(); ++k, ++at) {
      const model::Joint& joint = mounted.arm.joints()[k];
      const Pose link_n = base_n * poses[k];
      const Vec3 from = joint.parent ? (base_n * poses[*joint.parent]).p_pc_p : base_n.p_pc_p;
      const Vec3 centre = link_n * mounted.arm.links()[k].body.centre_of_mass.value;
      scene.paths.push_back({mounted.name, {from, link_n.p_pc_p, centre}, false});
      scene.markers.push_back({mounted.name + "." + joint.name, link_n.p_pc_p, Vec3::Zero(),
                               told(page.efforts[at]) + (turns(joint) ? " N m" : " N"), "joint", ""});
    }
  }
  return scene;
}

}  // namespace

Page held_arms_page(const HeldArmsPage& page) {
  Page out{.title = page.robot->name, .footer = page.footer};
  out.subtitle =
      page.robot->title.empty() ? page.robot->vehicle.name() + " with its arms held" : page.robot->title;
  out.items = {held_figures(page), held_scene(page), joint_table(page)};
  Text text{.title = "The whole as one robot", .links = page.files};
  text.paragraphs.push_back(
      "Every arm stands still in its posture; mass, inertia, added mass, buoyancy and drag of its links are "
      "part of "
      "the hull. Origin, thrusters and sensors are the vehicle's. Water that flows between arm and hull is "
      "left out.");
  for (const std::string& loss : page.held->losses)
    text.paragraphs.push_back("Not in the robot file: " + loss + ".");
  out.items.emplace_back(std::move(text));
  return out;
}

}  // namespace fathom::report
