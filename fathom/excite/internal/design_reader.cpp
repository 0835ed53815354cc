#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/dynamics/attainable_facets.hpp"
#include "fathom/excite/internal/problem_fields.hpp"

namespace fathom::excite::internal {
namespace {

constexpr double least_sigma = 1e-9, most_sigma = 1e9;

/// Names of quadratic terms such as q26|6|, beyond those that `options` have already.
void read_cross(const Field& field, model::StructureOptions& options) {
  std::vector<std::string> seen;
  for (const Field& item : field.items()) {
    const auto name = item.text();
    const auto term = name ? model::term_by_name(*name) : std::nullopt;
    if (!name) continue;
    if (!term || term->kind != model::Term::Kind::quadratic) {
      item.error(fmt::format("= {}, expected a quadratic term such as q26|6|", in_quotes(*name)),
                 "row, velocity and speed count from 1 in u v w p q r");
      continue;
    }
    for (const int index : {term->row, term->column, term->speed})
      if (!model::is_free(options.dof, index)) {
        item.error(fmt::format("= {} touches {}, which {} degrees of freedom hold at 0", *name,
                               model::velocity_name(index), static_cast<int>(options.dof)),
                   "dof: 6");
        break;
      }
    const bool is_diagonal = term->row == term->column && term->row == term->speed;
    if (options.quadratic_diagonal && is_diagonal)
      item.error(fmt::format("= {} is on the diagonal, which is there already", *name), "quadratic: none");
    if (std::find(seen.begin(), seen.end(), *name) != seen.end()) item.error("stands here twice", "");
    seen.push_back(*name);
    options.quadratic_cross.push_back({term->row, term->column, term->speed});
  }
}

std::optional<model::Structure> read_options(const Field& field, const model::Robot& robot) {
  using Options = model::StructureOptions;
  Options options;
  options.symmetry = model::inertia_symmetry(robot);
  Map map(field);
  if (const auto f = map.require("dof", "3, 4 or 6")) options.dof = model::read_dof(*f).value_or(options.dof);
  if (const auto f = map.take("inertia"))
    if (const auto k = yaml::choice(*f, {"full", "planes", "diagonal"})) options.inertia = Options::Inertia(*k);
  if (const auto f = map.take("linear"))
    if (const auto k = yaml::choice(*f, {"none", "full", "planes", "diagonal"}))
      options.linear = Options::Linear(*k);
  if (const auto f = map.take("quadratic"))
    if (const auto k = yaml::choice(*f, {"none", "diagonal"})) options.quadratic_diagonal = *k == 1;
  if (const auto f = map.take("cross")) read_cross(*f, options);
  map.finish();
  std::optional<model::Structure> structure;
  yaml::check_under(field, [&] {
    structure = model::make_structure(fmt::format("{}-dof", static_cast<int>(options.dof)), options);
  });
  return structure;
}

}  // namespace

std::optional<model::Structure> read_structure(const Field& field, const model::Robot& robot) {
  if (field.is_map()) return read_options(field, robot);
  const auto names = model::structure_names();
  const auto k = yaml::choice(field, names);
  return k ? std::optional(model::structure_by_name(names[*k])) : std::nullopt;
}

Shape read_shape(const Field& field) {
  Shape shape;
  const auto kind = [&](const Field& f) {
    if (yaml::choice(f, {"bezier", "spline"}) == 0u) shape.kind = Shape::Kind::bezier;
  };
  if (!field.is_map()) {
    kind(field);
    return shape;
  }
  Map map(field);
  if (const auto f = map.require("kind", "bezier or spline")) kind(*f);
  if (shape.kind == Shape::Kind::bezier) {
    if (const auto f = map.take("degree")) shape.degree = yaml::whole(*f, 6, 60).value_or(shape.degree);
    if (const auto f = map.take("parts")) shape.parts = yaml::whole(*f, 1, 64).value_or(shape.parts);
  } else {
    read_between(map, "interval", "s", 1e-3, 1e6, shape.interval);
  }
  map.finish();
  return shape;
}

Noise read_noise(const Field& field) {
  Noise noise;
  Map map(field);
  // Without noise of the wrench, one sample would tell all.
  read_between(map, "force", "N", least_sigma, most_sigma, noise.force);
  read_between(map, "torque", "N m", least_sigma, most_sigma, noise.torque);
  read_between(map, "velocity", "m/s", 0, most_sigma, noise.velocity);
  read_between(map, "turn_rate", "rad/s", 0, most_sigma, noise.turn_rate);
  map.finish();
  return noise;
}

std::vector<Prior> read_priors(const Field& field, const model::Structure& structure) {
  std::vector<Prior> priors;
  std::vector<std::string> terms;
  for (const model::Term& term : structure.terms) terms.push_back(model::name_of(term));
  const std::vector<std::string_view> known(terms.begin(), terms.end());
  Map map(field);
  const std::vector<std::string> names = map.names();
  for (const std::string& name : names) {
    const auto f = map.take(name);
    if (std::find(terms.begin(), terms.end(), name) == terms.end()) {
      field.error(fmt::format("names {}, which is no parameter of {}", in_quotes(name), structure.name),
                  did_you_mean(name, known, fmt::format("it has {}", join(terms, ", "))));
    } else if (const auto sigma = between(*f, "", least_sigma, most_sigma)) {
      priors.push_back({name, *sigma});
    }
  }
  map.finish();
  return priors;
}

std::optional<ThrusterShare> read_thrusters(const Field& field, const model::Robot& robot) {
  ThrusterShare thrusters;
  const auto read = [&](const Field& f) {
    const auto value = f.number("");
    if (value && !(*value > 0 && *value <= 1))
      f.error(fmt::format("= {}, must be > 0 and <= 1", *value), "the share of each thruster's limits to use");
    else if (value)
      thrusters.share = *value;
  };
  if (field.is_map()) {
    Map map(field);
    if (const auto f = map.require("share", "of each thruster's limits, such as 0.8")) read(*f);
    map.finish();
  } else {
    read(field);
  }
  const std::size_t count = robot.thrusters().size();
  constexpr std::size_t most = dynamics::AttainableFacets::max_thrusters;
  if (count == 0 || count > most) {
    field.error(fmt::format("limits what the thrusters give, but {} has {}", robot.name(),
                            count == 0 ? "none" : fmt::format("{}, at most {}", count, most)),
                count == 0 ? "leave it out" : "");
    return std::nullopt;
  }
  return thrusters;
}

}  // namespace fathom::excite::internal
