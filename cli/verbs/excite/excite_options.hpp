#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "fathom/excite/problem.hpp"

namespace fathom::cli {

/// What `fathom excite` is told.
struct ExciteOptions {
  std::string problem;
  std::optional<double> duration;
  std::string criterion;  ///< empty: the problem's
  std::optional<int> starts;
  std::optional<double> waypoint_interval;  ///< s, of a vehicle
  std::optional<double> rate_hz;            ///< of an arm
  std::optional<int> periods;               ///< likewise

  /// What was asked for, so that it can be asked for again.
  std::string command(std::uint64_t seed) const;
  /// Replaces what a problem, of a vehicle or of an arm, says of the search.
  template <class AProblem>
  void apply_to(AProblem& of) const {
    of.criterion = chosen_criterion().value_or(of.criterion);
    of.starts = starts.value_or(of.starts);
  }

 private:
  std::optional<excite::Criterion> chosen_criterion() const;
};

}  // namespace fathom::cli
