#pragma once
#include <string>
#include <vector>

#include "fathom/report/page.hpp"

namespace fathom::report::internal {

/// Where values stand along an axis, as a share of its length.
struct BarScale {
  bool logarithmic = false;
  double low = 0, high = 1;
  std::vector<double> ticks;  ///< values

  /// 0 to 1; 0 for what is not finite or lies below.
  double share(double value) const;
};
BarScale bar_scale(const Bars& bars);

/// The legend and the groups; no script is needed.
std::string bars_html(const Bars& bars);

}  // namespace fathom::report::internal
