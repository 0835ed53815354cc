#include "fathom/task/excite/excite.hpp"

#include <array>
#include <cmath>

#include "fathom/base/file.hpp"
#include "fathom/task/excite/internal/excite.hpp"
#include "fathom/task/internal/json.hpp"
#include "fathom/task/internal/option_table.hpp"

namespace fathom {

template <>
const fields::Keys& fields::Table<task::ExciteOptions>::fields() {
  using task::ExciteOptions;
  static const Keys keys{
      field<&ExciteOptions::problem>("problem")
          .positional()
          .required()
          .metavar("NAME|FILE")
          .doc("Problem that ships (tank-defender, an arm's reach-alpha-5, ...), or path of a problem file."),
      field<&ExciteOptions::duration>("duration")
          .unit("s")
          .above(0)
          .metavar("S")
          .by_default("the problem's")
          .doc("Duration; the segments keep their shares; of an arm: duration of a period."),
      field<&ExciteOptions::criterion>("criterion")
          .words({"a-optimal", "d-optimal", "condition"})
          .by_default("the problem's")
          .doc("Criterion of the search."),
      field<&ExciteOptions::starts>("starts")
          .between(1, 100000)
          .metavar("INT")
          .by_default("the problem's")
          .doc("Random starts; the best result is kept."),
      field<&ExciteOptions::waypoint_interval>("waypoint_interval")
          .unit("s")
          .above(0)
          .metavar("S")
          .by_default("1")
          .doc("Time between a vehicle's way-points."),
      field<&ExciteOptions::rate>("rate").unit("Hz").metavar("HZ").by_default("100").doc(
          "Rows per second of an arm's trajectory.csv."),
      field<&ExciteOptions::periods>("periods").between(1, 1000).metavar("INT").by_default("1").doc(
          "Periods of an arm's motion in trajectory.csv, from rest to rest.")};
  return keys;
}

}  // namespace fathom

namespace fathom::task {
namespace {

constexpr double least_interval = 0.01;  // s; no autopilot wants way-points closer than that
constexpr double most_waypoints = 1e6, most_rows = 1e6;
constexpr std::array criteria = {excite::Criterion::a_optimal, excite::Criterion::d_optimal,
                                 excite::Criterion::condition};

std::string certificate_text(const ExciteSummary& s) {
  const ExciteSummary::Certificate& c = s.certificate;
  const std::string reason = c.reason.value_or("");
  return fmt::format(
      "{}{}{} after {} iterations of start {}: stationarity {:.2g}, complementarity {:.2g}, margin {:.2g}",
      c.status, reason.empty() ? "" : ": ", reason, c.iterations, s.best_start, c.stationarity,
      c.complementarity, c.margin);
}

/// Throws InputError unless the keys of a vehicle, or those of an arm, are all there.
void check_complete(const ExciteSummary& s) {
  const ExciteSummary::Problem& p = s.problem;
  const auto all = [](const auto&... values) { return (values.has_value() && ...); };
  bool complete =
      p.arm ? all(p.arm_file, p.held, p.medium, p.space, p.measured, p.noise, p.harmonics, p.period_s,
                  s.condition_number_in_units, s.condition_number_of_random_motions, s.run_in_s, s.motion_s)
            : all(p.robot, p.robot_file, p.structure, p.parameters, p.duration_s, p.segments, p.sampling_s,
                  p.shape, p.unknowns, s.error_rms, s.condition_floor, s.baselines);
  for (const ExciteSummary::Margin& m : s.margins)
    complete = complete && (p.arm ? all(m.joint, m.reached, m.allowed, m.share_left)
                                  : all(m.nearest, m.bound, m.margin, m.t_s));
  for (const ExciteSummary::Parameter& one : s.parameters)
    complete = complete && (p.arm ? all(one.grouping) : all(one.linearised_value, one.scale));
  const auto fits = [&](const ExciteSummary::Baseline& b) { return b.sigma.size() == s.parameters.size(); };
  if (complete && s.baselines)
    complete = fits(s.baselines->random) && (!s.baselines->sinusoids || fits(*s.baselines->sinusoids)) &&
               (!s.baselines->multisine || fits(*s.baselines->multisine));
  if (!complete) reject("summary", "lacks keys of a vehicle's motion, or of an arm's");
}

constexpr const char* limit_is_broken = "A LIMIT IS BROKEN, see the margins";

}  // namespace

std::string ExciteOptions::command() const {
  return internal::command_of("excite", *this) + fmt::format(" --seed {}", seed);
}

excite::AnyProblem read_problem(const ExciteOptions& options, const Context& context) {
  fields::check_values(options);
  excite::AnyProblem any = excite::read_any_problem(
      context.paths.problem(options.problem), {context.paths.robots, context.paths.arms}, options.duration);
  std::visit(
      [&](auto& problem) {
        internal::check(options, problem);
        problem.criterion = internal::criterion_of(options.criterion.value_or("")).value_or(problem.criterion);
        problem.starts = options.starts.value_or(problem.starts);
      },
      any);
  return any;
}

ExciteResult excite(const ExciteOptions& options, const Context& context) {
  ThreadPool pool = context.pool();
  return excite(read_problem(options, context), options, pool, context);
}

ExciteResult excite(const excite::AnyProblem& problem, const ExciteOptions& options, WorkerPool& pool,
                    const Context& context) {
  if (const auto* arm = std::get_if<excite::ArmProblem>(&problem))
    return internal::excite_arm(*arm, options, pool, context);
  return internal::excite_vehicle(std::get<excite::Problem>(problem), options, pool, context);
}

// The keys of summary.json, in its order.
FATHOM_JSON(ExciteSummary::Segment, name, duration_s)
FATHOM_JSON(ExciteSummary::Shape, kind, interval_s, degree, parts)
FATHOM_JSON(ExciteSummary::Problem, name, title, file, robot, robot_file, structure, parameters, duration_s,
            segments, sampling_s, thruster_errors, arm, arm_file, held, medium, space, measured, noise,
            harmonics, period_s, samples, shape, unknowns, criterion, starts)
FATHOM_JSON(ExciteSummary::Floor, value, largest, smallest)
FATHOM_JSON(ExciteSummary::Parameter, name, unit, value, linearised_value, sigma, scale, relative, grouping)
FATHOM_JSON(ExciteSummary::Baseline, error_rms, condition_number, sigma)
FATHOM_JSON(ExciteSummary::Baselines, sinusoids, multisine, random)
FATHOM_JSON(ExciteSummary::Certificate, status, reason, stationarity, complementarity, margin, iterations,
            evaluations)
FATHOM_JSON(ExciteSummary::Margin, joint, limit, unit, nearest, bound, margin, t_s, reached, allowed,
            share_left)
FATHOM_JSON(ExciteSummary::Start, number, first, last, polished, status, iterations, drawn_together)
FATHOM_SUMMARY(ExciteSummary, command, version, seed, problem, criterion, criterion_in_words, error_rms,
               condition_number, condition_number_in_units, condition_number_of_random_motions, condition_floor,
               parameters, baselines, certificate, run_in_s, motion_s, inside_limits, margins, best_start,
               starts, interrupted, notes, files)

std::vector<std::string> ExciteResult::reasons() const {
  const ExciteSummary& s = summary;
  // An arm's motion is good within its limits, however its search ended.
  const bool converged =
      s.problem.arm || s.certificate.status == solve::to_string(solve::InteriorPointResult::Status::converged);
  std::vector<std::string> list;
  if (s.interrupted)
    list.push_back(fmt::format("interrupted; this is the best of what {} of {} starts had found until then",
                               s.starts.size(), s.problem.starts));
  if (!s.inside_limits) list.emplace_back(limit_is_broken);
  if (!converged || (!s.inside_limits && !s.problem.arm)) list.push_back(certificate_text(s));
  if (!converged && !s.interrupted)
    list.emplace_back("more starts, a longer duration, or a shape with fewer numbers may help");
  return list;
}

std::vector<std::string> ExciteResult::warnings() const {
  std::vector<std::string> list = summary.notes;
  // The report says already that there are no sinusoids.
  if (summary.baselines && !summary.baselines->sinusoids && !list.empty()) list.pop_back();
  return list;
}

report::Document ExciteResult::report() const {
  const ExciteSummary::Problem& problem = summary.problem;
  report::Document page{.title = problem.title.empty() ? problem.name : problem.title,
                        .footer = fmt::format("fathom {}: {}", summary.version, summary.command)};
  if (problem.arm)
    internal::add_arm(page, summary, std::get_if<Arm>(&evidence));
  else
    internal::add_vehicle(page, summary, std::get_if<Vehicle>(&evidence));
  return page;
}

std::vector<ResultFile> ExciteResult::files() const {
  if (const auto* vehicle = std::get_if<Vehicle>(&evidence)) return internal::vehicle_files(*vehicle);
  if (const auto* arm = std::get_if<Arm>(&evidence)) return internal::arm_files(*arm);
  return {};
}

ExciteSummary ExciteResult::from_json(const std::string& text) {
  auto summary = summary_of_json<ExciteSummary>(text);
  check_complete(summary);
  return summary;
}
ExciteResult ExciteResult::load(const std::filesystem::path& folder) {
  return {{from_json(read_file(folder / "summary.json"))}, {}};
}

namespace internal {

void check(const ExciteOptions& options, const excite::Problem& problem) {
  if (options.rate || options.periods)
    reject(options.rate ? "--rate" : "--periods", "is of an arm's problem, and this is one of a vehicle",
           "--waypoint-interval S");
  const double interval = options.waypoint_interval.value_or(1);
  if (!(interval >= least_interval) || !std::isfinite(interval))
    reject("--waypoint-interval", fmt::format("= {} s, must be >= {} s", interval, least_interval));
  if (problem.duration() > most_waypoints * interval)
    reject("--waypoint-interval",
           fmt::format("= {} s makes more than {:g} way-points in {:g} s", interval, most_waypoints,
                       problem.duration()),
           "a longer one");
}

void check(const ExciteOptions& options, const excite::ArmProblem& problem) {
  if (options.waypoint_interval)
    reject("--waypoint-interval", "is of a vehicle's problem, and this is one of an arm", "--rate HZ");
  const double rate = options.rate.value_or(100);
  if (!(rate > 0) || !std::isfinite(rate)) reject("--rate", fmt::format("= {} Hz, must be > 0", rate));
  const double rows = problem.period * rate * options.periods.value_or(1);
  if (!(rows >= 2 * problem.harmonics + 1) || rows > most_rows)
    reject("--rate",
           fmt::format("= {} Hz makes {:.3g} rows in periods of {:g} s, must be {} to {:g}", rate, rows,
                       problem.period, 2 * problem.harmonics + 1, most_rows),
           "samples of a controller, each second");
}

std::string to_string(excite::Criterion criterion) {
  switch (criterion) {
    case excite::Criterion::a_optimal: return "a-optimal";
    case excite::Criterion::d_optimal: return "d-optimal";
    case excite::Criterion::condition: return "condition";
  }
  return "";
}

std::optional<excite::Criterion> criterion_of(const std::string& word) {
  for (const excite::Criterion one : criteria)
    if (to_string(one) == word) return one;
  return std::nullopt;
}

void prepare_search(excite::SearchOptions& search, const std::string& problem, int starts,
                    const ExciteOptions& options, const Context& context,
                    std::function<std::string(double criterion)> in_words) {
  search.seed = options.seed;
  search.interrupted = context.stop;
  if (context.progress)
    search.progress = [=, &context](int ended, double best) {
      context.progress("designing " + problem, ended / static_cast<double>(starts),
                       fmt::format("start {} of {}, best: {}", ended, starts, in_words(best)));
    };
}

report::Text take_care(const ExciteSummary& s) {
  report::Text text{.title = "Take care"};
  if (s.interrupted)
    text.paragraphs.push_back(
        fmt::format("INTERRUPTED: the best of {} of {} starts. A longer search may find a better motion.",
                    s.starts.size(), s.problem.starts));
  if (!s.inside_limits) text.paragraphs.emplace_back(limit_is_broken);
  return text;
}

void add_certificate(report::Document& page, const ExciteSummary& s, const std::string& note) {
  const ExciteSummary::Certificate& c = s.certificate;
  const std::string reason = c.reason.value_or("");
  report::Table table{
      .title = "Certificate of the search",
      .columns = {"what", {"value", "{:.1e}"}, "meaning"},
      .rows = {{"stationarity", c.stationarity, "no direction within the limits is better: 0 at an optimum"},
               {"complementarity", c.complementarity, "only limits that are touched push: 0 at an optimum"},
               {"least margin", c.margin, "of the linear limits, over the width of their range: above 0"},
               {"iterations", c.iterations, ""}},
      .note = fmt::format("The search ended as: {}.{}{}", c.status, reason.empty() ? "" : " " + reason, note),
      .where = report::Where::page};
  if (c.evaluations) table.rows.push_back({"evaluations", *c.evaluations, "of the criterion and its gradient"});
  page.add(std::move(table));
  page.add_text({.paragraphs = {"certificate: " + certificate_text(s)}, .where = report::Where::terminal});
}

}  // namespace internal
}  // namespace fathom::task
