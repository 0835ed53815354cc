#pragma once
#include <initializer_list>

#include "fathom/dynamics/arm.hpp"

namespace fathom::dynamics::internal {

/// Throws InputError unless all are as many as the joints.
void check_sizes(const Arm& arm, std::initializer_list<std::size_t> sizes);

// The steps of the recursion, from the base to the tips; each needs those before it.
void place_links(const Arm& arm, std::span<const double> q, ArmWorkspace& workspace);
void move_links(const Arm& arm, const Motion& base, std::span<const double> dq, std::span<const double> ddq,
                ArmWorkspace& workspace);
/// Wrench that each link by itself needs for its motion.
void weigh_links(const Arm& arm, ArmWorkspace& workspace);

/// Twist of one unit of speed of the link's joint, in its own frame.
inline Vec6 joint_axis(const ArmLink& link) {
  Vec6 S = Vec6::Zero();
  if (link.is_revolute)
    S.tail<3>() = link.axis;
  else
    S.head<3>() = link.axis;
  return S;
}

/// A twist, or its derivative without the turning of frames, from the parent's frame to the link's.
inline Vec6 to_link(const ArmWorkspace::AtLink& at, const Vec6& twist) {
  Vec6 out;
  out.head<3>() = at.R.transpose() * (twist.head<3>() + twist.tail<3>().cross(at.p));
  out.tail<3>() = at.R.transpose() * twist.tail<3>();
  return out;
}
/// A wrench from the link's frame to the parent's.
inline Vec6 to_parent(const ArmWorkspace::AtLink& at, const Vec6& wrench) {
  Vec6 out;
  out.head<3>() = at.R * wrench.head<3>();
  out.tail<3>() = at.R * wrench.tail<3>() + at.p.cross(out.head<3>());
  return out;
}

/// How a twist changes in axes that move by another: [w x v2 + v x w2; w x w2].
inline Vec6 cross_twist(const Vec6& frame, const Vec6& twist) {
  Vec6 out;
  out.head<3>() = frame.tail<3>().cross(twist.head<3>()) + frame.head<3>().cross(twist.tail<3>());
  out.tail<3>() = frame.tail<3>().cross(twist.tail<3>());
  return out;
}
/// The same of a wrench: [w x f; w x n + v x f].
inline Vec6 cross_wrench(const Vec6& frame, const Vec6& wrench) {
  Vec6 out;
  out.head<3>() = frame.tail<3>().cross(wrench.head<3>());
  out.tail<3>() = frame.tail<3>().cross(wrench.tail<3>()) + frame.head<3>().cross(wrench.head<3>());
  return out;
}

}  // namespace fathom::dynamics::internal
