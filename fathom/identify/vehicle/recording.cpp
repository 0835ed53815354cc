#include "fathom/identify/vehicle/recording.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/vehicle/internal/recording_check.hpp"
#include "fathom/identify/vehicle/internal/recording_sensors.hpp"
#include "fathom/identify/vehicle/internal/recording_source.hpp"
#include "fathom/identify/vehicle/internal/recording_wrench.hpp"
#include "fathom/log/convert.hpp"
#include "fathom/log/log_folder.hpp"

namespace fathom::identify::internal {
namespace {

constexpr double most_outliers = 0.2;   // of a series
constexpr double most_innovation = 3;   // sigmas, rms
constexpr double highest_speed = 50;    // m/s: nothing swims like that
constexpr double most_at_speed = 0.01;  // of the samples
constexpr double farthest = 1000;       // m between two places of a log

void doubt_sensors(const Source& source, const filter::Smoothed& smoothed, Findings& warnings) {
  for (const filter::Smoothed::Count& count : smoothed.counts) {
    const std::string hint =
        "it contradicts the others, or its noise in the robot file is too small: time stamps, latency, place, "
        "axes? --without leaves it out";
    if (count.believed > 0)
      warnings.push_back(source.finding(
          Severity::warning,
          fmt::format(
              "{}: {} of {} samples are outliers, too many to be left out; innovations are {:.2g} sigmas",
              count.name, count.believed, count.used, count.innovation_rms),
          hint));
    else if (static_cast<double>(count.outliers) >
             most_outliers * static_cast<double>(count.used + count.outliers))
      warnings.push_back(source.finding(Severity::warning,
                                        fmt::format("{}: {} of {} samples are outliers, and not used",
                                                    count.name, count.outliers, count.used + count.outliers),
                                        hint));
    else if (count.innovation_rms > most_innovation)
      warnings.push_back(source.finding(
          Severity::warning, fmt::format("{}: innovations are {:.2g} sigmas", count.name, count.innovation_rms),
          hint));
  }
}

void doubt_relations(const Source& source, const filter::Smoothed& smoothed, Findings& warnings) {
  for (const filter::Relation& relation : smoothed.relations)
    if (relation.has_too_many_outliers)
      warnings.push_back(source.finding(
          Severity::warning,
          fmt::format(
              "{} do not fit together: {} of {} residuals are outliers, and say nothing of constant errors",
              join(relation.series, " and "), relation.outliers, relation.used + relation.outliers),
          "time stamps, latency, place, axes, noise in the robot file? --without leaves a sensor out"));
}

void doubt_motion(const Source& source, const filter::Smoothed& smoothed, Findings& warnings) {
  const auto at_limit = [&](const char* what, double density) {
    warnings.push_back(
        source.finding(Severity::warning,
                       fmt::format("the likeliest density of {} is {:.2g}, an end of its range", what, density),
                       "did the vehicle move at all? are the sensors' noises in the robot file right?"));
  };
  if (smoothed.jerk_at_limit) at_limit("jerk", smoothed.jerk);
  if (smoothed.angular_jerk_at_limit) at_limit("angular jerk", smoothed.angular_jerk);
}

/// A position in millimetres is a vehicle at a thousand times the speed.
void doubt_units(const Source& source, const filter::Track& track, Findings& warnings) {
  Eigen::Index fast = 0, measured = 0, first_fast = -1;
  Vec3 least = Vec3::Constant(infinity), most = -least;
  for (Eigen::Index k = 0; k < track.size(); ++k) {
    if (!track.measured[static_cast<std::size_t>(k)]) continue;
    ++measured;
    least = least.cwiseMin(track.p_nb_n.col(k));
    most = most.cwiseMax(track.p_nb_n.col(k));
    if (track.nu_b.col(k).head<3>().norm() <= highest_speed) continue;
    if (fast++ == 0) first_fast = k;
  }
  if (measured == 0) return;
  const char* hint = "millimetres? positions are in m, velocities in m/s";
  if (fast > 0) {
    const Finding finding = source.finding(
        Severity::error,
        fmt::format("the vehicle would swim faster than {} m/s in {} of {} samples, first at t = {:.6g} s",
                    highest_speed, fast, measured, track.t(first_fast)),
        hint);
    if (static_cast<double>(fast) > most_at_speed * static_cast<double>(measured)) throw InputError(finding);
    warnings.push_back(finding);
    warnings.back().severity = Severity::warning;
  }
  if (const double span = (most - least).maxCoeff(); span > farthest)
    warnings.push_back(source.finding(Severity::warning, fmt::format("the vehicle goes {:.3g} m", span), hint));
}

/// What a smoothed log says against itself: sensors that contradict each other, a vehicle that never moved,
/// numbers of another unit. Throws InputError where no vehicle moves like that.
Findings warnings_of(const Source& source, const filter::Smoothed& smoothed) {
  Findings warnings;
  doubt_sensors(source, smoothed, warnings);
  doubt_relations(source, smoothed, warnings);
  doubt_motion(source, smoothed, warnings);
  doubt_units(source, smoothed.track, warnings);
  return warnings;
}

}  // namespace

}  // namespace fathom::identify::internal

namespace fathom::identify {
namespace {

using internal::SensorData;
using internal::Source;
using internal::Unknown;
using internal::WrenchData;

/// Up to its first dot, and with it; channels of a log with one nameless vehicle have none.
std::string prefix_of(const std::string& channel) {
  const std::size_t dot = channel.find('.');
  return dot == std::string::npos ? "" : channel.substr(0, dot + 1);
}

std::vector<std::string> without_dots(const std::set<std::string>& prefixes) {
  std::vector<std::string> names;
  for (const std::string& prefix : prefixes)
    if (!prefix.empty()) names.push_back(prefix.substr(0, prefix.size() - 1));
  return names;
}

/// What the channels of the vehicle begin with.
std::string find_vehicle(const Source& source, const std::string& vehicle) {
  std::set<std::string> all, driven;
  for (const std::string& channel : source.channels()) {
    const std::string prefix = prefix_of(channel), rest = channel.substr(prefix.size());
    all.insert(prefix);
    if (rest == "thrusters" || rest == "wrench" || rest == "pilot") driven.insert(prefix);
  }
  if (!vehicle.empty()) {
    if (all.count(vehicle + ".") == 0)
      source.fail(
          fmt::format("has no vehicle '{}'", vehicle),
          internal::suggestion(vehicle, without_dots(all), "it has " + internal::listed(without_dots(all))));
    return vehicle + ".";
  }
  std::set<std::string> candidates = driven.empty() ? all : driven;
  if (candidates.size() > 1) candidates.erase("");  // a channel without a vehicle's name beside those with one
  if (candidates.size() == 1) return *candidates.begin();
  source.fail(driven.empty() ? "has no thruster commands" : "has several vehicles",
              fmt::format("name one of {}", internal::listed(without_dots(candidates))));
}

void check(const RecordingOptions& options) {
  if (!(options.voltage > 0)) reject("voltage", fmt::format("= {}, must be > 0", options.voltage), "volt");
  if (options.from && options.until && !(*options.from < *options.until))
    reject("until", fmt::format("= {}, must be later than from = {}", *options.until, *options.from),
           "seconds of the log");
}

/// Why a sample of the track is not used, in the order in which reasons are looked for.
enum Reason : std::size_t { outside, unmeasured, before_commands, after_commands, missing, gap, reasons };
constexpr std::array<const char*, reasons> reason_texts = {
    "outside from and until",   "not measured: in a gap of the sensors",
    "before the first command", "after the last command",
    "a command is missing",     "in a gap of the commands"};

std::size_t reason_of(Unknown unknown) {
  switch (unknown) {
    case Unknown::before_commands: return before_commands;
    case Unknown::after_commands: return after_commands;
    case Unknown::command_missing: return missing;
    case Unknown::command_gap: return gap;
    case Unknown::no: break;
  }
  return reasons;
}

void mark_usable(Recording& recording, const std::vector<Unknown>& unknown, const RecordingOptions& options) {
  const filter::Track& track = recording.track;
  std::array<std::size_t, reasons> counts{};
  recording.usable.assign(unknown.size(), 0);
  for (std::size_t k = 0; k < unknown.size(); ++k) {
    const double t = track.t(static_cast<Eigen::Index>(k));
    std::size_t reason = reason_of(unknown[k]);
    if (!track.measured[k]) reason = unmeasured;
    if ((options.from && t < *options.from) || (options.until && t > *options.until)) reason = outside;
    if (reason == reasons)
      recording.usable[k] = 1;
    else
      ++counts[reason];
  }
  for (std::size_t i = 0; i < reasons; ++i)
    if (counts[i] > 0) recording.dropped.push_back({reason_texts[i], counts[i]});
}

void require_usable(const Source& source, const Recording& recording) {
  if (std::find(recording.usable.begin(), recording.usable.end(), 1) != recording.usable.end()) return;
  std::vector<std::string> why;
  for (const Recording::Drop& drop : recording.dropped)
    why.push_back(fmt::format("{} ({})", drop.why, drop.samples));
  source.fail("has no sample that can be used", internal::listed(why));
}

/// What the smoother rejects is of this log.
filter::Smoothed smooth(const Source& source, const SensorData& sensors, const RecordingOptions& options) {
  try {
    return filter::smooth(sensors.measurements, options.smoother);
  } catch (const InputError& error) {
    Findings findings = error.findings();
    for (Finding& finding : findings)
      if (finding.file.empty()) finding.file = source.name();
    throw InputError(std::move(findings));
  }
}

/// Every second sample of a series. Its sigma shrinks as if nothing were missing, so that the smoother answers
/// alike.
filter::Readings half_of(const filter::Readings& readings, Eigen::Index first) {
  filter::Readings half = readings;
  const Eigen::Index count = (readings.values.cols() - first + 1) / 2;
  half.t.resize(static_cast<std::size_t>(count));
  half.values.resize(readings.values.rows(), count);
  half.sigma = readings.sigma / std::sqrt(2.0);
  for (Eigen::Index k = 0; k < count; ++k) {
    half.t[static_cast<std::size_t>(k)] = readings.t[static_cast<std::size_t>(first + 2 * k)];
    half.values.col(k) = readings.values.col(first + 2 * k);
  }
  return half;
}

filter::Measurements half_of(const filter::Measurements& all, Eigen::Index first) {
  filter::Measurements half;
  for (const auto kind :
       {&filter::Measurements::position, &filter::Measurements::attitude, &filter::Measurements::rate,
        &filter::Measurements::depth, &filter::Measurements::velocity})
    for (const filter::Readings& readings : all.*kind) (half.*kind).push_back(half_of(readings, first));
  return half;
}

/// Recording::nu_split_b.
Mat6X split(const filter::Measurements& measurements, const filter::Smoothed& whole,
            filter::SmootherOptions options) {
  options.jerk = whole.jerk;
  options.angular_jerk = whole.angular_jerk;
  options.longest_gap *= 2;
  options.outlier *= std::sqrt(2.0);
  const filter::Track& track = whole.track;
  Mat6X out = Mat6X::Zero(6, track.size());
  try {
    for (const Eigen::Index first : {0, 1}) {
      const filter::Track half = filter::smooth(half_of(measurements, first), options).track;
      const auto shift = static_cast<Eigen::Index>(std::lround((half.t0 - track.t0) / track.dt));
      for (Eigen::Index k = std::max<Eigen::Index>(0, shift); k < std::min(track.size(), shift + half.size());
           ++k)
        out.col(k) += (first == 0 ? 0.5 : -0.5) * half.nu_b.col(k - shift);
      if (first == 1) {  // an end that one half does not reach says nothing
        for (Eigen::Index k = 0; k < track.size(); ++k)
          if (k < std::abs(shift) + 1 || k >= track.size() - std::abs(shift) - 2) out.col(k).setZero();
      }
    }
  } catch (const InputError&) {
    return {};  // too few samples for two halves
  }
  return out;
}

Recording make(const Source& source, std::string name, const model::Robot& robot,
               const model::Environment& environment, const RecordingOptions& options) {
  check(options);
  const std::string prefix = find_vehicle(source, options.vehicle);
  internal::require_wrench(source, prefix, robot, environment,
                           options.voltage);  // before work goes into sensors
  SensorData sensors = internal::read_sensors(source, prefix, robot, options);
  Findings doubts;
  std::vector<std::string> contradictions;
  if (options.check_sensors)
    doubts = internal::check_recording(source, prefix, robot, environment, options, sensors, contradictions);
  filter::Smoothed smoothed = smooth(source, sensors, options);
  const bool velocity_in_body = !sensors.measurements.velocity.empty();
  sensors.measurements = filter::without(smoothed.constant_errors, std::move(sensors.measurements));
  Mat6X nu_split_b;
  if (options.split) nu_split_b = split(sensors.measurements, smoothed, options.smoother);
  sensors.measurements = {};  // memory, before the commands come
  const auto give_name = [&](std::string& series) {
    const auto known = sensors.names.find(series);
    if (known != sensors.names.end()) series = known->second;
  };
  for (filter::Smoothed::Count& count : smoothed.counts) give_name(count.name);
  for (filter::ConstantError& error : smoothed.constant_errors) give_name(error.series);
  for (filter::Relation& relation : smoothed.relations)
    for (std::string& series : relation.series) give_name(series);
  Findings warnings = internal::warnings_of(source, smoothed);
  warnings.insert(warnings.begin(), doubts.begin(), doubts.end());

  Recording recording;
  recording.name = std::move(name);
  recording.contradictions = std::move(contradictions);
  recording.track = std::move(smoothed.track);
  recording.nu_split_b = std::move(nu_split_b);
  recording.sensors = std::move(smoothed.counts);
  recording.rate_bias_b = std::move(smoothed.rate_bias_b);
  recording.constant_errors = std::move(smoothed.constant_errors);
  recording.attitude_sigma_b = smoothed.attitude_error_sigma_b;
  recording.velocity_in_body = velocity_in_body;
  recording.jerk = smoothed.jerk;
  recording.angular_jerk = smoothed.angular_jerk;
  recording.dropped = std::move(sensors.dropped);
  recording.warnings = std::move(sensors.warnings);
  recording.warnings.insert(recording.warnings.end(), warnings.begin(), warnings.end());

  WrenchData wrench = internal::read_wrench(source, prefix, robot, environment, options, recording.track);
  recording.tau_b = std::move(wrench.tau_b);
  recording.commands = std::move(wrench.commands);
  recording.commands.voltage = options.voltage;
  recording.asked = std::move(wrench.asked);
  recording.told = std::move(wrench.told);
  recording.saturation = robot.saturation();
  if (recording.told.size() > 0)
    recording.told_to_wrench_b = robot.thrust_gain() * model::allocation_matrix(robot);
  recording.warnings.insert(recording.warnings.end(), wrench.warnings.begin(), wrench.warnings.end());
  mark_usable(recording, wrench.unknown, options);
  require_usable(source, recording);
  return recording;
}

}  // namespace

std::vector<SampleRange> usable_ranges(const std::vector<char>& usable) {
  std::vector<SampleRange> ranges;
  for (auto first = std::find(usable.begin(), usable.end(), 1); first != usable.end();) {
    const auto end = std::find(first, usable.end(), 0);
    ranges.push_back({first - usable.begin(), end - usable.begin()});
    first = std::find(end, usable.end(), 1);
  }
  return ranges;
}

Mat6X wrench_beyond(const Recording& recording, double dead_band) {
  return wrench_beyond(recording, dead_band, recording.saturation);
}

Mat6X wrench_beyond(const Recording& recording, double dead_band, double saturation) {
  const auto left = [&](double force) { return model::delivered_force(force, dead_band, saturation); };
  return recording.told_to_wrench_b * recording.told.unaryExpr(left);
}

std::string names_of(std::span<const Recording> recordings) {
  if (recordings.empty()) return "";
  const std::size_t others = recordings.size() - 1;
  if (others == 0) return recordings.front().name;
  return fmt::format("{} and {} other log{}", recordings.front().name, others, others == 1 ? "" : "s");
}

Recording read_recording(const std::filesystem::path& folder, const model::Robot& robot,
                         const model::Environment& environment, const RecordingOptions& options) {
  if (std::error_code error; folder.extension() == ".mcap" && std::filesystem::is_regular_file(folder, error))
    return make_recording(log::read_bag(folder), folder.stem().string(), robot, environment, options);
  const Source source(folder);  // it tells what is wrong with the path
  return make(source, log::name_of_log(folder), robot, environment, options);
}

Recording make_recording(const log::Dataset& dataset, const std::string& name, const model::Robot& robot,
                         const model::Environment& environment, const RecordingOptions& options) {
  return make(Source(dataset, name), name, robot, environment, options);
}

}  // namespace fathom::identify
