#include <algorithm>
#include <cmath>

#include "fathom/solve/internal/conic_inner.hpp"

namespace fathom::solve::internal {
namespace {

constexpr int most_sweeps = 20;
constexpr double finest = 1e-12;

struct Entry {
  int unknown, row, column;  // rows counted through all matrices, then scalars
  double value;
};

std::vector<Entry> entries_of(const ConicSet& set) {
  std::vector<Entry> entries;
  int first = 0;
  for (const MatrixInequality& matrix : set.matrices) {
    for (const MatrixInequality::Entry& e : matrix.entries)
      if (e.value != 0) entries.push_back({e.unknown, first + e.row, first + e.column, std::abs(e.value)});
    first += static_cast<int>(matrix.constant.rows());
  }
  for (const ScalarInequality& scalar : set.scalars) {
    for (const ScalarInequality::Entry& e : scalar.entries)
      if (e.value != 0) entries.push_back({e.unknown, first, first, std::abs(e.value)});
    ++first;
  }
  return entries;
}

Eigen::VectorXd constants_of(const ConicSet& set) {
  std::vector<double> rows;
  for (const MatrixInequality& matrix : set.matrices)
    for (Eigen::Index i = 0; i < matrix.constant.rows(); ++i)
      rows.push_back(matrix.constant.row(i).cwiseAbs().maxCoeff() > 0 ? std::abs(matrix.constant(i, i)) : 0);
  for (const ScalarInequality& scalar : set.scalars) rows.push_back(std::abs(scalar.constant));
  return Eigen::Map<Eigen::VectorXd>(rows.data(), static_cast<Eigen::Index>(rows.size()));
}

/// What is known of rows says what is large of the unknowns in them, and the other way round; true where
/// something new is known.
bool spread(const std::vector<Entry>& entries, ConicScales& scales) {
  Eigen::VectorXd unknowns = Eigen::VectorXd::Zero(scales.unknowns.size());
  Eigen::VectorXd rows = Eigen::VectorXd::Zero(scales.rows.size());
  for (const Entry& e : entries) {
    const double row = std::sqrt(scales.rows[e.row] * scales.rows[e.column]);
    // The largest: a margin of 1e-6 in one row says nothing against a bound of 10 in another.
    double& unknown = unknowns[e.unknown];
    if (row > 0) unknown = std::max(unknown, row / e.value);
    if (e.row == e.column) rows[e.row] = std::max(rows[e.row], e.value * scales.unknowns[e.unknown]);
  }
  bool is_new = false;
  const auto fill = [&is_new](Eigen::VectorXd& known, const Eigen::VectorXd& found) {
    for (Eigen::Index i = 0; i < known.size(); ++i)
      if (known[i] == 0 && found[i] > 0) {
        known[i] = found[i];
        is_new = true;
      }
  };
  fill(scales.unknowns, unknowns);
  fill(scales.rows, rows);
  return is_new;
}

}  // namespace

ConicScales scales_of(const ConicSet& set) {
  const std::vector<Entry> entries = entries_of(set);
  ConicScales scales{Eigen::VectorXd::Zero(set.unknowns), constants_of(set)};
  const auto spread_all = [&] {
    for (int sweep = 0; sweep < most_sweeps && spread(entries, scales); ++sweep) continue;
  };
  spread_all();
  for (double& scale : scales.unknowns)  // nothing tells: one, and what follows from it
    if (scale == 0) scale = 1;
  spread_all();
  for (const Entry& e : entries)  // a constant below the rounding of its unknowns is none
    if (e.row == e.column)
      scales.rows[e.row] = std::max(scales.rows[e.row], finest * e.value * scales.unknowns[e.unknown]);
  for (double& scale : scales.rows)
    if (scale == 0) scale = 1;
  return scales;
}

}  // namespace fathom::solve::internal
