#pragma once
#include <cmath>

namespace fathom::identify::test {

/// Of n intervals that hold 95 times in a hundred: how many do, but for twice in a hundred. 17 of 20, 2 of 3.
inline int least_held(int n) {
  double below = 0, one = std::pow(0.05, n);  // of exactly k
  for (int k = 0; k <= n; ++k) {
    below += one;
    if (below > 0.02) return k;
    one *= 0.95 / 0.05 * (n - k) / (k + 1);
  }
  return n;
}

}  // namespace fathom::identify::test
