#include "fathom/model/robot.hpp"

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/model/internal/check.hpp"

namespace fathom::model {

Robot Robot::make(RobotSpec spec) {
  Findings findings = internal::check_robot(spec);
  if (has_errors(findings)) throw InputError(std::move(findings));
  return Robot(std::move(spec));
}

double Robot::dead_band() const {
  return spec_.command_path && spec_.command_path->dead_band ? spec_.command_path->dead_band->value : 0;
}

double Robot::saturation() const {
  return spec_.command_path && spec_.command_path->saturation ? spec_.command_path->saturation->value
                                                              : infinity;
}

double Robot::thrust_gain() const {
  return spec_.command_path && spec_.command_path->gain ? spec_.command_path->gain->value : 1;
}

Mat6 rigid_body_inertia(const Hull& hull) {
  const double m = hull.mass.value;
  const Mat3 S = skew(hull.centre_of_mass.value);
  Mat6 M;
  M << m * Mat3::Identity(), Mat3::Zero() - m * S, m * S, hull.inertia.value - m * S * S;
  return 0.5 * (M + M.transpose());  // S S is symmetric only to rounding
}

Mat6X allocation_matrix(const Robot& robot) {
  Mat6X B(6, static_cast<Eigen::Index>(robot.thrusters().size()));
  Eigen::Index column = 0;
  for (const Thruster& thruster : robot.thrusters()) {
    const Vec3 e = thruster.axis_b();
    B.col(column++) << e, thruster.position_b.value.cross(e);
  }
  return B;
}

}  // namespace fathom::model
