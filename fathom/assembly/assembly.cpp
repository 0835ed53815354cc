#include "fathom/assembly/assembly.hpp"

#include <utility>

#include "fathom/assembly/internal/placement.hpp"
#include "fathom/assembly/internal/spec_check.hpp"
#include "fathom/dynamics/vehicle.hpp"

namespace fathom::assembly {

Assembly Assembly::make(AssemblySpec spec) {
  Findings findings = internal::check_spec(spec);
  if (has_errors(findings)) throw InputError(std::move(findings));
  internal::Placement placement = internal::place(spec);
  findings = std::move(placement.findings);
  const Findings floating = internal::check_one_cluster(spec, placement);
  findings.insert(findings.end(), floating.begin(), floating.end());
  // A coupling that does not close puts modules anywhere: then nothing can be said of their room.
  if (findings.empty()) findings = internal::check_room(spec, placement);
  if (has_errors(findings)) throw InputError(std::move(findings));
  Assembly assembly(std::move(spec));
  assembly.poses_ = std::move(placement.poses);
  assembly.clusters_ = std::move(placement.clusters);
  assembly.cluster_of_ = std::move(placement.cluster_of);
  return assembly;
}

std::vector<std::size_t> Assembly::couplings_of(std::size_t cluster) const {
  std::vector<std::size_t> result;
  for (std::size_t k = 0; k < spec_.couplings.size(); ++k)
    if (cluster_of_[spec_.couplings[k].ends[0].module] == cluster) result.push_back(k);
  return result;
}

Cluster Assembly::cluster(std::size_t cluster, const model::Environment& environment, model::Dof dof) const {
  const std::vector<std::size_t>& members = clusters_[cluster];
  const Pose first = poses_[members.front()].inverse();
  std::vector<std::size_t> body_of(spec_.modules.size());
  std::vector<Mat6> M;
  std::vector<Pose> poses;
  for (const std::size_t module : members) {
    body_of[module] = M.size();
    M.push_back(dynamics::Vehicle(spec_.modules[module].robot, environment, dof).M());
    poses.push_back(first * poses_[module]);
  }
  std::vector<Link> links;
  for (const std::size_t k : couplings_of(cluster)) {
    const auto& [a, b] = spec_.couplings[k].ends;
    links.push_back({body_of[a.module], body_of[b.module], internal::connector_at(spec_, a).pose()});
  }
  return Cluster(std::move(M), std::move(poses), std::move(links), dof);
}

}  // namespace fathom::assembly
