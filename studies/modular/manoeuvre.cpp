// Section 4.4 of Nielsen 2019: two spheres side by side, a step on both thrusters (Fig. 4.8).
#include <cmath>

#include "fathom/base/constants.hpp"
#include "fathom/geometry/rotation.hpp"

#include "studies/modular/parts.hpp"
#include "studies/modular/sphere_pair.hpp"

namespace fathom::studies {
namespace {

/// A smaller module of the same make: lengths by `s`, so masses by s^3, inertias by s^5, drag of a translation,
/// which is an area (and its linear part a share of it, eq. 4.3), by s^2, that of a rotation by s^5. The
/// thruster stays: "the two datasets share the same profile" (section 4.4.1).
model::Robot smaller_module(const model::Robot& robot, double s) {
  const double area = s * s, volume = area * s, turning = volume * area;
  Vec6 by_mass, by_drag;
  by_mass << volume, volume, volume, turning, turning, turning;
  by_drag << area, area, area, turning, turning, turning;
  model::RobotSpec spec = robot.spec();
  spec.hull.mass.value *= volume;
  spec.hull.volume.value *= volume;
  spec.hull.inertia.value *= turning;
  spec.hull.centre_of_buoyancy.value *= s;
  spec.hull.added_mass.value = by_mass.asDiagonal() * spec.hull.added_mass.value;
  for (model::DragElement& drag : spec.damping) {
    drag.linear.value = by_drag.asDiagonal() * drag.linear.value;
    for (Mat6& by_speed : drag.quadratic.value.by_speed) by_speed = by_drag.asDiagonal() * by_speed;
  }
  for (model::Thruster& thruster : spec.thrusters) thruster.position_b.value *= s;
  return model::Robot::make(std::move(spec));
}

struct Manoeuvre {
  static constexpr double seconds = 25, step = 0.05;  // the axis of Fig. 4.8

  /// A, rod and B after the time of the figure; `newton` in place of the thrusters' own force, if positive.
  static dynamics::State swum(const model::Robot& A, const model::Robot& B, double signal_us,
                              double newton = 0) {
    constexpr double rod = SpherePair::rod;
    CoupledRobots row({{A},
                       {sphere_rod(), {Quat::Identity(), Vec3(0, rod / 2, 0)}},
                       {B, {Quat::Identity(), Vec3(0, rod, 0)}}});
    for (const std::size_t k : {std::size_t{0}, std::size_t{2}}) {
      row.plant(k).command(std::array{newton > 0 ? 1500.0 : signal_us});
      if (newton > 0) row.plant(k).disturb(newton * Vec6::Unit(0));
    }
    while (row.time() < seconds - step / 2) row.step(step);
    return row.state(0);
  }

  /// N of either module that takes two alike as far as the figure shows.
  static double thrust_for(const model::Robot& robot, double distance) {
    double low = 0, high = 5;
    for (int k = 0; k < 40; ++k) {
      const double middle = 0.5 * (low + high);
      (swum(robot, robot, 1500, middle).p_nb_n.x() > distance ? high : low) = middle;
    }
    return low;
  }
};

}  // namespace

void study_manoeuvre(Study& study, const Host& host) {
  const model::Robot robot = host.robot("nielsen-sphere-open-loop");
  constexpr double signal = 1525;  // us, the first of the bollard test, above the dead zone
  const dynamics::State alike = Manoeuvre::swum(robot, robot, signal);
  study.set("open.distance", alike.p_nb_n.x());
  study.set("open.straight", std::abs(alike.p_nb_n.y()));
  study.set("open.thrust", Manoeuvre::thrust_for(robot, 6));
  const double scale = 25.0 / 30;  // the shell of Fig. 4.5 is 25 cm, one of 14.3 kg about 30 cm
  const dynamics::State turned = Manoeuvre::swum(robot, smaller_module(robot, scale), signal);
  study.set("open.y", turned.p_nb_n.y());
  study.set("open.turn", degrees * euler_from_quaternion(turned.q_nb)[2]);
}

}  // namespace fathom::studies
