#include "fathom/loop/vehicle_loop.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/dynamics/attainable.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::loop {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);
constexpr std::size_t most_events = 1000;  // a vehicle that rattles on a wall must not fill the memory
constexpr double longest_piece = 0.01;     // s

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
  return !x.allFinite() || !(x.segment<3>(7).norm() < fastest) || !(x.segment<3>(10).norm() < fastest_turn);
}

simulate::Plant make_plant(const Scenario& scenario, const VehicleScenario& vehicle, std::uint64_t seed) {
  return simulate::Plant(vehicle.robot, vehicle.dof,
                         {scenario.environment, simulate::CurrentField(scenario.current, seed),
                          scenario.tank.value_or(simulate::Tank()), vehicle.voltage},
                         vehicle.tether);
}

std::vector<model::ForceRange> force_ranges(const simulate::Plant& plant) {
  std::vector<model::ForceRange> ranges;
  for (std::size_t k = 0; k < plant.thruster_count(); ++k)
    ranges.push_back(plant.thruster(k).force_range(plant.voltage()));
  return ranges;
}

/// Axes for which the robot has no thrusters cannot be held.
control::PosePidOptions reachable(control::PosePidOptions options,
                                  const std::optional<control::Allocator>& allocator, model::Dof dof) {
  std::array<bool, 6> unreachable = {true, true, true, true, true, true};
  if (allocator) unreachable = allocator->unreachable_axes();
  for (std::size_t i = 0; i < 6; ++i)
    options.axes[i] = options.axes[i] && !unreachable[i] && model::is_free(dof, static_cast<int>(i));
  return options;
}

double smaller_side(const model::ForceRange& range) {
  const double side = std::min(-range.min, range.max);
  return side > 0 ? side : 0;  // also where the range is not a number
}

control::JoystickOptions with_limits(const JoystickControl& joystick, const simulate::Plant& plant) {
  control::JoystickOptions options = joystick.options;
  if (plant.thruster_count() == 0) return options;
  const dynamics::AttainableWrench attainable(plant.vehicle().allocation(), force_ranges(plant));
  const auto ranges = attainable.axis_ranges();
  for (const int axis : joystick.axes)
    if (options.limit_b[axis] == 0)
      options.limit_b[axis] = joystick.share * smaller_side(ranges[static_cast<std::size_t>(axis)]);
  return options;
}

}  // namespace

VehicleLoop::VehicleLoop(const Scenario& scenario, std::size_t index, std::uint64_t seed, Sink& sink)
    : scenario_(&scenario.vehicles[index]),
      plant_(make_plant(scenario, *scenario_, seed)),
      x_(plant_.initial(scenario_->start)),
      dx_(plant_.size()),
      rk4_(plant_.size()),
      state_(scenario_->start),
      sink_(&sink),
      log_(*scenario_, sink) {
  account_.name = scenario_->name;
  make_control(scenario, seed);
  if (scenario_->disturbance)
    disturbance_.emplace(*scenario_->disturbance, seed, scenario_->name + "/disturbance");
  if (scenario.adaptive) adaptive_.emplace(plant_.size(), *scenario.adaptive);
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

void VehicleLoop::make_control(const Scenario& scenario, std::uint64_t seed) {
  if (plant_.thruster_count() > 0) {
    allocator_.emplace(plant_.vehicle().allocation(), force_ranges(plant_));
    allocation_.emplace(allocator_->workspace());
  }
  if (const auto* pid = std::get_if<PidControl>(&scenario_->control)) {
    const dynamics::Vehicle believed(pid->believed ? *pid->believed : scenario_->robot, scenario.environment,
                                     scenario_->dof);
    std::optional<dynamics::Vehicle> feed_forward_model;
    if (pid->feed_forward_model)
      feed_forward_model.emplace(*pid->feed_forward_model, scenario.environment, scenario_->dof);
    pid_.emplace(believed, reachable(pid->options, allocator_, scenario_->dof), feed_forward_model);
  }
  if (const auto* joystick = std::get_if<JoystickControl>(&scenario_->control))
    joystick_.emplace(with_limits(*joystick, plant_), seed, scenario_->name + "/joystick");
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
  std::vector<log::Column> columns;
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
    columns.clear();
    for (const sensing::Column& column : simulated.columns()) columns.push_back({column.name, column.unit});
    const std::size_t channel =
        sink_->open({name + "." + sensor.name, simulated.frame().empty() ? "none" : simulated.frame(), columns,
                     fmt::format("{}, by the time of arrival, {} s after measuring",
                                 model::name_of(sensor.kind), simulated.latency())});
    sensor_of_robot_[k] = sensors_.size();
    sensors_.push_back({std::move(simulated), channel});
  }
}

void VehicleLoop::tell(std::vector<Event>& events, double t, std::string what) {
  if (++account_.events > most_events)
    ++account_.events_left_out;
  else
    events.push_back({t, scenario_->name, std::move(what)});
}

void VehicleLoop::command_forces() {
  for (std::size_t k = 0; k < forces_.size(); ++k) {
    const double full =
        known_share_[k] > 0 ? forces_[k] / known_share_[k] : 0;  // of one that is known to be weak
    commands_[k] = plant_.thruster(k).command_for(full, 0, plant_.voltage());
  }
}

void VehicleLoop::command_wrench(const Vec6& tau_b) {
  demanded_b_ = tau_b;
  if (!allocator_) return;
  const control::Allocation& given = allocator_->allocate(tau_b, *allocation_);
  std::copy_n(given.forces.data(), forces_.size(), forces_.begin());
  achieved_b_ = given.achieved_b;
  was_saturated_ = given.saturated || given.unreachable_b.norm() > 1e-9 * (1 + tau_b.norm());
  command_forces();
}

void VehicleLoop::command_open_loop(double t, const OpenLoop& open_loop) {
  using By = OpenLoop::By;
  if (open_loop.by == By::wrench) {
    Vec6 tau_b;
    open_loop.series.at(t, std::span(tau_b.data(), 6));
    command_wrench(tau_b);
    return;
  }
  if (t < open_loop.series.begin()) {
    commands_ = neutral_;
    return;
  }
  std::vector<double>& told = open_loop.by == By::force ? forces_ : commands_;
  open_loop.series.at(t, told);
  if (open_loop.by == By::force) {
    command_forces();
  } else if (open_loop.by == By::rpm) {
    for (double& command : commands_) command *= 2 * std::numbers::pi / 60;
  } else if (open_loop.by == By::pwm) {
    for (std::size_t k = 0; k < commands_.size(); ++k) {
      const bool is_pwm = scenario_->robot.thrusters()[k].map->command.unit == model::CommandUnit::pwm_us;
      if (!is_pwm) commands_[k] = (commands_[k] - 1500) / 400;  // us to [-1, 1], as hobby controllers do
    }
  }
  was_saturated_ = false;
  if (open_loop.by == By::force) demanded_b_ = dynamics::thruster_wrench(plant_.vehicle(), forces_);
  for (std::size_t k = 0; k < forces_.size(); ++k) {
    const double wanted = forces_[k];
    forces_[k] = plant_.thruster(k).steady_force(commands_[k], 0, plant_.voltage());
    const auto& map = scenario_->robot.thrusters()[k].map;
    was_saturated_ |= open_loop.by == By::force
                          ? std::abs(wanted - forces_[k]) > 1e-6 * (1 + std::abs(wanted))
                          : map && (commands_[k] < map->command.min || commands_[k] > map->command.max);
  }
  achieved_b_ = dynamics::thruster_wrench(plant_.vehicle(), forces_);
  if (open_loop.by != By::force) demanded_b_ = achieved_b_;
}

void VehicleLoop::control(double t, double dt) {
  if (scenario_->reference) reference_ = scenario_->reference->at(t);
  if (pid_) {
    command_wrench(pid_->wrench(reference_, state_));
    pid_->advance(reference_, state_, demanded_b_, achieved_b_, dt);
  } else if (joystick_) {
    command_wrench(joystick_->at(t, state_));
  } else if (const auto* open_loop = std::get_if<OpenLoop>(&scenario_->control)) {
    command_open_loop(t, *open_loop);
  }
}

void VehicleLoop::apply_thruster_faults(double t, std::vector<Event>& events) {
  for (std::size_t i = 0; i < fault_begun_.size(); ++i) {
    const ThrusterFault& fault = scenario_->thruster_faults[i];
    const std::string& thruster = scenario_->robot.thrusters()[fault.thruster].name;
    const double now = readings_[fault.thruster].force;
    if (!fault_begun_[i] && t >= fault.at) {
      fault_begun_[i] = true;
      switch (fault.kind) {
        case ThrusterFault::Kind::dead:
          plant_.break_thruster(fault.thruster, simulate::Plant::Fault::dead);
          break;
        case ThrusterFault::Kind::stuck:
          plant_.break_thruster(fault.thruster, simulate::Plant::Fault::stuck);
          break;
        case ThrusterFault::Kind::weak:
          plant_.break_thruster(fault.thruster, simulate::Plant::Fault::weak, fault.factor);
          break;
      }
      constexpr std::array<const char*, 3> what = {"dies", "sticks", "weakens"};
      tell(events, t, fmt::format("thruster {} {}", thruster, what[static_cast<std::size_t>(fault.kind)]));
    }
    if (!fault_known_[i] && fault.known_at && t >= *fault.known_at) {
      fault_known_[i] = true;
      const model::ForceRange range = plant_.thruster(fault.thruster).force_range(plant_.voltage());
      const int k = static_cast<int>(fault.thruster);
      switch (fault.kind) {
        case ThrusterFault::Kind::dead: allocator_->fail(k); break;
        case ThrusterFault::Kind::stuck: allocator_->set_limits(k, now, now); break;
        case ThrusterFault::Kind::weak:
          allocator_->set_limits(k, fault.factor * range.min, fault.factor * range.max);
          known_share_[fault.thruster] = fault.factor;
          break;
      }
      tell(events, t, fmt::format("allocation reckons with thruster {}", thruster));
    }
  }
}

void VehicleLoop::apply_sensor_faults(double t, std::vector<Event>& events) {
  for (std::size_t i = 0; i < sensor_fault_begun_.size(); ++i) {
    const SensorFault& fault = scenario_->sensor_faults[i];
    const std::size_t k = sensor_of_robot_[fault.sensor];
    if (k == none) continue;  // not switched on in this scenario
    if (!sensor_fault_begun_[i] && t >= fault.at) {
      sensor_fault_begun_[i] = true;
      const bool silent = fault.kind == SensorFault::Kind::silent;
      silent ? sensors_[k].sensor.fail(fault.until) : sensors_[k].sensor.freeze(fault.until);
      tell(events, t,
           fmt::format("sensor {} {}", sensors_[k].sensor.name(), silent ? "falls silent" : "freezes"));
    }
    if (!sensor_fault_ended_[i] && t >= fault.until) {
      sensor_fault_ended_[i] = true;
      tell(events, t, fmt::format("sensor {} is back", sensors_[k].sensor.name()));
    }
  }
}

simulate::Truth VehicleLoop::truth(double t, const Eigen::VectorXd& x, const Vec6& nu_dot_b,
                                   std::vector<double>& shaft_rates, std::vector<double>& currents) {
  for (std::size_t k = 0; k < readings_.size(); ++k) {
    shaft_rates[k] = readings_[k].shaft_speed;
    currents[k] = readings_[k].current;
  }
  return {t, plant_.vehicle_state(x), nu_dot_b, shaft_rates, currents};
}

void VehicleLoop::log_row(double t) {
  log_.state(t, state_);
  if (scenario_->reference) log_.reference(t, reference_);
  log_.thrusters(t, commands_, readings_);
  if (!std::holds_alternative<Drift>(scenario_->control)) log_.control(t, demanded_b_, was_saturated_);
  log_.water(t, plant_.water_velocity(t, x_));
  if (!plant_.tether()) return;
  const simulate::TetherLoad load = plant_.tether_load(t, x_);
  account_.largest_tension = std::max(account_.largest_tension, load.tension_vehicle);
  log_.tether(t, load);
}

/// What is summed up over the run, and contacts.
void VehicleLoop::observe(double t, std::vector<Event>& events) {
  ++steps_;
  saturated_ += was_saturated_ ? 1 : 0;
  account_.largest_speed = std::max(account_.largest_speed, state_.nu_b.head<3>().norm());
  if (scenario_->reference) {
    Tracking& tracking = account_.tracking ? *account_.tracking : account_.tracking.emplace();
    const double position = (reference_.p_nb_n - state_.p_nb_n).norm();
    const double attitude = log_rotation(state_.q_nb.conjugate() * reference_.q_nb).norm();
    position_sum_ += position * position;
    attitude_sum_ += attitude * attitude;
    tracking.position_max = std::max(tracking.position_max, position);
    tracking.attitude_max = std::max(tracking.attitude_max, attitude);
  }
  contact_ = plant_.contact_load(state_);
  for (const simulate::ContactEvent& event : contacts_.update(t, contact_))
    tell(events, event.time, describe(event));
}

bool VehicleLoop::step(double t, double t_next, std::vector<Event>& events) {
  const double dt = t_next - t;
  apply_thruster_faults(t, events);
  apply_sensor_faults(t, events);
  control(t, dt);
  if (!demanded_b_.allFinite()) return false;
  delay_->give(commands_);
  plant_.command(delay_->first());
  if (disturbance_) plant_.disturb(disturbance_->wrench_b());
  plant_.read_thrusters(t, x_, readings_);
  observe(t, events);
  log_row(t);

  const Vec3 from_n = state_.p_nb_n;
  const double t_switch = t + delay_->switch_after();
  if (t_switch > t) {
    if (!swim(t, t_switch)) return false;
    plant_.command(delay_->then());
  }
  if (!swim(t_switch, t_next)) return false;
  if (disturbance_) disturbance_->advance(dt);
  account_.distance += (state_.p_nb_n - from_n).norm();
  return true;
}

/// Sensors see the motion between the two ends of a piece by interpolation, so pieces are short.
bool VehicleLoop::swim(double t, double t_next) {
  const double dt = t_next - t;
  const int pieces = sensors_.empty() ? 1 : std::max(1, static_cast<int>(std::ceil(dt / longest_piece - 1e-9)));
  for (int k = 0; k < pieces; ++k) {
    const double end = k + 1 == pieces ? t_next : t + (k + 1) * dt / pieces;
    if (!advance(k == 0 ? t : t + k * dt / pieces, end)) return false;
  }
  return true;
}

/// Integrates and measures, with the commands held.
bool VehicleLoop::advance(double t, double t_next) {
  const double dt = t_next - t;
  const Eigen::VectorXd& rate = rk4_.begin(plant_, t, x_);
  const simulate::Truth before = truth(t, x_, rate.segment<6>(7), rates_before_, currents_before_);
  if (adaptive_) {
    if (!adaptive_->advance(plant_, t, t_next, x_).reached) return false;
  } else {
    const double stable = plant_.stable_step(x_, dt);
    const int substeps = stable < dt ? static_cast<int>(std::min(1e4, std::ceil(dt / stable))) : 1;
    const double h = dt / substeps;
    rk4_.finish(plant_, t, h, x_);
    for (int k = 1; k < substeps; ++k) rk4_.step(plant_, t + k * h, h, x_);
  }
  plant_.derivative(t_next, x_, dx_);
  if (runs_away(x_) || !dx_.allFinite()) return false;
  if (thrusters_are_watched_) plant_.read_thrusters(t_next, x_, readings_);
  const simulate::Truth after = truth(t_next, x_, dx_.segment<6>(7), rates_after_, currents_after_);
  state_ = after.state;
  simulate::Sample sample;
  for (Mounted& mounted : sensors_) {
    mounted.sensor.step(before, after);
    while (mounted.sensor.poll(t_next, sample)) sink_->append(mounted.channel, sample.t_arrival, sample.values);
  }
  return true;
}

void VehicleLoop::finish(double t) {
  if (scenario_->reference) reference_ = scenario_->reference->at(t);
  plant_.read_thrusters(t, x_, readings_);
  log_row(t);
}

VehicleAccount VehicleLoop::account() const {
  VehicleAccount account = account_;
  const auto n = static_cast<double>(std::max(1L, steps_));
  account.saturated_share = static_cast<double>(saturated_) / n;
  if (account.tracking) {
    account.tracking->position_rms = std::sqrt(position_sum_ / n);
    account.tracking->attitude_rms = std::sqrt(attitude_sum_ / n);
  }
  for (const Mounted& mounted : sensors_)
    account.sensors.push_back({mounted.sensor.name(), mounted.sensor.counts()});
  return account;
}

}  // namespace fathom::loop
