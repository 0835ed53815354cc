#pragma once
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/geometry/types.hpp"

namespace fathom::simulate::internal {

// What is wrong with some options is collected, so that one error can tell all of it.

inline void check_finite(Findings& findings, const std::string& key, const Vec3& value, const char* hint = "") {
  if (!value.allFinite())
    add_error(findings, key, fmt::format("= [{}, {}, {}], must be finite", value.x(), value.y(), value.z()),
              hint);
}

inline void check_positive(Findings& findings, const std::string& key, double value, const char* hint) {
  if (!(std::isfinite(value) && value > 0))
    add_error(findings, key, fmt::format("= {}, must be positive and finite", value), hint);
}

inline void check_not_negative(Findings& findings, const std::string& key, double value, const char* hint) {
  if (!(std::isfinite(value) && value >= 0))
    add_error(findings, key, fmt::format("= {}, must be finite and >= 0", value), hint);
}

}  // namespace fathom::simulate::internal
