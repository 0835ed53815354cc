#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "fathom/log/dataset.hpp"

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

/// What a file that Fathom wrote begins with, before the number of the format.
inline constexpr std::string_view log_marker = "# fathom log";

/// `name [unit]`, or `name` where there is no unit.
std::string column_title(const Column& column);

/// The reverse. Blanks around name and unit do not count. Throws InputError if the name is empty or a bracket
/// has no partner.
Column parse_column(std::string_view title);

/// What a channel must fulfil to be written. A channel's name is letters, digits, `_`, `-`, `.` and begins with
/// a letter or digit; so is a frame; columns are at least one, have different names, none is `t`, and names and
/// units have no comma, semicolon, quote, bracket, # or control character. Throws InputError with every
/// finding.
void check_writable(const ChannelInfo& info);

/// The lines above the first row. `info` must be writable.
std::string csv_header(const ChannelInfo& info);

}  // namespace fathom::log::internal
