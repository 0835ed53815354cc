#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fathom::exchange::internal {

/// A unit that is written for another: the number has to be multiplied by `factor` to be right.
struct UnitSlip {
  double factor;
  std::string_view what;  ///< "grams instead of kg"
};

/// What the writer of a number may have meant.
struct Slip {
  double meant = 0;
  std::string what;
};

/// Where numbers of one kind lie that are right; all positive.
struct Expected {
  double value, least, most;
};

/// The slip that brings `value` nearest to what is expected, and within its limits: a sign, a unit, two digits
/// that changed places, a decimal point that moved. None where nothing does.
std::optional<Slip> likely_slip(double value, const Expected& expected, std::span<const UnitSlip> units);

/// "; 1863 would fit: tonnes instead of kg", or nothing.
std::string slip_text(const std::optional<Slip>& slip);

/// Does one number become the other when two neighbouring digits change places?
bool digits_swapped(double a, double b);

}  // namespace fathom::exchange::internal
