#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "fathom/control/allocation.hpp"
#include "fathom/loop/account.hpp"
#include "fathom/loop/command_delay.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/loop/sink.hpp"
#include "fathom/loop/vehicle_log.hpp"
#include "fathom/simulate/plant.hpp"
#include "fathom/simulate/sensor.hpp"

namespace fathom::loop {

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
  void make_control(const Scenario& scenario, std::uint64_t seed);
  void make_thrusters(const Scenario& scenario);
  void mount_sensors(const Scenario& scenario, std::uint64_t seed);
  void control(double t, double dt);
  bool swim(double t, double t_next);
  bool advance(double t, double t_next);
  void tell(std::vector<Event>& events, double t, std::string what);
  void command_wrench(const Vec6& tau_b);
  void command_forces();
  void command_open_loop(double t, const OpenLoop& open_loop);
  void apply_thruster_faults(double t, std::vector<Event>& events);
  void apply_sensor_faults(double t, std::vector<Event>& events);
  void observe(double t, std::vector<Event>& events);
  simulate::Truth truth(double t, const Eigen::VectorXd& x, const Vec6& nu_dot_b,
                        std::vector<double>& shaft_rates, std::vector<double>& currents);
  void log_row(double t);

  const VehicleScenario* scenario_;
  simulate::Plant plant_;
  std::optional<control::Allocator> allocator_;  // none without thrusters
  std::optional<control::Allocator::Workspace> allocation_;
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

}  // namespace fathom::loop
