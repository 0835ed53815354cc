#include "fathom/loop/simulation.hpp"

#include <cmath>

namespace fathom::loop {

Simulation::Simulation(const Scenario& scenario, std::uint64_t seed, Sink& sink)
    : scenario_(&scenario), steps_(static_cast<long>(std::ceil(scenario.duration / scenario.step - 1e-9))) {
  for (std::size_t k = 0; k < scenario.vehicles.size(); ++k)
    vehicles_.push_back(std::make_unique<VehicleLoop>(scenario, k, seed, sink));
}

void Simulation::step() {
  const double t_next = static_cast<double>(step_ + 1) * scenario_->step;
  for (const auto& vehicle : vehicles_)
    if (!vehicle->step(t(), t_next, events_) && !failed_) {
      failed_ = true;
      failed_vehicle_ = vehicle->scenario().name;
    }
  if (!failed_) ++step_;
}

void Simulation::finish() {
  if (failed_) return;
  for (const auto& vehicle : vehicles_) vehicle->finish(t());
}

}  // namespace fathom::loop
