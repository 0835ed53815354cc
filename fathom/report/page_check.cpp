#include "fathom/report/internal/page_check.hpp"

#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"

namespace fathom::report::internal {
namespace {

class Checker {
 public:
  void operator()(const Figures&) {}

  void operator()(const Text& text) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    for (const FileLink& link : text.links)
      if (link.file.empty() || link.file.front() == '.' ||
          link.file.find_first_not_of(plain) != std::string::npos)
        add_error(fmt::format("text {} link", in_quotes(text.title)), "is to " + in_quotes(link.file),
                  "the plain name of a file beside the page");
  }

  void operator()(const Table& table) {
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      if (table.rows[i].size() != table.columns.size())
        add_error(
            fmt::format("table {} row {}", in_quotes(table.title), i + 1),
            fmt::format("has {} cells, the table has {} columns", table.rows[i].size(), table.columns.size()),
            "an empty cell is an empty string");
  }

  void operator()(const Plot& plot) {
    const std::string where = fmt::format("plot {} ", in_quotes(plot.title));
    for (const Series& series : plot.series) {
      const std::string name = where + "series " + in_quotes(series.name);
      same_length(name, "y", series.y.size(), series.t.size());
      rising(name, series.t);
    }
    for (const Band& band : plot.bands) {
      const std::string name = where + "band " + in_quotes(band.name);
      same_length(name, "low", band.low.size(), band.t.size());
      same_length(name, "high", band.high.size(), band.t.size());
      rising(name, band.t);
    }
    for (const Mark& mark : plot.marks)
      if (!std::isfinite(mark.t))
        add_error(where + "mark " + in_quotes(mark.label), fmt::format("is at t = {}", mark.t), "a time in s");
  }

  void operator()(const Bars& bars) {
    const std::string where = fmt::format("bars {}", in_quotes(bars.title));
    if (bars.values.size() != bars.names.size())
      add_error(where,
                fmt::format("have {} lists of values for {} names", bars.values.size(), bars.names.size()),
                "one for each name");
    for (std::size_t i = 0; i < bars.values.size(); ++i) {
      const std::string name = where + fmt::format(" list {}", i + 1);
      if (bars.values[i].size() != bars.groups.size())
        add_error(name, fmt::format("has {} values for {} groups", bars.values[i].size(), bars.groups.size()),
                  "one for each group; NaN where there is none");
      for (const double value : bars.values[i])
        if (value < 0) {
          add_error(name, fmt::format("has the value {}", value), "bars begin at zero");
          break;
        }
    }
  }

  void operator()(const Boxes& boxes) {
    const std::string where = fmt::format("boxes {}", in_quotes(boxes.title));
    if (boxes.values.size() != boxes.names.size())
      add_error(where, fmt::format("have {} lists for {} names", boxes.values.size(), boxes.names.size()),
                "one for each name");
    for (std::size_t i = 0; i < boxes.values.size(); ++i) {
      const std::string name = where + fmt::format(" list {}", i + 1);
      if (boxes.values[i].size() != boxes.groups.size())
        add_error(name, fmt::format("has {} boxes for {} groups", boxes.values[i].size(), boxes.groups.size()),
                  "one for each group; NaN where there is none");
      for (const FiveNumbers& five : boxes.values[i])
        if (five.least > five.low_quartile || five.low_quartile > five.median ||
            five.median > five.high_quartile || five.high_quartile > five.most) {
          add_error(name, "has five numbers that fall", "least, quartile, median, quartile, most");
          break;
        }
    }
  }

  void operator()(const Scene& scene) {
    const std::string where = fmt::format("scene {} ", in_quotes(scene.title));
    for (const Body& body : scene.bodies) {
      const std::string name = where + "body " + in_quotes(body.name);
      same_length(name, "p_n", body.p_n.size(), body.t.size());
      same_length(name, "q_nb", body.q_nb.size(), body.t.size());
      rising(name, body.t);
      if (!body.size.allFinite() || body.size.minCoeff() <= 0)
        add_error(name, fmt::format("has size {} {} {}", body.size.x(), body.size.y(), body.size.z()),
                  "length, width and height in m, all > 0");
      for (const Thruster& thruster : body.thrusters)
        if (!thruster.position_b.allFinite() || !thruster.direction_b.allFinite())
          add_error(name, "has a thruster that is not finite", "check position_b and direction_b");
    }
    if (scene.tank_n && !((scene.tank_n->max - scene.tank_n->min).minCoeff() > 0 &&
                          scene.tank_n->min.allFinite() && scene.tank_n->max.allFinite()))
      add_error(where + "tank", "has no volume", "min below max in north, east and down; down is the depth");
    if (scene.current_n && !scene.current_n->allFinite()) add_error(where + "current", "is not finite", "m/s");
    for (const Marker& marker : scene.markers)
      if (!marker.p_n.allFinite() || !marker.vector_n.allFinite())
        add_error(where + "marker " + in_quotes(marker.name), "is not finite", "check p_n and vector_n");
  }

  void finish() {
    if (!findings_.empty()) throw InputError(std::move(findings_));
  }

 private:
  void add_error(std::string key, std::string message, std::string hint) {
    fathom::add_error(findings_, std::move(key), std::move(message), std::move(hint));
  }

  void same_length(const std::string& name, const char* what, std::size_t got, std::size_t expected) {
    if (got == expected) return;
    add_error(name, fmt::format("has {} values of {} for {} times", got, what, expected), "one for each time");
  }

  void rising(const std::string& name, const std::vector<double>& t) {
    for (std::size_t i = 0; i < t.size(); ++i) {
      if (!std::isfinite(t[i])) {
        add_error(name, fmt::format("has t[{}] = {}", i, t[i]), "times are finite, in s");
        return;
      }
      if (i > 0 && t[i] < t[i - 1]) {
        add_error(name, fmt::format("has t[{}] = {} after t[{}] = {}", i, t[i], i - 1, t[i - 1]),
                  "sort by time, or make two series where the clock stepped back");
        return;
      }
    }
  }

  Findings findings_;
};

}  // namespace

bool is_on_page(const Item& item) {
  if (const auto* text = std::get_if<Text>(&item)) return appears(text->where, Where::page);
  if (const auto* table = std::get_if<Table>(&item)) return appears(table->where, Where::page);
  return true;
}

void check(const Page& page) {
  Checker checker;
  for (const Item& item : page.items) std::visit(checker, item);
  checker.finish();
}

}  // namespace fathom::report::internal
