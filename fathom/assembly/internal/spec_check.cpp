#include "fathom/assembly/internal/spec_check.hpp"

#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "fathom/base/text.hpp"

namespace fathom::assembly::internal {
namespace {

constexpr double farthest = 1e6;  // m; no assembly is larger, and within it lengths keep a micrometre

void check_name(Findings& findings, const std::string& key, const std::string& name) {
  if (name.empty())
    add_error(findings, key, "is empty", "give each a name of its own");
  else if (!is_plain_name(name))
    add_error(findings, key,
              fmt::format("= {}, expected at most 64 letters, digits, - and _, a letter or digit first",
                          in_quotes(name)),
              name.size() > 64 ? "shorter names; those of nested assemblies are put together" : "");
}

bool is_near(const Vec3& point) { return point.allFinite() && point.cwiseAbs().maxCoeff() <= farthest; }

void check_module(Findings& findings, const Module& module, const std::string& key) {
  check_name(findings, key + ".name", module.name);
  if (module.pose && !is_near(module.pose->p_pc_p))
    add_error(findings, key + ".position", fmt::format("of {} is not finite or beyond 1000 km", module.name),
              "m");
  if (module.pose && !(std::abs(module.pose->q_pc.norm() - 1) < 1e-6))
    add_error(findings, key + ".attitude", fmt::format("of {} is not a rotation", module.name),
              "a quaternion of length 1");
  std::set<std::string> seen;
  for (std::size_t k = 0; k < module.connectors.size(); ++k) {
    const model::Connector& connector = module.connectors[k];
    const std::string its_key = fmt::format("{}.connectors[{}]", key, k);
    check_name(findings, its_key + ".name", connector.name);
    if (!seen.insert(connector.name).second)
      add_error(
          findings, its_key + ".name",
          fmt::format("= {}: {} has a connector of that name already", in_quotes(connector.name), module.name),
          "its robot's file may have it; give each a name of its own");
    if (!is_near(connector.position_b.value) || !connector.attitude_rpy.value.allFinite())
      add_error(findings, its_key,
                fmt::format("{} of {} is not finite or beyond 1000 km", in_quotes(connector.name), module.name),
                "m, rad");
  }
}

void check_ends(Findings& findings, const AssemblySpec& spec, std::size_t k,
                std::map<std::array<std::size_t, 2>, std::size_t>& used) {
  const Coupling& coupling = spec.couplings[k];
  const std::string key = fmt::format("couplings[{}]", k);
  for (const End& end : coupling.ends)
    if (end.module >= spec.modules.size() || end.connector >= spec.modules[end.module].connectors.size())
      return add_error(findings, key,
                       fmt::format("{} is between connectors that do not exist", in_quotes(coupling.name)),
                       "by index, of modules and of their connectors");
  if (coupling.ends[0].module == coupling.ends[1].module)
    return add_error(findings, key,
                     fmt::format("{} couples {} with itself", in_quotes(coupling.name),
                                 spec.modules[coupling.ends[0].module].name),
                     "between: connectors of two modules");
  for (const End& end : coupling.ends) {
    const auto [first, is_new] = used.emplace(std::array{end.module, end.connector}, k);
    if (!is_new)
      add_error(findings, key,
                fmt::format("{} uses {}, which {} uses already", in_quotes(coupling.name), end_name(spec, end),
                            in_quotes(spec.couplings[first->second].name)),
                "a connector takes one other; give the module another connector");
  }
}

/// Of modules or couplings.
template <class Items>
void check_unique(Findings& findings, const std::string& list, const Items& items) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t k = 0; k < items.size(); ++k)
    if (const auto [first, is_new] = seen.emplace(items[k].name, k); !is_new && !items[k].name.empty())
      add_error(findings, fmt::format("{}[{}].name", list, k),
                fmt::format("= {} is used twice", in_quotes(items[k].name)), "give each a name of its own");
}

}  // namespace

Findings check_spec(const AssemblySpec& spec) {
  Findings findings;
  check_name(findings, "name", spec.name);
  if (spec.modules.empty())
    add_error(findings, "modules", "is empty", "at least one {name: A, robot: bluerov2-heavy}");
  const auto too_many = [&](const char* list, std::size_t count, std::size_t most) {
    if (count > most)
      add_error(findings, list, fmt::format("has {} entries, at most {}", count, most), "several assemblies?");
    return count > most;
  };
  if (too_many("modules", spec.modules.size(), most_modules) ||
      too_many("couplings", spec.couplings.size(), most_couplings))
    return findings;
  check_unique(findings, "modules", spec.modules);
  check_unique(findings, "couplings", spec.couplings);
  for (std::size_t k = 0; k < spec.modules.size(); ++k)
    check_module(findings, spec.modules[k], fmt::format("modules[{}]", k));
  std::map<std::array<std::size_t, 2>, std::size_t> used;
  for (std::size_t k = 0; k < spec.couplings.size(); ++k) {
    const std::string key = fmt::format("couplings[{}]", k);
    check_name(findings, key + ".name", spec.couplings[k].name);
    if (!std::isfinite(spec.couplings[k].turn))
      add_error(findings, key + ".turn_deg",
                fmt::format("of {} is not finite", in_quotes(spec.couplings[k].name)), "an angle");
    check_ends(findings, spec, k, used);
  }
  if (!(spec.tolerance.distance >= 0 && spec.tolerance.distance <= farthest))
    add_error(findings, "tolerance.distance", fmt::format("= {}, must be >= 0 m", spec.tolerance.distance));
  if (!(spec.tolerance.angle >= 0 && spec.tolerance.angle <= std::numbers::pi))
    add_error(findings, "tolerance.angle_deg", "must be 0 to 180 degrees");
  return findings;
}

}  // namespace fathom::assembly::internal
