#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model/dof.hpp"
#include "fathom/task/assemble/internal/assemble.hpp"

namespace fathom::task {
namespace {

using namespace report;
using internal::without_rounding;
using Summary = AssembleSummary;
using Cluster = Summary::Cluster;

constexpr std::size_t most_scenes = 6, most_drawn_modules = 100;

TableColumn position_column(std::string label) {
  return TableColumn(std::move(label), "{:.4g} {:.4g} {:.4g}").on_page("", "{:.4g}, {:.4g}, {:.4g}");
}
Cell cell_of(const Vec3& v) { return {without_rounding(v[0]), without_rounding(v[1]), without_rounding(v[2])}; }

std::vector<TableColumn> with_wrench_columns(std::vector<TableColumn> columns) {
  for (const char* axis : {"X [N]", "Y [N]", "Z [N]", "K [N m]", "M [N m]", "N [N m]"})
    columns.emplace_back(axis);
  return columns;
}
Row with_numbers(Row row, const auto& values) {
  for (const double value : values) row.emplace_back(without_rounding(value));
  return row;
}

const Summary::Coupling& coupling_named(const Summary& s, const std::string& name) {
  return *std::find_if(s.couplings.begin(), s.couplings.end(), [&](const auto& c) { return c.name == name; });
}

double force_of(const Vec6& load) { return load.head<3>().norm(); }
double moment_of(const Vec6& load) { return load.tail<3>().norm(); }

/// deg, between the robot's z axis and down.
double tilt_of(const Summary::AtRest& rest) {
  const double roll = rest.roll_deg / degrees, pitch = rest.pitch_deg / degrees;
  return degrees * std::atan2(std::hypot(std::sin(pitch), std::sin(roll) * std::cos(pitch)),
                              std::cos(roll) * std::cos(pitch));
}

/// The largest force in a coupling, of all cases; none where nothing is coupled.
std::optional<Figure> largest_force(const Summary& s) {
  double most = -1;
  std::string where;
  for (const Cluster& cluster : s.clusters)
    for (const Summary::Case& one : cluster.cases)
      for (const auto& [coupling, load] : one.loads)
        if (force_of(load) > most) {
          most = force_of(load);
          where = coupling + ", " + one.name;
        }
  if (most < 0) return std::nullopt;
  return Figure{"Largest force in a coupling", fmt::format("{:.3g} N", without_rounding(most)), where};
}

Figures figures_of(const Summary& s) {
  std::size_t thrusters = 0;
  double mass = 0, net = 0;
  for (const Cluster& cluster : s.clusters) {
    thrusters += cluster.merged.thrusters.size();
    mass += cluster.merged.mass;
    net += cluster.merged.net_weight;
  }
  const auto in_loop =
      std::count_if(s.couplings.begin(), s.couplings.end(), [](const auto& c) { return c.in_loop; });
  const bool is_one = s.clusters.size() == 1;
  Figures strip{
      {{"Modules", fmt::format("{}", s.modules.size()),
        is_one ? "all hang together" : fmt::format("in {} clusters", s.clusters.size())},
       {"Couplings", fmt::format("{}", s.couplings.size()), fmt::format("{} in a closed loop", in_loop)},
       {"Mass", fmt::format("{:.4g} kg", mass), fmt::format("W \u2212 B = {:.3g} N", without_rounding(net))},
       {"Thrusters", fmt::format("{}", thrusters),
        is_one ? fmt::format("rank {} of 6", s.clusters[0].reach.rank) : ""}}};
  if (is_one) {
    const Summary::AtRest& rest = s.clusters[0].at_rest;
    strip.figures.push_back({"Tilt at rest", fmt::format("{:.3g}\u00b0", without_rounding(tilt_of(rest))),
                             rest.any_attitude
                                 ? "stays as it is put"
                                 : fmt::format("{:.3g} N m a radian right it", rest.righting_moment)});
  }
  if (const auto largest = largest_force(s)) strip.figures.push_back(*largest);
  return strip;
}

Table load_table(const Summary& s, const Cluster& cluster) {
  Table table{.title = "What the couplings of " + cluster.name + " carry",
              .columns = with_wrench_columns({"coupling", "case"})};
  for (std::size_t k = 0; k < cluster.cases.front().loads.size(); ++k)
    for (const Summary::Case& one : cluster.cases) {
      const auto& [coupling, load] = one.loads[k];
      const char* loop = coupling_named(s, coupling).in_loop ? " (in a loop)" : "";
      table.rows.push_back(with_numbers({coupling + loop, one.name}, load));
    }
  table.note =
      "The wrench on the first module of the coupling from the second, at the coupling, in the frame of the "
      "first module's connector: X > 0 pulls them apart. All cases start from rest.";
  for (const Summary::Case& one : cluster.cases) table.note += fmt::format(" {}: {}.", one.name, one.what);
  if (cluster.cases.size() > 1) table.note += " At rest loads add up.";
  if (cluster.loops > 0)
    table.note += " Motion leaves the loads in a closed loop open: those told are the least.";
  return table;
}

/// The lengths of forces or of moments, by coupling and case.
Bars load_bars(const Cluster& cluster, bool forces) {
  Bars bars{.title = forces ? "Force in each coupling" : "Moment in each coupling",
            .label = forces ? "force" : "moment",
            .unit = forces ? "N" : "N m"};
  for (const auto& [coupling, load] : cluster.cases.front().loads) bars.groups.push_back(coupling);
  for (const Summary::Case& one : cluster.cases) {
    bars.names.push_back(one.name);
    std::vector<double>& values = bars.values.emplace_back();
    for (const auto& [coupling, load] : one.loads)
      values.push_back(without_rounding(forces ? force_of(load) : moment_of(load)));
  }
  return bars;
}

Table merged_table(const Cluster& cluster, const model::Robot& robot, double density) {
  const Summary::Merged& merged = cluster.merged;
  const Summary::AtRest& rest = cluster.at_rest;
  const auto number = [](double x, int digits) { return fmt::format("{:.{}g}", without_rounding(x), digits); };
  const auto triple = [](const Vec3& v) {
    return shown(cell_of(v), {"", "{:.4g}, {:.4g}, {:.4g}"}, Where::terminal);
  };
  Table table{.title = cluster.name + ", the merged robot", .columns = {cluster.name, "value", "unit"}};
  table.rows = {
      {"mass", number(merged.mass, 5), "kg"},
      {"weight less buoyancy", number(merged.net_weight, 4), fmt::format("N at {:g} kg/m^3", density)},
      {"centre of mass", triple(merged.centre_of_mass), "m"},
      {"centre of buoyancy", triple(merged.centre_of_buoyancy), "m"},
      {"attitude at rest", rest.any_attitude ? "any" : triple({rest.roll_deg, rest.pitch_deg, 0}),
       "deg, roll pitch yaw"},
      {"righting moment", number(rest.righting_moment, 4), "N m a radian"},
      {"drag elements", robot.damping().size(), ""},
      {"sensors", robot.sensors().size(), ""},
      {"free connectors", robot.connectors().size(), ""}};
  if (!merged.losses.empty())
    table.note = fmt::format("What a robot file cannot say of it: {}.", join(merged.losses, "; "));
  return table;
}

Table inertia_table(const Cluster& cluster) {
  Table table{.title = "M of " + cluster.name + ", rigid body and added mass",
              .columns = {"", "u", "v", "w", "p", "q", "r"},
              .note = "kg, kg m, kg m^2, at the merged robot's origin and in the axes of its first module.",
              .where = Where::page};
  for (int i = 0; i < 6; ++i)
    table.rows.push_back(with_numbers({std::string(1, "XYZKMN"[i])}, cluster.merged.M.row(i)));
  return table;
}

Table reach_table(const Cluster& cluster) {
  const auto range_column = [](std::string label) {
    return TableColumn(std::move(label), "{:.3g} .. {:.3g}").on_page("", "{:.4g} \u2026 {:.4g}");
  };
  Table table{.title = "What the thrusters of " + cluster.name + " attain",
              .columns = {"axis", "unit", range_column("all thrusters")}};
  if (cluster.reach_after) table.columns.push_back(range_column("without " + join(*cluster.failed, ", ")));
  const auto cell = [](const Summary::Reach& reach, std::size_t axis) -> Cell {
    const auto& lost = reach.unreachable;
    if (std::find(lost.begin(), lost.end(), std::string(1, "XYZKMN"[axis])) != lost.end())
      return "cannot be pushed";
    if (!reach.alone) return "not known";
    const auto& [least, most] = (*reach.alone)[axis].second;
    return {without_rounding(least), without_rounding(most)};
  };
  for (std::size_t axis = 0; axis < 6; ++axis) {
    Row row = {fmt::format("{}, {}", "XYZKMN"[axis], model::dof_names[axis]), axis < 3 ? "N" : "N m",
               cell(cluster.reach, axis)};
    if (cluster.reach_after) row.push_back(cell(*cluster.reach_after, axis));
    table.rows.push_back(std::move(row));
  }
  table.note = fmt::format("Each axis alone, with nothing on the others, by {} thrusters. Rank {} of 6",
                           cluster.merged.thrusters.size(), cluster.reach.rank);
  if (cluster.reach_after) table.note += fmt::format(", {} without what failed", cluster.reach_after->rank);
  table.note += ".";
  return table;
}

Table allocation_table(const Cluster& cluster) {
  Table table{.title = "Allocation: the wrench of one newton of each thruster",
              .columns = with_wrench_columns({"thruster"}),
              .note = "At the merged robot's origin.",
              .where = Where::page};
  for (std::size_t k = 0; k < cluster.merged.thrusters.size(); ++k)
    table.rows.push_back(with_numbers({cluster.merged.thrusters[k]},
                                      cluster.merged.allocation.col(static_cast<Eigen::Index>(k))));
  return table;
}

Table module_table(const Summary& s) {
  Table table{.title = "Modules",
              .columns = {"module", "robot", position_column("position [m]"),
                          position_column("roll pitch yaw [deg]"), "mass [kg]", "thrusters", "merged into"},
              .note = "Poses in the assembly's frame.",
              .note_where = Where::page};
  for (const Summary::Module& m : s.modules)
    table.rows.push_back(
        {m.name, m.robot, cell_of(m.position), cell_of(m.attitude_deg), m.mass, m.thrusters, m.merged_into});
  return table;
}

Table coupling_table(const Summary& s) {
  Table table{.title = "Couplings", .columns = {"coupling", "from", "to", "turn [deg]", "load"}};
  for (const Summary::Coupling& c : s.couplings)
    table.rows.push_back(
        {c.name, c.between[0], c.between[1], without_rounding(c.turn_deg),
         c.in_loop ? "in a closed loop: the least load is told" : "in a tree: motion tells its load"});
  return table;
}

void add_cluster(Document& document, const Summary& s, const Cluster& cluster, const model::Robot& robot) {
  constexpr std::size_t most_bars = 40;
  const std::size_t couplings = cluster.cases.empty() ? 0 : cluster.cases.front().loads.size();
  document.add(merged_table(cluster, robot, s.density));
  document.add(Text{.paragraphs = {fmt::format("diagonal of M, with added mass: {:.5g}",
                                               fmt::join(cluster.merged.M.diagonal(), " "))},
                    .where = Where::terminal});
  document.add(inertia_table(cluster));
  if (!cluster.merged.thrusters.empty()) {
    document.add(reach_table(cluster));
    document.add(allocation_table(cluster));
  }
  if (couplings == 0) return;
  document.add(load_table(s, cluster));
  if (couplings <= most_bars)
    for (const bool forces : {true, false}) document.add(load_bars(cluster, forces));
}

}  // namespace

template <>
Document DockedResult::report() const {
  const Summary& s = summary;
  const assembly::AssemblySpec spec = evidence ? evidence->assembly.spec() : assembly::AssemblySpec();
  const auto many = [](std::size_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  Document document{.title = s.assembly,
                    .subtitle = spec.title,
                    .footer = fmt::format("fathom {}: {}", version(), s.command)};
  document.add(Text{
      .paragraphs = {fmt::format("{}  {}", s.assembly, spec.title),
                     fmt::format("{}: {}, {}, {}", s.file, many(s.modules.size(), "module"),
                                 many(s.couplings.size(), "coupling"), many(s.clusters.size(), "cluster"))},
      .where = Where::terminal});
  document.add(figures_of(s));
  document.add(module_table(s));
  if (!s.couplings.empty()) document.add(coupling_table(s));
  Text files{.title = "Files", .where = Where::page};
  std::size_t drawn = 0;
  for (std::size_t k = 0; k < s.clusters.size(); ++k) {
    if (evidence && drawn < most_scenes && s.clusters[k].modules.size() <= most_drawn_modules) {
      document.add(internal::assembly_scene(evidence->assembly, evidence->clusters[k]));
      ++drawn;
    }
    add_cluster(document, s, s.clusters[k], robots[k]);
    files.links.push_back({robots[k].name() + ".yaml", "the merged robot, which every verb takes"});
  }
  if (drawn < s.clusters.size())
    files.paragraphs.push_back(
        fmt::format("{} of {} clusters are drawn: the first {}, none with more than {} modules.", drawn,
                    s.clusters.size(), most_scenes, most_drawn_modules));
  if (!spec.notes.empty()) files.paragraphs.push_back(spec.notes);
  document.add(std::move(files));
  return document;
}

}  // namespace fathom::task
