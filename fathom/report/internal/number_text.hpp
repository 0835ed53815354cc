#pragma once
#include <string>

namespace fathom::report::internal {

// Numbers and units as a page shows them; what is not finite is a dash.

std::string significant(double value, int digits);
std::string fixed(double value, int digits = 3);  ///< with that many decimals
std::string percent(double share);
/// m/s^2 as people write it, on one line.
std::string unit_text(std::string unit);

}  // namespace fathom::report::internal
