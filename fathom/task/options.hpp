#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace fathom::task {

/// Returns a word of a command line, in quotes where a shell would take it for something else.
std::string shell_word(const std::string& text);

/// Throws InputError that names the option.
void require(bool holds, const char* option, const std::string& message);
/// Returns the finite number that the whole text is.
std::optional<double> number_in(std::string_view text);

}  // namespace fathom::task
