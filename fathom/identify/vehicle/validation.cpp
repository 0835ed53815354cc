#include "fathom/identify/vehicle/validation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/parallel_map.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using model::Dof;

/// The samples of one row that are compared.
Eigen::VectorXd picked(const Mat6X& rows, int row, const std::vector<char>& marks) {
  Eigen::VectorXd result(std::count(marks.begin(), marks.end(), 1));
  Index at = 0;
  for (std::size_t k = 0; k < marks.size(); ++k)
    if (marks[k]) result[at++] = rows(row, static_cast<Index>(k));
  return result;
}

VelocityResult judge(const Recording& recording, const Prediction& prediction, int row) {
  const Eigen::VectorXd y = picked(recording.track.nu_b, row, prediction.compared);
  const Eigen::VectorXd p = picked(prediction.nu_b, row, prediction.compared);
  VelocityResult result;
  if (y.size() > 0) {
    result.range = y.maxCoeff() - y.minCoeff();
    if (recording.track.nu_sigma_b.cols() == recording.size()) {
      const Eigen::VectorXd sigma = picked(recording.track.nu_sigma_b, row, prediction.compared);
      result.noise = std::sqrt(sigma.squaredNorm() / static_cast<double>(sigma.size()));
    }
  }
  result.metrics = metrics(y, p, std::isfinite(result.noise) ? result.noise : 0);
  return result;
}

RecordingResult judge(const model::Robot& robot, const dynamics::Vehicle& vehicle, const Recording& recording,
                      const ValidationOptions& options, std::size_t number) {
  RecordingResult result;
  result.name = recording.name;
  const PredictionOptions prediction = options.prediction_of(number);
  result.prediction = predict(vehicle, recording, prediction);
  if (options.range)
    result.beyond = check_range(*options.range, recording, robot, vehicle.dof(), prediction.current_n).beyond;
  const auto& compared = result.prediction.compared;
  result.samples = compared.size();
  result.compared = static_cast<std::size_t>(std::count(compared.begin(), compared.end(), 1));
  for (const int row : model::free_indices(vehicle.dof()))
    result.velocities[static_cast<std::size_t>(row)] = judge(recording, result.prediction, row);
  return result;
}

/// Terms of the estimate that the degrees of freedom have.
bool is_of(const model::Term& term, Dof dof) {
  using enum model::Term::Kind;
  switch (term.kind) {
    case inertia:
    case inertia_entry:
    case linear: return model::is_free(dof, term.row) && model::is_free(dof, term.column);
    case quadratic:
      return model::is_free(dof, term.row) && model::is_free(dof, term.column) &&
             model::is_free(dof, term.speed);
    case net_weight:
    case weight:
    case buoyancy: return dof != Dof::three;
    case first_moment: return dof == Dof::six;
  }
  return false;
}

/// The robot as a prediction with its own thrusters knows it: parameters go
/// with the forces that they were fitted to, so that an error of the forces is
/// in both and moves the vehicle no differently.
model::Robot given_thrusters(const model::Robot& robot) {
  if (!robot.identified() || robot.identified()->by_thrusters.empty()) return robot;
  model::RobotSpec spec = robot.spec();
  model::IdentifiedParameters& identified = *spec.identified;
  identified.parameters =
      model::ParameterVector(identified.parameters.entries(), model::covariance_given_thrusters(identified));
  identified.by_thrusters.clear();
  return model::Robot::make(std::move(spec));
}

template <class Number>
Spread over_recordings(const Validation& validation, int velocity, const Number& number) {
  std::vector<double> values;
  for (const RecordingResult& recording : validation.recordings)
    values.push_back(number(recording.velocities[static_cast<std::size_t>(velocity)]));
  return spread_of(std::move(values));
}

/// Mean over the judged velocities of what `number` gives, relative to the range; one value per recording.
template <class Number>
std::vector<double> relative(const Validation& validation, const Number& number) {
  std::vector<double> result;
  for (const RecordingResult& recording : validation.recordings) {
    double sum = 0;
    int count = 0;
    for (const int i : scored_velocities) {
      const VelocityResult& velocity = recording.velocities[static_cast<std::size_t>(i)];
      const double share = number(velocity) / velocity.range;
      if (!std::isfinite(share)) continue;
      sum += share;
      ++count;
    }
    result.push_back(count > 0 && recording.prediction.diverged == 0 ? sum / count : infinity);
  }
  return result;
}

double middle(std::vector<double> values) {
  if (values.empty()) return nan;
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

/// Two standard errors of the mean difference between recordings that both models can run; 0 where they are too
/// few.
double scatter(const std::vector<double>& four, const std::vector<double>& six) {
  std::vector<double> both;
  for (std::size_t k = 0; k < four.size(); ++k)
    if (std::isfinite(four[k] - six[k])) both.push_back(four[k] - six[k]);
  if (both.size() < 3) return 0;
  const Eigen::Map<const Eigen::ArrayXd> difference(both.data(), static_cast<Index>(both.size()));
  const auto n = static_cast<double>(both.size());
  return 2 * std::sqrt((difference - difference.mean()).square().sum() / (n - 1) / n);
}

std::string in_words(const DofComparison& c) {
  const auto percent = [](double share) { return fmt::format("{:.2f} %", 100 * share); };
  if (!std::isfinite(c.four) && !std::isfinite(c.six)) return "Neither model can be compared on these logs.";
  if (!std::isfinite(c.six)) return "4-DoF is enough: the 6-DoF model runs away.";
  if (!std::isfinite(c.four)) return "4-DoF is not enough: it runs away, the 6-DoF model does not.";
  const std::string errors =
      fmt::format("error {} of the range against {} in 6-DoF", percent(c.four), percent(c.six));
  if (c.six_is_better)
    return fmt::format("4-DoF is not enough: {}, a margin of {} above the noise of {}.", errors,
                       percent(c.four - c.six), percent(c.noise));
  if (c.four <= c.six) return fmt::format("4-DoF is enough: {}.", errors);
  return fmt::format("4-DoF is enough: {}, a margin of {} within the noise of {}.", errors,
                     percent(c.four - c.six), percent(c.noise));
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  std::erase_if(values, [](double x) { return !std::isfinite(x); });
  if (values.empty()) return {nan, nan, nan, nan, nan, 0};
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto k = std::min(static_cast<std::size_t>(place), values.size() - 1);
    const double next = values[std::min(k + 1, values.size() - 1)];
    return values[k] + (place - static_cast<double>(k)) * (next - values[k]);
  };
  return {values.front(), at(0.25), at(0.5), at(0.75), values.back(), values.size()};
}

Spread Validation::r2(int velocity) const {
  return over_recordings(*this, velocity, [](const VelocityResult& v) { return v.metrics.r2; });
}
Spread Validation::rmse(int velocity) const {
  return over_recordings(*this, velocity, [](const VelocityResult& v) { return v.metrics.rmse; });
}
Spread Validation::coverage(int velocity) const {
  return over_recordings(*this, velocity, [](const VelocityResult& v) { return v.coverage; });
}
bool Validation::diverged() const {
  return std::any_of(recordings.begin(), recordings.end(),
                     [](const RecordingResult& r) { return r.prediction.diverged > 0; });
}

PredictionOptions ValidationOptions::prediction_of(std::size_t recording) const {
  PredictionOptions out = prediction;
  if (!currents.empty()) out.current_n = currents[recording].current_n;
  return out;
}

Validation validate(const model::Robot& robot, const model::Environment& environment, Dof dof,
                    std::span<const Recording> recordings, const ValidationOptions& options, ThreadPool& pool) {
  if (recordings.empty()) reject("recordings", "there are none", "at least one log");
  const dynamics::Vehicle vehicle(robot, environment, dof);
  Validation validation;
  validation.dof = dof;
  validation.has_covariance = robot.identified().has_value();
  if (!options.currents.empty() && options.currents.size() != recordings.size())
    reject("currents", fmt::format("are {} for {} recordings", options.currents.size(), recordings.size()),
           "one for each, or none");
  validation.recordings = parallel_map(pool, static_cast<int>(recordings.size()), [&](int k) {
    const auto at = static_cast<std::size_t>(k);
    return judge(robot, vehicle, recordings[at], options, at);
  });
  if (options.warp) add_warps(validation, recordings, *options.warp, pool);
  if (options.band) add_bands(validation, robot, environment, recordings, options, pool);
  return validation;
}

void add_warps(Validation& validation, std::span<const Recording> recordings, const WarpOptions& options,
               WorkerPool& pool) {
  const auto free = model::free_indices(validation.dof);
  const auto count = static_cast<int>(free.size());
  const auto one = [&](int k, const std::function<bool()>&) -> std::vector<double> {
    const Recording& recording = recordings[static_cast<std::size_t>(k / count)];
    const Prediction& prediction = validation.recordings[static_cast<std::size_t>(k / count)].prediction;
    const int row = free[static_cast<std::size_t>(k % count)];
    const Eigen::VectorXd y = picked(recording.track.nu_b, row, prediction.compared);
    const Eigen::VectorXd p = picked(prediction.nu_b, row, prediction.compared);
    return {y.size() > 0 ? warp(y.transpose(), p.transpose(), options).mean : nan};
  };
  pool.run(static_cast<int>(recordings.size()) * count, one, [&](int k, const std::vector<double>& result) {
    RecordingResult& recording = validation.recordings[static_cast<std::size_t>(k / count)];
    recording.velocities[static_cast<std::size_t>(free[static_cast<std::size_t>(k % count)])].warp_mean =
        result[0];
    return true;
  });
}

void add_bands(Validation& validation, const model::Robot& robot, const model::Environment& environment,
               std::span<const Recording> recordings, const ValidationOptions& options, WorkerPool& pool) {
  const model::Structure structure = identified_structure(robot, validation.dof);
  const model::Robot known = given_thrusters(robot);
  const Ensemble ensemble(
      {known, environment, structure, model::parameters_of(known, environment, structure).parameters,
       options.prediction, options.delay_sigma, options.residual},
      *options.band);
  for (std::size_t k = 0; k < recordings.size(); ++k) {
    BandOf of;
    of.current_n = options.prediction_of(k).current_n;
    if (!options.currents.empty()) of.current_covariance = options.currents[k].covariance;
    if (options.range)
      of.widening = check_range(*options.range, recordings[k], robot, validation.dof, of.current_n).widening;
    RecordingResult& result = validation.recordings[k];
    result.band = ensemble.band(recordings[k], of, pool);
    for (std::size_t i = 0; i < 6; ++i)
      result.velocities[i].coverage = result.band->coverage[static_cast<Index>(i)];
  }
}

DofComparison compare_dof(const Validation& four, const Validation& six) {
  const auto rmse = [](const VelocityResult& v) { return v.metrics.rmse; };
  const auto noise = [](const VelocityResult& v) { return v.noise; };
  const std::vector<double> of_four = relative(four, rmse), of_six = relative(six, rmse);
  DofComparison result;
  result.four = middle(of_four);
  result.six = middle(of_six);
  const double unsure = middle(relative(four, noise));
  result.noise = std::max(std::isfinite(unsure) ? unsure : 0, scatter(of_four, of_six));
  result.six_is_better = std::isfinite(result.six) && !(result.four - result.six <= result.noise);
  result.verdict = in_words(result);
  return result;
}

model::Structure identified_structure(const model::Robot& robot, Dof dof) {
  if (!robot.identified()) return model::full_structure(dof);
  model::Structure structure{robot.identified()->structure, dof, {}};
  for (const model::Parameter& parameter : robot.identified()->parameters.entries())
    if (const auto term = model::term_by_name(parameter.name); term && is_of(*term, dof))
      structure.terms.push_back(*term);
  return structure;
}

}  // namespace fathom::identify
