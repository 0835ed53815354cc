#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "fathom/assembly/internal/spec_check.hpp"
#include "fathom/base/text.hpp"

namespace fathom::assembly::internal {
namespace {

/// Half of the sides of the box around a hull, whose middle is that of the water that it displaces.
std::optional<Vec3> half_size_of(const Module& module) {
  const model::Hull& hull = module.robot.hull();
  if (!hull.size) return std::nullopt;
  return 0.5 * hull.size->value;
}
Vec3 middle_of(const Module& module) { return module.robot.hull().centre_of_buoyancy.value; }

/// The middle of b is within the box of a.
bool holds(const Module& a, const Pose& pose_a, const Module& b, const Pose& pose_b) {
  const std::optional<Vec3> half = half_size_of(a);
  if (!half) return false;
  const Vec3 point = pose_a.inverse() * (pose_b * middle_of(b)) - middle_of(a);
  return (point.cwiseAbs().array() < half->array()).all();
}

/// How far from its origin a module can hold the origin of another.
double reach_of(const Module& module) {
  const std::optional<Vec3> half = half_size_of(module);
  return middle_of(module).norm() + (half ? half->norm() : 0);
}

std::string room_text(const AssemblySpec& spec, const Placement& placement, std::size_t i, std::size_t j) {
  const Module &a = spec.modules[i], &b = spec.modules[j];
  const Pose &pose_a = placement.poses[i], &pose_b = placement.poses[j];
  const Misfit apart = misfit(pose_a, pose_b, Pose());
  if (apart.distance <= spec.tolerance.distance && apart.angle <= spec.tolerance.angle)
    return fmt::format("{} is in the same place as {}", in_quotes(b.name), in_quotes(a.name));
  if (holds(a, pose_a, b, pose_b))
    return fmt::format("{} is inside {}: its middle is within that one's hull.size", in_quotes(b.name),
                       in_quotes(a.name));
  if (holds(b, pose_b, a, pose_a))
    return fmt::format("{} is around {}: that one's middle is within its hull.size", in_quotes(b.name),
                       in_quotes(a.name));
  return "";
}

/// Of modules in one frame: sorted along the axis on which they spread most, each meets only its neighbours.
void check_group(const AssemblySpec& spec, const Placement& placement, std::vector<std::size_t> group,
                 Findings& findings) {
  Vec3 least = Vec3::Constant(std::numeric_limits<double>::infinity()), most = -least;
  double farthest_reach = 0;
  for (const std::size_t k : group) {
    least = least.cwiseMin(placement.poses[k].p_pc_p);
    most = most.cwiseMax(placement.poses[k].p_pc_p);
    farthest_reach = std::max(farthest_reach, reach_of(spec.modules[k]));
  }
  Eigen::Index axis = 0;
  (most - least).maxCoeff(&axis);
  const auto along = [&](std::size_t k) { return placement.poses[k].p_pc_p[axis]; };
  std::sort(group.begin(), group.end(),
            [&](std::size_t i, std::size_t j) { return std::pair(along(i), i) < std::pair(along(j), j); });
  // One's reach beyond its origin, and the other's middle beyond its own.
  const double near = 2 * farthest_reach + spec.tolerance.distance;
  for (std::size_t i = 0; i < group.size(); ++i)
    for (std::size_t j = i + 1; j < group.size() && along(group[j]) - along(group[i]) <= near; ++j) {
      const auto [first, second] = std::minmax(group[i], group[j]);
      if ((placement.poses[first].p_pc_p - placement.poses[second].p_pc_p).norm() > near) continue;
      const std::string text = room_text(spec, placement, first, second);
      if (text.empty()) continue;
      add_error(findings, fmt::format("modules[{}]", second), text,
                "is a connector's x axis pointing into the hull, or the wrong one coupled?");
      if (findings.size() >= most_findings) return;
    }
}

/// Connectors that no coupling uses, by module.
std::vector<std::vector<std::size_t>> free_connectors(const AssemblySpec& spec) {
  std::vector<std::vector<bool>> used(spec.modules.size());
  for (std::size_t k = 0; k < used.size(); ++k) used[k].resize(spec.modules[k].connectors.size());
  for (const Coupling& coupling : spec.couplings)
    for (const End& end : coupling.ends) used[end.module][end.connector] = true;
  std::vector<std::vector<std::size_t>> free(spec.modules.size());
  for (std::size_t m = 0; m < used.size(); ++m)
    for (std::size_t c = 0; c < used[m].size(); ++c)
      if (!used[m][c]) free[m].push_back(c);
  return free;
}

/// A free connector of each of two clusters: the nearest two, or the first two where distances mean nothing.
struct Pair {
  std::optional<End> a, b;
  std::optional<double> distance;
};
Pair nearest_pair(const AssemblySpec& spec, const Placement& placement,
                  const std::vector<std::vector<std::size_t>>& free, std::size_t cluster_a,
                  std::size_t cluster_b) {
  Pair best;
  const auto count = [&](std::size_t cluster) {
    std::size_t sum = 0;
    for (const std::size_t m : placement.clusters[cluster]) sum += free[m].size();
    return sum;
  };
  constexpr std::size_t most_pairs = 10'000'000;
  const bool is_known = placement.is_placed[cluster_a] && placement.is_placed[cluster_b] &&
                        count(cluster_a) <= most_pairs / std::max<std::size_t>(1, count(cluster_b));
  const auto point = [&](const End& end) -> Vec3 {
    return placement.poses[end.module] * connector_at(spec, end).position_b.value;
  };
  for (const std::size_t m : placement.clusters[cluster_a])
    for (const std::size_t c : free[m]) {
      if (!best.a) best.a = End{m, c};
      if (!is_known && best.b) return best;
      for (const std::size_t n : placement.clusters[cluster_b])
        for (const std::size_t d : free[n]) {
          const double distance = is_known ? (point({m, c}) - point({n, d})).norm() : 0;
          if (best.b && !(is_known && distance < *best.distance)) continue;
          best = {End{m, c}, End{n, d}, is_known ? std::optional(distance) : std::nullopt};
        }
    }
  return best;
}

std::string coupling_hint(const AssemblySpec& spec, const Pair& pair, const std::string& floating) {
  if (!pair.a) return fmt::format("{} has no free connector: give it one under connectors", floating);
  if (!pair.b) return "nothing else has a free connector: give one of the others more";
  const std::string ends = fmt::format("between: [{}, {}]", end_name(spec, *pair.b), end_name(spec, *pair.a));
  return pair.distance ? fmt::format("{}, the nearest free ones, {:.0f} mm apart", ends, 1e3 * *pair.distance)
                       : fmt::format("couple it, such as {}", ends);
}

}  // namespace

Findings check_room(const AssemblySpec& spec, const Placement& placement) {
  Findings findings;
  std::vector<std::size_t> placed;  // by the file: clusters that share its frame
  for (std::size_t k = 0; k < placement.clusters.size() && findings.size() < most_findings; ++k)
    if (placement.is_placed[k])
      placed.insert(placed.end(), placement.clusters[k].begin(), placement.clusters[k].end());
    else
      check_group(spec, placement, placement.clusters[k], findings);
  if (!placed.empty() && findings.size() < most_findings)
    check_group(spec, placement, std::move(placed), findings);
  return findings;
}

Findings check_one_cluster(const AssemblySpec& spec, const Placement& placement) {
  Findings findings;
  if (!spec.one_cluster || placement.clusters.size() < 2) return findings;
  const auto free = free_connectors(spec);
  for (std::size_t k = 1; k < placement.clusters.size() && findings.size() < most_findings; ++k) {
    const std::size_t first = placement.clusters[k].front();
    const std::string& name = spec.modules[first].name;
    const std::size_t more = placement.clusters[k].size() - 1;
    add_error(findings, fmt::format("modules[{}]", first),
              fmt::format("{} floats free{}: no coupling leads from it to {}, and one_cluster is true",
                          in_quotes(name), more ? fmt::format(", with {} more", more) : "",
                          in_quotes(spec.modules.front().name)),
              coupling_hint(spec, nearest_pair(spec, placement, free, k, 0), name));
  }
  return findings;
}

}  // namespace fathom::assembly::internal
