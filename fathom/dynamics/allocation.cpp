#include "fathom/dynamics/allocation.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/SVD>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/dynamics/internal/dual_newton.hpp"
#include "fathom/dynamics/internal/least_norm.hpp"
#include "fathom/solve/small_program.hpp"

namespace fathom::dynamics {
namespace internal {

struct AllocationScratch {
  explicit AllocationScratch(int thrusters)
      : program(6, thrusters + 7),  // six groups and the bias
        held(static_cast<std::size_t>(thrusters)),
        least_norm(thrusters),
        newton(thrusters) {}
  solve::LargeProgram program;
  std::vector<char> held;
  LeastNorm::Scratch least_norm;
  DualNewton::Scratch newton;
};

}  // namespace internal
namespace {

constexpr double allocation_rank_tolerance = 1e-9;
/// Beyond as many thrusters as one robot has, Newton's method comes before the active set, whose steps are as
/// many as the thrusters.
constexpr int few_thrusters = 16;

void check_groups(const std::vector<std::vector<int>>& groups) {
  std::array<int, 6> seen{};
  for (const std::vector<int>& group : groups) {
    if (group.empty()) reject("groups", "has an empty group");
    for (const int axis : group) {
      if (axis < 0 || axis > 5)
        reject("groups", fmt::format("has axis {}, must be 0 to 5", axis), "X Y Z K M N");
      ++seen[static_cast<std::size_t>(axis)];
    }
  }
  for (std::size_t axis = 0; axis < 6; ++axis)
    if (seen[axis] != 1)
      reject("groups", fmt::format("has axis {} {} times, must have each once", axis, seen[axis]),
             "X Y Z K M N");
}

void check_limits(int thruster, double min, double max) {
  if (!(min <= max && std::isfinite(min) && std::isfinite(max)))
    reject(fmt::format("limits[{}]", thruster),
           fmt::format("= [{}, {}], must be finite with min <= max", min, max),
           "a thruster needs a force range or a map");
}

/// The pseudo-inverse, the number of singular values that count, and a basis of what it sends to zero.
struct PseudoInverse {
  Eigen::MatrixXd inverse, null;
  Eigen::Index rank = 0;
};
enum class Null { wanted, not_wanted };
PseudoInverse pseudo_inverse(const Eigen::MatrixXd& A, double smallest, Null null) {
  PseudoInverse result;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(
      A, Eigen::ComputeThinU | (null == Null::wanted ? Eigen::ComputeFullV : Eigen::ComputeThinV));
  const Eigen::VectorXd& s = svd.singularValues();
  while (result.rank < s.size() && s[result.rank] > smallest) ++result.rank;
  const Eigen::Index r = result.rank;
  result.inverse =
      svd.matrixV().leftCols(r) * s.head(r).cwiseInverse().asDiagonal() * svd.matrixU().leftCols(r).transpose();
  if (null == Null::wanted) result.null = svd.matrixV().rightCols(A.cols() - r);
  return result;
}

/// Y: coordinates in U of what comes nearest to a demand, group by group; docs/model.md eq. 39.
Eigen::MatrixXd nearest_by_groups(const Eigen::MatrixXd& U, const std::vector<std::vector<int>>& groups) {
  const Eigen::Index rank = U.cols();
  Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(rank, 6), N = Eigen::MatrixXd::Identity(rank, rank);
  for (const std::vector<int>& group : groups) {
    const auto m = static_cast<Eigen::Index>(group.size());
    Eigen::MatrixXd U_group(m, rank), pick = Eigen::MatrixXd::Zero(m, 6);
    for (Eigen::Index i = 0; i < m; ++i) {
      U_group.row(i) = U.row(group[static_cast<std::size_t>(i)]);
      pick(i, group[static_cast<std::size_t>(i)]) = 1;
    }
    if (N.cols() == 0) break;
    const PseudoInverse step = pseudo_inverse(U_group * N, 1e-8, Null::wanted);
    Y += N * step.inverse * (pick - U_group * Y);
    N = N * step.null;
  }
  return Y;
}

}  // namespace

Allocator::Allocator(const Mat6X& B, std::span<const model::ForceRange> limits, AllocatorOptions options)
    : n_(static_cast<int>(limits.size())),
      B_(B),
      limits_(limits.begin(), limits.end()),
      groups_(std::move(options.groups)) {
  if (n_ < 1 || B.cols() != n_ || !B.allFinite())
    reject("B", fmt::format("has {} columns for {} limits, must have one for each, all finite", B.cols(), n_));
  check_groups(groups_);
  const std::vector<double>& w = options.weights;
  if (!w.empty() && w.size() != limits.size())
    reject("weights", fmt::format("has {} entries for {} thrusters", w.size(), n_), "one each, or none");
  inverse_weights_.setOnes(n_);
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (!(w[i] > 0 && std::isfinite(w[i])))
      reject(fmt::format("weights[{}]", i), fmt::format("= {}, must be > 0", w[i]));
    inverse_weights_[static_cast<Eigen::Index>(i)] = 1 / w[i];
  }
  for (int i = 0; i < n_; ++i)
    check_limits(i, limits_[static_cast<std::size_t>(i)].min, limits_[static_cast<std::size_t>(i)].max);
  prepare();
}

void Allocator::set_limits(int thruster, double min, double max) {
  if (thruster < 0 || thruster >= n_)
    reject("thruster", fmt::format("= {}, must be 0 to {}", thruster, n_ - 1));
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

/// What follows from the limits alone; gives the columns of thrusters that can change their force.
Mat6X Allocator::take_limits() {
  Mat6X moving = B_;
  stuck_.setZero();
  bias_.setZero();
  unit_ = 0;
  at_zero_.setZero(n_);
  nearest_.resize(n_);
  for (int i = 0; i < n_; ++i) {
    const model::ForceRange& limit = limits_[static_cast<std::size_t>(i)];
    nearest_[i] = std::clamp(0.0, limit.min, limit.max);
    bias_ += nearest_[i] * B_.col(i);
    unit_ = std::max({unit_, std::abs(limit.min), std::abs(limit.max)});
    if (limit.min < limit.max) continue;
    moving.col(i).setZero();
    stuck_ += limit.min * B_.col(i);
    at_zero_[i] = limit.min;
  }
  if (unit_ == 0) unit_ = 1;
  return moving;
}

void Allocator::prepare() {
  const Mat6X moving = take_limits();
  // An orthonormal basis U of what moving thrusters span. At full rank the axes themselves, which keep it
  // exact.
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(moving, Eigen::ComputeThinU);
  const Eigen::VectorXd& s = svd.singularValues();
  rank_ = 0;
  while (rank_ < s.size() && s[rank_] > allocation_rank_tolerance * s[0]) ++rank_;
  if (s.size() == 0 || !(s[0] > 0)) rank_ = 0;
  Eigen::MatrixXd U = svd.matrixU().leftCols(rank_);
  if (rank_ == 6) U = Mat6::Identity();
  const Eigen::MatrixXd Y = rank_ == 6 ? Eigen::MatrixXd(Mat6::Identity()) : nearest_by_groups(U, groups_);
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
    const Forces root = inverse_weights_.cwiseSqrt();
    gain_ = root.asDiagonal() *
            pseudo_inverse(U.transpose() * moving * root.asDiagonal(), 0, Null::not_wanted).inverse * Y;
  }
  at_zero_ -= gain_ * stuck_;
}

Allocator::Workspace::Workspace(int thrusters)
    : scratch_(std::make_unique<internal::AllocationScratch>(thrusters)) {
  result_.forces.resize(thrusters);
}
Allocator::Workspace::Workspace(Workspace&&) noexcept = default;
Allocator::Workspace& Allocator::Workspace::operator=(Workspace&&) noexcept = default;
Allocator::Workspace::~Workspace() = default;

Allocation Allocator::allocate(const Vec6& tau_b) const {
  Workspace own = workspace();
  return allocate(tau_b, own);
}

const Allocation& Allocator::allocate(const Vec6& tau_b, Workspace& workspace) const {
  Allocation& out = workspace.result_;
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
  if (!within) saturate(tau_b, *workspace.scratch_, out);
  out.achieved_b.noalias() = B_ * out.forces;
  out.saturated = out.bias_scale < 1;
  for (const double scale : out.scales) out.saturated = out.saturated || scale < 1;
  return out;
}

/// What A f must be for all of the demand: A (f - nearest) = Y (tau - b), docs/model.md eq. 38 with s = 1.
Vec6 Allocator::target(const Vec6& tau_b) const {
  Vec6 y = reduce_ * (tau_b - bias_);
  y.noalias() += A_ * nearest_;
  return y;
}

void Allocator::saturate(const Vec6& tau_b, internal::AllocationScratch& scratch, Allocation& out) const {
  if (!tau_b.allFinite()) {
    out.forces.setConstant(nan);
    return;
  }
  if (n_ > few_thrusters) {
    const internal::DualNewton newton(A_, inverse_weights_, limits_, unit_, scratch.newton);
    std::fill(scratch.held.begin(), scratch.held.end(), char{false});
    // The demand may well be attainable, only not by the pseudo-inverse.
    if (newton.solve(target(tau_b), scratch.held, out.forces)) return;
    scale_groups(tau_b, scratch, out);
    if (newton.solve(A_ * out.forces, scratch.held, out.forces)) return;
  } else {
    scale_groups(tau_b, scratch, out);
  }
  internal::LeastNorm(A_, rank_, inverse_weights_, limits_, unit_, scratch.least_norm)
      .move(scratch.held, out.forces);
}

/// docs/model.md eq. 38: A g + s_0 Y b - sum_k s_k Y tau_k = 0 within the limits, g = f - nearest, and the s
/// one after the other as large as can be. Everything at zero is where it begins.
void Allocator::scale_groups(const Vec6& tau_b, internal::AllocationScratch& scratch, Allocation& out) const {
  solve::LargeProgram& program = scratch.program;
  program.begin(rank_);
  const auto entries = [&](const Vec6& v) {
    return std::span<const double>(v.data(), static_cast<std::size_t>(rank_));
  };
  for (int i = 0; i < n_; ++i) {
    const model::ForceRange& limit = limits_[static_cast<std::size_t>(i)];
    const Vec6 column = A_.col(i);
    program.add(entries(column), (limit.min - nearest_[i]) / unit_, (limit.max - nearest_[i]) / unit_);
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

  for (int i = 0; i < n_; ++i) {
    const model::ForceRange& limit = limits_[static_cast<std::size_t>(i)];
    scratch.held[static_cast<std::size_t>(i)] = program.held(i);
    out.forces[i] = std::clamp(nearest_[i] + unit_ * program.value(i), limit.min, limit.max);
  }
}

}  // namespace fathom::dynamics
