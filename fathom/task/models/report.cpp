#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/task/models/models.hpp"

namespace fathom::task {
namespace {

using namespace report;

/// Numbers as one line for people: of a matrix the diagonal.
struct NumbersText {
  std::string operator()(double x) const { return fmt::format("{:.6g}", x); }
  std::string operator()(const Eigen::VectorXd& v) const {
    return v.size() == 2 ? fmt::format("{:g} to {:g}", v[0], v[1]) : fmt::format("{:.5g}", fmt::join(v, " "));
  }
  std::string operator()(const Eigen::MatrixXd& m) const {
    const bool is_diagonal = m.isDiagonal(0);
    return fmt::format("{}{:.5g}", is_diagonal ? "diag " : "full, diagonal ", fmt::join(m.diagonal(), " "));
  }
  std::string operator()(const ByName<Eigen::MatrixXd>& drag) const {
    std::vector<double> diagonal;
    Eigen::Index cross_terms = 0;
    for (const auto& [velocity, m] : drag) {
      const auto k = static_cast<Eigen::Index>(diagonal.size());
      diagonal.push_back(m(k, k));
      cross_terms += (m.array() != 0).count() - (m(k, k) != 0);
    }
    return fmt::format("diag {:.5g}{}", fmt::join(diagonal, " "),
                       cross_terms ? fmt::format(" and {} cross terms", cross_terms) : "");
  }
};

/// Values, then their sources. Many values share a source, so each is told once, under a number.
void add_values(Document& document, const ModelSummary& s) {
  Table table{.title = "Values", .columns = {"name", "value", "unit", "sigma", "source"}};
  Table sources{.title = "Sources", .columns = {"", "sources"}};
  for (const ModelSummary::Value& value : s.values) {
    const std::string source = value.assumed ? "assumed: " + value.source : value.source;
    std::string number = "(none)";
    if (!source.empty()) {
      const auto found = std::find_if(sources.rows.begin(), sources.rows.end(),
                                      [&](const Row& row) { return row[1].text == source; });
      number = fmt::format("[{}]", found - sources.rows.begin() + 1);
      if (found == sources.rows.end()) sources.rows.push_back({number, source});
      if (source.starts_with("assumed: ")) number += " assumed";
    }
    table.rows.push_back({value.key, std::visit(NumbersText(), value.value), value.unit,
                          value.sigma ? std::visit(NumbersText(), *value.sigma) : "", number});
  }
  document.add(std::move(table));
  if (!sources.rows.empty()) document.add(std::move(sources));
}

Table matrix_table(const char* name, const Mat6& m) {
  Table table{.title = name, .columns = {name}};
  for (const char* velocity : {"u", "v", "w", "p", "q", "r"}) table.columns.emplace_back(velocity, "{:.5g}");
  for (int i = 0; i < 6; ++i) {
    Row row = {std::string(1, "XYZKMN"[i])};
    for (const double value : m.row(i)) row.emplace_back(value);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Document ModelResult::report() const {
  const ModelSummary& s = summary;
  Document document{.title = s.name, .subtitle = s.title};
  document.add(Text{.paragraphs = {fmt::format("{}  {}", s.name, s.title), s.file}});
  add_values(document, s);
  document.add(matrix_table("M_rb", s.matrices.M_rb));
  document.add(matrix_table("M_a", s.matrices.M_a));
  Table checks{.title = "Checks", .columns = {"check", "", "value"}};
  for (const ModelSummary::Check& check : s.checks)
    checks.rows.push_back({check.name, check.pass ? "ok" : "LOOK", check.value});
  document.add(std::move(checks));
  if (robot && !robot->spec().notes.empty()) document.add(Text{.paragraphs = {robot->spec().notes}});
  return document;
}

Document ModelListResult::report() const {
  Table table{.title = "Robots", .columns = {"name", {"mass", "{:g} kg"}, {"thrusters", "{:g}"}, "title"}};
  for (const ModelListSummary::Robot& robot : summary.robots)
    table.rows.push_back({robot.name, robot.mass.value_or(nan),
                          robot.thrusters ? static_cast<double>(*robot.thrusters) : nan,
                          robot.title.value_or("does not load")});
  Document document{.title = "Robots"};
  document.add(std::move(table));
  document.add(Text{.paragraphs = {"fathom models NAME shows one with its values, sources and checks."}});
  return document;
}

}  // namespace fathom::task
