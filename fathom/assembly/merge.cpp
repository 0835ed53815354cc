#include "fathom/assembly/merge.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fathom/assembly/internal/merge_hull.hpp"
#include "fathom/assembly/internal/merge_parts.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"

namespace fathom::assembly {
namespace internal {

bool are_alike(const MergePart& a, const MergePart& b) {
  return a.robot_file == b.robot_file && (!a.robot_file.empty() || a.robot->name() == b.robot->name());
}

std::string robots_of(std::span<const MergePart> parts) {
  std::vector<std::string> names;
  std::map<std::string, int> count;
  for (const MergePart& part : parts)
    if (++count[part.robot->name()] == 1) names.push_back(part.robot->name());
  for (std::string& name : names)
    if (count[name] > 1) name = fmt::format("{} x {}", count[name], name);
  return join(names, ", ");
}

namespace {

/// Of all parts, as long as anybody reads them.
std::string names_of(std::span<const MergePart> parts) {
  constexpr std::size_t most = 20;
  std::vector<std::string> names;
  for (const MergePart& part : parts.first(std::min(parts.size(), most))) names.push_back(part.name);
  const std::string more = parts.size() > most ? fmt::format(" and {} more", parts.size() - most) : "";
  return fmt::format("the module{} {}{}", parts.size() > 1 ? "s" : "", join(names, ", "), more);
}

/// Poses in the axes of the first part, about the wanted origin.
void choose_origin(std::vector<MergePart>& parts, MergeOptions::Origin origin) {
  const Pose first = parts.front().pose.inverse();
  for (MergePart& part : parts) part.pose = first * part.pose;
  parts.front().pose = Pose();
  Vec3 centre = Vec3::Zero();
  if (origin == MergeOptions::Origin::centre_of_mass) {
    std::vector<PlacedHull> hulls;
    for (const MergePart& part : parts) hulls.push_back({&part.robot->hull(), part.pose});
    centre = numbers_of(hulls).centre_of_mass;
  }
  double arm = 0;  // m
  for (MergePart& part : parts) {
    part.pose.p_pc_p -= centre;
    arm = std::max(arm, part.pose.p_pc_p.norm());
  }
  for (MergePart& part : parts) part.pose.p_pc_p = without_rounding(part.pose.p_pc_p, arm);
}

void tell_identified(std::span<const MergePart> parts, std::vector<std::string>& losses) {
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto& identified = parts[k].robot->identified();
    const bool is_told = std::any_of(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(k),
                                     [&](const MergePart& before) { return are_alike(before, parts[k]); });
    if (identified && !is_told)
      losses.push_back(
          fmt::format("identified: what an estimate said of {}, {} parameters with their covariance",
                      parts[k].robot->name(), identified->parameters.size()));
  }
}

}  // namespace

Merged merge_parts(std::vector<MergePart> parts, const std::string& name, const MergeOptions& options) {
  if (parts.empty()) reject("cluster", "has no modules");
  choose_origin(parts, options.origin);
  model::RobotSpec spec;
  std::vector<std::string> losses;
  spec.name = name;
  spec.title = fmt::format("{}, docked, as one robot", robots_of(parts));
  spec.notes = fmt::format(
      "Merged from {}, taken as rigidly joined. Added mass and drag are the sums of what each has by itself: "
      "no water "
      "that flows between them, no shadow of one on another.",
      names_of(parts));
  merge_hulls(parts, spec, losses);
  merge_drag(parts, spec);
  merge_symmetry(parts, spec);
  merge_thrusters(parts, spec, losses);
  merge_sensors(parts, spec, losses);
  merge_connectors(parts, spec);
  tell_identified(parts, losses);
  Merged result{model::Robot::make(std::move(spec)), {}, std::move(losses)};
  for (const MergePart& part : parts) result.poses.push_back(part.pose);
  return result;
}

}  // namespace internal

namespace {

/// Names become file names, of at most 64 letters.
std::string name_of_cluster(const Assembly& assembly, std::size_t cluster) {
  constexpr std::size_t longest = 64;
  if (assembly.clusters().size() == 1) return assembly.name();
  const std::string number = fmt::format("-{}", cluster + 1);
  return assembly.name().substr(0, longest - number.size()) + number;
}

}  // namespace

Merged merge(std::span<const PlacedRobot> robots, const std::string& name, const MergeOptions& options) {
  std::vector<internal::MergePart> parts;
  for (const PlacedRobot& robot : robots)
    parts.push_back({robot.name, robot.robot, robot.robot_file, robot.pose});
  return internal::merge_parts(std::move(parts), name, options);
}

Merged merge(const Assembly& assembly, std::size_t cluster, const MergeOptions& options) {
  if (cluster >= assembly.clusters().size())
    reject("cluster", fmt::format("= {}, but {} has {} of them, counted from 0", cluster, assembly.name(),
                                  assembly.clusters().size()));
  std::vector<internal::MergePart> parts;
  std::vector<std::string> losses;
  for (const std::size_t k : assembly.clusters()[cluster]) {
    const Module& module = assembly.modules()[k];
    internal::MergePart part{module.name, &module.robot, module.robot_file, assembly.poses()[k]};
    for (std::size_t c = 0; c < module.connectors.size(); ++c) {
      const auto is_here = [&](const End& end) { return end.module == k && end.connector == c; };
      const bool is_mated = std::any_of(
          assembly.couplings().begin(), assembly.couplings().end(),
          [&](const Coupling& coupling) { return is_here(coupling.ends[0]) || is_here(coupling.ends[1]); });
      const model::Connector& connector = module.connectors[c];
      if (!is_mated) part.connectors.push_back(connector);
      const auto is_uncertain = [](const model::Value<Vec3>& value) {
        return value.sigma && !value.sigma->isZero(0);
      };
      if (is_mated && (is_uncertain(connector.position_b) || is_uncertain(connector.attitude_rpy)))
        losses.push_back(
            fmt::format("sigma of {}'s connector {}: modules are taken to sit exactly as the couplings say",
                        module.name, connector.name));
    }
    parts.push_back(std::move(part));
  }
  Merged merged = internal::merge_parts(std::move(parts), name_of_cluster(assembly, cluster), options);
  merged.losses.insert(merged.losses.end(), losses.begin(), losses.end());
  return merged;
}

}  // namespace fathom::assembly
