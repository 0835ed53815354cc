#pragma once
#include <cmath>

namespace fathom::studies {

/// How many intervals held the truth.
struct Coverage {
  int held = 0, all = 0;

  void add(bool holds) {
    held += holds;
    ++all;
  }
  /// An interval about an estimate with this error.
  void add(double error, double half_width) { add(std::abs(error) <= half_width); }
  double percent() const { return 100.0 * held / all; }
};

}  // namespace fathom::studies
