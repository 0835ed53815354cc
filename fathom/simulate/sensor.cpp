#include "fathom/simulate/sensor.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/sensing/attitude.hpp"
#include "fathom/sensing/imu.hpp"
#include "fathom/sensing/position.hpp"
#include "fathom/sensing/usbl.hpp"

namespace fathom::simulate {
namespace {

using model::Quantity;

constexpr double most_under_way = 1e6;  // samples; more is a slip of units

/// m below the still surface from which an antenna has no fix. Centimetres of water stop L-band signals, but
/// waves of sea state 2 (up to 0.5 m from trough to crest, WMO code table 3700) lay it bare.
constexpr double deepest_fix = 0.2;

[[noreturn]] void reject_key(const model::Sensor& sensor, const char* key, std::string message,
                             std::string hint) {
  reject(fmt::format("sensor {}.{}", sensor.name, key), std::move(message), std::move(hint));
}

double value_of(const model::ByChannel& values, const std::string& channel) {
  const auto found = values.find(channel);
  return found == values.end() ? 0 : found->second.value;
}

double on_grid(double x, double step) { return step > 0 ? step * std::round(x / step) : x; }

/// On the grid, and in [-pi, pi] still: where rounding would leave that, the last step before it.
double angle_on_grid(double angle, double step) {
  const double rounded = on_grid(angle, step);
  return std::abs(rounded) > std::numbers::pi ? rounded - std::copysign(step, rounded) : rounded;
}

void put(std::span<double> out, std::size_t at, const Vec3& v) {
  std::copy_n(v.data(), 3, out.subspan(at).begin());
}

void put(std::span<double> out, std::size_t at, const Quat& q) {
  out[at] = q.w();
  put(out, at + 1, Vec3(q.vec()));
}

/// A direction turned by the small angles `across` (towards growing azimuth) and `along` (growing elevation);
/// docs/sensors.md eq. 15. As angles they are across / cos(elevation) and along, but nothing is singular.
sensing::UsblReading disturbed(const sensing::UsblReading& reading, double range, double across, double along) {
  const double ca = std::cos(reading.azimuth), sa = std::sin(reading.azimuth);
  const double ce = std::cos(reading.elevation), se = std::sin(reading.elevation);
  const Vec3 u = Vec3(ce * ca, ce * sa, se) + across * Vec3(-sa, ca, 0) + along * Vec3(-se * ca, -se * sa, ce);
  return {reading.range + range, std::atan2(u.y(), u.x()), std::atan2(u.z(), std::hypot(u.x(), u.y()))};
}

}  // namespace

SimulatedSensor::SimulatedSensor(const model::Sensor& sensor, std::uint64_t seed, std::string_view purpose,
                                 const SensorOptions& options)
    : declaration_(&model::declaration_of(sensor.kind)),
      parts_(sensing::parts_of(sensor, options.thruster_names)),
      per_beam_(sensor.beams && sensor.beams->per_beam),
      name_(sensor.name),
      frame_(sensing::frame_of(sensor)),
      columns_(sensing::columns_of(sensor, options.thruster_names)),
      mount_(sensor.pose()),
      gravity_n_(options.gravity_n),
      transceiver_(options.transceiver),
      bottom_depth_(options.bottom_depth),
      altitude_(sensor.altitude),
      rate_hz_(options.rate_hz  ? *options.rate_hz
               : sensor.rate_hz ? sensor.rate_hz->value
                                : 0),
      phase_(options.phase),
      latency_(sensor.latency ? sensor.latency->value : 0),
      due_(options.phase),
      last_due_(options.phase),
      random_(seed, fmt::format("sensor {}", purpose)),
      failed_until_(-infinity),
      frozen_until_(-infinity) {
  if (columns_.empty())
    reject_key(sensor, "kind", "needs the thrusters' names", "SensorOptions::thruster_names");
  if (!(rate_hz_ > 0 && std::isfinite(rate_hz_)))
    reject_key(sensor, "rate_hz", rate_hz_ == 0 ? "is missing" : fmt::format("= {}, must be > 0", rate_hz_),
               "samples per second, in the robot file or in SensorOptions");
  if (!(latency_ >= 0)) reject_key(sensor, "latency", fmt::format("= {}, must be >= 0", latency_), "seconds");
  if (!std::isfinite(phase_)) reject_key(sensor, "phase", "is not finite", "time of the first sample");
  if ((latency_ + options.longest_poll_gap) * rate_hz_ > most_under_way)
    reject_key(sensor, "latency",
               fmt::format("= {} s at {} Hz: more than a million samples under way", latency_, rate_hz_),
               "milliseconds?");
  if (parts_.front().quantity == Quantity::velocity) beams_ = sensing::beams_of(sensor);

  set_spreads(sensor);
  if (sensor.drop_out && sensor.drop_out->probability > 0) {
    // A chain of two states with the stationary share p; independent losses are the chain without memory.
    const double p = sensor.drop_out->probability;
    const std::optional<double>& length = sensor.drop_out->mean_length;
    loses_ = true;
    go_on_losing_ = length ? 1 - 1 / *length : p;
    begin_losing_ = length && p < 1 ? std::min(1.0, p / (1 - p) / *length) : p;
    losing_ = random_.uniform() < p;  // the state before the first sample
  }
  last_values_.resize(columns_.size());
  make_ring(options);
}

void SimulatedSensor::set_spreads(const model::Sensor& sensor) {
  for (const sensing::Part& part : parts_)
    for (const std::string_view name : part.error_channels) {
      const std::string channel(name);
      spreads_.push_back({value_of(sensor.noise, channel), value_of(sensor.bias_walk, channel),
                          value_of(sensor.quantisation, channel)});
      const double bias = value_of(sensor.bias, channel);
      bias_.push_back(bias > 0 ? bias * random_.normal() : 0);
    }
  error_.resize(spreads_.size());
}

void SimulatedSensor::make_ring(const SensorOptions& options) {
  capacity_ =
      static_cast<std::size_t>(std::ceil((latency_ + std::max(0.0, options.longest_poll_gap)) * rate_hz_)) + 2;
  times_.resize(capacity_);
  values_.resize(capacity_ * columns_.size());
}

void SimulatedSensor::advance_clock() {
  ++tick_;
  due_ = phase_ + static_cast<double>(tick_) / rate_hz_;
}

void SimulatedSensor::take_samples(const Truth& before, const Truth& after) {
  if (due_ < before.t - clock_tolerance) {  // a gap, or a simulation that begins later than the clock
    const double first_tick = std::ceil((before.t - clock_tolerance - phase_) * rate_hz_);
    const auto tick = std::max(tick_ + 1, static_cast<std::int64_t>(first_tick));
    counts_.due += static_cast<long>(tick - tick_);
    counts_.skipped += static_cast<long>(tick - tick_);
    tick_ = tick - 1;
    advance_clock();
  }
  while (due_ <= after.t + clock_tolerance) {
    take_sample(before, after);
    last_due_ = due_;
    advance_clock();
  }
}

void SimulatedSensor::take_sample(const Truth& before, const Truth& after) {
  ++counts_.due;
  const bool lost = loses_ && draw_loss();
  draw_error(due_ - last_due_);
  if (due_ < failed_until_) {
    ++counts_.failed;
    return;
  }
  if (lost) {
    ++counts_.dropped;
    return;
  }
  const TrueMotion motion = motion_between(before, after, due_);
  if (!has_answer(motion.state)) {
    ++counts_.no_answer;
    return;
  }
  const std::span<double> slot = push(due_);
  if (due_ < frozen_until_ && has_last_) {
    std::copy(last_values_.begin(), last_values_.end(), slot.begin());
    ++counts_.frozen;
    return;
  }
  measure(before, after, motion, slot);
  quantise(slot);
  std::copy(slot.begin(), slot.end(), last_values_.begin());
  has_last_ = true;
}

bool SimulatedSensor::draw_loss() {
  losing_ = random_.uniform() < (losing_ ? go_on_losing_ : begin_losing_);
  return losing_;
}

/// docs/sensors.md eq. 14.
void SimulatedSensor::draw_error(double dt) {
  const double root_dt = std::sqrt(dt);
  for (std::size_t i = 0; i < error_.size(); ++i) {
    const Spread& spread = spreads_[i];
    if (spread.walk > 0 && dt > 0) bias_[i] += spread.walk * root_dt * random_.normal();
    error_[i] = bias_[i];
    if (spread.noise > 0) error_[i] += spread.noise * random_.normal();
  }
}

bool SimulatedSensor::has_answer(const dynamics::State& state) const {
  if (declaration_->needs_air) return sensing::depth(mount_, state) <= deepest_fix;
  if (!bottom_depth_ || parts_.front().quantity != Quantity::velocity) return true;
  if (altitude_) {
    const double altitude = *bottom_depth_ - sensing::depth(mount_, state);
    if (!(altitude >= altitude_->min && altitude <= altitude_->max)) return false;
  }
  const sensing::BeamVector ranges = sensing::beam_ranges(beams_, mount_, state, *bottom_depth_);
  return ranges.minCoeff() >= 0 && std::isfinite(ranges.maxCoeff());
}

void SimulatedSensor::measure(const Truth& before, const Truth& after, const TrueMotion& motion,
                              std::span<double> out) const {
  std::size_t column = 0, error = 0;
  for (const sensing::Part& part : parts_) {
    measure(part.quantity, before, after, motion, error_.data() + error,
            out.subspan(column, part.columns.size()));
    column += part.columns.size();
    error += part.error_channels.size();
  }
}

void SimulatedSensor::measure(Quantity quantity, const Truth& before, const Truth& after,
                              const TrueMotion& motion, const double* e, std::span<double> out) const {
  const dynamics::State& state = motion.state;
  switch (quantity) {
    case Quantity::inertial: {
      const sensing::ImuReading reading = sensing::imu(mount_, state, motion.nu_dot_b, gravity_n_);
      put(out, 0, reading.specific_force_c + Vec3(e[0], e[1], e[2]));
      put(out, 3, reading.rate_c + Vec3(e[3], e[4], e[5]));
      break;
    }
    case Quantity::angles: {  // tilt on the right, heading about the vertical: docs/sensors.md eq. 15
      const Quat turned = exp_rotation(Vec3(0, 0, e[2])) * sensing::attitude(mount_, state);
      put(out, 0, euler_from_quaternion(turned * exp_rotation(Vec3(e[0], e[1], 0))));
      break;
    }
    case Quantity::velocity: {
      if (!per_beam_) {
        put(out, 0, sensing::dvl_velocity(mount_, state) + Vec3(e[0], e[1], e[2]));
        break;
      }
      const sensing::BeamVector velocities = sensing::beam_velocities(beams_, mount_, state);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = velocities[static_cast<Eigen::Index>(i)] + e[i];
      break;
    }
    case Quantity::depth: out[0] = sensing::depth(mount_, state) + e[0]; break;
    case Quantity::position: put(out, 0, sensing::position(mount_, state) + Vec3(e[0], e[1], e[2])); break;
    case Quantity::attitude:
      put(out, 0, sensing::attitude(mount_, state) * exp_rotation(Vec3(e[0], e[1], e[2])));
      break;
    case Quantity::direction: {
      const sensing::UsblReading reading =
          disturbed(sensing::usbl(mount_, state, transceiver_), e[0], e[1], e[2]);
      put(out, 0, Vec3(reading.range, reading.azimuth, reading.elevation));
      break;
    }
    case Quantity::shaft_rate:
    case Quantity::motor_current: {
      const double share = std::clamp((due_ - before.t) / (after.t - before.t), 0.0, 1.0);
      if (quantity == Quantity::shaft_rate)
        measure_thrusters(before.shaft_rates, after.shaft_rates, share, out);
      else
        measure_thrusters(before.motor_currents, after.motor_currents, share, out);
      break;
    }
  }
}

void SimulatedSensor::measure_thrusters(std::span<const double> before, std::span<const double> after,
                                        double share, std::span<double> out) const {
  if (before.size() != out.size() || after.size() != out.size())
    reject("sensor " + name_,
           fmt::format("has {} columns, but Truth has {} and {} thrusters", out.size(), before.size(),
                       after.size()),
           "shaft_rates or motor_currents of every thruster");
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = (1 - share) * before[k] + share * after[k] + error_[k];
}

void SimulatedSensor::quantise(std::span<double> out) const {
  std::size_t column = 0, error = 0;
  for (const sensing::Part& part : parts_) {
    const std::span<double> values = out.subspan(column, part.columns.size());
    const Spread* spread = &spreads_[error];
    if (part.quantity != Quantity::attitude) {
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = (part.columns[i].unit == "rad" ? angle_on_grid : on_grid)(values[i], spread[i].step);
    } else if (spread->step > 0) {
      Vec3 turn = log_rotation(Quat(values[0], values[1], values[2], values[3]));
      for (double& angle : turn) angle = on_grid(angle, spread->step);
      put(values, 0, exp_rotation(turn));
    }
    column += part.columns.size();
    error += part.error_channels.size();
  }
}

std::span<double> SimulatedSensor::push(double t_measured) {
  if (size_ == capacity_) {
    first_ = (first_ + 1) % capacity_;
    --size_;
    ++counts_.pushed_out;
  }
  const std::size_t slot = (first_ + size_) % capacity_;
  ++size_;
  times_[slot] = t_measured;
  next_arrival_ = times_[first_] + latency_;
  return std::span(values_).subspan(slot * columns_.size(), columns_.size());
}

bool SimulatedSensor::deliver(Sample& out) {
  out.t_measured = times_[first_];
  out.t_arrival = next_arrival_;
  out.values = std::span<const double>(values_).subspan(first_ * columns_.size(), columns_.size());
  first_ = (first_ + 1) % capacity_;
  --size_;
  next_arrival_ = size_ > 0 ? times_[first_] + latency_ : infinity;
  ++counts_.delivered;
  return true;
}

}  // namespace fathom::simulate
