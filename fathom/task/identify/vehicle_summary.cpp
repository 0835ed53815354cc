#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/vehicle/parameter_intervals.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/model_file/robot_file.hpp"
#include "fathom/task/identify/internal/vehicle.hpp"
#include "fathom/task/internal/option_table.hpp"
#include "fathom/task/internal/summary_json.hpp"

namespace fathom::task {
namespace {

using Summary = IdentifyVehicleSummary;

std::vector<double> list_of(const Eigen::VectorXd& v) { return {v.begin(), v.end()}; }
std::array<double, 3> triple_of(const Vec3& v) { return {v[0], v[1], v[2]}; }

std::vector<std::string> names_of(const identify::Identified& found, const std::vector<std::size_t>& indices) {
  std::vector<std::string> names;
  for (const std::size_t k : indices) names.push_back(found.parameters[k].name);
  return names;
}

/// What a user takes for a mass: a forward estimate of it is biased.
bool is_inertia(const model::Parameter& parameter) { return parameter.group == "inertia"; }

std::string word_of(identify::ParameterInterval::Kind kind) {
  using Kind = identify::ParameterInterval::Kind;
  switch (kind) {
    case Kind::determined: return "determined";
    case Kind::weak: return "weak";
    case Kind::at_bound: return "at bound";
    case Kind::not_identifiable: break;
  }
  return "not identifiable";
}

/// Intervals of the parameters that the robot has; of inertia, those of the consistent estimate.
std::vector<identify::ParameterInterval> intervals_of(const internal::VehicleFit& at) {
  const solve::ConicSet constraints =
      consistency::constraints(at.found.structure, at.robot, at.environment, at.constraints);
  // The other estimators know no constraints, so that none can end an interval.
  const bool is_constrained = at.refined || at.estimator == "consistent" || at.estimator == "forward";
  std::vector<identify::ParameterInterval> intervals =
      identify::parameter_intervals(at.found, is_constrained ? constraints : solve::ConicSet{});
  if (!at.consistent) return intervals;
  identify::Identified consistent = at.found;
  consistent.parameters = *at.consistent;
  const auto own = identify::parameter_intervals(consistent, constraints);
  for (std::size_t k = 0; k < intervals.size(); ++k)
    if (is_inertia(consistent.parameters[k])) intervals[k] = own[k];
  return intervals;
}

std::vector<Summary::Parameter> parameters_of(const internal::VehicleFit& at) {
  const std::vector<identify::ParameterInterval> intervals = intervals_of(at);
  const model::ParameterVector& now = at.found.parameters;
  const model::ParameterVector before =
      model::parameters_of(at.robot, at.environment, at.found.structure).parameters;
  const Eigen::VectorXd naive = at.found.fit.naive_covariance.diagonal().cwiseSqrt();
  const auto is_among = [](std::size_t k, const std::vector<std::size_t>& list) {
    return std::find(list.begin(), list.end(), k) != list.end();
  };
  std::vector<Summary::Parameter> list;
  for (std::size_t k = 0; k < now.size(); ++k) {
    const identify::ParameterInterval& interval = intervals[k];
    list.push_back({now[k].name, now[k].unit, now[k].group, now[k].value, now.sigma(k), word_of(interval.kind),
                    interval.of_95, interval.of_80, interval.of_50, interval.begins_at_bound,
                    interval.ends_at_bound,
                    at.estimator == "consistent" ? naive[static_cast<Eigen::Index>(k)] : nan, before[k].value,
                    before.sigma(k), !is_among(k, at.found.identifiability.unidentifiable),
                    is_among(k, at.found.at_prior.unidentifiable)});
    Summary::Parameter& last = list.back();
    last.in_robot = now[k].value;
    if (!at.consistent) continue;
    last.consistent = (*at.consistent)[k].value;
    last.consistent_sigma = at.consistent->sigma(k);
    if (!is_inertia(now[k])) continue;
    last.estimate = last.consistent;
    last.sigma = last.consistent_sigma;
  }
  return list;
}

Summary::EstimatorChoice choice_of(const identify::EstimatorChoice& choice) {
  Summary::EstimatorChoice out{choice.whole_logs ? "logs" : "blocks", choice.folds, choice.blocks,
                               choice.why_consistent};
  for (std::size_t k = 0; k < choice.candidates.size(); ++k) {
    const identify::EstimatorCandidate& c = choice.candidates[k];
    const auto if_tried = [&](double value) { return c.tried ? value : nan; };
    out.candidates.push_back({c.estimator, c.structure.name, c.tried, c.why_not,
                              if_tried(std::exp(c.difference)), if_tried(c.difference),
                              if_tried(c.difference_sigma), c.probability, k == choice.chosen});
  }
  return out;
}

std::vector<Summary::Structure> structures_of(const identify::StructureChoice& choice) {
  std::vector<Summary::Structure> list;
  for (std::size_t k = 0; k < choice.candidates.size(); ++k) {
    const identify::Candidate& c = choice.candidates[k];
    const auto if_tried = [&](double value) { return c.tried ? value : nan; };
    list.push_back({c.structure.name,
                    static_cast<int>(c.structure.dof),
                    c.structure.size(),
                    c.tried,
                    c.why_not,
                    if_tried(c.error),
                    if_tried(c.worse),
                    if_tried(c.worse_sigma),
                    {},
                    k == choice.chosen});
    for (const int i : identify::scored_velocities)
      if (c.tried) list.back().share.emplace_back(model::dof_name(i), c.share[i]);
  }
  return list;
}

Summary::OutputError refinement_of(const internal::VehicleFit& at) {
  const identify::OutputError& r = *at.refined;
  Summary::OutputError out{r.converged,   r.about,     internal::inconsistent(at),
                           r.iterations,  r.segments,  r.samples,
                           r.cost_before, r.cost_after};
  for (const int i : model::free_indices(at.found.structure.dof)) {
    out.r2_before.emplace_back(model::dof_name(i), r.r2_before[i]);
    out.r2_after.emplace_back(model::dof_name(i), r.r2_after[i]);
  }
  return out;
}

Summary::CommandPath command_path_of(const internal::VehicleFit& at) {
  const auto number = [](const std::optional<identify::CommandPathNumber>& n) {
    return n ? std::optional(Summary::CommandPathNumber{n->value, n->sigma, {n->low, n->high}}) : std::nullopt;
  };
  const bool looked = at.command_path.looked_for_saturation;
  return {std::string(model::name_of(at.robot.command_path()->by)),
          number(at.command_path.dead_band),
          number(at.command_path.gain),
          at.command_path.blocks,
          at.command_path.at_limit(),
          number(at.command_path.saturation),
          looked ? std::optional(at.command_path.saturation.has_value()) : std::nullopt,
          looked ? std::optional(at.command_path.largest_force) : std::nullopt};
}

Summary::Unseen unseen_of(const identify::Identified& found, const consistency::Identifiability& id) {
  constexpr std::size_t most_terms = 5;  // of a combination that anybody would read
  std::vector<std::string> names;
  for (const model::Parameter& parameter : found.parameters.entries()) names.push_back(parameter.name);
  Summary::Unseen out{names_of(found, id.unidentifiable), id.rank};
  for (const auto& one : id.unidentifiable_directions)
    out.unidentifiable_directions.push_back(to_text(one, names, most_terms));
  for (const auto& one : id.identifiable_combinations)
    out.identifiable_combinations.push_back(to_text(one, names, most_terms));
  return out;
}

/// Where another estimator's values are kept, whose the figures beside them are; else empty.
std::string about_estimator(const internal::VehicleFit& at) {
  if (at.estimator == "consistent") return "";
  const std::vector<std::string> inconsistent = internal::inconsistent(at);
  const std::string warning = inconsistent.empty()
                                  ? ""
                                  : fmt::format(
                                        " WARNING: it and the fit that it began with differ in {} by more "
                                        "than their sigmas explain; the intervals hold the difference.",
                                        join(inconsistent, ", "));
  if (at.choice) {
    const identify::EstimatorCandidate& best = at.choice->best();
    return fmt::format(
        "The written robot has the {} estimate: on held-out data its errors are {:.0f} % smaller than those of "
        "the "
        "consistent one (standard error {:.1f} %). Its masses are biased. Inertia in the table is that of the "
        "consistent estimate; all else is that of the written robot.{}",
        best.estimator, 100 * (1 - std::exp(best.difference)), 100 * best.difference_sigma, warning);
  }
  if (at.refined)
    return fmt::format("Refined by output error over {} segments ({}).{}", at.refined->segments,
                       at.refined->converged ? "converged" : "NOT CONVERGED", warning);
  if (at.forward)
    return "Values, intervals and delay are those of the forward estimator; current, residuals, conditions and "
           "what is seen are those of the consistent one." +
           warning;
  return fmt::format(
      "Values and intervals are those of the {} estimator, at the delay and current of the consistent one; "
      "residuals, conditions and what is seen are those of the consistent one.",
      at.estimator);
}

Summary::Lag lag_of(const identify::LagAverage& lag) {
  return {lag.lag.time_constant,
          lag.sigma,
          std::string(model::name_of(lag.lag.acts_on)),
          lag.probability,
          lag.is_averaged,
          lag.shows_only_sum(),
          lag.sum,
          lag.sum_sigma,
          lag.stated.time_constant,
          lag.inflation};
}

bool is_accepted(const Summary& s, const char* flag) { return s.command.find(flag) != std::string::npos; }

std::vector<std::string> reasons_of(const Summary& s) {
  std::vector<std::string> reasons;
  if (!s.active_constraints.empty() && !is_accepted(s, " --accept-bounds"))
    reasons.push_back(
        fmt::format("bound hit: {} (accept it with --accept-bounds)", join(s.active_constraints, "; ")));
  if (!s.unseen.parameters.empty() && !is_accepted(s, " --accept-unseen"))
    reasons.push_back(fmt::format("the logs do not show {} (accept it with --accept-unseen)",
                                  join(s.unseen.parameters, ", ")));
  if (s.dry_body_share < 1)
    reasons.push_back(
        fmt::format("body and water together are lighter than the dry body of the robot file: robot.yaml has "
                    "{:.3g} % of its "
                    "mass and inertia; check them, and the thruster map",
                    100 * s.dry_body_share));
  for (const LogSummary& log : s.logs)
    for (const std::string& contradiction : log.contradictions)
      reasons.push_back(
          fmt::format("{}: {} (--no-sensor-check goes on without this check)", log.name, contradiction));
  if (s.output_error && !s.output_error->converged)
    reasons.push_back("the refinement did not converge: " + s.output_error->about);
  return reasons;
}

}  // namespace

namespace internal {

std::vector<std::string> inconsistent(const VehicleFit& at) {
  std::vector<std::size_t> indices;
  if (at.refined) indices = at.refined->inconsistent;
  if (at.forward)
    indices.insert(indices.end(), at.forward->inconsistent.begin(), at.forward->inconsistent.end());
  return names_of(at.found, indices);
}

std::vector<std::string> warnings_of(const VehicleFit& at) {
  std::vector<std::string> list;
  const identify::Fit& fit = at.found.fit;
  if (fit.delay_at_limit) {
    const double limit = std::clamp(fit.delay_wanted, 0.0, identify::RegressionOptions().most_delay);
    const bool is_far = std::abs(fit.delay_wanted - limit) > 2 * fit.nuisance.delay_sigma;
    list.push_back(fmt::format(
        "delay at its limit: {:g} s is taken, the logs want {:.4f} s; {}", limit, fit.delay_wanted,
        is_far ? "the commands' clock may be off against the sensors', or a latency in the robot file"
               : "that is within two sigmas of it"));
  }
  if (!at.found.not_told_apart.empty())
    list.push_back(fmt::format(
        "no motion like this tells {} apart in structure {}: their values and sigmas say nothing; a structure "
        "with fewer parameters does without them (vehicle-24 has W-B in the place of W and B)",
        join(names_of(at.found, at.found.not_told_apart), ", "), at.found.structure.name));
  if (const auto& lag = at.found.lag; lag && !lag->why_not.empty())
    list.push_back(
        fmt::format("the estimate is that of one lag of the thrusters, {:.3g} s, and its intervals lack what "
                    "the lag may be: "
                    "the average over it found none: {}",
                    lag->lag.time_constant, lag->why_not));
  if (const auto& lag = at.found.lag; lag && lag->too_long() > 3)
    list.push_back(
        fmt::format("the robot file's lag of the thrusters, {:.3g} s, is longer than the logs say: {:.3g} s, "
                    "sigma {:.2g} s; "
                    "a step test would tell",
                    *lag->stated.time_constant, lag->lag.time_constant, lag->sigma));
  if (at.command_path.at_limit())
    list.push_back(
        fmt::format("the dead band is the largest that was tried, {:.3g} N: the commands do not show it",
                    at.command_path.most_dead_band));
  if (!at.too_short.empty())
    list.push_back(
        fmt::format("{} {} too short by itself for residual statistics: bands of a prediction do not know it",
                    join(at.too_short, ", "), at.too_short.size() == 1 ? "is" : "are"));
  for (const identify::ParameterInterval& interval : intervals_of(at))
    if (interval.has_too_few_draws) {
      list.push_back(
          fmt::format("the constraints keep {:.2g} % of the draws of the estimate, too few for quantiles: "
                      "intervals are those of the Gaussian, cut off at each parameter's own bounds",
                      100 * interval.accepted));
      break;
    }
  if (at.found.neglects_tilt())
    list.push_back(fmt::format(
        "the vehicle heels by {:.3g} deg (rms). The {}-DoF structure {} neglects {:.2g} % of the wrench; {}",
        at.found.tilt * degrees, static_cast<int>(at.found.structure.dof), at.found.structure.name,
        100 * at.found.neglected_share(),
        at.found.shows_tilt() ? "use --structure 6dof"
                              : "use a motion that heels less, or one that rolls and "
                                "pitches enough for a 6-DoF structure"));
  return list;
}

IdentifyVehicleSummary summary_of(const VehicleFit& at, const IdentifyVehicleOptions& options) {
  const identify::Identified& found = at.found;
  const identify::Fit& fit = found.fit;
  Summary s;
  s.version = version();
  s.command = command_of("identify", options);
  s.robot = at.robot.name();
  s.structure = found.structure.name;
  s.dof = static_cast<int>(found.structure.dof);
  s.estimator = at.estimator;
  s.about_estimator = about_estimator(at);
  s.density = at.environment.density();
  s.gravity = at.environment.gravity();
  s.active_constraints = found.active_constraints();
  s.expected_active_constraints = found.expected_active_constraints();
  s.unseen = unseen_of(found, found.identifiability);
  const Summary::Unseen at_prior = unseen_of(found, found.at_prior);
  s.at_prior = at_prior.parameters;
  s.at_prior_directions = at_prior.unidentifiable_directions;
  s.parameters = parameters_of(at);
  if (found.choice) s.structures = structures_of(*found.choice);
  for (const identify::Estimate& e : found.estimates)
    s.estimators.push_back(
        {e.name, e.about, e.found, e.why_not, list_of(e.theta), list_of(e.covariance.diagonal().cwiseSqrt())});
  if (at.choice) s.estimator_choice = choice_of(*at.choice);
  if (at.refined) s.output_error = refinement_of(at);
  s.delay_s = fit.nuisance.value.delay;
  s.delay_sigma_s = fit.nuisance.delay_sigma;
  s.delay_estimated = at.fit.estimate_delay;
  s.delay_at_limit = fit.delay_at_limit;
  if (fit.delay_at_limit) s.delay_wanted_s = fit.delay_wanted;
  if (found.lag) s.lag = lag_of(*found.lag);
  s.current = triple_of(fit.nuisance.value.current_n);
  s.current_sigma = triple_of(fit.nuisance.current_sigma);
  s.current_estimated = at.fit.estimate_current;
  if (at.command_path.found_any()) s.command_path = command_path_of(at);
  s.samples = fit.residuals.t.size();
  s.sample_interval_s = found.sample_interval();
  s.rounds = fit.rounds;
  s.settled = fit.settled;
  s.noise_share = fit.noise_share;
  s.bandwidth_s = fit.bandwidth * found.sample_interval();
  s.condition_number = fit.condition;
  s.scaled_condition_number = fit.scaled_condition;
  Eigen::Index row = 0;
  for (const int i : model::free_indices(found.structure.dof)) {
    const solve::Whiteness& w = fit.whiteness[static_cast<std::size_t>(row)];
    s.residuals.emplace_back(model::dof_name(i), Summary::Residual{found.residual_rms(row++), found.wrench[i],
                                                                   w.integral_time * found.sample_interval(),
                                                                   w.statistic, w.probability, w.lags});
  }
  for (int i = 0; i < 6; ++i) s.excitation.emplace_back(model::dof_name(i), found.excitation[i]);
  s.tilt_deg = found.tilt * degrees;
  s.dry_body_share = at.dry_body_share;
  s.neglected_share = found.neglected_share();
  if (!at.refined)
    s.certificate = {fit.conic.gap, fit.conic.f, fit.conic.stationarity, fit.conic.complementarity,
                     fit.conic.iterations};
  for (const auto& recording : at.recordings) s.logs.push_back(task::summary_of(recording));
  s.good = reasons_of(s).empty();
  return s;
}

}  // namespace internal

// The keys of summary.json, in its order.
FATHOM_JSON(Summary::Unseen, parameters, rank, unidentifiable_directions, identifiable_combinations)
FATHOM_JSON(Summary::Parameter, name, unit, group, estimate, sigma, state, interval_95, interval_80,
            interval_50, begins_at_bound, ends_at_bound, naive_sigma, before, before_sigma, seen, at_prior,
            consistent, consistent_sigma, in_robot)
FATHOM_JSON(Summary::EstimatorCandidate, estimator, structure, tried, why_not, score, difference,
            difference_sigma, probability, chosen)
FATHOM_JSON(Summary::EstimatorChoice, held_out, folds, blocks, why_consistent, candidates)
FATHOM_JSON(Summary::Structure, name, dof, parameters, tried, why_not, error, worse, worse_sigma, share, chosen)
FATHOM_JSON(Summary::Estimator, name, about, found, why_not, values, sigmas)
FATHOM_JSON(Summary::OutputError, converged, about, inconsistent, iterations, segments, samples, cost_before,
            cost_after, r2_before, r2_after)
FATHOM_JSON(Summary::CommandPathNumber, estimate, sigma, interval_95)
FATHOM_JSON(Summary::CommandPath, by, dead_band_N, gain, blocks, at_limit, saturation_N, saturation_reached,
            largest_force_N)
FATHOM_JSON(Summary::Lag, time_constant_s, sigma_s, acts_on, probability, averaged, only_sum, sum_s,
            sum_sigma_s, before_s, inflation)
FATHOM_JSON(Summary::Residual, rms, wrench_rms, integral_time_s, ljung_box, ljung_box_probability, lags)
FATHOM_JSON(Summary::Certificate, gap, objective, stationarity, complementarity, iterations)
FATHOM_SUMMARY(IdentifyVehicleSummary, version, command, robot, what, structure, dof, estimator,
               about_estimator, density, gravity, good, active_constraints, expected_active_constraints, unseen,
               at_prior, at_prior_directions, parameters, structures, estimators, estimator_choice,
               output_error, delay_s, delay_sigma_s, delay_estimated, delay_at_limit, delay_wanted_s, lag,
               current, current_sigma, current_estimated, command_path, samples, sample_interval_s, rounds,
               settled, noise_share, bandwidth_s, condition_number, scaled_condition_number, residuals,
               excitation, tilt_deg, dry_body_share, neglected_share, certificate, logs, files)

std::vector<std::string> IdentifyVehicleResult::reasons() const { return reasons_of(summary); }

std::vector<std::string> IdentifyVehicleResult::warnings() const {
  if (!evidence) return {};
  std::vector<std::string> list = evidence->doubts;
  if (!summary.settled) list.push_back(fmt::format("the estimate still moved after {} rounds", summary.rounds));
  if (!evidence->inconsistent.empty())
    list.push_back(fmt::format(
        "{} and fit differ in {} by more than their sigmas explain; their intervals hold the "
        "difference",
        summary.output_error ? "output error" : "forward estimate", join(evidence->inconsistent, ", ")));
  return list;
}

IdentifyVehicleResult IdentifyVehicleResult::load(const std::filesystem::path& folder) {
  return {{load_summary(folder)}, model::read_robot(folder / "robot.yaml"), {}};
}

}  // namespace fathom::task
