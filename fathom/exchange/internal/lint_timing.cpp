#include <variant>

#include <fmt/format.h>

#include "fathom/exchange/internal/lint_report.hpp"

namespace fathom::exchange::internal {
namespace {

using model::SensorKind;

struct Limits {
  double least, most;
  bool hold(double x) const { return x >= least && x <= most; }
};

constexpr double slowest_hz = 1e-3;     // a sample in a quarter of an hour
constexpr double longest_latency = 30;  // s
// Small brushless thrusters follow within 50 to 300 ms, the largest azimuth thrusters within some seconds; no
// shaft follows within the time of its motor's windings, about 1 ms.
constexpr Limits lag_limits{1e-3, 10}, flow_limits{1e-3, 60};

/// Rates that instruments of a kind have; the fastest is about twice what is on the market.
Limits rate_limits(SensorKind kind) {
  switch (kind) {
    case SensorKind::imu: return {slowest_hz, 2e4};
    case SensorKind::thruster_current:
    case SensorKind::thruster_rate: return {slowest_hz, 5e4};
    case SensorKind::ahrs:
    case SensorKind::depth:
    case SensorKind::position: return {slowest_hz, 2e3};
    case SensorKind::dvl:
    case SensorKind::gps:
    case SensorKind::usbl: break;
  }
  return {slowest_hz, 100};
}

void look_at_sensor(LintReport& report, std::size_t k) {
  const model::Sensor& sensor = report.spec.sensors[k];
  if (sensor.rate_hz && is_sound(sensor.rate_hz->value)) {
    const double rate = sensor.rate_hz->value;
    const Limits limits = rate_limits(sensor.kind);
    if (!limits.hold(rate))
      report.add(
          "sensor-rate", Severity::warning, fmt::format("sensors[{}].rate_hz", k),
          fmt::format("= {:g} Hz, expected {:g} to {:g} Hz of such a sensor: a simulation takes {} for it",
                      rate, limits.least, limits.most,
                      rate > limits.most ? "that many steps a second" : "years to see a sample"),
          rate > limits.most ? "a period in us instead of a rate in Hz?" : "a period in s instead of a rate?");
  }
  if (sensor.latency && is_sound(sensor.latency->value) && sensor.latency->value > longest_latency)
    report.add(
        "time-constant", Severity::warning, fmt::format("sensors[{}].latency", k),
        fmt::format("= {:g} s, expected at most {:g} s: every sample arrives long after the motion is over",
                    sensor.latency->value, longest_latency),
        "ms instead of s?");
}

void look_at_lag(LintReport& report, const std::string& key, const char* what, double seconds,
                 const Limits& limits) {
  if (!is_sound(seconds) || limits.hold(seconds)) return;
  report.add(
      "time-constant", Severity::warning, key,
      fmt::format("has a {} of {:g} s, expected {:g} to {:g} s: {}", what, seconds, limits.least, limits.most,
                  seconds > limits.most ? "the vehicle hardly feels its thrusters"
                                        : "no thruster follows so fast, and a simulation needs steps as short"),
      seconds > limits.most ? "ms instead of s?" : "s written as if it were in ms or us?");
}

void look_at_transient(LintReport& report, const std::string& key, const model::Transient& transient) {
  if (const auto* const lag = std::get_if<model::FirstOrder>(&transient.law))
    look_at_lag(report, key, "time constant", lag->time_constant, lag_limits);
  if (transient.flow)
    look_at_lag(report, key, "time constant of the flow", transient.flow->time_constant, flow_limits);
  const std::optional<model::MotorRates> motor = model::motor_rates(transient);
  if (!motor) return;
  // Of small motions about rest, and about a usual speed: a load that is quadratic alone acts only there.
  constexpr double usual_speed = 100;  // rad/s
  look_at_lag(report, key, "motor time constant", 1 / (motor->linear + 2 * motor->quadratic * usual_speed),
              lag_limits);
}

}  // namespace

void lint_timing(LintReport& report) {
  for (std::size_t k = 0; k < report.spec.sensors.size(); ++k) look_at_sensor(report, k);
  for (std::size_t k = 0; k < report.spec.thrusters.size(); ++k)
    if (const auto& transient = report.spec.thrusters[k].transient)
      look_at_transient(report, fmt::format("thrusters[{}].transient", k), *transient);
}

}  // namespace fathom::exchange::internal
