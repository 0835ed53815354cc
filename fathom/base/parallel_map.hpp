#pragma once
#include <functional>
#include <optional>
#include <type_traits>
#include <vector>

#include "fathom/base/thread_pool.hpp"

namespace fathom {

/// Returns f(0), ..., f(count - 1), computed on the pool's threads. `ended` is called with the number of
/// finished calls. Throws Interrupted once cancellation was requested.
template <class F>
auto parallel_map(ThreadPool& pool, int count, const F& f, const std::function<void(int)>& ended = {}) {
  using Result = std::invoke_result_t<F, int>;
  std::vector<std::optional<Result>> places(static_cast<std::size_t>(count));
  int done = 0;
  pool.run(
      count,
      [&](int k, const std::function<bool()>&) {
        places[static_cast<std::size_t>(k)].emplace(f(k));
        return std::vector<double>();
      },
      [&](int, const std::vector<double>&) {
        if (ended) ended(++done);
        return true;
      });
  throw_if(pool.stop());
  std::vector<Result> results;
  for (std::optional<Result>& place : places) results.push_back(std::move(*place));
  return results;
}

}  // namespace fathom
