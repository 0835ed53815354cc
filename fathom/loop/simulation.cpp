#include "fathom/loop/simulation.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/loop/internal/cluster_control.hpp"
#include "fathom/loop/internal/couplings.hpp"
#include "fathom/loop/internal/vehicle_loop.hpp"

namespace fathom::loop {

using internal::ClusterControl;
using internal::Couplings;
using internal::VehicleLoop;

Simulation::Simulation(const Scenario& scenario, std::uint64_t seed, log::Sink& sink)
    : scenario_(&scenario),
      events_(std::make_unique<std::vector<Event>>()),
      steps_(static_cast<long>(std::ceil(scenario.duration / scenario.step - 1e-9))) {
  for (std::size_t k = 0; k < scenario.vehicles.size(); ++k)
    vehicles_.push_back(std::make_unique<VehicleLoop>(scenario, k, seed, sink, *events_));
  couplings_ = std::make_unique<Couplings>(scenario, vehicles_, sink, *events_);
  for (const ClusterScenario& cluster : scenario.clusters)
    clusters_.push_back(std::make_unique<ClusterControl>(scenario, cluster, vehicles_, seed, sink, *events_));
  regroup();
  began_.assign(vehicles_.size(), false);
}

Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

/// Those who let go come first: of the vehicles that they leave another cluster may be made.
void Simulation::regroup() {
  for (const bool takes_over : {false, true})
    for (const auto& cluster : clusters_)
      if (cluster->is_in_charge() != takes_over) cluster->regroup(t(), *couplings_);
}

void Simulation::fail(const std::string& vehicle) {
  if (!failed_) failed_vehicle_ = vehicle;
  failed_ = true;
}

void Simulation::step() {
  const double now = t(), t_next = static_cast<double>(step_ + 1) * scenario_->step, dt = t_next - now;
  for (const auto& cluster : clusters_)
    if (cluster->is_in_charge()) cluster->steer(now, dt);
  for (std::size_t k = 0; k < vehicles_.size(); ++k) {
    VehicleLoop& vehicle = *vehicles_[k];
    if (!vehicle.obeys()) {
      vehicle.apply_faults(now);
      vehicle.steer(now, dt);
    }
    began_[k] = vehicle.begin_step(now);
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
  if (couplings_->update(t())) regroup();
}

void Simulation::finish() {
  if (failed_) return;
  for (const auto& vehicle : vehicles_) vehicle->finish(t());
  couplings_->log(t());
  for (const auto& cluster : clusters_) cluster->finish(t());
}

std::vector<VehicleStatistics> Simulation::vehicle_statistics() const {
  std::vector<VehicleStatistics> statistics;
  for (const auto& vehicle : vehicles_) statistics.push_back(vehicle->statistics());
  return statistics;
}

std::vector<CouplingStatistics> Simulation::coupling_statistics() const { return couplings_->statistics(); }

std::vector<ClusterStatistics> Simulation::cluster_statistics() const {
  std::vector<ClusterStatistics> statistics;
  for (const auto& cluster : clusters_) statistics.push_back(cluster->statistics());
  return statistics;
}

}  // namespace fathom::loop
