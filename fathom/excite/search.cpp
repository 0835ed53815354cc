#include "fathom/excite/search.hpp"

#include <algorithm>

#include "fathom/excite/internal/outcome_numbers.hpp"

namespace fathom::excite {

std::vector<Start> Searches::starts() const {
  std::vector<Start> list;
  for (const Outcome& outcome : ended) list.push_back(outcome.start);
  return list;
}

Searches search(WorkerPool& pool, int count, const SearchOptions& options,
                const std::function<Outcome(int, const std::function<bool()>&)>& solve) {
  Searches searches;
  double least = infinity;
  const auto job = [&](int k, const std::function<bool()>& stop) {
    return internal::numbers_of(solve(k, stop));
  };
  const auto done = [&](int k, const std::vector<double>& numbers) {
    searches.ended.push_back(internal::outcome_of(k, numbers));
    least = std::min(least, searches.ended.back().start.last);
    if (options.progress) options.progress(static_cast<int>(searches.ended.size()), least);
    return true;
  };
  searches.notes = pool.run(count, job, done);
  std::sort(searches.ended.begin(), searches.ended.end(),
            [](const Outcome& a, const Outcome& b) { return a.start.number < b.start.number; });
  searches.interrupted = searches.ended.size() < static_cast<std::size_t>(count) ||
                         std::any_of(searches.ended.begin(), searches.ended.end(), [](const Outcome& outcome) {
                           return outcome.start.status == solve::InteriorPointResult::Status::stopped;
                         });
  return searches;
}

}  // namespace fathom::excite
