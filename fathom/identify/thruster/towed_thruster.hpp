#pragma once
#include <array>
#include <optional>
#include <vector>

#include "fathom/identify/thruster/advance_loss.hpp"
#include "fathom/identify/thruster/bollard_table.hpp"

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

}  // namespace fathom::identify
