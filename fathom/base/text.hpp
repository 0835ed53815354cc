#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fathom {

/// Returns the candidate with the fewest edits (insert, delete, replace, swap of neighbours) from `word`, or ""
/// if none is close enough to be what was meant. Case does not count.
std::string nearest_word(std::string_view word, std::span<const std::string_view> candidates);

/// Returns the hint `did you mean x?` with the nearest candidate, or `otherwise` if none is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates,
                         const std::string& otherwise = "");

/// Returns `word` in quotes; bytes that are not printable UTF-8 are escaped and long words are cut, so that an
/// error message about random bytes stays readable.
std::string in_quotes(std::string_view word);

/// Returns the words, separated by `between`.
std::string join(std::span<const std::string> words, std::string_view between);
std::string join(std::span<const std::string_view> words, std::string_view between);

/// Returns true if `name` can be part of a file name: at most 64 letters, digits, - and _, not - or _ first.
bool is_plain_name(std::string_view name);

/// Returns `text` with all bytes escaped that are not printable UTF-8.
std::string printable(std::string_view text);

/// Returns `text` without leading and trailing characters of `blanks`.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t");

}  // namespace fathom
