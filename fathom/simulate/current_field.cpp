#include "fathom/simulate/current_field.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"
#include "fathom/base/sign.hpp"
#include "fathom/simulate/internal/findings.hpp"

namespace fathom::simulate {
namespace {

using internal::check_finite;

void check_profile(Findings& findings, const std::vector<CurrentAtDepth>& profile) {
  for (std::size_t k = 0; k < profile.size(); ++k) {
    const std::string key = fmt::format("profile[{}]", k);
    check_finite(findings, key + ".velocity_n", profile[k].velocity_n);
    if (!std::isfinite(profile[k].depth))
      add_error(findings, key + ".depth", fmt::format("= {}, must be finite", profile[k].depth),
                "m, positive down");
    if (k == 0) continue;
    if (!(profile[k].depth > profile[k - 1].depth))
      add_error(findings, key + ".depth",
                fmt::format("= {}, must be greater than that of the row before, {}", profile[k].depth,
                            profile[k - 1].depth),
                "rows go down; depth is positive");
    if (profile[k].velocity_n.z() != profile[0].velocity_n.z())
      add_error(findings, key + ".velocity_n",
                fmt::format("sinks with {} m/s, the first row with {}", profile[k].velocity_n.z(),
                            profile[0].velocity_n.z()),
                "water cannot be compressed: the vertical part must be the same at all depths");
  }
}

void check_variation(Findings& findings, const CurrentSpec& spec) {
  const Vec3& sigma = spec.variation_sigma_n;
  if (!sigma.allFinite() || sigma.minCoeff() < 0)
    add_error(findings, "variation_sigma_n",
              fmt::format("= [{}, {}, {}], must be finite and >= 0", sigma.x(), sigma.y(), sigma.z()));
  if (!(std::isfinite(spec.variation_time) && spec.variation_time > 0))
    add_error(findings, "variation_time", fmt::format("= {}, must be positive and finite", spec.variation_time),
              "s");
  if (spec.variation_tones < 4 || spec.variation_tones > 1000)
    add_error(findings, "variation_tones", fmt::format("= {}, must be 4 to 1000", spec.variation_tones),
              "16 is a good number");
  if (!(std::isfinite(spec.variation_cutoff) && spec.variation_cutoff >= 1))
    add_error(findings, "variation_cutoff", fmt::format("= {}, must be finite and >= 1", spec.variation_cutoff),
              "20 keeps 97 % of the power as it is");
}

void check_ramp(Findings& findings, const CurrentRamp& ramp) {
  check_finite(findings, "ramp.before_n", ramp.before_n);
  check_finite(findings, "ramp.after_n", ramp.after_n);
  if (!std::isfinite(ramp.begin) || !std::isfinite(ramp.end) || ramp.end < ramp.begin)
    add_error(findings, "ramp.end",
              fmt::format("= {}, must be finite and not before ramp.begin = {}", ramp.end, ramp.begin), "s");
  else if (ramp.end == ramp.begin && ramp.before_n != ramp.after_n)
    add_error(findings, "ramp.end", fmt::format("= {}, equals ramp.begin, but the velocity changes", ramp.end),
              "water cannot jump: give the change some time");
}

/// The greatest speed that all parts together can reach; of each axis' tones all may peak at once.
double speed_bound(const CurrentSpec& spec) {
  double profile = 0;
  for (const CurrentAtDepth& row : spec.profile) profile = std::max(profile, row.velocity_n.norm());
  return spec.constant_n.norm() + profile +
         spec.variation_sigma_n.norm() * std::sqrt(2.0 * spec.variation_tones) +
         std::max(spec.ramp.before_n.norm(), spec.ramp.after_n.norm());
}

/// Slope at the middle of three points that keeps the cubic between its rows (Fritsch and Butland 1984, the
/// harmonic mean weighted by the two intervals).
double monotone_slope(double h_before, double h_after, double before, double after) {
  if (sign_of(before) * sign_of(after) <= 0) return 0;
  const double w1 = 2 * h_after + h_before, w2 = h_after + 2 * h_before;
  return (w1 + w2) / (w1 / before + w2 / after);
}

}  // namespace

void check(const CurrentSpec& spec) {
  Findings findings;
  check_finite(findings, "constant_n", spec.constant_n);
  check_profile(findings, spec.profile);
  check_variation(findings, spec);
  check_ramp(findings, spec.ramp);
  if (!(std::isfinite(spec.speed_limit) && spec.speed_limit > 0))
    add_error(findings, "speed_limit", fmt::format("= {}, must be positive and finite", spec.speed_limit),
              "m/s");
  if (findings.empty() && speed_bound(spec) > spec.speed_limit)
    add_error(findings, "current",
              fmt::format("can reach {:.3g} m/s, the limit is speed_limit = {:.3g}", speed_bound(spec),
                          spec.speed_limit),
              "m/s, not knots or cm/s?");
  if (!findings.empty()) throw InputError(findings);
}

CurrentField::CurrentField(const CurrentSpec& spec, std::uint64_t seed)
    : constant_n_(spec.constant_n), ramp_(spec.ramp), profile_shape_(spec.profile_shape) {
  check(spec);
  largest_speed_ = speed_bound(spec);

  for (const CurrentAtDepth& row : spec.profile) profile_.push_back({row.depth, row.velocity_n, Vec3::Zero()});
  const auto chord = [this](std::size_t k) -> Vec3 {
    return (profile_[k + 1].velocity_n - profile_[k].velocity_n) / (profile_[k + 1].depth - profile_[k].depth);
  };
  for (std::size_t k = 0; k + 1 < profile_.size(); ++k) {
    if (profile_shape_ == ProfileShape::linear) {
      profile_[k].slope_n = chord(k);
    } else if (k > 0) {  // the first and last slope stay zero, so that the clamped outside joins smoothly
      const double above = profile_[k].depth - profile_[k - 1].depth,
                   below = profile_[k + 1].depth - profile_[k].depth;
      const Vec3 before = chord(k - 1), after = chord(k);
      for (int i = 0; i < 3; ++i) profile_[k].slope_n[i] = monotone_slope(above, below, before[i], after[i]);
    }
  }

  // Equal tones, one in each of as many slices of equal power of the spectrum; docs/water.md eq. 4.
  const int count = spec.variation_tones;
  RandomStream random(seed, "current variation");
  for (int axis = 0; axis < 3; ++axis) {
    for (int k = 0; k < count; ++k) {  // drawn even where sigma is zero: axes do not disturb each other
      const double share = (k + random.uniform()) / count, phase = random.uniform(0, 2 * M_PI);
      const double rate = std::tan(share * std::atan(spec.variation_cutoff)) / spec.variation_time;
      if (spec.variation_sigma_n[axis] > 0) tones_[axis].push_back({rate, phase});
    }
  }
  tone_amplitude_n_ = spec.variation_sigma_n * std::sqrt(2.0 / count);
}

CurrentField::Instant CurrentField::at_time(double t) const& {
  Instant now;
  now.field_ = this;
  now.t_ = t;
  now.velocity_n_ = constant_n_;
  now.acceleration_n_.setZero();
  for (int axis = 0; axis < 3; ++axis) {
    double velocity = 0, acceleration = 0;
    for (const Tone& tone : tones_[axis]) {
      double sine = 0, cosine = 0;
      ::sincos(tone.rate * t + tone.phase, &sine, &cosine);  // for little more than the time of one of them
      velocity += sine;
      acceleration += tone.rate * cosine;
    }
    now.velocity_n_[axis] += tone_amplitude_n_[axis] * velocity;
    now.acceleration_n_[axis] += tone_amplitude_n_[axis] * acceleration;
  }

  // docs/water.md eq. 3
  const Vec3 change_n = ramp_.after_n - ramp_.before_n;
  if (t <= ramp_.begin || ramp_.end == ramp_.begin) {
    now.velocity_n_ += ramp_.before_n;
  } else if (t >= ramp_.end) {
    now.velocity_n_ += ramp_.after_n;
  } else {
    const double duration = ramp_.end - ramp_.begin, s = (t - ramp_.begin) / duration;
    const bool smooth = ramp_.shape == RampShape::smooth;
    now.velocity_n_ += ramp_.before_n + (smooth ? s * s * s * (10 + s * (-15 + 6 * s)) : s) * change_n;
    now.acceleration_n_ += (smooth ? 30 * s * s * (1 - s) * (1 - s) : 1) / duration * change_n;
  }
  return now;
}

void CurrentField::add_profile(double depth, Vec3& velocity_n, Vec3& by_depth_n) const {
  if (profile_.empty()) return;
  const auto below = std::upper_bound(profile_.begin(), profile_.end(), depth,
                                      [](double z, const Row& row) { return z < row.depth; });
  if (below == profile_.begin() || below == profile_.end()) {
    velocity_n += (below == profile_.begin() ? profile_.front() : profile_.back()).velocity_n;
    return;
  }
  const Row &a = *(below - 1), &b = *below;
  const double h = b.depth - a.depth, s = (depth - a.depth) / h;
  if (profile_shape_ == ProfileShape::linear) {
    velocity_n += a.velocity_n + (depth - a.depth) * a.slope_n;
    by_depth_n += a.slope_n;
    return;
  }
  const Vec3 rise = b.velocity_n - a.velocity_n;  // cubic Hermite
  velocity_n +=
      a.velocity_n + s * s * (3 - 2 * s) * rise + h * s * (1 - s) * ((1 - s) * a.slope_n - s * b.slope_n);
  by_depth_n += 6 * s * (1 - s) / h * rise + (1 - s) * (1 - 3 * s) * a.slope_n + s * (3 * s - 2) * b.slope_n;
}

model::Current CurrentField::Instant::at(const Vec3& p_n, const Vec3& follower_n) const {
  // docs/water.md eqs. 1, 2, 5 and 6
  model::Current current{velocity_n_, acceleration_n_};
  Vec3 by_depth_n = Vec3::Zero();
  field_->add_profile(p_n.z(), current.velocity_n, by_depth_n);
  current.acceleration_n += follower_n.z() * by_depth_n;
  current.convective_n = (current.velocity_n.z() - follower_n.z()) * by_depth_n;
  return current;
}

}  // namespace fathom::simulate
