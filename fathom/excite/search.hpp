#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/base/thread_pool.hpp"
#include "fathom/solve/interior_point.hpp"

namespace fathom::excite {

/// One random beginning of a search and where it led.
struct Start {
  int number = 0;
  double first = infinity;     ///< criterion at the beginning, where it is known
  double last = infinity;      ///< and at the end; infinite where the search failed
  double polished = infinity;  ///< of those that an arm's design polished, where that ended
  bool was_shrunk = false;     ///< drawn together to keep a limit between the samples
  solve::InteriorPointResult::Status status = solve::InteriorPointResult::Status::not_run;
  int iterations = 0;

  bool has_failed() const { return !(last < infinity); }
};

/// Where the search from one beginning ended. It depends on problem, options and number alone.
struct Outcome {
  Start start;
  solve::InteriorPointResult result;
  std::vector<double> history;  ///< criterion by iteration, where it is kept
};

struct SearchOptions {
  std::uint64_t seed = 1;
  std::function<bool()> interrupted = {};  ///< checked after the pool has finished
  /// Told after each start that ended: how many have, and the best criterion so far.
  std::function<void(int ended, double best)> progress = {};
};

/// Searches from many beginnings.
struct Searches {
  std::vector<Outcome> ended;      ///< by number
  std::vector<std::string> notes;  ///< what went wrong on the way: ranks that died, starts cut short
  bool interrupted = false;        ///< some did not end

  std::vector<Start> starts() const;
};

/// Searches from beginnings 0 to `count` - 1 by `solve(number, stop)`, run on a pool.
Searches search(WorkerPool& pool, int count, const SearchOptions& options,
                const std::function<Outcome(int number, const std::function<bool()>& stop)>& solve);

}  // namespace fathom::excite
