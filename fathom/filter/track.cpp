#include "fathom/filter/track.hpp"

#include <algorithm>
#include <cmath>
#include <list>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/filter/internal/attitude_model.hpp"
#include "fathom/filter/internal/constant_errors.hpp"
#include "fathom/filter/internal/density.hpp"
#include "fathom/filter/internal/position_model.hpp"
#include "fathom/filter/internal/series.hpp"
#include "fathom/filter/internal/smooth_in_windows.hpp"
#include "fathom/filter/internal/smoother.hpp"

namespace fathom::filter {
namespace internal {
namespace {

constexpr double most_outliers = 0.2;       // of a series; more say that its sigma is wrong
constexpr double outlier_limit = 2;         // times that of innovations, for neighbours tell less than a filter
constexpr long longest_track = 10'000'000;  // points: 55 h at 50 Hz, 4 GB

void check_positive(double value, const char* key) {
  if (!(value > 0 && std::isfinite(value)))
    reject(fmt::format("smoother.{}", key), fmt::format("= {}, must be > 0", value), "");
}

void check(const SmootherOptions& options) {
  check_positive(options.dt, "dt");
  check_positive(options.longest_gap, "longest_gap");
  check_positive(options.outlier, "outlier");
  if (options.jerk) check_positive(*options.jerk, "jerk");
  if (options.angular_jerk) check_positive(*options.angular_jerk, "angular_jerk");
}

void check_enough(const std::vector<Series>& series, int states, const char* of, const char* hint) {
  const std::size_t values = usable_values(series);
  if (values < static_cast<std::size_t>(states))
    reject(of, fmt::format("{} numbers measured, at least {} are needed", values, states), hint);
}

/// A clock that jumps must not end in want of memory.
void check_length(const Span& span, double dt) {
  if (span.until - span.from > dt * static_cast<double>(longest_track))
    reject("attitude",
           fmt::format("lasts from {:.6g} to {:.6g} s: more than {} steps of {} s", span.from, span.until,
                       longest_track, dt),
           "does a clock jump, or have two sensors different ones? a part of the log, or a larger dt");
}

template <class T>
std::vector<T> joined(std::vector<T> first, std::vector<T> second) {
  std::move(second.begin(), second.end(), std::back_inserter(first));
  return first;
}

/// The smoother's outcome apart from the states.
struct Outcome {
  Likeliest chosen;
  Tally tally;
};

/// Chooses the density where none is given, leaves out outliers, and calls emit for each point of the grid.
template <class Model, class Emit>
Outcome run(const Model& model, const std::vector<Series>& series, const Grid& grid,
            const SmootherOptions& options, std::optional<double> density, double window, Emit&& emit) {
  Smoother<Model> smoother(model, series, grid, options);
  Outcome outcome{{density.value_or(0), false}, {}};
  if (!density) {
    const std::vector<Span> few = lively_parts_of(series, 2, 10), more = lively_parts_of(series, 4, 30);
    outcome.chosen = likeliest_density([&](double q) { return smoother.log_likelihood(q, few); },
                                       [&](double q) { return smoother.log_likelihood(q, more); });
  }
  const double q = outcome.chosen.density;
  std::vector<typename Smoother<Model>::Cursor> marks;
  outcome.tally = smoother.forward(q, window, marks);
  bool again = false;
  for (std::size_t s = 0; s < series.size(); ++s) {
    const Tally::One& one = outcome.tally.series[s];
    if (static_cast<double>(one.outliers) <= most_outliers * static_cast<double>(one.used + one.outliers))
      continue;
    smoother.trust(s);
    again = true;
  }
  if (again) {
    const Tally gated = std::exchange(outcome.tally, smoother.forward(q, window, marks));
    for (std::size_t s = 0; s < series.size(); ++s)
      if (outcome.tally.series[s].outliers == 0) outcome.tally.series[s].believed = gated.series[s].outliers;
  }
  smoother.backward(q, marks, emit);
  return outcome;
}

void add_counts(const std::vector<Series>& series, const Tally& tally, std::vector<Smoothed::Count>& counts) {
  for (std::size_t s = 0; s < series.size(); ++s) {
    const Tally::One& one = tally.series[s];
    Smoothed::Count count;
    count.name = series[s].name;
    count.used = one.used;
    count.outliers = one.outliers + series[s].outliers;
    count.believed = one.believed;
    count.missing =
        static_cast<std::size_t>(std::count(series[s].usable.begin(), series[s].usable.end(), char{0})) -
        series[s].outliers;
    if (one.numbers > 0) count.innovation_rms = std::sqrt(one.squares / static_cast<double>(one.numbers));
    counts.push_back(count);
  }
}

void mark_gaps(const Tally& tally, double longest_gap, Track& track) {
  std::vector<Span> gaps = tally.gaps;
  const double end = track.t(track.size() - 1);
  if (end - tally.last_anchor > longest_gap) gaps.push_back({tally.last_anchor, end + track.dt});
  for (const Span& gap : gaps) {
    const double first = std::ceil((gap.from + same_time - track.t0) / track.dt);
    const double last = std::floor((gap.until - same_time - track.t0) / track.dt);
    const double size = static_cast<double>(track.size());
    for (double k = std::max(0.0, first); k <= std::min(last, size - 1); ++k)
      track.measured[static_cast<std::size_t>(k)] = 0;
  }
}

/// The attitude, with the biases of the rate series in `smoothed`.
template <int Biases>
AttitudeTrack smooth_attitude(const std::vector<Series>& series, const Grid& grid,
                              const SmootherOptions& options, double window, Smoothed& smoothed, Tally& tally) {
  AttitudeTrack track{grid, {}, {}, {}, {}, Vec3::Zero()};
  track.q_nb.resize(4, grid.size);
  for (Eigen::Matrix3Xd* rows : {&track.omega_b, &track.alpha_b, &track.omega_sigma_b})
    rows->resize(3, grid.size);
  const AttitudeModel<Biases> model;
  using Nominal = typename AttitudeModel<Biases>::Nominal;
  Nominal first;
  const Outcome outcome = run(model, series, grid, options, options.angular_jerk, window,
                              [&](long k, const Nominal& x, const Mat3& omega_covariance) {
                                track.q_nb.col(k) = x.q_nb.coeffs();
                                track.omega_b.col(k) = x.omega_b;
                                track.alpha_b.col(k) = x.alpha_b;
                                track.omega_sigma_b.col(k) =
                                    omega_covariance.diagonal().cwiseMax(0).cwiseSqrt();
                                first = x;  // points come from the last to the first
                              });
  smoothed.angular_jerk = outcome.chosen.density;
  smoothed.angular_jerk_at_limit = outcome.chosen.at_limit;
  smoothed.rate_bias_b.assign(first.bias_b.begin(), first.bias_b.begin() + Biases);
  tally = outcome.tally;
  return track;
}

AttitudeTrack smooth_attitude(const std::vector<Series>& series, std::size_t biases, const Grid& grid,
                              const SmootherOptions& options, double window, Smoothed& smoothed, Tally& tally) {
  switch (biases) {
    case 0: return smooth_attitude<0>(series, grid, options, window, smoothed, tally);
    case 1: return smooth_attitude<1>(series, grid, options, window, smoothed, tally);
    default: return smooth_attitude<2>(series, grid, options, window, smoothed, tally);
  }
}

void resize(Track& track, const Grid& grid) {
  track.t0 = grid.t0;
  track.dt = grid.dt;
  track.p_nb_n.resize(3, grid.size);
  track.q_nb.resize(4, grid.size);
  for (Mat6X* rows : {&track.nu_b, &track.nu_dot_b, &track.nu_sigma_b}) rows->resize(6, grid.size);
  track.measured.assign(static_cast<std::size_t>(grid.size), 1);
}

/// One point of the track from the two smoothers: docs/filters.md eq. 12.
void put(Track& track, long k, const AttitudeTrack& attitude, long k_attitude, const PositionModel::Vector& x,
         const Mat3& v_covariance_n) {
  const Quat q_nb(attitude.q_nb.col(k_attitude));
  const Mat3 R_nb = q_nb.toRotationMatrix();
  const Vec3 omega_b = attitude.omega_b.col(k_attitude);
  const Vec3 v_b = R_nb.transpose() * x.segment<3>(3);
  track.p_nb_n.col(k) = x.head<3>();
  track.q_nb.col(k) = q_nb.coeffs();
  track.nu_b.col(k) << v_b, omega_b;
  track.nu_dot_b.col(k) << R_nb.transpose() * x.tail<3>() - omega_b.cross(v_b),
      attitude.alpha_b.col(k_attitude);
  const Mat3 covariance_b = R_nb.transpose() * v_covariance_n * R_nb;
  track.nu_sigma_b.col(k) << covariance_b.diagonal().cwiseMax(0).cwiseSqrt(),
      attitude.omega_sigma_b.col(k_attitude);
}

void check_finite(const Track& track) {
  for (Eigen::Index k = 0; k < track.size(); ++k)
    if (!track.nu_b.col(k).allFinite() || !track.nu_dot_b.col(k).allFinite())
      reject("track", fmt::format("is not finite at t = {} s", track.t(k)),
             "is a sample absurdly large? a part of the log without it");
}

/// What measures the attitude, and what measures position and velocity, without outliers.
struct SensorSeries {
  std::vector<Series> turning, moving;
};

SensorSeries series_without_outliers(const Measurements& measurements, double outlier) {
  SensorSeries all{
      joined(series_of(measurements.attitude, Kind::attitude), series_of(measurements.rate, Kind::rate)),
      joined(joined(series_of(measurements.position, Kind::position),
                    series_of(measurements.velocity, Kind::velocity)),
             series_of(measurements.depth, Kind::depth))};
  for (std::vector<Series>* list : {&all.turning, &all.moving})
    for (Series& one : *list) leave_out_outliers(one, outlier_limit * outlier);
  return all;
}

Grid grid_of_attitude(const std::vector<Series>& turning, std::size_t biases, double dt) {
  const Span turns = span_of(turning);
  if (!(turns.from < turns.until))
    reject("attitude", "has no samples to smooth", "an AHRS, or a position sensor with attitude");
  check_enough(turning, 9 + 3 * static_cast<int>(biases), "attitude", "a longer log");
  check_length(turns, dt);
  const Grid grid = grid_between(turns.from, turns.until, dt);
  if (grid.size < 2)
    reject("attitude", fmt::format("lasts {} s, shorter than two steps of {} s", turns.until - turns.from, dt),
           "a longer log or a smaller dt");
  return grid;
}

Grid grid_of_position(const std::vector<Series>& moving, const Span& turns, double dt) {
  const Span moves = span_of(moving);
  if (!(moves.from < moves.until))
    reject("position", "nothing measures position or velocity while the attitude is known",
           "a position sensor or a DVL; are the clocks the same?");
  check_enough(moving, PositionModel::N, "position", "a longer log");
  const Grid grid = grid_between(std::max(turns.from, moves.from), std::min(turns.until, moves.until), dt);
  if (grid.size < 2)
    reject("position", "is measured together with the attitude for less than two steps of the track",
           "a longer log or a smaller dt");
  return grid;
}

/// Returns what relations say, and adds the relations to a list.
std::vector<Information> information_of(std::vector<FoundRelation> found, std::vector<Relation>& relations) {
  std::vector<Information> all;
  for (FoundRelation& one : found) {
    relations.push_back(std::move(one.relation));
    if (one.information) all.push_back(std::move(*one.information));
  }
  return all;
}

/// Estimates constant errors with the attitude known (docs/filters.md eqs. 30 and 31), turns the attitude by
/// the change of its error, and takes the errors out of `moving`; `store` holds the values.
void correct_motion(const Measurements& measurements, ConstantErrors& errors, const Series& reference,
                    AttitudeTrack& attitude, std::vector<Series>& moving, std::list<Eigen::MatrixXd>& store,
                    Smoothed& smoothed) {
  std::vector<Series> forces = series_of(measurements.force, Kind::force);
  for (std::vector<Series>* all : {&moving, &forces})
    for (Series& one : *all) limit(one, attitude.reach());
  attitude.noise_b = usual_step(reference) * reference.readings->sigma.cwiseAbs2();
  // Second derivatives hold near the solution: there, what relations say is taken.
  for (const bool is_last : {false, true}) {
    const Eigen::VectorXd before = errors.value();
    std::vector<Relation> relations;
    errors.add(information_of(motion_relations(moving, forces, attitude, errors), relations), is_last);
    errors.turn(attitude, before);
    store.clear();
    errors.correct(moving, store);
    errors.correct(forces, store);
    if (is_last) smoothed.relations = joined(std::move(smoothed.relations), std::move(relations));
  }
  smoothed.constant_errors = errors.report();
  smoothed.attitude_error_sigma_b = errors.attitude_sigma_b(attitude);
}

}  // namespace

Smoothed smooth_in_windows(const Measurements& measurements, const SmootherOptions& options, double window) {
  check(options);
  const std::size_t biases = measurements.rate.size();
  if (biases > most_rate_series)
    reject("rate", fmt::format("has {} series, at most {} can be smoothed", biases, most_rate_series),
           "leave the worst gyro out");
  auto [turning, moving] = series_without_outliers(measurements, options.outlier);
  const Grid attitude_grid = grid_of_attitude(turning, biases, options.dt);

  Smoothed smoothed;
  ConstantErrors errors(measurements);
  std::list<Eigen::MatrixXd> corrected, corrected_motion;  // the series refer to them
  if (!errors.empty()) {
    errors.add(information_of(attitude_relations(turning, errors), smoothed.relations));
    errors.correct(turning, corrected);
  }
  Tally turned;
  AttitudeTrack attitude = smooth_attitude(turning, biases, attitude_grid, options, window, smoothed, turned);
  if (!errors.empty())
    correct_motion(measurements, errors, turning[errors.reference()], attitude, moving, corrected_motion,
                   smoothed);

  const PositionModel model(moving, attitude);
  const Grid grid = grid_of_position(moving, span_of(turning), options.dt);
  const long offset = std::lround((grid.t0 - attitude_grid.t0) / options.dt);
  resize(smoothed.track, grid);
  const Outcome moved = run(model, moving, grid, options, options.jerk, window,
                            [&](long k, const PositionModel::Nominal& x, const Mat3& v_covariance_n) {
                              put(smoothed.track, k, attitude, offset + k, x.x, v_covariance_n);
                            });
  smoothed.jerk = moved.chosen.density;
  smoothed.jerk_at_limit = moved.chosen.at_limit;
  smoothed.log_likelihood = turned.log_likelihood + moved.tally.log_likelihood;
  add_counts(turning, turned, smoothed.counts);
  add_counts(moving, moved.tally, smoothed.counts);
  mark_gaps(turned, options.longest_gap, smoothed.track);
  mark_gaps(moved.tally, options.longest_gap, smoothed.track);
  check_finite(smoothed.track);
  return smoothed;
}

}  // namespace internal

Smoothed smooth(const Measurements& measurements, const SmootherOptions& options) {
  return internal::smooth_in_windows(measurements, options, internal::window_length);
}

}  // namespace fathom::filter
