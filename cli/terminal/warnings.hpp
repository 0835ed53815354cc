#pragma once
#include <string>
#include <vector>

#include "fathom/base/error.hpp"

namespace fathom::cli {

/// Keeps what a task says about its input until the end, so that the most important stands first and no more
/// than ten lines hide the result.
class Warnings {
 public:
  void add(const Finding& finding) { kept_.push_back(finding); }
  /// Adds warnings about the result, which stand before those about the input.
  void add_first(const std::vector<std::string>& warnings);
  const Findings& findings() const { return kept_; }
  /// Prints at most `most` on standard error, errors before warnings before notes, and how many more of each
  /// there are; forgets all. `report` names the file that has all of them; it may be empty.
  void print(std::size_t most, const std::string& report = {});

 private:
  Findings kept_;
};

inline constexpr std::size_t most_warnings = 10;  ///< of one run

/// The warnings of this run.
Warnings& run_warnings();

}  // namespace fathom::cli
