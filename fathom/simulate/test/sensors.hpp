#pragma once
#include <array>
#include <string>
#include <vector>

#include "fathom/simulate/sensor.hpp"

namespace fathom::simulate::test {

/// A sensor of no errors.
inline model::Sensor make_sensor(model::SensorKind kind, double rate_hz) {
  model::Sensor sensor;
  sensor.name = "test";
  sensor.kind = kind;
  sensor.rate_hz.emplace().value = rate_hz;
  return sensor;
}

/// A sample that stays.
struct Kept {
  double t_polled, t_arrival, t_measured;
  std::vector<double> values;
};

/// Runs a sensor from 0 to `duration` in steps of h over the truth that `at(t)` gives, polling after each step.
template <class At>
std::vector<Kept> run(SimulatedSensor& sensor, double duration, double h, const At& at) {
  std::vector<Kept> kept;
  Truth before = at(0.0);
  const long steps = std::lround(duration / h);
  for (long k = 1; k <= steps; ++k) {
    const Truth after = at(static_cast<double>(k) * h);
    sensor.step(before, after);
    Sample sample;
    while (sensor.poll(after.t, sample))
      kept.push_back(
          {after.t, sample.t_arrival, sample.t_measured, {sample.values.begin(), sample.values.end()}});
    before = after;
  }
  return kept;
}

/// `state` at all times.
inline auto standing(const dynamics::State& state) {
  return [state](double t) {
    Truth truth;
    truth.t = t;
    truth.state = state;
    return truth;
  };
}

/// One number of every sample.
inline std::vector<double> column(const std::vector<Kept>& samples, std::size_t k, double minus = 0) {
  std::vector<double> values;
  values.reserve(samples.size());
  for (const Kept& sample : samples) values.push_back(sample.values[k] - minus);
  return values;
}

}  // namespace fathom::simulate::test
