#pragma once
#include <span>
#include <vector>

#include "fathom/log/sink.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/simulate/plant.hpp"

namespace fathom::loop::internal {

/// The channels of one vehicle in the log, but those of its sensors: docs/scenario-file.md has their columns.
class VehicleLog {
 public:
  /// Opens the channels that this vehicle has. The sink must outlive it.
  VehicleLog(const VehicleScenario& vehicle, log::Sink& sink);

  void state(double t, const dynamics::State& state);
  void reference(double t, const trajectory::Reference& reference);
  void thrusters(double t, std::span<const double> commands,
                 std::span<const simulate::Plant::ThrusterReading> readings);
  void control(double t, const Vec6& demanded_b, bool saturated);
  void water(double t, const Vec3& velocity_n);
  void tether(double t, const simulate::TetherLoad& load);

 private:
  log::Sink* sink_;
  std::vector<double> row_;
  std::size_t state_ = 0, reference_ = 0, thrusters_ = 0, control_ = 0, water_ = 0, tether_ = 0;
};

}  // namespace fathom::loop::internal
