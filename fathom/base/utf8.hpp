#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace fathom {

/// Returns the place of the first byte that is not part of a UTF-8 character; npos if there is none.
std::size_t find_invalid_utf8(std::string_view text);

/// Returns `text` with such bytes escaped: text that came from outside and goes into a file of ours.
std::string as_utf8(std::string_view text);

}  // namespace fathom
