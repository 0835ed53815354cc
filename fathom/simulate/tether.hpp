#pragma once
#include <span>

#include "fathom/geometry/pose.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/simulate/current_field.hpp"

namespace fathom::simulate {

/// A line from a fixed point to a vehicle. The defaults are Blue Robotics' Fathom ROV tether R2 (7.6 mm, 0.043
/// kg/m, almost neutral in fresh water), 25 m of it.
struct TetherSpec {
  Vec3 anchor_n = Vec3::Zero();      ///< m
  Vec3 attachment_b = Vec3::Zero();  ///< m
  double length = 25;                ///< m, unstretched
  int segments = 10;                 ///< straight pieces; error falls with their square, work rises with them
  double diameter = 0.0076;          ///< m
  double mass_per_length = 0.043;    ///< kg/m, dry
  /// N. A real aramid line has ten times that; softer lets a 10 ms step be stable with ten segments of 2.5 m,
  /// and 20 N of pull still stretch it by 0.4 % only.
  double axial_stiffness = 5000;
  /// Of the fastest axial wave, which no real line would keep ringing either; slower waves are damped less.
  double damping_ratio = 0.2;
  double drag_normal = 1.2;       ///< cylinder across the flow below the drag crisis, per diameter
  double drag_tangential = 0.01;  ///< skin friction, per circumference
  double added_mass = 1;          ///< per displaced mass; a cylinder across the flow has 1
  /// Strain over which a segment goes from slack to taut. A taut line feels longer by half of it.
  double slack_strain = 1e-3;
};

/// Everything that is wrong with `spec` as InputError.
void check(const TetherSpec& spec);

/// What a tether does at one instant.
struct TetherLoad {
  Vec3 vehicle_n = Vec3::Zero();  ///< N, on the vehicle at the attachment
  Vec3 anchor_n = Vec3::Zero();   ///< N, on the anchor
  double tension_vehicle = 0;     ///< N, in the segment at the vehicle
  double tension_max = 0;         ///< N, in any segment
};

/// A lumped-mass line; docs/water.md eqs. 7 to 14. Its state is `size()` doubles of the simulator's vector, for
/// each inner node from the anchor to the vehicle position and velocity in n. Immutable; nothing but the
/// constructor allocates. Left out: bending, torsion, contact of the line with anything, and the inertia of the
/// last half segment, which would have to be part of the vehicle's (`end_mass()` says how little that is).
class Tether {
 public:
  explicit Tether(const TetherSpec& spec, const model::Environment& environment = model::Environment());

  const TetherSpec& spec() const { return spec_; }
  int inner_nodes() const { return spec_.segments - 1; }
  int size() const { return 6 * inner_nodes(); }

  /// Nodes at rest on the line to the attachment: straight if it is farther than the length, otherwise on a
  /// parabola of that length, without tension, that sags down if the line is heavier than its water by a tenth,
  /// up if lighter, and sideways if it is about neutral, so that it touches neither floor nor surface.
  void initial(std::span<double> x, const Vec3& attachment_n) const;

  /// Writes d/dt x and returns the forces on both ends. The attachment is the vehicle's, position and velocity
  /// in n (`attachment()`).
  TetherLoad derivative(std::span<const double> x, const Vec3& attachment_n, const Vec3& attachment_velocity_n,
                        const CurrentField::Instant& water, std::span<double> dx) const;

  /// Kinetic (with added mass), elastic and net potential energy. In still water with both ends held it never
  /// rises.
  double energy(std::span<const double> x, const Vec3& attachment_n) const;

  /// The largest stable step of classical Runge-Kutta, from the fastest axial wave and from drag at the given
  /// speed through the water. An estimate on the safe side; docs/water.md eq. 14.
  double stable_step(double speed = 1) const;

  double net_weight() const { return net_weight_; }   ///< N/m, in water, positive if it sinks
  double end_mass() const { return node_mass_ / 2; }  ///< kg, half a segment with its added mass

 private:
  struct Segment {
    Vec3 axis_n;  ///< from the anchor's side to the vehicle's; length 1, less only for a segment of no length
    double tension;
    Vec3 drag_n;
  };
  Segment segment(const Vec3& p0, const Vec3& v0, const Vec3& p1, const Vec3& v1,
                  const CurrentField::Instant& water) const;

  void check_size(std::size_t got) const;

  TetherSpec spec_;
  double density_;
  double segment_length_, displaced_mass_, added_mass_, node_mass_, net_weight_, damping_;
  double wave_radius_, drag_radius_;  ///< of Runge-Kutta's region of stability, found by a search: once
};

/// Position and velocity in n of a point of a vehicle.
struct PointMotion {
  Vec3 p_n, v_n;
};
PointMotion point_motion(const Quat& q_nb, const Vec3& p_nb_n, const Vec6& nu_b, const Vec3& point_b);

/// The wrench at the body origin of a force in n at a point of the body.
Vec6 point_wrench(const Quat& q_nb, const Vec3& force_n, const Vec3& point_b);

}  // namespace fathom::simulate
