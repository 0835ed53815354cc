#include "fathom/control/internal/least_norm.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::control::internal {
namespace {

std::size_t k_of(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void LeastNorm::move(const PerThruster<bool>& held, Forces& f) {
  for (int i = 0; i < n(); ++i) {
    const model::ForceRange& limit = limits_[k_of(i)];
    at_[k_of(i)] = f[i] <= limit.min + close_ ? At::lower : f[i] >= limit.max - close_ ? At::upper : At::inside;
  }
  for (int step = 0; step < 20 * n(); ++step) {
    find_free(held);
    take_rows(f);
    const Forces direction = find_direction();
    if (count_ > 0 && direction.norm() > 1e-11 * (h_.norm() + close_) && go(direction, f)) continue;
    if (!release(held, f)) return;
  }
}

void LeastNorm::find_free(const PerThruster<bool>& held) {
  count_ = 0;
  for (int i = 0; i < n(); ++i)
    if (!held[k_of(i)] && at_[k_of(i)] == At::inside) free_[k_of(count_++)] = i;
}

/// Rows that depend on those before them drop out.
void LeastNorm::take_rows(const Forces& f) {
  L_.setZero();
  rank_ = 0;
  h_.resize(count_);
  root_.resize(count_);
  for (int c = 0; c < count_; ++c) {
    root_[c] = std::sqrt(inverse_weights_[free_[k_of(c)]]);
    h_[c] = f[free_[k_of(c)]] / root_[c];
  }
  for (int r = 0; r < rows_; ++r) {
    auto row = Q_.row(rank_).head(count_);
    for (int c = 0; c < count_; ++c) row[c] = A_(r, free_[k_of(c)]) * root_[c];
    const double before = row.norm();
    Vec6 combination = Vec6::Unit(r);
    for (int pass = 0; pass < 2; ++pass)
      for (int q = 0; q < rank_; ++q) {
        const double dot = Q_.row(q).head(count_).dot(row);
        row -= dot * Q_.row(q).head(count_);
        combination -= dot * L_.row(q).transpose();
      }
    const double norm = row.norm();
    if (!(norm > 1e-9 * before) || before == 0) continue;
    row /= norm;
    L_.row(rank_++) = combination.transpose() / norm;
  }
}

Forces LeastNorm::find_direction() {
  lambda_.setZero();
  Forces direction = -h_;
  for (int q = 0; q < rank_; ++q) {
    const double along = Q_.row(q).head(count_).dot(h_.transpose());
    direction += along * Q_.row(q).head(count_).transpose();
    lambda_ += along * L_.row(q).transpose();
  }
  return direction;
}

/// As far as the limits let it; true where one of them stops it.
bool LeastNorm::go(const Forces& direction, Forces& f) {
  double share = 1;
  int blocking = -1;
  for (int c = 0; c < count_; ++c) {
    const int i = free_[k_of(c)];
    const double by = root_[c] * direction[c];
    const double room = by > 0 ? limits_[k_of(i)].max - f[i] : f[i] - limits_[k_of(i)].min;
    if (by != 0 && room < share * std::abs(by)) {
      share = std::max(0.0, room / std::abs(by));
      blocking = i;
    }
  }
  for (int c = 0; c < count_; ++c) f[free_[k_of(c)]] += share * root_[c] * direction[c];
  if (blocking >= 0) {
    const model::ForceRange& limit = limits_[k_of(blocking)];
    const bool up = f[blocking] > 0.5 * (limit.min + limit.max);
    f[blocking] = up ? limit.max : limit.min;
    at_[k_of(blocking)] = up ? At::upper : At::lower;
    if (blocking == released_ && share == 0) barred_[k_of(blocking)] = true;
  }
  if (share > 0) barred_.fill(false);
  return blocking >= 0;
}

/// Least among the free ones; does a bound hold a force back that would rather leave it? The one that would
/// most is let go.
bool LeastNorm::release(const PerThruster<bool>& held, const Forces& f) {
  double worst = 1e-10 * (h_.norm() + close_);
  released_ = -1;
  for (int i = 0; i < n(); ++i) {
    if (held[k_of(i)] || barred_[k_of(i)] || at_[k_of(i)] == At::inside) continue;
    const double root = std::sqrt(inverse_weights_[i]);
    const double slope = f[i] / root - root * A_.col(i).dot(lambda_);
    const double pull = at_[k_of(i)] == At::lower ? -slope : slope;
    if (pull <= worst) continue;
    worst = pull;
    released_ = i;
  }
  if (released_ < 0) return false;
  at_[k_of(released_)] = At::inside;
  return true;
}

}  // namespace fathom::control::internal
