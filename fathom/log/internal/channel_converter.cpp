#include "fathom/log/internal/channel_converter.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/median.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::log::internal {

std::int64_t nanoseconds(double seconds) { return std::llround(1e9 * seconds); }

std::optional<std::int64_t> Scouted::shared_start_ns() const {
  if (channel->clock.kind == ClockDescription::Kind::own || !first_ns) return std::nullopt;
  std::int64_t start = even ? (*even)(0) : *first_ns;
  if (__builtin_add_overflow(start, nanoseconds(channel->clock.offset), &start)) return first_ns;
  return start;
}

ChannelConverter::ChannelConverter(Scouted scouted, std::int64_t shared_zero_ns, Sink& sink)
    : scouted_(std::move(scouted)),
      sink_(&sink),
      counter_(scouted_.channel->info()),
      far_cells_(scouted_.channel->info()),
      out_(scouted_.plan.width()) {
  const ClockDescription& clock = scouted_.channel->clock;
  zero_ns_ = clock.kind == ClockDescription::Kind::own ? scouted_.first_ns.value_or(0) : shared_zero_ns;
  result_.info = scouted_.channel->info();
  result_.source = scouted_.source;
  if (scouted_.even)
    result_.receive = ReceiveClock{1e9 / scouted_.even->period_ns, scouted_.even->starts.size() - 1,
                                   scouted_.even->median_delay, scouted_.even->longest_delay};
  number_ = sink_->open(result_.info);
}

void ChannelConverter::fail(int line, std::string message, std::string hint) const {
  reject(scouted_.source, line, fmt::format("channel {}:", scouted_.channel->name), std::move(message),
         std::move(hint));
}

double ChannelConverter::time_of(std::int64_t stamp_ns, int line) const {
  const ClockDescription& clock = scouted_.channel->clock;
  if (!scouted_.first_ns) return static_cast<double>(seen_) / clock.rate_hz + clock.offset;
  std::int64_t ns = scouted_.even ? (*scouted_.even)(seen_) : stamp_ns;
  if (__builtin_add_overflow(ns, nanoseconds(clock.offset), &ns) || __builtin_sub_overflow(ns, zero_ns_, &ns))
    fail(line, "the times span more than 292 years",
         "is it the right column, and the right unit of the clock?");
  return static_cast<double>(ns) / 1e9;
}

void ChannelConverter::take(std::int64_t stamp_ns, std::span<const double> raw, int line) {
  const double t = time_of(stamp_ns, line);
  ++seen_;
  if (!scouted_.plan.counts(raw)) {
    ++result_.other_rows;
    return;
  }
  if (written_ > 0 && t <= last_t_) {
    if (scouted_.channel->drop_old) {
      ++result_.old_rows;
      return;
    }
    if (t < last_t_)
      fail(line, fmt::format("the clock steps back, from {} s to {} s", last_t_, t),
           "drop_old: true counts rows that are not later than the one before and leaves them out; or are "
           "these two runs?");
  }
  if (const auto infinite = scouted_.plan.fill(raw, out_))
    fail(line, fmt::format("column {} of the file is infinite", scouted_.plan.picked()[*infinite] + 1),
         "invalid: [.inf, -.inf] makes it a missing value");
  sink_->append(number_, t, out_);
  counter_.add(t, out_);
  far_cells_.add(t, out_, line);
  last_t_ = t;
  ++written_;
}

ConvertedChannel ChannelConverter::finish(std::size_t dropped_lines) {
  if (written_ == 0)
    fail(0, seen_ == 0 ? "has no rows" : "no row counts",
         seen_ == 0 ? "is the file that of another run?" : "the condition under where holds for none");
  sink_->close(number_);
  result_.quality = counter_.quality();
  result_.quality.dropped_lines = dropped_lines;
  result_.invalid_values = scouted_.plan.invalid_values();
  return std::move(result_);
}

Findings ChannelConverter::far_cells() const {
  return far_cells_.findings(scouted_.channel->info(), scouted_.source,
                             "a slip? Under invalid:, a number of the file becomes a missing value");
}

RowPlan::RowPlan(const ChannelDescription& channel, const std::function<std::size_t(const ColumnName&)>& find)
    : invalid_(channel.invalid), width_(channel.info().columns.size()) {
  for (const ScalarColumn& column : channel.columns)
    scalars_.push_back({place(find(column.from)), column.factor, column.offset});
  for (const VectorColumns& vector : channel.vectors) {
    Vector& turned = vectors_.emplace_back();
    for (int k = 0; k < 3; ++k) {
      turned.from[k] = place(find(vector.from[static_cast<std::size_t>(k)]));
      for (int j = 0; j < 3; ++j) turned.coefficient[k][j] = vector.factor * vector.rotation(k, j);
    }
  }
  if (channel.attitude) {
    const AttitudeColumns& attitude = *channel.attitude;
    attitude_ = {{}, attitude.to.size() == 3, Quat(attitude.world), Quat(attitude.body), attitude.factor};
    for (const ColumnName& name : attitude.from) attitude_->from.push_back(place(find(name)));
  }
  if (channel.where) where_ = {place(find(channel.where->column)), channel.where->is};
  valid_.resize(picked_.size());
}

std::size_t RowPlan::place(std::size_t column) {
  const auto found = std::find(picked_.begin(), picked_.end(), column);
  if (found != picked_.end()) return static_cast<std::size_t>(found - picked_.begin());
  picked_.push_back(column);
  return picked_.size() - 1;
}

bool RowPlan::counts(std::span<const double> raw) const {
  return !where_ || raw[where_->first] == where_->second;
}

double RowPlan::value(double raw) {
  if (std::find(invalid_.begin(), invalid_.end(), raw) == invalid_.end()) return raw;
  ++invalid_values_;
  return nan;
}

/// Zeros are left out: a value that is missing does not take those with it that it has nothing to do with, and
/// no zero gets another sign.
void RowPlan::turn(const Vector& vector, double* out) const {
  for (int row = 0; row < 3; ++row) {
    double sum = -0.0;  // the zero that changes nothing
    for (int k = 0; k < 3; ++k)
      if (vector.coefficient[row][k] != 0) sum += vector.coefficient[row][k] * valid_[vector.from[k]];
    out[row] = sum;
  }
}

void RowPlan::turn(const Attitude& attitude, double* out) {
  const auto raw = [&](std::size_t k) { return valid_[attitude.from[k]]; };
  const std::size_t count = attitude.to_angles ? 3 : 4;
  Quat theirs;
  if (attitude.from.size() == 3) {
    theirs = quaternion_from_euler(attitude.factor * Vec3(raw(0), raw(1), raw(2)));
  } else {
    theirs = Quat(raw(0), raw(1), raw(2), raw(3));
    const double length = theirs.norm();
    if (std::abs(length - 1) > 0.1) ++invalid_values_;  // drivers send zeros where they know nothing
    theirs = std::abs(length - 1) > 0.1 ? Quat(nan, nan, nan, nan) : theirs.normalized();
  }
  const Quat q_nb = attitude.world * theirs * attitude.body.conjugate();
  if (!q_nb.coeffs().allFinite()) {
    std::fill_n(out, count, nan);
  } else if (attitude.to_angles) {
    Eigen::Map<Vec3>{out} = euler_from_quaternion(q_nb);
  } else {
    out[0] = q_nb.w(), out[1] = q_nb.x(), out[2] = q_nb.y(), out[3] = q_nb.z();
  }
}

std::optional<std::size_t> RowPlan::fill(std::span<const double> raw, std::span<double> out) {
  const bool none_invalid = invalid_.empty();
  for (std::size_t k = 0; k < raw.size(); ++k) {
    valid_[k] = none_invalid ? raw[k] : value(raw[k]);
    if (std::isinf(valid_[k])) return k;
  }
  double* p = out.data();
  for (const Scalar& scalar : scalars_) *p++ = scalar.factor * valid_[scalar.from] + scalar.offset;
  for (const Vector& vector : vectors_) {
    turn(vector, p);
    p += 3;
  }
  if (attitude_) turn(*attitude_, p);
  return std::nullopt;
}

namespace {

/// Arrivals in seconds from the first, by the number of the sample.
using Arrivals = std::vector<double>;

/// Middle of the slopes over a stretch that is long against bursts, and short enough that most have no loss.
double rough_period(const Arrivals& arrivals) {
  const std::size_t stretch = std::max<std::size_t>(1, arrivals.size() / 8);
  std::vector<double> slopes;
  for (std::size_t k = 0; k + stretch < arrivals.size(); ++k)
    slopes.push_back((arrivals[k + stretch] - arrivals[k]) / static_cast<double>(stretch));
  return median(slopes);
}

/// The least of arrivals[k] - period k over [begin, end).
double lowest(const Arrivals& arrivals, double period, std::size_t begin, std::size_t end) {
  double least = infinity;
  for (std::size_t k = begin; k < end; ++k)
    least = std::min(least, arrivals[k] - period * static_cast<double>(k));
  return least;
}

/// Finds where samples were lost. Bursts end: within `reach` samples after a pause one is on time again.
class Losses {
 public:
  Losses(const Arrivals& arrivals, double period) : arrivals_(arrivals), period_(period) {
    constexpr double most = 1024;  // so that the work stays within bounds
    double pause = 0;
    for (std::size_t k = 1; k < arrivals.size(); ++k) pause = std::max(pause, step(k));
    reach_ = std::min(arrivals.size(), static_cast<std::size_t>(std::min(2 * pause / period, most)) + 16);
  }

  /// The rows at which runs without a loss begin.
  std::vector<std::size_t> starts() const {
    std::vector<std::size_t> starts = {0};
    for (std::size_t k = 1; k + reach_ / 2 <= arrivals_.size(); ++k) {
      if (k - starts.back() < reach_ / 2 || !is_loss(k, starts.back())) continue;
      // In a burst that was under way nothing tells where they are missing: most likely at its longest pause.
      const double level = lowest(arrivals_, period_, k, std::min(arrivals_.size(), k + reach_));
      std::size_t at = k;
      for (std::size_t j = k + 1; j < arrivals_.size(); ++j) {
        if (step(j) > step(at) && is_loss(j, starts.back())) at = j;
        if (late(j - 1) <= level + 0.25 * period_) break;
      }
      starts.push_back(at);
      k = at;
    }
    return starts;
  }

 private:
  double step(std::size_t k) const { return arrivals_[k] - arrivals_[k - 1]; }
  double late(std::size_t k) const { return arrivals_[k] - period_ * static_cast<double>(k); }
  bool is_loss(std::size_t k, std::size_t run) const {
    if (step(k) < 1.5 * period_) return false;
    const double before = lowest(arrivals_, period_, k - std::min(reach_, k - run), k);
    const double after = lowest(arrivals_, period_, k, std::min(arrivals_.size(), k + reach_));
    return after - before > 0.75 * period_;
  }

  const Arrivals& arrivals_;
  double period_;
  std::size_t reach_;
};

/// The rows of a run: from the first to behind the last.
std::pair<std::size_t, std::size_t> run_of(const Arrivals& arrivals, const std::vector<std::size_t>& starts,
                                           std::size_t s) {
  return {starts[s], s + 1 < starts.size() ? starts[s + 1] : arrivals.size()};
}

/// A loss leaves room for a sample at least. What does not was a sender that slowed down: it begins no run.
/// Returns whether there was one.
bool join_runs(const Arrivals& arrivals, double period, std::vector<std::size_t>& starts) {
  std::vector<std::size_t> kept = {0};
  double before = 0;
  for (std::size_t s = 0; s < starts.size(); ++s) {
    const auto [begin, end] = run_of(arrivals, starts, s);
    const double a = lowest(arrivals, period, begin, end);
    if (s > 0 && a - before > 0.5 * period) kept.push_back(begin);
    before = a;
  }
  const bool joined = kept.size() < starts.size();
  starts = std::move(kept);
  return joined;
}

/// Sum of how late all samples are, for the best line of each run.
double lateness(const Arrivals& arrivals, const std::vector<std::size_t>& starts, double period) {
  double sum = 0;
  for (std::size_t s = 0; s < starts.size(); ++s) {
    const auto [begin, end] = run_of(arrivals, starts, s);
    const double a = lowest(arrivals, period, begin, end);
    for (std::size_t k = begin; k < end; ++k) sum += arrivals[k] - period * static_cast<double>(k) - a;
  }
  return sum;
}

/// The bottom of a convex function, by golden sections.
template <class Function>
double minimum(double low, double high, const Function& f) {
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double x1 = high - golden * (high - low), x2 = low + golden * (high - low);
  double f1 = f(x1), f2 = f(x2);
  for (int step = 0; step < 60 && high - low > 1e-12 * high; ++step) {
    if (f1 <= f2) {
      high = x2, x2 = x1, f2 = f1;
      f1 = f(x1 = high - golden * (high - low));
    } else {
      low = x1, x1 = x2, f1 = f2;
      f2 = f(x2 = low + golden * (high - low));
    }
  }
  return (low + high) / 2;
}

}  // namespace

std::int64_t EvenClock::operator()(std::size_t row) const {
  const auto run = std::upper_bound(starts.begin(), starts.end(), row) - starts.begin() - 1;
  const auto k = static_cast<std::size_t>(run);
  return start_ns[k] + std::llround(period_ns * static_cast<double>(row - starts[k]));
}

EvenClock even_clock(std::span<const std::int64_t> receive_ns, double rate_hz) {
  Arrivals arrivals;
  arrivals.reserve(receive_ns.size());
  for (const std::int64_t ns : receive_ns)
    arrivals.push_back(1e-9 * static_cast<double>(ns - receive_ns.front()));
  const double rough = rate_hz > 0 ? 1 / rate_hz : rough_period(arrivals);
  double period = rough;
  EvenClock clock;
  clock.starts = rough > 0 ? Losses(arrivals, rough).starts() : std::vector<std::size_t>{0};
  do {
    if (rate_hz <= 0 && rough > 0)
      period = minimum(0.5 * rough, 2 * rough, [&](double b) { return lateness(arrivals, clock.starts, b); });
  } while (join_runs(arrivals, period, clock.starts));
  clock.period_ns = 1e9 * period;
  std::vector<double> delays;
  for (std::size_t s = 0; s < clock.starts.size(); ++s) {
    const auto [begin, end] = run_of(arrivals, clock.starts, s);
    const double a = lowest(arrivals, period, begin, end);
    const double start = a + period * static_cast<double>(begin);
    clock.start_ns.push_back(receive_ns.front() + std::llround(1e9 * start));
    for (std::size_t k = begin; k < end; ++k)
      delays.push_back(arrivals[k] - period * static_cast<double>(k) - a);
  }
  clock.longest_delay = *std::max_element(delays.begin(), delays.end());
  clock.median_delay = median(delays);
  return clock;
}

}  // namespace fathom::log::internal
