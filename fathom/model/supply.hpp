#pragma once

namespace fathom::model {

/// V, of the thrusters' supply where nobody says: four lithium cells.
inline constexpr double usual_voltage = 16;

}  // namespace fathom::model
