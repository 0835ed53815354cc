#pragma once
#include <cstddef>
#include <span>

namespace fathom::log::internal {

/// Room that write_number needs; it uses at most 25 characters and may scribble on the rest.
inline constexpr std::size_t number_room = 48;

/// The shortest decimal that reads back as the same bits, as a person would write it: 12.34, -0, 1.5e-9.
/// `x` must be finite. Returns the end.
char* write_number(char* out, double x);

/// `t,value,value\n`, with nothing for NaN. `out` has row_room(values.size()). Returns the end, or nullptr if a
/// value is infinite. `t` must be finite.
char* write_row(char* out, double t, std::span<const double> values);

inline constexpr std::size_t row_room(std::size_t values) { return (values + 1) * number_room; }

}  // namespace fathom::log::internal
