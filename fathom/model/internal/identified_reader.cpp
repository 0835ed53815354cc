#include "fathom/model/internal/identified_reader.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/model/fields.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::model::internal {
namespace {

using yaml::Field;
using yaml::Map;

constexpr std::size_t number_of_names = 36 + 36 + 216 + 3 + 3;  // m, d, q; W, B, W-B; first moments

/// The covariances of a parameter with those before it, and its variance.
std::vector<double> read_covariances(const Field& field, std::size_t place) {
  const auto row = field.where_unknown_is_allowed().numbers(
      place + 1, "with each parameter above it, and its variance last");
  if (!row) return {};
  for (std::size_t j = 0; j < place; ++j)
    if (!std::isfinite((*row)[j]))
      field.entry_error(static_cast<int>(j), "= .inf, must be finite",
                        "only a variance, the last, can be .inf");
  if (row->back() < 0)
    field.entry_error(static_cast<int>(place), fmt::format("= {}, must be >= 0", row->back()),
                      "the last number is the variance");
  return *row;
}

ParameterVector read_parameters(const Field& field) {
  const std::vector<Field> items = field.items();
  if (items.size() > number_of_names) {
    field.error(fmt::format("is a list of {}, expected at most {}", items.size(), number_of_names),
                "one entry for each parameter");
    return {};
  }
  std::vector<Parameter> entries;
  Eigen::MatrixXd covariance(items.size(), items.size());
  for (const Field& item : items) {
    Map map(item);
    Parameter parameter;
    parameter.name = take_name(map);
    if (const auto term = term_by_name(parameter.name)) {
      parameter.unit = unit_of(*term);
      parameter.group = group_of(*term);
    }
    if (const auto f = map.require("value", "of the estimate")) parameter.value = f->number("").value_or(0);
    if (const auto f = map.require("covariance", "with each parameter above it, and its variance last")) {
      const std::vector<double> row = read_covariances(*f, entries.size());
      const auto i = static_cast<Eigen::Index>(entries.size());
      for (Eigen::Index j = 0; j < static_cast<Eigen::Index>(row.size()); ++j)
        covariance(i, j) = covariance(j, i) = row[static_cast<std::size_t>(j)];
    }
    map.finish();
    entries.push_back(std::move(parameter));
  }
  if (has_errors(field.reading().findings())) return {};  // then the covariance may have holes
  return ParameterVector(std::move(entries), std::move(covariance));
}

}  // namespace

IdentifiedParameters read_identified(const Field& field) {
  IdentifiedParameters identified;
  Map map(field);
  if (const auto f = map.require("structure", "which parameters, such as vehicle-24"))
    identified.structure = f->text().value_or("");
  if (const auto f = map.take("source")) identified.source = f->text().value_or("");
  if (const auto f = map.require("density", "kg/m^3, of the water of the estimate"))
    identified.density = f->number("kg/m^3").value_or(0);
  if (const auto f = map.require("gravity", "m/s^2, such as 9.81"))
    identified.gravity = f->number("m/s^2").value_or(0);
  if (const auto f = map.require("parameters", "a list of name, value, covariance"))
    identified.parameters = read_parameters(*f);
  if (const auto f = map.take("delay")) {
    if (const auto pair = f->numbers(2, "value and sigma, s")) identified.delay = {(*pair)[0], (*pair)[1]};
  }
  map.finish();
  return identified;
}

}  // namespace fathom::model::internal
