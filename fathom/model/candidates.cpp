#include "fathom/model/candidates.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model/symmetry.hpp"

namespace fathom::model {
namespace {

/// The rows on which a speed acts, that of its own velocity among them.
struct Block {
  int speed;
  std::vector<int> rows;
};

// From 0 in [u v w p q r].
const std::vector<Block>& blocks_4dof() {
  static const std::vector<Block> blocks = {{0, {0, 2}}, {1, {1, 5}}, {2, {0, 2}}, {5, {1, 5}}};
  return blocks;
}
const std::vector<Block>& blocks_6dof() {
  static const std::vector<Block> blocks = {{0, {0, 4}}, {1, {1, 3, 5}}, {2, {2, 4}}};
  return blocks;
}

std::vector<StructureOptions::Cross> cross_terms(const std::vector<Block>& blocks, const Symmetry& symmetry) {
  std::vector<StructureOptions::Cross> result;
  for (const Block& block : blocks) {
    const int speed = block.speed;
    const auto is_joined = [&](int row) { return allowed_by(symmetry, speed, row); };
    for (const int row : block.rows)
      for (const int column : block.rows)
        if (is_joined(row) && is_joined(column) && (row != speed || column != speed))
          result.push_back({row, column, speed});
  }
  return result;
}

StructureOptions options_4dof(const Robot& robot) {
  StructureOptions options;
  options.dof = Dof::four;
  options.symmetry = inertia_symmetry(robot);
  return options;
}

/// vehicle-23 as seed 000 has it, whatever the robot's planes.
StructureOptions options_of_vehicle_23() {
  StructureOptions options;
  options.dof = Dof::four;
  options.symmetry.port_starboard = true;
  options.linear = StructureOptions::Linear::full;
  return options;
}

StructureOptions options_6dof(const Robot& robot) {
  StructureOptions options;
  options.symmetry = inertia_symmetry(robot);
  options.linear = StructureOptions::Linear::planes;
  return options;
}

StructureOptions options_for(std::string_view name, const Robot& robot) {
  const bool is_6dof = name.starts_with("6dof");
  StructureOptions options = name == "diagonal" ? options_4dof(robot)
                             : is_6dof          ? options_6dof(robot)
                                                : options_of_vehicle_23();
  options.quadratic_diagonal = name != "linear";
  if (name.ends_with("cross"))
    options.quadratic_cross = cross_terms(is_6dof ? blocks_6dof() : blocks_4dof(), robot.hull().symmetry);
  return options;
}

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string_view> candidate_names() {
  return {"linear", "diagonal", "quadratic", "cross", "6dof", "6dof-cross"};
}

Structure candidate(std::string_view name, const Robot& robot) {
  std::vector<std::string_view> names = candidate_names();
  if (contains(names, name)) return make_structure(std::string(name), options_for(name, robot));
  const std::vector<std::string_view> published = structure_names();
  if (contains(published, name)) return structure_by_name(name);
  names.insert(names.end(), published.begin(), published.end());
  const std::string nearest = nearest_word(name, names);
  throw InputError(Problem{Severity::error, "", 0, "structure",
                           fmt::format("= {}, expected one of {}", in_quotes(name), fmt::join(names, ", ")),
                           nearest.empty() ? "" : fmt::format("did you mean {}?", nearest)});
}

std::vector<Structure> candidate_structures(const Robot& robot) {
  std::vector<Structure> result;
  for (const auto name : candidate_names()) {
    Structure structure = candidate(name, robot);
    const bool is_new = std::none_of(result.begin(), result.end(), [&](const Structure& earlier) {
      return earlier.dof == structure.dof && earlier.terms == structure.terms;
    });
    if (is_new) result.push_back(std::move(structure));
  }
  return result;
}

Symmetry symmetry_of(const Structure& structure, const Symmetry& stated) {
  const auto holds = [&](bool is_stated, const Symmetry& plane) {
    return is_stated && std::all_of(structure.terms.begin(), structure.terms.end(), [&](const Term& term) {
             return group_of(term) == "restoring" || allowed_by(plane, term.row, term.column);
           });
  };
  return {holds(stated.port_starboard, {true, false, false}), holds(stated.fore_aft, {false, true, false}),
          holds(stated.top_bottom, {false, false, true})};
}

}  // namespace fathom::model
