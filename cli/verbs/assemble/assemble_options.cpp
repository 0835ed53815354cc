#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/geometry/rotation.hpp"

#include "cli/terminal/number_text.hpp"
#include "cli/verbs/assemble/assemble_result.hpp"

namespace fathom::cli {
namespace {

/// "NAME=NUMBER, ..." with each of `names` at most once; by name, 0 where it is not said.
template <std::size_t n>
std::array<double, n> values_in(std::string_view text, const std::string& option,
                                const std::array<std::string_view, n>& names, const char* example) {
  std::array<double, n> values{};
  std::array<bool, n> said{};
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view part = trimmed(text.substr(0, comma));
    const std::size_t equals = part.find('=');
    const std::string_view name = trimmed(part.substr(0, equals));
    const auto number =
        equals == std::string_view::npos ? std::nullopt : number_in(trimmed(part.substr(equals + 1)));
    if (!number)
      reject(option, fmt::format("has {}, expected NAME=NUMBER", in_quotes(part)),
             fmt::format("such as {}", example));
    const auto found = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (found == n)
      reject(option,
             fmt::format("has the unknown name {}, expected one of {}", in_quotes(name), join(names, ", ")),
             fmt::format("such as {}", example));
    if (said[found]) reject(option, fmt::format("says {} twice", name), "once is enough");
    said[found] = true;
    values[found] = *number;
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

assembly::Push push_of(const std::string& text, const assembly::Assembly& assembly) {
  constexpr const char* example = "\"A: X=10, N=2\", N and N m on module A in its own axes";
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    reject("--push", fmt::format("= {}, expected MODULE: AXIS=NUMBER, ...", in_quotes(text)),
           fmt::format("such as {}", example));
  const std::string name(trimmed(std::string_view(text).substr(0, colon)));
  std::vector<std::string_view> names;
  for (const assembly::Module& module : assembly.modules()) names.push_back(module.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    reject("--push", fmt::format("is on {}, which is no module of {}", in_quotes(name), assembly.name()),
           did_you_mean(name, names, fmt::format("there are {}", join(names, ", "))));
  const std::array<double, 6> wrench =
      values_in<6>(std::string_view(text).substr(colon + 1), "--push", {"X", "Y", "Z", "K", "M", "N"}, example);
  return {static_cast<std::size_t>(found - names.begin()), Eigen::Map<const Vec6>(wrench.data())};
}

Quat pose_of(const std::string& text) {
  const std::array<double, 2> angles =
      values_in<2>(text, "--pose", {"roll", "pitch"}, "\"roll=90, pitch=10\", in degrees");
  return quaternion_from_euler({angles[0] / degrees, angles[1] / degrees, 0});
}

}  // namespace fathom::cli
