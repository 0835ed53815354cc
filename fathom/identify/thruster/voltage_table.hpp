#pragma once
#include <map>
#include <vector>

#include "fathom/identify/thruster/static_thrust.hpp"

namespace fathom::identify {

/// The values that do not fall, nearest to `values` in the sense of least squares: pool adjacent violators
/// (Barlow et al. 1972).
std::vector<double> pooled(const std::vector<double>& values);

/// What a table says of a voltage that it is made without, straight lines between the neighbours, against what
/// was measured there.
struct VoltageLeftOut {
  double voltage = 0, below = 0, above = 0;  ///< V
  double rms = 0, peak = 0;                  ///< N, over the table's commands
  double full_force = 0;                     ///< N, largest magnitude at that voltage
};

/// How sure the table is half way between two of its voltages, 95 %.
struct BetweenVoltages {
  double voltage = 0, below = 0, above = 0;  ///< V
  std::vector<double> half;                  ///< N, half of the band at each command of the table
};

struct VoltageTable {
  model::ThrusterMap map;                     ///< of a ForceTable
  std::size_t pooled_points = 0;              ///< whose force was moved so that the table does not fall
  double largest_move = 0;                    ///< N
  std::vector<VoltageLeftOut> left_out;       ///< every voltage but the first and last
  std::vector<BetweenVoltages> between = {};  ///< one for each two neighbours; bands_between() fills it
};

/// A table of forces over command and voltage. Its commands are all that were measured within the range that
/// every voltage spans, and neutral; between measured commands forces lie on straight lines. Forces are pooled
/// so that they do not fall, and have the sign of their side. Throws InputError for a voltage that is not
/// positive or whose test does not span neutral, or for numbers that are not finite.
VoltageTable identify_voltage_table(const std::map<double, BollardTest>& by_voltage,
                                    const model::Command& command);

/// Half bands half way between the voltages of a table: what straight lines miss, by the bend of the force over
/// voltage at the neighbours (of two voltages by that of a force which grows as their square), and in
/// quadrature the largest half band of the neighbours' own laws, `half_bands` [N], one for each voltage.
std::vector<BetweenVoltages> bands_between(const model::ForceTable& table,
                                           const std::vector<double>& half_bands);

}  // namespace fathom::identify
