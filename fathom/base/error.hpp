#pragma once
#include <stdexcept>
#include <string>
#include <vector>

namespace fathom {

enum class Severity { note, warning, error };

std::string to_string(Severity severity);

/// One thing that is wrong with an input: where it is, what was got and expected, and how to mend it.
struct Finding {
  Severity severity = Severity::error;
  std::string file;         ///< empty where the input is not a file
  int line = 0;             ///< from 1; 0 where unknown
  std::string key;          ///< dotted path within the file, such as hull.added_mass[5]
  std::string message;      ///< what was got and what was expected
  std::string hint;         ///< the remedy; may be empty
  bool wrong_sign = false;  ///< may be no more than the other convention of signs

  /// `file:line: key message (hint)`
  std::string text() const;
};

using Findings = std::vector<Finding>;

/// Bad input. The command line turns it into exit status 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(Findings findings);
  explicit InputError(Finding finding);
  const Findings& findings() const { return findings_; }

 private:
  Findings findings_;
};

/// Throws an InputError with one finding: what is wrong with an option, or with a place of a file.
[[noreturn]] void refuse(std::string key, std::string message, std::string hint = "");
[[noreturn]] void refuse(std::string file, int line, std::string key, std::string message,
                         std::string hint = "");
/// Adds an error, so that one throw can tell all that is wrong with some options.
void complain(Findings& findings, std::string key, std::string message, std::string hint = "");

bool has_errors(const Findings& findings);

}  // namespace fathom
