#pragma once
#include <string>
#include <string_view>

#include "fathom/log/dataset.hpp"

namespace fathom::log::internal {

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
