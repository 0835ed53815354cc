#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fathom/dynamics/allocation.hpp"
#include "fathom/log/sink.hpp"
#include "fathom/loop/internal/command_delay.hpp"
#include "fathom/loop/internal/tracking.hpp"
#include "fathom/loop/internal/vehicle_log.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/loop/statistics.hpp"
#include "fathom/simulate/plant.hpp"
#include "fathom/simulate/sensor.hpp"

namespace fathom::loop::internal {

/// One vehicle under way: its plant, controller and sensors, and its channels in the log.
class VehicleLoop {
 public:
  /// Scenario, sink and events must outlive it.
  VehicleLoop(const Scenario& scenario, std::size_t index, std::uint64_t seed, log::Sink& sink,
              std::vector<Event>& events);

  // What Simulation::step does with it, in this order: apply_faults, steer or obey, begin_step, then
  // moving_group.hpp moves it, end_step.

  /// What breaks, and what is known of it from now on.
  void apply_faults(double t);
  /// Commands from the vehicle's own control, or in its place from those who steer several vehicles as one.
  void steer(double t, double dt);
  void obey(double t, std::span<const double> forces, bool saturated);
  /// Its own control is in charge again, and has forgotten what was before.
  void steer_alone();
  bool obeys() const { return obeys_; }
  /// Gives the commands and logs what is so at t. False where what control asks for is no number.
  bool begin_step(double t);
  void end_step(double dt);

  // While it moves.

  /// s into the step, when commands that were under way arrive; 0 where none do.
  double switch_after() const { return delay_->switch_after(); }
  void switch_commands() { plant_.command(delay_->then()); }
  bool measures() const { return !sensors_.empty(); }
  /// The two ends of a piece of motion, which sensors see by interpolation. False where it is no longer finite.
  void leave(double t, const Vec6& nu_dot_b);
  bool arrive(double t, const Eigen::Ref<const Eigen::VectorXd>& x,
              const Eigen::Ref<const Eigen::VectorXd>& dx);
  /// The velocity after an impact.
  void jump_to(const Vec6& nu_b);

  /// The last row of the log.
  void finish(double t);

  const simulate::Plant& plant() const { return plant_; }
  const Eigen::VectorXd& x() const { return x_; }
  const dynamics::State& state() const { return state_; }
  /// What is known of the thrusters; none where there are none.
  const std::optional<dynamics::Allocator>& allocator() const { return allocator_; }
  const VehicleScenario& scenario() const { return *scenario_; }
  VehicleStatistics statistics() const;

 private:
  void make_control(const Scenario& scenario, std::uint64_t seed);
  void make_thrusters(const Scenario& scenario);
  void mount_sensors(const Scenario& scenario, std::uint64_t seed);
  void tell(double t, std::string what);
  void command_wrench(const Vec6& tau_b);
  void commands_from_forces();
  void command_open_loop(double t, const OpenLoop& open_loop);
  void command_forces();
  void command_directly(OpenLoop::By by);
  void apply_thruster_faults(double t);
  void apply_sensor_faults(double t);
  void observe(double t);
  simulate::Truth truth(double t, const Vec6& nu_dot_b, std::vector<double>& shaft_rates,
                        std::vector<double>& currents) const;
  void log_row(double t);

  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  const VehicleScenario* scenario_;
  simulate::Plant plant_;
  std::optional<dynamics::Allocator> allocator_;  // none without thrusters
  std::optional<dynamics::Allocator::Workspace> allocation_;
  std::optional<control::PosePid> pid_;
  std::optional<control::Joystick> joystick_;
  std::optional<CommandDelay> delay_;  // made once the neutral commands are known
  std::optional<simulate::Disturbance> disturbance_;
  simulate::ContactMonitor contacts_;

  Eigen::VectorXd x_;
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

  log::Sink* sink_;
  std::vector<Event>* events_;
  VehicleLog log_;

  long steps_ = 0, saturated_ = 0;
  bool was_saturated_ = false;
  bool obeys_ = false;  // those who steer several as one
  Vec3 from_n_ = Vec3::Zero();
  simulate::Truth before_;
  TrackingSum tracking_;
  VehicleStatistics statistics_;
};

}  // namespace fathom::loop::internal
