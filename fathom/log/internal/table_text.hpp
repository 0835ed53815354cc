#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "fathom/log/csv_table.hpp"

namespace fathom::log::internal {

/// What a separator inside quotes becomes, so that a line can be cut without heeding quotes.
inline constexpr char hidden_separator = '\x1f';

inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool is_blank(std::string_view line);
std::string_view without_byte_order_mark(std::string_view text);
std::size_t count_fields(std::string_view line, char separator);

/// The line without quotes, with one blank between columns that blanks separate, and with points for decimal
/// commas. False where a quote is left open.
bool rewrite(std::string_view line, const TableOptions& options, std::string& out);

/// Of a field without a number: missing (NaN), true or false. Nothing for any other word.
std::optional<double> value_of_word(std::string_view text);

bool looks_like_decimal_comma(std::string_view text);

}  // namespace fathom::log::internal
