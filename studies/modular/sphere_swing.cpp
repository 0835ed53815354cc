#include "studies/modular/sphere_swing.hpp"

#include <cmath>

#include "fathom/geometry/rotation.hpp"

namespace fathom::studies {
namespace {

std::vector<CoupledRobots::Member> spheres_with_rod(const SpherePair& spheres) {
  const model::Robot rod = sphere_rod();
  return spheres.members(SphereSwing::truth(), &rod);
}

}  // namespace

SphereSwing::SphereSwing(const SpherePair& spheres) : spheres_(spheres_with_rod(spheres)) {}

identify::DecayRun SphereSwing::run(const std::string& name, double roll, double noise, RandomStream& random) {
  constexpr double dt = 1 / rate_hz, lag = 0.04;     // s, of the markers
  constexpr double water = 0.03, memory = 3;         // N m, s
  constexpr double mounting = 0.01, sensor = 0.005;  // rad
  const double keep = std::exp(-dt / memory), fresh = std::sqrt(1 - keep * keep);
  const double bias = mounting * noise * random.normal();
  identify::DecayRun run{name, Eigen::VectorXd(samples), Eigen::VectorXd(samples)};
  spheres_.begin(at_rest_under_water(exp_rotation({roll, 0, 0})));
  double push = random.normal();
  for (Eigen::Index k = 0; k < samples; ++k) {
    run.t[k] = dt * static_cast<double>(k);
    const double rate = spheres_.state(0).nu_b[3];  // the roll's, for pitch stays zero
    run.angle[k] = spheres_.roll(0) - lag * noise * rate + bias + sensor * noise * random.normal();
    push = keep * push + fresh * random.normal();
    spheres_.plant(1).disturb(water * noise * push * Vec6::Unit(3));
    spheres_.step(dt);
  }
  return run;
}

std::vector<identify::DecayRun> SphereSwing::campaign(RandomStream& random) {
  std::vector<identify::DecayRun> runs;
  for (int k = 1; k <= 5; ++k) runs.push_back(run(std::to_string(k), random.uniform(-0.15, 0.15), 1, random));
  return runs;
}

std::vector<identify::DecayRun> SphereSwing::quiet_campaign() {
  RandomStream random(1, "quiet");
  std::vector<identify::DecayRun> runs;
  for (const double roll : {-0.12, -0.06, 0.0, 0.06, 0.12}) runs.push_back(run("quiet", roll, 0, random));
  return runs;
}

}  // namespace fathom::studies
