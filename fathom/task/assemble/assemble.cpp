#include "fathom/task/assemble/assemble.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/assembly/assembly_file.hpp"
#include "fathom/base/constants.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/task/internal/json.hpp"
#include "fathom/task/internal/option_table.hpp"

namespace fathom {

template <>
const fields::Keys& fields::Table<task::AssembleOptions>::fields() {
  using task::AssembleOptions;
  static const Keys keys{
      field<&AssembleOptions::assembly>("assembly")
          .positional()
          .required()
          .metavar("NAME|FILE")
          .doc("Assembly that ships, or path of an assembly file (docs/assembly-file.md) or of a vehicle with "
               "arms "
               "(docs/robot-file.md)."),
      field<&AssembleOptions::origin>("origin")
          .words({"centre_of_mass", "first_module"})
          .doc("Origin of the merged robot."),
      task::internal::water_density(field<&AssembleOptions::density>("density"))
          .doc("Water density; fresh 1000, sea 1025."),
      field<&AssembleOptions::push>("push").metavar("WRENCH").doc(
          "\"MODULE: X=10, N=2\", N and N m on a module in its own axes, to find the loads in the couplings; "
          "may "
          "be repeated, all act at once."),
      field<&AssembleOptions::pose>("pose").metavar("ANGLES").doc(
          "\"roll=90, pitch=10\", degrees: another attitude for the loads of weight and buoyancy."),
      field<&AssembleOptions::fail>("fail").metavar("NAME").doc(
          "Thruster that gives no force, MODULE-THRUSTER, to find the wrenches that remain; may be repeated.")};
  return keys;
}

}  // namespace fathom

namespace fathom::task {
namespace {

using assembly::ClusterSurvey;
using Summary = AssembleSummary;

/// "NAME=NUMBER, ..." with each of `names` at most once; by name, 0 where it is not said.
template <std::size_t n>
std::array<double, n> values_in(std::string_view text, const std::string& option,
                                const std::array<std::string_view, n>& names, const char* example) {
  std::array<double, n> values{};
  std::array<bool, n> said{};
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view part = trimmed(text.substr(0, comma));
    const std::size_t equals = part.find('=');
    const std::string_view name = trimmed(part.substr(0, equals));
    const auto number =
        equals == std::string_view::npos ? std::nullopt : number_in(trimmed(part.substr(equals + 1)));
    if (!number)
      reject(option, fmt::format("has {}, expected NAME=NUMBER", in_quotes(part)),
             fmt::format("such as {}", example));
    const auto found = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (found == n)
      reject(option,
             fmt::format("has the unknown name {}, expected one of {}", in_quotes(name), join(names, ", ")),
             fmt::format("such as {}", example));
    if (said[found]) reject(option, fmt::format("says {} twice", name), "once is enough");
    said[found] = true;
    values[found] = *number;
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
}

assembly::Push push_of(const std::string& text, const assembly::Assembly& assembly) {
  constexpr const char* example = "\"A: X=10, N=2\", N and N m on module A in its own axes";
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    reject("--push", fmt::format("= {}, expected MODULE: AXIS=NUMBER, ...", in_quotes(text)),
           fmt::format("such as {}", example));
  const std::string name(trimmed(std::string_view(text).substr(0, colon)));
  std::vector<std::string_view> names;
  for (const assembly::Module& module : assembly.modules()) names.push_back(module.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    reject("--push", fmt::format("is on {}, which is no module of {}", in_quotes(name), assembly.name()),
           did_you_mean(name, names, fmt::format("there are {}", join(names, ", "))));
  const std::array<double, 6> wrench =
      values_in<6>(std::string_view(text).substr(colon + 1), "--push", {"X", "Y", "Z", "K", "M", "N"}, example);
  return {static_cast<std::size_t>(found - names.begin()), Eigen::Map<const Vec6>(wrench.data())};
}

assembly::SurveyOptions survey_options(const AssembleOptions& options, const assembly::Assembly& assembly) {
  assembly::SurveyOptions survey;
  if (options.origin == "first_module") survey.merge.origin = assembly::MergeOptions::Origin::first_module;
  for (const std::string& text : options.push) survey.pushes.push_back(push_of(text, assembly));
  if (!options.pose.empty()) {
    const auto [roll, pitch] =
        values_in<2>(options.pose, "--pose", {"roll", "pitch"}, "\"roll=90, pitch=10\", in degrees");
    survey.attitude = quaternion_from_euler({roll / degrees, pitch / degrees, 0});
  }
  survey.failed = options.fail;
  return survey;
}

/// Throws InputError unless every thruster of --fail is one of a merged robot.
void check_thrusters_to_fail(const DockedResult& result, const std::vector<std::string>& failed) {
  std::vector<std::string_view> names;
  for (const model::Robot& robot : result.robots)
    for (const model::Thruster& thruster : robot.thrusters()) names.push_back(thruster.name);
  for (const std::string& name : failed) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    reject("--fail", fmt::format("= {}, which is no thruster of {}", in_quotes(name), result.summary.assembly),
           names.empty()
               ? "it has none"
               : did_you_mean(name, names,
                              fmt::format("they are called MODULE-THRUSTER, such as {}", names.front())));
  }
}

Vec3 angles_of(const Quat& q) { return degrees * euler_from_quaternion(q); }

Summary::Module module_of(const assembly::Assembly& assembly, const std::vector<ClusterSurvey>& clusters,
                          std::size_t i) {
  const assembly::Module& module = assembly.modules()[i];
  const Pose& pose = assembly.poses()[i];
  return {module.name,
          module.robot.name(),
          module.robot_file,
          pose.p_pc_p,
          angles_of(pose.q_pc),
          module.robot.hull().mass.value,
          module.robot.thrusters().size(),
          clusters[assembly.cluster_of(i)].merged.robot.name()};
}

Summary::Coupling coupling_of(const assembly::Assembly& assembly, const ClusterSurvey& survey, std::size_t k) {
  const assembly::Coupling& coupling = assembly.couplings()[survey.couplings[k]];
  const auto end = [&](std::size_t i) {
    const assembly::Module& module = assembly.modules()[coupling.ends[i].module];
    return module.name + "." + module.connectors[coupling.ends[i].connector].name;
  };
  return {coupling.name, {end(0), end(1)}, degrees * coupling.turn, survey.in_loop[k]};
}

Summary::Merged merged_of(const ClusterSurvey& survey) {
  const model::Robot& robot = survey.merged.robot;
  const model::Hull& hull = robot.hull();
  Summary::Merged merged{.mass = hull.mass.value,
                         .net_weight = survey.figures.weight - survey.figures.buoyancy,
                         .centre_of_mass = hull.centre_of_mass.value,
                         .centre_of_buoyancy = hull.centre_of_buoyancy.value,
                         .M = survey.M,
                         .allocation = model::allocation_matrix(robot),
                         .losses = survey.merged.losses};
  for (const Pose& pose : survey.merged.poses)
    merged.module_poses.push_back({pose.p_pc_p, angles_of(pose.q_pc)});
  for (const model::Thruster& thruster : robot.thrusters()) merged.thrusters.push_back(thruster.name);
  return merged;
}

Summary::Reach reach_of(const dynamics::Reach& found) {
  Summary::Reach reach{.rank = found.rank};
  if (found.alone) reach.alone.emplace();
  for (std::size_t i = 0; i < 6; ++i) {
    const std::string axis(1, "XYZKMN"[i]);
    if (found.unreachable[i]) reach.unreachable.push_back(axis);
    if (found.alone) reach.alone->emplace_back(axis, std::array{(*found.alone)[i].min, (*found.alone)[i].max});
  }
  return reach;
}

Summary::Cluster cluster_of(const assembly::Assembly& assembly, const ClusterSurvey& survey) {
  const assembly::Equilibrium& rest = survey.equilibrium;
  const Vec3 rpy = degrees * euler_from_quaternion(rest.q_nb);
  Summary::Cluster cluster{.name = survey.merged.robot.name(),
                           .loops = survey.loops,
                           .merged = merged_of(survey),
                           .at_rest = {rpy.x(), rpy.y(), rest.stiffness, rest.any_attitude},
                           .reach = reach_of(survey.reach)};
  for (const std::size_t module : survey.modules) cluster.modules.push_back(assembly.modules()[module].name);
  if (survey.reach_after) {
    cluster.failed = survey.failed;
    cluster.reach_after = reach_of(*survey.reach_after);
  }
  for (const assembly::LoadCase& one : survey.cases) {
    auto& loads =
        cluster.cases.emplace_back(Summary::Case{one.name, one.what, one.has_weight, one.acceleration_b, {}})
            .loads;
    for (std::size_t k = 0; k < survey.couplings.size(); ++k)
      loads.emplace_back(assembly.couplings()[survey.couplings[k]].name, one.loads[k]);
  }
  return cluster;
}

}  // namespace

DockedResult assemble(const assembly::Assembly& assembly, const AssembleOptions& options,
                      const Context& context) {
  fields::check_values(options);
  const assembly::SurveyOptions how = survey_options(options, assembly);
  const model::Environment environment(options.density);
  DockedResult result{{{.command = "assemble " + shell_word(options.assembly),
                        .assembly = assembly.name(),
                        .file = options.assembly,
                        .density = options.density}},
                      {},
                      {options.assembly},
                      DockedRobots{assembly, {}}};
  Summary& s = result.summary;
  std::vector<ClusterSurvey>& clusters = result.evidence->clusters;
  for (std::size_t k = 0; k < assembly.clusters().size(); ++k) {
    throw_if(context.stop);
    clusters.push_back(assembly::survey(assembly, k, environment, how));
    result.robots.push_back(clusters.back().merged.robot);
    s.clusters.push_back(cluster_of(assembly, clusters.back()));
    for (std::size_t i = 0; i < clusters.back().couplings.size(); ++i)
      s.couplings.push_back(coupling_of(assembly, clusters.back(), i));
  }
  check_thrusters_to_fail(result, options.fail);
  for (std::size_t i = 0; i < assembly.modules().size(); ++i) {
    s.modules.push_back(module_of(assembly, clusters, i));
    if (!s.modules.back().file.empty()) result.inputs.emplace_back(s.modules.back().file);
  }
  return result;
}

DockedResult assemble(const AssembleOptions& options, const Context& context) {
  fields::check_values(options);
  AssembleOptions found = options;
  found.assembly = context.paths.assembly(options.assembly).string();
  return assemble(assembly::read_assembly(found.assembly, context.paths.modules()), found, context);
}

// The keys of summary.json, in its order.
FATHOM_JSON(Summary::Placement, position, attitude_deg)
FATHOM_JSON(Summary::Module, name, robot, file, position, attitude_deg, mass, thrusters, merged_into)
FATHOM_JSON(Summary::Coupling, name, between, turn_deg, in_loop)
FATHOM_JSON(Summary::Merged, mass, net_weight, centre_of_mass, centre_of_buoyancy, M, module_poses, thrusters,
            allocation, losses)
FATHOM_JSON(Summary::AtRest, roll_deg, pitch_deg, righting_moment, any_attitude)
FATHOM_JSON(Summary::Reach, rank, unreachable, alone)
FATHOM_JSON(Summary::Case, name, what, weight_and_buoyancy, acceleration, loads)
FATHOM_JSON(Summary::Cluster, name, modules, loops, merged, at_rest, reach, failed, reach_after, cases)
FATHOM_SUMMARY(AssembleSummary, command, assembly, file, density, modules, couplings, clusters, files)
FATHOM_JSON(HeldArmsSummary::Joint, held_at, effort)
FATHOM_JSON(HeldArmsSummary::Arm, name, arm, joints)
FATHOM_SUMMARY(HeldArmsSummary, command, name, vehicle, arms, wrench_for_arms, mass, volume, losses, files)

template <class Summary, class Source>
std::vector<ResultFile> AssembleResult<Summary, Source>::files() const {
  std::vector<ResultFile> list;
  for (const model::Robot& robot : robots)
    list.push_back({robot.name() + ".yaml", model::robot_to_yaml(robot)});
  return list;
}
template <class Summary, class Source>
AssembleResult<Summary, Source> AssembleResult<Summary, Source>::load(const std::filesystem::path& folder) {
  AssembleResult result{{AssembleResult::from_json(read_file(folder / "summary.json"))}};
  for (const std::string& file : result.summary.files)
    if (file.ends_with(".yaml"))
      result.robots.push_back(model::read_robot(folder / std::filesystem::path(file).filename()));
  return result;
}
template struct AssembleResult<AssembleSummary, DockedRobots>;
template struct AssembleResult<HeldArmsSummary, ArmedVehicle>;

}  // namespace fathom::task
