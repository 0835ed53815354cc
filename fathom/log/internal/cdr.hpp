#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/log/internal/message_definition.hpp"

namespace fathom::log::internal {

enum class Number : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

/// A message as a flat list of steps over its bytes, made once from its definition. Messages of one type have
/// their numbers in the same order, but not at the same places: strings and sequences before them vary.
struct Layout {
  struct Step {
    enum class Kind : std::uint8_t { numbers, sequence, text, wide_text, time, duration, repeat };

    Kind kind = Kind::numbers;
    Number number = Number::uint8;
    bool kept = false;         ///< its numbers are columns, else they are stepped over
    std::uint32_t count = 0;   ///< numbers, or columns of a sequence; times of `repeat`, 0: as the message says
    std::uint32_t column = 0;  ///< of the first number
    std::uint32_t body = 0;    ///< how many steps after this one `repeat` repeats
  };

  std::vector<Step> steps;
  std::vector<std::string> columns;  ///< without receive_time
};

/// More elements than these are no columns but data of another kind: a picture, a point cloud.
inline constexpr std::uint32_t most_of_sequence = 64;
inline constexpr std::uint32_t most_of_array = 1024;
inline constexpr std::size_t most_columns = 4096;

std::size_t size_of(Number number);  ///< bytes; its alignment too

/// From `zero_ns` to `ns`, subtracted before anything is rounded.
double seconds(std::int64_t ns, std::int64_t zero_ns);

/// The layout of `type`. How many columns a sequence of numbers has is decided by `first`, a message with its
/// encapsulation; without one it has none. Throws InputError where a definition is missing, or `first` does not
/// fit it.
Layout layout_of(std::string_view type, const Definitions& definitions, std::span<const std::byte> first = {});

enum class Decoded { whole, other_length, unreadable };

/// Of each sequence of numbers that is kept, in their order: how many numbers `message` has. Empty where it
/// does not fit the layout.
std::vector<std::uint32_t> sequence_lengths(const Layout& layout, std::span<const std::byte> message);

/// The numbers of a message (with its encapsulation of 4 bytes, then XCDR1 in either byte order) into `row`,
/// which has as many places as the layout has columns. Times are in seconds from `start_ns`. Allocates nothing.
/// A row of an unreadable message is not to be used.
Decoded decode(const Layout& layout, std::span<const std::byte> message, std::int64_t start_ns,
               std::span<double> row);

}  // namespace fathom::log::internal
