#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>
#include <fmt/format.h>

#include "fathom/fields/yaml.hpp"

namespace fathom::yaml {

/// As messages show a number that a field has.
std::string with_unit(double value, std::string_view unit);

std::optional<Eigen::Vector3d> vec3(const Field& field, std::string_view what);
/// The position of a word among those allowed.
std::optional<std::size_t> choice(const Field& field, const std::vector<std::string_view>& words);
/// A whole number from `least` to `most`.
std::optional<int> whole(const Field& field, int least, int most);
/// The file must begin with `format: word`. `others` says of other kinds of file what to do with them; such a
/// file is not read on.
struct OtherFormat {
  std::string_view word, message, hint;
};
void check_format(Map& map, std::string_view word, const std::vector<OtherFormat>& others);
/// A name that can be part of a file's name (base/text.hpp, is_plain_name).
void check_name(const Field& field, const std::string& name);

/// Runs a check that throws, and puts its findings under the field's key.
template <class Check>
void check_under(const Field& field, const Check& check) {
  if (has_errors(field.reading().findings())) return;  // what could not be read must not be judged
  try {
    check();
  } catch (const InputError& error) {
    for (const Finding& finding : error.findings()) {
      const bool said = finding.key.empty() || field.key().ends_with(finding.key);
      field.error(said ? finding.message : fmt::format("{} {}", finding.key, finding.message), finding.hint);
    }
  }
}

}  // namespace fathom::yaml
