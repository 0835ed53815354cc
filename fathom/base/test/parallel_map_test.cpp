#include "fathom/base/parallel_map.hpp"

#include <atomic>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace fathom::parallel_map_test {
namespace {

TEST(SideBySide, GivesResultsInTheirOrderAndTellsHowManyHaveEnded) {
  ThreadPool pool(4);
  std::vector<int> heard;
  const std::vector<std::string> results = parallel_map(
      pool, 20, [](int k) { return std::to_string(k); }, [&](int ended) { heard.push_back(ended); });
  ASSERT_EQ(results.size(), 20u);
  for (std::size_t k = 0; k < results.size(); ++k) EXPECT_EQ(results[k], std::to_string(k));
  ASSERT_EQ(heard.size(), 20u);
  for (std::size_t k = 0; k < heard.size(); ++k) EXPECT_EQ(heard[k], static_cast<int>(k) + 1);
}

TEST(SideBySide, IsInterruptedWhereTheCrewIsToStop) {
  std::atomic<bool> stop{false};
  ThreadPool pool(2, [&] { return stop.load(); });
  const auto job = [&](int k) {
    if (k == 1) stop = true;
    return k;
  };
  EXPECT_THROW(parallel_map(pool, 1000, job), Interrupted);
}

TEST(SideBySide, ThrowsWhatAJobThrowsEvenIfOthersLookWhetherTheyAreToStop) {
  ThreadPool pool(2, [] { return false; });
  const auto job = [&](int k) {
    throw_if(pool.stop());
    if (k == 3) throw std::runtime_error("three");
    return k;
  };
  EXPECT_THROW(parallel_map(pool, 100, job), std::runtime_error);
}

}  // namespace
}  // namespace fathom::parallel_map_test
