#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "fathom/base/constants.hpp"
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::simulate {

enum class Wall { north, south, east, west, floor, surface };
inline constexpr std::size_t wall_count = 6;
std::string_view to_string(Wall wall);

/// Walls and floor, upright and level. The surface is z = 0 always. What is infinite is not there.
struct Tank {
  Vec3 min_n = {-infinity, -infinity, 0};
  Vec3 max_n = Vec3::Constant(infinity);
};

struct ContactSpec {
  /// N/m^1.5 per corner. Without a value it is chosen so that the heaviest direction of the vehicle, with its
  /// added mass, stops from `design_speed` within `design_penetration` on one corner alone.
  std::optional<double> stiffness;
  double design_speed = 0.3;          ///< m/s, a brisk ROV in a tank
  double design_penetration = 0.009;  ///< m; on four corners it is half of that
  /// Speed after over speed before an impact at design_speed. It is less at higher speed, more at lower.
  double restitution = 0.5;
  double friction = 0.2;        ///< Coulomb's coefficient; 0 for none
  double friction_speed = 0.1;  ///< m/s of slip over which friction builds up; less needs smaller steps
  double ripple = 0.01;         ///< m, smooths how the level faces of a box meet the surface
};

/// The body that touches: a box in body axes, or, where its size is not known, a ball.
struct ContactShape {
  Vec3 centre_b = Vec3::Zero();
  Vec3 size = Vec3::Zero();  ///< m; zero for a ball
  double radius = 0;         ///< m; zero for a box

  /// hull.size around the centre of buoyancy (so that a robot out of the water loses exactly its buoyancy);
  /// without size the ball that displaces hull.volume.
  static ContactShape of(const model::Hull& hull);
  bool is_box() const { return radius == 0; }
};

/// Numbers of the vehicle that decide default stiffness and lost buoyancy.
struct ContactBody {
  double mass_point = 1;  ///< kg, that a push on a corner has to move at least: the body may turn
  double mass_light = 1, mass_heavy = 1;  ///< kg, with added mass, of the lightest and the heaviest direction
  double buoyancy = 0;                    ///< N, under water
};

/// Nearness to one wall. For the surface `penetration` is how far the highest point is out of the water.
struct WallState {
  double penetration = -infinity;  ///< m, of the deepest point; negative: clearance
  double speed = 0;                ///< m/s, of that point into the wall
};

/// What walls, floor and surface do to a vehicle in one state.
struct ContactLoad {
  Vec6 contact_b = Vec6::Zero();        ///< wrench of walls and floor
  Vec6 lost_buoyancy_b = Vec6::Zero();  ///< wrench to be added to eq. 12 of docs/model.md above the surface
  double emerged = 0;                   ///< share of the volume above the surface, 0 to 1
  std::array<WallState, wall_count> walls;

  Vec6 wrench_b() const { return contact_b + lost_buoyancy_b; }
  const WallState& at(Wall wall) const { return walls[static_cast<std::size_t>(wall)]; }
};

/// Penalty contact and lost buoyancy; docs/water.md eqs. 15 to 22. Immutable; `load` and `energy` are pure and
/// do not allocate. Left out: drag and added mass stay those of the submerged vehicle above the surface, waves,
/// and contact of edges with edges (walls are flat, so corners suffice).
class Contact {
 public:
  Contact(const model::Robot& robot, const dynamics::Vehicle& vehicle, const Tank& tank,
          const ContactSpec& spec = {});
  Contact(const ContactShape& shape, const ContactBody& body, const Tank& tank, const ContactSpec& spec = {});

  ContactLoad load(const dynamics::State& state) const;

  /// Potential energy of compressed corners and of buoyancy lost.
  double energy(const dynamics::State& state) const;

  /// An estimate of the largest stable step of classical Runge-Kutta for an impact at this speed on a face or a
  /// corner.
  double stable_step(double speed) const;

  const ContactShape& shape() const { return shape_; }
  const Tank& tank() const { return tank_; }
  double stiffness() const { return stiffness_; }  ///< N/m^1.5 per corner
  double damping() const { return damping_; }      ///< s/m, of Hunt and Crossley

 private:
  struct Emerged {
    double share, lift;  ///< of the volume; mean height of it above the surface, over the whole volume
    Vec3 moment_b;       ///< share times the centroid's place seen from the shape's centre
  };
  Emerged emerged(const Vec3& down_b, double height) const;
  int points() const { return shape_.is_box() ? 8 : 1; }
  Vec3 point_b(int k) const;

  ContactShape shape_;
  ContactBody body_;
  Tank tank_;
  ContactSpec spec_;
  double stiffness_ = 0, damping_ = 0;
};

/// Damping of Hunt and Crossley that gives this restitution at this speed; docs/water.md eq. 17.
double damping_of_restitution(double restitution, double speed);

struct ContactEvent {
  double time = 0;  ///< s, interpolated between the two states around it
  Wall wall = Wall::floor;
  bool begins = true;  ///< false: it ends; the rest then tells of the whole contact
  double speed = 0;    ///< m/s into the wall, at the state before the contact
  double peak = 0;     ///< m, largest penetration so far (surface: height out of the water)
  double began = 0;    ///< s
};

/// Turns the states of a simulation into events. A contact ends only when the vehicle is clear by `release`, so
/// a graze or a rattle is one event. Fixed memory.
class ContactMonitor {
 public:
  explicit ContactMonitor(double release = 0.005);

  /// To be called once per accepted step, in order of time. The events of this step; valid until the next call.
  std::span<const ContactEvent> update(double t, const ContactLoad& load);

  bool touching(Wall wall) const { return tracks_[static_cast<std::size_t>(wall)].touching; }

 private:
  struct Track {
    bool touching = false;
    ContactEvent event;
    WallState last;
  };
  double release_, last_time_ = 0;
  bool started_ = false;
  std::array<Track, wall_count> tracks_;
  std::array<ContactEvent, wall_count> events_;
};

}  // namespace fathom::simulate
