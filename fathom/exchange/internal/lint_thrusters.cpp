#include <string_view>
#include <vector>

#include "fathom/base/text.hpp"
#include "fathom/exchange/internal/lint_report.hpp"
#include "fathom/geometry/spectrum.hpp"
#include "fathom/model/dof.hpp"

namespace fathom::exchange::internal {
namespace {

using WrenchColumn = Vec6;

/// [e; r x e] of each thruster; none where one has no direction.
std::optional<std::vector<WrenchColumn>> columns_of(LintReport& report) {
  std::vector<WrenchColumn> columns;
  bool complete = true;
  for (std::size_t k = 0; k < report.spec.thrusters.size(); ++k) {
    const model::Thruster& thruster = report.spec.thrusters[k];
    const Vec3 &r = thruster.position_b.value, &e = thruster.direction_b.value;
    if (!is_sound(r) || !is_sound(e)) {
      complete = false;
    } else if (!(e.norm() > 1e-9)) {
      report.add("thruster-direction", Severity::error, fmt::format("thrusters[{}].direction", k),
                 "is zero: nobody can tell where it pushes, and its axis is NaN",
                 "a vector along the force on the vehicle for positive thrust");
      complete = false;
    } else {
      columns.push_back((WrenchColumn() << e.normalized(), r.cross(e.normalized())).finished());
    }
  }
  if (!complete) return std::nullopt;
  return columns;
}

/// Fewer directions than so many thrusters could have. A vehicle with few thrusters is under-actuated by
/// intention, and nothing is said.
void look_at_rank(LintReport& report, const std::vector<WrenchColumn>& columns) {
  double lever = 0;  // makes moments and forces comparable
  for (const WrenchColumn& column : columns) lever = std::max(lever, column.tail<3>().norm());
  Mat6 gram = Mat6::Zero();
  for (WrenchColumn column : columns) {
    if (lever > 0) column.tail<3>() /= lever;
    gram += column * column.transpose();
  }
  Mat6 directions;
  const Vec6 gains = symmetric_eigenvalues(gram, &directions);  // ascending
  const Eigen::Index rank = (gains.array() > 1e-7 * gains[5]).count();
  const auto possible = std::min<Eigen::Index>(6, static_cast<Eigen::Index>(columns.size()));
  if (rank >= possible) return;
  // Velocities along which no combination of thrusters does work, in m/s and rad/s, named by their largest
  // entries.
  Mat6 velocities = directions;
  if (lever > 0) velocities.bottomRows<3>() /= lever;
  velocities.colwise().normalize();
  const Vec6 lost = velocities.leftCols(6 - rank).rowwise().norm();
  std::vector<std::string_view> names;
  for (int i = 0; i < 6; ++i)
    if (lost[i] > 0.3) names.push_back(model::dof_name(i));
  report.add(
      "thruster-rank", Severity::warning, "thrusters",
      fmt::format("span {} of {} directions that {} thrusters can have; without, or coupled: {}: no controller "
                  "can hold the vehicle there, and an allocation by the inverse of B B' fails",
                  rank, possible, columns.size(), join(names, ", ")),
      "under-actuated by intention? else look at positions and directions: two the same, or a sign");
}

void look_for_copies(LintReport& report, const std::vector<WrenchColumn>& columns) {
  for (std::size_t a = 0; a < columns.size(); ++a)
    for (std::size_t b = a + 1; b < columns.size(); ++b)
      if ((columns[a] - columns[b]).norm() < 1e-9 * (1 + columns[a].norm()))
        report.add(
            "thruster-copy", Severity::warning, fmt::format("thrusters[{}]", b),
            fmt::format("has the same line of force as thrusters[{}]: together they do what one does, and a "
                        "direction may be without thrust",
                        a),
            "copied and not edited?");
}

/// What makes of the column that the poses give the one that the file states.
std::string mismatch_hint(const std::vector<WrenchColumn>& columns, std::size_t k, const WrenchColumn& stated,
                          const Vec3& com_b, double slack) {
  const auto equals = [&](const WrenchColumn& column) {
    return (column - stated).cwiseAbs().maxCoeff() <= slack;
  };
  const WrenchColumn& column = columns[k];
  if (equals(-column)) return "the sign is the other one: positive thrust pushes the other way?";
  const WrenchColumn flipped = (WrenchColumn() << 1, -1, -1, 1, -1, -1).finished().cwiseProduct(column);
  if (equals(flipped)) return "the matrix is in other axes (FLU for FRD) than the poses";
  WrenchColumn about_com = column;
  about_com.tail<3>() -= com_b.cross(Vec3(column.head<3>()));
  if (equals(about_com)) return "the matrix is about the centre of mass, the poses are in the body frame";
  for (std::size_t other = 0; other < columns.size(); ++other)
    if (other != k && equals(columns[other]))
      return fmt::format("it is the column of thrusters[{}]: the order differs?", other);
  return "make the matrix anew from the poses, or correct the pose";
}

void look_at_allocation(LintReport& report, const std::vector<WrenchColumn>& columns) {
  const Mat6X& stated = *report.options.allocation_b;
  const std::string key = "thrusters";
  if (static_cast<std::size_t>(stated.cols()) != columns.size())
    return report.add(
        "allocation", Severity::error, key,
        fmt::format("are {}, but the allocation matrix has {} columns: commands would go to the wrong "
                    "thrusters",
                    columns.size(), stated.cols()),
        "one column per thruster, in their order");
  if (!is_sound(stated))
    return report.add("not-finite", Severity::error, key,
                      "have an allocation matrix with a number that is not finite",
                      "make the matrix anew from the poses");
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const WrenchColumn column = stated.col(static_cast<Eigen::Index>(k));
    const double slack = 2e-3 * std::max(1.0, columns[k].cwiseAbs().maxCoeff());  // files have three digits
    Eigen::Index row = 0;
    if ((column - columns[k]).cwiseAbs().maxCoeff(&row) <= slack) continue;
    report.add("allocation", Severity::error, fmt::format("allocation[{}][{}]", row, k),
               fmt::format("= {:.4g}, but by the pose of thrusters[{}] it is {:.4g} (its column {}): the "
                           "controller would push another way than the thruster does",
                           column[row], k, columns[k][row], twist_text(columns[k])),
               mismatch_hint(columns, k, column, report.spec.hull.centre_of_mass.value, slack));
  }
}

}  // namespace

void lint_thrusters(LintReport& report) {
  const auto columns = columns_of(report);
  if (!columns) return;
  if (columns->empty()) return;
  look_at_rank(report, *columns);
  look_for_copies(report, *columns);
  if (report.options.allocation_b) look_at_allocation(report, *columns);
}

}  // namespace fathom::exchange::internal
