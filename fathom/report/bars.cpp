#include "fathom/report/internal/bars.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/report/internal/escape.hpp"

namespace fathom::report::internal {
namespace {

constexpr double most_linear = 100;       // ratio of values that one linear scale shows
constexpr std::size_t one_column = 10;    // groups; more stand in two columns
constexpr std::size_t longest_name = 14;  // characters that a name may take beside the bars

std::string group(const Bars& bars, const BarScale& scale, std::size_t g) {
  const std::string name = escape_html(bars.groups[g]);
  std::string html = fmt::format("<li><span class=\"name\" title=\"{}\">{}</span><ul>", name, name);
  for (std::size_t k = 0; k < bars.names.size(); ++k) {
    const double value = bars.values[k][g];
    const std::string what = escape_html(bars.names[k]), text = number_text(value);
    html += fmt::format(
        "<li style=\"--size:{:.2f}%;{}\" title=\"{}, {}: {} {}\"><span class=\"unseen\">{} </span><i></i>"
        "<span class=\"value\">{}</span></li>",
        100 * scale.share(value), colour_style(k), name, what, text, escape_html(bars.unit), what, text);
  }
  return html + "</ul></li>";
}

}  // namespace

double tick_step(double range) {
  const double power = std::pow(10, std::floor(std::log10(range / 5)));
  for (const double factor : {1, 2, 5})
    if (range / (factor * power) <= 5) return factor * power;
  return 10 * power;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "\u2013";
  if (std::isinf(value)) return "\u221e";
  if (value >= 1000 && value < 1e7) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

std::string colour_style(std::size_t k) { return fmt::format("--colour:var(--series-{})", k % 7); }

std::string legend_html(const std::vector<std::string>& names) {
  if (names.size() < 2) return "";
  std::string html = "<div class=\"legend\">";
  for (std::size_t k = 0; k < names.size(); ++k)
    html += fmt::format(
        "<span class=\"entry\"><span class=\"key bar\" style=\"{}\"></span><span "
        "class=\"name\">{}</span></span>",
        colour_style(k), escape_html(names[k]));
  return html + "</div>";
}

std::string axis_html(const BarScale& scale) {
  std::string html = "<div class=\"ticks\" aria-hidden=\"true\">";
  for (const double tick : scale.ticks)
    html += fmt::format("<span style=\"left:{:.2f}%\">{:g}</span>", 100 * scale.share(tick), tick);
  return html + "</div>";
}

std::string label_html(const std::string& label, const std::string& unit, bool logarithmic) {
  return fmt::format("<div class=\"y-name\">{}{}{}</div>", escape_html(label),
                     unit.empty() ? "" : fmt::format(" ({})", escape_html(unit)),
                     logarithmic ? ", logarithmic" : "");
}

std::string columns_html(const std::vector<std::string>& groups, const BarScale& scale,
                         const std::function<std::string(std::size_t)>& group) {
  std::size_t longest = 2;
  for (const std::string& name : groups) longest = std::max(longest, name.size());
  std::string html =
      fmt::format("<div class=\"columns\" style=\"--names:{}ch\">", std::min(longest, longest_name) + 2);
  const std::size_t n = groups.size();
  const std::size_t rows = n > one_column ? (n + 1) / 2 : n;
  for (std::size_t first = 0; first < n; first += rows) {
    html += "<div class=\"column\">" + axis_html(scale) + "<ul class=\"groups\">";
    for (std::size_t g = first; g < std::min(n, first + rows); ++g) html += group(g);
    html += "</ul></div>";
  }
  return html + "</div>";
}

double BarScale::share(double value) const {
  if (!std::isfinite(value) || value <= low) return 0;
  return logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

BarScale bar_scale(const Bars& bars) {
  double least = infinity, most = 0;
  for (const auto& list : bars.values)
    for (const double value : list)
      if (std::isfinite(value) && value > 0) {
        least = std::min(least, value);
        most = std::max(most, value);
      }
  BarScale scale;
  if (most == 0) return scale;
  scale.high = most;
  scale.logarithmic = most > most_linear * least;
  if (scale.logarithmic) {
    const double first = std::floor(std::log10(0.8 * least)), last = std::floor(std::log10(most));
    const double step = std::max(1.0, std::ceil((last - first) / 4));
    scale.low = std::pow(10, first);
    for (double k = first; k <= last; k += step) scale.ticks.push_back(std::pow(10, k));
  } else {
    const double step = tick_step(most);
    for (int k = 0; k * step <= most * (1 + 1e-9); ++k) scale.ticks.push_back(k * step);
  }
  return scale;
}

std::string bars_html(const Bars& bars) {
  const BarScale scale = bar_scale(bars);
  return legend_html(bars.names) + label_html(bars.label, bars.unit, scale.logarithmic) +
         columns_html(bars.groups, scale, [&](std::size_t g) { return group(bars, scale, g); });
}

}  // namespace fathom::report::internal
