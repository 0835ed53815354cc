#include "fathom/base/thread_pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"

namespace fathom::thread_pool_test {
namespace {

using Stop = std::function<bool()>;

/// As many numbers as the job's own stream says, none for some: a result of any length comes through.
std::vector<double> draws(int k, const Stop&) {
  RandomStream stream(static_cast<std::uint64_t>(k), "job");
  std::vector<double> numbers(stream.next() % 4);
  for (double& x : numbers) x = stream.normal();
  return numbers;
}

/// Ends when it is told to, or fails after a time that no test should take.
void wait_for(const std::function<bool()>& event) {
  const auto begin = std::chrono::steady_clock::now();
  while (!event()) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(60))
      throw std::logic_error("waited in vain");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class OnThreads : public ::testing::TestWithParam<int> {
 protected:
  ThreadPool pool_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(WorkerPool, OnThreads, ::testing::Values(1, 2, 7));

TEST_P(OnThreads, EachJobIsDoneOnceAndGivesWhatItGivesAlone) {
  std::map<int, std::vector<double>> results;
  const auto caller = std::this_thread::get_id();
  const auto notes = pool_.run(100, draws, [&](int k, const std::vector<double>& result) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_TRUE(results.emplace(k, result).second) << k << " came twice";
    return true;
  });
  EXPECT_TRUE(notes.empty());
  ASSERT_EQ(results.size(), 100u);
  for (int k = 0; k < 100; ++k) EXPECT_EQ(results.at(k), draws(k, {}));
}

TEST_P(OnThreads, NoJobsAreDoneAtOnce) {
  const auto never = [](int, const std::vector<double>&) -> bool { throw std::logic_error("called"); };
  EXPECT_TRUE(pool_.run(0, draws, never).empty());
  EXPECT_TRUE(pool_.run(-1, draws, never).empty());
}

TEST_P(OnThreads, AsManyJobsAsThreadsAreUnderWayAtOnce) {
  std::atomic<int> present{0};
  const auto meet = [&](int, const Stop&) -> std::vector<double> {
    ++present;
    wait_for([&] { return present >= pool_.size(); });  // in vain if one thread less was at work
    return {};
  };
  EXPECT_EQ(pool_.size(), GetParam());
  int done = 0;
  pool_.run(GetParam(), meet, [&](int, const auto&) { return ++done > 0; });
  EXPECT_EQ(done, GetParam());
}

// A thread may be overtaken between taking its number and saying so, hence the meeting: job k ends only when
// all below it have begun, which comes only if they were handed out before it.
TEST_P(OnThreads, JobsBeginInTheOrderOfTheirNumbers) {
  std::vector<std::atomic<bool>> begun(50);
  const auto job = [&](int k, const Stop&) -> std::vector<double> {
    begun[static_cast<std::size_t>(k)] = true;
    wait_for([&] {
      return std::all_of(begun.begin(), begun.begin() + k, [](const auto& is) { return is.load(); });
    });
    return {};
  };
  pool_.run(50, job, [](int, const auto&) { return true; });
  EXPECT_TRUE(std::all_of(begun.begin(), begun.end(), [](const auto& is) { return is.load(); }));
}

TEST_P(OnThreads, WhatAJobThrowsReachesTheCaller) {
  std::atomic<int> under_way{0};
  const auto fail = [&](int k, const Stop& stop) -> std::vector<double> {
    ++under_way;
    if (k == 5) {
      --under_way;
      throw std::runtime_error("job 5");
    }
    if (k > 5) wait_for(stop);
    --under_way;
    return {};
  };
  try {
    pool_.run(1000, fail, [](int k, const auto&) {
      EXPECT_NE(k, 5);
      return true;
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "job 5");
  }
  EXPECT_EQ(under_way, 0) << "a thread outlived run()";
}

TEST_P(OnThreads, WhatDoneThrowsReachesTheCallerToo) {
  std::atomic<int> under_way{0};
  const auto job = [&](int k, const Stop& stop) -> std::vector<double> {
    ++under_way;
    if (k > 0) wait_for(stop);
    --under_way;
    return {};
  };
  const auto fail = [](int, const auto&) -> bool { throw std::out_of_range("done"); };
  EXPECT_THROW(pool_.run(1000, job, fail), std::out_of_range);
  EXPECT_EQ(under_way, 0) << "a thread outlived run()";
}

TEST_P(OnThreads, JobsUnderWayHandInWhatTheyHaveWhenDoneHasEnough) {
  std::atomic<int> begun{0};
  std::set<int> handed_in;
  const auto job = [&](int k, const Stop& stop) -> std::vector<double> {
    ++begun;
    if (k == 0) {
      wait_for([&] { return begun >= pool_.size(); });
      return {};
    }
    wait_for(stop);
    return {1.0};
  };
  pool_.run(1000, job, [&](int k, const std::vector<double>& result) {
    EXPECT_EQ(result.size(), k == 0 ? 0u : 1u);
    handed_in.insert(k);
    return false;
  });
  EXPECT_EQ(handed_in.size(), static_cast<std::size_t>(begun));
  EXPECT_TRUE(handed_in.contains(0));
  EXPECT_LE(begun, pool_.size() + 1);  // the thread of job 0 may take one more before done() is asked
}

TEST_P(OnThreads, AnInterruptEndsTheCampaignWithWhatThereIs) {
  std::atomic<int> begun{0};
  ThreadPool pool(GetParam(), [&] { return begun >= GetParam(); });
  std::set<int> handed_in;
  pool.run(
      1000,
      [&](int k, const Stop& stop) -> std::vector<double> {
        ++begun;
        wait_for(stop);  // nobody else ends it
        return {static_cast<double>(k)};
      },
      [&](int k, const std::vector<double>& result) {
        EXPECT_EQ(result, std::vector<double>{static_cast<double>(k)});
        handed_in.insert(k);
        return true;
      });
  EXPECT_EQ(begun, GetParam());
  EXPECT_EQ(handed_in.size(), static_cast<std::size_t>(GetParam()));
}

TEST_P(OnThreads, OfSeveralFailuresTheFirstByNumberIsTold) {
  std::atomic<int> begun{0};
  try {
    pool_.run(
        GetParam(),
        [&](int k, const Stop&) -> std::vector<double> {
          ++begun;
          wait_for([&] { return begun >= GetParam(); });
          throw k;
        },
        [](int, const auto&) { return true; });
    FAIL() << "nothing was thrown";
  } catch (int k) {
    EXPECT_EQ(k, 0);
  }
}

TEST(WorkerPool, OfAnyThreadsHasAtLeastOne) { EXPECT_GE(ThreadPool(0).size(), 1); }

}  // namespace
}  // namespace fathom::thread_pool_test
