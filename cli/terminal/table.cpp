#include "cli/terminal/table.hpp"

#include <algorithm>

#include <sys/ioctl.h>
#include <unistd.h>

namespace fathom::cli {
namespace {

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40) return size.ws_col;
  return 100;
}

/// Characters, not bytes: UTF-8 continuation bytes take no room.
std::size_t shown_length(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::vector<std::string> wrap(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    if (!lines.back().empty() && shown_length(lines.back()) + 1 + shown_length(word) > width)
      lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
    start = end + 1;
  }
  return lines;
}

}  // namespace

std::string Table::text() const {
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns, 0);
  for (const auto& row : rows_)
    for (std::size_t k = 0; k + 1 < columns; ++k) widths[k] = std::max(widths[k], shown_length(row[k]));
  std::size_t before_last = 0;
  for (const std::size_t width : widths) before_last += width ? width + 2 : 0;
  const std::size_t total = terminal_width();
  const std::size_t room = total > before_last + 24 ? total - before_last : 24;

  std::string text;
  for (const auto& row : rows_) {
    for (std::size_t k = 0; k + 1 < columns; ++k)
      text += row[k] + std::string(widths[k] - shown_length(row[k]) + 2, ' ');
    const auto lines = wrap(row.back(), room);
    for (std::size_t i = 0; i < lines.size(); ++i)
      text += (i ? "\n" + std::string(before_last, ' ') : "") + lines[i];
    while (!text.empty() && text.back() == ' ') text.pop_back();
    text += '\n';
  }
  return text;
}

std::string wrapped(const std::string& paragraph) {
  std::string text;
  for (const std::string& line : wrap(paragraph, terminal_width())) text += line + "\n";
  return text;
}

}  // namespace fathom::cli
