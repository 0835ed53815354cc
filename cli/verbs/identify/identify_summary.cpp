#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"
#include "fathom/model/robot_parameters.hpp"

#include "cli/verbs/identify/identify_result.hpp"
#include "version.hpp"

namespace fathom::cli {
namespace {

using identify::Identified;
using Json = nlohmann::ordered_json;  // it writes what is not finite as null

Json log_of(const identify::Recording& recording) {
  Json dropped = Json::array(), sensors = Json::array();
  for (const auto& drop : recording.dropped) dropped.push_back({{"why", drop.why}, {"samples", drop.samples}});
  for (const auto& sensor : recording.sensors)
    sensors.push_back({{"name", sensor.name},
                       {"used", sensor.used},
                       {"missing", sensor.missing},
                       {"outliers", sensor.outliers},
                       {"innovation_rms", sensor.innovation_rms}});
  Json warnings = Json::array();
  for (const Finding& warning : recording.warnings) warnings.push_back(warning.text());
  const auto usable = std::count(recording.usable.begin(), recording.usable.end(), 1);
  return {{"name", recording.name},
          {"samples", recording.size()},
          {"usable", usable},
          {"interval_s", recording.track.dt},
          {"dropped", std::move(dropped)},
          {"sensors", std::move(sensors)},
          {"warnings", std::move(warnings)},
          {"jerk", recording.jerk},
          {"angular_jerk", recording.angular_jerk}};
}

Json parameters_json(const IdentifyResult& result) {
  const model::ParameterVector &now = result.found.parameters, before = result.parameters_before();
  const Eigen::VectorXd naive = result.found.fit.naive_covariance.diagonal().cwiseSqrt();
  const bool is_fit = result.estimator == "consistent";  // it is of no other
  const std::vector<std::size_t>& unseen = result.found.identifiability.unidentifiable;
  Json list = Json::array();
  for (std::size_t k = 0; k < now.size(); ++k) {
    const double value = now[k].value, half = sigmas_of_95 * now.sigma(k);
    list.push_back({{"name", now[k].name},
                    {"unit", now[k].unit},
                    {"group", now[k].group},
                    {"estimate", value},
                    {"sigma", now.sigma(k)},
                    {"interval_95", {value - half, value + half}},
                    {"naive_sigma", is_fit ? Json(naive[static_cast<Eigen::Index>(k)]) : Json()},
                    {"before", before[k].value},
                    {"before_sigma", before.sigma(k)},
                    {"seen", std::find(unseen.begin(), unseen.end(), k) == unseen.end()}});
  }
  return list;
}

Json structures_of(const Identified& found) {
  if (!found.choice) return nullptr;
  Json list = Json::array();
  for (std::size_t k = 0; k < found.choice->candidates.size(); ++k) {
    const identify::Candidate& c = found.choice->candidates[k];
    Json shares = Json::object();
    for (const int i : identify::scored_velocities)
      if (c.tried) shares[std::string(model::dof_name(i))] = c.share[i];
    list.push_back({{"name", c.structure.name},
                    {"dof", static_cast<int>(c.structure.dof)},
                    {"parameters", c.structure.size()},
                    {"tried", c.tried},
                    {"why_not", c.why_not},
                    {"error", c.tried ? Json(c.error) : Json()},
                    {"worse", c.tried ? Json(c.worse) : Json()},
                    {"worse_sigma", c.tried ? Json(c.worse_sigma) : Json()},
                    {"share", std::move(shares)},
                    {"chosen", k == found.choice->chosen}});
  }
  return list;
}

Json estimators_of(const Identified& found) {
  Json list = Json::array();
  for (const identify::Estimate& estimate : found.estimates) {
    const Eigen::VectorXd sigma = estimate.covariance.diagonal().cwiseSqrt();
    list.push_back({{"name", estimate.name},
                    {"about", estimate.about},
                    {"found", estimate.found},
                    {"why_not", estimate.why_not},
                    {"values", std::vector<double>(estimate.theta.begin(), estimate.theta.end())},
                    {"sigmas", std::vector<double>(sigma.begin(), sigma.end())}});
  }
  return list;
}

Json residuals_of(const Identified& found) {
  Json json = Json::object();
  Eigen::Index row = 0;
  for (const int i : model::free_indices(found.structure.dof)) {
    const solve::Whiteness& w = found.fit.whiteness[static_cast<std::size_t>(row)];
    json[std::string(model::dof_name(i))] = {{"rms", found.residual_rms(row)},
                                             {"wrench_rms", found.wrench[i]},
                                             {"integral_time_s", w.integral_time * found.sample_interval()},
                                             {"ljung_box", w.statistic},
                                             {"ljung_box_probability", w.probability},
                                             {"lags", w.lags}};
    ++row;
  }
  return json;
}

Json unseen_of(const IdentifyResult& result) {
  const consistency::Identifiability& id = result.found.identifiability;
  const std::vector<std::string> names = result.names();
  const auto texts = [&](const std::vector<consistency::Combination>& list) {
    Json out = Json::array();
    for (const auto& combination : list) out.push_back(to_text(combination, names));
    return out;
  };
  return {{"parameters", result.unseen()},
          {"rank", id.rank},
          {"unseen_directions", texts(id.unidentifiable_directions)},
          {"seen_combinations", texts(id.identifiable_combinations)}};
}

Json certificate_of(const solve::ConicResult& conic) {
  return {{"gap", conic.gap},
          {"objective", conic.f},
          {"stationarity", conic.stationarity},
          {"complementarity", conic.complementarity},
          {"iterations", conic.iterations}};
}

Json nuisance_of(const IdentifyResult& result) {
  const identify::NuisanceEstimate& n = result.found.fit.nuisance;
  const Vec3& v = n.value.current_n;
  return {{"delay_s", n.value.delay},
          {"delay_sigma_s", n.delay_sigma},
          {"delay_estimated", result.fit.estimate_delay},
          {"delay_at_limit", result.found.fit.delay_at_limit},
          {"delay_wanted_s", result.found.fit.delay_at_limit ? Json(result.found.fit.delay_wanted) : Json()},
          {"current", {v[0], v[1], v[2]}},
          {"current_sigma", {n.current_sigma[0], n.current_sigma[1], n.current_sigma[2]}},
          {"current_estimated", result.fit.estimate_current}};
}

Json command_path_of(const IdentifyResult& result) {
  if (!result.command_path.found_any()) return nullptr;
  const auto number = [](const std::optional<identify::CommandPathNumber>& n) -> Json {
    if (!n) return nullptr;
    return {{"estimate", n->value}, {"sigma", n->sigma}, {"interval_95", {n->low, n->high}}};
  };
  return {{"by", std::string(model::name_of(result.before.command_path()->by))},
          {"dead_band_N", number(result.command_path.dead_band)},
          {"gain", number(result.command_path.gain)},
          {"blocks", result.command_path.blocks},
          {"at_limit", result.command_path.at_limit()}};
}

Json excitation_of(const Identified& found) {
  Json json = Json::object();
  for (int i = 0; i < 6; ++i) json[std::string(model::dof_name(i))] = found.excitation[i];
  return json;
}

Json refinement_of(const IdentifyResult& result) {
  if (!result.refined) return nullptr;
  const identify::OutputError& r = *result.refined;
  Json before = Json::object(), after = Json::object();
  for (const int i : model::free_indices(result.found.structure.dof)) {
    before[std::string(model::dof_name(i))] = r.r2_before[i];
    after[std::string(model::dof_name(i))] = r.r2_after[i];
  }
  return {{"converged", r.converged},     {"about", r.about},           {"disputed", result.inconsistent()},
          {"iterations", r.iterations},   {"shots", r.segments},        {"samples", r.samples},
          {"cost_before", r.cost_before}, {"cost_after", r.cost_after}, {"r2_before", std::move(before)},
          {"r2_after", std::move(after)}};
}

}  // namespace

bool IdentifyResult::good() const {
  return (accept_bounds || !found.has_active_constraint()) && (accept_unseen || found.all_identifiable()) &&
         (!refined || refined->converged);
}

model::ParameterVector IdentifyResult::parameters_before() const {
  return model::parameters_of(before, environment, found.structure).parameters;
}

std::vector<std::string> IdentifyResult::names() const {
  std::vector<std::string> names;
  for (const model::Parameter& parameter : found.parameters.entries()) names.push_back(parameter.name);
  return names;
}

std::vector<std::string> IdentifyResult::unseen() const {
  std::vector<std::string> out;
  for (const std::size_t k : found.identifiability.unidentifiable) out.push_back(found.parameters[k].name);
  return out;
}

std::vector<std::string> IdentifyResult::inconsistent() const {
  std::vector<std::string> out;
  if (refined)
    for (const std::size_t k : refined->inconsistent) out.push_back(found.parameters[k].name);
  if (forward)
    for (const std::size_t k : forward->inconsistent) out.push_back(found.parameters[k].name);
  return out;
}

std::string about_estimator(const IdentifyResult& result) {
  if (result.estimator == "consistent") return "";
  const std::string warning = result.inconsistent().empty()
                                  ? ""
                                  : fmt::format(
                                        " WARNING: it and the fit that it began with differ in {} by more "
                                        "than their sigmas explain; the intervals hold the difference.",
                                        join(result.inconsistent(), ", "));
  if (result.refined)
    return fmt::format("Refined by output error over {} shots ({}).{}", result.refined->segments,
                       result.refined->converged ? "converged" : "NOT CONVERGED", warning);
  if (result.forward)
    return "Values, intervals and delay are those of the forward estimator; current, residuals, conditions and "
           "what is seen are those of the consistent one." +
           warning;
  return fmt::format(
      "Values and intervals are those of the {} estimator, at the delay and current of the consistent one; "
      "residuals, conditions and what is seen are those of the consistent one.",
      result.estimator);
}

std::string delay_warning(const IdentifyResult& result) {
  const identify::Fit& fit = result.found.fit;
  if (!fit.delay_at_limit) return "";
  const double limit = std::clamp(fit.delay_wanted, 0.0, identify::RegressionOptions().most_delay);
  const bool is_far = std::abs(fit.delay_wanted - limit) > 2 * fit.nuisance.delay_sigma;
  return fmt::format("delay at its limit: {:g} s is taken, the logs want {:.4f} s; {}", limit, fit.delay_wanted,
                     is_far
                         ? "the commands' clock may be off against the sensors', or a latency in the robot file"
                         : "that is within two sigmas of it");
}

std::string command_path_warning(const IdentifyResult& result) {
  if (!result.command_path.at_limit()) return "";
  return fmt::format("the dead band is the largest that was tried, {:.3g} N: the commands do not show it",
                     result.command_path.most_dead_band);
}

std::string tilt_warning(const IdentifyResult& result) {
  if (!result.found.neglects_tilt()) return "";
  return fmt::format(
      "the vehicle heels by {:.1f} deg (rms), which structure {} takes for zero: inertia and drag may be off "
      "by "
      "more than their intervals say; a 6-DoF structure, or a motion that heels less",
      result.found.tilt * degrees, result.found.structure.name);
}

Json summary_of(const IdentifyResult& result) {
  const Identified& found = result.found;
  Json summary = {{"version", FATHOM_VERSION},
                  {"command", result.command},
                  {"robot", result.before.name()},
                  {"what", "vehicle"},
                  {"structure", found.structure.name},
                  {"dof", static_cast<int>(found.structure.dof)},
                  {"estimator", result.estimator},
                  {"about_estimator", about_estimator(result)},
                  {"density", result.environment.density()},
                  {"gravity", result.environment.gravity()},
                  {"good", result.good()},
                  {"bounds_hit", found.active_constraints()},
                  {"expected_edges", found.expected_active_constraints()},
                  {"unseen", unseen_of(result)},
                  {"parameters", parameters_json(result)},
                  {"structures", structures_of(found)},
                  {"estimators", estimators_of(found)}};
  summary["output_error"] = refinement_of(result);
  summary.update(nuisance_of(result));
  summary["steering"] = command_path_of(result);
  summary["samples"] = found.fit.residuals.t.size();
  summary["sample_interval_s"] = found.sample_interval();
  summary["rounds"] = found.fit.rounds;
  summary["settled"] = found.fit.settled;
  summary["noise_share"] = found.fit.noise_share;
  summary["bandwidth_s"] = found.fit.bandwidth * found.sample_interval();
  summary["condition_number"] = found.fit.condition;
  summary["scaled_condition_number"] = found.fit.scaled_condition;
  summary["residuals"] = residuals_of(found);
  summary["excitation"] = excitation_of(found);
  summary["tilt_deg"] = found.tilt * degrees;
  summary["certificate"] = result.refined ? Json() : certificate_of(found.fit.conic);
  summary["logs"] = Json::array();
  for (const auto& recording : result.recordings) summary["logs"].push_back(log_of(recording));
  summary["files"] = Json::array();
  return summary;
}

}  // namespace fathom::cli
