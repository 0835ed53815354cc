#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fathom/exchange/export.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::exchange::internal {

/// From the input of a thruster to its force, as UUV Simulator knows it: <conversion> of the thruster plug-in.
struct UuvConversion {
  std::optional<double> rotor_constant;  ///< Basic, N s^2: force = constant w |w|; else LinearInterp:
  std::vector<double> inputs, outputs;   ///< points, N; what lies beyond counts as the last
  double error = 0;                      ///< N, the largest between points; 0 where the points are all there is
};

/// The command in newton passes through a table with the same numbers on both sides.
UuvConversion uuv_conversion(const model::Thruster& thruster, double density);

/// The inverse, as the thruster manager has it: `custom` finds the input between outputs, which must rise. A
/// dead band is told by its two edges, at forces too small to matter.
struct UuvInverse {
  std::vector<double> inputs, outputs;
};
UuvInverse inverse_of(const UuvConversion& conversion);

/// What the thruster can push, N: its limits, or what its map attains; nothing where neither is known.
std::optional<model::ForceRange> force_range(const model::Thruster& thruster, double density);

/// Half of the range of forces, N, where nothing is said of it: far beyond any thruster.
inline constexpr double no_limit_n = 1e6;

/// thruster_manager.yaml of UUV Simulator's thruster manager, in the namespace `space`.
std::string manager_yaml(const model::Robot& robot, const std::string& space,
                         const std::vector<UuvConversion>& conversions, double density,
                         std::vector<Loss>& losses);

/// TAM.yaml: B with tau = B f in axes forward, port, up, row by row.
std::string tam_yaml(const model::Robot& robot);

}  // namespace fathom::exchange::internal
