#include "fathom/log/internal/table_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/regular_file.hpp"
#include "fathom/base/text.hpp"

namespace fathom::log::internal {

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; }

std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
}

std::size_t count_fields(std::string_view line, char separator) {
  return 1 + static_cast<std::size_t>(std::count(line.begin(), line.end(), separator));
}

std::errc parse_number(std::string_view text, double& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);  // std::from_chars takes none
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return stop == end ? error : std::errc::invalid_argument;
}

bool rewrite(std::string_view line, const TableOptions& options, std::string& out) {
  const bool blanks = options.separator == ' ';
  if (blanks) line = trimmed(line);
  out.clear();
  bool quoted = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    const bool is_separator = c == options.separator || (blanks && c == '\t');
    if (c == '"') {
      if (quoted && k + 1 < line.size() && line[k + 1] == '"')
        out += line[++k];  // two stand for one
      else
        quoted = !quoted;
    } else if (is_separator && quoted) {
      out += hidden_separator;
    } else if (is_separator && blanks) {
      if (!out.ends_with(' ')) out += ' ';
    } else {
      out += c == ',' && options.decimal == ',' ? '.' : c;
    }
  }
  return !quoted;
}

std::optional<double> value_of_word(std::string_view text) {
  if (text.empty()) return nan;
  if (text.size() > 5) return std::nullopt;
  std::string word(text);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  for (const std::string_view missing : {"nan", "-nan", "+nan", "na", "n/a", "null", "none"})
    if (word == missing) return nan;
  if (word == "true") return 1;
  if (word == "false") return 0;
  return std::nullopt;
}

bool looks_like_decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  return comma != std::string_view::npos && comma + 1 < text.size() &&
         text.find_first_not_of("+-0123456789,.eE") == std::string_view::npos;
}

namespace fs = std::filesystem;

LineReader::LineReader(const fs::path& path, std::size_t buffer_size) : name_(path.string()) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    fs::path part = path;
    part += ".part";
    if (fs::exists(part, error))
      fail("does not exist",
           "the run that wrote it did not end; what it wrote is in " + part.filename().string());
    fail("does not exist", "check the path; it is relative to the current folder");
  }
  if (fs::is_directory(status)) fail("is a folder, expected a file", "read_dataset reads a folder of channels");
  fd_ = open_regular_file(path);
  buffer_.resize(buffer_size);
  begin_ = end_ = buffer_.data();
}

LineReader::LineReader(std::string_view text, std::string name)
    : name_(std::move(name)), begin_(text.data()), end_(text.data() + text.size()), at_end_(true) {}

LineReader::~LineReader() {
  if (fd_ >= 0) ::close(fd_);
}

void LineReader::fail(std::string message, std::string hint) const {
  reject(name_, number_, "", std::move(message), std::move(hint));
}

/// Moves what is left to the front of the buffer and reads more behind it.
void LineReader::refill() {
  const auto left = static_cast<std::size_t>(end_ - begin_);
  if (left > 0) std::memmove(buffer_.data(), begin_, left);
  begin_ = buffer_.data();
  ssize_t count = -1;
  do {
    count = ::read(fd_, buffer_.data() + left, buffer_.size() - left);
  } while (count < 0 && errno == EINTR);
  if (count < 0) {
    number_ = 0;
    fail(std::string("cannot be read: ") + std::strerror(errno), "is the disk healthy?");
  }
  end_ = begin_ + left + static_cast<std::size_t>(count);
  at_end_ = count == 0;
}

bool LineReader::next() {
  if (number_ < std::numeric_limits<int>::max()) ++number_;
  std::size_t searched = 0;
  for (;;) {
    const auto left = static_cast<std::size_t>(end_ - begin_);
    const void* found = left > searched ? std::memchr(begin_ + searched, '\n', left - searched) : nullptr;
    const char* line_end = found ? static_cast<const char*>(found) : end_;
    const std::size_t limit = fd_ >= 0 ? buffer_.size() : longest;
    if (static_cast<std::size_t>(line_end - begin_) >= limit)
      fail(fmt::format("the line is longer than {} bytes", limit - 1), "is this a log? a row has one line");
    if (!found && !at_end_) {
      searched = left;
      refill();
      continue;
    }
    if (!found && left == 0) {
      --number_;
      line_ = {};
      return false;
    }
    line_ = {begin_, static_cast<std::size_t>(line_end - begin_)};
    begin_ = found ? line_end + 1 : end_;
    terminated_ = found != nullptr;
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    return true;
  }
}

}  // namespace fathom::log::internal
