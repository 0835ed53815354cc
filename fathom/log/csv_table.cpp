#include "fathom/log/csv_table.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/log/internal/stamp.hpp"
#include "fathom/log/internal/table_text.hpp"

namespace fathom::log {

namespace fs = std::filesystem;
using internal::Tokenizer;

class CsvTable::Parser {
 public:
  Parser(const fs::path& path, const TableOptions& options) : options_(options), lines_(path) { begin(); }
  Parser(std::string_view text, const std::string& name, const TableOptions& options)
      : options_(options), lines_(text, name) {
    begin();
  }

  std::size_t find(std::string_view title) const {
    if (!options_.header)
      reject("", fmt::format("{} is a name, and {} has none", in_quotes(title), lines_.name()),
             "with header: false columns go by their number, from 1");
    const auto found = places_.find(title);
    if (found != places_.end() && found->second.second == 1) return found->second.first;
    if (found != places_.end()) {
      std::string numbers;
      for (std::size_t k = 0; k < width_ && numbers.size() < 60; ++k)
        if (titles_[k] == title) numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", k + 1);
      reject("", fmt::format("{} names columns {} of {}", in_quotes(title), numbers, lines_.name()),
             "pick one of them by its number");
    }
    const std::string message = fmt::format("{} is no column of {}", in_quotes(title), lines_.name());
    if (width_ == 1)
      for (const auto& [sign, word] :
           {std::pair(';', "\";\""), std::pair('\t', "tab"), std::pair(' ', "blank")})
        if (titles_[0].find(sign) != std::string::npos)
          reject("", message, fmt::format("its header is one column; did you forget separator: {}?", word));
    constexpr std::size_t most_candidates = 4096;  // of a file with a million columns
    const std::vector<std::string_view> candidates(
        titles_.begin(), titles_.begin() + static_cast<std::ptrdiff_t>(std::min(width_, most_candidates)));
    const std::string nearest = nearest_word(title.substr(0, 256), candidates);
    reject("", message,
           (nearest.empty() ? "" : fmt::format("did you mean {}? ", nearest)) + "it has " + listed());
  }

  std::size_t find(int number) const {
    if (number >= 1 && static_cast<std::size_t>(number) <= width_) return static_cast<std::size_t>(number - 1);
    reject("",
           fmt::format("= {}, and {} has {} column{}", number, lines_.name(), width_, width_ == 1 ? "" : "s"),
           "numbers of columns begin at 1; is the separator right?");
  }

  void pick(std::span<const std::size_t> columns, std::span<const StampColumn> stamps) {
    slots_.clear();
    for (std::size_t k = 0; k < columns.size(); ++k) slots_.push_back({columns[k], k, std::nullopt});
    for (const StampColumn& stamp : stamps)
      slots_.push_back({stamp.column, 0, internal::StampForm{stamp.date, stamp.power}});
    std::stable_sort(slots_.begin(), slots_.end(),
                     [](const Slot& a, const Slot& b) { return a.column < b.column; });
    values_.resize(columns.size());
  }

  bool next() {
    while (std::exchange(pending_, false) || next_line()) {
      if (!options_.drop_bad_lines) {
        read_row(text_);
        return true;
      }
      try {
        read_row(text_);
        return true;
      } catch (const InputError&) {
        ++dropped_lines_;
      }
    }
    return false;
  }

  std::size_t width_ = 0;
  std::vector<std::string> titles_;
  std::vector<double> values_;
  std::int64_t stamp_ns_ = 0;
  std::size_t dropped_lines_ = 0, bytes_ = 0;
  int line() const { return lines_.number(); }

 private:
  /// A field that is read: as a value, or as a time where `stamp` is one of the stamps.
  struct Slot {
    std::size_t column;
    std::size_t value;
    std::optional<internal::StampForm> stamp;
  };

  [[noreturn]] void fail(std::string message, std::string hint) const {
    reject(lines_.name(), lines_.number(), "", std::move(message), std::move(hint));
  }

  void check_options() const {
    if (options_.decimal != '.' && options_.decimal != ',')
      reject("decimal", fmt::format("= {}, expected . or ,", in_quotes(std::string(1, options_.decimal))));
    if (options_.decimal == options_.separator)
      reject("decimal", "and separator are the same", "columns with decimal commas have another separator");
    if (std::string_view("0123456789.+-eE\"\r\n").find(options_.separator) != std::string_view::npos)
      reject("separator", "is a part of numbers, a quote or a line end", R"(expected ",", ";", tab or blank)");
  }

  void begin() {
    check_options();
    for (int k = 0; k < options_.skip; ++k)
      if (!lines_.next()) fail(fmt::format("has fewer than the {} lines to skip", options_.skip), "mend skip");
    if (!next_line())
      fail("has no rows",
           options_.header || !options_.described ? "is it empty?" : "header: false, and nothing follows");
    if (options_.header) return read_titles(text_);
    width_ = internal::count_fields(text_, options_.separator);
    pending_ = true;
  }

  void read_titles(std::string_view line) {
    std::string shown(line);
    std::replace(shown.begin(), shown.end(), internal::hidden_separator, ' ');
    if (line.find('\t') == std::string_view::npos && line.find('\r') == std::string_view::npos &&
        printable(shown) != shown)
      fail("is not text: " + in_quotes(shown), "is it binary, compressed, or not saved as UTF-8?");
    if (line.find('\r') != std::string_view::npos)
      fail("lines end in a carriage return alone", "save it with line ends of Unix or Windows");
    width_ = internal::count_fields(line, options_.separator);
    titles_.reserve(width_);
    for (Tokenizer fields(line, options_.separator); !fields.done();) {
      std::string name(trimmed(fields.next()));
      std::replace(name.begin(), name.end(), internal::hidden_separator, options_.separator);
      titles_.push_back(std::move(name));
    }
    for (std::size_t k = 0; k < width_; ++k) {
      const auto [place, is_new] = places_.try_emplace(titles_[k], k, 1);
      if (!is_new) ++place->second.second;
    }
  }

  /// The next line that is not blank and no comment, without quotes and with points in numbers.
  bool next_line() {
    while (lines_.next()) {
      std::string_view line = lines_.line();
      bytes_ += line.size() + 1;
      if (lines_.number() == 1) line = internal::without_byte_order_mark(line);
      if (internal::is_blank(line)) continue;
      if (!options_.comment.empty() && line.starts_with(options_.comment)) continue;
      text_ = plain(line);
      return true;
    }
    return false;
  }

  std::string_view plain(std::string_view line) {
    const bool quoted = line.find('"') != std::string_view::npos;
    if (!quoted && options_.separator != ' ' && options_.decimal == '.') return line;
    if (!internal::rewrite(line, options_, scratch_))
      fail("a quote is left open", "a field and its quotes stand on one line");
    return scratch_;
  }

  std::string title(std::size_t column) const {
    return column < titles_.size() ? printable(titles_[column].substr(0, 80))
                                   : fmt::format("column {}", column + 1);
  }

  /// The first names, for people.
  std::string listed() const {
    constexpr std::size_t most = 30;
    std::string text;
    for (std::size_t k = 0; k < std::min(width_, most); ++k)
      text += fmt::format("{}{}", k == 0 ? "" : ", ", printable(titles_[k].substr(0, 80)));
    return width_ > most ? fmt::format("{} ... of {}", text, width_) : text;
  }

  void read_row(std::string_view line) {
    Tokenizer fields(line, options_.separator);
    stamp_ns_ = 0;
    std::size_t at = 0;  // column of the next field
    for (std::size_t k = 0; k < slots_.size(); ++k) {
      const Slot& slot = slots_[k];
      for (; at < slot.column && !fields.done(); ++at) fields.next();
      if (fields.done()) reject_length(line);
      Tokenizer after = fields;
      if (slot.stamp)
        read_stamp(after.next(), slot);
      else if (double& value = values_[slot.value]; !after.next_number(value))
        value = read_odd_field(after.next(), slot.column);
      if (k + 1 < slots_.size() && slots_[k + 1].column == at) continue;  // the same field, otherwise read
      fields = after;
      ++at;
    }
    if (at + fields.left() != width_) reject_length(line);
  }

  void read_stamp(std::string_view field, const Slot& slot) {
    const std::string_view text = trimmed(field);
    const auto ns = internal::parse_stamp(text, *slot.stamp);
    if (!ns || __builtin_add_overflow(stamp_ns_, *ns, &stamp_ns_))
      fail(fmt::format("{} = {}, expected {}", title(slot.column), in_quotes(text),
                       slot.stamp->date ? "a date such as 2022-12-01T15:40:08.877Z" : "a time as a number"),
           text.empty() ? "every row needs its time; " + remedy_of_bad_lines()
                        : "is it the right column, and the right unit of the clock?");
  }

  /// A field that is not simply a number: missing, true or false, with blanks or a plus sign, or wrong.
  double read_odd_field(std::string_view field, std::size_t column) const {
    const std::string_view text = trimmed(field);
    if (const auto value = internal::value_of_word(text)) return *value;
    double value = 0;
    const std::errc error = internal::parse_number(text, value);
    if (error == std::errc::invalid_argument) reject_field(text, column);
    if (error == std::errc::result_out_of_range)
      fail(fmt::format("{} = {}, expected a finite number", title(column), in_quotes(text)),
           "it is outside the range of a double");
    return value;  // infinite where the file says so: the one who asked decides
  }

  [[noreturn]] void reject_field(std::string_view text, std::size_t column) const {
    std::string shown(text);
    std::replace(shown.begin(), shown.end(), internal::hidden_separator, options_.separator);
    std::string hint = "numbers look like 12.5 or 1e-3; " + remedy_of_bad_lines();
    if (internal::looks_like_decimal_comma(shown))
      hint = options_.separator == ',' ? "a decimal comma? export it with points, or with another separator"
             : options_.described      ? R"(a decimal comma? decimal: "," takes them)"
                                       : "a decimal comma? export it with points";
    else if (shown.find(';') != std::string::npos || shown.find('\t') != std::string::npos)
      hint = "another separator than in the first line?";
    else if (shown.find('\r') != std::string::npos)
      hint = "a carriage return alone does not end a line; save it with line ends of Unix or Windows";
    else if (line() <= 2)
      hint = "is this line a header, or one of units? " +
             (options_.described ? "skip leaves lines out" : remedy_of_bad_lines());
    fail(fmt::format("{} = {}, expected a number", title(column), in_quotes(shown)), hint);
  }

  [[noreturn]] void reject_length(std::string_view line) const {
    const std::size_t count = internal::count_fields(line, options_.separator);
    std::string hint = remedy_of_bad_lines();
    if (!lines_.terminated())
      hint = "the file ends in the middle of a line; " + hint;
    else if (options_.separator == ',' && count > width_)
      hint = "decimal commas, or text without quotes? " + hint;
    fail(fmt::format("{} field{}, expected {}", count, count == 1 ? "" : "s", width_), hint);
  }

  std::string remedy_of_bad_lines() const {
    return options_.described ? "drop_bad_lines: true counts such lines and leaves them out"
                              : "leave the line out";
  }

  TableOptions options_;
  internal::LineReader lines_;
  std::unordered_map<std::string_view, std::pair<std::size_t, std::size_t>> places_;  // first, and how many
  std::vector<Slot> slots_;                                                           // in order of columns
  std::string scratch_;
  std::string_view text_;  // the line as read_row takes it
  bool pending_ = false;   // text_ is the first row, read to count its fields
};

CsvTable::CsvTable(const fs::path& path, const TableOptions& options)
    : parser_(std::make_unique<Parser>(path, options)) {}
CsvTable::CsvTable(std::string_view text, const std::string& name, const TableOptions& options)
    : parser_(std::make_unique<Parser>(text, name, options)) {}
CsvTable::CsvTable(CsvTable&&) noexcept = default;
CsvTable& CsvTable::operator=(CsvTable&&) noexcept = default;
CsvTable::~CsvTable() = default;

std::size_t CsvTable::width() const { return parser_->width_; }
const std::vector<std::string>& CsvTable::titles() const { return parser_->titles_; }
std::size_t CsvTable::find(std::string_view title) const { return parser_->find(title); }
std::size_t CsvTable::find(int number) const { return parser_->find(number); }
void CsvTable::pick(std::span<const std::size_t> columns, std::span<const StampColumn> stamps) {
  parser_->pick(columns, stamps);
}
bool CsvTable::next() { return parser_->next(); }
std::span<const double> CsvTable::values() const { return parser_->values_; }
std::int64_t CsvTable::stamp_ns() const { return parser_->stamp_ns_; }
int CsvTable::line() const { return parser_->line(); }
std::size_t CsvTable::dropped_lines() const { return parser_->dropped_lines_; }
std::size_t CsvTable::bytes_read() const { return parser_->bytes_; }

}  // namespace fathom::log
