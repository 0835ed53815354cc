#pragma once
#include <stdexcept>
#include <string>
#include <vector>

namespace fathom {

enum class Severity { note, warning, error };

std::string to_string(Severity severity);

/// Describes one problem of an input: its place, the value that was found, the expected one, and the remedy.
struct Finding {
  Severity severity = Severity::error;
  std::string file;         ///< empty if the input is not a file
  int line = 0;             ///< from 1; 0 if unknown
  std::string key;          ///< dotted path within the file, such as hull.added_mass[5]
  std::string message;      ///< the value that was found and the expected one
  std::string hint;         ///< the remedy; may be empty
  bool wrong_sign = false;  ///< the value may follow the other sign convention (SNAME)

  /// Returns `file:line: key message (hint)`.
  std::string text() const;
};

using Findings = std::vector<Finding>;

/// Is thrown for bad input. The command line turns it into exit status 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(Findings findings);
  explicit InputError(Finding finding);
  const Findings& findings() const { return findings_; }

 private:
  Findings findings_;
};

/// Throws an InputError with one finding, about an option or about a place in a file.
[[noreturn]] void reject(std::string key, std::string message, std::string hint = "");
[[noreturn]] void reject(std::string file, int line, std::string key, std::string message,
                         std::string hint = "");
/// Adds an error to `findings`, so that one exception can report all problems at once.
void add_error(Findings& findings, std::string key, std::string message, std::string hint = "");

bool has_errors(const Findings& findings);

}  // namespace fathom
