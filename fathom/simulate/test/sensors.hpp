#pragma once
#include <functional>
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
std::vector<Kept> run(SimulatedSensor& sensor, double duration, double h,
                      const std::function<Truth(double t)>& at);

/// `state` at all times.
std::function<Truth(double t)> standing(const dynamics::State& state);

/// One number of every sample.
inline std::vector<double> column(const std::vector<Kept>& samples, std::size_t k, double minus = 0) {
  std::vector<double> values;
  values.reserve(samples.size());
  for (const Kept& sample : samples) values.push_back(sample.values[k] - minus);
  return values;
}

}  // namespace fathom::simulate::test
