#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/dynamics/attainable.hpp"
#include "fathom/dynamics/thruster.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/report/robot_body.hpp"
#include "fathom/task/excite/internal/excite.hpp"

namespace fathom::task::internal {
namespace {

using namespace report;
using excite::Limits;
using excite::Range;

constexpr double at_once = 1e-3;  // s: a plot has one value per time, so a step of a limit takes a moment
constexpr std::array<const char*, 6> pose_names = {"North (x)", "East (y)", "Depth (z)",
                                                   "Roll",      "Pitch",    "Yaw"};

using RangesOf = std::array<Range, 6> Limits::*;

Eigen::Index sample_count(const excite::Grid& grid) { return static_cast<Eigen::Index>(grid.mask.sum()); }

std::vector<double> times(const excite::Grid& grid) {
  return {grid.t.data(), grid.t.data() + sample_count(grid)};
}

std::vector<double> column(const excite::Grid& grid, const Eigen::ArrayXXd& columns, Eigen::Index c,
                           double factor) {
  std::vector<double> y(static_cast<std::size_t>(sample_count(grid)));
  for (std::size_t k = 0; k < y.size(); ++k) y[k] = factor * columns(static_cast<Eigen::Index>(k), c);
  return y;
}

/// Where the segments begin, if there are several.
std::vector<Mark> segment_marks(const excite::Problem& problem) {
  std::vector<Mark> marks;
  if (problem.segments.size() < 2) return marks;
  double begin = 0;
  for (std::size_t k = 0; k < problem.segments.size(); ++k) {
    const std::string& name = problem.segments[k].name;
    marks.push_back({begin, name.empty() ? fmt::format("segment {}", k + 1) : name});
    begin += problem.segments[k].duration;
  }
  return marks;
}

/// The least and the most of a coordinate over the segments; nothing where no segment has a limit.
std::vector<Series> limit_lines(const excite::Problem& problem, RangesOf level, std::size_t coordinate,
                                double factor, const std::string& name) {
  Series least{.name = name, .style = Series::Style::limit}, most = least;
  double begin = 0;
  for (const excite::Segment& segment : problem.segments) {
    const Range& range = (segment.limits.*level)[coordinate];
    for (const double t : {begin == 0 ? 0 : begin + at_once, begin + segment.duration}) {
      least.t.push_back(t);
      least.y.push_back(factor * range.min);
      most.t.push_back(t);
      most.y.push_back(factor * range.max);
    }
    begin += segment.duration;
  }
  std::vector<Series> lines;
  for (Series* line : {&least, &most})
    if (std::any_of(line->y.begin(), line->y.end(), [](double y) { return std::isfinite(y); }))
      lines.push_back(std::move(*line));
  return lines;
}

/// Limits that all series share are drawn once, in grey; else each has the colour of its series.
void add_limits(std::vector<std::vector<Series>> by_series, Plot& plot) {
  const bool shared = std::all_of(by_series.begin(), by_series.end(), [&](const auto& lines) {
    return std::equal(lines.begin(), lines.end(), by_series.front().begin(), by_series.front().end(),
                      [](const Series& one, const Series& other) { return one.y == other.y; });
  });
  if (shared) by_series.resize(1);
  for (auto& lines : by_series)
    for (Series& line : lines) {
      if (shared) line.name = "limits";
      plot.series.push_back(std::move(line));
    }
}

using Names = std::array<std::string_view, 6>;
constexpr Names wrench_names = {"X", "Y", "Z", "K", "M", "N"};

/// Adds a plot of the columns `which` over time, with their limits where `level` says which; angles in degrees
/// where that is its unit. Adds none of no columns.
void add_plot(const excite::Problem& problem, const excite::Grid& grid, const Eigen::ArrayXXd& columns,
              const std::vector<int>& which, const Names& names, RangesOf level, Plot plot,
              std::vector<Plot>& plots) {
  if (which.empty()) return;
  const double factor = plot.y_unit.starts_with("deg") ? degrees : 1;
  std::vector<std::vector<Series>> limits;
  for (const int coordinate : which) {
    const auto c = static_cast<std::size_t>(coordinate);
    const std::string name(names[c]);
    plot.series.push_back({name, times(grid), column(grid, columns, coordinate, factor)});
    if (level) limits.push_back(limit_lines(problem, level, c, factor, name));
  }
  add_limits(std::move(limits), plot);
  plot.marks = segment_marks(problem);
  plots.push_back(std::move(plot));
}

/// Those of places, or of angles.
std::vector<int> half_of(const std::vector<int>& coordinates, bool angles) {
  std::vector<int> half;
  for (const int c : coordinates)
    if ((c >= 3) == angles) half.push_back(c);
  return half;
}

constexpr double worth_a_line = 0.2;  // of the limit: below, the line would only flatten the curve

/// The most that the thrusters' share gives along each axis, whatever the others get: as lines, or in words
/// where all axes stay far from it.
void add_wrench_limits(const excite::Problem& problem, Plot& plot) {
  std::vector<model::ForceRange> forces;
  for (const model::Thruster& thruster : problem.robot.thrusters()) {
    const auto range = dynamics::ThrusterModel(thruster, problem.environment.density()).force_range();
    forces.push_back({problem.thrusters->share * range.min, problem.thrusters->share * range.max});
  }
  const dynamics::AttainableWrench attainable(model::allocation_matrix(problem.robot), forces);
  const std::size_t axes = plot.series.size();
  std::vector<Series> lines;
  bool is_near = false;
  for (const Series& series : plot.series) {
    const auto axis = std::find(wrench_names.begin(), wrench_names.end(), series.name) - wrench_names.begin();
    const double most = attainable.support(Vec6::Unit(axis)), least = -attainable.support(-Vec6::Unit(axis));
    const auto [low, high] = std::minmax_element(series.y.begin(), series.y.end());
    is_near = is_near || *low < worth_a_line * least || *high > worth_a_line * most;
    for (const double bound : {least, most})
      lines.push_back({series.name, {0, problem.duration()}, {bound, bound}, Series::Style::limit});
  }
  if (is_near) plot.series.insert(plot.series.end(), lines.begin(), lines.end());
  for (std::size_t k = 0; k < axes && !is_near; ++k)
    plot.series[k].name +=
        fmt::format(" (limits \u2212{:.3g} to {:.3g})", -lines[2 * k].y[0], lines[2 * k + 1].y[0]);
}

/// The edges of a box in one stroke.
std::vector<Vec3> edges(const Vec3& a, const Vec3& b) {
  const auto corner = [&](int x, int y, int z) {
    return Vec3(x ? b.x() : a.x(), y ? b.y() : a.y(), z ? b.z() : a.z());
  };
  return {corner(0, 0, 0), corner(1, 0, 0), corner(1, 1, 0), corner(0, 1, 0), corner(0, 0, 0), corner(0, 0, 1),
          corner(1, 0, 1), corner(1, 0, 0), corner(1, 0, 1), corner(1, 1, 1), corner(1, 1, 0), corner(1, 1, 1),
          corner(0, 1, 1), corner(0, 1, 0), corner(0, 1, 1), corner(0, 0, 1)};
}

/// The limits of the position, where finite, over all segments.
std::optional<Box> position_box(const excite::Problem& problem) {
  Box box{Vec3::Constant(INFINITY), Vec3::Constant(-INFINITY)};
  for (const excite::Segment& segment : problem.segments)
    for (std::size_t c = 0; c < 3; ++c) {
      const auto i = static_cast<Eigen::Index>(c);
      box.min[i] = std::min(box.min[i], segment.limits.pose[c].min);
      box.max[i] = std::max(box.max[i], segment.limits.pose[c].max);
    }
  if (!box.min.allFinite() || !box.max.allFinite()) return {};
  return box;
}

}  // namespace

Scene motion_scene(const excite::Problem& problem, const excite::Grid& grid) {
  Scene scene{.title = "Motion"};
  Body body = robot_body(problem.robot.name(), problem.robot);
  body.t = times(grid);
  for (Eigen::Index k = 0; k < sample_count(grid); ++k) {
    const Vec6 pose = grid.samples.pose.row(k).transpose();
    body.p_n.push_back(pose.head<3>());
    body.q_nb.push_back(quaternion_from_euler(pose.tail<3>()));
  }
  scene.bodies.push_back(std::move(body));
  if (const auto box = position_box(problem))
    scene.paths.push_back({"limits of the position", edges(box->min, box->max)});
  if (problem.view) {
    Path3 area{.name = "area in view", .points_n = problem.view->area_n, .dashed = false};
    area.points_n.push_back(area.points_n.front());
    scene.paths.push_back(std::move(area));
  }
  scene.tank_n = problem.tank_n;
  return scene;
}

std::vector<Plot> motion_plots(const excite::Problem& problem, const excite::Assessment& assessment) {
  const excite::Grid& grid = assessment.grid;
  const std::vector<int> moving = problem.coordinates();
  const auto free_of_dof = model::free_indices(problem.structure.dof);
  const std::vector<int> free(free_of_dof.begin(), free_of_dof.end());
  std::vector<Plot> plots;
  Names path;
  path.fill("path");
  for (const int c : moving)
    add_plot(problem, grid, grid.samples.pose, {c}, path, &Limits::pose,
             {.title = pose_names[static_cast<std::size_t>(c)],
              .y_label = std::string(excite::coordinate_names[static_cast<std::size_t>(c)]),
              .y_unit = c < 3 ? "m" : "deg"},
             plots);
  const auto add = [&](const Eigen::ArrayXXd& columns, const std::vector<int>& all, const Names& names,
                       RangesOf level, const std::array<Plot, 2>& blank) {
    for (const bool angles : {false, true})
      add_plot(problem, grid, columns, half_of(all, angles), names, level, blank[angles], plots);
  };
  const auto in_world = [&](const Eigen::ArrayXXd& columns, RangesOf level, const std::string& what,
                            const std::string& per) {
    add(columns, moving, excite::coordinate_names, level,
        {Plot{.title = what + " in the world", .y_label = what, .y_unit = "m" + per},
         Plot{.title = what + " of the angles", .y_label = what, .y_unit = "deg" + per}});
  };
  in_world(grid.samples.rate, &Limits::rate, "Speed", "/s");
  in_world(grid.samples.acceleration, &Limits::acceleration, "Acceleration", "/s\u00b2");
  add(grid.samples.nu, free, {"u surge", "v sway", "w heave", "p roll", "q pitch", "r yaw"}, nullptr,
      {Plot{.title = "Velocity in body axes", .y_label = "Velocity", .y_unit = "m/s"},
       Plot{.title = "Turn rate in body axes", .y_label = "Turn rate", .y_unit = "deg/s"}});
  const auto first = static_cast<std::ptrdiff_t>(plots.size());
  add(assessment.tau, free, wrench_names, nullptr,
      {Plot{.title = "Force that the model predicts", .y_label = "Force", .y_unit = "N"},
       Plot{.title = "Torque that the model predicts", .y_label = "Torque", .y_unit = "N m"}});
  if (problem.thrusters)
    std::for_each(plots.begin() + first, plots.end(), [&](Plot& plot) { add_wrench_limits(problem, plot); });
  return plots;
}

}  // namespace fathom::task::internal
