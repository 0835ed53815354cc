#pragma once
#include <functional>
#include <optional>
#include <type_traits>
#include <vector>

#include "fathom/base/crew.hpp"

namespace fathom {

/// f(0), ..., f(count - 1), whatever they are: threads of this process can put them in place. `ended` hears how
/// many have. Throws Interrupted where the crew was to stop.
template <class F>
auto side_by_side(ThreadCrew& crew, int count, const F& f, const std::function<void(int)>& ended = {}) {
  using Result = std::invoke_result_t<F, int>;
  std::vector<std::optional<Result>> places(static_cast<std::size_t>(count));
  int done = 0;
  crew.run(
      count,
      [&](int k, const std::function<bool()>&) {
        places[static_cast<std::size_t>(k)].emplace(f(k));
        return std::vector<double>();
      },
      [&](int, const std::vector<double>&) {
        if (ended) ended(++done);
        return true;
      });
  throw_if(crew.stop());
  std::vector<Result> results;
  for (std::optional<Result>& place : places) results.push_back(std::move(*place));
  return results;
}

}  // namespace fathom
