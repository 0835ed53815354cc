#include "fathom/exchange/lint.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/base/text.hpp"
#include "fathom/exchange/internal/lint_report.hpp"
#include "fathom/model/dof.hpp"

namespace fathom::exchange {

std::string_view name_of(Target target) { return target_names[static_cast<std::size_t>(target)]; }

Target target_from(const std::string& name) {
  const auto* const at = std::find(target_names.begin(), target_names.end(), name);
  if (at == target_names.end())
    reject("target", in_quotes(name) + " is no target", fmt::format("there are: {}", join(target_names, ", ")));
  return static_cast<Target>(at - target_names.begin());
}

Target target_of(Format format) {
  switch (format) {
    case Format::gz_sim: return Target::gz_sim;
    case Format::uuv_simulator: return Target::uuv_simulator;
    case Format::stonefish: return Target::stonefish;
    case Format::rdml:
    case Format::urdf:
    case Format::matlab: break;
  }
  return Target::fathom;
}

namespace internal {

void LintReport::add(std::string_view rule, Severity severity, std::string key, std::string message,
                     std::string hint) {
  LintFinding finding;
  finding.rule = rule;
  finding.severity = severity;
  if (const Place* place = place_of(key)) {
    finding.file = place->file;
    finding.line = place->line;
    finding.tag = place->tag;
  }
  finding.key = std::move(key);
  finding.message = std::move(message);
  finding.hint = std::move(hint);
  findings.push_back(std::move(finding));
}

namespace {

/// damping[0].quadratic[2] -> damping[0].quadratic.w[2][2], as files with a matrix for each speed have it.
std::string with_velocity(const std::string& name) {
  constexpr std::string_view word = ".quadratic[";
  const std::size_t at = name.find(word);
  if (at == std::string::npos || at + word.size() + 2 != name.size()) return "";
  const std::string entry = name.substr(name.size() - 3);
  const int index = entry[1] - '0';
  if (index < 0 || index > 5) return "";
  return fmt::format("{}.{}{}{}", name.substr(0, name.size() - 3), model::velocity_name(index), entry, entry);
}

}  // namespace

const Place* LintReport::place_of(const std::string& key) const {
  const auto& places = options.places;
  const auto find = [&](const std::string& name) -> const Place* {
    const auto at = places.find(name);
    return at == places.end() ? nullptr : &at->second;
  };
  for (std::string name = key; !name.empty();) {
    if (const Place* place = find(name)) return place;
    // A diagonal entry has two names: added_mass[2] and added_mass[2][2].
    if (const std::size_t open = name.rfind('['); name.back() == ']' && name[open - 1] != ']')
      if (const Place* place = find(name + name.substr(open))) return place;
    if (const std::string full = with_velocity(name); !full.empty())
      if (const Place* place = find(full)) return place;
    // A matrix whose entries stand apart is where its first entry is.
    const auto below = places.lower_bound(name);
    if (below != places.end() && below->first.starts_with(name)) return &below->second;
    const std::size_t cut = name.find_last_of(".[");
    name.resize(cut == std::string::npos ? 0 : cut);
  }
  return nullptr;
}

bool is_sound(double x) { return std::abs(x) <= 1e12; }  // as model's checks
bool is_sound(const model::QuadraticDrag& drag) {
  return std::all_of(drag.by_speed.begin(), drag.by_speed.end(), [](const Mat6& Q) { return is_sound(Q); });
}
bool is_body(double x) { return x > 1e-12 && is_sound(x); }

std::string entry_key(const std::string& name, Eigen::Index i, Eigen::Index j) {
  return i == j ? fmt::format("{}[{}]", name, i) : fmt::format("{}[{}][{}]", name, i, j);
}

std::string twist_text(const Vec6& nu) {
  return fmt::format("[{:.3g}, {:.3g}, {:.3g}, {:.3g}, {:.3g}, {:.3g}]", nu[0], nu[1], nu[2], nu[3], nu[4],
                     nu[5]);
}

}  // namespace internal

LintFindings lint_model(const model::RobotSpec& spec, const LintOptions& options) {
  internal::LintReport report(spec, options);
  internal::lint_numbers(report);
  internal::lint_inertia(report);
  internal::lint_damping(report);
  internal::lint_buoyancy(report);
  internal::lint_scale(report);
  internal::lint_places(report);
  internal::lint_thrusters(report);
  internal::lint_timing(report);
  internal::lint_target(report);
  // What matters most stands first.
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const LintFinding& a, const LintFinding& b) { return a.severity > b.severity; });
  return std::move(report.findings);
}

const std::vector<LintRule>& lint_rules() {
  static const std::vector<LintRule> rules = {
      {"not-finite", "a number that is NaN, infinite or beyond 1e12",
       "every step of a simulation would be NaN"},
      {"no-body", "mass or volume that is not positive",
       "forces accelerate it without limit, or nothing bears it"},
      {"rigid-inertia", "moments of inertia that no body has", "physics engines refuse it or spin it up"},
      {"asymmetric-inertia", "added mass that is not its own mirror image",
       "motion round a closed path gains energy"},
      {"added-mass-sign", "negative added mass", "the water pushes the vehicle on as it speeds up"},
      {"indefinite-inertia", "M_a or M that is indefinite", "a push makes it accelerate backwards"},
      {"damping-sign", "damping of the wrong sign", "a simulation speeds up by itself"},
      {"damping-energy", "cross terms that generate energy", "a simulation speeds up by itself"},
      {"damping-unproved", "cross terms that cannot be proved to dissipate",
       "a motion may be found that gains energy"},
      {"damping-missing", "a velocity without damping", "the vehicle never stops there"},
      {"density", "mass over volume that no vehicle has", "the weight that is not borne drives every motion"},
      {"net-buoyancy", "net weight or lift beyond 5 % of the weight", "the thrusters must hold it for ever"},
      {"upside-down", "the centre of buoyancy below the centre of mass", "the vehicle turns over"},
      {"rest-attitude", "a rest attitude more than 15 degrees from level", "left alone the vehicle lies askew"},
      {"hull-size", "a hull that is too large or too small for its volume",
       "drag and added mass go by the size"},
      {"scale-inertia", "moments of inertia that do not go with the hull's size",
       "it turns too slowly or too quickly"},
      {"scale-added-mass", "added mass that does not go with the hull's size",
       "it gains speed too slowly or too quickly"},
      {"scale-damping", "damping that does not go with the hull's size", "it is far too slow or too fast"},
      {"added-mass-missing", "no added mass along an axis", "it gains speed as if there were no water"},
      {"far-away", "thrusters or sensors outside the vehicle", "levers that it has not"},
      {"centres-apart", "centres of mass and buoyancy too far apart", "it rights itself like a long pendulum"},
      {"degrees", "angles in degrees that are read as radians", "forces point anywhere"},
      {"thruster-direction", "a thruster without direction", "its axis is NaN"},
      {"thruster-rank", "thrusters that span fewer directions than they could",
       "no controller can hold the vehicle there"},
      {"thruster-copy", "two thrusters on one line of force", "together they do what one does"},
      {"allocation", "an allocation matrix that is not that of the poses",
       "the controller pushes another way than the thrusters"},
      {"sensor-rate", "a rate that no such sensor has", "a simulation takes as many steps, or sees no sample"},
      {"time-constant", "a lag or latency that no thruster or sensor has",
       "a simulation needs steps as short, or the vehicle hardly feels its thrusters"},
      {"explicit-added-mass", "added mass beyond what a simulator's explicit scheme bears",
       "the simulation diverges, however short its steps"},
      {"gz-coriolis", "added mass as xDotU ... nDotR, for gz-sim", "its Coriolis force has the wrong sign"},
      {"mean-added-mass", "added mass that differs by direction, for Stonefish",
       "it has one for all directions"},
      {"drives-one-way", "terms of a file that do not turn with the motion", "they drive the vehicle one way"},
      {"not-judged", "what a file holds and no rule looks at", "it may be wrong, and nothing is said of it"},
  };
  return rules;
}

bool is_rule(std::string_view name) {
  return std::ranges::any_of(lint_rules(), [&](const LintRule& rule) { return rule.name == name; });
}

}  // namespace fathom::exchange
