#pragma once
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/log/csv_table.hpp"

namespace fathom::log::internal {

/// The lines of a text file or of a text in memory, one after the other, in constant memory. A line break is
/// \n or \r\n. Throws InputError if the file cannot be read or a line is longer than `longest`.
class LineReader {
 public:
  static constexpr std::size_t longest = 1 << 20;

  explicit LineReader(const std::filesystem::path& path, std::size_t buffer_size = longest);
  /// `text` must live as long as the reader; `name` is used in messages.
  LineReader(std::string_view text, std::string name);
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  ~LineReader();

  bool next();                                     ///< false at the end
  std::string_view line() const { return line_; }  ///< without its line break; valid until next()
  bool terminated() const { return terminated_; }  ///< the line ends in a line break
  int number() const { return number_; }           ///< of the line, from 1
  const std::string& name() const { return name_; }

 private:
  void refill();
  [[noreturn]] void fail(std::string message, std::string hint) const;

  std::string name_;
  int fd_ = -1;
  std::vector<char> buffer_;
  const char *begin_ = nullptr, *end_ = nullptr;  // what was read and not yet given
  bool at_end_ = false;                           // nothing more comes after end_
  std::string_view line_;
  bool terminated_ = false;
  int number_ = 0;
};

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
