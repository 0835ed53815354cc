#include "fathom/control/allocation.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/SVD>
#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/dynamics/small_program.hpp"

namespace fathom::control {
namespace {

constexpr double rank_tolerance = 1e-9;

void check_groups(const std::vector<std::vector<int>>& groups) {
  std::array<int, 6> seen{};
  for (const std::vector<int>& group : groups) {
    if (group.empty()) refuse("groups", "has an empty group");
    for (const int axis : group) {
      if (axis < 0 || axis > 5)
        refuse("groups", fmt::format("has axis {}, must be 0 to 5", axis), "X Y Z K M N");
      ++seen[static_cast<std::size_t>(axis)];
    }
  }
  for (std::size_t axis = 0; axis < 6; ++axis)
    if (seen[axis] != 1)
      refuse("groups", fmt::format("has axis {} {} times, must have each once", axis, seen[axis]),
             "X Y Z K M N");
}

void check_limits(int thruster, double min, double max) {
  if (!(min <= max && std::isfinite(min) && std::isfinite(max)))
    refuse(fmt::format("limits[{}]", thruster),
           fmt::format("= [{}, {}], must be finite with min <= max", min, max),
           "a thruster needs a force range or a map");
}

/// The pseudo-inverse, the number of singular values that count, and a basis of what it sends to zero.
struct PseudoInverse {
  Eigen::MatrixXd inverse, null;
  Eigen::Index rank = 0;
};
PseudoInverse pseudo_inverse(const Eigen::MatrixXd& A, double smallest) {
  PseudoInverse result;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeThinU | Eigen::ComputeFullV);
  const Eigen::VectorXd& s = svd.singularValues();
  while (result.rank < s.size() && s[result.rank] > smallest) ++result.rank;
  const Eigen::Index r = result.rank;
  result.inverse =
      svd.matrixV().leftCols(r) * s.head(r).cwiseInverse().asDiagonal() * svd.matrixU().leftCols(r).transpose();
  result.null = svd.matrixV().rightCols(A.cols() - r);
  return result;
}

}  // namespace

Allocator::Allocator(const Mat6X& B, std::span<const model::ForceRange> limits, AllocatorOptions options)
    : n_(static_cast<int>(limits.size())), groups_(std::move(options.groups)) {
  if (n_ < 1 || n_ > max_thrusters || B.cols() != n_ || !B.allFinite())
    refuse("B", fmt::format("has {} columns for {} limits, must have 1 to {}, all finite", B.cols(), n_,
                            max_thrusters));
  check_groups(groups_);
  const std::vector<double>& w = options.weights;
  if (!w.empty() && w.size() != limits.size())
    refuse("weights", fmt::format("has {} entries for {} thrusters", w.size(), n_), "one each, or none");
  B_ = B;
  inverse_weights_.setOnes(n_);
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (!(w[i] > 0 && std::isfinite(w[i])))
      refuse(fmt::format("weights[{}]", i), fmt::format("= {}, must be > 0", w[i]));
    inverse_weights_[static_cast<Eigen::Index>(i)] = 1 / w[i];
  }
  for (int i = 0; i < n_; ++i) {
    const model::ForceRange& limit = limits[static_cast<std::size_t>(i)];
    check_limits(i, limit.min, limit.max);
    limits_[static_cast<std::size_t>(i)] = limit;
  }
  prepare();
}

void Allocator::set_limits(int thruster, double min, double max) {
  if (thruster < 0 || thruster >= n_)
    refuse("thruster", fmt::format("= {}, must be 0 to {}", thruster, n_ - 1));
  check_limits(thruster, min, max);
  limits_[static_cast<std::size_t>(thruster)] = {min, max};
  prepare();
}

std::array<bool, 6> Allocator::unreachable_axes() const {
  std::array<bool, 6> result{};
  for (int axis = 0; axis < 6; ++axis)
    result[static_cast<std::size_t>(axis)] = (P_.col(axis) - Vec6::Unit(axis)).norm() > 1e-6;
  return result;
}

void Allocator::prepare() {
  Columns moving = B_;  // columns of thrusters that can change their force
  stuck_.setZero();
  bias_.setZero();
  unit_ = 0;
  at_zero_.setZero(n_);
  for (int i = 0; i < n_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const model::ForceRange& limit = limits_[k];
    nearest_[k] = std::clamp(0.0, limit.min, limit.max);
    bias_ += nearest_[k] * B_.col(i);
    unit_ = std::max({unit_, std::abs(limit.min), std::abs(limit.max)});
    if (limit.min < limit.max) continue;
    moving.col(i).setZero();
    stuck_ += limit.min * B_.col(i);
    at_zero_[i] = limit.min;
  }
  if (unit_ == 0) unit_ = 1;

  // An orthonormal basis U of what moving thrusters span. At full rank the axes themselves, which keep it
  // exact.
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(moving, Eigen::ComputeThinU);
  const Eigen::VectorXd& s = svd.singularValues();
  rank_ = 0;
  while (rank_ < s.size() && s[rank_] > rank_tolerance * s[0]) ++rank_;
  if (s.size() == 0 || !(s[0] > 0)) rank_ = 0;
  Eigen::MatrixXd U = svd.matrixU().leftCols(rank_);
  if (rank_ == 6) U = Mat6::Identity();

  // Y: coordinates in U of what comes nearest to a demand, group by group; docs/model.md eq. 36.
  Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(rank_, 6), N = Eigen::MatrixXd::Identity(rank_, rank_);
  if (rank_ == 6) {
    Y = Mat6::Identity();
  } else {
    for (const std::vector<int>& group : groups_) {
      const auto m = static_cast<Eigen::Index>(group.size());
      Eigen::MatrixXd U_group(m, rank_), pick = Eigen::MatrixXd::Zero(m, 6);
      for (Eigen::Index i = 0; i < m; ++i) {
        U_group.row(i) = U.row(group[static_cast<std::size_t>(i)]);
        pick(i, group[static_cast<std::size_t>(i)]) = 1;
      }
      if (N.cols() == 0) break;
      const PseudoInverse step = pseudo_inverse(U_group * N, 1e-8);
      Y += N * step.inverse * (pick - U_group * Y);
      N = N * step.null;
    }
  }
  P_ = rank_ > 0 ? Mat6(U * Y) : Mat6::Zero();
  rows_.setZero();
  reduce_.setZero();
  rows_.topRows(rank_) = U.transpose();
  reduce_.topRows(rank_) = Y;
  A_ = rows_ * moving;

  // f = W^-1 B' (B W^-1 B')^+ tau = W^-1/2 (B W^-1/2)^+ tau, here in the coordinates of U, where all rows
  // count.
  gain_.setZero(n_, 6);
  if (rank_ > 0) {
    const Eigen::MatrixXd root = inverse_weights_.cwiseSqrt().asDiagonal();
    gain_ = root * pseudo_inverse(U.transpose() * moving * root, 0).inverse * Y;
  }
  at_zero_ -= gain_ * stuck_;
}

Allocation Allocator::allocate(const Vec6& tau_b) const {
  Allocation out;
  out.forces = at_zero_;
  out.forces.noalias() += gain_ * tau_b;
  bool within = true;
  for (int i = 0; i < n_; ++i) {
    const model::ForceRange& limit = limits_[static_cast<std::size_t>(i)];
    if (!(limit.min < limit.max)) out.forces[i] = limit.min;
    within = within && out.forces[i] >= limit.min && out.forces[i] <= limit.max;
  }
  out.scales.fill(1);
  out.bias_scale = 1;
  if (rank_ == 6)
    out.unreachable_b.setZero();
  else
    out.unreachable_b = (tau_b - stuck_) - P_ * (tau_b - stuck_);
  if (!within) saturate(tau_b, out);
  out.achieved_b.noalias() = B_ * out.forces;
  out.saturated = out.bias_scale < 1;
  for (const double scale : out.scales) out.saturated = out.saturated || scale < 1;
  return out;
}

/// docs/model.md eq. 35: A g + s_0 Y b - sum_k s_k Y tau_k = 0 within the limits, g = f - nearest, and the s
/// one after the other as large as can be. Everything at zero is where it begins.
void Allocator::saturate(const Vec6& tau_b, Allocation& out) const {
  if (!tau_b.allFinite()) {
    out.forces.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  dynamics::SmallProgram program(rank_);
  const auto entries = [&](const Vec6& v) {
    return std::span<const double>(v.data(), static_cast<std::size_t>(rank_));
  };
  for (int i = 0; i < n_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Vec6 column = A_.col(i);
    program.add(entries(column), (limits_[k].min - nearest_[k]) / unit_,
                (limits_[k].max - nearest_[k]) / unit_);
  }
  // Each scale as a length in newton, so that its column is of the order of one too.
  struct Part {
    int variable = -1;
    double length = 0;
  };
  const auto add_part = [&](const Vec6& wrench, double sign) {
    const Vec6 y = reduce_ * wrench / unit_;
    Part part;
    part.length = y.norm();
    if (!(part.length > 1e-12)) return part;
    const Vec6 column = sign / part.length * y;
    part.variable = program.add(entries(column), 0, part.length);
    return part;
  };
  const auto largest = [&](const Part& part) {
    if (part.variable < 0) return 1.0;
    const double share = program.maximize(part.variable) / part.length;
    return share > 1 - 1e-12 ? 1.0 : share;
  };
  const Part bias = add_part(bias_, 1);
  std::array<Part, 6> parts;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    Vec6 demand = Vec6::Zero();
    for (const int axis : groups_[k]) demand[axis] = tau_b[axis];
    parts[k] = add_part(demand, -1);
  }
  out.bias_scale = largest(bias);
  for (std::size_t k = 0; k < groups_.size(); ++k) out.scales[k] = largest(parts[k]);

  std::array<bool, max_thrusters> held{};
  for (int i = 0; i < n_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    held[k] = program.held(i);
    out.forces[i] = std::clamp(nearest_[k] + unit_ * program.value(i), limits_[k].min, limits_[k].max);
  }
  least_norm(held, out.forces);
}

/// Moves a feasible f, along what A sends to zero, to the least sum of weight f^2 within the limits: primal
/// active set. In the scaled forces h = W^1/2 f a step is minus the part of h that is orthogonal to the rows of
/// A W^-1/2.
void Allocator::least_norm(const std::array<bool, max_thrusters>& held, Forces& f) const {
  enum class At { inside, lower, upper };
  std::array<At, max_thrusters> at{};
  std::array<bool, max_thrusters> barred{};  // was let go and came straight back
  const auto k_of = [](int i) { return static_cast<std::size_t>(i); };
  const double close = 1e-12 * unit_;
  for (int i = 0; i < n_; ++i) {
    const model::ForceRange& limit = limits_[k_of(i)];
    at[k_of(i)] = f[i] <= limit.min + close ? At::lower : f[i] >= limit.max - close ? At::upper : At::inside;
  }
  Eigen::Matrix<double, 6, max_thrusters> Q;
  std::array<int, max_thrusters> free{};
  int released = -1;
  for (int step = 0; step < 20 * n_; ++step) {
    int count = 0;
    for (int i = 0; i < n_; ++i)
      if (!held[k_of(i)] && at[k_of(i)] == At::inside) free[k_of(count++)] = i;

    // Orthonormal rows Q with the combinations L of A's rows that make them; dependent rows drop out.
    Mat6 L = Mat6::Zero();
    int rank = 0;
    Forces h(count), root(count);
    for (int c = 0; c < count; ++c) {
      root[c] = std::sqrt(inverse_weights_[free[k_of(c)]]);
      h[c] = f[free[k_of(c)]] / root[c];
    }
    for (int r = 0; r < rank_; ++r) {
      auto row = Q.row(rank).head(count);
      for (int c = 0; c < count; ++c) row[c] = A_(r, free[k_of(c)]) * root[c];
      const double before = row.norm();
      Vec6 combination = Vec6::Unit(r);
      for (int pass = 0; pass < 2; ++pass)
        for (int q = 0; q < rank; ++q) {
          const double dot = Q.row(q).head(count).dot(row);
          row -= dot * Q.row(q).head(count);
          combination -= dot * L.row(q).transpose();
        }
      const double norm = row.norm();
      if (!(norm > 1e-9 * before) || before == 0) continue;
      row /= norm;
      L.row(rank++) = combination.transpose() / norm;
    }
    Vec6 along = Vec6::Zero(), lambda = Vec6::Zero();  // W f = A' lambda at the optimum
    Forces move = -h;
    for (int q = 0; q < rank; ++q) {
      along[q] = Q.row(q).head(count).dot(h.transpose());
      move += along[q] * Q.row(q).head(count).transpose();
      lambda += along[q] * L.row(q).transpose();
    }

    const double size = h.norm();
    if (count > 0 && move.norm() > 1e-11 * (size + close)) {
      double share = 1;
      int blocking = -1;
      for (int c = 0; c < count; ++c) {
        const int i = free[k_of(c)];
        const double by = root[c] * move[c];
        const double room = by > 0 ? limits_[k_of(i)].max - f[i] : f[i] - limits_[k_of(i)].min;
        if (by != 0 && room < share * std::abs(by)) {
          share = std::max(0.0, room / std::abs(by));
          blocking = i;
        }
      }
      for (int c = 0; c < count; ++c) f[free[k_of(c)]] += share * root[c] * move[c];
      if (blocking >= 0) {
        const bool up = f[blocking] > 0.5 * (limits_[k_of(blocking)].min + limits_[k_of(blocking)].max);
        f[blocking] = up ? limits_[k_of(blocking)].max : limits_[k_of(blocking)].min;
        at[k_of(blocking)] = up ? At::upper : At::lower;
        if (blocking == released && share == 0) barred[k_of(blocking)] = true;
      }
      if (share > 0) barred.fill(false);
      if (blocking >= 0) continue;
    }

    // Least among these; does a bound hold a force back that would rather leave it?
    double worst = 1e-10 * (size + close);
    released = -1;
    for (int i = 0; i < n_; ++i) {
      if (held[k_of(i)] || barred[k_of(i)] || at[k_of(i)] == At::inside) continue;
      const double root_i = std::sqrt(inverse_weights_[i]);
      const double slope = f[i] / root_i - root_i * A_.col(i).dot(lambda);
      const double pull = at[k_of(i)] == At::lower ? -slope : slope;
      if (pull <= worst) continue;
      worst = pull;
      released = i;
    }
    if (released < 0) return;
    at[k_of(released)] = At::inside;
  }
}

}  // namespace fathom::control
