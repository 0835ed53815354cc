#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fathom/identify/thruster/advance_loss.hpp"
#include "fathom/identify/thruster/bollard_table.hpp"
#include "fathom/identify/thruster/shaft_speed.hpp"
#include "fathom/identify/thruster/voltage_table.hpp"

namespace fathom::identify {

/// What one side of a table with inflows says of the thrust that is lost. All as magnitudes of that side: in
/// reverse, thrust and inflow are turned over.
struct TowedThruster {
  AdvanceLoss loss;
  std::vector<TowedPoint> points;  ///< those of still water too

  double far_inflow() const;              ///< m/s, the largest in magnitude
  std::array<double, 3> inflows() const;  ///< m/s, to tell the loss at: a third, 2/3 and all of it
  std::array<double, 3> speeds() const;   ///< rad/s, to tell the loss at: half, 3/4 and all of the largest
};
/// `direction` is 1 for commands above neutral, -1 for those below. Throws InputError where the table has no
/// shaft speeds or no inflow on that side, where the thrust grows with the inflow, or as identify_advance_loss.
TowedThruster identify_towed(const BollardTable& table, double neutral, double direction);

/// The law in still water and the loss as one propeller, docs/model.md eq. 27. Its shaft speeds are those at
/// which T_ww |w| w is the force of the law. Without coefficients of the reverse side, where blades push less,
/// those of the forward one hold there: then reverse speeds are below the true ones, and the loss is that of
/// the forward side at the same force.
model::ThrusterMap propeller_map(const StaticThrust& laws, const model::ThrustCoefficients& forward,
                                 const std::optional<model::ThrustCoefficients>& reverse = {});

/// All that a bollard or towing table says of a thruster.
struct IdentifiedThruster {
  struct Shaft {
    ShaftSpeedFit speed;
    ThrustOverSpeed thrust;
  };
  struct AtVoltage {
    std::optional<double> voltage;  ///< V, where the table has it
    StaticThrust laws;
    std::optional<Shaft> forward_shaft = {}, reverse_shaft = {};  ///< where the table has speeds
  };
  model::CommandUnit unit = model::CommandUnit::normalized;
  std::vector<AtVoltage> tests;                                          ///< in order of voltage, at least one
  std::optional<VoltageTable> table = {};                                ///< of several voltages
  std::optional<MotorConstants> forward_motor = {}, reverse_motor = {};  ///< from the ends of the range
  std::optional<TowedThruster> forward_towed = {}, reverse_towed = {};   ///< where the table has inflows
  std::optional<model::ThrusterMap> propeller = {};                      ///< of one voltage whose loss is known
  std::vector<std::string> left_out = {};  ///< what could not be fitted beside the force, and why

  /// The table of several voltages, else the law of the only one, with its loss over inflow if there is one.
  const model::ThrusterMap& map() const {
    return table ? table->map : propeller ? *propeller : tests.front().laws.map;
  }
};

/// What lies between the least and the largest command in still water; neutral is 1500 for pwm_us, else 0.
model::Command command_of(const BollardTable& table, std::optional<double> neutral = {});

/// Throws InputError where the force cannot be fitted; shaft, motor and loss that cannot are left out, and
/// named.
IdentifiedThruster identify_thruster(const BollardTable& table, const model::Command& command,
                                     const std::string& source, const StaticThrustOptions& options = {});

}  // namespace fathom::identify
