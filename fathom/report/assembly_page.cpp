#include "fathom/report/assembly_page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/model/dof.hpp"
#include "fathom/report/internal/assembly_scene.hpp"
#include "fathom/report/internal/number_text.hpp"

namespace fathom::report {
namespace {

using assembly::ClusterSurvey;
using assembly::LoadCase;
using internal::significant;
using internal::without_rounding;

constexpr std::array<const char*, 6> wrench_columns = {"X (N)",   "Y (N)",   "Z (N)",
                                                       "K (N m)", "M (N m)", "N (N m)"};
constexpr std::size_t most_scenes = 6, most_drawn_modules = 100;

std::string triple_text(const Vec3& v, int digits = 4) {
  return fmt::format("{}, {}, {}", significant(without_rounding(v.x()), digits),
                     significant(without_rounding(v.y()), digits),
                     significant(without_rounding(v.z()), digits));
}

std::string angles_text(const Quat& q) { return triple_text(degrees * euler_from_quaternion(q)) + "\u00b0"; }

std::vector<std::string> wrench_row(std::string name, const Eigen::Ref<const Vec6>& values) {
  std::vector<std::string> row = {std::move(name)};
  for (const double value : values) row.push_back(significant(without_rounding(value), 4));
  return row;
}

std::vector<TableColumn> with_wrench_columns(std::vector<TableColumn> columns) {
  columns.insert(columns.end(), wrench_columns.begin(), wrench_columns.end());
  return columns;
}

/// The largest force in a coupling of a cluster, of all cases.
struct Largest {
  std::string coupling, name;
  Vec6 load = Vec6::Zero();
};
Largest largest_load(const AssemblyPage& page) {
  Largest out;
  for (const ClusterSurvey& survey : page.clusters)
    for (const LoadCase& one : survey.cases)
      for (std::size_t k = 0; k < one.loads.size(); ++k)
        if (out.name.empty() || one.loads[k].head<3>().norm() > out.load.head<3>().norm())
          out = {page.assembly->couplings()[survey.couplings[k]].name, one.name, one.loads[k]};
  return out;
}

Figures figures_of(const AssemblyPage& page) {
  std::size_t in_loop = 0, thrusters = 0;
  double mass = 0, net = 0;
  for (const ClusterSurvey& survey : page.clusters) {
    in_loop += static_cast<std::size_t>(std::count(survey.in_loop.begin(), survey.in_loop.end(), true));
    thrusters += survey.merged.robot.thrusters().size();
    mass += survey.merged.robot.hull().mass.value;
    net += survey.figures.weight - survey.figures.buoyancy;
  }
  Figures figures;
  figures.figures = {
      {"Modules", fmt::format("{}", page.assembly->modules().size()),
       page.clusters.size() == 1 ? "all hang together" : fmt::format("in {} clusters", page.clusters.size())},
      {"Couplings", fmt::format("{}", page.assembly->couplings().size()),
       fmt::format("{} in a closed loop", in_loop)},
      {"Mass", significant(mass, 4) + " kg",
       fmt::format("W \u2212 B = {} N", significant(without_rounding(net), 3))},
      {"Thrusters", fmt::format("{}", thrusters), ""}};
  if (page.clusters.size() == 1) {
    const ClusterSurvey& survey = page.clusters.front();
    figures.figures.back().note = fmt::format("rank {} of 6", survey.reach.rank);
    figures.figures.push_back({"Tilt at rest",
                               significant(without_rounding(degrees * survey.equilibrium.tilt), 3) + "\u00b0",
                               survey.equilibrium.any_attitude
                                   ? "stays as it is put"
                                   : significant(survey.equilibrium.stiffness, 3) + " N m a radian right it"});
  }
  if (const Largest largest = largest_load(page); !largest.name.empty())
    figures.figures.push_back({"Largest force in a coupling",
                               significant(without_rounding(largest.load.head<3>().norm()), 3) + " N",
                               fmt::format("{}, {}", largest.coupling, largest.name)});
  return figures;
}

Table load_table(const AssemblyPage& page, const ClusterSurvey& survey) {
  Table table{.title = "What the couplings of " + survey.merged.robot.name() + " carry",
              .columns = with_wrench_columns({"coupling", "case"})};
  for (std::size_t k = 0; k < survey.couplings.size(); ++k)
    for (const LoadCase& one : survey.cases) {
      std::vector<std::string> row = wrench_row(one.name, one.loads[k]);
      row.insert(row.begin(), page.assembly->couplings()[survey.couplings[k]].name +
                                  (survey.in_loop[k] ? " (in a loop)" : ""));
      table.rows.push_back(std::move(row));
    }
  table.note =
      "The wrench on the first module of the coupling from the second, at the coupling, in the frame of the "
      "first module's "
      "connector: X > 0 pulls them apart. All cases start from rest.";
  for (const LoadCase& one : survey.cases) table.note += fmt::format(" {}: {}.", one.name, one.what);
  if (survey.cases.size() > 1) table.note += " At rest loads add up.";
  if (survey.loops > 0)
    table.note += " Motion leaves the loads in a closed loop open: those told are the least.";
  return table;
}

/// The lengths of forces or of moments, by coupling and case.
Bars load_bars(const AssemblyPage& page, const ClusterSurvey& survey, bool forces) {
  Bars bars{.title = forces ? "Force in each coupling" : "Moment in each coupling",
            .label = forces ? "force" : "moment",
            .unit = forces ? "N" : "N m"};
  for (const std::size_t coupling : survey.couplings)
    bars.groups.push_back(page.assembly->couplings()[coupling].name);
  for (const LoadCase& one : survey.cases) {
    bars.names.push_back(one.name);
    std::vector<double>& values = bars.values.emplace_back();
    for (const Vec6& load : one.loads)
      values.push_back(without_rounding(forces ? load.head<3>().norm() : load.tail<3>().norm()));
  }
  return bars;
}

Table merged_table(const AssemblyPage& page, const ClusterSurvey& survey) {
  const model::Hull& hull = survey.merged.robot.hull();
  const double net = survey.figures.weight - survey.figures.buoyancy;
  Table table{.title = survey.merged.robot.name() + ", the merged robot", .columns = {"", "value", "unit"}};
  table.rows = {
      {"mass", significant(hull.mass.value, 5), "kg"},
      {"weight less buoyancy", significant(without_rounding(net), 4),
       fmt::format("N at {:g} kg/m\u00b3", page.environment.density())},
      {"centre of mass", triple_text(hull.centre_of_mass.value), "m"},
      {"centre of buoyancy", triple_text(hull.centre_of_buoyancy.value), "m"},
      {"attitude at rest", survey.equilibrium.any_attitude ? "any" : angles_text(survey.equilibrium.q_nb),
       "roll, pitch, yaw"},
      {"righting moment", significant(survey.equilibrium.stiffness, 4), "N m a radian"},
      {"drag elements", fmt::format("{}", survey.merged.robot.damping().size()), ""},
      {"sensors", fmt::format("{}", survey.merged.robot.sensors().size()), ""},
      {"free connectors", fmt::format("{}", survey.merged.robot.connectors().size()), ""}};
  if (!survey.merged.losses.empty())
    table.note = fmt::format("What a robot file cannot say of it: {}.", join(survey.merged.losses, "; "));
  return table;
}

Table inertia_table(const ClusterSurvey& survey) {
  Table table{.title = "M of " + survey.merged.robot.name() + ", rigid body and added mass",
              .columns = {"", "u", "v", "w", "p", "q", "r"}};
  for (int i = 0; i < 6; ++i)
    table.rows.push_back(wrench_row(std::string(1, "XYZKMN"[i]), survey.M.row(i).transpose()));
  table.note = "kg, kg m, kg m\u00b2, at the merged robot's origin and in the axes of its first module.";
  return table;
}

std::string range_text(const std::optional<std::array<model::ForceRange, 6>>& alone, std::size_t axis) {
  if (!alone) return "not known";
  const auto bound = [](double value) { return significant(without_rounding(value), 4); };
  return fmt::format("{} \u2026 {}", bound((*alone)[axis].min), bound((*alone)[axis].max));
}

Table reach_table(const ClusterSurvey& survey) {
  Table table{.title = "What the thrusters of " + survey.merged.robot.name() + " attain",
              .columns = {"axis", "alone", "all thrusters"}};
  if (survey.reach_after) table.columns.push_back(fmt::format("without {}", join(survey.failed, ", ")));
  const auto cell = [](const dynamics::Reach& reach, std::size_t axis) {
    return reach.unreachable[axis] ? "cannot be pushed" : range_text(reach.alone, axis);
  };
  for (std::size_t axis = 0; axis < 6; ++axis) {
    std::vector<std::string> row = {fmt::format("{}, {}", "XYZKMN"[axis], model::dof_names[axis]),
                                    axis < 3 ? "N" : "N m", cell(survey.reach, axis)};
    if (survey.reach_after) row.push_back(cell(*survey.reach_after, axis));
    table.rows.push_back(std::move(row));
  }
  table.columns[1] = "unit";
  table.note = fmt::format("Each axis alone, with nothing on the others. Rank {} of 6", survey.reach.rank);
  if (survey.reach_after) table.note += fmt::format(", {} without what failed", survey.reach_after->rank);
  table.note += ".";
  return table;
}

Table allocation_table(const ClusterSurvey& survey) {
  const model::Robot& robot = survey.merged.robot;
  const Mat6X B = model::allocation_matrix(robot);
  Table table{.title = "Allocation: the wrench of one newton of each thruster",
              .columns = with_wrench_columns({"thruster"})};
  for (Eigen::Index k = 0; k < B.cols(); ++k)
    table.rows.push_back(wrench_row(robot.thrusters()[static_cast<std::size_t>(k)].name, B.col(k)));
  table.note = "At the merged robot's origin.";
  return table;
}

Table module_table(const AssemblyPage& page) {
  Table table{
      .title = "Modules",
      .columns = {"module", "robot", "cluster", "position (m)", "roll, pitch, yaw", "mass (kg)", "thrusters"},
      .note = "Poses in the assembly's frame."};
  for (std::size_t i = 0; i < page.assembly->modules().size(); ++i) {
    const assembly::Module& module = page.assembly->modules()[i];
    const Pose& pose = page.assembly->poses()[i];
    table.rows.push_back(
        {module.name, module.robot.name(), page.clusters[page.assembly->cluster_of(i)].merged.robot.name(),
         triple_text(pose.p_pc_p), angles_text(pose.q_pc), significant(module.robot.hull().mass.value, 4),
         fmt::format("{}", module.robot.thrusters().size())});
  }
  return table;
}

Table coupling_table(const AssemblyPage& page) {
  Table table{.title = "Couplings", .columns = {"coupling", "from", "to", "turn", "how"}};
  const auto end_text = [&](const assembly::End& end) {
    const assembly::Module& module = page.assembly->modules()[end.module];
    return module.name + "." + module.connectors[end.connector].name;
  };
  for (const ClusterSurvey& survey : page.clusters)
    for (std::size_t k = 0; k < survey.couplings.size(); ++k) {
      const assembly::Coupling& coupling = page.assembly->couplings()[survey.couplings[k]];
      table.rows.push_back({coupling.name, end_text(coupling.ends[0]), end_text(coupling.ends[1]),
                            significant(degrees * coupling.turn, 4) + "\u00b0",
                            survey.in_loop[k] ? "in a closed loop: the least load is told"
                                              : "in a tree: motion tells its load"});
    }
  return table;
}

void add_cluster(const AssemblyPage& page, const ClusterSurvey& survey, bool is_drawn,
                 std::vector<Item>& items) {
  constexpr std::size_t most_bars = 40;
  if (is_drawn) items.emplace_back(internal::assembly_scene(*page.assembly, survey));
  if (!survey.couplings.empty()) {
    items.emplace_back(load_table(page, survey));
    if (survey.couplings.size() <= most_bars)
      for (const bool forces : {true, false}) items.emplace_back(load_bars(page, survey, forces));
  }
  items.emplace_back(merged_table(page, survey));
  items.emplace_back(inertia_table(survey));
  if (survey.merged.robot.thrusters().empty()) return;
  items.emplace_back(reach_table(survey));
  items.emplace_back(allocation_table(survey));
}

}  // namespace

Page assembly_page(const AssemblyPage& page) {
  const assembly::AssemblySpec& spec = page.assembly->spec();
  Page out{.title = spec.name, .subtitle = spec.title, .footer = page.footer};
  out.items.emplace_back(figures_of(page));
  std::size_t drawn = 0;
  for (const ClusterSurvey& survey : page.clusters) {
    const bool is_drawn = drawn < most_scenes && survey.modules.size() <= most_drawn_modules;
    drawn += is_drawn;
    add_cluster(page, survey, is_drawn, out.items);
  }
  out.items.emplace_back(module_table(page));
  if (!page.assembly->couplings().empty()) out.items.emplace_back(coupling_table(page));
  Text files{.title = "Files", .links = page.files};
  if (drawn < page.clusters.size())
    files.paragraphs.push_back(
        fmt::format("{} of {} clusters are drawn: the first {}, none with more than {} modules.", drawn,
                    page.clusters.size(), most_scenes, most_drawn_modules));
  if (!spec.notes.empty()) files.paragraphs.push_back(spec.notes);
  out.items.emplace_back(std::move(files));
  return out;
}

}  // namespace fathom::report
