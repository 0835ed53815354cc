#include "fathom/model/structure.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model/internal/symmetry.hpp"

namespace fathom::model {
namespace {

using Kind = Term::Kind;

bool is_linear_axis(int index) { return index < 3; }

/// Unit of a matrix entry that maps velocity `column` (times speed `speed`, if >= 0) to force `row`.
std::string damping_unit(int row, int column, int speed) {
  const std::string force = is_linear_axis(row) ? "N" : "N m";
  const auto per = [](int index) { return is_linear_axis(index) ? "s/m" : "s/rad"; };
  if (speed < 0) return fmt::format("{} {}", force, per(column));
  if (is_linear_axis(column) == is_linear_axis(speed))
    return fmt::format("{} {}", force, is_linear_axis(column) ? "s^2/m^2" : "s^2/rad^2");
  return fmt::format("{} s^2/(m rad)", force);
}

void add_inertia(Structure& structure, const StructureOptions& options) {
  const auto free = free_indices(options.dof);
  for (const int i : free)  // the diagonal first, as the papers list it
    structure.terms.push_back({Kind::inertia, i, i});
  if (options.inertia == StructureOptions::Inertia::diagonal) return;
  for (const int i : free)
    for (const int j : free)
      if (i < j &&
          (options.inertia == StructureOptions::Inertia::full || internal::allowed_by(options.symmetry, i, j)))
        structure.terms.push_back({Kind::inertia, i, j});
}

void add_linear(Structure& structure, const StructureOptions& options) {
  using Linear = StructureOptions::Linear;
  if (options.linear == Linear::none) return;
  for (const int i : free_indices(options.dof))
    for (const int j : free_indices(options.dof))
      if (i == j || options.linear == Linear::full ||
          (options.linear == Linear::planes && internal::allowed_by(options.symmetry, i, j)))
        structure.terms.push_back({Kind::linear, i, j});
}

void add_quadratic(Structure& structure, const StructureOptions& options) {
  if (options.quadratic_diagonal)
    for (const int i : free_indices(options.dof)) structure.terms.push_back({Kind::quadratic, i, i, i});
  for (const auto& cross : options.quadratic_cross) {
    const Term term{Kind::quadratic, cross.row, cross.column, cross.speed};
    const auto reject_cross = [&](const char* why) {
      reject("quadratic_cross", fmt::format("({}, {}, {}) {}", cross.row, cross.column, cross.speed, why),
             "row, velocity and speed count from 0 in [u v w p q r]");
    };
    for (const int index : {cross.row, cross.column, cross.speed})
      if (index < 0 || index > 5 || !is_free(options.dof, index))
        reject_cross("touches a velocity that is not free");
    if (std::find(structure.terms.begin(), structure.terms.end(), term) != structure.terms.end())
      reject_cross("is there already");
    structure.terms.push_back(term);
  }
}

Structure vehicle_23() {
  StructureOptions options;
  options.dof = Dof::four;
  options.symmetry.port_starboard = true;
  options.linear = StructureOptions::Linear::full;
  options.quadratic_diagonal = false;
  return make_structure("vehicle-23", options);
}

/// Morgan 2026, section III-A; the list of entries is in docs/model.md.
Structure vehicle_27_family(std::string name, bool tied, bool apart) {
  Structure structure{std::move(name), Dof::six, {}};
  auto& terms = structure.terms;
  for (int i = 0; i < 3; ++i) terms.push_back({Kind::inertia, i, i});
  if (tied) {
    terms.push_back({Kind::inertia, 0, 4});
    terms.push_back({Kind::inertia, 1, 3});
  } else {
    for (const auto& [i, j] : {std::pair(0, 4), {1, 3}, {3, 1}, {4, 0}})
      terms.push_back({Kind::inertia_entry, i, j});
  }
  for (int i = 3; i < 6; ++i) terms.push_back({Kind::inertia, i, i});
  for (int i = 0; i < 6; ++i) terms.push_back({Kind::linear, i, i});
  for (int i = 0; i < 6; ++i) terms.push_back({Kind::quadratic, i, i, i});
  if (apart) {
    terms.push_back({Kind::weight});
    terms.push_back({Kind::buoyancy});
  } else {
    terms.push_back({Kind::net_weight});
  }
  for (int i = 0; i < 3; ++i) terms.push_back({Kind::first_moment, i});
  return structure;
}

}  // namespace

std::string name_of(const Term& term) {
  const int i = term.row + 1, j = term.column + 1, k = term.speed + 1;
  switch (term.kind) {
    case Kind::inertia:
    case Kind::inertia_entry: return fmt::format("m{}{}", i, j);
    case Kind::linear: return fmt::format("d{}{}", i, j);
    case Kind::quadratic: return fmt::format("q{}{}|{}|", i, j, k);
    case Kind::net_weight: return "W-B";
    case Kind::weight: return "W";
    case Kind::buoyancy: return "B";
    case Kind::first_moment: return fmt::format("{0}gW-{0}bB", "xyz"[term.row]);
  }
  return "";
}

std::optional<Term> term_by_name(std::string_view name) {
  for (const Term& term :
       {Term{Kind::net_weight}, Term{Kind::weight}, Term{Kind::buoyancy}, Term{Kind::first_moment, 0},
        Term{Kind::first_moment, 1}, Term{Kind::first_moment, 2}})
    if (name == name_of(term)) return term;
  const auto index = [&](std::size_t at) { return at < name.size() ? name[at] - '1' : -1; };
  const int i = index(1), j = index(2), k = name.starts_with('q') ? index(4) : 0;
  for (const int axis : {i, j, k})
    if (axis < 0 || axis > 5) return std::nullopt;
  const Term term{name.starts_with('q')   ? Kind::quadratic
                  : name.starts_with('d') ? Kind::linear
                  : i <= j                ? Kind::inertia
                                          : Kind::inertia_entry,
                  i, j, k};
  if (name != name_of(term)) return std::nullopt;
  return term;
}

std::string unit_of(const Term& term) {
  switch (term.kind) {
    case Kind::inertia:
    case Kind::inertia_entry: {
      const int rotations = !is_linear_axis(term.row) + !is_linear_axis(term.column);
      return rotations == 0 ? "kg" : rotations == 1 ? "kg m" : "kg m^2";
    }
    case Kind::linear: return damping_unit(term.row, term.column, -1);
    case Kind::quadratic: return damping_unit(term.row, term.column, term.speed);
    case Kind::net_weight:
    case Kind::weight:
    case Kind::buoyancy: return "N";
    case Kind::first_moment: return "N m";
  }
  return "";
}

std::string group_of(const Term& term) {
  switch (term.kind) {
    case Kind::inertia:
    case Kind::inertia_entry: return "inertia";
    case Kind::linear: return "damping.linear";
    case Kind::quadratic: return "damping.quadratic";
    case Kind::net_weight:
    case Kind::weight:
    case Kind::buoyancy:
    case Kind::first_moment: return "restoring";
  }
  return "";
}

std::vector<Parameter> Structure::parameters(const Eigen::VectorXd& values) const {
  std::vector<Parameter> result;
  for (std::size_t k = 0; k < terms.size(); ++k)
    result.push_back(
        {name_of(terms[k]), unit_of(terms[k]), group_of(terms[k]), values[static_cast<Eigen::Index>(k)]});
  return result;
}

Structure make_structure(std::string name, const StructureOptions& options) {
  Structure structure{std::move(name), options.dof, {}};
  add_inertia(structure, options);
  add_linear(structure, options);
  add_quadratic(structure, options);
  if (options.net_weight && options.dof != Dof::three) structure.terms.push_back({Kind::net_weight});
  if (options.first_moments && options.dof == Dof::six)
    for (int axis = 0; axis < 3; ++axis) structure.terms.push_back({Kind::first_moment, axis});
  return structure;
}

Structure full_structure(Dof dof) {
  StructureOptions options;
  options.dof = dof;
  options.inertia = StructureOptions::Inertia::full;
  options.linear = StructureOptions::Linear::full;
  options.quadratic_diagonal = false;
  for (const int speed : free_indices(dof))
    for (const int row : free_indices(dof))
      for (const int column : free_indices(dof)) options.quadratic_cross.push_back({row, column, speed});
  return make_structure("full", options);
}

std::vector<std::string_view> structure_names() {
  return {"vehicle-23", "vehicle-24", "vehicle-25", "vehicle-27"};
}

Structure structure_by_name(std::string_view name) {
  if (name == "vehicle-23") return vehicle_23();
  if (name == "vehicle-24") return vehicle_27_family("vehicle-24", true, false);
  if (name == "vehicle-25") return vehicle_27_family("vehicle-25", true, true);
  if (name == "vehicle-27") return vehicle_27_family("vehicle-27", false, true);
  const auto names = structure_names();
  reject("structure", fmt::format("= {}, expected one of {}", in_quotes(name), join(names, ", ")),
         did_you_mean(name, names));
}

Symmetry inertia_symmetry(const Robot& robot) {
  const Mat6 M_rb = rigid_body_inertia(robot.hull());
  const Symmetry stated = robot.hull().symmetry;
  // A centre of mass that may be beside a plane breaks it as one that is.
  const Vec3 centre_sigma = robot.hull().centre_of_mass.sigma.value_or(Vec3::Zero());
  const auto may_be_beside = [&](int axis) {
    return centre_sigma[axis] > 0 && std::isfinite(centre_sigma[axis]);
  };
  const auto holds = [&](bool is_stated, const Symmetry& plane, int axis) {
    return is_stated && !internal::broken_symmetry(plane, M_rb) && !may_be_beside(axis);
  };
  return {holds(stated.port_starboard, {true, false, false}, 1),
          holds(stated.fore_aft, {false, true, false}, 0), holds(stated.top_bottom, {false, false, true}, 2)};
}

}  // namespace fathom::model
