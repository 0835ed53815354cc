#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "fathom/base/text.hpp"
#include "fathom/exchange/internal/flu.hpp"
#include "fathom/exchange/internal/uuv_conversion.hpp"

namespace fathom::exchange::internal {
namespace {

/// With a point: YAML 1.1, which ROS reads, takes 1e-3 for text.
std::string yaml_number(double value) {
  std::string text = fmt::format("{}", value == 0 ? 0.0 : value);
  const std::size_t exponent = text.find('e');
  if (text.find('.') == std::string::npos) text.insert(std::min(exponent, text.size()), ".0");
  return text;
}

std::string yaml_list(std::span<const double> values) {
  std::string text = "[";
  for (std::size_t k = 0; k < values.size(); ++k) (text += k ? ", " : "") += yaml_number(values[k]);
  return text + ']';
}

std::string conversion_word(const UuvConversion& conversion) {
  return conversion.rotor_constant ? "proportional" : "custom";
}

std::string conversion_params(const UuvConversion& conversion) {
  if (conversion.rotor_constant) return fmt::format("{{gain: {}}}", yaml_number(*conversion.rotor_constant));
  const UuvInverse inverse = inverse_of(conversion);
  return fmt::format("{{input: {}, output: {}}}", yaml_list(inverse.inputs), yaml_list(inverse.outputs));
}

bool all_same(const std::vector<std::string>& list) {
  return std::ranges::all_of(list, [&](const std::string& text) { return text == list.front(); });
}

/// The manager takes one limit for both directions.
double max_thrust(const model::Thruster& thruster, std::size_t k, double density, std::vector<Loss>& losses) {
  const model::ForceRange range =
      force_range(thruster, density).value_or(model::ForceRange{-no_limit_n, no_limit_n});
  const double forward = range.max, reverse = -range.min;
  if (forward > 0 && reverse > 0 && forward != reverse)
    losses.push_back({fmt::format("thrusters[{}].force", k),
                      fmt::format("in the thruster manager's file: one limit for both directions, {} N. The "
                                  "plug-in keeps {} and {} N",
                                  std::min(forward, reverse), range.min, range.max),
                      ""});
  return forward > 0 && reverse > 0 ? std::min(forward, reverse) : std::max(forward, reverse);
}

}  // namespace

std::string manager_yaml(const model::Robot& robot, const std::string& space,
                         const std::vector<UuvConversion>& conversions, double density,
                         std::vector<Loss>& losses) {
  std::vector<std::string> words, params;
  for (const UuvConversion& conversion : conversions) {
    words.push_back(conversion_word(conversion));
    params.push_back(conversion_params(conversion));
  }
  std::vector<double> limits;
  for (std::size_t k = 0; k < robot.thrusters().size(); ++k)
    limits.push_back(max_thrust(robot.thrusters()[k], k, density, losses));
  const bool one_limit = std::ranges::all_of(limits, [&](double limit) { return limit == limits.front(); });

  std::string text = "# of UUV Simulator's thruster manager; written by Fathom\nthruster_manager:\n";
  text += fmt::format("  tf_prefix: {}\n", space);
  text += "  base_link: base_link\n  thruster_topic_prefix: thrusters/\n  thruster_topic_suffix: /input\n";
  text += "  thruster_frame_base: thruster_\n";
  text += fmt::format("  max_thrust: {}\n", one_limit ? yaml_number(limits.front()) : yaml_list(limits));
  text += "  timeout: -1\n  update_rate: 50\n";
  if (all_same(words) && all_same(params))
    return text +
           fmt::format("  conversion_fcn: {}\n  conversion_fcn_params: {}\n", words.front(), params.front());
  text += fmt::format("  conversion_fcn: [{}]\n  conversion_fcn_params:\n", join(words, ", "));
  for (const std::string& param : params) text += fmt::format("    - {}\n", param);
  return text;
}

std::string tam_yaml(const model::Robot& robot) {
  const Mat6X B = allocation_matrix(robot);
  std::string text = "# X Y Z K M N over thrusters, axes forward, port, up; written by Fathom\ntam:\n";
  for (Eigen::Index i = 0; i < 6; ++i) {
    const double sign = i % 3 == 0 ? 1 : -1;  // as swap_frd_flu of a wrench
    std::vector<double> row;
    for (Eigen::Index k = 0; k < B.cols(); ++k) row.push_back(sign * B(i, k));
    text += fmt::format("- {}\n", yaml_list(row));
  }
  return text;
}

}  // namespace fathom::exchange::internal
