#include <array>
#include <cmath>

#include "fathom/base/constants.hpp"
#include "fathom/excite/reading.hpp"
#include "fathom/log/csv_writer.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/task/excite/internal/excite.hpp"
#include "fathom/trajectory/trajectory_file.hpp"

namespace fathom::task {
namespace {

using Vehicle = ExciteResult::Vehicle;

/// A criterion's value as people read it: "error 10.6 %", "condition number 42".
std::string vehicle_in_words(const excite::Problem& problem, double criterion) {
  const double value =
      excite::reading_of(problem.criterion, criterion, static_cast<Eigen::Index>(problem.structure.size()))
          .value;
  switch (problem.criterion) {
    case excite::Criterion::a_optimal: return fmt::format("error {:.3g} %", value);
    case excite::Criterion::d_optimal: return fmt::format("error {:.3g} % (geometric mean)", value);
    case excite::Criterion::condition: return fmt::format("condition number {:.4g}", value);
  }
  return "";
}

/// What to try where sinusoids do better than the design by its own criterion; nothing where they are spared
/// limits that the design keeps. D-optimal designs are not judged: an ExpectedAccuracy has no volume.
std::string advice_of(const excite::Problem& problem, const excite::Assessment& assessment) {
  if (!assessment.sinusoids || problem.thrusters || problem.view || problem.tether) return "";
  const excite::ExpectedAccuracy &own = assessment.accuracy, &other = *assessment.sinusoids;
  std::string than;
  if (problem.criterion == excite::Criterion::a_optimal && other.error < own.error)
    than = fmt::format("error {:.3g} %, not {:.3g} %", 100 * other.error, 100 * own.error);
  if (problem.criterion == excite::Criterion::condition && other.condition < own.condition)
    than = fmt::format("condition number {:.4g}, not {:.4g}", other.condition, own.condition);
  if (than.empty()) return "";
  const bool spline = problem.shape.kind == excite::Shape::Kind::spline;
  return fmt::format("plain sinusoids are better than this design: {} (try {}, or more starts)", than,
                     spline ? "a shorter shape.interval" : "a higher shape.degree, more shape.parts");
}

ExciteSummary::Shape shape_of(const excite::Shape& shape) {
  if (shape.kind == excite::Shape::Kind::spline) return {.kind = "spline", .interval_s = shape.interval};
  return {.kind = "bezier", .degree = shape.degree, .parts = shape.parts};
}

void describe(const excite::Problem& problem, ExciteSummary::Problem& p) {
  p.robot = problem.robot.name(), p.robot_file = problem.robot_file, p.structure = problem.structure.name;
  p.parameters = problem.structure.size(), p.duration_s = problem.duration();
  p.segments.emplace();
  for (const excite::Segment& segment : problem.segments)
    p.segments->push_back({segment.name, segment.duration});
  p.thruster_errors = problem.thruster_errors && !problem.robot.thrusters().empty();
  p.sampling_s = problem.sampling, p.shape = shape_of(problem.shape);
}

std::vector<ExciteSummary::Parameter> parameters_of(const Vehicle& of) {
  const excite::Problem& problem = of.problem;
  const auto now = model::parameters_of(problem.robot, problem.environment, problem.structure).parameters;
  const excite::Prediction& prediction = of.assessment.prediction;
  std::vector<ExciteSummary::Parameter> list;
  for (std::size_t k = 0; k < now.size(); ++k)
    list.push_back({now[k].name, now[k].unit, now[k].value, prediction.parameters[k].value,
                    prediction.parameters.sigma(k), prediction.scale[static_cast<Eigen::Index>(k)],
                    prediction.relative(k)});
  return list;
}

ExciteSummary::Baseline baseline_of(const excite::ExpectedAccuracy& accuracy) {
  return {accuracy.error, accuracy.condition, {accuracy.sigma.begin(), accuracy.sigma.end()}};
}

log::ChannelInfo samples_info(const excite::Problem& problem) {
  log::ChannelInfo info;
  info.name = "samples";
  const auto add = [&](const auto& names, const std::string& after, std::string_view place_unit,
                       std::string_view angle_unit) {
    for (std::size_t k = 0; k < 6; ++k)
      info.columns.push_back(
          {fmt::format("{}{}", names[k], after), std::string(k < 3 ? place_unit : angle_unit)});
  };
  static constexpr std::array<std::string_view, 6> wrench = {"X", "Y", "Z", "K", "M", "N"};
  add(excite::coordinate_names, "", "m", "rad");
  add(excite::coordinate_names, "_rate", "m/s", "rad/s");
  add(excite::coordinate_names, "_acceleration", "m/s^2", "rad/s^2");
  add(model::velocity_names, "", "m/s", "rad/s");
  add(model::velocity_names, "_dot", "m/s^2", "rad/s^2");
  add(wrench, "", "N", "N m");
  info.about = fmt::format(
      "excitation path of problem {} for robot {}\nx to yaw with rates and accelerations in n; u to r and "
      "their derivatives in b; X to N, in b: the wrench that the robot file predicts",
      problem.name, problem.robot.name());
  return info;
}

std::string samples_csv(const excite::Problem& problem, const excite::Assessment& assessment) {
  const excite::Grid& grid = assessment.grid;
  log::Channel channel;
  channel.info = samples_info(problem);
  std::vector<double> row;
  for (Eigen::Index k = 0; k < grid.t.size(); ++k) {
    if (grid.mask[k] == 0) continue;
    row.clear();
    for (const Eigen::ArrayXXd* columns : {&grid.samples.pose, &grid.samples.rate, &grid.samples.acceleration,
                                           &grid.samples.nu, &grid.samples.nu_dot, &assessment.tau})
      for (Eigen::Index i = 0; i < 6; ++i) row.push_back((*columns)(k, i));
    channel.append(grid.t[k], row);
  }
  return log::channel_to_csv(channel);
}

/// A tenth of a millimetre or of a millidegree is finer than any autopilot; + 0.0 takes the sign off zero.
std::string plain(double value) { return fmt::format("{:.4f}", std::round(value * 1e4) / 1e4 + 0.0); }

/// For autopilots, which want numbers and no comments.
std::string waypoints_csv(const trajectory::Bezier& path, double interval) {
  std::string text = "t,north,east,down,roll_deg,pitch_deg,yaw_deg,heading_deg,speed\n";
  const double duration = path.end() - path.begin();
  const auto count = static_cast<long>(std::ceil(duration / interval * (1 - 1e-12)));
  for (long k = 0; k <= count; ++k) {
    const double t = k == count ? path.end() : path.begin() + interval * static_cast<double>(k);
    const auto sample = path.at(t);
    const double yaw = sample.value[5] * degrees;
    double heading = std::fmod(std::fmod(yaw, 360) + 360, 360);
    if (std::round(heading * 1e4) >= 360e4) heading = 0;
    text += plain(t);
    for (const double value : {sample.value[0], sample.value[1], sample.value[2], sample.value[3] * degrees,
                               sample.value[4] * degrees, yaw, heading, sample.rate.head<3>().norm()})
      text += "," + plain(value);
    text += "\n";
  }
  return text;
}

}  // namespace

std::vector<ResultFile> internal::vehicle_files(const ExciteResult::Vehicle& of) {
  const trajectory::Bezier& path = of.design.path;
  const trajectory::TrajectoryOrigin origin{of.problem.name, of.problem.robot.name()};
  std::vector<ResultFile> files = {{"trajectory.yaml", trajectory::trajectory_to_yaml(path, origin)},
                                   {"samples.csv", samples_csv(of.problem, of.assessment)},
                                   {"waypoints.csv", waypoints_csv(path, of.waypoint_interval)}};
  if (of.assessment.multisine_path)
    files.push_back({"multisine.yaml", trajectory::trajectory_to_yaml(*of.assessment.multisine_path, origin)});
  return files;
}

ExciteResult internal::result_of(ExciteResult::Vehicle evidence, const ExciteOptions& options, long unknowns) {
  const auto& [problem, design, assessment, interval] = evidence;
  const excite::ExpectedAccuracy& accuracy = assessment.accuracy;
  ExciteSummary s = common_summary(problem, design, options);
  describe(problem, s.problem);
  s.problem.samples = static_cast<long>(assessment.grid.mask.sum()), s.problem.unknowns = unknowns;
  s.criterion = design.certificate.f, s.criterion_in_words = vehicle_in_words(problem, s.criterion);
  s.error_rms = accuracy.error, s.condition_number = accuracy.condition;
  s.condition_floor = ExciteSummary::Floor{accuracy.floor, accuracy.floor_high, accuracy.floor_low};
  s.parameters = parameters_of(evidence);
  s.baselines = ExciteSummary::Baselines{{}, {}, baseline_of(assessment.random)};
  if (assessment.multisine) s.baselines->multisine = baseline_of(*assessment.multisine);
  if (assessment.sinusoids) s.baselines->sinusoids = baseline_of(*assessment.sinusoids);
  if (!assessment.no_sinusoids.empty())
    s.notes.push_back("no sinusoids to compare with: " + assessment.no_sinusoids);
  s.certificate.reason = design.certificate.reason;
  s.certificate.evaluations = design.certificate.evaluations;
  s.inside_limits = assessment.is_inside(), s.best_start = design.best;
  for (const excite::Margin& m : assessment.margins)
    s.margins.push_back({.limit = m.limit,
                         .unit = m.unit,
                         .nearest = m.worst,
                         .bound = m.bound,
                         .margin = m.margin,
                         .t_s = m.t});
  for (std::size_t k = 0; k < s.starts.size(); ++k) s.starts[k].first = design.starts[k].first;
  return {{std::move(s)}, std::move(evidence)};
}

ExciteResult internal::excite_vehicle(const excite::Problem& problem, const ExciteOptions& options,
                                      WorkerPool& pool, const Context& context) {
  check(options, problem);
  const excite::Designer designer(problem);
  throw_if(context.stop);
  excite::DesignOptions how;
  prepare_search(how, problem.name, problem.starts, options, context,
                 [&](double criterion) { return vehicle_in_words(problem, criterion); });
  excite::Design best = designer.design(pool, how);
  if (best.starts.empty()) throw Interrupted();
  excite::Assessment assessment = excite::assess(designer, best, options.seed);
  if (const std::string advice = advice_of(problem, assessment); !advice.empty()) best.notes.push_back(advice);
  return result_of({problem, std::move(best), std::move(assessment), options.waypoint_interval.value_or(1)},
                   options, designer.bounds().program.unknowns());
}

}  // namespace fathom::task
