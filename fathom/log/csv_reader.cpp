#include "fathom/log/csv_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/log/internal/csv_header.hpp"
#include "fathom/log/internal/table_text.hpp"

namespace fathom::log {
namespace {

namespace fs = std::filesystem;
using internal::is_blank;
using internal::LineReader;
using internal::Tokenizer;

constexpr std::string_view example = "t [s],u [m/s],v [m/s]";

/// What follows `key`, with one blank between them left out; nothing if the line does not begin with it.
bool take_value(std::string_view line, std::string_view key, std::string_view& value) {
  if (!line.starts_with(key)) return false;
  value = line.substr(key.size());
  if (value.starts_with(' ')) value.remove_prefix(1);
  return true;
}

bool is_nan_word(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  constexpr std::string_view nan = "nan";
  return std::equal(text.begin(), text.end(), nan.begin(), nan.end(),
                    [](char a, char b) { return (a | 0x20) == b; });
}

std::string plural(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

class CsvChannelReader::Parser {
 public:
  template <class Source>
  Parser(const Source& source, std::string name, std::string stem, const ReadOptions& options)
      : options_(options), lines_(make_lines(source, std::move(name))) {
    info_.name = std::move(stem);
    read_header();
    values_.resize(info_.columns.size());
  }

  bool next() {
    if (!lines_.next()) return end_of_rows();
    std::string_view line = lines_.line();
    while (is_blank(line)) {
      if (blank_line_ == 0) blank_line_ = lines_.number();
      if (!lines_.next()) return end_of_rows();
      line = lines_.line();
    }
    if (blank_line_ != 0)
      fail_at(blank_line_, "is blank, and rows follow", "only the end may have blank lines");
    // Fathom ends every line with a line break; others may leave out the last.
    if (!lines_.terminated() && (!foreign_ || internal::count_fields(line, ',') < info_.columns.size() + 1))
      return truncated(line);
    if (!read_row(line))
      fail(fmt::format("{}, expected {} as in line {}", plural(internal::count_fields(line, ','), "field"),
                       info_.columns.size() + 1, header_line_),
           "t and one value for each column, with points in numbers and commas between them");
    ++rows_;
    return true;
  }

  const ChannelInfo& info() const { return info_; }
  bool foreign() const { return foreign_; }
  double t() const { return t_; }
  std::span<const double> values() const { return values_; }
  int line() const { return lines_.number(); }
  std::size_t dropped_lines() const { return dropped_lines_; }

 private:
  static LineReader make_lines(const fs::path& path, const std::string&) { return LineReader(path); }
  static LineReader make_lines(std::string_view text, std::string name) { return {text, std::move(name)}; }

  [[noreturn]] void fail_at(int line, std::string message, std::string hint) const {
    reject(lines_.name(), line, "", std::move(message), std::move(hint));
  }
  [[noreturn]] void fail(std::string message, std::string hint) const {
    fail_at(lines_.number(), std::move(message), std::move(hint));
  }

  void read_header() {
    while (lines_.next()) {
      std::string_view line = lines_.line();
      if (lines_.number() == 1) line = internal::without_byte_order_mark(line);
      if (is_blank(line)) continue;
      if (line.find('\t') == std::string_view::npos && printable(line) != line)
        fail("is not text: " + in_quotes(line),
             "is it binary, compressed, or not saved as UTF-8? a log is plain text");
      if (!foreign_ && !lines_.terminated())
        fail("ends in the middle of the header", "the run that wrote it was interrupted before its first row");
      if (line.front() != '#') return read_titles(line);
      read_comment(line);
    }
    if (lines_.number() == 0) fail_at(0, "is empty", "a log begins with its header");
    fail_at(0, "has no header line", fmt::format("expected a line such as {}", example));
  }

  void read_comment(std::string_view line) {
    std::string_view value;
    if (lines_.number() == 1 && take_value(line, internal::log_marker, value)) {
      if (trimmed(value) != "1")
        fail(fmt::format("is log format {}, expected 1", in_quotes(value)), "a newer Fathom may read it");
      foreign_ = false;
      return;
    }
    if (foreign_) return;  // someone else's comment
    const auto take_once = [&](bool& seen, std::string_view key, std::string& target) {
      if (std::exchange(seen, true)) fail(fmt::format("{} is given twice", key), "remove one of them");
      target = trimmed(value);
      if (target.empty()) fail(fmt::format("{} is empty", key), "give it, or remove the line");
    };
    if (take_value(line, "# channel:", value)) take_once(has_channel_, "channel", info_.name);
    if (take_value(line, "# frame:", value)) take_once(has_frame_, "frame", info_.frame);
    if (take_value(line, "# about:", value)) {
      if (std::exchange(has_about_, true)) info_.about += '\n';
      info_.about += value;
    }
  }

  void read_titles(std::string_view line) {
    header_line_ = lines_.number();
    reject_other_separators(line);
    bool has_t = false;
    std::vector<std::string_view> names_of_time;
    Tokenizer fields(line, ',');
    for (std::size_t k = 0; !fields.done(); ++k) {
      std::string_view field = trimmed(fields.next());
      if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
        field = field.substr(1, field.size() - 2);
      if (is_blank(field)) fail(fmt::format("column {} has no name", k + 1), "is there a comma too many?");
      if (field.find('"') != std::string_view::npos)
        fail(fmt::format("column {} is {}", k + 1, in_quotes(field)), "names have no quotes and no commas");
      Column column;
      try {
        column = internal::parse_column(field);
      } catch (const InputError& error) {
        fail(error.findings().front().message, error.findings().front().hint);
      }
      if (column.name == "t") {
        if (std::exchange(has_t, true)) fail("two columns are called 't'", "there is one clock");
        if (!column.unit.empty() && column.unit != "s")
          fail(fmt::format("t has the unit {}, expected s", in_quotes(column.unit)), "convert it to seconds");
        t_field_ = k;
      } else {
        const auto same = [&](const Column& other) { return other.name == column.name; };
        if (std::any_of(info_.columns.begin(), info_.columns.end(), same))
          fail(fmt::format("two columns are called {}", in_quotes(column.name)),
               "each needs a name of its own; brackets hold the unit");
        info_.columns.push_back(std::move(column));
      }
    }
    if (!has_t) {
      const Column& first = info_.columns.front();
      double number = 0;
      if (internal::parse_number(first.name, number) != std::errc::invalid_argument)
        fail(fmt::format("begins with the number {}, expected a header", in_quotes(first.name)),
             fmt::format("name the columns in the first line, such as {}", example));
      std::string hint = fmt::format("expected a header such as {}", example);
      for (const Column& column : info_.columns) {
        constexpr std::array<std::string_view, 6> usual = {"time", "timestamp", "stamp",
                                                           "secs", "seconds",   "T"};
        if (std::find(usual.begin(), usual.end(), column.name) != usual.end())
          hint = fmt::format("if {} is the clock in seconds, call it t", in_quotes(column.name));
      }
      fail("has no column t", hint);
    }
    if (info_.columns.empty())
      fail("has no column beside t", fmt::format("expected a header such as {}", example));
  }

  void reject_other_separators(std::string_view line) const {
    if (line.find(',') != std::string_view::npos) return;
    if (line.find(';') != std::string_view::npos)
      fail("the columns are separated by semicolons", "expected commas, and points in numbers; export it so");
    if (line.find('\t') != std::string_view::npos)
      fail("the columns are separated by tabs", "expected commas; export it so");
  }

  bool read_row(std::string_view line) {
    const std::size_t width = info_.columns.size() + 1;
    double t = 0, *out = values_.data();
    Tokenizer fields(line, ',');
    for (std::size_t k = 0; k < width; ++k) {
      double& value = k == t_field_ ? t : *out++;
      if (fields.done()) return false;
      if (fields.next_number(value)) continue;
      if (internal::count_fields(line, ',') != width) return false;
      value = read_odd_field(fields.next(), k);
    }
    if (!fields.done()) return false;
    if (t < t_ && !options_.allow_clock_steps)
      fail(fmt::format("t = {} s, after t = {} s: the clock steps back", t, t_),
           "are there two runs in the file, or was the clock set anew?");
    t_ = t;
    return true;
  }

  /// A field that is not simply a number: empty, with blanks or a plus sign, NaN in words, or wrong.
  double read_odd_field(std::string_view field, std::size_t k) const {
    const std::string_view text = trimmed(field);
    if (text.empty() || is_nan_word(text)) {
      if (k == t_field_) fail("t is missing", "every row needs its time");
      return nan;
    }
    double value = 0;
    const std::errc error = internal::parse_number(text, value);
    if (error == std::errc::invalid_argument) {
      std::string hint = "numbers look like 12.5 or 1e-3";
      if (text.find(';') != std::string_view::npos) hint = "columns are separated by commas";
      if (text.front() == '#') hint = "comments belong above the header";
      if (text.front() == '"') hint = "numbers have no quotes";
      fail(fmt::format("{} = {}, expected a number", title(k), in_quotes(text)), hint);
    }
    if (error == std::errc::result_out_of_range || !std::isfinite(value))
      fail(fmt::format("{} = {}, expected a finite number", title(k), in_quotes(text)),
           error == std::errc::result_out_of_range ? "it is outside the range of a double"
                                                   : "leave the field empty where nothing was measured");
    return value;
  }

  std::string title(std::size_t field) const {
    if (field == t_field_) return "t";
    const std::size_t k = field < t_field_ ? field : field - 1;
    return k < info_.columns.size() ? info_.columns[k].name : fmt::format("field {}", field + 1);
  }

  bool end_of_rows() {
    if (rows_ == 0 && !options_.allow_empty)
      fail_at(0, "has a header but no rows", "nothing was logged; allow_empty takes it as it is");
    return false;
  }

  bool truncated(std::string_view line) {
    if (options_.drop_truncated_line) {
      ++dropped_lines_;
      return end_of_rows();
    }
    fail(fmt::format("ends in the middle of a line: {} of {}",
                     plural(internal::count_fields(line, ','), "field"), info_.columns.size() + 1),
         "the run that wrote it was interrupted; delete that line to read what is before");
  }

  ReadOptions options_;
  LineReader lines_;
  ChannelInfo info_;
  bool foreign_ = true, has_channel_ = false, has_frame_ = false, has_about_ = false;
  std::size_t t_field_ = 0;
  int header_line_ = 0, blank_line_ = 0;
  std::vector<double> values_;
  double t_ = -infinity;
  std::size_t rows_ = 0, dropped_lines_ = 0;
};

CsvChannelReader::CsvChannelReader(const fs::path& path, const ReadOptions& options)
    : parser_(std::make_unique<Parser>(path, path.string(), path.stem().string(), options)) {}

CsvChannelReader::CsvChannelReader(std::string_view text, const std::string& name, const ReadOptions& options)
    : parser_(std::make_unique<Parser>(text, name, fs::path(name).stem().string(), options)) {}

CsvChannelReader::CsvChannelReader(CsvChannelReader&&) noexcept = default;
CsvChannelReader& CsvChannelReader::operator=(CsvChannelReader&&) noexcept = default;
CsvChannelReader::~CsvChannelReader() = default;

const ChannelInfo& CsvChannelReader::info() const { return parser_->info(); }
bool CsvChannelReader::foreign() const { return parser_->foreign(); }
bool CsvChannelReader::next() { return parser_->next(); }
double CsvChannelReader::t() const { return parser_->t(); }
std::span<const double> CsvChannelReader::values() const { return parser_->values(); }
int CsvChannelReader::line() const { return parser_->line(); }
std::size_t CsvChannelReader::dropped_lines() const { return parser_->dropped_lines(); }

}  // namespace fathom::log
