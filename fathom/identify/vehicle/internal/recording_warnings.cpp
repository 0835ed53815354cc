#include "fathom/identify/vehicle/internal/recording_warnings.hpp"

#include <string>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"

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
        "axes? --sensors leaves it out";
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

}  // namespace

Findings warnings_of(const Source& source, const filter::Smoothed& smoothed) {
  Findings warnings;
  doubt_sensors(source, smoothed, warnings);
  doubt_motion(source, smoothed, warnings);
  doubt_units(source, smoothed.track, warnings);
  return warnings;
}

}  // namespace fathom::identify::internal
