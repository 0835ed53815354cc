#pragma once
#include <array>
#include <string>
#include <vector>

#include "fathom/identify/commanded/commanded_run.hpp"

#include "studies/real/scores.hpp"

namespace fathom::studies {

/// Leave-one-run-out in surge, sway and heave, with the counting rules of tests/real/leave_one_out.py: an axis
/// counts where the held-out run commands it and moves it by at least a quarter of the other runs' rms; a
/// comparison within one standard error is a tie and counts half; a run outside the range of the others does
/// not count.
class LeftOutRuns {
 public:
  /// Keeps references to the runs.
  explicit LeftOutRuns(std::vector<const identify::CommandedRun*> runs);

  /// Adds the scores of run `k` by models of all other runs.
  void add(std::size_t k, const RealScores& scores);
  /// Fills in PREFIX.left_out.share and .count.
  void tell(Study& study, const std::string& prefix) const;

 private:
  bool counts(std::size_t k, int axis) const;
  bool is_outside(std::size_t k) const;

  std::vector<const identify::CommandedRun*> runs_;
  std::vector<std::array<Vec6, 2>> spread_;  // of commands and velocities, of each run
  double points_ = 0;
  int comparisons_ = 0, outside_ = 0;
};

}  // namespace fathom::studies
