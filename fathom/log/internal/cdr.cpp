#include "fathom/log/internal/cdr.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "fathom/base/constants.hpp"

namespace fathom::log::internal {
namespace {

using Step = Layout::Step;

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t encapsulation = 4;
constexpr std::size_t most_padding = 3;  // writers fill the message up to a multiple of four
constexpr std::int64_t second_ns = 1'000'000'000;

template <bool swapped, class T>
T load(const std::byte* from) {
  T value;
  if constexpr (swapped) {
    std::byte bytes[sizeof(T)];
    std::reverse_copy(from, from + sizeof(T), bytes);
    std::memcpy(&value, bytes, sizeof(T));
  } else {
    std::memcpy(&value, from, sizeof(T));
  }
  return value;
}

template <bool swapped, class T>
void to_doubles(const std::byte* from, std::size_t count, double* to) {
  for (std::size_t k = 0; k < count; ++k) to[k] = static_cast<double>(load<swapped, T>(from + k * sizeof(T)));
}

template <bool swapped>
void to_doubles(Number number, const std::byte* from, std::size_t count, double* to) {
  switch (number) {
    case Number::int8: return to_doubles<swapped, std::int8_t>(from, count, to);
    case Number::uint8: return to_doubles<swapped, std::uint8_t>(from, count, to);
    case Number::int16: return to_doubles<swapped, std::int16_t>(from, count, to);
    case Number::uint16: return to_doubles<swapped, std::uint16_t>(from, count, to);
    case Number::int32: return to_doubles<swapped, std::int32_t>(from, count, to);
    case Number::uint32: return to_doubles<swapped, std::uint32_t>(from, count, to);
    case Number::int64: return to_doubles<swapped, std::int64_t>(from, count, to);
    case Number::uint64: return to_doubles<swapped, std::uint64_t>(from, count, to);
    case Number::float32: return to_doubles<swapped, float>(from, count, to);
    case Number::float64: return to_doubles<swapped, double>(from, count, to);
  }
}

/// Goes through a message step by step; false where it ends too early.
template <bool swapped>
class CdrReader {
 public:
  CdrReader(std::span<const std::byte> payload, std::int64_t start_ns, double* row,
            std::vector<std::uint32_t>* lengths)
      : payload_(payload), start_ns_(start_ns), row_(row), lengths_(lengths) {}

  bool run(const Step* step, const Step* end) {
    for (; step != end; ++step) {
      if (!take(*step)) return false;
      if (step->kind == Step::Kind::repeat) step += step->body;
    }
    return true;
  }

  std::size_t left() const { return payload_.size() - at_; }
  bool other_length() const { return other_length_; }

 private:
  bool take(const Step& step) {
    switch (step.kind) {
      case Step::Kind::numbers: return numbers(step);
      case Step::Kind::sequence: return sequence(step);
      case Step::Kind::text: return text(1);
      case Step::Kind::wide_text: return text(4);
      case Step::Kind::time: return time(step, start_ns_);
      case Step::Kind::duration: return time(step, 0);
      case Step::Kind::repeat: return repeat(step);
    }
    return false;
  }

  /// XCDR1: a number stands at a multiple of its size, counted from behind the encapsulation. Where it is, or
  /// nothing where the message has fewer bytes.
  const std::byte* skip(std::size_t size, std::size_t count) {
    const std::size_t aligned = (at_ + size - 1) & ~(size - 1);
    if (aligned > payload_.size() || (payload_.size() - aligned) / size < count) return nullptr;
    at_ = aligned + size * count;
    return payload_.data() + aligned;
  }

  bool length(std::uint32_t& value) {
    const std::byte* from = skip(4, 1);
    if (from) value = load<swapped, std::uint32_t>(from);
    return from != nullptr;
  }

  bool numbers(const Step& step) {
    const std::byte* from = skip(size_of(step.number), step.count);
    if (from && step.kept) keep(step.number, from, step.count, row_ + step.column);
    return from != nullptr;
  }

  bool sequence(const Step& step) {
    std::uint32_t count = 0;
    if (!length(count)) return false;
    const std::byte* from = payload_.data();
    if (count > 0) from = skip(size_of(step.number), count);  // an empty one has no alignment either
    if (!from || !step.kept) return from != nullptr;
    if (lengths_) lengths_->push_back(count);
    if (!row_) return true;
    const std::uint32_t kept = std::min(count, step.count);
    keep(step.number, from, kept, row_ + step.column);
    std::fill(row_ + step.column + kept, row_ + step.column + step.count, nan);
    if (count != step.count) other_length_ = true;
    return true;
  }

  void keep(Number number, const std::byte* from, std::size_t count, double* to) const {
    if (!row_) return;
    if (!swapped && number == Number::float64) {
      if (count > 0) std::memcpy(to, from, count * sizeof(double));
    } else {
      to_doubles<swapped>(number, from, count, to);
    }
  }

  bool text(std::size_t size) {
    std::uint32_t count = 0;
    return length(count) && (count == 0 || skip(size, count));
  }

  bool time(const Step& step, std::int64_t zero_ns) {
    const std::byte* from = skip(4, 2);
    if (!from || !row_) return from != nullptr;
    // In whole nanoseconds: a double of seconds since 1970 has steps of 0.2 us.
    const std::int64_t ns =
        load<swapped, std::int32_t>(from) * second_ns + load<swapped, std::uint32_t>(from + 4);
    row_[step.column] = seconds(ns, zero_ns);
    return true;
  }

  bool repeat(const Step& step) {
    std::uint32_t count = step.count;
    if (count == 0 && !length(count)) return false;
    for (std::uint32_t k = 0; k < count; ++k)  // each takes a byte at least, so this ends
      if (!run(&step + 1, &step + 1 + step.body)) return false;
    return true;
  }

  std::span<const std::byte> payload_;
  std::int64_t start_ns_;
  double* row_;                          // none: only the way through is of interest
  std::vector<std::uint32_t>* lengths_;  // none: not asked for
  std::size_t at_ = 0;
  bool other_length_ = false;
};

template <bool swapped>
Decoded walk(const Layout& layout, CdrReader<swapped> reader) {
  const Step* const steps = layout.steps.data();
  if (!reader.run(steps, steps + layout.steps.size())) return Decoded::unreadable;
  if (reader.left() > most_padding) return Decoded::unreadable;  // another definition wrote it
  return reader.other_length() ? Decoded::other_length : Decoded::whole;
}

Decoded walk(const Layout& layout, std::span<const std::byte> message, std::int64_t start_ns, double* row,
             std::vector<std::uint32_t>* lengths) {
  if (message.size() < encapsulation || message[0] != std::byte{0}) return Decoded::unreadable;
  const std::span<const std::byte> payload = message.subspan(encapsulation);
  if (message[1] == std::byte{1}) return walk(layout, CdrReader<false>(payload, start_ns, row, lengths));
  if (message[1] == std::byte{0}) return walk(layout, CdrReader<true>(payload, start_ns, row, lengths));
  return Decoded::unreadable;  // parameter lists and XCDR2, which ROS does not write
}

}  // namespace

std::size_t size_of(Number number) {
  constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return sizes[static_cast<std::size_t>(number)];
}

double seconds(std::int64_t ns, std::int64_t zero_ns) {
  // Times of a damaged file may be anything: their difference wraps around instead of being undefined.
  const auto difference = static_cast<std::uint64_t>(ns) - static_cast<std::uint64_t>(zero_ns);
  return static_cast<double>(static_cast<std::int64_t>(difference)) / static_cast<double>(second_ns);
}

std::vector<std::uint32_t> sequence_lengths(const Layout& layout, std::span<const std::byte> message) {
  std::vector<std::uint32_t> lengths;
  if (walk(layout, message, 0, nullptr, &lengths) == Decoded::unreadable) lengths.clear();
  return lengths;
}

Decoded decode(const Layout& layout, std::span<const std::byte> message, std::int64_t start_ns,
               std::span<double> row) {
  return walk(layout, message, start_ns, row.data(), nullptr);
}

}  // namespace fathom::log::internal
