#include "fathom/report/internal/assembly_scene.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/report/internal/number_text.hpp"
#include "fathom/report/robot_body.hpp"

namespace fathom::report::internal {
namespace {

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

Body body_of(const assembly::Module& module, const Pose& pose_n) {
  Body body = robot_body(module.name, module.robot);
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

}  // namespace

double without_rounding(double value) {
  constexpr double rounding = 1e-7;
  return std::abs(value) < rounding ? 0 : value;
}

std::string load_text(const Vec6& load) {
  const double force = without_rounding(load.head<3>().norm()),
               moment = without_rounding(load.tail<3>().norm());
  if (force == 0 && moment == 0) return "no load";
  return fmt::format("{} N, {} N m", significant(force, 3), significant(moment, 3));
}

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
    scene.bodies.push_back(body_of(assembly.modules()[survey.modules[i]], pose_nm * survey.merged.poses[i]));
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

}  // namespace fathom::report::internal
