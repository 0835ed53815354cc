#include "fathom/consistency/base_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"

namespace fathom::consistency {
namespace {

/// Coefficients below this are rounding: the columns have length one.
constexpr double least_share = 1e-9;

/// What is left of x without its shadow on the orthonormal columns of Q, twice for the digits that once leaves
/// (Daniel et al. 1976). `shadow` gets the coefficients.
Eigen::VectorXd without(const Eigen::Ref<const Eigen::MatrixXd>& Q, Eigen::VectorXd x,
                        Eigen::VectorXd& shadow) {
  shadow = Eigen::VectorXd::Zero(Q.cols());
  for (int pass = 0; pass < 2; ++pass) {
    const Eigen::VectorXd part = Q.transpose() * x;
    x -= Q * part;
    shadow += part;
  }
  return x;
}

void draw_joint(const model::Joint& joint, RandomStream& random, double& q, double& dq, double& ddq) {
  const double reach = joint.kind == model::Joint::Kind::revolute ? std::numbers::pi : 1;
  const double low = std::isfinite(joint.limits.min) ? joint.limits.min : -reach;
  const double high = std::isfinite(joint.limits.max) ? joint.limits.max : reach;
  q = random.uniform(low, high);
  dq = random.uniform(-2, 2);
  ddq = random.uniform(-4, 4);
}

Vec3 random_vector(RandomStream& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

}  // namespace

Combination BaseParameters::combination(std::size_t k) const {
  Combination result;
  for (Eigen::Index j = 0; j < grouping.cols(); ++j)
    if (const double c = grouping(static_cast<Eigen::Index>(k), j); c != 0)
      result.terms.push_back({static_cast<std::size_t>(j), c});
  return result;
}

std::string BaseParameters::to_text(std::size_t k, const model::ParameterVector& standard) const {
  std::vector<std::string> names;
  for (const model::Parameter& parameter : standard.entries()) names.push_back(parameter.name);
  return consistency::to_text(combination(k), names);
}

model::ParameterVector BaseParameters::combined(const model::ParameterVector& standard,
                                                const Eigen::VectorXd& values,
                                                const Eigen::MatrixXd& covariance) const {
  std::vector<model::Parameter> entries;
  for (std::size_t k = 0; k < rank(); ++k) {
    entries.push_back(standard[kept[k]]);
    entries.back().value = values[static_cast<Eigen::Index>(k)];
  }
  Eigen::MatrixXd symmetric = 0.5 * (covariance + covariance.transpose());
  symmetric.diagonal() = symmetric.diagonal().cwiseMax(0);
  return model::ParameterVector(std::move(entries), std::move(symmetric));
}

Eigen::MatrixXd BaseParameters::columns(const Eigen::Ref<const Eigen::MatrixXd>& Y) const {
  Eigen::MatrixXd result(Y.rows(), static_cast<Eigen::Index>(kept.size()));
  for (std::size_t k = 0; k < kept.size(); ++k)
    result.col(static_cast<Eigen::Index>(k)) = Y.col(static_cast<Eigen::Index>(kept[k]));
  return result;
}

BaseParameters base_parameters(const solve::Rows& rows, double tolerance) {
  if (!(tolerance > 0 && tolerance < 1)) reject("tolerance", "must be between 0 and 1");
  const Eigen::Index n = rows.unknowns();
  const Eigen::MatrixXd W = rows.factor().topLeftCorner(n, n);
  const Eigen::VectorXd lengths = W.colwise().norm();
  const double longest = n > 0 ? lengths.maxCoeff() : 0;
  BaseParameters found;
  Eigen::MatrixXd Q(n, n), R = Eigen::MatrixXd::Zero(n, n);  // of the kept columns, at length one
  Eigen::MatrixXd shadows = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd shadow;
  for (Eigen::Index j = 0; j < n; ++j) {
    if (lengths[j] <= 1e-14 * longest) continue;  // it has no effect on any row
    const auto rank = static_cast<Eigen::Index>(found.kept.size());
    const Eigen::VectorXd left = without(Q.leftCols(rank), W.col(j) / lengths[j], shadow);
    const double length = left.norm();
    shadows.col(j).head(rank) = shadow;
    if (length < tolerance) {
      found.most_dropped = std::max(found.most_dropped, length);
      continue;
    }
    found.least_kept = std::min(found.least_kept, length);
    Q.col(rank) = left / length;
    R.col(rank).head(rank) = shadow;
    R(rank, rank) = length;
    found.kept.push_back(static_cast<std::size_t>(j));
  }
  const auto rank = static_cast<Eigen::Index>(found.kept.size());
  found.grouping = Eigen::MatrixXd::Zero(rank, n);
  std::size_t next = 0;
  for (Eigen::Index j = 0; j < n; ++j) {
    if (next < found.kept.size() && found.kept[next] == static_cast<std::size_t>(j)) {
      found.grouping(static_cast<Eigen::Index>(next++), j) = 1;
      continue;
    }
    const auto before = static_cast<Eigen::Index>(next);  // a column is taken in by those before it
    Eigen::VectorXd share = shadows.col(j).head(before);
    R.topLeftCorner(before, before).triangularView<Eigen::Upper>().solveInPlace(share);
    for (Eigen::Index k = 0; k < before; ++k)
      if (std::abs(share[k]) > least_share)
        found.grouping(k, j) =
            share[k] * lengths[j] / lengths[static_cast<Eigen::Index>(found.kept[static_cast<std::size_t>(k)])];
  }
  return found;
}

dynamics::MotionBatch draw(const RandomMotions& motions, std::span<const model::Joint> joints) {
  RandomStream random(motions.seed, "arm base parameters");
  const auto n = static_cast<Eigen::Index>(joints.size()), samples = static_cast<Eigen::Index>(motions.samples);
  dynamics::MotionBatch batch;
  for (Eigen::MatrixXd* of : {&batch.q, &batch.dq, &batch.ddq}) of->resize(n, samples);
  for (Eigen::Index k = 0; k < samples; ++k) {
    for (Eigen::Index i = 0; i < n; ++i)
      draw_joint(joints[static_cast<std::size_t>(i)], random, batch.q(i, k), batch.dq(i, k), batch.ddq(i, k));
    dynamics::Motion& base = batch.base.emplace_back();
    base.down_b = motions.down_b;
    if (!motions.base_moves) continue;
    base.nu_r_b << random_vector(random, 1), random_vector(random, 1);
    base.nu_r_dot_b << random_vector(random, 2), random_vector(random, 2);
    base.down_b = random_vector(random, 1).normalized();
  }
  return batch;
}

solve::Rows unit_rows(const dynamics::Regressor& regressor, const dynamics::MotionBatch& motion) {
  Eigen::MatrixXd all = regressor.at(motion);
  for (auto row : all.rowwise())
    if (const double length = row.norm(); length > 0) row /= length;
  solve::Rows rows(regressor.columns());
  const Eigen::Index count = regressor.row_count();
  for (Eigen::Index k = 0; k < motion.samples(); ++k)
    rows.add(all.middleRows(k * count, count), Eigen::VectorXd::Zero(count));
  return rows;
}

BaseParameters base_parameters(const dynamics::Regressor& regressor, const dynamics::MotionBatch& motion) {
  return base_parameters(unit_rows(regressor, motion));
}

}  // namespace fathom::consistency
