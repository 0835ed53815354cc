#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "cli/terminal/table.hpp"
#include "cli/verbs/excite/excite_result.hpp"

namespace fathom::cli {
namespace {

std::string parameter_table(const ExciteResult& result) {
  const excite::Prediction& prediction = result.assessment.prediction;
  const model::ParameterVector& now = prediction.parameters;
  Table table({"parameter", "value", "predicted sigma", "unit", "relative"});
  for (std::size_t k = 0; k < now.size(); ++k)
    table.row({now[k].name, fmt::format("{:.4g}", now[k].value), fmt::format("{:.2g}", now.sigma(k)),
               now[k].unit,
               fmt::format("{:.3g} %", 100 * now.sigma(k) / prediction.scale[static_cast<Eigen::Index>(k)])});
  return table.text();
}

/// What a limit is on: box limits by their unit, the others by name.
std::string kind_of(const excite::Margin& margin) {
  static const std::map<std::string, std::string> box = {
      {"m", "place"},      {"m/s", "speed"},       {"m/s^2", "acceleration"},
      {"rad", "attitude"}, {"rad/s", "turn rate"}, {"rad/s^2", "turn acceleration"}};
  const auto found = box.find(margin.unit);
  const bool is_box = margin.limit.find(", segment ") != std::string::npos;
  return is_box && found != box.end() ? found->second : margin.limit;
}

std::string margin_table(const std::vector<excite::Margin>& margins) {
  std::vector<std::pair<std::string, const excite::Margin*>> worst;
  for (const excite::Margin& margin : margins) {
    const std::string kind = kind_of(margin);
    const auto found = std::find_if(worst.begin(), worst.end(), [&](const auto& w) { return w.first == kind; });
    if (found == worst.end())
      worst.emplace_back(kind, &margin);
    else if (margin.margin < found->second->margin)
      found->second = &margin;
  }
  Table table({"limit on", "nearest", "bound", "margin", "where", "unit"});
  for (const auto& [kind, margin] : worst)
    table.row({kind, fmt::format("{:.4g}", margin->worst), fmt::format("{:.4g}", margin->bound),
               fmt::format("{:.2g}", margin->margin),
               fmt::format("{}{:.1f} s", kind == margin->limit ? "" : margin->limit + ", ", margin->t),
               margin->unit});
  return table.text();
}

/// The problem has limits that sinusoids do not heed.
bool has_more_than_boxes(const excite::Problem& problem) {
  return problem.thrusters || problem.view || problem.tether;
}

std::string comparison(const ExciteResult& result) {
  const excite::Assessment& a = result.assessment;
  const auto of = [](const excite::ExpectedAccuracy& accuracy) {
    return fmt::format("error {:.3g} %, condition number {:.4g}", 100 * accuracy.error, accuracy.condition);
  };
  std::string sinusoids = a.sinusoids ? of(*a.sinusoids) : "do not fit the limits";
  if (a.sinusoids && has_more_than_boxes(result.problem())) sinusoids += ", heeding the box limits alone";
  return fmt::format("beside: sinusoids {}; a random motion {}\n", sinusoids, of(a.random));
}

}  // namespace

std::string advice_of(const excite::Problem& problem, const excite::Assessment& assessment) {
  if (!assessment.sinusoids || has_more_than_boxes(problem)) return "";
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

std::string certificate_of(const ExciteResult& result) {
  const auto& c = result.design.certificate;
  return fmt::format(
      "{}{}{} after {} iterations of start {}: stationarity {:.2g}, complementarity {:.2g}, margin {:.2g}",
      solve::to_string(c.status), c.reason.empty() ? "" : ": ", c.reason, c.iterations, result.design.best,
      c.stationarity, c.complementarity, c.margin);
}

std::string text_of(const ExciteResult& result) {
  const excite::Problem& problem = result.problem();
  const excite::ExpectedAccuracy& accuracy = result.assessment.accuracy;
  const auto samples = static_cast<long>(result.assessment.grid.mask.sum());
  std::string text = fmt::format("{}: {} parameters of {} from {:g} s, {} samples, {}\n{}", problem.name,
                                 problem.structure.size(), problem.robot.name(), problem.duration(), samples,
                                 to_string(problem.criterion), parameter_table(result));
  text += fmt::format(
      "value: of the robot file, drag without a term of its own made linear; relative: inertia to itself, "
      "damping to\nthe whole drag at the speed limit, off the diagonal to a fifth of the diagonal's; rms "
      "{:.3g} %\n",
      100 * accuracy.error);
  text += fmt::format(
      "condition number {:.4g}; with columns as long as these not below {:.4g}: that of {} is the "
      "longest, that of {} the shortest\n",
      accuracy.condition, accuracy.floor, accuracy.floor_high, accuracy.floor_low);
  text += comparison(result) + "\n" + margin_table(result.assessment.margins);
  text += fmt::format("certificate: {}\n", certificate_of(result));
  if (result.design.interrupted)
    text +=
        fmt::format("INTERRUPTED: the best of {} of {} starts\n", result.design.starts.size(), problem.starts);
  if (!result.assessment.is_inside()) text += "A LIMIT IS BROKEN, see the margins\n";
  return text;
}

}  // namespace fathom::cli
