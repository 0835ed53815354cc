#include <algorithm>
#include <cmath>

#include <fmt/args.h>
#include <fmt/format.h>

#include "fathom/report/internal/number_text.hpp"
#include "fathom/report/page.hpp"

namespace fathom::report {
namespace {

/// Characters, not bytes: UTF-8 continuation bytes take no room.
std::size_t shown_length(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// Lines of at most that width. Blanks at the beginning stay, and indent the lines that follow.
std::vector<std::string> lines_of(const std::string& text, std::size_t width) {
  const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
  std::vector<std::string> lines = {text.substr(0, indent)};
  bool is_begun = false;
  for (std::size_t start = indent; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    if (is_begun && shown_length(lines.back()) + 1 + shown_length(word) > width) {
      lines.emplace_back(indent, ' ');
      is_begun = false;
    }
    if (is_begun) lines.back() += ' ';
    lines.back() += word;
    is_begun = true;
    start = end + 1;
  }
  return lines;
}

std::string table_text(const Table& table, std::size_t width) {
  std::vector<std::vector<std::string>> rows(table.rows.size() + 1);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const TableColumn& column = table.columns[c];
    if (!appears(column.where, Where::terminal)) continue;
    rows[0].push_back(column.label);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const bool repeats = column.once && r > 0 && table.rows[r][c] == table.rows[r - 1][c];
      rows[r + 1].push_back(repeats ? "" : shown(table.rows[r][c], column, Where::terminal));
    }
  }
  const bool has_note = !table.note.empty() && appears(table.note_where, Where::terminal);
  return aligned(rows, width) + (has_note ? wrapped(table.note, width) : "");
}

/// What an item says on a terminal; drawings say nothing there.
struct TextWriter {
  std::size_t width;

  std::string operator()(const Text& text) const {
    std::string out;
    if (appears(text.where, Where::terminal))
      for (const std::string& paragraph : text.paragraphs)
        out += text.verbatim ? paragraph + "\n" : wrapped(paragraph, width);
    return out;
  }
  std::string operator()(const Table& table) const {
    return appears(table.where, Where::terminal) ? table_text(table, width) : "";
  }
  template <class Drawing>
  std::string operator()(const Drawing&) const {
    return "";
  }
};

}  // namespace

TableColumn&& TableColumn::on_page(std::string name, std::string how) && {
  page_label = std::move(name);
  page_format = std::move(how);
  return std::move(*this);
}

TableColumn&& TableColumn::times(double by) && {
  factor = by;
  return std::move(*this);
}

TableColumn&& TableColumn::shown_once() && {
  once = true;
  return std::move(*this);
}

TableColumn percent_column(std::string label, Where where) {
  return TableColumn(std::move(label), "{:.1f} %", where).times(100);
}

std::string shown(const Cell& cell, const TableColumn& column, Where medium) {
  const bool on_page = medium == Where::page;
  if (cell.numbers.empty())
    return on_page && column.label == "unit" ? internal::unit_text(cell.text) : cell.text;
  fmt::dynamic_format_arg_store<fmt::format_context> arguments;
  for (const double number : cell.numbers) {
    if (!std::isfinite(number)) return on_page ? "\u2013" : "-";
    arguments.push_back(column.factor * number);
  }
  std::string text =
      fmt::vformat(on_page && !column.page_format.empty() ? column.page_format : column.format, arguments);
  if (on_page && text.starts_with('-')) text.replace(0, 1, "\u2212");
  return text;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t width) {
  const std::size_t columns = rows.front().size();
  std::vector<std::size_t> widths(columns, 0);
  for (const auto& row : rows)
    for (std::size_t k = 0; k + 1 < columns; ++k) widths[k] = std::max(widths[k], shown_length(row[k]));
  std::size_t before_last = 0;
  for (const std::size_t w : widths) before_last += w ? w + 2 : 0;
  const std::size_t room = width > before_last + 24 ? width - before_last : 24;

  std::string text;
  for (const auto& row : rows) {
    for (std::size_t k = 0; k + 1 < columns; ++k)
      text += row[k] + std::string(widths[k] - shown_length(row[k]) + 2, ' ');
    const auto lines = lines_of(row.back(), room);
    for (std::size_t i = 0; i < lines.size(); ++i)
      text += (i ? "\n" + std::string(before_last, ' ') : "") + lines[i];
    while (!text.empty() && text.back() == ' ') text.pop_back();
    text += '\n';
  }
  return text;
}

std::string wrapped(const std::string& paragraph, std::size_t width) {
  std::string text;
  for (const std::string& line : lines_of(paragraph, width)) text += line + "\n";
  return text;
}

std::string to_text(const Document& document, std::size_t width) {
  std::string text;
  for (const Item& item : document.items)
    if (const std::string part = std::visit(TextWriter{width}, item); !part.empty())
      text += (text.empty() ? "" : "\n") + part;
  return text;
}

}  // namespace fathom::report
