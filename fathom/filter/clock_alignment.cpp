#include "fathom/filter/clock_alignment.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/filter/internal/clock_graph.hpp"

namespace fathom::filter {
namespace {

Eigen::Index rows_needed(MotionForm form, Eigen::Index given) {
  switch (form) {
    case MotionForm::as_it_is:
    case MotionForm::slope: return std::max<Eigen::Index>(1, given);
    case MotionForm::speed: return 3;
    case MotionForm::turning: return 4;
    case MotionForm::moving: return 7;
  }
  return 0;
}

void check_series(const MotionSeries& series) {
  if (series.t.size() < 2 || static_cast<Eigen::Index>(series.t.size()) != series.values.cols() ||
      series.values.rows() != rows_needed(series.form, series.values.rows()))
    reject(
        series.channel,
        fmt::format("{} times and {} x {} values", series.t.size(), series.values.rows(), series.values.cols()),
        "a column per time, 3 rows of a speed, 4 of an attitude, 7 of both; two samples at least");
  for (std::size_t k = 0; k < series.t.size(); ++k)
    if (!std::isfinite(series.t[k]) || (k > 0 && series.t[k] < series.t[k - 1]))
      reject(series.channel,
             fmt::format("time {} is {} after {}", k, series.t[k], k > 0 ? series.t[k - 1] : 0.0),
             "times must not fall");
}

std::vector<std::string> channels_of(const std::vector<MotionSeries>& series) {
  std::vector<std::string> names;
  for (const MotionSeries& one : series)
    if (std::find(names.begin(), names.end(), one.channel) == names.end()) names.push_back(one.channel);
  return names;
}

}  // namespace

bool Alignment::contradicts_itself() const {
  if (loops < 1) return false;
  constexpr double one_in_a_thousand = 3.09;  // of the normal distribution, by Wilson and Hilferty 1931
  const double spread = 2 / (9.0 * loops);
  return (std::cbrt(chi_square / loops) - (1 - spread)) / std::sqrt(spread) > one_in_a_thousand;
}

Alignment align_clocks(const std::vector<MotionSeries>& series, const std::string& reference,
                       const AlignmentOptions& options) {
  if (!(options.most > 0 && std::isfinite(options.most)))
    reject("most", fmt::format("= {} s, must be positive", options.most));
  const std::vector<std::string> channels = channels_of(series);
  if (std::find(channels.begin(), channels.end(), reference) == channels.end()) {
    const std::vector<std::string_view> names(channels.begin(), channels.end());
    reject("reference", fmt::format("{} shows no motion to align by", in_quotes(reference)),
           did_you_mean(reference, names, fmt::format("one of {}", join(channels, ", "))));
  }
  double begin = infinity, end = -infinity;
  for (const MotionSeries& one : series) {
    check_series(one);
    begin = std::min(begin, one.t.front());
    end = std::max(end, one.t.back());
  }
  Alignment alignment;
  alignment.t0 = 0.5 * (begin + end);
  for (std::size_t i = 0; i < series.size(); ++i)
    for (std::size_t j = i + 1; j < series.size(); ++j)
      if (series[i].quantity == series[j].quantity && series[i].channel != series[j].channel)
        alignment.pairs.push_back(internal::pair_offset(series[i], series[j], alignment.t0, options));
  internal::solve_graph(alignment, channels, reference);
  return alignment;
}

}  // namespace fathom::filter
