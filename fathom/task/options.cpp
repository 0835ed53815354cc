#include "fathom/task/options.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::task {
namespace {

struct CommandWriter {
  const Option& option;
  const Option& usual;

  template <class T>
  bool is_told(const T& value) const {
    return option.required || value != *std::get<T*>(usual.value);
  }
  std::string word(const std::string& text) const { return fmt::format(" {} {}", option.flag(), text); }

  std::string operator()(const bool* value) const { return *value ? " " + option.flag() : ""; }
  std::string operator()(const std::string* value) const {
    return is_told(*value) ? word(shell_word(*value)) : "";
  }
  template <class Number>
  std::string operator()(const Number* value) const {
    return is_told(*value) ? word(fmt::format("{}", *value)) : "";
  }
  template <class Number>
  std::string operator()(const std::optional<Number>* value) const {
    return *value ? word(fmt::format("{}", **value)) : "";
  }
  std::string operator()(const std::vector<std::string>* values) const {
    std::string text;
    for (const std::string& value : *values) text += word(shell_word(value));
    return text;
  }
  std::string operator()(const std::vector<double>* values) const {
    return values->empty() ? "" : word(fmt::format("{}", fmt::join(*values, " ")));
  }
};

}  // namespace

std::string Option::flag() const {
  std::string name = "--" + key;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string command_of(const std::string& verb, const OptionList& options, const OptionList& usual) {
  std::string command = verb;
  for (std::size_t k = 0; k < options.size(); ++k)
    command += std::visit(CommandWriter{options[k], usual[k]}, options[k].value);
  return command;
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
