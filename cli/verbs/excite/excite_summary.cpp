#include <algorithm>

#include <fmt/format.h>

#include "fathom/excite/reading.hpp"
#include "fathom/model/robot_parameters.hpp"

#include "cli/verbs/excite/excite_result.hpp"
#include "version.hpp"

namespace fathom::cli {
namespace {

using Json = nlohmann::ordered_json;  // it writes what is not finite as null

std::vector<double> numbers(const Eigen::VectorXd& v) { return {v.begin(), v.end()}; }

Json shape_of(const excite::Shape& shape) {
  if (shape.kind == excite::Shape::Kind::spline) return {{"kind", "spline"}, {"interval_s", shape.interval}};
  return {{"kind", "bezier"}, {"degree", shape.degree}, {"parts", shape.parts}};
}

Json problem_of(const ExciteResult& result) {
  const excite::Problem& problem = result.problem();
  Json segments = Json::array();
  for (const excite::Segment& segment : problem.segments)
    segments.push_back({{"name", segment.name}, {"duration_s", segment.duration}});
  return {{"name", problem.name},
          {"title", problem.title},
          {"file", problem.file},
          {"robot", problem.robot.name()},
          {"robot_file", problem.robot_file},
          {"structure", problem.structure.name},
          {"parameters", problem.structure.size()},
          {"duration_s", problem.duration()},
          {"segments", std::move(segments)},
          {"sampling_s", problem.sampling},
          {"samples", static_cast<long>(result.assessment.grid.mask.sum())},
          {"shape", shape_of(problem.shape)},
          {"unknowns", result.designer.bounds().program.unknowns()},
          {"criterion", to_string(problem.criterion)},
          {"starts", problem.starts}};
}

Json parameters_of(const ExciteResult& result) {
  const excite::Problem& problem = result.problem();
  const auto now = model::parameters_of(problem.robot, problem.environment, problem.structure).parameters;
  const excite::Prediction& prediction = result.assessment.prediction;
  Json list = Json::array();
  for (std::size_t k = 0; k < now.size(); ++k) {
    list.push_back({{"name", now[k].name},
                    {"unit", now[k].unit},
                    {"value", now[k].value},
                    {"linearised_value", prediction.parameters[k].value},
                    {"sigma", prediction.parameters.sigma(k)},
                    {"scale", prediction.scale[static_cast<Eigen::Index>(k)]},
                    {"relative", prediction.relative(k)}});
  }
  return list;
}

Json baseline_of(const excite::ExpectedAccuracy& accuracy) {
  return {{"error_rms", accuracy.error},
          {"condition_number", accuracy.condition},
          {"sigma", numbers(accuracy.sigma)}};
}

Json margins_of(const ExciteResult& result) {
  Json list = Json::array();
  for (const excite::Margin& margin : result.assessment.margins)
    list.push_back({{"limit", margin.limit},
                    {"unit", margin.unit},
                    {"nearest", margin.worst},
                    {"bound", margin.bound},
                    {"margin", margin.margin},
                    {"t_s", margin.t}});
  return list;
}

Json starts_of(const excite::Design& design) {
  Json list = Json::array();
  for (const excite::Start& start : design.starts)
    list.push_back({{"number", start.number},
                    {"first", start.first},
                    {"last", start.last},
                    {"status", solve::to_string(start.status)},
                    {"iterations", start.iterations}});
  return list;
}

}  // namespace

bool ExciteResult::converged() const {
  return design.certificate.status == solve::InteriorPointResult::Status::converged;
}

std::string to_string(excite::Criterion criterion) {
  switch (criterion) {
    case excite::Criterion::a_optimal: return "a-optimal";
    case excite::Criterion::d_optimal: return "d-optimal";
    case excite::Criterion::condition: return "condition";
  }
  return "";
}

std::string in_words(const excite::Problem& problem, double criterion) {
  const auto reading =
      excite::reading_of(problem.criterion, criterion, static_cast<Eigen::Index>(problem.structure.size()));
  switch (problem.criterion) {
    case excite::Criterion::a_optimal: return fmt::format("error {:.3g} %", reading.value);
    case excite::Criterion::d_optimal: return fmt::format("error {:.3g} % (geometric mean)", reading.value);
    case excite::Criterion::condition: return fmt::format("condition number {:.4g}", reading.value);
  }
  return "";
}

nlohmann::ordered_json summary_of(const ExciteResult& result) {
  const auto& [designer, design, assessment, seed, command] = result;
  const excite::ExpectedAccuracy& accuracy = assessment.accuracy;
  const auto& certificate = design.certificate;
  Json baselines = {{"sinusoids", assessment.sinusoids ? baseline_of(*assessment.sinusoids) : Json()},
                    {"random", baseline_of(assessment.random)}};
  Json notes = design.notes;
  if (!assessment.no_sinusoids.empty())
    notes.push_back("no sinusoids to compare with: " + assessment.no_sinusoids);
  return {{"command", command},
          {"version", FATHOM_VERSION},
          {"seed", seed},
          {"problem", problem_of(result)},
          {"criterion", certificate.f},
          {"criterion_in_words", in_words(result.problem(), certificate.f)},
          {"error_rms", accuracy.error},
          {"condition_number", accuracy.condition},
          {"condition_floor",
           {{"value", accuracy.floor}, {"largest", accuracy.floor_high}, {"smallest", accuracy.floor_low}}},
          {"parameters", parameters_of(result)},
          {"baselines", std::move(baselines)},
          {"certificate",
           {{"status", solve::to_string(certificate.status)},
            {"reason", certificate.reason},
            {"stationarity", certificate.stationarity},
            {"complementarity", certificate.complementarity},
            {"margin", certificate.margin},
            {"iterations", certificate.iterations},
            {"evaluations", certificate.evaluations}}},
          {"inside_limits", assessment.is_inside()},
          {"margins", margins_of(result)},
          {"best_start", design.best},
          {"starts", starts_of(design)},
          {"interrupted", design.interrupted},
          {"notes", std::move(notes)},
          {"files", Json::array()}};
}

}  // namespace fathom::cli
