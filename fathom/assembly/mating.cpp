#include "fathom/assembly/mating.hpp"

#include <numbers>

#include "fathom/geometry/rotation.hpp"

namespace fathom::assembly {

Pose mated_pose(const Pose& connector_a, const Pose& connector_b, double turn) {
  const Pose face_to_face{exp_rotation({turn, 0, 0}) * exp_rotation({0, 0, std::numbers::pi}), Vec3::Zero()};
  return connector_a * face_to_face * connector_b.inverse();
}

Misfit misfit(const Pose& actual, const Pose& wanted, const Pose& connector_b) {
  const Vec3 point_b = connector_b.p_pc_p;
  return {(actual * point_b - wanted * point_b).norm(),
          log_rotation(wanted.q_pc.conjugate() * actual.q_pc).norm()};
}

Meeting meeting(const dynamics::State& a, const Pose& connector_a, const dynamics::State& b,
                const Pose& connector_b, double turn) {
  const Pose pose_na{a.q_nb, a.p_nb_n}, pose_nb{b.q_nb, b.p_nb_n};
  const auto velocity_n = [](const dynamics::State& state, const Vec3& point_b) -> Vec3 {
    return state.q_nb * (state.nu_b.head<3>() + state.nu_b.tail<3>().cross(point_b));
  };
  Meeting meeting;
  meeting.misfit = misfit(pose_na.inverse() * pose_nb, mated_pose(connector_a, connector_b, turn), connector_b);
  meeting.speed = (velocity_n(b, connector_b.p_pc_p) - velocity_n(a, connector_a.p_pc_p)).norm();
  meeting.turn_rate = (b.q_nb * b.nu_b.tail<3>() - a.q_nb * a.nu_b.tail<3>()).norm();
  return meeting;
}

bool Latch::catches(const Meeting& meeting) const {
  return meeting.misfit.distance <= distance && meeting.misfit.angle <= angle && meeting.speed <= speed &&
         meeting.turn_rate <= turn_rate;
}

}  // namespace fathom::assembly
