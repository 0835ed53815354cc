#include "fathom/model/internal/command_path.hpp"

#include <fmt/format.h>

namespace fathom::model {

std::string_view name_of(CommandPath::By by) { return by == CommandPath::By::wrench ? "wrench" : "axes"; }

namespace internal {
namespace {

constexpr double largest_dead_band = 1e4;                               // N; no thruster of a robot has more
constexpr double smallest_saturation = 1e-3, largest_saturation = 1e4;  // N
constexpr double smallest_gain = 0.01, largest_gain = 100;              // beyond, a unit is wrong

void check_value(Findings& findings, const std::string& key, const std::optional<Value<double>>& value,
                 double least, double most, const char* hint) {
  if (!value) return;
  if (!(value->value >= least && value->value <= most))
    add_error(findings, key, fmt::format("= {}, must be from {:g} to {:g}", value->value, least, most), hint);
  if (value->sigma && !(*value->sigma >= 0))
    add_error(findings, key + ".sigma", fmt::format("= {}, must be >= 0", *value->sigma),
              "0 holds the value; without sigma it is looked for");
}

}  // namespace

Findings check_command_path(const CommandPath& command_path, const std::vector<Thruster>& thrusters) {
  Findings findings;
  check_value(findings, "command_path.dead_band", command_path.dead_band, 0, largest_dead_band,
              "N: what a thruster must be told before it gives anything");
  check_value(findings, "command_path.gain", command_path.gain, smallest_gain, largest_gain,
              "force in the water over what map or command say");
  check_value(findings, "command_path.saturation", command_path.saturation, smallest_saturation,
              largest_saturation, "N: the most that a thruster gives, however much it is commanded");
  if (thrusters.empty())
    add_error(findings, "command_path", "has no thrusters to share commands out to",
              "add thrusters, or leave it out");
  for (const Thruster& thruster : thrusters) {
    if (command_path.by == CommandPath::By::axes && thruster.command_unit() != CommandUnit::normalized)
      add_error(findings, "command_path.by",
                fmt::format("= axes, but thruster {} takes no commands from -1 to 1", thruster.name),
                "give it a map whose command is normalized");
    if (command_path.dead_band && thruster.map)
      add_error(findings, "command_path.dead_band",
                fmt::format("is for thrusters that take newton, but {} has a map", thruster.name),
                "the map has a dead_band of its own");
    if (command_path.saturation && thruster.map)
      add_error(findings, "command_path.saturation",
                fmt::format("is for thrusters that take newton, but {} has a map", thruster.name),
                "the map ends at the range of its command");
    if (!findings.empty()) break;  // the others are most likely alike
  }
  return findings;
}

}  // namespace internal
}  // namespace fathom::model
