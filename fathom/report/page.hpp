#pragma once
#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fathom/geometry/types.hpp"

namespace fathom::report {

/// The medium on which a part of a document appears.
enum class Where { both, terminal, page };
[[nodiscard]] inline bool appears(Where where, Where medium) { return where == Where::both || where == medium; }

/// One line or cloud of points over time.
struct Series {
  enum class Style {
    line,
    dashed,
    points,
    limit,  ///< thin and dashed; in the colour of the series of the same name, hidden with it, else grey
  };
  std::string name = {};
  std::vector<double> t = {};  ///< s, or what the plot has along x; never falling
  std::vector<double> y = {};  ///< as long as t; what is not finite is a gap
  Style style = Style::line;
};

/// A band of uncertainty over time. It has the colour of the series of the same name, else of the same place.
struct Band {
  std::string name = {};
  std::vector<double> t = {}, low = {}, high = {};
};

/// An event: a vertical line with a label.
struct Mark {
  double t = 0;
  std::string label = {};
};

/// Lines over the time of the page. All plots over time share cursor and zoom.
struct Plot {
  std::string title = {}, y_label = {}, y_unit = {};
  std::vector<Series> series = {};
  std::vector<Band> bands = {};
  std::vector<Mark> marks = {};
  std::string x_label = {};  ///< of something else than time, such as "iteration": cursor and zoom of its own
};

/// Groups of bars that begin at zero or, where the values span more than two decades, stand on a logarithmic
/// scale. What is not finite has no bar.
struct Bars {
  std::string title = {}, label = {}, unit = {};
  std::vector<std::string> names = {};           ///< of the bars of a group, in order: "design", "sinusoids"
  std::vector<std::string> groups = {};          ///< such as parameters
  std::vector<std::vector<double>> values = {};  ///< by name, then by group; never negative
  std::string note = {};
};

/// Five numbers of a sample; NaN where it is empty.
struct FiveNumbers {
  double least, low_quartile, median, high_quartile, most;
};

/// Groups of box plots: whiskers from the least to the most, a box between the quartiles, a line at the median.
struct Boxes {
  std::string title = {}, label = {}, unit = {};
  std::vector<std::string> names = {};                ///< of the boxes of a group, in order: "4-DoF", "6-DoF"
  std::vector<std::string> groups = {};               ///< such as velocities
  std::vector<std::vector<FiveNumbers>> values = {};  ///< by name, then by group
  std::string note = {};
};

/// A cell of a table: numbers, which the column formats for each medium, or text.
struct Cell {
  std::string text = {};
  std::vector<double> numbers = {};  ///< a dash is shown where one is not finite

  Cell() = default;
  Cell(std::string words) : text(std::move(words)) {}
  Cell(std::string_view words) : text(words) {}
  Cell(const char* words) : text(words) {}
  Cell(double number) : numbers{number} {}
  Cell(std::initializer_list<double> list) : numbers(list) {}
  Cell(std::integral auto count) : text(std::to_string(count)) {}

  bool operator==(const Cell&) const = default;
};

struct Row : std::vector<Cell> {
  using std::vector<Cell>::vector;
  Row(const std::vector<std::string>& words) : std::vector<Cell>(words.begin(), words.end()) {}
};

/// How a column shows its cells.
struct TableColumn {
  std::string label = {};
  std::string format = "{:.4g}";  ///< of its numbers, in fmt's words: one {} for each number of a cell
  Where where = Where::both;
  double factor = 1;             ///< by which its numbers are multiplied before they are shown
  std::string page_label = {};   ///< on the page, where it differs
  std::string page_format = {};  ///< likewise
  bool once = false;             ///< on the terminal, a text that repeats that of the row above is left out

  TableColumn(std::string name, std::string how = "{:.4g}", Where medium = Where::both)
      : label(std::move(name)), format(std::move(how)), where(medium) {}
  TableColumn(const char* name, std::string how = "{:.4g}", Where medium = Where::both)
      : TableColumn(std::string(name), std::move(how), medium) {}

  /// Sets label and format that the page has in the place of the terminal's.
  TableColumn&& on_page(std::string name, std::string how = {}) &&;
  TableColumn&& times(double by) &&;
  TableColumn&& shown_once() &&;
};
/// A column of shares, shown in percent.
TableColumn percent_column(std::string label, Where where = Where::both);

/// Columns of numbers are aligned to the right; cells that say pass or fail are coloured.
struct Table {
  std::string title = {};  ///< on the page
  std::vector<TableColumn> columns = {};
  std::vector<Row> rows = {};
  std::string note = {};
  Where note_where = Where::both;
  Where where = Where::both;
};

/// Returns the cell as the column shows it on the medium.
std::string shown(const Cell& cell, const TableColumn& column, Where medium);

/// A file that lies beside the page.
struct FileLink {
  std::string file = {};  ///< its name: letters, digits, - . _ and nothing else
  std::string what = {};
};

/// Paragraphs; on the terminal each begins a line, and the title is left out.
struct Text {
  std::string title = {};
  std::vector<std::string> paragraphs = {};
  std::vector<FileLink> links = {};  ///< on the page
  Where where = Where::both;
  bool verbatim = false;  ///< the terminal does not wrap its lines: messages that other programs read
};

/// One number that matters, as the reader shall see it: "0.982", "41 s".
struct Figure {
  std::string label = {}, value = {}, note = {};
};

/// A strip of key numbers, on the page.
struct Figures {
  std::vector<Figure> figures = {};
};

struct Thruster {
  Vec3 position_b = Vec3::Zero();
  Vec3 direction_b = Vec3::UnitX();
};

/// A vehicle and its motion. Samples whose pose is not finite are left out, and counted.
struct Body {
  std::string name = {};
  Vec3 size = Vec3(0.46, 0.34, 0.25);  ///< length, width, height, m
  std::vector<Thruster> thrusters = {};
  std::vector<double> t = {};  ///< s, never falling
  std::vector<Vec3> p_n = {};
  std::vector<Quat> q_nb = {};
};

/// A path that was asked for.
struct Path3 {
  std::string name = {};
  std::vector<Vec3> points_n = {};
  bool dashed = true;
};

/// A named place with an arrow, such as a coupling and the force that it carries.
struct Marker {
  std::string name = {};
  Vec3 p_n = Vec3::Zero();
  Vec3 vector_n = Vec3::Zero();  ///< the longest of a group is drawn as long as a body, the others to scale
  std::string label = {};        ///< what the arrow says: "12.3 N"
  std::string kind = {};         ///< those of one kind have one colour, and an entry in the legend
  std::string group = {};        ///< of several groups the reader looks at one at a time
};

/// A 3-D view that plays the motion; its time is that of the plots.
struct Scene {
  std::string title = {};
  std::vector<Body> bodies = {};
  std::vector<Path3> paths = {};
  std::vector<Vec3> waypoints_n = {};
  std::optional<Box> tank_n = {};  ///< z down, the surface is at z = 0
  std::optional<Vec3> current_n = {};
  std::vector<Marker> markers = {};
};

using Item = std::variant<Figures, Text, Table, Plot, Bars, Boxes, Scene>;

/// A result for people, described once: the terminal shows its texts and tables, the page all of it. Items and
/// columns that belong to one of the two say so.
struct Document {
  std::string title = {}, subtitle = {};  ///< of the page
  std::string footer = {};                ///< what made it: command, version, seed
  std::vector<Item> items = {};

  /// Appends an item, or each of a list.
  void add(Item item) { items.push_back(std::move(item)); }
  template <class T>
  void add_all(std::vector<T> list) {
    for (T& item : list) items.emplace_back(std::move(item));
  }
  /// Appends a text unless it is empty.
  void add_text(Text text) {
    if (!text.paragraphs.empty() || !text.links.empty()) items.emplace_back(std::move(text));
  }
};
using Page = Document;

/// Returns the document as lines for a terminal of that many columns; items are set apart by an empty line.
std::string to_text(const Document& document, std::size_t width);
/// Returns a paragraph in lines of at most that width, unless a word is longer; it ends in a line feed.
std::string wrapped(const std::string& paragraph, std::size_t width);
/// Returns rows of cells as aligned columns; the last column wraps.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t width);

/// The page as one HTML document that needs no network and no other file (links to files beside it do). Every
/// string is shown as text, never as markup. Long series are thinned (decimate.hpp), and the page says so.
/// Throws InputError, naming the series, where lengths differ, a time is not finite or falls, a row of a table
/// has not one cell per column, a bar is negative, five numbers fall, or the file of a link is no plain name.
std::string to_html(const Page& page);

}  // namespace fathom::report
