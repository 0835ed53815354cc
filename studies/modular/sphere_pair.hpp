#pragma once
#include <array>

#include "fathom/identify/tank/free_decay.hpp"

#include "studies/modular/coupled_robots.hpp"

// The two spheres of Nielsen 2019, section 4.3: on a rod, the second rolled by a quarter.
namespace fathom::studies {

/// What the thesis fits, eq. 4.9, of the model without the rod's own mass: where the buoyancy of sphere B acts,
/// in B's frame, and the drag that both spheres share.
struct SphereTheta {
  double r_y = 0, r_z = 0;  ///< m
  double D_q = 0, D_l = 0;  ///< kg/m, kg/s
  static constexpr std::array<const char*, 4> names = {"r_y", "r_z", "D_q", "D_l"};

  Eigen::Vector4d vector() const { return {r_y, r_z, D_q, D_l}; }
  static SphereTheta of(const Eigen::Vector4d& v) { return {v[0], v[1], v[2], v[3]}; }
  static SphereTheta table_4_2() { return {0, -0.0114, 3.8, 0.67}; }
  static SphereTheta printed_fit() { return {-0.0016, -0.00886, 9.2889, 0.2265}; }  ///< eq. 4.11
};

/// The rod between the spheres, along y: 0.5 kg and 0.596 m are printed; a solid aluminium rod of that is 20 mm
/// thick. Across it the water adds what it displaces, and the drag is 1.1 of its section; trimmed to float.
model::Robot sphere_rod();

struct SpherePair {
  static constexpr double rod = 0.596;  ///< m, from centre to centre

  model::Robot sphere;  ///< data/robots/nielsen-sphere-hydrostatic.yaml

  /// Both spheres with these numbers, and between them what `rod_robot` is, if any.
  std::vector<CoupledRobots::Member> members(const SphereTheta& theta,
                                             const model::Robot* rod_robot = nullptr) const;

  /// The pair as one angle. By symmetry the middle of the rod stays where it is, and the roll of A obeys
  /// docs/tank-tests.md eq. 8: its rates, and the way back. `slope`: of theta by the rates.
  identify::DecayRates rates(const SphereTheta& theta) const;
  SphereTheta theta(const identify::DecayRates& rates, Eigen::Matrix4d* slope = nullptr) const;

 private:
  double inertia() const;
};

}  // namespace fathom::studies
