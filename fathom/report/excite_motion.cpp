#include "fathom/report/internal/excite_motion.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/dynamics/attainable.hpp"
#include "fathom/dynamics/thruster.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/report/robot_body.hpp"

namespace fathom::report::internal {
namespace {

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

bool same_lines(const std::vector<Series>& a, const std::vector<Series>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Series& one, const Series& other) { return one.y == other.y; });
}

/// Limits that all series share are drawn once, in grey; else each has the colour of its series.
void add_limits(std::vector<std::vector<Series>> by_series, Plot& plot) {
  const bool shared = std::all_of(by_series.begin(), by_series.end(),
                                  [&](const auto& lines) { return same_lines(lines, by_series.front()); });
  if (shared) by_series.resize(1);
  for (auto& lines : by_series)
    for (Series& line : lines) {
      if (shared) line.name = "limits";
      plot.series.push_back(std::move(line));
    }
}

std::vector<int> moving(const excite::Problem& problem, bool angles) {
  std::vector<int> chosen;
  for (const int c : problem.coordinates())
    if ((c >= 3) == angles) chosen.push_back(c);
  return chosen;
}

void add_pose(const ExcitePage& page, std::vector<Plot>& plots) {
  const excite::Grid& grid = page.assessment->grid;
  for (const int coordinate : page.problem->coordinates()) {
    const auto c = static_cast<std::size_t>(coordinate);
    const double factor = coordinate < 3 ? 1 : degrees;
    Plot plot{.title = pose_names[c],
              .y_label = std::string(excite::coordinate_names[c]),
              .y_unit = coordinate < 3 ? "m" : "deg",
              .marks = segment_marks(*page.problem)};
    plot.series.push_back({"path", times(grid), column(grid, grid.samples.pose, coordinate, factor)});
    add_limits({limit_lines(*page.problem, &Limits::pose, c, factor, "path")}, plot);
    plots.push_back(std::move(plot));
  }
}

/// Speeds or accelerations in the world: places in one plot, angles in another.
void add_derivative(const ExcitePage& page, const Eigen::ArrayXXd& columns, RangesOf level,
                    const std::string& what, const std::string& per, std::vector<Plot>& plots) {
  const excite::Grid& grid = page.assessment->grid;
  for (const bool angles : {false, true}) {
    const auto coordinates = moving(*page.problem, angles);
    if (coordinates.empty()) continue;
    const double factor = angles ? degrees : 1;
    Plot plot{.title = what + (angles ? " of the angles" : " in the world"),
              .y_label = what,
              .y_unit = (angles ? "deg" : "m") + per,
              .marks = segment_marks(*page.problem)};
    std::vector<std::vector<Series>> limits;
    for (const int coordinate : coordinates) {
      const auto c = static_cast<std::size_t>(coordinate);
      const std::string name(excite::coordinate_names[c]);
      plot.series.push_back({name, times(grid), column(grid, columns, coordinate, factor)});
      limits.push_back(limit_lines(*page.problem, level, c, factor, name));
    }
    add_limits(std::move(limits), plot);
    plots.push_back(std::move(plot));
  }
}

/// What is stated along body axes, for the free ones: the first three in one plot, the others in another.
void add_body(const ExcitePage& page, const Eigen::ArrayXXd& columns, double angle_factor,
              const std::array<const char*, 6>& names, std::array<Plot, 2> blank, std::vector<Plot>& plots) {
  const excite::Grid& grid = page.assessment->grid;
  for (const int axis : model::free_indices(page.problem->structure.dof))
    blank[axis < 3 ? 0 : 1].series.push_back({names[static_cast<std::size_t>(axis)], times(grid),
                                              column(grid, columns, axis, axis < 3 ? 1 : angle_factor)});
  for (Plot& plot : blank) {
    plot.marks = segment_marks(*page.problem);
    if (!plot.series.empty()) plots.push_back(std::move(plot));
  }
}

constexpr std::array<const char*, 6> wrench_names = {"X", "Y", "Z", "K", "M", "N"};
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

void add_wrench(const ExcitePage& page, std::vector<Plot>& plots) {
  const auto first = static_cast<std::ptrdiff_t>(plots.size());
  add_body(page, page.assessment->tau, 1, wrench_names,
           {Plot{.title = "Force that the model predicts", .y_label = "Force", .y_unit = "N"},
            Plot{.title = "Torque that the model predicts", .y_label = "Torque", .y_unit = "N m"}},
           plots);
  if (page.problem->thrusters)
    std::for_each(plots.begin() + first, plots.end(),
                  [&](Plot& plot) { add_wrench_limits(*page.problem, plot); });
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

Scene motion_scene(const ExcitePage& page) {
  const excite::Problem& problem = *page.problem;
  const excite::Grid& grid = page.assessment->grid;
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

std::vector<Plot> motion_plots(const ExcitePage& page) {
  const excite::Samples& samples = page.assessment->grid.samples;
  std::vector<Plot> plots;
  add_pose(page, plots);
  add_derivative(page, samples.rate, &Limits::rate, "Speed", "/s", plots);
  add_derivative(page, samples.acceleration, &Limits::acceleration, "Acceleration", "/s\u00b2", plots);
  add_body(page, samples.nu, degrees, {"u surge", "v sway", "w heave", "p roll", "q pitch", "r yaw"},
           {Plot{.title = "Velocity in body axes", .y_label = "Velocity", .y_unit = "m/s"},
            Plot{.title = "Turn rate in body axes", .y_label = "Turn rate", .y_unit = "deg/s"}},
           plots);
  add_wrench(page, plots);
  return plots;
}

}  // namespace fathom::report::internal
