#include "fathom/base/side_by_side.hpp"

#include <atomic>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace fathom::side_by_side_test {
namespace {

TEST(SideBySide, GivesResultsInTheirOrderAndTellsHowManyHaveEnded) {
  ThreadCrew crew(4);
  std::vector<int> heard;
  const std::vector<std::string> results = side_by_side(
      crew, 20, [](int k) { return std::to_string(k); }, [&](int ended) { heard.push_back(ended); });
  ASSERT_EQ(results.size(), 20u);
  for (std::size_t k = 0; k < results.size(); ++k) EXPECT_EQ(results[k], std::to_string(k));
  ASSERT_EQ(heard.size(), 20u);
  for (std::size_t k = 0; k < heard.size(); ++k) EXPECT_EQ(heard[k], static_cast<int>(k) + 1);
}

TEST(SideBySide, IsInterruptedWhereTheCrewIsToStop) {
  std::atomic<bool> stop{false};
  ThreadCrew crew(2, [&] { return stop.load(); });
  const auto job = [&](int k) {
    if (k == 1) stop = true;
    return k;
  };
  EXPECT_THROW(side_by_side(crew, 1000, job), Interrupted);
}

TEST(SideBySide, ThrowsWhatAJobThrowsEvenIfOthersLookWhetherTheyAreToStop) {
  ThreadCrew crew(2, [] { return false; });
  const auto job = [&](int k) {
    throw_if(crew.stop());
    if (k == 3) throw std::runtime_error("three");
    return k;
  };
  EXPECT_THROW(side_by_side(crew, 100, job), std::runtime_error);
}

}  // namespace
}  // namespace fathom::side_by_side_test
