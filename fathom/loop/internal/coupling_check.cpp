#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/assembly/assembly.hpp"
#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/loop/internal/scenario_builder.hpp"

namespace fathom::loop {

bool is_same_place(const CouplingEnd& a, const CouplingEnd& b) {
  return a.vehicle == b.vehicle && a.pose_b.p_pc_p == b.pose_b.p_pc_p &&
         a.pose_b.q_pc.coeffs() == b.pose_b.q_pc.coeffs();
}

std::string name_of(const CouplingEnd& end, const Scenario& scenario) {
  const std::string& vehicle = scenario.vehicles[end.vehicle].name;
  if (!end.connector.empty()) return fmt::format("{}.{}", vehicle, end.connector);
  const Vec3& p = end.pose_b.p_pc_p;
  return fmt::format("{} at [{:g}, {:g}, {:g}]", vehicle, p.x(), p.y(), p.z());
}

}  // namespace fathom::loop

namespace fathom::loop::internal {
namespace {

constexpr double most_lean = 1e-9;  // rad, as of a start that has to be level

Pose pose_of(const dynamics::State& state) { return {state.q_nb, state.p_nb_n}; }

/// The start that would close it, for people to copy.
std::string start_of(const Pose& pose_n) {
  const Vec3 &p = pose_n.p_pc_p, rpy = degrees * euler_from_quaternion(pose_n.q_pc);
  return fmt::format("start: {{position: [{:.4f}, {:.4f}, {:.4f}], attitude_deg: [{:.3f}, {:.3f}, {:.3f}]}}",
                     p.x(), p.y(), p.z(), rpy.x(), rpy.y(), rpy.z());
}

void check_fit(Findings& findings, const std::string& key, const Scenario& scenario,
               const CouplingScenario& coupling) {
  const VehicleScenario &a = scenario.vehicles[coupling.ends[0].vehicle],
                        &b = scenario.vehicles[coupling.ends[1].vehicle];
  const Pose& end_b = coupling.ends[1].pose_b;
  const Pose wanted = assembly::mated_pose(coupling.ends[0].pose_b, end_b, coupling.turn);
  const Pose actual = pose_of(a.start).inverse() * pose_of(b.start);
  const assembly::Misfit gap = assembly::misfit(actual, wanted, end_b);
  const assembly::Tolerance tolerance;
  if (gap.distance > tolerance.distance || gap.angle > tolerance.angle)
    add_error(
        findings, key,
        fmt::format("({}) is closed from the start, but its ends are {:.1f} mm and {:.2f} degrees from fitting",
                    coupling.name, 1e3 * gap.distance, degrees * gap.angle),
        fmt::format("{} without start and reference goes where it fits; so does {}", b.name,
                    start_of(pose_of(a.start) * wanted)));
}

/// How far the z axes of two bodies are apart, rad.
double lean_of(const Quat& q) {
  return 2 * std::asin(std::min(1.0, (q * Vec3::UnitZ() - Vec3::UnitZ()).norm() / 2));
}

/// Both hold the same still, and fit level where they stay level. Good where not told.
bool check_dof(Findings& findings, const std::string& key, const Scenario& scenario,
               const CouplingScenario& coupling) {
  const VehicleScenario &a = scenario.vehicles[coupling.ends[0].vehicle],
                        &b = scenario.vehicles[coupling.ends[1].vehicle];
  const int dof = static_cast<int>(a.dof);
  if (a.dof != b.dof) {
    add_error(findings, key,
              fmt::format("({}) couples {} with {} degrees of freedom to {} with {}", coupling.name, a.name,
                          dof, b.name, static_cast<int>(b.dof)),
              "give both the same dof");
    return false;
  }
  if (a.dof == model::Dof::six) return true;
  const Pose mated = assembly::mated_pose(coupling.ends[0].pose_b, coupling.ends[1].pose_b, coupling.turn);
  const double lean = lean_of(mated.q_pc), at_start = lean_of(a.start.q_nb.conjugate() * b.start.q_nb);
  const double tolerance = coupling.closed ? assembly::Tolerance().angle : coupling.latch->angle;
  if (lean <= tolerance && (!coupling.closed || at_start <= most_lean)) return true;
  add_error(
      findings, key,
      fmt::format("({}) makes {} lean by {:.3g} degrees against {}, but {} degrees of freedom hold both level",
                  coupling.name, b.name, degrees * lean, a.name, dof),
      "dof: 6, or another turn_deg or connector");
  return false;
}

}  // namespace

Findings check_couplings(const std::vector<std::string>& keys, const Scenario& scenario) {
  Findings findings;
  const auto& couplings = scenario.couplings;
  for (std::size_t i = 0; i < couplings.size(); ++i) {
    if (!check_dof(findings, keys[i], scenario, couplings[i]) || !couplings[i].closed) continue;
    check_fit(findings, keys[i], scenario, couplings[i]);
    for (std::size_t j = 0; j < i; ++j)
      for (const CouplingEnd& mine : couplings[i].ends)
        for (const CouplingEnd& other : couplings[j].ends)
          if (couplings[j].closed && is_same_place(mine, other))
            add_error(findings, keys[i],
                      fmt::format("({}) is closed at {}, which {} holds already", couplings[i].name,
                                  name_of(mine, scenario), couplings[j].name),
                      "a connector holds one coupling at a time");
  }
  return findings;
}

Findings check_joined(const std::string& key, const Scenario& scenario,
                      const std::vector<std::size_t>& members) {
  Findings findings;
  std::vector<std::size_t> reached = {members.front()};
  const auto is_in = [](const std::vector<std::size_t>& list, std::size_t k) {
    return std::find(list.begin(), list.end(), k) != list.end();
  };
  for (std::size_t next = 0; next < reached.size(); ++next)
    for (const CouplingScenario& coupling : scenario.couplings)
      for (const auto& [from, to] : {std::pair(0, 1), std::pair(1, 0)}) {
        const std::size_t other = coupling.ends[static_cast<std::size_t>(to)].vehicle;
        if (coupling.ends[static_cast<std::size_t>(from)].vehicle == reached[next] && is_in(members, other) &&
            !is_in(reached, other))
          reached.push_back(other);
      }
  for (const std::size_t member : members)
    if (!is_in(reached, member))
      add_error(findings, key,
                fmt::format("has {}, which floats free: no coupling joins it to {}",
                            scenario.vehicles[member].name, scenario.vehicles[members.front()].name),
                "add it under couplings, or leave the vehicle out");
  return findings;
}

}  // namespace fathom::loop::internal
