#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace fathom::log::internal {

/// What a column of times holds.
struct StampForm {
  bool date = false;  ///< 2022-12-01T15:40:08.877Z; else a number
  int power = 9;      ///< of a number: its unit is 10^power ns, so 9 for seconds
};

/// Nanoseconds, to the digit: neither 1669909203330211715 nor 1669909203.330211715 passes through a double.
/// Digits below a nanosecond are rounded. Nothing where the text is no such number or beyond 292 years.
std::optional<std::int64_t> parse_stamp(std::string_view text, const StampForm& form);

}  // namespace fathom::log::internal
