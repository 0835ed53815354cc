#include "fathom/report/internal/boxes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/report/internal/escape.hpp"

namespace fathom::report::internal {
namespace {

std::string span(const char* kind, const BarScale& scale, double from, double to) {
  return fmt::format("<span class=\"{}\" style=\"--from:{:.2f}%;--to:{:.2f}%\"></span>", kind,
                     100 * scale.share(from), 100 * scale.share(to));
}

std::string strip(const FiveNumbers& five, const BarScale& scale) {
  if (!std::isfinite(five.least) || !std::isfinite(five.most)) return "<span class=\"strip\"></span>";
  return "<span class=\"strip\">" + span("whisker", scale, five.least, five.most) +
         span("quartiles", scale, five.low_quartile, five.high_quartile) +
         span("median", scale, five.median, five.median) + "</span>";
}

std::string in_words(const FiveNumbers& five) {
  return fmt::format("median {}, quartiles {} and {}, from {} to {}", number_text(five.median),
                     number_text(five.low_quartile), number_text(five.high_quartile), number_text(five.least),
                     number_text(five.most));
}

std::string group(const Boxes& boxes, const BarScale& scale, std::size_t g) {
  const std::string name = escape_html(boxes.groups[g]);
  std::string html = fmt::format("<li><span class=\"name\" title=\"{}\">{}</span><ul>", name, name);
  for (std::size_t k = 0; k < boxes.names.size(); ++k) {
    const FiveNumbers& five = boxes.values[k][g];
    const std::string what = escape_html(boxes.names[k]), words = in_words(five);
    html += fmt::format(
        "<li style=\"{}\" title=\"{}, {}: {}\"><span class=\"unseen\">{}: {} </span>{}<span "
        "class=\"value\">{}</span></li>",
        colour_style(k), name, what, words, what, words, strip(five, scale), number_text(five.median));
  }
  return html + "</ul></li>";
}

}  // namespace

BarScale box_scale(const Boxes& boxes) {
  double least = infinity, most = -least;
  for (const auto& list : boxes.values)
    for (const FiveNumbers& five : list)
      for (const double value : {five.least, five.most})
        if (std::isfinite(value)) {
          least = std::min(least, value);
          most = std::max(most, value);
        }
  BarScale scale;
  if (!(least <= most)) return scale;
  const double size = std::max(std::abs(least), std::abs(most));
  const double step = tick_step(std::max({most - least, 1e-3 * size, std::numeric_limits<double>::min()}));
  scale.low = step * std::floor(least / step + 1e-9);
  scale.high = step * std::ceil(most / step - 1e-9);
  if (scale.high <= scale.low) scale.high = scale.low + step;
  const auto count = std::lround((scale.high - scale.low) / step);
  for (long k = 0; k <= count; ++k) scale.ticks.push_back(scale.low + step * static_cast<double>(k));
  return scale;
}

std::string boxes_html(const Boxes& boxes) {
  const BarScale scale = box_scale(boxes);
  return legend_html(boxes.names) + label_html(boxes.label, boxes.unit, false) +
         columns_html(boxes.groups, scale, [&](std::size_t g) { return group(boxes, scale, g); });
}

}  // namespace fathom::report::internal
