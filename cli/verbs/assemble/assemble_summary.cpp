#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/geometry/rotation.hpp"

#include "cli/terminal/matrix_json.hpp"
#include "cli/verb.hpp"
#include "cli/verbs/assemble/assemble_result.hpp"

namespace fathom::cli {
namespace {

using assembly::ClusterSurvey;
using AssembleJson = nlohmann::ordered_json;

AssembleJson pose_json(const Pose& pose) {
  return {{"position", list_of(pose.p_pc_p)},
          {"attitude_deg", list_of((degrees * euler_from_quaternion(pose.q_pc)).eval())}};
}

AssembleJson reach_json(const dynamics::Reach& reach) {
  AssembleJson alone = nullptr;
  if (reach.alone) {
    alone = AssembleJson::object();
    for (std::size_t i = 0; i < 6; ++i)
      alone[std::string(1, "XYZKMN"[i])] = {(*reach.alone)[i].min, (*reach.alone)[i].max};
  }
  return {{"rank", reach.rank}, {"unreachable", unreachable_axes(reach)}, {"alone", alone}};
}

AssembleJson modules_json(const Assembled& assembled) {
  const assembly::Assembly& assembly = assembled.assembly;
  AssembleJson list = AssembleJson::array();
  for (std::size_t i = 0; i < assembly.modules().size(); ++i) {
    const assembly::Module& module = assembly.modules()[i];
    AssembleJson one = {{"name", module.name}, {"robot", module.robot.name()}, {"file", module.robot_file}};
    one.update(pose_json(assembly.poses()[i]));
    one["mass"] = module.robot.hull().mass.value;
    one["thrusters"] = module.robot.thrusters().size();
    one["merged_into"] = assembled.clusters[assembly.cluster_of(i)].merged.robot.name();
    list.push_back(std::move(one));
  }
  return list;
}

AssembleJson cases_json(const Assembled& assembled, const ClusterSurvey& survey) {
  AssembleJson list = AssembleJson::array();
  for (const assembly::LoadCase& one : survey.cases) {
    AssembleJson loads = AssembleJson::object();
    for (std::size_t k = 0; k < survey.couplings.size(); ++k)
      loads[assembled.assembly.couplings()[survey.couplings[k]].name] = list_of(one.loads[k]);
    list.push_back({{"name", one.name},
                    {"what", one.what},
                    {"weight_and_buoyancy", one.has_weight},
                    {"acceleration", list_of(one.acceleration_b)},
                    {"loads", loads}});
  }
  return list;
}

AssembleJson merged_json(const ClusterSurvey& survey) {
  const model::Robot& robot = survey.merged.robot;
  const model::Hull& hull = robot.hull();
  AssembleJson thrusters = AssembleJson::array(), poses = AssembleJson::array();
  for (const model::Thruster& thruster : robot.thrusters()) thrusters.push_back(thruster.name);
  for (const Pose& pose : survey.merged.poses) poses.push_back(pose_json(pose));
  return {{"mass", hull.mass.value},
          {"net_weight", survey.figures.weight - survey.figures.buoyancy},
          {"centre_of_mass", list_of(hull.centre_of_mass.value)},
          {"centre_of_buoyancy", list_of(hull.centre_of_buoyancy.value)},
          {"M", rows_of(survey.M)},
          {"module_poses", poses},
          {"thrusters", thrusters},
          {"allocation", rows_of(model::allocation_matrix(robot))},
          {"losses", survey.merged.losses}};
}

AssembleJson clusters_json(const Assembled& assembled) {
  const assembly::Assembly& assembly = assembled.assembly;
  AssembleJson list = AssembleJson::array();
  for (const ClusterSurvey& survey : assembled.clusters) {
    AssembleJson modules = AssembleJson::array();
    for (const std::size_t module : survey.modules) modules.push_back(assembly.modules()[module].name);
    const Vec3 rpy = degrees * euler_from_quaternion(survey.equilibrium.q_nb);
    AssembleJson one = {{"name", survey.merged.robot.name()},
                        {"modules", modules},
                        {"loops", survey.loops},
                        {"merged", merged_json(survey)},
                        {"at_rest",
                         {{"roll_deg", rpy.x()},
                          {"pitch_deg", rpy.y()},
                          {"righting_moment", survey.equilibrium.stiffness},
                          {"any_attitude", survey.equilibrium.any_attitude}}},
                        {"reach", reach_json(survey.reach)}};
    if (survey.reach_after) {
      one["failed"] = survey.failed;
      one["reach_after"] = reach_json(*survey.reach_after);
    }
    one["cases"] = cases_json(assembled, survey);
    list.push_back(std::move(one));
  }
  return list;
}

AssembleJson couplings_json(const Assembled& assembled) {
  AssembleJson list = AssembleJson::array();
  for (const ClusterSurvey& survey : assembled.clusters)
    for (std::size_t k = 0; k < survey.couplings.size(); ++k) {
      const assembly::Coupling& coupling = assembled.assembly.couplings()[survey.couplings[k]];
      list.push_back(
          {{"name", coupling.name},
           {"between",
            {end_text(assembled.assembly, coupling.ends[0]), end_text(assembled.assembly, coupling.ends[1])}},
           {"turn_deg", degrees * coupling.turn},
           {"in_loop", static_cast<bool>(survey.in_loop[k])}});
    }
  return list;
}

}  // namespace

nlohmann::ordered_json assemble_summary(const Assembled& assembled) {
  return {{"command", "assemble " + shell_word(assembled.file.string())},
          {"assembly", assembled.assembly.name()},
          {"file", assembled.file.string()},
          {"density", assembled.environment.density()},
          {"modules", modules_json(assembled)},
          {"couplings", couplings_json(assembled)},
          {"clusters", clusters_json(assembled)}};
}

}  // namespace fathom::cli
