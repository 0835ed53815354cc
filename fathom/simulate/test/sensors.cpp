#include "fathom/simulate/test/sensors.hpp"

#include <cmath>

namespace fathom::simulate::test {

std::vector<Kept> run(SimulatedSensor& sensor, double duration, double h,
                      const std::function<Truth(double t)>& at) {
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

std::function<Truth(double t)> standing(const dynamics::State& state) {
  return [state](double t) {
    Truth truth;
    truth.t = t;
    truth.state = state;
    return truth;
  };
}

}  // namespace fathom::simulate::test
