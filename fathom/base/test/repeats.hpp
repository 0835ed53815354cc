#pragma once

namespace fathom::test {

/// How often a test over random cases draws one: the sanitizers look at memory, not at statistics, and make
/// each case twenty times as slow.
constexpr int repeats(int times) {
#ifdef FATHOM_SANITIZED
  return times / 10 + 1;
#else
  return times;
#endif
}

}  // namespace fathom::test
