#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/identify/thruster/bollard_table.hpp"
#include "fathom/identify/thruster/shaft_speed.hpp"
#include "fathom/identify/thruster/towed_thruster.hpp"
#include "fathom/identify/thruster/voltage_table.hpp"

namespace fathom::identify {

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
