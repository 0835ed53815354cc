#include "fathom/identify/internal/force_prior.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::identify::internal {

using Eigen::Index;

Eigen::MatrixXd ForcePrior::whitener(const Shot& shot) const {
  const Index rows = shot.rows(), size = rows * shot.nodes;
  const double interval = 2 * shot.dt * static_cast<double>(shot.node_stride);
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(size, size);
  for (Index node = 0; node < shot.nodes; ++node)
    for (Index row = 0; row < rows; ++row) {
      const double keep = std::exp(-interval / memory[row]);
      const double fresh = node == 0 ? 1 : std::sqrt(1 - keep * keep);
      const Eigen::RowVectorXd force = M.row(row) / (fresh * sigma[row]);
      L.block(rows * node + row, rows * node, 1, rows) = force;
      if (node > 0) L.block(rows * node + row, rows * (node - 1), 1, rows) = -keep * force;
    }
  return L;
}

ForcePrior force_prior(const Residuals& residuals, const Eigen::MatrixXd& M) {
  const Eigen::MatrixXd& r = residuals.values;
  if (r.cols() < 2 || residuals.t.size() < 2) return {};
  const double interval = residuals.t[1] - residuals.t[0];
  ForcePrior prior{(r.rowwise().squaredNorm() / static_cast<double>(r.cols())).cwiseSqrt().cwiseMax(1e-9),
                   Eigen::VectorXd(r.rows()), M};
  for (Index row = 0; row < r.rows(); ++row) {
    double product = 0, square = 1e-300;
    for (Index k = 1; k < r.cols(); ++k) {
      if (std::binary_search(residuals.breaks.begin(), residuals.breaks.end(), k)) continue;
      product += r(row, k) * r(row, k - 1);
      square += 0.5 * (r(row, k) * r(row, k) + r(row, k - 1) * r(row, k - 1));
    }
    // Within what neighbours can tell: a tenth of the interval to fifty of them.
    prior.memory[row] = -interval / std::log(std::clamp(product / square, std::exp(-10.0), std::exp(-0.02)));
  }
  return prior;
}

}  // namespace fathom::identify::internal
