#include "fathom/identify/vehicle/identify.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/vehicle/identified_robot.hpp"
#include "fathom/identify/vehicle/internal/uncertainty.hpp"
#include "fathom/identify/vehicle/neglected_wrench.hpp"
#include "fathom/model/candidates.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

/// Velocities that every candidate has must move, and something must drive them.
void reject_rest(const Vec6& excited, const Vec6& wrench, const std::vector<model::Structure>& candidates,
                 const std::string& log) {
  Findings findings;
  for (int i = 0; i < 6; ++i) {
    const bool needed = std::all_of(candidates.begin(), candidates.end(),
                                    [&](const model::Structure& s) { return model::is_free(s.dof, i); });
    const std::string name(model::dof_name(i));
    if (needed && excited[i] < least_excitation)
      findings.push_back(
          {Severity::error, log, 0, name,
           fmt::format("hardly moves: {:.1f} times the uncertainty of its velocity, {:.0f} needed", excited[i],
                       least_excitation),
           "`fathom excite` designs a motion that shows every degree of freedom"});
    else if (needed && !is_driven(wrench, i) && !is_coupled(candidates.front().dof, i))
      findings.push_back({Severity::error, log, 0, name,
                          "is driven by no thruster: nothing shows its parameters",
                          "a structure without it; or, if the robot has thrusters for it, a motion that uses "
                          "them: `fathom excite`"});
  }
  if (!findings.empty()) throw InputError(findings);
}

/// What the fit knows of each direction, but in none more than if its residuals were white: the long-run
/// covariance of a short log is nearly singular in directions in which its residuals happen to cancel.
Eigen::MatrixXd sober_information(const Fit& fit) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen(fit.covariance, fit.naive_covariance);
  if (eigen.info() != Eigen::Success) return fit.information;
  const Eigen::MatrixXd& V = eigen.eigenvectors();  // V' N V = 1, and V' C V is diagonal
  return internal::square_of(V * eigen.eigenvalues().cwiseMax(1).cwiseInverse().cwiseSqrt().asDiagonal());
}

/// docs/identification.md eq. 16: of each parameter that which makes, by itself, the wrench of a row; where no
/// thruster drives the row, its largest term.
Eigen::VectorXd sizes_that_matter(const Regression& regression, const Nuisance& at,
                                  const Eigen::VectorXd& theta) {
  const auto n = static_cast<Index>(regression.structure().size());
  const Index rows = regression.rows();
  Eigen::MatrixXd column_square = Eigen::MatrixXd::Zero(rows, n);
  Eigen::VectorXd wrench_square = Eigen::VectorXd::Zero(rows);
  regression.pass(at, [&](const RowBlock& block) {
    for (Index k = 0; k < block.tau.size(); ++k) {
      column_square.row(k % rows) += block.Y.row(k).cwiseAbs2();
      wrench_square[k % rows] += block.tau[k] * block.tau[k];
    }
  });
  for (Index row = 0; row < rows; ++row)
    if (wrench_square[row] <= 1e-12 * wrench_square.maxCoeff())
      wrench_square[row] = column_square.row(row).transpose().cwiseProduct(theta.cwiseAbs2()).maxCoeff();
  Eigen::VectorXd size = Eigen::VectorXd::Constant(n, infinity);
  for (Index k = 0; k < n; ++k)
    for (Index row = 0; row < rows; ++row)
      if (column_square(row, k) > 0)
        size[k] = std::min(size[k], std::sqrt(wrench_square[row] / column_square(row, k)));
  for (double& s : size)
    if (!std::isfinite(s) || s <= 0) s = 1;
  return size;
}

Fit fit_of(const model::Structure& structure, const std::vector<Recording>& recordings,
           const model::Robot& robot, const model::Environment& environment, const IdentifyOptions& options) {
  const Regression regression(structure, recordings, options.regression);
  const auto unknowns = static_cast<Index>(structure.size()) + 3;  // with delay and current
  if (regression.samples() <= unknowns) {
    std::string hint = "a longer log, a smaller structure, or a shorter blur";
    for (const Recording& recording : recordings)
      for (const Recording::Drop& drop : recording.dropped)
        hint += fmt::format("; {}: {} samples dropped, {}", recording.name, drop.samples, drop.why);
    reject(names_of(recordings), 0, "log",
           fmt::format("is too short: {} samples, one every {:g} s, for the {} parameters of structure {}",
                       regression.samples(), options.regression.blur, structure.size(), structure.name),
           std::move(hint));
  }
  FitOptions how = fit_options(options, recordings, robot);
  if (!how.prior) how.prior = prior_of(structure, wrench_rms(recordings), robot, environment);
  return fit(regression, consistency::constraints(structure, robot, environment, options.constraints), how);
}

/// The 4-DoF candidate with most parameters: its delay, current and residuals serve to compare all.
const model::Structure& richest(const std::vector<model::Structure>& candidates) {
  const auto rank = [](const model::Structure& s) {
    return std::pair(s.dof == model::Dof::four ? 2 : s.dof == model::Dof::six ? 1 : 0, s.size());
  };
  return *std::max_element(candidates.begin(), candidates.end(),
                           [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

/// Where a log shows too little, the steps to the current's estimate lead away.
void reject_runaway(const Fit& fit, const std::string& log) {
  constexpr double fastest = 3;  // m/s: no vehicle that a pool holds swims against more
  const double speed = fit.nuisance.value.current_n.norm();
  if (speed < fastest && fit.covariance.allFinite() && fit.theta.allFinite()) return;
  reject(log, 0, "current",
         fmt::format("its estimate ran away, to {:.3g} m/s: the log shows too little", speed),
         "take it as known; or a motion that `fathom excite` designs");
}

/// Identified::not_told_apart.
std::vector<std::size_t> not_told_apart(const Identified& found) {
  const Eigen::MatrixXd& white = found.fit.naive_covariance;
  const Eigen::VectorXd unit = white.diagonal().cwiseSqrt();
  const Eigen::MatrixXd scaled = unit.cwiseInverse().asDiagonal() * white * unit.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scaled);
  if (eigen.eigenvalues()[0] > 1e-10 * eigen.eigenvalues().maxCoeff()) return {};
  // A combination that a prior knows exactly, such as m16 + m34 where both hold m y_g alone, correlates as
  // perfectly as one that nothing tells apart, but no parameter is far off then.
  constexpr double hopeless = 1e3;  // of the size that would matter
  const Eigen::VectorXd worst = unit.cwiseQuotient(found.scale);
  const double most = worst.maxCoeff();
  if (found.fit.prior && most < hopeless) return {};
  std::vector<std::size_t> out;
  for (Index k = 0; k < worst.size(); ++k)
    if (worst[k] > 1e-3 * most) out.push_back(static_cast<std::size_t>(k));
  return out;
}

/// The vehicle of the first fit; none where no robot can hold it, as without the dry body's condition.
std::optional<dynamics::Vehicle> instrument_of(const Identified& found, const model::Robot& robot,
                                               const model::Environment& environment) {
  try {
    return dynamics::Vehicle(
        identified_robot(robot, environment, found.structure, found.parameters, "instrument"), environment,
        found.structure.dof);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Whole blocks, "quadratic damping |v| of sway and yaw", and the drag that another axis' speed adds, "q33|2|
/// >= 0".
bool is_expected_active(const model::Structure& structure, const std::string& condition) {
  if (condition.starts_with("quadratic damping |")) return true;
  return std::any_of(structure.terms.begin(), structure.terms.end(), [&](const model::Term& term) {
    return term.kind == model::Term::Kind::quadratic && term.row == term.column && term.speed != term.row &&
           condition == name_of(term) + " >= 0";
  });
}

std::vector<std::string> active_of(const Identified& found, bool expected) {
  std::vector<std::string> out;
  std::copy_if(found.fit.active.begin(), found.fit.active.end(), std::back_inserter(out),
               [&](const std::string& name) { return is_expected_active(found.structure, name) == expected; });
  return out;
}

/// Information that is no more than a sigma of 1e-5 of the size that matters: a direction that a prior knows
/// much better would hide all others behind its rounding.
Eigen::MatrixXd without_excess(const Eigen::MatrixXd& information, const Eigen::VectorXd& scale) {
  constexpr double most = 1e10;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
      Eigen::MatrixXd(scale.asDiagonal() * information * scale.asDiagonal()));
  if (eigen.eigenvalues().maxCoeff() <= most) return information;
  return internal::square_of(scale.cwiseInverse().asDiagonal() * eigen.eigenvectors() *
                             eigen.eigenvalues().cwiseMax(0).cwiseMin(most).cwiseSqrt().asDiagonal());
}

/// Sets what follows from the fit's estimate and covariance.
void conclude(const IdentifyOptions& options, Identified& found) {
  const Fit& fit = found.fit;
  found.parameters = model::ParameterVector(found.structure.parameters(fit.theta), fit.covariance);
  found.identifiability = consistency::identifiability(without_excess(sober_information(fit), found.scale),
                                                       found.scale, options.unseen_share);
  std::vector<std::size_t>& unseen = found.identifiability.unidentifiable;
  for (const std::size_t k : found.not_told_apart)
    if (std::find(unseen.begin(), unseen.end(), k) == unseen.end()) unseen.push_back(k);
  std::sort(unseen.begin(), unseen.end());
  if (fit.prior) found.at_prior = at_prior(*fit.prior, fit.covariance);
}

/// Sets the residuals of the estimate under the wrench that the recordings have now.
void renew_residuals(const std::vector<Recording>& recordings, const IdentifyOptions& options,
                     Identified& found) {
  Fit& fit = found.fit;
  const Regression regression(found.structure, recordings, options.regression);
  const Index rows = regression.rows();
  fit.residuals.values.resize(rows, regression.samples());
  regression.pass(fit.nuisance.value, [&](const RowBlock& block) {
    const Eigen::VectorXd r = block.tau - block.Y * fit.theta;
    fit.residuals.values.middleCols(block.first_sample, r.size() / rows) = r.reshaped(rows, r.size() / rows);
  });
  fit.whiteness = whiteness_of(fit.residuals);
}

/// Puts a refined estimate in the place of the fitted one.
void adopt(const OutputError& refined, const std::vector<Recording>& recordings, const IdentifyOptions& options,
           Identified& found) {
  Fit& fit = found.fit;
  fit.theta = refined.theta;
  fit.covariance = refined.covariance;
  found.by_thrusters = internal::square_of(options.fit.thrust_sigma * refined.theta);
  fit.naive_covariance = refined.white_covariance;
  fit.information = internal::scaled_inverse(fit.covariance);
  fit.nuisance = refined.nuisance;
  fit.active = refined.active;
  fit.conic = {};
  renew_residuals(recordings, options, found);
  conclude(options, found);
  found.estimates.push_back(
      {"output-error", "the model's velocities meet the measured ones: kept in place of the consistent one",
       true, "", fit.theta, fit.covariance});
}

/// Of the usable samples, between the body's down and the true one.
double tilt_rms(const std::vector<Recording>& recordings) {
  double sum = 0, samples = 0;
  each_usable(recordings, [&](const Recording& recording, Index k) {
    const double angle = std::acos(std::clamp((recording.track.attitude(k) * Vec3::UnitZ()).z(), -1.0, 1.0));
    sum += angle * angle;
    ++samples;
  });
  return std::sqrt(sum / std::max(1.0, samples));
}

}  // namespace

std::vector<std::string> Identified::active_constraints() const { return active_of(*this, false); }
std::vector<std::string> Identified::expected_active_constraints() const { return active_of(*this, true); }

double Identified::sample_interval() const {
  const std::vector<double>& t = fit.residuals.t;
  return t.size() > 1 ? t[1] - t[0] : 0;
}

double Identified::residual_rms(Index row) const {
  const auto& values = fit.residuals.values;
  return values.row(row).norm() / std::sqrt(static_cast<double>(std::max<Index>(1, values.cols())));
}

Vec3 attitude_sigma(const model::Robot& robot) {
  Vec3 sigma = Vec3::Zero();
  for (const model::Sensor& sensor : robot.sensors()) {
    if (sensor.kind != model::SensorKind::ahrs) continue;
    const auto of = [&](const char* channel) {
      const auto at = sensor.bias.find(channel);
      return at == sensor.bias.end() ? 0.0 : at->second.value;
    };
    sigma = sigma.cwiseMax(Vec3(of("attitude"), of("attitude"), of("heading")));
  }
  return sigma;
}

Vec3 attitude_sigma(const std::vector<Recording>& recordings, const model::Robot& robot) {
  Vec3 sigma = Vec3::Zero();
  for (const Recording& recording : recordings)
    sigma = sigma.cwiseMax(recording.attitude_sigma_b ? *recording.attitude_sigma_b : attitude_sigma(robot));
  return sigma;
}

FitOptions fit_options(const IdentifyOptions& options, const std::vector<Recording>& recordings,
                       const model::Robot& robot) {
  FitOptions fit = options.fit;
  if (!fit.attitude_sigma) fit.attitude_sigma = attitude_sigma(recordings, robot);
  fit.nominal_inertia = nominal_inertia(robot);
  return fit;
}

double Identified::neglected_share() const {
  double share = 0;
  for (const int i : model::free_indices(structure.dof))
    if (is_driven(wrench, i)) share = std::max(share, neglected[i] / wrench[i]);
  return share;
}

bool Identified::neglects_tilt() const {
  constexpr double of_residual = 0.5, of_wrench = 0.01;
  Index row = 0;
  for (const int i : model::free_indices(structure.dof))
    if (const double rms = residual_rms(row++);
        neglected[i] > of_residual * rms && neglected[i] > of_wrench * wrench[i])
      return true;
  return false;
}

bool Identified::shows_tilt() const {
  if (choice) {
    const auto is_six = [](const Candidate& one) { return one.structure.dof == model::Dof::six; };
    const auto& all = choice->candidates;
    if (std::any_of(all.begin(), all.end(), is_six) &&
        std::none_of(all.begin(), all.end(), [&](const Candidate& one) { return is_six(one) && one.tried; }))
      return false;
  }
  return excitation[3] >= least_excitation && excitation[4] >= least_excitation;
}

Identified identify(const std::vector<Recording>& recordings, const model::Robot& robot,
                    const model::Environment& environment, const IdentifyOptions& options) {
  if (recordings.empty()) reject("log", "is missing");
  const std::vector<model::Structure> candidates =
      options.candidates.empty() ? model::candidate_structures(robot) : options.candidates;
  const auto tell = [&](double share, const std::string& doing) {
    if (options.progress) options.progress(share, doing);
  };
  Identified out;
  out.excitation = excitation(recordings);
  out.wrench = wrench_rms(recordings);
  out.tilt = tilt_rms(recordings);
  reject_rest(out.excitation, out.wrench, candidates, names_of(recordings));
  out.structure = candidates.front();
  if (candidates.size() > 1) {
    tell(0, "fitting a first model");
    const Fit reference = fit_of(richest(candidates), recordings, robot, environment, options);
    ChoiceOptions choice = options.choice;
    choice.threads = options.threads;
    choice.progress = [&](std::size_t done) {
      tell(0.2 + 0.5 * static_cast<double>(done) / static_cast<double>(candidates.size()),
           fmt::format("{} of {} structures compared", done, candidates.size()));
    };
    out.choice = choose_structure(candidates, recordings, robot, environment, options.constraints,
                                  options.regression, reference, choice);
    out.structure = out.choice->candidates[out.choice->chosen].structure;
  }
  tell(candidates.size() > 1 ? 0.7 : 0, "fitting " + out.structure.name);
  out.fit = fit_of(out.structure, recordings, robot, environment, options);
  const Regression regression(out.structure, recordings, options.regression);
  out.scale = sizes_that_matter(regression, out.fit.nuisance.value, out.fit.theta);
  const Neglected left_out = neglected(out.structure, recordings, robot, environment, out.fit.nuisance.value,
                                       out.fit.row_sigma, options.regression);
  out.neglected = left_out.wrench;
  out.fit.covariance += left_out.covariance;
  out.fit.information = internal::scaled_inverse(out.fit.covariance);
  out.by_thrusters = internal::square_of(options.fit.thrust_sigma * out.fit.theta);
  reject_runaway(out.fit, names_of(recordings));
  out.not_told_apart = not_told_apart(out);
  conclude(options, out);
  if (options.compare) {
    tell(0.9, "comparing estimators");
    const std::optional<dynamics::Vehicle> vehicle = instrument_of(out, robot, environment);
    out.estimates = compare_estimators(regression, out.fit, fit_options(options, recordings, robot),
                                       vehicle ? &*vehicle : nullptr, options.threads);
    out.estimates.push_back({"consistent", "weighted, under what nature allows: the one that is kept", true, "",
                             out.fit.theta, out.fit.covariance});
  }
  return out;
}

ThrusterLag find_lag(std::vector<Recording>& recordings, const model::Robot& robot,
                     const model::Environment& environment, const IdentifyOptions& options,
                     const StatedLag& stated) {
  const std::vector<model::Structure> candidates =
      options.candidates.empty() ? model::candidate_structures(robot) : options.candidates;
  const model::Structure& structure = richest(candidates);
  ThrusterLag lag{stated.time_constant.value_or(0), stated.acts_on.value_or(model::ActsOn::force)};
  if (options.lag.held) lag.time_constant = *options.lag.held;
  set_lag(recordings, robot, environment, lag);
  const Fit first = fit_of(structure, recordings, robot, environment, options);
  const Regression regression(structure, recordings, options.regression);
  LagOptions rough = options.lag;
  rough.rough = true;
  lag =
      average_over_lag(regression, consistency::constraints(structure, robot, environment, options.constraints),
                       first, fit_options(options, recordings, robot), robot, environment, stated, lag, rough)
          .lag;
  set_lag(recordings, robot, environment, lag);
  return lag;
}

void average_lag(std::vector<Recording>& recordings, const model::Robot& robot,
                 const model::Environment& environment, const IdentifyOptions& options, const StatedLag& stated,
                 const ThrusterLag& from, Identified& found) {
  const Regression regression(found.structure, recordings, options.regression);
  found.lag = average_over_lag(
      regression, consistency::constraints(found.structure, robot, environment, options.constraints), found.fit,
      fit_options(options, recordings, robot), robot, environment, stated, from, options.lag);
  if (!found.lag->why_not.empty()) {
    found.lag->lag = from;
    return;
  }
  take_average(*found.lag, found.fit);
  found.by_thrusters += found.lag->between;
  set_lag(recordings, robot, environment, found.lag->lag);
  renew_residuals(recordings, options, found);
  conclude(options, found);
  for (Estimate& estimate : found.estimates)
    if (estimate.name == "consistent") {
      estimate.theta = found.fit.theta;
      estimate.covariance = found.fit.covariance;
    } else if (estimate.found) {
      estimate.covariance += found.lag->between;
    }
}

namespace {

/// Adds to the covariance of every estimate what the logs alone do not know.
void widen_by(const Eigen::MatrixXd& covariance, const IdentifyOptions& options, Identified& found) {
  found.fit.covariance += covariance;
  found.by_thrusters += covariance;
  found.fit.information = internal::scaled_inverse(found.fit.covariance);
  conclude(options, found);
  for (Estimate& estimate : found.estimates)
    if (estimate.found) estimate.covariance += covariance;
}

}  // namespace

void widen_by_map(const std::vector<Recording>& recordings, const model::Robot& robot,
                  const model::Environment& environment, const IdentifyOptions& options, const ThrusterLag& lag,
                  Identified& found) {
  const Regression regression(found.structure, recordings, options.regression);
  widen_by(map_covariance(regression, found.fit, fit_options(options, recordings, robot), robot, environment,
                          lag, options.map),
           options, found);
}

void widen_by_dead_band(const std::vector<Recording>& recordings, const model::Robot& robot,
                        const model::Environment& environment, const IdentifyOptions& options, double dead_band,
                        double sigma, Identified& found) {
  const Eigen::VectorXd by_sigma =
      internal::moved_by_dead_band(recordings, dead_band, sigma, [&](const std::vector<Recording>& other) {
        return fit_of(found.structure, other, robot, environment, options).theta;
      });
  widen_by(internal::square_of(by_sigma), options, found);
}

void widen_by_saturation(const std::vector<Recording>& recordings, const model::Robot& robot,
                         const model::Environment& environment, const IdentifyOptions& options,
                         double dead_band, double saturation, double sigma, Identified& found) {
  const Eigen::VectorXd by_sigma = internal::moved_by_saturation(
      recordings, dead_band, saturation, sigma, [&](const std::vector<Recording>& other) {
        return fit_of(found.structure, other, robot, environment, options).theta;
      });
  widen_by(internal::square_of(by_sigma), options, found);
}

OutputError refine(const std::vector<Recording>& recordings, const model::Robot& robot,
                   const model::Environment& environment, const IdentifyOptions& options, Identified& found) {
  const FitOptions known = fit_options(options, recordings, robot);
  OutputErrorOptions how{static_cast<const NuisanceOptions&>(known)};
  how.blur = options.regression.blur;
  how.every = options.regression.blur;
  if (options.progress)
    how.progress = [&](double share) { options.progress(share, "refining " + found.structure.name); };
  OutputError refined = refine(
      found.structure, recordings,
      consistency::constraints(found.structure, robot, environment, options.constraints), found.fit, how);
  adopt(refined, recordings, options, found);
  return refined;
}

}  // namespace fathom::identify
