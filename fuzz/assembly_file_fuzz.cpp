// Any bytes as an assembly file, and as a vehicle with arms: they load or are rejected with an InputError. What
// loads has modules that sit where their couplings say, each in one cluster; arms whose postures are finite,
// and which can be held. Robots are those that ship: what could be a path is not tried.
#include <cmath>
#include <cstdint>
#include <string>

#include "fathom/assembly/assembly_file.hpp"
#include "fathom/assembly/held_arms.hpp"
#include "fathom/base/error.hpp"
#include "fathom/model_file/vehicle_with_arms_file.hpp"

#include "fuzz/verdict.hpp"

namespace {

using namespace fathom;
using fuzz::check_messages;
using fuzz::fail;

void check_assembly(const assembly::Assembly& assembly, const std::string& text) {
  const std::size_t count = assembly.modules().size();
  if (count == 0 || assembly.poses().size() != count) fail("modules without a pose, or none", text);
  std::size_t in_clusters = 0;
  for (const auto& cluster : assembly.clusters()) in_clusters += cluster.size();
  if (in_clusters != count) fail("a module in no cluster, or in two", text);
  for (const Pose& pose : assembly.poses())
    if (!pose.p_pc_p.allFinite() || !pose.q_pc.coeffs().allFinite()) fail("a pose that is not finite", text);
  for (const assembly::Coupling& coupling : assembly.couplings()) {
    const auto& [a, b] = coupling.ends;
    const auto pose_of = [&](const assembly::End& end) {
      return assembly.modules()[end.module].connectors[end.connector].pose();
    };
    const assembly::Misfit gap =
        assembly::misfit(assembly.poses()[a.module].inverse() * assembly.poses()[b.module],
                         assembly::mated_pose(pose_of(a), pose_of(b), coupling.turn), pose_of(b));
    double size = 1;  // of the numbers whose difference a gap is
    for (const assembly::End& end : coupling.ends)
      size += assembly.poses()[end.module].p_pc_p.norm() + pose_of(end).p_pc_p.norm();
    if (!(gap.distance <= assembly.spec().tolerance.distance + 1e-9 * size &&
          gap.angle <= assembly.spec().tolerance.angle + 1e-6))
      fail("a coupling that does not close", text);
    if (assembly.cluster_of(a.module) != assembly.cluster_of(b.module))
      fail("a coupling of two clusters", text);
  }
}

void check_armed(const model::VehicleWithArms& robot, const std::string& text) {
  for (const model::MountedArm& mounted : robot.arms) {
    if (mounted.posture.size() != mounted.arm.size()) fail("a posture of some joints", text);
    for (const double q : mounted.posture)
      if (!std::isfinite(q)) fail("a posture that is not finite", text);
  }
  assembly::hold_arms(robot);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const char* of_a_path :
       {"/", "\\", ".yaml", ".urdf"})  // the second: escapes, which could spell the first
    if (text.find(of_a_path) != std::string::npos) return -1;
  try {
    check_assembly(assembly::parse_assembly(text, "fuzz.yaml", {FATHOM_ROBOTS_DIR, FATHOM_ASSEMBLIES_DIR}),
                   text);
  } catch (const InputError& error) {
    check_messages(error);
  }
  try {
    check_armed(model::parse_vehicle_with_arms(text, "fuzz.yaml", {{FATHOM_ROBOTS_DIR}, {FATHOM_ARMS_DIR}}),
                text);
  } catch (const InputError& error) {
    check_messages(error);
  }
  return 0;
}
