#pragma once
#include <functional>
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

/// What drawings of this kind share. Steps of 1, 2 or 5 times a power of ten: at most five in `range`.
double tick_step(double range);
std::string number_text(double value);
std::string colour_style(std::size_t k);
/// Empty where there is nothing to tell apart.
std::string legend_html(const std::vector<std::string>& names);
std::string axis_html(const BarScale& scale);
/// The head of the drawing: what it shows, in which unit.
std::string label_html(const std::string& label, const std::string& unit, bool logarithmic);
/// Groups in one column or two, each with its axis; `group` gives the list item of one.
std::string columns_html(const std::vector<std::string>& groups, const BarScale& scale,
                         const std::function<std::string(std::size_t)>& group);

/// The legend and the groups; no script is needed.
std::string bars_html(const Bars& bars);

}  // namespace fathom::report::internal
