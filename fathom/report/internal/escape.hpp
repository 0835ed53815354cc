#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::report::internal {

/// Valid UTF-8 without control characters other than newline and tab.
std::string clean_text(std::string_view text);

/// `text` as HTML that shows it, in an element or an attribute.
std::string escape_html(std::string_view text);

/// JSON as it may stand in a <script> element: no text in it can end the element.
std::string escape_json_in_script(std::string_view json);

std::string base64(std::span<const std::uint8_t> bytes);

/// Little-endian float32 in base64; what is not finite becomes NaN.
std::string floats_base64(std::span<const double> values);

/// float32 steps whose running sum in double, from `t.front()`, follows t: the rounding of one step is made
/// good by the next, so the error is that of one step and does not grow.
std::vector<double> time_steps(std::span<const double> t);

}  // namespace fathom::report::internal
