#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fathom {

/// The candidate with the fewest edits (insert, delete, replace, swap of neighbours) from `word`, or "" if none
/// is close enough to be what was meant. Case does not count.
std::string nearest_word(std::string_view word, std::span<const std::string_view> candidates);

/// `did you mean x?` with the nearest of the candidates, or `otherwise` where none is near: the hint of a
/// message about a word that is not known.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates,
                         const std::string& otherwise = "");

/// `word` if it is printable UTF-8 of moderate length; otherwise escaped and cut, so that an error message
/// about random bytes stays readable.
std::string in_quotes(std::string_view word);

/// The words with `between` between them.
std::string join(std::span<const std::string> words, std::string_view between);
std::string join(std::span<const std::string_view> words, std::string_view between);

/// Can it be part of a file's name: at most 64 letters, digits, - and _, a letter or digit first?
bool is_plain_name(std::string_view name);

/// `text` with what is not printable UTF-8 escaped.
std::string printable(std::string_view text);

/// `text` without what stands in `blanks` before and behind it.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t");

}  // namespace fathom
