#include "fathom/model_file/internal/value_codec.hpp"

#include <numbers>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/model/dof.hpp"

namespace fathom::fields {

void read_unit(yaml::Map& map, std::string_view unit) {
  const auto entry = map.take("unit");
  const auto given = entry ? entry->text() : std::nullopt;
  if (given && *given != unit)
    entry->error(fmt::format("= {}, expected {}", in_quotes(*given), unit),
                 "convert the number; Fathom's files are in SI");
}

Spec without_range(Spec spec) {
  spec.range = {};
  return spec;
}

Spec spec_of_sigma(const Spec& spec) {
  Spec result = without_range(spec);
  result.range.at_least = 0;
  result.infinity = result.is_stated_only = true;  // a check of the whole robot says more of it
  return result;
}

yaml::Field under_key_of(const yaml::Field& map, const yaml::Field& entry) {
  yaml::Reading& reading = map.reading();
  return {entry.node(), map.key(), yaml::nearest_line(reading.lines(), entry.key()), reading};
}

void write_origin(Json& out, const std::string& source, bool assumed) {
  if (assumed || !source.empty()) out[assumed ? "assumed" : "source"] = source;
}

Json value_schema(Json value, Json sigma, const Spec& spec) {
  const auto described = [](const char* text, Json schema) {
    Json result = {{"description", text}};
    result.update(schema);
    return result;
  };
  Json unit = {{"const", spec.unit}};
  if (spec.unit.empty()) unit = {{"enum", Json::array({"", nullptr})}};
  const Json either = {{"not", {{"required", Json::array({"source", "assumed"})}}}};
  Json map = {
      {"type", "object"},
      {"properties",
       {{"value", described("The value itself.", value)},
        {"unit", described("Unit of the value; nothing is converted.", std::move(unit))},
        {"sigma", described("Standard deviation, entry by entry; .inf where unknown.", std::move(sigma))},
        {"source", described("Who measured or published the value.", text_schema())},
        {"assumed", described("The assumption, and why it was made.", text_schema())}}},
      {"required", Json::array({"value"})},
      {"allOf", Json::array({either})},
      {"additionalProperties", false}};
  return {{"anyOf", Json::array({std::move(value), std::move(map)})}};
}

Mat6 negated(const Mat6& m) { return Mat6::Zero() - m; }  // 0 - m: no negative zeros

model::QuadraticDrag negated(const model::QuadraticDrag& drag) {
  model::QuadraticDrag result;
  for (std::size_t j = 0; j < 6; ++j) result.by_speed[j] = negated(drag.by_speed[j]);
  return result;
}

void Codec<model::QuadraticDrag>::read(const yaml::Field& field, const Spec& spec, model::QuadraticDrag& out) {
  if (field.is_map()) {
    yaml::Map map(field);
    const Spec of_matrix{
        .unit = {}, .what = model_matrix_shape, .hint = {}, .must = {}, .infinity = spec.infinity};
    for (std::size_t j = 0; j < 6; ++j) {
      if (const auto entry = map.take(model::velocity_names[j]))
        Codec<Mat6>::read(*entry, of_matrix, out.by_speed[j]);
      const auto k = static_cast<Eigen::Index>(j);
      if (spec.is_stated_only || spec.range.holds(out.by_speed[j](k, k))) continue;
      field.entry_error(static_cast<int>(j), fmt::format("= {}, {}", out.by_speed[j](k, k), spec.range.text()),
                        std::string(spec.hint));
    }
    map.finish();
    return;
  }
  const auto values = read_numbers(field, spec, 6);
  if (!values) return;
  for (std::size_t j = 0; j < 6; ++j)
    out.by_speed[j](static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(j)) = (*values)[j];
}

Json Codec<model::QuadraticDrag>::write(const model::QuadraticDrag& drag, const Spec& spec) {
  Vec6 diagonal;
  bool is_diagonal = true;
  Json map = Json::object();
  for (std::size_t j = 0; j < 6; ++j) {
    const auto k = static_cast<Eigen::Index>(j);
    Mat6 rest = drag.by_speed[j];
    if (!rest.isZero(0)) map[std::string(model::velocity_names[j])] = Codec<Mat6>::write(rest, spec);
    diagonal[k] = rest(k, k);
    rest(k, k) = 0;
    is_diagonal = is_diagonal && rest.isZero(0);
  }
  return is_diagonal ? Codec<Vec6>::write(diagonal, spec) : map;
}

Json Codec<model::QuadraticDrag>::schema(const Spec& spec) {
  Json properties = Json::object();
  for (const std::string_view name : model::velocity_names) {
    Json matrix = {{"description", fmt::format("Damping matrix per speed |{}|.", name)}};
    matrix.update(square_schema(without_range(spec), 6));
    properties[std::string(name)] = std::move(matrix);
  }
  const Json map = {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  return {{"anyOf", Json::array({numbers_schema(spec, 6), map})}};
}

Key within_ten_turns(Key attitude) {
  constexpr std::string_view limit = "must be within ten turns", hint = "degrees? use attitude_deg";
  for (Key& degrees_key : attitude.others)
    if (degrees_key.name == "attitude_deg") degrees_key.between(-3600, 3600).must(limit);
  return attitude.between(-20 * std::numbers::pi, 20 * std::numbers::pi).must(limit).hint(hint);
}

}  // namespace fathom::fields
