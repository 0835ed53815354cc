#include "fathom/model/candidates.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model/internal/symmetry.hpp"

namespace fathom::model {
namespace {

/// What a speed adds to the resistance of one velocity, `lead`, and of those of `rows` that the hull joins to
/// it.
struct Block {
  int speed;
  int lead;
  std::vector<int> rows;
};
using Blocks = std::vector<Block>;

// From 0 in [u v w p q r].
const Blocks& blocks_4dof() {
  static const Blocks blocks = {{0, 0, {0, 2}}, {1, 1, {1, 5}}, {2, 2, {0, 2}}, {5, 5, {1, 5}}};
  return blocks;
}
const Blocks& blocks_6dof() {
  static const Blocks blocks = {{0, 0, {0, 4}}, {1, 1, {1, 3, 5}}, {2, 2, {2, 4}}};
  return blocks;
}
/// Drag goes with the whole speed, not axis by axis: what moves ahead resists sway, heave and yaw more, and so
/// on.
const Blocks& blocks_oblique() {
  static const Blocks blocks = {{0, 1, {1, 5}}, {0, 2, {2}}, {0, 5, {5}}, {1, 0, {0}},    {1, 2, {2}},
                                {2, 0, {0}},    {2, 1, {1}}, {5, 0, {0}}, {5, 1, {1, 5}}, {5, 2, {2}}};
  return blocks;
}

using Cross = StructureOptions::Cross;

void add_cross_terms(const Blocks& blocks, const Symmetry& symmetry, std::vector<Cross>& terms) {
  for (const Block& block : blocks) {
    const auto is_joined = [&](int row) { return internal::allowed_by(symmetry, block.lead, row); };
    const auto is_there = [&](const Cross& term) {
      const auto is_same = [&](const Cross& other) {
        return other.row == term.row && other.column == term.column && other.speed == term.speed;
      };
      return is_same({block.speed, block.speed, term.speed}) ||
             std::any_of(terms.begin(), terms.end(), is_same);
    };
    for (const int row : block.rows)
      for (const int column : block.rows) {
        const Cross term{row, column, block.speed};
        if (is_joined(row) && is_joined(column) && !is_there(term)) terms.push_back(term);
      }
  }
}

StructureOptions options_4dof(const Robot& robot) {
  StructureOptions options;
  options.dof = Dof::four;
  options.symmetry = inertia_symmetry(robot);
  return options;
}

/// vehicle-23 as Panetsos has it, whatever the robot's planes.
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
  const auto add = [&](const Blocks& blocks) {
    add_cross_terms(blocks, robot.hull().symmetry, options.quadratic_cross);
  };
  if (name == "cross") add(blocks_4dof());
  if (name == "6dof-cross" || name == "6dof-oblique") add(blocks_6dof());
  if (name == "6dof-oblique") add(blocks_oblique());
  return options;
}

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string_view> candidate_names() {
  return {"linear", "diagonal", "quadratic", "cross", "6dof", "6dof-cross", "6dof-oblique"};
}

Structure candidate(std::string_view name, const Robot& robot) {
  std::vector<std::string_view> names = candidate_names();
  if (contains(names, name)) return make_structure(std::string(name), options_for(name, robot));
  const std::vector<std::string_view> published = structure_names();
  if (contains(published, name)) return structure_by_name(name);
  names.insert(names.end(), published.begin(), published.end());
  reject("structure", fmt::format("= {}, expected one of {}", in_quotes(name), join(names, ", ")),
         did_you_mean(name, names));
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
             return group_of(term) == "restoring" || internal::allowed_by(plane, term.row, term.column);
           });
  };
  return {holds(stated.port_starboard, {true, false, false}), holds(stated.fore_aft, {false, true, false}),
          holds(stated.top_bottom, {false, false, true})};
}

}  // namespace fathom::model
