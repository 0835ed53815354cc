// Section 4.3 of Nielsen 2019: where two spheres come to rest. Table 4.4: thrust over signal.

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/geometry/rotation.hpp"

#include "studies/modular/parts.hpp"
#include "studies/modular/sphere_pair.hpp"

namespace fathom::studies {
namespace {

/// Degrees, of A after the swing has died out.
double rest_by_swimming(const std::vector<CoupledRobots::Member>& members) {
  CoupledRobots pair(members);
  while (pair.time() < 900) pair.step(0.1);
  return degrees * pair.roll(0);
}

/// Degrees at which the moments of weight and buoyancy about the axis of roll balance: by bisection over a
/// quarter turn, without any motion.
double rest_by_balance(const std::vector<CoupledRobots::Member>& members) {
  const auto moment = [&](double roll) {
    const Quat q_nA = exp_rotation({roll, 0, 0});
    double sum = 0;
    for (const CoupledRobots::Member& member : members) {
      const Vec6 g = dynamics::restoring(dynamics::Vehicle(member.robot), q_nA * member.pose.q_pc);
      sum += (twist_transform(member.pose).transpose() * g)[3];
    }
    return sum;
  };
  double low = -std::numbers::pi / 2, high = 0;
  for (int k = 0; k < 50; ++k) {
    const double middle = 0.5 * (low + high);
    (moment(middle) > 0 ? high : low) = middle;
  }
  return degrees * low;
}

}  // namespace

void study_rest(Study& study, const Host& host) {
  const SpherePair spheres{host.robot("nielsen-sphere-hydrostatic")};
  const auto set_both = [&](const std::string& key, const SphereTheta& theta) {
    const auto members = spheres.members(theta);
    study.set("rest.swum." + key, rest_by_swimming(members));
    study.set("rest.balance." + key, rest_by_balance(members));
  };
  set_both("table", SphereTheta::table_4_2());
  set_both("fit", SphereTheta::printed_fit());

  const model::Robot robot = host.robot("nielsen-sphere-open-loop");
  const dynamics::ThrusterModel thruster(robot.thrusters().front(), model::fresh_water);
  for (const int above : {100, 200, 300})
    study.set(fmt::format("thrust.{}", above), thruster.steady_force(1500 + above, 0, model::usual_voltage));
}

}  // namespace fathom::studies
