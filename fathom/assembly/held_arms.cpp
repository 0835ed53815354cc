#include "fathom/assembly/held_arms.hpp"

#include <deque>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fathom/assembly/internal/merge_parts.hpp"
#include "fathom/base/text.hpp"
#include "fathom/dynamics/arm.hpp"

namespace fathom::assembly {
namespace {

/// A link as a body by itself. It is only summed up: nobody judges it as a robot.
model::Robot body_of(const model::Arm& arm, const model::Link& link) {
  model::RobotSpec spec;
  spec.name = arm.name() + "-" + link.name;  // two arms of one kind err alike
  spec.hull = link.body;
  spec.damping = link.damping;
  return model::Robot::make_unchecked(std::move(spec));
}

std::string posture_text(const model::MountedArm& mounted) {
  std::vector<std::string> joints;
  for (std::size_t k = 0; k < mounted.arm.size(); ++k)
    joints.push_back(fmt::format("{} = {:.4g}", mounted.arm.joints()[k].name, mounted.posture[k]));
  return fmt::format("{} ({}) held at {} {}", mounted.name, mounted.arm.name(), join(joints, ", "), "rad or m");
}

}  // namespace

HeldArms hold_arms(const model::VehicleWithArms& robot) {
  std::deque<model::Robot> bodies;  // parts point to them
  std::vector<internal::MergePart> parts = {{"vehicle", &robot.vehicle, robot.vehicle_file}};
  std::vector<std::string> postures;
  for (const model::MountedArm& mounted : robot.arms) {
    std::vector<Pose> poses(mounted.arm.size());
    dynamics::link_poses(dynamics::Arm(mounted.arm), mounted.posture, poses);
    for (std::size_t k = 0; k < poses.size(); ++k) {
      const model::Link& link = mounted.arm.links()[k];
      bodies.push_back(body_of(mounted.arm, link));
      parts.push_back({mounted.name + "-" + link.name, &bodies.back(), "", mounted.pose() * poses[k]});
    }
    postures.push_back(posture_text(mounted));
  }
  model::RobotSpec spec = robot.vehicle.spec();
  std::vector<std::string> losses;
  spec.name = robot.name;
  spec.title = robot.title.empty() ? fmt::format("{} with its arms held", robot.vehicle.name()) : robot.title;
  spec.notes = fmt::format("{}{}{}; no water that flows between arm and hull.", robot.notes,
                           robot.notes.empty() ? "" : " ", join(postures, "; "));
  spec.hull = model::Hull();
  spec.damping.clear();
  internal::merge_hulls(parts, spec, losses);
  const auto& size = robot.vehicle.hull().size;  // links have none of their own
  if (size && spec.hull.volume.value <= size->value.prod()) {
    spec.hull.size = size;
    std::erase_if(losses, [](const std::string& loss) { return loss.starts_with("hull.size"); });
    losses.emplace_back("hull.size is the vehicle's alone: arms reach beyond it");
  }
  internal::merge_drag(parts, spec);
  internal::merge_symmetry(parts, spec);
  if (spec.identified) {
    losses.push_back("identified: an estimate of the vehicle alone is none of the whole");
    spec.identified.reset();
  }
  return {model::Robot::make(std::move(spec)), std::move(losses)};
}

}  // namespace fathom::assembly
