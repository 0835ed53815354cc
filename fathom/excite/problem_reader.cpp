#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/dynamics/attainable_facets.hpp"
#include "fathom/excite/internal/problem_file.hpp"
#include "fathom/model_file/fields.hpp"

namespace fathom::excite {
namespace {

using namespace internal;
using Folders = std::vector<std::filesystem::path>;

constexpr double default_tilt = 20 * degree;           // of roll and pitch: a vehicle that rights itself
constexpr double default_turn = 2 * std::numbers::pi;  // of yaw, to each side of the start

/// Limits while they are collected.
struct KnownLimits {
  std::array<std::optional<Range>, 6> pose, rate, acceleration;
};

model::Structure structure_of(const StatedStructure& stated, const model::Robot& robot, Findings& findings) {
  if (!stated.name.empty()) return model::structure_by_name(stated.name);
  model::StructureOptions options;
  options.symmetry = model::inertia_symmetry(robot);
  options.dof = stated.dof, options.inertia = stated.inertia, options.linear = stated.linear;
  options.quadratic_diagonal = stated.quadratic == StatedStructure::Quadratic::diagonal;
  for (std::size_t k = 0; k < stated.cross.size(); ++k) {
    const std::string &name = stated.cross[k], key = fmt::format("structure.cross[{}]", k);
    const model::Term term = *model::term_by_name(name);
    for (const int index : {term.row, term.column, term.speed})
      if (!model::is_free(options.dof, index)) {
        add_error(findings, key,
                  fmt::format("= {} touches {}, which {} degrees of freedom hold at 0", name,
                              model::velocity_name(index), static_cast<int>(options.dof)),
                  "dof: 6");
        break;
      }
    if (options.quadratic_diagonal && term.row == term.column && term.row == term.speed)
      add_error(findings, key, fmt::format("= {} is on the diagonal, which is there already", name),
                "quadratic: none");
    if (std::find(stated.cross.begin(), stated.cross.end(), name) !=
        stated.cross.begin() + static_cast<long>(k))
      add_error(findings, key, "stands here twice");
    options.quadratic_cross.push_back({term.row, term.column, term.speed});
  }
  if (!findings.empty()) return {};
  return model::make_structure(fmt::format("{}-dof", static_cast<int>(options.dof)), options);
}

/// From the origin to the farthest part of the hull, whatever the heading, and whatever roll and pitch where
/// they are free: the hull is a box about its centre of buoyancy, as for simulate/contact.hpp.
Vec3 reach_of(const model::Hull& hull, const model::Structure& structure) {
  if (!hull.size) return Vec3::Zero();
  const Vec3 farthest = hull.centre_of_buoyancy.value.cwiseAbs() + hull.size->value / 2;
  if (!is_held(structure, 3) || !is_held(structure, 4)) return Vec3::Constant(farthest.norm());
  const double across = farthest.head<2>().norm();
  return {across, across, farthest.z()};
}

Tank tank_of(const StatedTank& stated, const Problem& problem, Findings& findings) {
  const Vec3 clearance = stated.clearance.value_or(reach_of(problem.robot.hull(), problem.structure));
  const Tank tank{{stated.min, stated.max}, {stated.min + clearance, stated.max - clearance}};
  model::check_tank("tank", stated.min, stated.max, findings);
  for (Eigen::Index k = 0; k < 3 && findings.empty(); ++k)
    if (!(tank.room_n[0][k] < tank.room_n[1][k]))
      add_error(
          findings, "tank",
          fmt::format("is {:g} m {}, which leaves no room with {:.3g} m of clearance on both sides",
                      stated.max[k] - stated.min[k], std::array{"long", "wide", "deep"}[std::size_t(k)],
                      clearance[k]),
          stated.clearance ? "less clearance" : "state a clearance, between the body's origin and the walls");
  return tank;
}

Vec6 pose_of(const StatedPose& stated, const std::string& key, const model::Structure& structure,
             Findings& findings) {
  Vec6 pose;
  pose << stated.position, stated.attitude.value_or(Vec3(0, 0, stated.yaw.value_or(0)));
  if (stated.attitude && stated.yaw)
    add_error(findings, key + ".yaw", "stands beside the attitude", "keep one of them");
  if (pose.tail<3>().cwiseAbs().maxCoeff() > 1e4)
    add_error(findings, key, "turns by more than 10000 rad", "rad or degrees?");
  for (Eigen::Index k = 3; k < 5; ++k)
    if (is_held(structure, std::size_t(k)) && pose[k] != 0)
      add_error(findings, key, fmt::format("has a {}", coordinate_names[std::size_t(k)]), held_hint(structure));
  return pose;
}

/// Segments with their durations and limits.
class Segments {
 public:
  Segments(const ProblemFile& file, const Problem& problem, const std::optional<Tank>& tank, Findings& findings)
      : file_(file), problem_(problem), tank_(tank), findings_(findings), stated_(file.segments) {
    if (stated_.empty()) stated_ = {{.name = "whole"}};
    for (std::size_t k = 0; k < stated_.size(); ++k) {
      if (stated_[k].name.empty()) stated_[k].name = fmt::format("segment-{}", k + 1);
      const std::string& name = stated_[k].name;
      if (std::any_of(stated_.begin(), stated_.begin() + static_cast<long>(k),
                      [&](const StatedSegment& other) { return other.name == name; }))
        add_error(findings, fmt::format("segments[{}]", k),
                  fmt::format("has the name {} of an earlier segment", in_quotes(name)),
                  "give each its own 'name: ...'");
    }
  }

  std::vector<Segment> with_duration(std::optional<double> instead) {
    std::vector<Segment> segments;
    KnownLimits common;
    for (std::size_t k = 0; k < 3; ++k)
      if (tank_ && is_free(k)) common.pose[k] = room(k);
    state(file_.limits, "limits", "", common);
    bool is_complete = true;  // the others most likely lack the same
    for (std::size_t k = 0; k < stated_.size(); ++k) {
      KnownLimits bounds = common;
      state(stated_[k].limits, fmt::format("segments[{}].limits", k),
            fmt::format(" of segment {}", in_quotes(stated_[k].name)), bounds);
      is_complete = is_complete && check_complete(stated_[k].name, bounds);
      segments.push_back({stated_[k].name, 0, limits_of(bounds)});
    }
    share_out(instead, segments);
    return segments;
  }

 private:
  bool is_free(std::size_t k) const { return !is_held(problem_.structure, k); }
  Range room(std::size_t k) const {
    return {tank_->room_n[0][static_cast<Eigen::Index>(k)], tank_->room_n[1][static_cast<Eigen::Index>(k)]};
  }

  /// Replaces the bounds that the file states at `key`.
  void state(const StatedLimits& stated, const std::string& key, const std::string& whose,
             KnownLimits& bounds) {
    const auto take = [&](const std::optional<StatedRange>& from, const std::string& place, std::size_t k,
                          std::optional<Range>& to) {
      if (!from || (!is_free(k) && !from->is_own)) return;
      if (is_free(k))
        to = from->range;
      else
        add_error(findings_, place, fmt::format("bounds {}, which stays as it is", coordinate_names[k]),
                  held_hint(problem_.structure));
    };
    for (std::size_t k = 0; k < 6; ++k) {
      const std::string_view name = coordinate_names[k], turn = k < 3 ? "" : "turn_";
      take(stated.pose[k], fmt::format("{}.{}", key, name), k, bounds.pose[k]);
      take(stated.rate[k], fmt::format("{}.{}.{}", key, k < 3 ? "speed" : "turn_rate", name), k,
           bounds.rate[k]);
      take(stated.acceleration[k], fmt::format("{}.{}acceleration.{}", key, turn, name), k,
           bounds.acceleration[k]);
      if (k < 3 && tank_ && stated.pose[k] && is_free(k))
        cut(fmt::format("{}.{}", key, name), whose, k, *bounds.pose[k]);
    }
  }

  /// Cuts a range to the tank.
  void cut(const std::string& key, const std::string& whose, std::size_t k, Range& range) {
    const Range tank = room(k), common{std::max(range.min, tank.min), std::min(range.max, tank.max)};
    if (common.min < common.max)
      range = common;
    else
      add_error(
          findings_, key,
          fmt::format("= [{:g}, {:g}] m{} lies {:.3g} m outside the tank, where {} of the body's origin is "
                      "{:.4g} to {:.4g} m",
                      range.min, range.max, whose, common.min - common.max, coordinate_names[k], tank.min,
                      tank.max),
          "the tank less its clearance");
  }

  bool check_complete(const std::string& name, const KnownLimits& bounds) {
    std::vector<std::string> missing;
    for (std::size_t k = 0; k < 3; ++k)
      if (is_free(k) && !bounds.pose[k]) missing.emplace_back(coordinate_names[k]);
    const auto look = [&](const auto& table, std::string_view of_places, std::string_view of_angles) {
      for (std::size_t k = 0; k < 6; ++k)
        if (is_free(k) && !table[k])
          missing.push_back(fmt::format("{} of {}", k < 3 ? of_places : of_angles, coordinate_names[k]));
    };
    look(bounds.rate, "speed", "turn_rate");
    look(bounds.acceleration, "acceleration", "turn_acceleration");
    if (!missing.empty())
      add_error(findings_, "",
                fmt::format("segment {} has no limits on {}", in_quotes(name), join(missing, ", ")),
                "such as limits: {z: [0.4, 1.2], speed: 0.3, turn_rate: 0.5, acceleration: 0.2, "
                "turn_acceleration: 0.3}; a tank bounds x, y and z too");
    return missing.empty();
  }

  Limits limits_of(const KnownLimits& bounds) const {
    Limits limits;
    if (is_free(3)) limits.pose[3] = limits.pose[4] = {-default_tilt, default_tilt};
    limits.pose[5] = {problem_.start[5] - default_turn, problem_.start[5] + default_turn};
    for (std::size_t k = 0; k < 6; ++k) {
      limits.pose[k] = bounds.pose[k].value_or(limits.pose[k]);
      limits.rate[k] = bounds.rate[k].value_or(limits.rate[k]);
      limits.acceleration[k] = bounds.acceleration[k].value_or(limits.acceleration[k]);
    }
    return limits;
  }

  /// Sets every segment's duration.
  void share_out(std::optional<double> instead, std::vector<Segment>& segments) {
    double fixed = 0, shares = 0;
    for (const StatedSegment& segment : stated_)
      segment.duration ? fixed += * segment.duration : shares += segment.share;
    const bool is_shared = shares > 0;
    const std::optional<double> total = file_.duration ? file_.duration : is_shared ? instead : fixed;
    if (!total)
      return add_error(findings_, "", "the key duration is missing",
                       "s, of the whole path; or one for every segment");
    if (is_shared && !(*total - fixed > 0))
      return add_error(
          findings_, "segments",
          fmt::format("state {:g} s, which leaves nothing of {:g} s for the others", fixed, *total),
          "a longer duration, or shares");
    if (!is_shared && std::abs(*total - fixed) > 1e-9 * fixed)
      return add_error(findings_, "duration", fmt::format("= {} s, but its segments state {} s", *total, fixed),
                       "leave it out");
    const double scale = instead ? *instead / (is_shared ? *total : fixed) : 1;
    for (std::size_t k = 0; k < segments.size(); ++k)
      segments[k].duration = stated_[k].duration.value_or((*total - fixed) * stated_[k].share / shares) * scale;
  }

  const ProblemFile& file_;
  const Problem& problem_;
  const std::optional<Tank>& tank_;
  Findings& findings_;
  std::vector<StatedSegment> stated_;
};

std::vector<Prior> priors_of(const ProblemFile& file, const model::Structure& structure, Findings& findings) {
  std::vector<std::string> terms;
  for (const model::Term& term : structure.terms) terms.push_back(model::name_of(term));
  const std::vector<std::string_view> known(terms.begin(), terms.end());
  std::vector<Prior> priors;
  for (const auto& [name, sigma] : file.priors) {
    if (std::find(terms.begin(), terms.end(), name) == terms.end())
      add_error(findings, "priors",
                fmt::format("names {}, which is no parameter of {}", in_quotes(name), structure.name),
                did_you_mean(name, known, fmt::format("it has {}", join(terms, ", "))));
    priors.push_back({name, sigma});
  }
  return priors;
}

void check_thrusters(const model::Robot& robot, Findings& findings) {
  const std::size_t count = robot.thrusters().size();
  constexpr std::size_t most = dynamics::AttainableFacets::max_thrusters;
  if (count > 0 && count <= most) return;
  add_error(findings, "thrusters",
            fmt::format("limits what the thrusters give, but {} has {}", robot.name(),
                        count == 0 ? "none" : fmt::format("{}, at most {}", count, most)),
            count == 0 ? "leave it out" : "");
}

}  // namespace

Problem parse_problem(const std::string& text, const std::string& file, const Folders& robot_folders,
                      std::optional<double> duration) {
  check_duration(duration);
  yaml::Reading reading(file);
  ProblemFile stated;
  read_problem_keys(yaml::Field(problem_document(text, file), "", reading),
                    fields::Table<ProblemFile>::fields(), &stated);
  std::string robot_file;
  auto robot = stated.robot.field
                   ? model::read_named_robot(*stated.robot.field, std::filesystem::path(file).parent_path(),
                                             robot_folders, &robot_file)
                   : std::nullopt;
  throw_errors(reading);
  Findings findings;
  Problem problem{stated.name, stated.title, file, *std::move(robot), robot_file};
  problem.environment = model::Environment(stated.environment.density, stated.environment.gravity);
  problem.sampling = stated.sampling;
  problem.shape = stated.shape;
  problem.criterion = stated.criterion;
  problem.noise = stated.noise;
  problem.thrusters = stated.thrusters;
  problem.thruster_errors = stated.thruster_errors;
  problem.view = stated.view;
  problem.tether = stated.tether;
  problem.starts = stated.starts;
  problem.lines = reading.lines();
  problem.structure = structure_of(stated.structure, problem.robot, findings);
  throw_errors(reading, findings);

  if (problem.thrusters) check_thrusters(problem.robot, findings);
  problem.priors = priors_of(stated, problem.structure, findings);
  problem.start = problem.end = pose_of(stated.start, "start", problem.structure, findings);
  if (stated.end) problem.end = pose_of(*stated.end, "end", problem.structure, findings);
  std::optional<Tank> tank;
  if (stated.tank) tank = tank_of(*stated.tank, problem, findings);
  throw_errors(reading, findings);
  if (tank) problem.tank_n = Box{tank->walls_n[0], tank->walls_n[1]};
  problem.segments = Segments(stated, problem, tank, findings).with_duration(duration);
  throw_errors(reading, findings);
  check_path(problem, tank, stated.end.has_value(), findings);
  throw_errors(reading, findings);
  check_sampling(problem, findings);
  throw_errors(reading, findings);
  check_shape(problem, findings);
  throw_errors(reading, findings);
  return problem;
}

Problem read_problem(const std::filesystem::path& path, const Folders& robot_folders,
                     std::optional<double> duration) {
  return parse_problem(read_file(path, largest_problem_file), path.string(), robot_folders, duration);
}

}  // namespace fathom::excite
