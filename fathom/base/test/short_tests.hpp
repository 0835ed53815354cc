#pragma once
#include <gtest/gtest.h>

// Tests are shortened where each step is twenty times as slow (FATHOM_SHORT_TESTS): the sanitizers look at
// memory, not at statistics. The release has every test file that says so and runs it in full: it knows those
// files by the words `repeats(` and FATHOM_LONG_TEST (cmake/FathomModule.cmake).

#ifdef FATHOM_SHORT_TESTS
/// First line of a test that would take minutes there.
#define FATHOM_LONG_TEST() GTEST_SKIP() << "long: the release runs it"
#else
#define FATHOM_LONG_TEST() static_cast<void>(0)
#endif

namespace fathom::test {

/// How often a test over random cases draws one.
constexpr int repeats([[maybe_unused]] int times, [[maybe_unused]] int times_if_short) {
#ifdef FATHOM_SHORT_TESTS
  return times_if_short;
#else
  return times;
#endif
}

constexpr int repeats(int times) { return repeats(times, times / 10 + 1); }

}  // namespace fathom::test
