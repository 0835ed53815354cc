#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fathom/control/allocation.hpp"
#include "fathom/loop/command_delay.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/loop/sink.hpp"
#include "fathom/loop/vehicle_log.hpp"
#include "fathom/simulate/plant.hpp"
#include "fathom/simulate/sensor.hpp"

namespace fathom::loop {

/// Something that happened once.
struct Event {
  double t = 0;
  std::string vehicle, what;
};

/// Sums over a run of how far a vehicle was from its reference.
struct Tracking {
  double position_rms = 0, position_max = 0;  ///< m
  double attitude_rms = 0, attitude_max = 0;  ///< rad
};

struct SensorAccount {
  std::string name;
  simulate::SimulatedSensor::Counts counts;
};

/// What a vehicle did in a run.
struct VehicleAccount {
  std::string name;
  std::optional<Tracking> tracking;
  double saturated_share = 0;  ///< of control steps in which the thrusters could not give what was asked
  double largest_speed = 0;    ///< m/s
  double distance = 0;         ///< m, along the path
  std::size_t events = 0, events_left_out = 0;  ///< the list of events is bounded
  double largest_tension = 0;                   ///< N, of the tether
  std::vector<SensorAccount> sensors;
};

/// One vehicle under way: its plant, controller and sensors, and its channels in the log.
class VehicleLoop {
 public:
  VehicleLoop(const Scenario& scenario, std::size_t index, std::uint64_t seed, Sink& sink);

  /// Control, integrate over one step, measure, log. False where the motion is no longer finite.
  bool step(double t, double t_next, std::vector<Event>& events);
  /// The last row of the log.
  void finish(double t);

  const VehicleScenario& scenario() const { return *scenario_; }
  VehicleAccount account() const;

 private:
  void control(double t, double dt);
  bool swim(double t, double t_next);
  bool advance(double t, double t_next);
  void tell(std::vector<Event>& events, double t, std::string what);
  void command_wrench(const Vec6& tau_b);
  void command_forces();
  void command_open_loop(double t, const OpenLoop& open_loop);
  void apply_faults(double t, std::vector<Event>& events);
  void observe(double t, std::vector<Event>& events);
  simulate::Truth truth(double t, const Eigen::VectorXd& x, const Vec6& nu_dot_b,
                        std::vector<double>& shaft_rates, std::vector<double>& currents);
  void log_row(double t);

  const VehicleScenario* scenario_;
  simulate::Plant plant_;
  std::optional<control::Allocator> allocator_;  // none without thrusters
  std::optional<control::PosePid> pid_;
  std::optional<control::Joystick> joystick_;
  std::optional<CommandDelay> delay_;  // made once the neutral commands are known
  std::optional<simulate::Disturbance> disturbance_;
  simulate::ContactMonitor contacts_;

  Eigen::VectorXd x_, dx_;
  simulate::RungeKutta4 rk4_;
  std::optional<simulate::DormandPrince> adaptive_;
  simulate::ContactLoad contact_;

  dynamics::State state_;
  trajectory::Reference reference_;
  Vec6 demanded_b_ = Vec6::Zero(), achieved_b_ = Vec6::Zero();
  std::vector<double> forces_, commands_;
  std::vector<double> neutral_;      // commands
  std::vector<double> known_share_;  // of the thrust that the controller knows to be left
  std::vector<simulate::Plant::ThrusterReading> readings_;
  bool thrusters_are_watched_ = false;  // by a sensor or a fault
  std::vector<double> rates_before_, rates_after_, currents_before_, currents_after_;

  struct Mounted {
    simulate::SimulatedSensor sensor;
    std::size_t channel;
  };
  std::vector<Mounted> sensors_;
  std::vector<std::size_t> sensor_of_robot_;  // index into sensors_ of each of the robot's sensors, or none
  std::vector<bool> fault_begun_, fault_known_, sensor_fault_begun_, sensor_fault_ended_;

  Sink* sink_;
  VehicleLog log_;

  long steps_ = 0, saturated_ = 0;
  bool was_saturated_ = false;
  double position_sum_ = 0, attitude_sum_ = 0;
  VehicleAccount account_;
};

/// A scenario as it runs. Vehicles do not act on one another. The same scenario and seed give the same rows.
class Simulation {
 public:
  /// Both must outlive the simulation. Throws InputError where the scenario cannot run.
  Simulation(const Scenario& scenario, std::uint64_t seed, Sink& sink);

  double t() const { return static_cast<double>(step_) * scenario_->step; }
  bool done() const { return step_ >= steps_ || failed_; }
  double share() const { return static_cast<double>(step_) / static_cast<double>(steps_); }
  void step();
  void run() {
    while (!done()) step();
    finish();
  }
  /// Writes the last rows.
  void finish();

  /// The motion of a vehicle ran away (a step too long for what is stiff); the log ends there.
  bool failed() const { return failed_; }
  const std::string& failed_vehicle() const { return failed_vehicle_; }
  const std::vector<std::unique_ptr<VehicleLoop>>& vehicles() const { return vehicles_; }
  const std::vector<Event>& events() const { return events_; }

 private:
  const Scenario* scenario_;
  std::vector<std::unique_ptr<VehicleLoop>> vehicles_;
  std::vector<Event> events_;
  long step_ = 0, steps_ = 0;
  bool failed_ = false;
  std::string failed_vehicle_;
};

}  // namespace fathom::loop
