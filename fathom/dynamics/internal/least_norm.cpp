#include "fathom/dynamics/internal/least_norm.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::dynamics::internal {
namespace {

std::size_t k_of(int i) { return static_cast<std::size_t>(i); }

}  // namespace

LeastNorm::Scratch::Scratch(int n)
    : at(k_of(n)), barred(k_of(n)), free(k_of(n)), h(n), root(n), direction(n), Q(6, n) {}

void LeastNorm::move(std::span<const char> held, Eigen::VectorXd& f) {
  std::fill(s_.barred.begin(), s_.barred.end(), char{false});
  for (int i = 0; i < n(); ++i) {
    const model::ForceRange& limit = limits_[k_of(i)];
    s_.at[k_of(i)] = f[i] <= limit.min + close_   ? At::lower
                     : f[i] >= limit.max - close_ ? At::upper
                                                  : At::inside;
  }
  for (int step = 0; step < 20 * n(); ++step) {
    find_free(held);
    take_rows(f);
    find_direction();
    if (count_ > 0 && s_.direction.head(count_).norm() > 1e-11 * (s_.h.head(count_).norm() + close_) && go(f))
      continue;
    if (!release(held, f)) return;
  }
}

void LeastNorm::find_free(std::span<const char> held) {
  count_ = 0;
  for (int i = 0; i < n(); ++i)
    if (!held[k_of(i)] && s_.at[k_of(i)] == At::inside) s_.free[k_of(count_++)] = i;
}

/// Rows that depend on those before them drop out.
void LeastNorm::take_rows(const Eigen::VectorXd& f) {
  L_.setZero();
  rank_ = 0;
  for (int c = 0; c < count_; ++c) {
    s_.root[c] = std::sqrt(inverse_weights_[s_.free[k_of(c)]]);
    s_.h[c] = f[s_.free[k_of(c)]] / s_.root[c];
  }
  for (int r = 0; r < rows_; ++r) {
    auto row = s_.Q.row(rank_).head(count_);
    for (int c = 0; c < count_; ++c) row[c] = A_(r, s_.free[k_of(c)]) * s_.root[c];
    const double before = row.norm();
    Vec6 combination = Vec6::Unit(r);
    for (int pass = 0; pass < 2; ++pass)
      for (int q = 0; q < rank_; ++q) {
        const double dot = s_.Q.row(q).head(count_).dot(row);
        row -= dot * s_.Q.row(q).head(count_);
        combination -= dot * L_.row(q).transpose();
      }
    const double norm = row.norm();
    if (!(norm > 1e-9 * before) || before == 0) continue;
    row /= norm;
    L_.row(rank_++) = combination.transpose() / norm;
  }
}

void LeastNorm::find_direction() {
  lambda_.setZero();
  const auto h = s_.h.head(count_);
  auto direction = s_.direction.head(count_);
  direction = -h;
  for (int q = 0; q < rank_; ++q) {
    const double along = s_.Q.row(q).head(count_).dot(h.transpose());
    direction += along * s_.Q.row(q).head(count_).transpose();
    lambda_ += along * L_.row(q).transpose();
  }
}

/// As far as the limits let it; true where one of them stops it.
bool LeastNorm::go(Eigen::VectorXd& f) {
  double share = 1;
  int blocking = -1;
  for (int c = 0; c < count_; ++c) {
    const int i = s_.free[k_of(c)];
    const double by = s_.root[c] * s_.direction[c];
    const double room = by > 0 ? limits_[k_of(i)].max - f[i] : f[i] - limits_[k_of(i)].min;
    if (by != 0 && room < share * std::abs(by)) {
      share = std::max(0.0, room / std::abs(by));
      blocking = i;
    }
  }
  for (int c = 0; c < count_; ++c) f[s_.free[k_of(c)]] += share * s_.root[c] * s_.direction[c];
  if (blocking >= 0) {
    const model::ForceRange& limit = limits_[k_of(blocking)];
    const bool up = f[blocking] > 0.5 * (limit.min + limit.max);
    f[blocking] = up ? limit.max : limit.min;
    s_.at[k_of(blocking)] = up ? At::upper : At::lower;
    if (blocking == released_ && share == 0) s_.barred[k_of(blocking)] = true;
  }
  if (share > 0) std::fill(s_.barred.begin(), s_.barred.end(), char{false});
  return blocking >= 0;
}

/// Least among the free ones; does a bound hold a force back that would rather leave it? The one that would
/// most is let go.
bool LeastNorm::release(std::span<const char> held, const Eigen::VectorXd& f) {
  double worst = 1e-10 * (s_.h.head(count_).norm() + close_);
  released_ = -1;
  for (int i = 0; i < n(); ++i) {
    if (held[k_of(i)] || s_.barred[k_of(i)] || s_.at[k_of(i)] == At::inside) continue;
    const double root = std::sqrt(inverse_weights_[i]);
    const double slope = f[i] / root - root * A_.col(i).dot(lambda_);
    const double pull = s_.at[k_of(i)] == At::lower ? -slope : slope;
    if (pull <= worst) continue;
    worst = pull;
    released_ = i;
  }
  if (released_ < 0) return false;
  s_.at[k_of(released_)] = At::inside;
  return true;
}

}  // namespace fathom::dynamics::internal
