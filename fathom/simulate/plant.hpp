#pragma once
#include <optional>
#include <span>
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/dynamics/thruster.hpp"
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/model/supply.hpp"
#include "fathom/simulate/contact.hpp"
#include "fathom/simulate/current_field.hpp"
#include "fathom/simulate/ode.hpp"
#include "fathom/simulate/tether.hpp"

namespace fathom::simulate {

/// One vehicle in its water, with its thrusters' transients, its tether and the walls round it, as one ordinary
/// differential equation. The state vector holds q_nb (x y z w), p_nb_n, nu_b, one number for each thruster,
/// one more for each with an axial flow, and the tether's nodes. Commands are held between calls of command().
/// Not for two threads at once.
class Plant : public Ode {
 public:
  struct Surroundings {
    model::Environment environment;
    CurrentField current;
    Tank tank = {};                         ///< without walls where none is given; there is always a surface
    double voltage = model::usual_voltage;  ///< V, of the thrusters' supply
  };

  Plant(const model::Robot& robot, model::Dof dof, Surroundings surroundings,
        const std::optional<TetherSpec>& tether = {});

  Eigen::Index size() const override;
  void derivative(double t, const Eigen::VectorXd& x, Eigen::VectorXd& dx) const override;
  void project(Eigen::VectorXd& x) const override;

  /// The vehicle at rest or as given, thrusters at rest, tether hanging.
  Eigen::VectorXd initial(const dynamics::State& start) const;
  dynamics::State vehicle_state(const Eigen::VectorXd& x) const;
  /// Puts another vehicle state into x; thrusters and tether stay.
  static void put_vehicle_state(const dynamics::State& state, Eigen::VectorXd& x);
  /// Where a state has nu_b, and its derivative nu_dot_b.
  static constexpr Eigen::Index at_nu = 7;
  static Vec6 acceleration(const Eigen::VectorXd& dx) { return dx.segment<6>(at_nu); }

  /// Sets what the thrusters are told, each in the unit of its map. Throws InputError unless there is one for
  /// each.
  void command(std::span<const double> commands);
  /// Sets a wrench that acts besides all else, at the body origin in b; held like the commands.
  void disturb(const Vec6& wrench_b) { disturbance_b_ = wrench_b; }
  /// What can befall a thruster. A dead one gets no power: its shaft runs out, it draws no current. A stuck one
  /// goes on as it is, whatever it is told. A weak one turns as told and has lost a share of its thrust (broken
  /// blades, weed).
  enum class Fault { none, dead, stuck, weak };
  void break_thruster(std::size_t k, Fault fault, double share_left = 1);

  std::size_t thruster_count() const { return thrusters_.size(); }
  const dynamics::ThrusterModel& thruster(std::size_t k) const { return thrusters_[k].model; }
  double voltage() const { return surroundings_.voltage; }
  const dynamics::Vehicle& vehicle() const { return vehicle_; }
  const Surroundings& surroundings() const { return surroundings_; }
  const std::optional<Tether>& tether() const { return tether_; }

  /// What each thruster does at x: force [N], shaft speed [rad/s], current [A]; NaN where its map does not say.
  struct ThrusterReading {
    double force, shaft_speed, current;
  };
  void read_thrusters(double t, const Eigen::VectorXd& x, std::span<ThrusterReading> out) const;
  Vec3 water_velocity(double t, const Eigen::VectorXd& x) const;
  /// The pull of the tether at x; zero without one.
  TetherLoad tether_load(double t, const Eigen::VectorXd& x) const;

  /// What walls, floor and surface do to the vehicle. What is 5 cm away or more counts as infinitely far.
  ContactLoad contact_load(const dynamics::State& state) const;

  /// The largest step that keeps RK4 stable from this state over the next `ahead` seconds; infinite where
  /// nothing stiff is near.
  double stable_step(const Eigen::VectorXd& x, double ahead) const;

 private:
  struct Motor {
    dynamics::ThrusterModel model;
    double target = 0;  // what its state moves to, computed once per command
    Fault fault = Fault::none;
    double share_left = 1;
    Eigen::Index at_flow = 0;                               // in the state vector; 0 without an axial flow
    double gain = 1, dead_band = 0, saturation = infinity;  // of the robot's command path

    /// The state of thruster k in x: the target itself where it follows at once.
    double force(const Eigen::VectorXd& x, double state, const Vec6& nu_r_b, double voltage) const {
      return gain * share_left *
             model.force_in_flow(model.has_state() ? state : target, at_flow > 0 ? x[at_flow] : 0,
                                 model.inflow(nu_r_b), voltage);
    }
  };

  /// What moves the water at t, everywhere. Stages of a step, the log and the next step ask for the same times.
  const CurrentField::Instant& water(double t) const;
  /// m, from the hull to the nearest wall, floor or surface; negative where it is beyond.
  double clearance(const dynamics::State& state) const;

  dynamics::Vehicle vehicle_;
  Surroundings surroundings_;
  std::vector<Motor> thrusters_;
  Eigen::Index flows_ = 0;  // thrusters with an axial flow
  Vec6 disturbance_b_ = Vec6::Zero();
  std::optional<Tether> tether_;
  mutable CurrentField::Instant water_;         // at the time asked for last
  mutable std::vector<double> tether_scratch_;  // rates that tether_load() has no use for
  Contact contact_;
  double reach_ = 0;  // m, from the body origin to the farthest corner
};

}  // namespace fathom::simulate
