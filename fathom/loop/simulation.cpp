#include "fathom/loop/simulation.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::loop {

Simulation::Simulation(const Scenario& scenario, std::uint64_t seed, Sink& sink)
    : scenario_(&scenario), steps_(static_cast<long>(std::ceil(scenario.duration / scenario.step - 1e-9))) {
  for (std::size_t k = 0; k < scenario.vehicles.size(); ++k)
    vehicles_.push_back(std::make_unique<VehicleLoop>(scenario, k, seed, sink));
  couplings_.emplace(scenario, vehicles_, sink, events_);
  began_.assign(vehicles_.size(), false);
}

void Simulation::fail(const std::string& vehicle) {
  if (!failed_) failed_vehicle_ = vehicle;
  failed_ = true;
}

void Simulation::step() {
  const double now = t(), t_next = static_cast<double>(step_ + 1) * scenario_->step, dt = t_next - now;
  for (std::size_t k = 0; k < vehicles_.size(); ++k) {
    VehicleLoop& vehicle = *vehicles_[k];
    vehicle.apply_faults(now, events_);
    vehicle.steer(now, dt);
    began_[k] = vehicle.begin_step(now, events_);
    if (!began_[k]) fail(vehicle.scenario().name);
  }
  couplings_->log(now);
  for (const Couplings::Group& group : couplings_->groups()) {
    if (!std::all_of(group.vehicles.begin(), group.vehicles.end(), [&](std::size_t k) { return began_[k]; }))
      continue;
    if (!group.moving->advance(now, t_next)) {
      fail(group.moving->failed_vehicle());
      continue;
    }
    for (const std::size_t k : group.vehicles) vehicles_[k]->end_step(dt);
  }
  if (failed_) return;
  ++step_;
  couplings_->update(t(), events_);
}

void Simulation::finish() {
  if (failed_) return;
  for (const auto& vehicle : vehicles_) vehicle->finish(t());
  couplings_->log(t());
}

}  // namespace fathom::loop
