#include "fathom/loop/internal/vehicle_loop.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fathom::loop::internal {
namespace {

constexpr std::size_t most_events = 1000;  // a vehicle that rattles on a wall must not fill the memory

std::string describe(const simulate::ContactEvent& event) {
  const bool surface = event.wall == simulate::Wall::surface;
  const std::string wall =
      std::string(simulate::to_string(event.wall)) + (event.wall == simulate::Wall::floor ? "" : " wall");
  if (event.begins)
    return surface ? "comes out of the water"
                   : fmt::format("touches the {} at {:.2f} m/s", wall, std::max(0.0, event.speed));
  const double seconds = event.time - event.began;
  return surface ? fmt::format("is under water again after {:.1f} s", seconds)
                 : fmt::format("leaves the {} after {:.1f} s", wall, seconds);
}

/// Faster than anything under water, or not a number.
bool runs_away(const Eigen::VectorXd& x) {
  constexpr double fastest = 50, fastest_turn = 100;  // m/s, rad/s
  constexpr Eigen::Index at = simulate::Plant::at_nu;
  return !x.allFinite() || !(x.segment<3>(at).norm() < fastest) ||
         !(x.segment<3>(at + 3).norm() < fastest_turn);
}

simulate::Plant make_plant(const Scenario& scenario, const VehicleScenario& vehicle, std::uint64_t seed) {
  return simulate::Plant(vehicle.robot, vehicle.dof,
                         {scenario.environment, simulate::CurrentField(scenario.current, seed),
                          scenario.tank.value_or(simulate::Tank()), vehicle.voltage},
                         vehicle.tether);
}

}  // namespace

VehicleLoop::VehicleLoop(const Scenario& scenario, std::size_t index, std::uint64_t seed, log::Sink& sink,
                         std::vector<Event>& events)
    : scenario_(&scenario.vehicles[index]),
      plant_(make_plant(scenario, *scenario_, seed)),
      x_(plant_.initial(scenario_->start)),
      state_(scenario_->start),
      sink_(&sink),
      events_(&events),
      log_(*scenario_, sink) {
  statistics_.name = scenario_->name;
  make_control(scenario, seed);
  if (scenario_->disturbance)
    disturbance_.emplace(*scenario_->disturbance, seed, scenario_->name + "/disturbance");
  make_thrusters(scenario);
  mount_sensors(scenario, seed);
  fault_begun_.assign(scenario_->thruster_faults.size(), false);
  fault_known_ = fault_begun_;
  thrusters_are_watched_ = !fault_begun_.empty();
  for (const std::size_t k : scenario_->sensors)
    thrusters_are_watched_ |= model::watches_thrusters(scenario_->robot.sensors()[k].kind);
  plant_.read_thrusters(0, x_, readings_);
  sensor_fault_begun_.assign(scenario_->sensor_faults.size(), false);
  sensor_fault_ended_ = sensor_fault_begun_;
}

void VehicleLoop::make_thrusters(const Scenario& scenario) {
  const std::size_t n = plant_.thruster_count();
  forces_.assign(n, 0);
  commands_.assign(n, 0);
  readings_.resize(n);
  for (auto* list : {&rates_before_, &rates_after_, &currents_before_, &currents_after_}) list->assign(n, 0);
  for (std::size_t k = 0; k < n; ++k) {
    const auto& map = scenario_->robot.thrusters()[k].map;
    neutral_.push_back(map ? map->command.neutral : 0);
  }
  commands_ = neutral_;
  delay_.emplace(neutral_, scenario_->command_delay, scenario.step);
  known_share_.assign(n, 1);
}

void VehicleLoop::mount_sensors(const Scenario& scenario, std::uint64_t seed) {
  const std::string& name = scenario_->name;
  sensor_of_robot_.assign(scenario_->robot.sensors().size(), none);
  std::vector<std::string> thruster_names;
  for (const model::Thruster& thruster : scenario_->robot.thrusters()) thruster_names.push_back(thruster.name);
  for (const std::size_t k : scenario_->sensors) {
    const model::Sensor& sensor = scenario_->robot.sensors()[k];
    simulate::SensorOptions options;
    options.gravity_n = scenario.environment.gravity_n();
    options.transceiver = scenario.usbl_transceiver;
    if (scenario.tank) options.bottom_depth = scenario.tank->max_n.z();
    options.thruster_names = thruster_names;
    options.longest_poll_gap = std::max(0.1, 2 * scenario.step);
    simulate::SimulatedSensor simulated(sensor, seed, name + "/" + sensor.name, options);
    const std::size_t channel = sink_->open(
        {name + "." + sensor.name, simulated.frame().empty() ? "none" : simulated.frame(), simulated.columns(),
         fmt::format("{}, by the time of arrival, {} s after measuring", model::name_of(sensor.kind),
                     simulated.latency())});
    sensor_of_robot_[k] = sensors_.size();
    sensors_.push_back({std::move(simulated), channel});
  }
}

void VehicleLoop::tell(double t, std::string what) {
  if (++statistics_.events > most_events)
    ++statistics_.events_left_out;
  else
    events_->push_back({t, scenario_->name, std::move(what)});
}

simulate::Truth VehicleLoop::truth(double t, const Vec6& nu_dot_b, std::vector<double>& shaft_rates,
                                   std::vector<double>& currents) const {
  for (std::size_t k = 0; k < readings_.size(); ++k) {
    shaft_rates[k] = readings_[k].shaft_speed;
    currents[k] = readings_[k].current;
  }
  return {t, plant_.vehicle_state(x_), nu_dot_b, shaft_rates, currents};
}

void VehicleLoop::log_row(double t) {
  log_.state(t, state_);
  if (scenario_->reference) log_.reference(t, reference_);
  log_.thrusters(t, commands_, readings_);
  if (!std::holds_alternative<Drift>(scenario_->control)) log_.control(t, demanded_b_, was_saturated_);
  log_.water(t, plant_.water_velocity(t, x_));
  if (!plant_.tether()) return;
  const simulate::TetherLoad load = plant_.tether_load(t, x_);
  statistics_.largest_tension = std::max(statistics_.largest_tension, load.tension_max);
  log_.tether(t, load);
}

/// What is summed up over the run, and contacts.
void VehicleLoop::observe(double t) {
  ++steps_;
  saturated_ += was_saturated_ ? 1 : 0;
  statistics_.largest_speed = std::max(statistics_.largest_speed, state_.nu_b.head<3>().norm());
  if (scenario_->reference && !obeys_) tracking_.add(reference_, state_);
  contact_ = plant_.contact_load(state_);
  for (const simulate::ContactEvent& event : contacts_.update(t, contact_)) tell(event.time, describe(event));
}

bool VehicleLoop::begin_step(double t) {
  if (!demanded_b_.allFinite()) return false;
  delay_->give(commands_);
  plant_.command(delay_->first());
  if (disturbance_) plant_.disturb(disturbance_->wrench_b());
  plant_.read_thrusters(t, x_, readings_);
  observe(t);
  log_row(t);
  from_n_ = state_.p_nb_n;
  return true;
}

void VehicleLoop::leave(double t, const Vec6& nu_dot_b) {
  before_ = truth(t, nu_dot_b, rates_before_, currents_before_);
}

bool VehicleLoop::arrive(double t, const Eigen::Ref<const Eigen::VectorXd>& x,
                         const Eigen::Ref<const Eigen::VectorXd>& dx) {
  x_ = x;
  if (runs_away(x_) || !dx.allFinite()) return false;
  if (thrusters_are_watched_) plant_.read_thrusters(t, x_, readings_);
  const simulate::Truth after = truth(t, dx.segment<6>(simulate::Plant::at_nu), rates_after_, currents_after_);
  state_ = after.state;
  simulate::Sample sample;
  for (Mounted& mounted : sensors_) {
    mounted.sensor.step(before_, after);
    while (mounted.sensor.poll(t, sample)) sink_->append(mounted.channel, sample.t_arrival, sample.values);
  }
  return true;
}

void VehicleLoop::end_step(double dt) {
  if (disturbance_) disturbance_->advance(dt);
  statistics_.distance += (state_.p_nb_n - from_n_).norm();
}

void VehicleLoop::jump_to(const Vec6& nu_b) {
  state_.nu_b = nu_b;
  simulate::Plant::put_vehicle_state(state_, x_);
}

void VehicleLoop::finish(double t) {
  if (scenario_->reference) reference_ = scenario_->reference->at(t);
  plant_.read_thrusters(t, x_, readings_);
  log_row(t);
}

VehicleStatistics VehicleLoop::statistics() const {
  VehicleStatistics statistics = statistics_;
  statistics.saturated_share = static_cast<double>(saturated_) / static_cast<double>(std::max(1L, steps_));
  statistics.tracking = tracking_.result();
  for (const Mounted& mounted : sensors_)
    statistics.sensors.push_back({mounted.sensor.name(), mounted.sensor.counts()});
  return statistics;
}

}  // namespace fathom::loop::internal
