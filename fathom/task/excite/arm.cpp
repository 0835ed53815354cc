#include <cmath>

#include <fmt/format.h>

#include "fathom/excite/arm/accuracy.hpp"
#include "fathom/excite/reading.hpp"
#include "fathom/task/excite/internal/excite.hpp"
#include "fathom/task/options.hpp"

namespace fathom::task {
namespace {

using Arm = ExciteResult::Arm;

constexpr int random_motions = 20;  // of which the best is compared with the design

std::string arm_in_words(const excite::ArmDesigner& designer, double criterion) {
  const excite::Criterion kind = designer.problem().criterion;
  if (kind != excite::Criterion::condition) return fmt::format("criterion {:.4g}", criterion);
  return fmt::format(
      "condition number {:.4g}",
      excite::reading_of(kind, criterion, static_cast<Eigen::Index>(designer.base().rank())).value);
}

double best_random_condition(const excite::ArmDesigner& designer, std::uint64_t seed) {
  double best = infinity;
  for (int k = 0; k < random_motions; ++k)
    best = std::min(best, designer.check_under(designer.random_motion(seed, 100000 + k)).condition);
  return best;
}

/// The command that takes the run that this motion gives, with the same columns.
std::string identify_command(const excite::ArmProblem& problem, const SearchPaths& paths) {
  const dynamics::ArmColumns& columns = problem.columns;
  const bool ships =
      !paths.arms.empty() && std::filesystem::path(problem.arm_file).parent_path() == paths.arms.front();
  std::string text =
      "fathom identify --what arm --arm " + (ships ? problem.arm.name() : shell_word(problem.arm_file));
  if (problem.in_current) text += " --by-current";
  const Vec3 usual_down(0, 0, problem.arm_file.ends_with(".urdf") ? -1 : 1);
  if (problem.down_b != usual_down)
    text += fmt::format(" --down {:g},{:g},{:g}", problem.down_b[0], problem.down_b[1], problem.down_b[2]);
  if (problem.medium == dynamics::Medium::air) text += " --medium air";
  using Coulomb = dynamics::ArmColumns::Coulomb;
  if (columns.coulomb == Coulomb::by_direction) text += " --friction direction";
  if (columns.coulomb == Coulomb::symmetric && columns.motor) text += " --friction coulomb";
  if (columns.coulomb == Coulomb::none && columns.viscous) text += " --friction viscous";
  if (!columns.viscous && !columns.motor) text += " --friction none";
  if (!columns.offset) text += " --no-offset";
  return text + " --log RUN.csv";
}

ExciteSummary arm_summary(const excite::ArmDesigner& designer, const Arm& of, const ExciteOptions& options) {
  const auto& [problem, design, run_in, rate, command] = of;
  ExciteSummary s = internal::common_summary(problem, design, options);
  ExciteSummary::Problem& p = s.problem;
  p.arm = problem.arm.name(), p.arm_file = problem.arm_file, p.held = problem.held;
  p.medium = problem.medium == dynamics::Medium::water ? "water" : "air";
  p.space = problem.space == excite::ArmSpace::motor ? "motor" : "joint";
  p.measured = problem.in_current ? "current" : "effort", p.noise = problem.noise;
  p.harmonics = problem.harmonics, p.period_s = problem.period, p.samples = problem.samples;
  s.criterion = design.value, s.criterion_in_words = arm_in_words(designer, design.value);
  s.condition_number = design.condition, s.condition_number_in_units = design.raw_condition;
  s.condition_number_of_random_motions = best_random_condition(designer, options.seed);
  const excite::Prediction prediction = excite::arm_accuracy(designer, design);
  for (std::size_t k = 0; k < prediction.parameters.size(); ++k) {
    const model::Parameter& parameter = prediction.parameters[k];
    s.parameters.push_back({.name = parameter.name,
                            .unit = parameter.unit,
                            .value = parameter.value,
                            .sigma = prediction.parameters.sigma(k),
                            .relative = prediction.relative(k),
                            .grouping = prediction.made_of[k]});
  }
  s.run_in_s = run_in.clock.lead, s.motion_s = run_in.clock.motion;
  s.inside_limits = excite::least_share(design.margins) >= 0 && run_in.least_share >= 0;
  for (const excite::ArmMargin& m : design.margins) {
    const model::Joint& joint = problem.arm.joints()[m.joint];
    s.margins.push_back({.joint = joint.name,
                         .limit = to_string(m.limit),
                         .unit = unit_of(joint, m.limit),
                         .reached = m.reached,
                         .allowed = m.allowed,
                         .share_left = m.share()});
  }
  s.best_start = design.start;
  for (std::size_t k = 0; k < s.starts.size(); ++k) {
    s.starts[k].polished = design.starts[k].polished;
    s.starts[k].drawn_together = design.starts[k].was_shrunk;
  }
  return s;
}

/// A table for controllers, which want numbers and no comments: from rest to rest.
std::string motion_csv(const Arm& of) {
  const excite::ArmProblem& problem = of.problem;
  const model::Arm& arm = problem.arm;
  const excite::ArmPath path(arm, problem.space, of.design.series);
  const excite::ArmClock& clock = of.run_in.clock;
  const auto steps = static_cast<Eigen::Index>(std::ceil(clock.end() * of.rate - 1e-9));
  const excite::ArmTrace trace = arm_trace(
      problem, path, Eigen::VectorXd::LinSpaced(steps + 1, 0, static_cast<double>(steps)) / of.rate, clock);
  using enum excite::ArmLimit;
  std::vector<std::pair<const char*, const Eigen::MatrixXd*>> groups = {
      {"q", &trace.of(position)}, {"dq", &trace.of(joint_speed)}, {"ddq", &trace.of(joint_acceleration)}};
  if (arm.has_motor())
    groups.insert(groups.end(), {{"shaft", &trace.shaft}, {"shaft_speed", &trace.of(motor_speed)}});
  std::string text = "t";
  for (const auto& [name, columns] : groups)
    for (const model::Joint& joint : arm.joints()) text += fmt::format(",{}.{}", name, joint.name);
  for (Eigen::Index k = 0; k < trace.t.size(); ++k) {
    text += fmt::format("\n{:.9g}", trace.t[k]);
    for (const auto& [name, columns] : groups)
      for (const double value : columns->row(k)) text += fmt::format(",{:.9g}", value + 0.0);  // no -0
  }
  return text + "\n";
}

/// Every second coefficient of a row from `first` on: of the sines or of the cosines.
std::string coefficients_text(const Eigen::MatrixXd& coefficients, Eigen::Index row, Eigen::Index first) {
  std::string text;
  for (Eigen::Index c = first; c < coefficients.cols(); c += 2)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", coefficients(row, c));
  return text;
}

/// docs/arm-excitation.md eq. 1, number by number.
std::string series_yaml(const Arm& of) {
  const excite::ArmProblem& problem = of.problem;
  const Eigen::MatrixXd& coefficients = of.design.series.coefficients;
  const bool of_shafts = problem.space == excite::ArmSpace::motor;
  std::string text = fmt::format(
      "# u(t) = middle + sum over k from 1 of sin_k sin(2 pi k t / period) + cos_k cos(2 pi k t / period)\n"
      "format: fathom-arm-trajectory-1\nproblem: {}\narm: {}\nspace: {}  # u is the {}\n"
      "period: {}  # s\nlead: {}  # s: where the series begin in trajectory.csv\njoints:\n",
      problem.name, problem.arm.name(), of_shafts ? "motor" : "joint",
      of_shafts ? "angle of the motor's shaft, of the joint where it has none" : "joint's coordinate",
      problem.period, of.run_in.clock.lead);
  for (std::size_t j = 0; j < problem.arm.size(); ++j) {
    const model::Joint& joint = problem.arm.joints()[j];
    const auto row = static_cast<Eigen::Index>(j);
    const bool is_angle = joint.kind == model::Joint::Kind::revolute || (of_shafts && joint.actuator);
    text += fmt::format("  - name: {}\n    unit: {}\n    middle: {}\n    sin: [{}]\n    cos: [{}]\n",
                        joint.name, is_angle ? "rad" : "m", coefficients(row, 0),
                        coefficients_text(coefficients, row, 1), coefficients_text(coefficients, row, 2));
  }
  return text;
}

}  // namespace

std::vector<ResultFile> internal::arm_files(const ExciteResult::Arm& of) {
  return {{"trajectory.csv", motion_csv(of)}, {"trajectory.yaml", series_yaml(of)}};
}

ExciteResult internal::excite_arm(const excite::ArmProblem& problem, const ExciteOptions& options,
                                  WorkerPool& pool, const Context& context) {
  check(options, problem);
  const excite::ArmDesigner designer(problem);
  throw_if(context.stop);
  excite::SearchOptions how;
  prepare_search(how, problem.name, problem.starts, options, context,
                 [&](double criterion) { return arm_in_words(designer, criterion); });
  excite::ArmDesign best = designer.design(pool, how);
  if (best.starts.empty()) throw Interrupted();
  for (const std::string& note : problem.arm.spec().notes_of_reading)
    best.notes.push_back(problem.arm_file + ": " + note);
  const excite::ArmPath path(problem.arm, problem.space, best.series);
  const excite::ArmRunIn run_in = excite::run_in(problem, path, options.periods.value_or(1));
  Arm evidence{problem, std::move(best), run_in, options.rate.value_or(100),
               identify_command(problem, context.paths)};
  return {{arm_summary(designer, evidence, options)}, std::move(evidence)};
}

}  // namespace fathom::task
