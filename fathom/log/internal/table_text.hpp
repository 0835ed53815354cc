#pragma once
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "fathom/log/csv_table.hpp"

namespace fathom::log::internal {

/// What a separator inside quotes becomes, so that a line can be cut without heeding quotes.
inline constexpr char hidden_separator = '\x1f';

inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool is_blank(std::string_view line);
std::string_view without_byte_order_mark(std::string_view text);
std::size_t count_fields(std::string_view line, char separator);

/// Cuts a line into its fields, which may be empty: a line has one field more than separators.
class Tokenizer {
 public:
  Tokenizer(std::string_view line, char separator)
      : at_(line.data()), end_(line.data() + line.size()), separator_(separator) {}

  /// Returns true once all fields were taken; there is no next one then.
  bool done() const { return done_; }
  std::size_t left() const {
    return done_ ? 0 : count_fields({at_, static_cast<std::size_t>(end_ - at_)}, separator_);
  }
  std::string_view next() {
    const char* const first = at_;
    // An empty line may be null, which memchr does not take.
    const void* const found =
        at_ == end_ ? nullptr : std::memchr(at_, separator_, static_cast<std::size_t>(end_ - at_));
    const char* const stop = found ? static_cast<const char*>(found) : end_;
    finish(stop);
    return {first, static_cast<std::size_t>(stop - first)};
  }
  /// Takes the next field where it is a finite number and nothing else, without blanks or a plus sign: the
  /// usual case, and the fast one.
  bool next_number(double& value) {
    if (at_ == end_ || !((*at_ >= '0' && *at_ <= '9') || *at_ == '-')) return false;
    const auto [stop, error] = std::from_chars(at_, end_, value);
    if (error != std::errc() || !std::isfinite(value) || (stop != end_ && *stop != separator_)) return false;
    finish(stop);
    return true;
  }

 private:
  void finish(const char* stop) {
    done_ = stop == end_;
    at_ = done_ ? stop : stop + 1;
  }

  const char *at_, *end_;
  char separator_;
  bool done_ = false;
};

/// Parses a text that is a number as a whole; a plus sign in front is taken. Returns what std::from_chars does,
/// and std::errc::invalid_argument where something follows the number.
std::errc parse_number(std::string_view text, double& value);

/// The line without quotes, with one blank between columns that blanks separate, and with points for decimal
/// commas. False where a quote is left open.
bool rewrite(std::string_view line, const TableOptions& options, std::string& out);

/// Of a field without a number: missing (NaN), true or false. Nothing for any other word.
std::optional<double> value_of_word(std::string_view text);

bool looks_like_decimal_comma(std::string_view text);

}  // namespace fathom::log::internal
