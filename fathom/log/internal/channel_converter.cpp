#include "fathom/log/internal/channel_converter.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

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

}  // namespace fathom::log::internal
