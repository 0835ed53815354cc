#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fathom/log/sink.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/loop/statistics.hpp"

namespace fathom::loop {
namespace internal {
class ClusterControl;
class Couplings;
class VehicleLoop;
}  // namespace internal

/// A scenario as it runs. Vehicles act on one another through couplings that are closed, and not otherwise. The
/// same scenario and seed give the same rows.
class Simulation {
 public:
  /// Both must outlive the simulation. Throws InputError where the scenario cannot run.
  Simulation(const Scenario& scenario, std::uint64_t seed, log::Sink& sink);
  Simulation(const Scenario&& scenario, std::uint64_t seed, log::Sink& sink) = delete;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

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
  const std::vector<Event>& events() const { return *events_; }
  /// What each did so far, in the order of the scenario.
  std::vector<VehicleStatistics> vehicle_statistics() const;
  std::vector<CouplingStatistics> coupling_statistics() const;
  std::vector<ClusterStatistics> cluster_statistics() const;

  // What it is made of, for tests: their headers are not installed.
  const std::vector<std::unique_ptr<internal::VehicleLoop>>& vehicles() const { return vehicles_; }
  const internal::Couplings& couplings() const { return *couplings_; }
  const std::vector<std::unique_ptr<internal::ClusterControl>>& clusters() const { return clusters_; }

 private:
  void regroup();
  void fail(const std::string& vehicle);

  const Scenario* scenario_;
  std::unique_ptr<std::vector<Event>> events_;  // stays where it is when the simulation moves: all write to it
  std::vector<std::unique_ptr<internal::VehicleLoop>> vehicles_;
  std::unique_ptr<internal::Couplings> couplings_;
  std::vector<std::unique_ptr<internal::ClusterControl>> clusters_;
  std::vector<bool> began_;  // this step, by vehicle
  long step_ = 0, steps_ = 0;
  bool failed_ = false;
  std::string failed_vehicle_;
};

}  // namespace fathom::loop
