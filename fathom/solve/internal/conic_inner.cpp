#include "fathom/solve/internal/conic_inner.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/solve/internal/conic_path.hpp"

namespace fathom::solve::internal {

namespace {

using Eigen::VectorXd;

/// Weights of (x / scale)^2 against (1 - margin)^2: from near the origin to as far as it takes.
constexpr double pulls[] = {1e-3, 1e-6, 1e-9, 1e-12};
constexpr double good_margin = 1e-2;   // ends the search
constexpr double least_margin = 1e-8;  // less is rounding error
constexpr int farkas_passes = 10;
constexpr double farkas_residual = 1e-6;  // of A*(Z) scaled, over -<constant, Z>: more proves nothing

/// S(x) - margin D, the margin being the last unknown.
ConicSet with_margin(const ConicSet& set, const VectorXd& rows) {
  ConicSet result = set;
  const int margin = result.unknowns++;
  Eigen::Index row = 0;
  for (MatrixInequality& matrix : result.matrices)
    for (int i = 0; i < matrix.constant.rows(); ++i) matrix.entries.push_back({margin, i, i, -rows[row++]});
  for (ScalarInequality& scalar : result.scalars) scalar.entries.push_back({margin, -rows[row++]});
  return result;
}

/// A margin that x = 0 has for certain: Gershgorin's discs.
double margin_at_zero(const ConicSet& set, const VectorXd& rows) {
  double margin = 0;
  Eigen::Index first = 0;
  for (const MatrixInequality& matrix : set.matrices) {
    const Eigen::Index m = matrix.constant.rows();
    for (Eigen::Index i = 0; i < m; ++i) {
      double sum = 0;
      for (Eigen::Index k = 0; k < m; ++k)
        sum += std::abs(matrix.constant(i, k)) / std::sqrt(rows[first + i] * rows[first + k]);
      margin = std::min(margin, -sum);
    }
    first += m;
  }
  for (const ScalarInequality& scalar : set.scalars)
    margin = std::min(margin, -std::abs(scalar.constant) / rows[first++]);
  return margin - 1;
}

ConicObjective objective_of(const VectorXd& unknown_scales, double pull) {
  const Eigen::Index n = unknown_scales.size();
  ConicObjective objective;
  objective.G.setZero(n + 1, n + 1);
  objective.b.setZero(n + 1);
  objective.Q.setZero(n + 1, n + 1);
  objective.Q.diagonal().head(n) = pull * unknown_scales.array().square().inverse();
  objective.Q(n, n) = 1;
  objective.x0 = VectorXd::Unit(n + 1, n);
  return objective;
}

double trace(const Cones& cones, const VectorXd& Z) {
  double sum = Z.tail(Z.size() - cones.scalars_at()).sum();
  for (const Cones::Block& block : cones.blocks())
    for (int i = 0; i < block.size; ++i) sum += Z[block.offset + i * (block.size + 1)];
  return sum;
}

/// Takes what is left of A*(Z) out of Z, by the change that is least in the metric of log det Z; y = A*(Z)
/// after.
void remove_residual(const Cones& cones, VectorXd& Z, VectorXd& y) {
  TileCholesky M(cones.unknowns());
  cones.add_hessian(Z, Z, M);
  M.factor();
  cones.adjoint(Z, y);
  M.solve(y);
  VectorXd dS = VectorXd::Zero(Z.size()), dZ = dS;
  cones.add(y, dS);
  cones.product(Z, dS, Z, dZ);
  dZ *= -1;
  const double share = cones.share_inside(Z, dZ, 1);
  Z += (share == 1 ? 1 : 0.8 * share) * dZ;
  cones.adjoint(Z, y);
}

/// docs/solvers.md eq. 32.
void prove(const ConicSet& set, const ConicScales& scales, const VectorXd& Z, InnerPointOfCones& result) {
  const Cones cones(set);
  VectorXd y(set.unknowns);
  result.Z = Z;
  for (int pass = 0; pass < farkas_passes; ++pass) remove_residual(cones, result.Z, y);
  result.Z /= trace(cones, result.Z);
  cones.adjoint(result.Z, y);
  const double infeasibility = -cones.constant().dot(result.Z);
  const double residual = y.cwiseProduct(scales.unknowns).cwiseAbs().maxCoeff();
  result.infeasibility = residual <= farkas_residual * infeasibility ? std::max(0.0, infeasibility) : 0;
}

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

InnerPointOfCones find_inner_point(const ConicSet& set, const ConicScales& scales) {
  const int n = set.unknowns;
  const Cones cones(with_margin(set, scales.rows));
  VectorXd all_scales(n + 1), start = VectorXd::Zero(n + 1);
  all_scales << scales.unknowns, 1;
  start[n] = margin_at_zero(set, scales.rows);
  ConicCost cost(all_scales);
  ConicPath path(cones, cost);
  InnerPointOfCones result;
  for (const double pull : pulls) {
    const bool is_last = pull == *std::rbegin(pulls);
    const ConicObjective objective = objective_of(scales.unknowns, pull);
    cost.set(objective);
    path.place(start, 1);
    path.run(is_last ? ConicOptions{1e-10, 1e-10, 100} : ConicOptions{1e-3, 1e-3, 60});
    start = path.x();
    result.margin = start[n];
    result.found = result.margin > (is_last ? least_margin : good_margin);
    if (result.found || is_last) break;
    start[n] -= 0.1 * (1 + std::abs(start[n]));
  }
  result.x = start.head(n);
  if (!result.found) prove(set, scales, path.Z(), result);
  return result;
}

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
