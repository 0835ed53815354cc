#pragma once

namespace fathom {

/// 1, -1, or 0 of zero and of what is no number.
constexpr double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

}  // namespace fathom
