#include <fmt/format.h>

#include "fathom/identify/vehicle/scored_velocities.hpp"

#include "cli/verbs/demo/demo_result.hpp"
#include "version.hpp"

namespace fathom::cli {
namespace {

using Json = nlohmann::ordered_json;  // it writes what is not finite as null

Json excitation_of(const DemoResult& result) {
  return {{"problem", result.problem.name},
          {"robot", result.problem.robot.name()},
          {"duration_s", result.problem.duration()},
          {"starts", result.problem.starts},
          {"off_its_path_rms_m",
           result.statistics.tracking ? Json(result.statistics.tracking->position_rms) : Json()},
          {"distance_m", result.statistics.distance},
          {"completed", result.swum_to_the_end}};
}

Json candidates_of(const identify::Identified& identified) {
  Json list = Json::array();
  if (!identified.choice) return list;
  for (const identify::Candidate& c : identified.choice->candidates)
    list.push_back({{"structure", c.structure.name},
                    {"parameters", c.structure.size()},
                    {"error", c.tried ? Json(c.error) : Json()},
                    {"worse", c.tried ? Json(c.worse) : Json()},
                    {"worse_sigma", c.tried ? Json(c.worse_sigma) : Json()},
                    {"why_not", c.why_not}});
  return list;
}

Json identification_of(const DemoResult& result) {
  const identify::Identified& identified = result.chosen.identified;
  const identify::NuisanceEstimate& nuisance = identified.fit.nuisance;
  Json parameters = Json::array();
  for (const studies::Estimated& e : result.parameters)
    parameters.push_back({{"name", e.name},
                          {"unit", e.unit},
                          {"true", e.truth},
                          {"estimate", e.value},
                          {"sigma", e.sigma},
                          {"low", e.low()},
                          {"high", e.high()},
                          {"holds", e.holds()}});
  Json unseen = Json::array();
  for (const std::size_t k : identified.identifiability.unidentifiable)
    unseen.push_back(result.parameters[k].name);
  return {
      {"structure", identified.structure.name},
      {"candidates", candidates_of(identified)},
      {"parameters", std::move(parameters)},
      {"intervals_that_hold", result.held()},
      {"share_that_holds", static_cast<double>(result.held()) / static_cast<double>(result.parameters.size())},
      {"delay_s", nuisance.value.delay},
      {"delay_sigma_s", nuisance.delay_sigma},
      {"at_a_bound", identified.active_constraints()},
      {"at_an_expected_edge", identified.expected_active_constraints()},
      {"not_shown", std::move(unseen)}};
}

template <class Number>
Json by_velocity(const Number& number) {
  Json json;
  for (const int i : identify::scored_velocities) json[std::string(model::dof_name(i))] = number(i);
  return json;
}

Json r2_of(const identify::Validation& validation) {
  return by_velocity([&](int i) { return validation.r2(i).median; });
}

Json coverage_of(const identify::Validation& validation) {
  return by_velocity([&](int i) { return validation.coverage(i).median; });
}

Json tracking_of(const std::optional<loop::Tracking>& tracking) {
  if (!tracking) return {};
  return {{"position_rms_m", tracking->position_rms},
          {"position_max_m", tracking->position_max},
          {"attitude_rms_rad", tracking->attitude_rms}};
}

}  // namespace

nlohmann::ordered_json summary_of(const DemoResult& result) {
  const auto paths = result.trajectories(result.validation), pilot = result.joystick(result.validation);
  Json checks = Json::array();
  for (const DemoResult::Check& check : result.checks())
    checks.push_back({{"what", check.what}, {"holds", check.holds}});
  return {{"version", FATHOM_VERSION},
          {"command", fmt::format("demo --seed {}", result.seed)},
          {"seed", result.seed},
          {"excitation", excitation_of(result)},
          {"identification", identification_of(result)},
          {"validation",
           {{"trajectories", result.unseen.motions.size()},
            {"r2", r2_of(paths)},
            {"r2_linear", r2_of(result.trajectories(result.linear_validation))},
            {"r2_joystick", r2_of(pilot)},
            {"r2_joystick_linear", r2_of(result.joystick(result.linear_validation))},
            {"in_95_percent_band", coverage_of(paths)},
            {"in_95_percent_band_joystick", coverage_of(pilot)}}},
          {"tracking",
           {{"alone", tracking_of(result.tracking.alone)},
            {"nominal", tracking_of(result.tracking.nominal)},
            {"identified", tracking_of(result.tracking.identified)}}},
          {"checks", std::move(checks)},
          {"checks_hold", result.good()}};
}

}  // namespace fathom::cli
