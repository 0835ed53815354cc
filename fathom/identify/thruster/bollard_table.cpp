#include "fathom/identify/thruster/bollard_table.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <Eigen/QR>
#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/identify/thruster/internal/table_columns.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double most_sigmas = 8, most_share = 0.15;
constexpr Index fewest_spare_rows = 6;

struct Deviation {
  Index row;
  double expected;  // N
};

/// The row that is farthest, in standard deviations, off the fit without it: r / (1 - h) over s(1 - h)^-1/2,
/// with the s of the others (Belsley et al. 1980, eqs. 2.5 and 2.26). Where it is no accident.
std::optional<Deviation> worst_deviation(const MatrixXd& A, const VectorXd& forces) {
  const Index n = A.rows(), spare = n - A.cols() - 1;
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(A);
  if (spare < fewest_spare_rows || qr.rank() < A.cols()) return std::nullopt;
  const MatrixXd Q = qr.householderQ() * MatrixXd::Identity(n, A.cols());
  const VectorXd left = forces - Q * (Q.transpose() * forces);
  const double square = left.squaredNorm();
  std::optional<Deviation> worst;
  double most = most_sigmas;
  for (Index k = 0; k < n; ++k) {
    const double free = 1 - Q.row(k).squaredNorm();
    if (free < 1e-6) continue;  // that row alone tells some unknown
    const double off = left[k] / free;
    const double variance = std::max(0.0, square - left[k] * off) / static_cast<double>(spare);
    double full = 0;
    for (Index j = 0; j < n; ++j)
      if (j != k) full = std::max(full, std::abs(forces[j]));
    if (std::abs(off) <= most_share * full || std::abs(off) * std::sqrt(free) <= most * std::sqrt(variance))
      continue;
    most = std::abs(off) * std::sqrt(free / std::max(variance, 1e-300));
    worst = {k, forces[k] - off};
  }
  return worst;
}

class RowJudge {
 public:
  RowJudge(const BollardTable& table, double neutral) : table_(table), neutral_(neutral) {}

  /// `is_in` chooses rows, `columns` gives what the force of a row is fitted by.
  template <class IsIn, class Columns>
  void judge(const IsIn& is_in, const Columns& columns) {
    for (const double direction : {1.0, -1.0}) {
      std::vector<Index> rows;
      for (Index k = 0; k < table_.commands.size(); ++k)
        if (direction * (table_.commands[k] - neutral_) > 0 && is_in(k)) rows.push_back(k);
      if (rows.empty()) continue;
      MatrixXd A(static_cast<Index>(rows.size()), columns(rows.front()).size());
      for (Index k = 0; k < A.rows(); ++k) A.row(k) = columns(rows[static_cast<std::size_t>(k)]);
      const auto scale = A.colwise().norm().cwiseMax(1e-300).eval();
      const auto worst = worst_deviation(A * scale.cwiseInverse().asDiagonal(), table_.forces(rows));
      if (worst) add(rows[static_cast<std::size_t>(worst->row)], worst->expected);
    }
  }

  std::vector<StrangeRow> strange;

 private:
  void add(Index row, double expected) {
    if (!told_.insert(row).second) return;
    const int line = table_.lines.empty() ? 0 : table_.lines[static_cast<std::size_t>(row)];
    strange.push_back({line, table_.commands[row], table_.forces[row], expected});
  }

  const BollardTable& table_;
  double neutral_;
  std::set<Index> told_;
};

}  // namespace

BollardTable bollard_table(const log::NumberTable& table, const ColumnChoice& choice) {
  internal::check_column_choice(choice);
  BollardTable result;
  result.lines = table.lines;
  for (const internal::ColumnRole& role : internal::column_roles()) {
    if (role.name == "time") continue;
    const bool required = role.name == "command" || role.name == "force";
    const auto found = internal::find_column(table, role.name, choice, required);
    if (!found) continue;
    const Eigen::VectorXd values = found->si(table);
    if (role.name == "command") {
      result.unit = internal::command_unit(table, *found);
      result.commands = values;
    } else if (role.name == "force") {
      result.forces = values;
    } else if (role.name == "voltage") {
      result.voltages = values;
    } else if (role.name == "speed") {
      result.speeds = values.cwiseAbs();
    } else if (role.name == "current") {
      result.currents = values;
    } else {
      result.inflows = values;
    }
    result.columns.push_back(fmt::format("{}: column {} in {}", role.name,
                                         in_quotes(table.names[static_cast<std::size_t>(found->column)]),
                                         found->unit.name));
  }
  return result;
}

std::map<double, BollardTest> BollardTable::tests() const {
  std::map<double, BollardTest> tests;
  for (Eigen::Index k = 0; k < commands.size(); ++k) {
    BollardTest& test = tests[voltages ? (*voltages)[k] : 0];
    test.commands.push_back(commands[k]);
    test.forces.push_back(forces[k]);
  }
  return tests;
}

BollardTable BollardTable::in_still_water() const {
  if (!inflows) return *this;
  std::vector<Eigen::Index> rows;
  for (Eigen::Index k = 0; k < commands.size(); ++k)
    if (std::abs((*inflows)[k]) < still_water) rows.push_back(k);
  const auto taken = [&](const std::optional<Eigen::VectorXd>& values) -> std::optional<Eigen::VectorXd> {
    if (!values) return std::nullopt;
    return Eigen::VectorXd((*values)(rows));
  };
  std::vector<int> lines_taken;
  for (const Eigen::Index k : rows)
    if (!lines.empty()) lines_taken.push_back(lines[static_cast<std::size_t>(k)]);
  return {unit,           commands(rows), forces(rows), taken(voltages), taken(speeds), taken(currents),
          taken(inflows), columns,        lines_taken};
}

std::vector<StrangeRow> strange_rows(const BollardTable& table, double neutral) {
  RowJudge rows(table, neutral);
  std::set<double> voltages = {0};
  if (table.voltages) voltages = {table.voltages->begin(), table.voltages->end()};
  const double reach = std::max(1e-300, (table.commands.array() - neutral).abs().maxCoeff());
  for (const double voltage : voltages)
    rows.judge(
        [&](Index k) {
          return (!table.voltages || (*table.voltages)[k] == voltage) &&
                 (!table.inflows || std::abs((*table.inflows)[k]) < still_water);
        },
        [&](Index k) {
          const double x = std::abs(table.commands[k] - neutral) / reach;
          return Eigen::RowVector4d(1, x, x * x, x * x * x);
        });
  if (!table.inflows || !table.speeds) return rows.strange;
  rows.judge([&](Index k) { return (*table.speeds)[k] > 0; },
             [&](Index k) {
               const double w = (*table.speeds)[k];
               return Eigen::RowVector2d(w * w, w * (*table.inflows)[k]);
             });
  return rows.strange;
}

}  // namespace fathom::identify
