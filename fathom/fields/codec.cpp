#include "fathom/fields/codec.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/text.hpp"

namespace fathom::fields {
namespace {

std::string violation(const Spec& spec, double value) {
  return fmt::format("= {}, {}", yaml::with_unit(value, spec.unit),
                     spec.must.empty() ? spec.range.text() : std::string(spec.must));
}

yaml::Field with_infinity(const yaml::Field& field, const Spec& spec) {
  return spec.infinity ? field.where_unknown_is_allowed() : field;
}

/// Reports each entry outside the range.
bool check_entries(const yaml::Field& field, const Spec& spec, const std::vector<double>& values,
                   std::size_t stride = 1) {
  if (spec.is_stated_only) return true;
  Spec entry = spec;
  entry.unit = {};
  bool is_good = true;
  for (std::size_t k = 0; k < values.size(); k += stride) {
    if (spec.range.holds(values[k])) continue;
    field.entry_error(static_cast<int>(k / stride), violation(entry, values[k]), std::string(spec.hint));
    is_good = false;
  }
  return is_good;
}

bool has_right_count(const Spec& spec, std::size_t count) {
  return spec.is_stated_only || (count >= spec.least_entries && count <= spec.most_entries);
}

}  // namespace

bool check_range(const yaml::Field& field, const Spec& spec, double value) {
  if (spec.is_stated_only || spec.range.holds(value)) return true;
  report(field, violation(spec, value), spec.hint);
  return false;
}

std::optional<double> read_number(const yaml::Field& field, const Spec& spec) {
  if (spec.null && field.node().IsNull()) return std::nan("");
  const auto value = with_infinity(field, spec).number(spec.unit);
  return value && check_range(field, spec, *value) ? value : std::nullopt;
}

std::optional<std::vector<double>> read_numbers(const yaml::Field& field, const Spec& spec, std::size_t count) {
  auto values = with_infinity(field, spec).numbers(count, spec.what);
  return values && check_entries(field, spec, *values) ? values : std::nullopt;
}

std::optional<std::vector<double>> read_number_list(const yaml::Field& field, const Spec& spec) {
  if (spec.null && field.is_list()) {
    std::vector<double> values;
    for (const yaml::Field& item : field.items()) {
      const auto value = read_number(item, spec);
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
    return values;
  }
  auto values = with_infinity(field, spec).number_list();
  if (!values) return std::nullopt;
  if (!has_right_count(spec, values->size())) {
    read_items(field, spec);
    return std::nullopt;
  }
  return check_entries(field, spec, *values) ? values : std::nullopt;
}

std::optional<std::vector<double>> read_square(const yaml::Field& field, const Spec& spec, std::size_t size) {
  auto values = with_infinity(field, spec).square(size, spec.what);
  return values && check_entries(field, spec, *values, size + 1) ? values : std::nullopt;
}

std::optional<double> read_whole(const yaml::Field& field, const Spec& spec, double least, double most) {
  const auto value = field.number(spec.unit);
  if (!value) return std::nullopt;
  const double low = spec.range.above ? *spec.range.above + 1 : spec.range.at_least.value_or(least);
  const double high = spec.range.below ? *spec.range.below - 1 : spec.range.at_most.value_or(most);
  if (*value >= low && *value <= high && *value == std::floor(*value)) return value;
  field.error(fmt::format("= {}, expected a whole number from {:.0f} to {:.0f}", *value, low, high),
              std::string(spec.hint));
  return std::nullopt;
}

std::optional<std::string> read_text(const yaml::Field& field, const Spec& spec) {
  if (spec.words.empty()) return field.text();
  const auto k = read_word(field, spec.words);
  return k ? std::optional<std::string>(spec.words[*k]) : std::nullopt;
}

std::optional<std::size_t> read_word(const yaml::Field& field, const std::vector<std::string_view>& words) {
  return yaml::choice(field, words);
}

std::vector<yaml::Field> read_items(const yaml::Field& field, const Spec& spec) {
  const std::size_t n = field.is_list() ? field.node().size() : 0;
  if (!field.is_list() || has_right_count(spec, n)) return field.items();
  const bool is_open = spec.most_entries == std::numeric_limits<std::size_t>::max();
  const auto error = [&](std::string message) { field.error(std::move(message), std::string(spec.hint)); };
  if (n == 0 && spec.least_entries == 1)
    field.error("is empty", std::string(spec.what.empty() ? spec.hint : spec.what));
  else if (n > spec.most_entries && spec.least_entries <= 1)
    error(fmt::format("has {} entries, at most {}", n, spec.most_entries));
  else if (is_open)
    error(fmt::format("has {} entries, must have {} or more", n, spec.least_entries));
  else if (spec.least_entries == spec.most_entries)
    error(fmt::format("has {} entries, expected {}", n, spec.least_entries));
  else
    error(fmt::format("has {} entries, must be {} to {}", n, spec.least_entries, spec.most_entries));
  // Aliases make long lists of what is short in the file.
  return n > spec.most_entries ? std::vector<yaml::Field>() : field.items();
}

Json write_number(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

Json write_numbers(std::span<const double> values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(write_number(value));
  return json;
}

Json write_square(std::span<const double> row_major, std::size_t size) {
  bool is_diagonal = true;
  Json rows = Json::array(), diagonal = Json::array();
  for (std::size_t i = 0; i < size; ++i) {
    const auto row = row_major.subspan(i * size, size);
    rows.push_back(write_numbers(row));
    diagonal.push_back(write_number(row[i]));
    for (std::size_t j = 0; j < size; ++j) is_diagonal = is_diagonal && (i == j || row[j] == 0);
  }
  return is_diagonal ? diagonal : rows;
}

std::optional<double> exact_quotient(double value, double factor) {
  const double best = value * (1 / factor);
  for (const double candidate : {std::round(best), std::round(best * 1e6) / 1e6, best,
                                 std::nextafter(best, 1e9), std::nextafter(best, -1e9)})
    if (candidate * factor == value) return candidate;
  return std::nullopt;
}

}  // namespace fathom::fields
