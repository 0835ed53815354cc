#pragma once
#include <span>
#include <vector>

#include "fathom/geometry/types.hpp"
#include "fathom/identify/commanded/acceleration_fit.hpp"
#include "fathom/identify/commanded/commanded_run.hpp"

namespace fathom::identify {

/// What stands between a commanded wrench and the one that acts: it is shared out to thrusters by the
/// pseudo-inverse of B, every thruster gives nothing within its dead band and falls short by it beyond, and all
/// of it is late; docs/identification.md eqs. 27 and 28.
struct WrenchPath {
  Mat6X B = {};          ///< tau_b = B f; without columns the wrench acts as commanded
  double dead_band = 0;  ///< N, of each thruster
  double lag = 0;        ///< s

  /// The wrench that acts on the grid of a run. Throws InputError for a dead band below 0.
  Mat6X wrench_b(const CommandedRun& run) const;
};

/// B of four level thrusters at 45 degrees and four upright ones, all of them mirror images of each other, as
/// vehicles of this kind have them. Levers in m: of the level ones about z, of the upright ones about x and y.
Mat6X vectored_thrusters(double yaw_lever, double roll_lever, double pitch_lever);

/// A vehicle as foreign logs show it: accelerations by commands.
struct VehicleFit {
  AccelerationModel model;
  WrenchPath path;
  Vec3 p_bc_b = Vec3::Zero();       ///< m, place of the velocity sensor
  Vec6 unexplained = Vec6::Zero();  ///< 1 - R2 of the accelerations that it was fitted to
  double cost = 0;                  ///< sum of weight log(unexplained)
};

using BlurredRuns = std::vector<const BlurredRun*>;

/// The coefficients for a path and a place that are given.
VehicleFit fit_vehicle(const BlurredRuns& runs, const WrenchPath& path, const Vec3& p_bc_b,
                       const Vec6& weights);

/// The best lag of a list, with the wrench as commanded and the sensor at the origin.
VehicleFit fit_lag(const BlurredRuns& runs, std::span<const double> lags, const Vec6& weights);

/// What stands between commands and motion of a vehicle with vectored_thrusters, where nobody knows it.
struct DeadBandPath {
  double dead_band = 2.7;                                        ///< N
  double yaw_lever = 0.5, pitch_lever = 0.24, roll_lever = 0.3;  ///< m
  double lag = 0.12;                                             ///< s
  double sensor_x = -0.2, sensor_z = 0.1;                        ///< m, of the velocity sensor

  using Vector = Eigen::Matrix<double, 7, 1>;
  Vector vector() const;
  static DeadBandPath from(const Eigen::VectorXd& x);
  WrenchPath path() const;
  Vec3 p_bc_b() const { return {sensor_x, 0, sensor_z}; }
};

struct DeadBandOptions {
  DeadBandPath start = {};
  /// Sides of the first simplex.
  DeadBandPath::Vector scale = (DeadBandPath::Vector() << 0.3, 0.06, 0.03, 0.06, 0.03, 0.06, 0.06).finished();
  int evaluations = 150;
  /// Roll is hardly commanded in such logs: its lever is held near 0.3 m by (lever - 0.3)^2 / 0.15^2, so
  /// weighed.
  double roll_lever_weight = 0.02;
  Vec6 weights = (Vec6() << 1, 1, 1, 0.3, 0.3, 0.7).finished();
};

/// The path of the least cost, by a simplex search around the linear fit; docs/identification.md eq. 32.
DeadBandPath find_dead_band(const BlurredRuns& runs, const DeadBandOptions& options = {});

}  // namespace fathom::identify
