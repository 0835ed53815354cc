#include <cmath>

#include <fmt/format.h>

#include "fathom/report/arm_excite_page.hpp"

#include "cli/verbs/excite/excite_arm_result.hpp"
#include "version.hpp"

namespace fathom::cli {
namespace {

/// A table for controllers, which want numbers and no comments: from rest to rest.
std::string motion_table(const ArmExciteResult& result) {
  const excite::ArmProblem& problem = result.problem();
  const model::Arm& arm = problem.arm;
  const excite::ArmPath path(arm, problem.space, result.design.series);
  const excite::ArmClock& clock = result.run_in.clock;
  const auto steps = static_cast<Eigen::Index>(std::ceil(clock.end() * result.rate_hz - 1e-9));
  const excite::ArmTrace trace =
      arm_trace(problem, path,
                Eigen::VectorXd::LinSpaced(steps + 1, 0, static_cast<double>(steps)) / result.rate_hz, clock);
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

std::string list_text(const Eigen::MatrixXd& coefficients, Eigen::Index row, Eigen::Index first) {
  std::string text;
  for (Eigen::Index c = first; c < coefficients.cols(); c += 2)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", coefficients(row, c));
  return text;
}

/// docs/arm-excitation.md eq. 1, number by number.
std::string series_text(const ArmExciteResult& result) {
  const excite::ArmProblem& problem = result.problem();
  const Eigen::MatrixXd& coefficients = result.design.series.coefficients;
  const bool of_shafts = problem.space == excite::ArmSpace::motor;
  std::string text = fmt::format(
      "# u(t) = middle + sum over k from 1 of sin_k sin(2 pi k t / period) + cos_k cos(2 pi k t / period)\n"
      "format: fathom-arm-trajectory-1\nproblem: {}\narm: {}\nspace: {}  # u is the {}\n"
      "period: {}  # s\nlead: {}  # s: where the series begin in trajectory.csv\njoints:\n",
      problem.name, problem.arm.name(), of_shafts ? "motor" : "joint",
      of_shafts ? "angle of the motor's shaft, of the joint where it has none" : "joint's coordinate",
      problem.period, result.run_in.clock.lead);
  for (std::size_t j = 0; j < problem.arm.size(); ++j) {
    const model::Joint& joint = problem.arm.joints()[j];
    const auto row = static_cast<Eigen::Index>(j);
    const bool is_angle = joint.kind == model::Joint::Kind::revolute || (of_shafts && joint.actuator);
    text += fmt::format("  - name: {}\n    unit: {}\n    middle: {}\n    sin: [{}]\n    cos: [{}]\n",
                        joint.name, is_angle ? "rad" : "m", coefficients(row, 0),
                        list_text(coefficients, row, 1), list_text(coefficients, row, 2));
  }
  return text;
}

}  // namespace

void write_files(const ArmExciteResult& result, OutputFolder& out) {
  out.write("trajectory.csv", motion_table(result));
  out.write("trajectory.yaml", series_text(result));
  const report::ArmExcitePage page{&result.problem(), &result.design, &result.shown, result.random_condition,
                                   fmt::format("fathom {}: {}", FATHOM_VERSION, result.command)};
  out.write("report.html", report::to_html(report::arm_excite_page(page)));
}

}  // namespace fathom::cli
