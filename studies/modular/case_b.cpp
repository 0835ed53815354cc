// Section 3.6.2 of Nielsen 2019: two vehicles side by side push with 1 N each, and the second drags more.
#include <cmath>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/solve/runge_kutta.hpp"

#include "studies/modular/coupled_robots.hpp"
#include "studies/modular/parts.hpp"

namespace fathom::studies {
namespace {

using Planar = Eigen::Matrix<double, 6, 1>;  // x y psi of A in n, u v r of A

/// The same two vehicles as one body in the plane, written out in 3 by 3: nothing of the coupled vehicles' code
/// is in it.
struct PlanarPair {
  static constexpr double rod = 1, push = 1, step = 0.01;  // m, N, s
  double mass, yaw_inertia, sway_drag, yaw_drag;           // of either; mass and drag ahead are those across
  Eigen::Vector2d surge_drag;                              // of A and B

  Planar rate(const Planar& x) const {
    Eigen::Matrix3d M = Eigen::Matrix3d::Zero();
    Eigen::Vector3d f = Eigen::Vector3d::Zero();
    for (int k = 0; k < 2; ++k) {
      Eigen::Matrix3d H = Eigen::Matrix3d::Identity();
      H(0, 2) = -rod * k;  // B moves ahead by u - y r
      const Eigen::Vector3d nu = H * x.tail<3>();
      M += H.transpose() * Eigen::Vector3d(mass, mass, yaw_inertia).asDiagonal() * H;
      f += H.transpose() * Eigen::Vector3d(push + mass * nu[1] * nu[2] - surge_drag[k] * nu[0],
                                           -mass * nu[0] * nu[2] - sway_drag * nu[1], -yaw_drag * nu[2]);
    }
    const double c = std::cos(x[2]), s = std::sin(x[2]);
    Planar d;
    d << c * x[3] - s * x[4], s * x[3] + c * x[4], x[5], M.ldlt().solve(f);
    return d;
  }

  Planar after(double seconds) const {
    Planar x = Planar::Zero();
    const auto steps = static_cast<int>(std::lround(seconds / step));
    for (int i = 0; i < steps; ++i)
      x = solve::runge_kutta_step([&](const Planar& at) { return rate(at); }, x, step);
    return x;
  }
};

PlanarPair planar_pair(const model::Robot& robot, double surge_drag_b) {
  const Mat6 D = robot.damping().front().linear.value;
  const model::Hull& hull = robot.hull();
  return {hull.mass.value + hull.added_mass.value(0, 0),
          hull.inertia.value(2, 2) + hull.added_mass.value(5, 5),
          D(1, 1),
          D(5, 5),
          {D(0, 0), surge_drag_b}};
}

}  // namespace

void study_case_b(Study& study, const Host& host) {
  const model::Robot robot = host.robot("nielsen-table-3-3");
  Vec6 push_b = Vec6::Zero(), linear = robot.damping().front().linear.value.diagonal();
  push_b[0] = PlanarPair::push;
  double worst = 0, sideways = 0;
  constexpr double step = PlanarPair::step;
  for (const int drag : {5, 10, 15}) {
    linear[0] = drag;
    CoupledRobots pair(
        {{robot},
         {with_damping(robot, linear, Vec6::Zero()), {Quat::Identity(), Vec3(0, PlanarPair::rod, 0)}}});
    for (std::size_t k = 0; k < 2; ++k) pair.plant(k).disturb(push_b);
    double turned = 0, last_yaw = 0;
    for (const int seconds : {10, 30, 60}) {
      while (pair.time() < seconds - step / 2) {
        pair.step(step);
        const double yaw = euler_from_quaternion(pair.state(0).q_nb)[2];
        turned += std::remainder(yaw - last_yaw, 2 * std::numbers::pi);
        last_yaw = yaw;
        if (drag == 5) sideways = std::max(sideways, std::abs(pair.state(0).p_nb_n.y()));
      }
      const Vec3 p = pair.state(0).p_nb_n;
      const Planar planar = planar_pair(robot, drag).after(seconds);
      worst = std::max(worst, (p.head<2>() - planar.head<2>()).norm());
      const std::string at = fmt::format("b.{}.{}", drag, seconds);
      study.set(at + ".x", p.x());
      study.set(at + ".y", p.y());
      study.set(at + ".psi", degrees * turned);
    }
  }
  study.set("b.straight", sideways);
  study.set("b.planar", worst);
}

}  // namespace fathom::studies
