#include "fathom/task/options.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "fathom/base/error.hpp"
#include "fathom/task/internal/option_table.hpp"

namespace fathom::task {

std::string internal::command_of(const std::string& verb, const std::vector<fields::Flag>& flags,
                                 const void* options) {
  std::string command = verb;
  for (const fields::Flag& flag : flags) {
    const std::vector<std::string> arguments = flag.arguments(options);
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (!flag.is_positional && (k == 0 || flag.is_list)) command += " " + flag.name;
      if (!flag.is_switch) command += " " + shell_word(arguments[k]);
    }
  }
  return command;
}

fields::Key internal::water_density(fields::Key key) {
  return key.unit("kg/m^3").between(500, 2000).hint("fresh 1000, sea 1025").metavar("KG_M3");
}

std::string shell_word(const std::string& text) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_-./=:,+@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

void require(bool holds, const char* option, const std::string& message) {
  if (!holds) reject(option, message);
}

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = status == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  return is_number ? std::optional(value) : std::nullopt;
}

}  // namespace fathom::task
