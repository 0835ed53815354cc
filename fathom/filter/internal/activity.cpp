#include <algorithm>
#include <cmath>

#include "fathom/base/median.hpp"
#include "fathom/filter/internal/density.hpp"

namespace fathom::filter::internal {
namespace {

constexpr double cell = 1;  // s

/// Row by row, of the usable samples in [from, until); quaternions in the half space of `near`. Empty: none.
Eigen::VectorXd median_between(const Series& series, double from, double until, const Eigen::VectorXd& near) {
  const std::vector<double>& t = series.readings->t;
  const auto first = static_cast<std::size_t>(std::lower_bound(t.begin(), t.end(), from) - t.begin());
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(series.values->rows()));
  Eigen::VectorXd reference = near;
  for (std::size_t i = first; i < t.size() && t[i] < until; ++i) {
    if (!series.usable[i]) continue;
    if (reference.size() == 0) reference = series.value(i);
    const bool other_half = series.kind == Kind::attitude && series.value(i).dot(reference) < 0;
    for (std::size_t row = 0; row < rows.size(); ++row)
      rows[row].push_back((other_half ? -1 : 1) * series.value(i)[static_cast<Eigen::Index>(row)]);
  }
  if (rows.front().empty()) return {};
  Eigen::VectorXd medians(series.values->rows());
  for (std::size_t row = 0; row < rows.size(); ++row)
    medians[static_cast<Eigen::Index>(row)] = median(rows[row]);
  return medians;
}

/// Sum of the squares of one series' differences, and how many there are.
struct Sum {
  double squares = 0;
  int count = 0, filled = 0, cells = 0;
};

Sum differences(const Series& series, const Span& stretch) {
  Sum sum;
  const double sigma = series.readings->sigma.mean();
  const std::size_t order = series.kind == Kind::velocity ? 1 : 2;
  std::vector<Eigen::VectorXd> run;  // medians of seconds that follow each other
  for (double from = stretch.from; from + 0.5 * cell < stretch.until; from += cell, ++sum.cells) {
    Eigen::VectorXd here =
        median_between(series, from, from + cell, run.empty() ? Eigen::VectorXd() : run.back());
    if (here.size() == 0) {
      run.clear();
      continue;
    }
    ++sum.filled;
    run.push_back(std::move(here));
    if (run.size() <= order) continue;
    const Eigen::VectorXd* last = &run.back();
    Eigen::VectorXd difference = last[0] - last[-1];
    if (order == 2) difference -= last[-1] - last[-2];
    sum.squares += difference.squaredNorm() / (sigma * sigma);
    ++sum.count;
  }
  return sum;
}

}  // namespace

double activity(const std::vector<Series>& series, const Span& stretch) {
  double squares = 0;
  bool is_measured = false;
  for (const Series& one : series) {
    if (!one.anchors) continue;
    const Sum sum = differences(one, stretch);
    if (sum.count > 0) squares += sum.squares / sum.count;
    is_measured = is_measured || 2 * sum.filled >= sum.cells;
  }
  return is_measured ? std::sqrt(squares) : 0;
}

}  // namespace fathom::filter::internal
