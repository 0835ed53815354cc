#include <cmath>

#include <fmt/format.h>

#include "fathom/assembly/held_arms.hpp"
#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/dynamics/figures.hpp"
#include "fathom/dynamics/vehicle_with_arms.hpp"
#include "fathom/model_file/vehicle_with_arms_file.hpp"
#include "fathom/task/assemble/internal/assemble.hpp"
#include "fathom/task/internal/option_table.hpp"

namespace fathom::task {
namespace {

using namespace report;
using internal::without_rounding;

constexpr double least_heel = 0.01;  // N m that anybody would mind

/// Still and level: what the arms ask of the vehicle beyond what it needs without them, and each joint of its
/// motor.
void find_loads_at_rest(const ArmedVehicle& vehicle, HeldArmsSummary& s) {
  const dynamics::VehicleWithArms whole(vehicle.robot, vehicle.environment);
  dynamics::VehicleWithArmsWorkspace workspace(whole);
  std::vector<double> q;
  for (const model::MountedArm& arm : vehicle.robot.arms)
    q.insert(q.end(), arm.posture.begin(), arm.posture.end());
  const std::vector<double> zero(q.size(), 0.0);
  std::vector<double> efforts(q.size());
  inverse_dynamics(whole, dynamics::Motion(), q, zero, zero, workspace, s.wrench_for_arms, efforts);
  s.wrench_for_arms -= inverse_dynamics(whole.vehicle(), dynamics::Motion());
  std::size_t at = 0;
  for (const model::MountedArm& mounted : vehicle.robot.arms) {
    HeldArmsSummary::Arm& arm = s.arms.emplace_back(HeldArmsSummary::Arm{mounted.name, mounted.arm.name(), {}});
    for (std::size_t k = 0; k < mounted.arm.size(); ++k, ++at)
      arm.joints.emplace_back(mounted.arm.joints()[k].name,
                              HeldArmsSummary::Joint{mounted.posture[k], efforts[at]});
  }
}

std::string told(double value, int digits = 3) {
  return fmt::format("{:.{}g}", without_rounding(value), digits);
}

Table joint_table(const HeldArmsSummary& s, const ArmedVehicle& vehicle, double& most) {
  Table table{.title = "What holding the arms takes",
              .columns = {"arm",
                          "joint",
                          {"held at", "", Where::terminal},
                          TableColumn("held at", "", Where::page),
                          "effort to hold it",
                          "limit",
                          {"share (%)", "{:.2g}", Where::page}}};
  for (std::size_t a = 0; a < s.arms.size(); ++a)
    for (std::size_t k = 0; k < s.arms[a].joints.size(); ++k) {
      const auto& [name, held] = s.arms[a].joints[k];
      const model::Joint& joint = vehicle.robot.arms[a].arm.joints()[k];
      const bool turns = joint.kind == model::Joint::Kind::revolute;
      const std::string unit = turns ? " N m" : " N", at = fmt::format("{:.4g}", held.held_at);
      const double limit = joint.limits.effort;
      const double share = std::isfinite(limit) ? std::abs(held.effort) / limit : nan;
      if (share > most) most = share;
      table.rows.push_back(
          {s.arms[a].name, name, at + (turns ? " rad" : " m"),
           turns ? told(degrees * held.held_at, 4) + "\u00b0" : at + " m", told(held.effort) + unit,
           std::isfinite(limit) ? fmt::format("{:g}", limit) + unit : "none", without_rounding(100 * share)});
    }
  table.note = fmt::format("Level and still in water of {:g} kg/m^3; friction, which helps, is left out.",
                           vehicle.environment.density());
  return table;
}

Figures held_figures(const HeldArmsSummary& s, const ArmedVehicle& vehicle, const model::Robot& held,
                     double most_share) {
  const dynamics::Figures whole = dynamics::figures_of(held, vehicle.environment);
  const Vec6& wrench = s.wrench_for_arms;
  Figures strip{{{"Mass", fmt::format("{:.4g} kg", s.mass),
                  fmt::format("{:.4g} kg of it the vehicle", vehicle.robot.vehicle.hull().mass.value)},
                 {"Weight less buoyancy", told(whole.weight - whole.buoyancy) + " N",
                  fmt::format("the arms' share {} N", told(-wrench[2]))},
                 {"Arms pull the bow", told(std::abs(wrench[4])) + " N m", wrench[4] > 0 ? "down" : "up"}}};
  if (std::abs(wrench[3]) >= least_heel)
    strip.figures.push_back(
        {"Arms heel it by", told(std::abs(wrench[3])) + " N m", wrench[3] > 0 ? "to port" : "to starboard"});
  if (most_share > 0)
    strip.figures.push_back(
        {"Most of a joint's effort", told(100 * most_share, 2) + " %", "to hold the posture, level and still"});
  return strip;
}

void reject_what_if(const AssembleOptions& options) {
  for (const auto& [is_given, option] : {std::pair(!options.push.empty(), "--push"),
                                         {!options.pose.empty(), "--pose"},
                                         {!options.fail.empty(), "--fail"},
                                         {options.origin != AssembleOptions().origin, "--origin"}})
    if (is_given)
      reject(option, "is for docked robots; this is a vehicle with arms",
             "write the robot with its arms held, then ask of that");
}

}  // namespace

HeldArmsResult assemble_arms(const AssembleOptions& options, const Context& context) {
  fields::check_values(options);
  reject_what_if(options);
  const std::filesystem::path file = context.paths.assembly(options.assembly);
  ArmedVehicle vehicle{model::read_vehicle_with_arms(file, {context.paths.robots, context.paths.arms}),
                       model::Environment(options.density)};
  const assembly::HeldArms held = assembly::hold_arms(vehicle.robot);
  const model::Hull& hull = held.robot.hull();
  HeldArmsSummary s{.command = "assemble " + shell_word(file.string()),
                    .name = vehicle.robot.name,
                    .vehicle = vehicle.robot.vehicle.name(),
                    .mass = hull.mass.value,
                    .volume = hull.volume.value,
                    .losses = held.losses};
  if (options.density != AssembleOptions().density) s.command += fmt::format(" --density {}", options.density);
  find_loads_at_rest(vehicle, s);
  std::vector<std::filesystem::path> inputs = {file, vehicle.robot.vehicle_file};
  for (const model::MountedArm& mounted : vehicle.robot.arms)
    if (!mounted.file.empty()) inputs.emplace_back(mounted.file);
  return {{std::move(s)}, {held.robot}, std::move(inputs), std::move(vehicle)};
}

template <>
Document HeldArmsResult::report() const {
  const HeldArmsSummary& s = summary;
  const std::string what =
      fmt::format("{} with {} arm{} held", s.vehicle, s.arms.size(), s.arms.size() > 1 ? "s" : "");
  const bool has_title = evidence && !evidence->robot.title.empty();
  Document document{.title = s.name,
                    .subtitle = has_title ? evidence->robot.title : what,
                    .footer = fmt::format("fathom {}: {}", version(), s.command)};
  document.add(
      Text{.paragraphs = {fmt::format("{}: {}, as one robot", s.name, what)}, .where = Where::terminal});
  if (evidence) {
    double most_share = 0;
    Table joints = joint_table(s, *evidence, most_share);
    document.add(held_figures(s, *evidence, robots.front(), most_share));
    document.add(internal::arms_scene(evidence->robot, s));
    document.add(std::move(joints));
  }
  Text text{.title = "The whole as one robot",
            .links = {{s.name + ".yaml", "the vehicle with its arms held, which every verb takes"}}};
  text.paragraphs = {
      fmt::format("level and still, the arms pull the vehicle by {} N down, {} N m in roll and {} N m in pitch",
                  told(-s.wrench_for_arms[2]), told(-s.wrench_for_arms[3]), told(-s.wrench_for_arms[4])),
      fmt::format("the whole: {:.4g} kg, {:.4g} litres", s.mass, 1000 * s.volume)};
  if (evidence)
    text.paragraphs.back() += fmt::format(" ({:.4g} kg of water)", evidence->environment.density() * s.volume);
  for (const std::string& loss : s.losses) text.paragraphs.push_back("not in the robot file: " + loss);
  document.add(std::move(text));
  document.add(Text{.paragraphs = {"Every arm stands still in its posture; mass, inertia, added mass, buoyancy "
                                   "and drag of its links are part of the hull. Origin, thrusters and sensors "
                                   "are the vehicle's. Water that flows between arm and hull is left out."},
                    .where = Where::page});
  return document;
}

}  // namespace fathom::task
