#pragma once
#include <atomic>
#include <cstdlib>

#include <gtest/gtest.h>

// Counts what the whole test program takes from the heap: to be included in one source of it. It replaces
// malloc, or, under the sanitizers, whose malloc must not be replaced, installs their hook.
namespace fathom::test {
inline std::atomic<long> allocations{0};

template <class Work>
long allocations_of(const Work& work) {
  const long before = allocations;
  work();
  return allocations - before;
}
}  // namespace fathom::test

#ifdef FATHOM_SANITIZED
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*of_malloc)(const volatile void*, std::size_t),
                                                         void (*of_free)(const volatile void*));
namespace fathom::test {
inline const int hooks = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { ++allocations; }, [](const volatile void*) {});
}  // namespace fathom::test
#else
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++fathom::test::allocations;
  return __libc_malloc(size);
}
#endif

TEST(NoAllocation, TheCounterSeesAllocations) {
  const auto allocate = [] {
    int* volatile kept = new int(1);  // volatile: the compiler may remove an allocation that nobody sees
    delete kept;
  };
  EXPECT_EQ(fathom::test::allocations_of(allocate), 1);
}
