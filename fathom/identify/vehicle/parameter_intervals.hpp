#pragma once
#include <array>
#include <optional>
#include <vector>

#include "fathom/identify/vehicle/identify.hpp"
#include "fathom/solve/conic.hpp"

namespace fathom::identify {

/// What an identification says of one parameter's value.
struct ParameterInterval {
  enum class Kind {
    determined,
    weak,              ///< the 95 % interval is wider than the value
    at_bound,          ///< a constraint of this parameter alone is active; the interval begins or ends there
    not_identifiable,  ///< the data do not show it: no interval
  };
  Kind kind = Kind::determined;
  /// Of the estimate's distribution cut off at the constraints: 2.5 and 97.5 % quantiles and those of 80 and
  /// 50 %. That of 95 % contains the estimate. At a bound, and of a weakly determined parameter that cannot be
  /// negative, one end is the bound and the other the one-sided limit.
  std::optional<std::array<double, 2>> of_95, of_80, of_50;
  bool begins_at_bound = false;  ///< the low end is a bound, the high end a one-sided limit
  bool ends_at_bound = false;    ///< likewise the other way round
  /// Of the draws of all parameters together the share that the constraints kept. Where they were too few, the
  /// intervals are those of the plain Gaussian, cut off at the parameter's own bounds alone.
  double accepted = 1;
  bool has_too_few_draws = false;
};

/// Returns an interval for each parameter; docs/identification.md, "Intervals". Without a constraint near an
/// estimate it is the symmetric one of its sigma.
std::vector<ParameterInterval> parameter_intervals(const Identified& found, const solve::ConicSet& constraints);

}  // namespace fathom::identify
