#include "fathom/solve/internal/compact_bfgs.hpp"

#include <algorithm>

namespace fathom::solve::internal {
namespace {

using Index = Eigen::Index;

constexpr double least_curvature = 0.2;  // Powell 1978: share of s'Bs that s'y keeps
constexpr double smallest_sigma = 1e-8, largest_sigma = 1e8;
constexpr double largest_stiffness = 64;

}  // namespace

CompactBfgs::CompactBfgs(Index unknowns)
    : V_(unknowns * 2 * most_pairs),
      SS_(most_pairs, most_pairs),
      SY_(most_pairs, most_pairs),
      s_(unknowns),
      y_(unknowns),
      B_s_(unknowns) {}

void CompactBfgs::start(int memory) {
  memory_ = memory;
  pairs_ = 0;
  sigma_ = stiffness_ = 1;
}

void CompactBfgs::note_step(bool was_cut) {
  stiffness_ = was_cut ? std::min(4 * stiffness_, largest_stiffness) : std::max(stiffness_ / 2, 1.0);
}

void CompactBfgs::add(const Eigen::VectorXd& step, const Eigen::VectorXd& gradient_change) {
  const double length = step.norm();
  if (memory_ == 0 || !(length > 0)) return;
  s_ = step / length;  // the update does not see the pair's scale; M is better conditioned with unit steps
  y_ = gradient_change / length;
  multiply(s_, B_s_);
  const double sBs = s_.dot(B_s_), sy = s_.dot(y_);
  if (sy < least_curvature * sBs) {
    const double theta = (1 - least_curvature) * sBs / (sBs - sy);
    y_ = theta * y_ + (1 - theta) * B_s_;
  }
  const double curvature = s_.dot(y_);
  if (!(curvature > 0) || !y_.allFinite()) return;
  // Not y'y / s'y, which is the largest curvature: it took up to four times the iterations.
  sigma_ = std::clamp(stiffness_ * curvature, smallest_sigma, largest_sigma);
  store(s_, y_);
  build_M();
}

void CompactBfgs::project(const Eigen::VectorXd& v, SmallVector& V_v) const {
  V_v.setZero(columns());
  double* sum = V_v.data();
  for (Index k = 0; k < v.size(); ++k) {
    const double* __restrict row_k = row(k);
    for (Index c = 0; c < V_v.size(); ++c) sum[c] += v[k] * row_k[c];
  }
}

void CompactBfgs::multiply(const Eigen::VectorXd& s, Eigen::VectorXd& B_s) {
  B_s = sigma_ * s;
  if (pairs_ == 0) return;
  SmallVector w;
  project(s, w);
  for (Index c = 0; c < columns(); c += 2) w[c] *= sigma_;
  lu_.compute(M_);
  w = lu_.solve(w).eval();
  for (Index c = 0; c < columns(); c += 2) w[c] *= sigma_;
  for (Index k = 0; k < s.size(); ++k) B_s[k] -= Eigen::Map<const SmallVector>(row(k), columns()).dot(w);
}

void CompactBfgs::store(const Eigen::VectorXd& s, const Eigen::VectorXd& y) {
  int slot = pairs_;
  if (pairs_ < memory_)
    ++pairs_;
  else
    slot = static_cast<int>(std::min_element(age_.begin(), age_.begin() + pairs_) - age_.begin());
  age_[slot] = ++added_;
  for (Index k = 0; k < s.size(); ++k) {
    V_[k * 2 * memory_ + 2 * slot] = s[k];
    V_[k * 2 * memory_ + 2 * slot + 1] = y[k];
  }
  SmallVector with_s, with_y;
  project(s, with_s);
  project(y, with_y);
  for (Index j = 0; j < pairs_; ++j) {
    SS_(slot, j) = SS_(j, slot) = with_s[2 * j];
    SY_(slot, j) = with_s[2 * j + 1];
    SY_(j, slot) = with_y[2 * j];
  }
}

void CompactBfgs::build_M() {
  M_.setZero(columns(), columns());
  for (Index i = 0; i < pairs_; ++i) {
    M_(2 * i + 1, 2 * i + 1) = -SY_(i, i);
    for (Index j = 0; j < pairs_; ++j) {
      M_(2 * i, 2 * j) = sigma_ * SS_(i, j);
      if (age_[i] > age_[j]) M_(2 * i, 2 * j + 1) = M_(2 * j + 1, 2 * i) = SY_(i, j);
    }
  }
}

}  // namespace fathom::solve::internal
