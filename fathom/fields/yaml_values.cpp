#include "fathom/fields/yaml_values.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/base/text.hpp"

namespace fathom::yaml {

std::string with_unit(double value, std::string_view unit) {
  return unit.empty() ? fmt::format("{}", value) : fmt::format("{} {}", value, unit);
}

std::optional<Eigen::Vector3d> vec3(const Field& field, std::string_view what) {
  const auto v = field.numbers(3, what);
  return v ? std::optional(Eigen::Vector3d((*v)[0], (*v)[1], (*v)[2])) : std::nullopt;
}

std::optional<std::size_t> choice(const Field& field, const std::vector<std::string_view>& words) {
  const auto word = field.text();
  if (!word) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), *word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  field.error(fmt::format("= {}, expected one of {}", in_quotes(*word), join(words, ", ")),
              did_you_mean(*word, words));
  return std::nullopt;
}

std::optional<int> whole(const Field& field, int least, int most) {
  const auto n = field.number("");
  if (!n) return std::nullopt;
  if (*n >= least && *n <= most && *n == std::floor(*n)) return static_cast<int>(*n);
  field.error(fmt::format("= {}, expected a whole number from {} to {}", *n, least, most), "");
  return std::nullopt;
}

namespace {

/// The kinds of file that there are, and what takes them.
constexpr OtherFormat formats[] = {
    {"fathom-robot-1", "a robot", "fathom models shows it; a scenario names it: vehicles: [{robot: ...}]"},
    {"fathom-hull-1", "a hull", "fathom prior makes a robot file of it"},
    {"fathom-arm-1", "an arm", "fathom identify --what arm; fathom excite by a problem with arm: ..."},
    {"fathom-scenario-1", "a scenario", "fathom simulate"},
    {"fathom-excitation-1", "a problem of excitation", "fathom excite"},
    {"fathom-description-1", "a description of a log", "fathom convert"},
    {"fathom-towing-1", "a towing campaign", "fathom identify --what towing"},
    {"fathom-decay-1", "a campaign of free decays", "fathom identify --what decay"},
    {"fathom-arm-trajectory-1", "an arm's motion that was designed",
     "trajectory.csv beside it is the table to move by"},
    {"fathom-trajectory-1", "a path that was designed", "a scenario follows it, see docs/scenario-file.md"},
};

std::string_view kind_of_format(std::string_view word) {
  for (const OtherFormat& format : formats)
    if (format.word == word) return format.message;
  return "such a file";
}

}  // namespace

void check_format(Map& map, std::string_view word, const std::vector<OtherFormat>& others) {
  const auto field = map.require("format", fmt::format("begin with 'format: {}'", word));
  const auto got = field ? field->text() : std::nullopt;
  if (!got || *got == word) return;
  const auto stop = [&](std::string message, std::string_view hint) {
    field->error(std::move(message), std::string(hint));
    throw InputError(field->reading().findings());
  };
  for (const OtherFormat& other : others)
    if (*got == other.word) stop(fmt::format("= {}: {}", in_quotes(*got), other.message), other.hint);
  for (const OtherFormat& format : formats)
    if (*got == format.word)
      stop(fmt::format("= {}: this is {}, not {}", in_quotes(*got), format.message, kind_of_format(word)),
           format.hint);
  stop(fmt::format("= {}, expected {}", in_quotes(*got), word), "was it written for a newer Fathom?");
}

void check_name(const Field& field, const std::string& name) {
  if (!is_plain_name(name))
    field.error(fmt::format("= {}, expected at most 64 letters, digits, - and _, a letter or digit first",
                            in_quotes(name)),
                "names become file names");
}

}  // namespace fathom::yaml
