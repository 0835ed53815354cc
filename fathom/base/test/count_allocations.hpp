#pragma once
#include <atomic>
#include <cstdlib>

#include <gtest/gtest.h>

// Counts what the whole test program takes from the heap, by replacing malloc: to be included in one source of
// it. The sanitizers have a malloc of their own, which must not be replaced; what is counted is then left out,
// so tests stand between #ifndef FATHOM_SANITIZED and #endif, and the program says so.
#ifdef FATHOM_SANITIZED
TEST(NoAllocation, IsTestedInTheReleaseBuild) { GTEST_SKIP() << "the sanitizer's malloc cannot be counted"; }
#else
namespace fathom::test {
inline std::atomic<long> allocations{0};

template <class Work>
long allocations_of(const Work& work) {
  const long before = allocations;
  work();
  return allocations - before;
}
}  // namespace fathom::test

extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++fathom::test::allocations;
  return __libc_malloc(size);
}

TEST(NoAllocation, TheCounterSeesAllocations) {
  const auto allocate = [] {
    int* volatile kept = new int(1);  // volatile: the compiler may remove an allocation that nobody sees
    delete kept;
  };
  EXPECT_EQ(fathom::test::allocations_of(allocate), 1);
}
#endif
