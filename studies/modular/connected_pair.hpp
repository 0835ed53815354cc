#pragma once

#include "fathom/base/random.hpp"

#include "studies/host.hpp"
#include "studies/modular/coupled_robots.hpp"

// Two BlueROVs side by side with a connector between them: Nielsen 2019, chapter 6.
namespace fathom::studies {

/// Port vehicle, connector, starboard vehicle.
struct ConnectedPair {
  std::vector<CoupledRobots::Member> members;

  /// What the thesis leaves open.
  struct Assumed {
    bool loses_thrust = true;  ///< eq. 5.8, with the loss that its 0.9 m/s at 1800 us needs; else none
    double connector_yaw = 0;  ///< N m s, linear, of the connector; Table 6.1 prints the vehicle's 4.64 again
    double mass = 11;          ///< kg, of a vehicle
    double spacing = 0.774;    ///< m, between the vehicles' centres: hull and rods, 0.33 + 0.444
  };
  static ConnectedPair make(const Host& host, const Assumed& assumed);

  /// The same, not quite: drag, added mass and thrust that differ, thrusters that lag, tethers that weigh.
  ConnectedPair disturbed(RandomStream& random) const;

  double surge_drag(double u) const;           ///< N
  static double bollard_thrust(double above);  ///< N, of a thruster at 1500 us + above; eq. 4.8 with Table 4.4
  /// Share of the bollard thrust that is gone at 0.9 m/s and 1800 us if that is where drag and thrust balance.
  double needed_loss() const;
};

/// N, eq. 6.15, of a tether of this length.
inline double tether_pull(double speed, double length) { return 0.12 * speed * speed * length; }

/// What both vehicles' surge thrusters are told, and when.
struct Excursion {
  double port = 0, starboard = 0;  ///< us above 1500
  double seconds = 12;
  static constexpr double rest = 3;  ///< s, before
};

/// The marker of eq. 6.7 on the port vehicle, 200 times a second.
struct MarkerTrack {
  static constexpr double rate_hz = 200;
  Eigen::VectorXd x, y, yaw;    ///< m, m, rad; the yaw is not wrapped
  Eigen::VectorXd speed, turn;  ///< m/s, rad/s
  explicit MarkerTrack(Eigen::Index samples)
      : x(samples), y(samples), yaw(samples), speed(samples), turn(samples) {}
};

/// Open loop from the given motion, with the drag of both tethers (eq. 6.15), each as long as its vehicle's
/// way. Depth and attitude are held, so that the motion is planar.
MarkerTrack swim_connected(const ConnectedPair& pair, const Excursion& excursion,
                           const Vec6& first_motion = Vec6::Zero());

/// What the cameras and the filter of eqs. 6.8 to 6.14 make of a track.
MarkerTrack filmed(const MarkerTrack& track, RandomStream& random);

/// m, from the first maximum to the minimum that follows; NaN where a series has none.
double peak_to_peak(const Eigen::VectorXd& series);

}  // namespace fathom::studies
