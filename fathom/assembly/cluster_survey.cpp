#include "fathom/assembly/cluster_survey.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::assembly {
namespace {

LoadCase case_of(std::string name, std::string what, bool has_weight, LoadsAtRest::Answer answer) {
  return {std::move(name), std::move(what), has_weight, answer.acceleration_b, std::move(answer.loads)};
}

std::string attitude_text(const Quat& q_nb) {
  const Vec3 rpy = degrees * euler_from_quaternion(q_nb);
  return fmt::format("roll {:.2f}, pitch {:.2f} deg", rpy.x() + 0.0, rpy.y() + 0.0);
}

/// Of the merged robot's thrusters, which come module by module, the forces as wrenches on the modules.
std::vector<Vec6> wrenches_of(const Assembly& assembly, const std::vector<std::size_t>& modules,
                              const std::vector<double>& forces) {
  std::vector<Vec6> wrenches;
  std::size_t first = 0;
  for (const std::size_t module : modules) {
    const Mat6X B = model::allocation_matrix(assembly.modules()[module].robot);
    const auto n = static_cast<std::size_t>(B.cols());
    wrenches.emplace_back(B * Eigen::Map<const Eigen::VectorXd>(forces.data() + first, B.cols()));
    first += n;
  }
  return wrenches;
}

void add_push(ClusterSurvey& out, const LoadsAtRest& at_rest, const SurveyOptions& options) {
  std::vector<Vec6> wrenches(out.modules.size(), Vec6::Zero());
  bool any = false;
  for (const Push& push : options.pushes) {
    const auto found = std::find(out.modules.begin(), out.modules.end(), push.module);
    if (found == out.modules.end()) continue;
    wrenches[static_cast<std::size_t>(found - out.modules.begin())] += push.wrench_b;
    any = true;
  }
  if (any)
    out.cases.push_back(case_of("push", "the wrenches asked for, without weight and buoyancy", false,
                                at_rest.of_wrenches(wrenches)));
}

void add_cases(ClusterSurvey& out, const Assembly& assembly, const model::Environment& environment,
               const SurveyOptions& options, const std::vector<std::size_t>& failed) {
  const LoadsAtRest at_rest(assembly, out.cluster, environment);
  out.loops = at_rest.cluster().loops();
  for (std::size_t k = 0; k < out.couplings.size(); ++k) out.in_loop.push_back(at_rest.cluster().is_in_loop(k));
  out.cases.push_back(case_of("at rest", "weight and buoyancy, " + attitude_text(out.equilibrium.q_nb), true,
                              at_rest.of_weight(out.equilibrium.q_nb)));
  if (options.attitude)
    out.cases.push_back(case_of("posed", "weight and buoyancy, " + attitude_text(*options.attitude), true,
                                at_rest.of_weight(*options.attitude)));
  constexpr int surge = 0;
  if (const auto forces = dynamics::hardest_push(out.merged.robot, environment, surge, failed)) {
    const std::vector<Vec6> wrenches = wrenches_of(assembly, out.modules, *forces);
    const Vec6 total = model::allocation_matrix(out.merged.robot) *
                       Eigen::Map<const Eigen::VectorXd>(forces->data(), std::ssize(*forces));
    out.cases.push_back(case_of(
        "full surge", fmt::format("{:.1f} N ahead and nothing else, without weight and buoyancy", total[surge]),
        false, at_rest.of_wrenches(wrenches)));
  }
  add_push(out, at_rest, options);
}

}  // namespace

ClusterSurvey survey(const Assembly& assembly, std::size_t cluster, const model::Environment& environment,
                     const SurveyOptions& options) {
  ClusterSurvey out{.cluster = cluster,
                    .modules = assembly.clusters()[cluster],
                    .couplings = assembly.couplings_of(cluster),
                    .in_loop = {},
                    .loops = 0,
                    .merged = merge(assembly, cluster, options.merge),
                    .M = Mat6::Zero(),
                    .figures = {},
                    .equilibrium = {},
                    .reach = {},
                    .failed = {}};
  const model::Robot& robot = out.merged.robot;
  out.M = model::rigid_body_inertia(robot.hull()) + robot.hull().added_mass.value;
  out.figures = dynamics::figures_of(robot, environment);
  out.equilibrium = equilibrium(robot, environment);
  out.reach = dynamics::reach_of(robot, environment);
  std::vector<std::size_t> failed;
  for (std::size_t k = 0; k < robot.thrusters().size(); ++k) {
    const std::string& name = robot.thrusters()[k].name;
    if (std::find(options.failed.begin(), options.failed.end(), name) == options.failed.end()) continue;
    failed.push_back(k);
    out.failed.push_back(name);
  }
  if (!failed.empty()) out.reach_after = dynamics::reach_of(robot, environment, failed);
  add_cases(out, assembly, environment, options, failed);
  return out;
}

}  // namespace fathom::assembly
