#pragma once
#include <algorithm>
#include <functional>
#include <vector>

#include <benchmark/benchmark.h>

namespace fathom {

inline double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// A benchmark whose percentiles over repetitions bench/run prints.
inline benchmark::internal::Benchmark* add(const char* name,
                                           const std::function<void(benchmark::State&)>& work) {
  return benchmark::RegisterBenchmark(name, work)
      ->ComputeStatistics("p10", [](const std::vector<double>& v) { return percentile(v, 0.10); })
      ->ComputeStatistics("p50", [](const std::vector<double>& v) { return percentile(v, 0.50); })
      ->ComputeStatistics("p90", [](const std::vector<double>& v) { return percentile(v, 0.90); });
}

}  // namespace fathom
