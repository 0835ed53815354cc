#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/geometry/rotation.hpp"

#include "cli/terminal/number_text.hpp"
#include "cli/terminal/table.hpp"
#include "cli/verbs/assemble/assemble_result.hpp"

namespace fathom::cli {
namespace {

using assembly::ClusterSurvey;

/// What is no more than rounding is nothing.
std::string rounded(double value, int digits = 4) {
  constexpr double rounding = 1e-7;
  return significant(std::abs(value) < rounding ? 0 : value, digits);
}

std::string triple_text(const Vec3& v) {
  return fmt::format("{} {} {}", rounded(v.x()), rounded(v.y()), rounded(v.z()));
}

std::string module_rows(const Assembled& assembled) {
  const assembly::Assembly& assembly = assembled.assembly;
  Table table(
      {"module", "robot", "position [m]", "roll pitch yaw [deg]", "mass [kg]", "thrusters", "merged into"});
  for (std::size_t i = 0; i < assembly.modules().size(); ++i) {
    const assembly::Module& module = assembly.modules()[i];
    const Pose& pose = assembly.poses()[i];
    table.row({module.name, module.robot.name(), triple_text(pose.p_pc_p),
               triple_text(degrees * euler_from_quaternion(pose.q_pc)), rounded(module.robot.hull().mass.value),
               fmt::format("{}", module.robot.thrusters().size()),
               assembled.clusters[assembly.cluster_of(i)].merged.robot.name()});
  }
  return table.text();
}

std::string coupling_rows(const Assembled& assembled) {
  Table table({"coupling", "between", "turn [deg]", "load"});
  for (const ClusterSurvey& survey : assembled.clusters)
    for (std::size_t k = 0; k < survey.couplings.size(); ++k) {
      const assembly::Coupling& coupling = assembled.assembly.couplings()[survey.couplings[k]];
      table.row({coupling.name,
                 fmt::format("{} and {}", end_text(assembled.assembly, coupling.ends[0]),
                             end_text(assembled.assembly, coupling.ends[1])),
                 rounded(degrees * coupling.turn),
                 survey.in_loop[k] ? "the least (closed loop)" : "by the motion (tree)"});
    }
  return table.text();
}

std::string reach_text(const std::string& who, const dynamics::Reach& reach) {
  std::string text = fmt::format("{}: rank {} of 6", who, reach.rank);
  const std::vector<std::string> lost = unreachable_axes(reach);
  text += lost.empty() ? ", every axis can be pushed alone\n"
                       : fmt::format(", out of reach alone: {}\n", join(lost, " "));
  if (!reach.alone) return text;
  text += "  alone:";
  for (std::size_t i = 0; i < 6; ++i) {
    if (reach.unreachable[i]) continue;
    text += fmt::format(" {} {} .. {} {};", "XYZKMN"[i], rounded((*reach.alone)[i].min, 3),
                        rounded((*reach.alone)[i].max, 3), i < 3 ? "N" : "N m");
  }
  text.back() = '\n';
  return text;
}

std::string merged_text(const ClusterSurvey& survey, double density) {
  const model::Robot& robot = survey.merged.robot;
  const model::Hull& hull = robot.hull();
  std::string text =
      fmt::format("{}: {} kg, W - B {} N at {:g} kg/m^3, centre of mass {} m, of buoyancy {} m\n", robot.name(),
                  rounded(hull.mass.value), rounded(survey.figures.weight - survey.figures.buoyancy), density,
                  triple_text(hull.centre_of_mass.value), triple_text(hull.centre_of_buoyancy.value));
  text += fmt::format("diagonal of M, with added mass: {:.5g}\n", fmt::join(survey.M.diagonal(), " "));
  const assembly::Equilibrium& at_rest = survey.equilibrium;
  const Vec3 rpy = degrees * euler_from_quaternion(at_rest.q_nb);
  text += at_rest.any_attitude
              ? std::string("at rest in any attitude: the centre of buoyancy is the centre of mass\n")
              : fmt::format("at rest with roll {}, pitch {} deg; {} N m a radian right it\n", rounded(rpy.x()),
                            rounded(rpy.y()), rounded(at_rest.stiffness));
  if (!robot.thrusters().empty())
    text += reach_text(fmt::format("{} thrusters", robot.thrusters().size()), survey.reach);
  if (survey.reach_after)
    text += reach_text(fmt::format("without {}", join(survey.failed, ", ")), *survey.reach_after);
  for (const std::string& loss : survey.merged.losses) text += wrapped("note: " + loss);
  return text;
}

std::string load_rows(const Assembled& assembled, const ClusterSurvey& survey) {
  Table table({"coupling", "case", "X [N]", "Y [N]", "Z [N]", "K [N m]", "M [N m]", "N [N m]"});
  for (std::size_t k = 0; k < survey.couplings.size(); ++k)
    for (const assembly::LoadCase& one : survey.cases) {
      std::vector<std::string> row = {assembled.assembly.couplings()[survey.couplings[k]].name, one.name};
      for (const double value : one.loads[k]) row.push_back(rounded(value));
      table.row(std::move(row));
    }
  std::string text = table.text();
  for (const assembly::LoadCase& one : survey.cases) text += fmt::format("{}: {}\n", one.name, one.what);
  return text;
}

}  // namespace

std::string end_text(const assembly::Assembly& assembly, const assembly::End& end) {
  const assembly::Module& module = assembly.modules()[end.module];
  return module.name + "." + module.connectors[end.connector].name;
}

std::vector<std::string> unreachable_axes(const dynamics::Reach& reach) {
  std::vector<std::string> axes;
  for (std::size_t i = 0; i < 6; ++i)
    if (reach.unreachable[i]) axes.emplace_back(1, "XYZKMN"[i]);
  return axes;
}

std::string assemble_text(const Assembled& assembled) {
  const assembly::Assembly& assembly = assembled.assembly;
  const auto many = [](std::size_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  std::string text =
      fmt::format("{}  {}\n{}: {}, {}, {}\n\n", assembly.name(), assembly.spec().title, assembled.file.string(),
                  many(assembly.modules().size(), "module"), many(assembly.couplings().size(), "coupling"),
                  many(assembled.clusters.size(), "cluster"));
  text += module_rows(assembled);
  if (!assembly.couplings().empty()) text += "\n" + coupling_rows(assembled);
  bool any_load = false;
  for (const ClusterSurvey& survey : assembled.clusters) {
    text += "\n" + merged_text(survey, assembled.environment.density());
    if (survey.couplings.empty()) continue;
    text += "\n" + load_rows(assembled, survey);
    any_load = true;
  }
  if (any_load)
    text += wrapped(
        "Loads are on the first module of a coupling from the second, in the axes of its connector (X > 0 "
        "pulls "
        "apart), when all start from rest; they add up.");
  return text + "\n";
}

}  // namespace fathom::cli
