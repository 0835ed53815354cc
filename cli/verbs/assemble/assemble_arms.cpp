#include "cli/verbs/assemble/assemble_arms.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/assembly/held_arms.hpp"
#include "fathom/dynamics/vehicle_with_arms.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/model_file/vehicle_with_arms_file.hpp"
#include "fathom/report/held_arms_page.hpp"

#include "cli/finish.hpp"
#include "cli/output.hpp"
#include "cli/shipped.hpp"
#include "cli/terminal/number_text.hpp"
#include "cli/terminal/table.hpp"
#include "version.hpp"

namespace fathom::cli {
namespace {

/// Still and level: what the arms ask of the vehicle, and each joint of its motor.
struct AtRest {
  std::vector<double> efforts;  ///< N m, N
  Vec6 added_b;                 ///< wrench that the vehicle needs with its arms, beyond what it needs without
};

AtRest at_rest(const model::VehicleWithArms& robot, const model::Environment& environment) {
  const dynamics::VehicleWithArms whole(robot, environment);
  dynamics::VehicleWithArmsWorkspace workspace(whole);
  std::vector<double> q;
  for (const model::MountedArm& arm : robot.arms) q.insert(q.end(), arm.posture.begin(), arm.posture.end());
  const std::vector<double> zero(q.size(), 0.0);
  AtRest rest{std::vector<double>(q.size()), Vec6::Zero()};
  inverse_dynamics(whole, dynamics::Motion(), q, zero, zero, workspace, rest.added_b, rest.efforts);
  rest.added_b -= inverse_dynamics(whole.vehicle(), dynamics::Motion());
  return rest;
}

/// What is no more than rounding is nothing.
std::string rounded_effort(double value) { return significant(std::abs(value) < 1e-7 ? 0 : value, 3); }

std::string arms_text(const model::VehicleWithArms& robot, const assembly::HeldArms& held, const AtRest& rest,
                      double density) {
  const model::Hull& hull = held.robot.hull();
  std::string text = fmt::format("{}: {} with {} arm{} held, as one robot\n\n", robot.name,
                                 robot.vehicle.name(), robot.arms.size(), robot.arms.size() > 1 ? "s" : "");
  Table table({"arm", "joint", "held at", "effort to hold it", "limit"});
  std::size_t at = 0;
  for (const model::MountedArm& mounted : robot.arms)
    for (std::size_t k = 0; k < mounted.arm.size(); ++k, ++at) {
      const model::Joint& joint = mounted.arm.joints()[k];
      const bool turns = joint.kind == model::Joint::Kind::revolute;
      const char* unit = turns ? "N m" : "N";
      table.row({mounted.name, joint.name,
                 fmt::format("{} {}", significant(mounted.posture[k], 4), turns ? "rad" : "m"),
                 fmt::format("{} {}", rounded_effort(rest.efforts[at]), unit),
                 std::isfinite(joint.limits.effort) ? fmt::format("{:g} {}", joint.limits.effort, unit) : "-"});
    }
  text += table.text();
  text += fmt::format(
      "\nlevel and still, the arms pull the vehicle by {} N down, {} N m in roll and {} N m in pitch\n",
      rounded_effort(-rest.added_b[2]), rounded_effort(-rest.added_b[3]), rounded_effort(-rest.added_b[4]));
  text += fmt::format("the whole: {} kg, {} litres ({} kg of water)\n", significant(hull.mass.value, 4),
                      significant(1000 * hull.volume.value, 4), significant(density * hull.volume.value, 4));
  for (const std::string& loss : held.losses) text += "not in the robot file: " + loss + "\n";
  return text;
}

nlohmann::ordered_json arms_summary(const model::VehicleWithArms& robot, const assembly::HeldArms& held,
                                    const AtRest& rest, const std::string& command) {
  nlohmann::ordered_json summary;
  summary["command"] = command;
  summary["name"] = robot.name;
  summary["vehicle"] = robot.vehicle.name();
  std::size_t at = 0;
  for (const model::MountedArm& mounted : robot.arms) {
    nlohmann::ordered_json joints;
    for (std::size_t k = 0; k < mounted.arm.size(); ++k, ++at)
      joints[mounted.arm.joints()[k].name] = {{"held_at", mounted.posture[k]}, {"effort", rest.efforts[at]}};
    summary["arms"].push_back({{"name", mounted.name}, {"arm", mounted.arm.name()}, {"joints", joints}});
  }
  summary["wrench_for_arms"] = std::vector<double>(rest.added_b.begin(), rest.added_b.end());
  summary["mass"] = held.robot.hull().mass.value;
  summary["volume"] = held.robot.hull().volume.value;
  summary["losses"] = held.losses;
  return summary;
}

}  // namespace

int assemble_arms(const Verb& verb, const std::filesystem::path& file, double density) {
  const model::VehicleWithArms robot = model::read_vehicle_with_arms(file, {robot_folders(), arm_folders()});
  const model::Environment environment(density);
  const assembly::HeldArms held = assembly::hold_arms(robot);
  const AtRest rest = at_rest(robot, environment);
  std::string command = "assemble " + shell_word(file.string());
  if (density != model::fresh_water) command += fmt::format(" --density {}", density);
  nlohmann::ordered_json summary = arms_summary(robot, held, rest, command);
  const std::string text = arms_text(robot, held, rest, density);
  std::vector<std::filesystem::path> read = {file, robot.vehicle_file};
  for (const model::MountedArm& mounted : robot.arms)
    if (!mounted.file.empty()) read.emplace_back(mounted.file);
  if (verb.common().out.extension() == ".yaml") {
    check_not_read(verb.common().out, read);
    model::write_robot(held.robot, verb.common().out);
    summary["files"] = {verb.common().out.string()};
    verb.print(summary, text + fmt::format("written: {}\n", verb.common().out.string()));
    return Status::done;
  }
  const std::string robot_file = robot.name + ".yaml";
  const std::vector<std::string> files = {robot_file, "report.html", "summary.json"};
  OutputFolder out(verb.out_folder(robot.name), {verb.name(), read, files});
  out.write(robot_file, model::robot_to_yaml(held.robot));
  out.write("report.html", report::to_html(report::held_arms_page(
                               {&robot,
                                &held,
                                rest.efforts,
                                rest.added_b,
                                environment,
                                {{robot_file, "the vehicle with its arms held, which every verb takes"}},
                                fmt::format("fathom {}: {}", FATHOM_VERSION, command)})));
  finish(verb, std::move(summary), files, text, out);
  return Status::done;
}

}  // namespace fathom::cli
