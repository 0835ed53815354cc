#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fathom/loop/account.hpp"
#include "fathom/loop/cluster_control.hpp"
#include "fathom/loop/couplings.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/loop/sink.hpp"
#include "fathom/loop/vehicle_loop.hpp"

namespace fathom::loop {

/// A scenario as it runs. Vehicles act on one another through couplings that are closed, and not otherwise. The
/// same scenario and seed give the same rows.
class Simulation {
 public:
  /// Both must outlive the simulation. Throws InputError where the scenario cannot run.
  Simulation(const Scenario& scenario, std::uint64_t seed, Sink& sink);

  double t() const { return static_cast<double>(step_) * scenario_->step; }
  bool done() const { return step_ >= steps_ || failed_; }
  double share() const { return static_cast<double>(step_) / static_cast<double>(steps_); }
  void step();
  void run() {
    while (!done()) step();
    finish();
  }
  /// Writes the last rows.
  void finish();

  /// The motion of a vehicle ran away (a step too long for what is stiff); the log ends there.
  bool failed() const { return failed_; }
  const std::string& failed_vehicle() const { return failed_vehicle_; }
  const std::vector<std::unique_ptr<VehicleLoop>>& vehicles() const { return vehicles_; }
  const std::vector<Event>& events() const { return events_; }
  const Couplings& couplings() const { return *couplings_; }
  const std::vector<std::unique_ptr<ClusterControl>>& clusters() const { return clusters_; }

 private:
  void regroup();
  void fail(const std::string& vehicle);

  const Scenario* scenario_;
  std::vector<std::unique_ptr<VehicleLoop>> vehicles_;
  std::vector<Event> events_;
  std::optional<Couplings> couplings_;
  std::vector<std::unique_ptr<ClusterControl>> clusters_;
  std::vector<bool> began_;  // this step, by vehicle
  long step_ = 0, steps_ = 0;
  bool failed_ = false;
  std::string failed_vehicle_;
};

}  // namespace fathom::loop
