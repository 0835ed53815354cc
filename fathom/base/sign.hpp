#pragma once

namespace fathom {

/// Returns 1, -1, or 0 for zero and NaN.
constexpr double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

}  // namespace fathom
