#pragma once
// Logs of a plant that commands reach late, less a dead band, and that is not the model: its drag acts beside
// the origin and couples every axis, its sensors are noisy, and its thrusters lose what they lose by other
// code.
#include <cmath>
#include <vector>

#include <Eigen/QR>

#include "fathom/base/random.hpp"
#include "fathom/geometry/spectrum.hpp"
#include "fathom/identify/vehicle/test/recording_logs.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"

namespace fathom::identify::test {

/// Thrusters that take newton and follow at once, a DVL and an AHRS.
inline model::Robot newton_robot() {
  model::RobotSpec spec = heavy().spec();
  for (model::Thruster& thruster : spec.thrusters) {
    thruster.map.reset();
    thruster.transient.reset();
    thruster.force.reset();
    thruster.map_name = thruster.transient_name = "";
  }
  spec.sensors = {exact_sensor("dvl", model::SensorKind::dvl, 10, Vec3(0.1, 0, 0.1), Vec3::Zero(), 0),
                  exact_sensor("ahrs", model::SensorKind::ahrs, 20, Vec3::Zero(), Vec3::Zero(), 0)};
  spec.sensors[0].noise["velocity"].value = 0.01;
  spec.sensors[1].noise["attitude"].value = spec.sensors[1].noise["heading"].value = 0.005;
  return model::Robot::make(std::move(spec));
}

/// What is fitted: newton_robot() with what it leaves open.
inline model::Robot steered(const std::optional<model::Value<double>>& dead_band,
                            const std::optional<model::Value<double>>& gain = {},
                            const std::optional<model::Value<double>>& saturation = {}) {
  model::RobotSpec spec = newton_robot().spec();
  spec.command_path = model::CommandPath{model::CommandPath::By::wrench, dead_band, gain, saturation};
  return model::Robot::make(std::move(spec));
}

/// Another drag than any candidate: a second element behind and above the origin, turned.
inline model::Robot crooked_robot() {
  model::RobotSpec spec = newton_robot().spec();
  model::DragElement fin;
  fin.name = "fin";
  fin.position_b.value = Vec3(-0.2, 0.03, -0.1);
  fin.attitude_rpy.value = Vec3(0.1, 0.2, 0.4);
  fin.quadratic.value.by_speed[0](0, 0) = 30;
  fin.quadratic.value.by_speed[1](1, 1) = 90;
  fin.quadratic.value.by_speed[2](1, 1) = 40;
  spec.damping.push_back(fin);
  spec.hull.symmetry = {};
  return model::Robot::make(std::move(spec));
}

/// What becomes of a commanded wrench.
struct Steered {
  double dead_band = 0, delay = 0, gain = 1;
  double lag = 0;                     ///< s, of the thrusters' forces behind that: first order
  double memory = 1.5;                ///< s, of the disturbance
  Vec6 disturbance_b = Vec6::Zero();  ///< N, N m: rms of what acts besides
  double saturation = 1e9;            ///< N, of each thruster beyond its dead band, before the gain
};

/// A log of 240 s of that plant, with the commanded wrench at 50 Hz.
log::Dataset logged(const Steered& truth, const model::Robot& robot, std::uint64_t seed);

}  // namespace fathom::identify::test
