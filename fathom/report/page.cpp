#include "fathom/report/page.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "fathom/report/internal/bars.hpp"
#include "fathom/report/internal/boxes.hpp"
#include "fathom/report/internal/bundle.hpp"
#include "fathom/report/internal/escape.hpp"
#include "fathom/report/internal/page_check.hpp"
#include "fathom/report/internal/page_data.hpp"

namespace fathom::report {
namespace {

using internal::escape_html;

void append(std::string& html, std::span<const std::string_view> parts) {
  for (const std::string_view part : parts) html += part;
}

std::string heading(const std::string& title) {
  return title.empty() ? "" : fmt::format("<h2>{}</h2>", escape_html(title));
}

/// Whether a cell reads as a number, perhaps with sign and unit: then its column stands to the right.
bool is_number(const std::string& cell) {
  constexpr std::string_view minus = "\u2212", plus_minus = "\u00b1";
  std::string_view rest = cell;
  for (const std::string_view sign : {std::string_view("+"), std::string_view("-"), minus, plus_minus})
    if (rest.starts_with(sign)) {
      rest.remove_prefix(sign.size());
      break;
    }
  if (rest.starts_with('.')) rest.remove_prefix(1);
  return !rest.empty() && rest.front() >= '0' && rest.front() <= '9';
}

bool is_blank(const std::string& cell) {
  return cell.empty() || cell == "-" || cell == "\u2013" || cell == "\u2014";
}

bool is_number_column(const std::vector<std::string>& cells) {
  return std::any_of(cells.begin(), cells.end(), is_number) &&
         std::all_of(cells.begin(), cells.end(), [](const auto& c) { return is_number(c) || is_blank(c); });
}

std::string with_thousands(std::size_t n) {
  std::string digits = std::to_string(n);
  if (digits.size() > 4)
    for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, "\u202f");
  return digits;
}

/// "shown: 4000 of 360 000 samples (u, v)", one line for each pair of numbers.
std::string thinning_note(const std::vector<internal::Shown>& thinned) {
  std::map<std::pair<std::size_t, std::size_t>, std::string> names;
  for (const internal::Shown& shown : thinned) {
    std::string& list = names[{shown.shown, shown.of}];
    if (!list.empty()) list += ", ";
    list += escape_html(shown.name);
  }
  std::string note;
  for (const auto& [counts, list] : names) {
    if (!note.empty()) note += "<br>";
    note += fmt::format("shown: {} of {} samples ({})", with_thousands(counts.first),
                        with_thousands(counts.second), list);
  }
  return note.empty() ? "" : fmt::format("<p class=\"note thinned\">{}</p>", note);
}

class Writer {
 public:
  Writer(std::string& html, const internal::PageData& data) : html_(html), data_(data) {}

  void write(const Item& item) {
    if (!internal::is_on_page(item)) return;
    // Plots that follow each other stand in one grid.
    const bool is_plot = std::holds_alternative<Plot>(item);
    if (is_plot != in_grid_) html_ += is_plot ? "<div class=\"grid\">\n" : "</div>\n";
    in_grid_ = is_plot;
    std::visit(*this, item);
  }

  void finish() {
    if (in_grid_) html_ += "</div>\n";
    in_grid_ = false;
  }

  void operator()(const Figures& figures) {
    if (figures.figures.empty()) return;
    html_ += "<dl class=\"card figures\">";
    for (const Figure& figure : figures.figures) {
      html_ += fmt::format("<div><dt>{}</dt><dd class=\"value\">{}</dd>", escape_html(figure.label),
                           escape_html(figure.value));
      if (!figure.note.empty()) html_ += fmt::format("<dd class=\"aside\">{}</dd>", escape_html(figure.note));
      html_ += "</div>";
    }
    html_ += "</dl>\n";
  }

  void operator()(const Text& text) {
    html_ += "<section class=\"card text\">" + heading(text.title);
    for (const std::string& paragraph : text.paragraphs) html_ += "<p>" + escape_html(paragraph) + "</p>";
    for (const FileLink& link : text.links)
      html_ +=
          fmt::format("<p><a href=\"{0}\">{0}</a> {1}</p>", escape_html(link.file), escape_html(link.what));
    html_ += "</section>\n";
  }

  void operator()(const Table& table) {
    std::vector<std::vector<std::string>> columns;  // of those that the page has
    std::vector<bool> right;
    html_ += "<section class=\"card table\">" + heading(table.title);
    html_ += "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>";
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const TableColumn& column = table.columns[c];
      if (!appears(column.where, Where::page)) continue;
      auto& cells = columns.emplace_back();
      for (const Row& row : table.rows) cells.push_back(shown(row[c], column, Where::page));
      right.push_back(is_number_column(cells));
      html_ += fmt::format("<th{}>{}</th>", right.back() ? " class=\"number\"" : "",
                           escape_html(column.page_label.empty() ? column.label : column.page_label));
    }
    html_ += "</tr></thead><tbody>";
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      html_ += "<tr>";
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const std::string& cell = columns[c][r];
        const bool is_verdict = cell == "pass" || cell == "fail";
        const std::string kind = is_verdict ? cell : right[c] ? "number" : "";
        html_ += kind.empty() ? "<td>" : fmt::format("<td class=\"{}\">", kind);
        html_ += escape_html(cell) + "</td>";
      }
      html_ += "</tr>";
    }
    html_ += "</tbody></table></div>";
    if (!table.note.empty() && appears(table.note_where, Where::page))
      html_ += fmt::format("<p class=\"note\">{}</p>", escape_html(table.note));
    html_ += "</section>\n";
  }

  void operator()(const Bars& bars) {
    html_ += "<section class=\"card bars\">" + heading(bars.title) + internal::bars_html(bars);
    if (!bars.note.empty()) html_ += fmt::format("<p class=\"note\">{}</p>", escape_html(bars.note));
    html_ += "</section>\n";
  }

  void operator()(const Boxes& boxes) {
    html_ += "<section class=\"card bars\">" + heading(boxes.title) + internal::boxes_html(boxes);
    if (!boxes.note.empty()) html_ += fmt::format("<p class=\"note\">{}</p>", escape_html(boxes.note));
    html_ += "</section>\n";
  }

  void operator()(const Plot& plot) { write_drawn("plot", plot.title); }
  void operator()(const Scene& scene) { write_drawn("scene", scene.title); }

 private:
  /// What the script fills.
  void write_drawn(const char* kind, const std::string& title) {
    html_ += fmt::format("<section class=\"card {}\">{}<div id=\"item-{}\"></div>{}</section>\n", kind,
                         heading(title), drawn_, thinning_note(data_.thinned[drawn_]));
    ++drawn_;
  }

  std::string& html_;
  const internal::PageData& data_;
  bool in_grid_ = false;
  std::size_t drawn_ = 0;
};

}  // namespace

std::string to_html(const Page& page) {
  internal::check(page);
  const internal::PageData data = internal::page_data(page);
  std::string html;
  // The policy forbids every request, and every script but the bundle.
  html += fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '{}'; "
      "style-src 'unsafe-inline'; img-src data: blob:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"Fathom\">\n<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n",
      internal::bundle_script_hash(), escape_html(page.title));
  html += "<style>";
  append(html, internal::bundle_style());
  html += "</style>\n</head>\n<body>\n";

  html += fmt::format("<header><h1>{}</h1><button id=\"theme\" type=\"button\" hidden></button>",
                      escape_html(page.title));
  if (!page.subtitle.empty()) html += fmt::format("<p>{}</p>", escape_html(page.subtitle));
  html += "</header>\n<main>\n";
  html += "<noscript><p>Plots and 3-D views need JavaScript.</p></noscript>\n";
  Writer writer(html, data);
  for (const Item& item : page.items) writer.write(item);
  writer.finish();
  html += fmt::format("</main>\n<footer>{}</footer>\n", escape_html(page.footer));

  html += "<script type=\"application/json\" id=\"fathom-data\">" + data.json + "</script>\n";
  html += "<!--\nThe script below contains:\n\n";
  append(html, internal::bundle_licences());
  html += "\n-->\n<script>";
  append(html, internal::bundle_script());
  html += "</script>\n</body>\n</html>\n";
  return html;
}

}  // namespace fathom::report
