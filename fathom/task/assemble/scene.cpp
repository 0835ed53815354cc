#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/dynamics/arm.hpp"
#include "fathom/report/robot_body.hpp"
#include "fathom/task/assemble/internal/assemble.hpp"

namespace fathom::task::internal {
namespace {

using namespace report;
using assembly::Assembly;
using assembly::ClusterSurvey;

/// A module in the merged robot's frame.
const Pose& place_of(const ClusterSurvey& survey, std::size_t module) {
  const auto found = std::find(survey.modules.begin(), survey.modules.end(), module);
  return survey.merged.poses[static_cast<std::size_t>(found - survey.modules.begin())];
}

/// The frame that a coupling's load is told in, in the merged robot's frame.
Pose frame_of(const Assembly& assembly, const ClusterSurvey& survey, std::size_t coupling) {
  const assembly::End& end = assembly.couplings()[coupling].ends[0];
  return place_of(survey, end.module) * assembly.modules()[end.module].connectors[end.connector].pose();
}

Body body_of(const std::string& name, const model::Robot& robot, const Pose& pose_n) {
  Body body = robot_body(name, robot);
  body.t = {0};
  body.p_n = {pose_n.p_pc_p};
  body.q_nb = {pose_n.q_pc};
  return body;
}

/// Which way most of a force goes; empty where there is none.
std::string kind_of(const Vec6& load) {
  const double force = load.head<3>().norm();
  if (without_rounding(force) == 0) return "";
  if (std::abs(load[0]) < force * std::numbers::sqrt2 / 2) return "shears";
  return load[0] > 0 ? "pulls apart" : "presses together";
}

/// "12.3 N, 0.4 N m": how large a load is.
std::string load_text(const Vec6& load) {
  const double force = without_rounding(load.head<3>().norm()),
               moment = without_rounding(load.tail<3>().norm());
  if (force == 0 && moment == 0) return "no load";
  return fmt::format("{:.3g} N, {:.3g} N m", force, moment);
}

}  // namespace

Scene assembly_scene(const Assembly& assembly, const ClusterSurvey& survey) {
  // Deep enough that the surface is out of the picture.
  double highest = 0, largest = 0.1;
  const Quat q_nm = survey.equilibrium.q_nb;
  for (std::size_t i = 0; i < survey.modules.size(); ++i) {
    const auto& size = assembly.modules()[survey.modules[i]].robot.hull().size;
    highest = std::min(highest, (q_nm * survey.merged.poses[i].p_pc_p).z());
    largest = std::max(largest, size ? size->value.maxCoeff() : Body().size.maxCoeff());
  }
  const Pose pose_nm{q_nm, Vec3(0, 0, 3 * largest - highest)};

  Scene scene{.title = survey.merged.robot.name() + " at rest in the water"};
  for (std::size_t i = 0; i < survey.modules.size(); ++i)
    scene.bodies.push_back(body_of(assembly.modules()[survey.modules[i]].name,
                                   assembly.modules()[survey.modules[i]].robot,
                                   pose_nm * survey.merged.poses[i]));
  for (std::size_t k = 0; k < survey.couplings.size(); ++k) {
    const assembly::Coupling& coupling = assembly.couplings()[survey.couplings[k]];
    const Pose frame_n = pose_nm * frame_of(assembly, survey, survey.couplings[k]);
    scene.paths.push_back({"arm to the coupling",
                           {(pose_nm * place_of(survey, coupling.ends[0].module)).p_pc_p, frame_n.p_pc_p,
                            (pose_nm * place_of(survey, coupling.ends[1].module)).p_pc_p},
                           false});
    for (const assembly::LoadCase& one : survey.cases)
      scene.markers.push_back({coupling.name, frame_n.p_pc_p,
                               frame_n.q_pc * one.loads[k].head<3>().unaryExpr(&without_rounding),
                               load_text(one.loads[k]), kind_of(one.loads[k]), one.name});
  }
  return scene;
}

Scene arms_scene(const model::VehicleWithArms& robot, const HeldArmsSummary& summary) {
  Scene scene{.title = robot.name + ", arms held"};
  scene.bodies.push_back(body_of(robot.vehicle.name(), robot.vehicle, Pose()));
  Body& vehicle = scene.bodies.front();
  vehicle.p_n[0].z() = 3 * vehicle.size.maxCoeff();  // the surface is out of sight
  for (std::size_t a = 0; a < robot.arms.size(); ++a) {
    const model::MountedArm& mounted = robot.arms[a];
    std::vector<Pose> poses(mounted.arm.size());
    dynamics::link_poses(dynamics::Arm(mounted.arm), mounted.posture, poses);
    const Pose base_n = Pose{Quat::Identity(), vehicle.p_n[0]} * mounted.pose();
    for (std::size_t k = 0; k < poses.size(); ++k) {
      const model::Joint& joint = mounted.arm.joints()[k];
      const Pose link_n = base_n * poses[k];
      const Vec3 from = joint.parent ? (base_n * poses[*joint.parent]).p_pc_p : base_n.p_pc_p;
      const Vec3 centre = link_n * mounted.arm.links()[k].body.centre_of_mass.value;
      scene.paths.push_back({mounted.name, {from, link_n.p_pc_p, centre}, false});
      scene.markers.push_back(
          {mounted.name + "." + joint.name, link_n.p_pc_p, Vec3::Zero(),
           shown(without_rounding(summary.arms[a].joints[k].second.effort), {"", "{:.3g}"}, Where::page) +
               (joint.kind == model::Joint::Kind::revolute ? " N m" : " N"),
           "joint", ""});
    }
  }
  return scene;
}

}  // namespace fathom::task::internal
