#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fathom::task {

/// One option of a task, described once: the command line makes a flag of it, and a result tells by it how it
/// can be had again. The flag is -- and the key with '-' for '_'.
struct Option {
  using Value = std::variant<std::string*, double*, int*, std::uint64_t*, bool*, std::optional<double>*,
                             std::optional<int>*, std::vector<std::string>*, std::vector<double>*>;
  std::string key;
  Value value;
  std::string doc;                      ///< one sentence for the help
  std::string form = {};                ///< of the value in the help: "S=0.4"
  std::string noun = {};                ///< what a number is, for messages: "time"
  std::vector<std::string> words = {};  ///< that a text may be; any where empty
  bool required = false;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();  ///< of a whole number
  std::uint64_t least = 0;                                         ///< likewise

  std::string flag() const;
};
using OptionList = std::vector<Option>;

/// Returns the command that asks for `options` again: those that are required or differ from `usual`, the same
/// list of an object with defaults.
std::string command_of(const std::string& verb, const OptionList& options, const OptionList& usual);

/// Returns a word of a command line, in quotes where a shell would take it for something else.
std::string shell_word(const std::string& text);

/// Throws InputError that names the option.
void require(bool holds, const char* option, const std::string& message);
/// Returns the finite number that the whole text is.
std::optional<double> number_in(std::string_view text);

}  // namespace fathom::task
