#include "fathom/consistency/constraints.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/model/dof.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::consistency {
namespace {

/// A symmetric matrix over [u v w p q r] that is affine in the unknowns, on its way to inequalities.
struct AffineMatrix {
  struct Entry {
    int unknown;
    int row, column;
    double value;
    std::string alone;  ///< what to call the inequality if this entry alone makes it
  };
  std::string name;
  Vec6 scale = Vec6::Ones();  ///< of the diagonal, positive
  Mat6 constant = Mat6::Zero();
  std::vector<Entry> entries;

  void add(std::size_t unknown, int row, int column, double value, std::string alone) {
    entries.push_back(
        {static_cast<int>(unknown), std::min(row, column), std::max(row, column), value, std::move(alone)});
  }

  /// Adds to `set` that the rows and columns in `free` are at least `least` of their scale, block by block.
  /// A row whose diagonal is zero for every x is left out: see conditions.hpp.

  void add_to(solve::ConicSet& set, std::span<const int> free, double least) const {
    for (const Rows& rows : blocks(free)) {
      solve::MatrixInequality matrix = inequality(rows, least);
      if (rows.size() > 1) {
        matrix.name = name_for(rows, free);
        set.matrices.push_back(std::move(matrix));
        continue;
      }
      solve::ScalarInequality scalar{"", matrix.constant(0, 0), {}};
      for (const auto& entry : matrix.entries) scalar.entries.push_back({entry.unknown, entry.value});
      for (const Entry& entry : entries)
        if (entry.row == rows[0] && entry.column == rows[0]) scalar.name = entry.alone;
      set.scalars.push_back(std::move(scalar));
    }
  }

 private:
  using Rows = std::vector<int>;

  bool has_unknown_diagonal(int row) const {
    return std::any_of(entries.begin(), entries.end(),
                       [row](const Entry& entry) { return entry.row == row && entry.column == row; });
  }

  bool joins(int row, int column) const {
    const int i = std::min(row, column), j = std::max(row, column);
    return constant(i, j) != 0 || std::any_of(entries.begin(), entries.end(), [i, j](const Entry& entry) {
             return entry.row == i && entry.column == j;
           });
  }

  /// The rows that entries join, each block in order.
  std::vector<Rows> blocks(std::span<const int> free) const {
    Rows left;
    for (const int row : free)
      if (has_unknown_diagonal(row) || constant(row, row) > 0) left.push_back(row);
    std::vector<Rows> result;
    while (!left.empty()) {
      Rows block = {left.front()};
      left.erase(left.begin());
      for (std::size_t k = 0; k < block.size(); ++k) {
        const int row = block[k];
        const auto joined =
            std::stable_partition(left.begin(), left.end(), [&](int other) { return !joins(row, other); });
        block.insert(block.end(), joined, left.end());
        left.erase(joined, left.end());
      }
      std::sort(block.begin(), block.end());
      if (has_unknowns(block)) result.push_back(block);
    }
    return result;
  }

  bool has_unknowns(const Rows& rows) const {
    const auto inside = [&](int row) { return std::find(rows.begin(), rows.end(), row) != rows.end(); };
    return std::any_of(entries.begin(), entries.end(),
                       [&](const Entry& entry) { return inside(entry.row) && inside(entry.column); });
  }

  /// docs/consistency.md eq. 5: T (constant + sum x_k entry_k) T - least, T = scale^-1/2.
  solve::MatrixInequality inequality(const Rows& rows, double least) const {
    const auto size = static_cast<Eigen::Index>(rows.size());
    const Vec6 T = scale.cwiseSqrt().cwiseInverse();
    solve::MatrixInequality result{"", Eigen::MatrixXd(size, size), {}};
    std::array<int, 6> place;
    place.fill(-1);
    for (int a = 0; a < size; ++a) {
      const int i = rows[static_cast<std::size_t>(a)];
      place[static_cast<std::size_t>(i)] = a;
      for (int b = 0; b < size; ++b) {
        const int j = rows[static_cast<std::size_t>(b)];
        result.constant(a, b) = T[i] * constant(i, j) * T[j];
      }
      if (has_unknown_diagonal(i)) result.constant(a, a) -= least;
    }
    for (const Entry& entry : entries) {
      const int a = place[static_cast<std::size_t>(entry.row)],
                b = place[static_cast<std::size_t>(entry.column)];
      if (a >= 0 && b >= 0)
        result.entries.push_back({entry.unknown, a, b, T[entry.row] * entry.value * T[entry.column]});
    }
    return result;
  }

  std::string name_for(const Rows& rows, std::span<const int> free) const {
    if (rows.size() == free.size()) return name;
    std::string list;
    for (std::size_t k = 0; k < rows.size(); ++k)
      list += fmt::format("{}{}",
                          k == 0                 ? ""
                          : k + 1 == rows.size() ? " and "
                                                 : ", ",
                          model::dof_name(rows[k]));
    return fmt::format("{} of {}", name, list);
  }
};

using model::Term;
using Kind = Term::Kind;

/// A time constant, or a length or angle on the way to rest, that nobody would call fast: damping counts at
/// least as if it stopped the vehicle in 10 s, 10 m or 10 rad, so that a robot without damping has a scale too.
constexpr double slow = 10;

bool is_inertia(const Term& term) { return term.kind == Kind::inertia || term.kind == Kind::inertia_entry; }

Mat6 nominal_inertia(const model::Robot& robot) {
  return model::rigid_body_inertia(robot.hull()) + robot.hull().added_mass.value;
}

/// docs/consistency.md eqs. 1 and 2: M - M_rb or M, with what the structure does not have taken from the robot.
AffineMatrix inertia(const model::Structure& structure, const model::Robot& robot, bool dry_body) {
  AffineMatrix result;
  result.name = dry_body ? "added mass (M - M_rb)" : "inertia (M)";
  result.scale = nominal_inertia(robot).diagonal();
  Mat6 constant = dry_body ? robot.hull().added_mass.value : nominal_inertia(robot);
  const Mat6 estimated = dry_body ? Mat6(-model::rigid_body_inertia(robot.hull())) : Mat6(Mat6::Zero());
  for (std::size_t k = 0; k < structure.size(); ++k) {
    const Term& term = structure.terms[k];
    if (!is_inertia(term)) continue;
    const int i = term.row, j = term.column;
    constant(i, j) = estimated(i, j);
    if (term.kind == Kind::inertia) constant(j, i) = estimated(j, i);
    // An entry that is not tied to its mirror image is half of the symmetric part.
    const bool is_half = term.kind == Kind::inertia_entry && i != j;
    const double bound = i == j ? -estimated(i, i) : 0;
    result.add(k, i, j, is_half ? 0.5 : 1,
               dry_body ? fmt::format("{} >= {:.4g} of the dry body", name_of(term), bound)
                        : fmt::format("{} > 0", name_of(term)));
  }
  result.constant = 0.5 * (constant + constant.transpose());
  return result;
}

/// docs/consistency.md eqs. 3 and 4: the symmetric part of D_lin (`speed` < 0) or of Q_speed.
AffineMatrix damping(const model::Structure& structure, const model::Robot& robot,
                     const Eigen::VectorXd& nominal, int speed) {
  AffineMatrix result;
  result.name =
      speed < 0 ? "linear damping" : fmt::format("quadratic damping |{}|", model::velocity_name(speed));
  result.scale = nominal_inertia(robot).diagonal() / slow;
  for (std::size_t k = 0; k < structure.size(); ++k) {
    const Term& term = structure.terms[k];
    if (speed < 0 ? term.kind != Kind::linear : term.kind != Kind::quadratic || term.speed != speed) continue;
    const int i = term.row, j = term.column;
    result.add(k, i, j, i == j ? 1 : 0.5, fmt::format("{} >= 0", name_of(term)));
    if (i == j) result.scale[i] = std::max(result.scale[i], nominal[static_cast<Eigen::Index>(k)]);
  }
  return result;
}

/// Whether nature wants the term to be positive, whatever the others are: it alone resists a motion along its
/// velocity.
bool is_diagonal_damping(const Term& term) {
  return term.row == term.column &&
         (term.kind == Kind::linear || (term.kind == Kind::quadratic && term.speed == term.row));
}

void add_signs(const model::Structure& structure, solve::ConicSet& set) {
  for (std::size_t k = 0; k < structure.size(); ++k)
    if (is_diagonal_damping(structure.terms[k]))
      set.scalars.push_back(
          {fmt::format("{} >= 0", name_of(structure.terms[k])), 0, {{static_cast<int>(k), 1}}});
}

int index_of(const std::string& name, const model::Structure& structure) {
  std::vector<std::string> names;
  for (const Term& term : structure.terms) names.push_back(name_of(term));
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  const std::vector<std::string_view> views(names.begin(), names.end());
  reject("bounds", fmt::format("{} is no parameter of the structure {}", in_quotes(name), structure.name),
         did_you_mean(name, views, fmt::format("it has {}", join(names, ", "))));
}

void add_bound(const ConstraintOptions::Bound& bound, const model::Structure& structure, solve::ConicSet& set) {
  const int unknown = index_of(bound.parameter, structure);
  if (!(bound.min < bound.max))
    reject("bounds." + bound.parameter,
           fmt::format("= [{}, {}], expected a smaller and a larger number", bound.min, bound.max),
           "to fix a parameter, leave it out of the structure");
  if (std::isfinite(bound.min))
    set.scalars.push_back(
        {fmt::format("{} >= {:.6g}", bound.parameter, bound.min), -bound.min, {{unknown, 1}}});
  if (std::isfinite(bound.max))
    set.scalars.push_back(
        {fmt::format("{} <= {:.6g}", bound.parameter, bound.max), bound.max, {{unknown, -1}}});
}

}  // namespace

solve::ConicSet constraints(const model::Structure& structure, const model::Robot& robot,
                            const model::Environment& environment, const ConstraintOptions& options) {
  if (!(options.least >= 0 && options.least < 1))
    reject("least", fmt::format("= {}, expected a share from 0 to below 1", options.least), "");
  solve::ConicSet set;
  set.unknowns = static_cast<int>(structure.size());
  const auto free = model::free_indices(structure.dof);
  inertia(structure, robot, options.dry_body).add_to(set, free, options.least);
  if (options.dissipation) {
    const Eigen::VectorXd nominal = model::parameters_of(robot, environment, structure).parameters.values();
    damping(structure, robot, nominal, -1).add_to(set, free, options.least);
    for (const int speed : free) damping(structure, robot, nominal, speed).add_to(set, free, options.least);
  } else if (options.signs) {
    add_signs(structure, set);
  }
  for (const auto& bound : options.bounds) add_bound(bound, structure, set);
  return set;
}

}  // namespace fathom::consistency
