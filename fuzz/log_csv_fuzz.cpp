// Any bytes as a log file: they load or are rejected with an InputError. What loads comes out of the writer and
// back as the same bits.
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "fathom/base/error.hpp"
#include "fathom/log/csv_reader.hpp"
#include "fathom/log/csv_writer.hpp"
#include "fathom/log/quality.hpp"

#include "fuzz/verdict.hpp"

namespace {

using namespace fathom;
using fuzz::check_messages;
using fuzz::fail;

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const bool both_nan = std::isnan(a[k]) && std::isnan(b[k]);
    if (!both_nan && std::bit_cast<std::uint64_t>(a[k]) != std::bit_cast<std::uint64_t>(b[k])) return false;
  }
  return true;
}

void check_channel(const log::Channel& channel) {
  if (channel.values.size() != channel.size() * channel.width())
    fail("rows and columns do not fit together", "");
  for (const double t : channel.t)
    if (!std::isfinite(t)) fail("a time that is not finite", "");
  for (const double value : channel.values)
    if (std::isinf(value)) fail("an infinite value", "");
  if (log::quality_of(channel).rows != channel.size()) fail("rows are miscounted", "");
}

/// Not everything that can be read can be written: the writer takes only names that Fathom itself would give.
void check_round_trip(const log::Channel& channel) {
  std::string text;
  try {
    text = log::channel_to_csv(channel);
  } catch (const InputError& error) {
    check_messages(error);
    return;
  }
  try {
    const log::Channel again = log::parse_channel(text, "again.csv", {.allow_empty = true});
    if (!(again.info == channel.info)) fail("the header changes when written and read", text);
    if (!same(again.t, channel.t) || !same(again.values, channel.values)) fail("numbers change", text);
    if (log::channel_to_csv(again) != text) fail("a second writing differs from the first", text);
  } catch (const InputError& error) {
    fail(error.what(), text);
  }
}

void check(std::string_view text, const log::ReadOptions& options) {
  try {
    const log::Channel channel = log::parse_channel(text, "fuzz.csv", options);
    check_channel(channel);
    check_round_trip(channel);
  } catch (const InputError& error) {
    check_messages(error);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text, {});
  check(text, {.allow_clock_steps = true, .drop_truncated_line = true, .allow_empty = true});
  return 0;
}
