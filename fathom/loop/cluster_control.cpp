#include "fathom/loop/internal/cluster_control.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/assembly/merge.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/loop/internal/command_path.hpp"
#include "fathom/loop/log_layout.hpp"

namespace fathom::loop::internal {

ClusterControl::ClusterControl(const Scenario& scenario, const ClusterScenario& cluster,
                               std::span<const std::unique_ptr<VehicleLoop>> vehicles, std::uint64_t seed,
                               log::Sink& sink, std::vector<Event>& events)
    : scenario_(&scenario), cluster_(&cluster), seed_(seed), sink_(&sink), events_(&events) {
  for (const std::size_t k : cluster.vehicles) vehicles_.push_back(vehicles[k].get());
  state_ = sink.open({cluster.name + ".state", "n", PoseAndTwist::columns(),
                      fmt::format("{} as one, while so steered: centre of mass, axes of {}", names(),
                                  vehicles_.front()->scenario().name)});
  if (std::holds_alternative<PidControl>(cluster.control))
    reference_channel_ = sink.open({cluster.name + ".reference", "n", PoseAndTwist::columns(),
                                    "where it should be; twist in the axes of the reference"});
  if (!std::holds_alternative<Drift>(cluster.control))
    control_ = sink.open({cluster.name + ".control", "b", Demand::columns(),
                          "the wrench that control asks for, at the centre of mass; saturated: 1 where the "
                          "thrusters cannot give it"});
}

std::string ClusterControl::names() const {
  std::string text;
  for (std::size_t k = 0; k < vehicles_.size(); ++k)
    text += (k == 0 ? "" : k + 1 == vehicles_.size() ? " and " : ", ") + vehicles_[k]->scenario().name;
  return text;
}

void ClusterControl::regroup(double t, const Couplings& couplings) {
  std::vector<std::size_t> mine = cluster_->vehicles;
  std::sort(mine.begin(), mine.end());
  const auto& groups = couplings.groups();
  const auto found = std::find_if(groups.begin(), groups.end(),
                                  [&](const Couplings::Group& group) { return group.vehicles == mine; });
  if (found != groups.end() && !whole_) {
    take_over(t);
    events_->push_back({t, cluster_->name, fmt::format("takes over: {} are steered as one", names())});
  } else if (found == groups.end() && whole_) {
    in_charge_ += t - whole_->since;
    whole_.reset();
    for (VehicleLoop* vehicle : vehicles_) vehicle->steer_alone();
    events_->push_back({t, cluster_->name, fmt::format("lets go: {} steer themselves", names())});
  }
}

void ClusterControl::take_over(double t) {
  std::vector<assembly::PlacedRobot> robots;
  for (const VehicleLoop* vehicle : vehicles_)
    robots.push_back({vehicle->scenario().name,
                      &vehicle->scenario().robot,
                      vehicle->scenario().robot_file,
                      {vehicle->state().q_nb, vehicle->state().p_nb_n}});
  const assembly::Merged merged = assembly::merge(robots, cluster_->name);

  Whole& whole = whole_.emplace();
  whole.since = t;
  whole.pose_first = merged.poses.front().inverse();
  whole.H_first = twist_transform(whole.pose_first);
  std::vector<model::ForceRange> limits;
  for (std::size_t k = 0; k < vehicles_.size(); ++k) {
    const simulate::Plant& plant = vehicles_[k]->plant();
    const auto n = static_cast<Eigen::Index>(plant.thruster_count()), old = whole.B.cols();
    whole.B.conservativeResize(6, old + n);
    whole.B.rightCols(n) = twist_transform(merged.poses[k]).transpose() * plant.vehicle().allocation();
    for (int i = 0; i < static_cast<int>(n); ++i) limits.push_back(vehicles_[k]->allocator()->limits(i));
  }
  whole.forces.assign(limits.size(), 0);
  if (!limits.empty()) {
    whole.allocator.emplace(whole.B, limits);
    whole.allocation.emplace(whole.allocator->workspace());
  }
  at_ = state();
  make_control(merged.robot, limits);
}

void ClusterControl::make_control(const model::Robot& merged, std::span<const model::ForceRange> limits) {
  const model::Dof dof = vehicles_.front()->scenario().dof;
  const auto vehicle = [&](const model::Robot& robot) {
    return dynamics::Vehicle(robot, scenario_->environment, dof);
  };
  if (const auto* pid = std::get_if<PidControl>(&cluster_->control)) {
    std::optional<dynamics::Vehicle> feed_forward_model;
    if (pid->feed_forward_model) feed_forward_model.emplace(vehicle(*pid->feed_forward_model));
    whole_->pid.emplace(vehicle(pid->believed ? *pid->believed : merged),
                        reachable(pid->options, whole_->allocator, dof), feed_forward_model);
  }
  if (const auto* joystick = std::get_if<JoystickControl>(&cluster_->control))
    whole_->joystick.emplace(with_limits(*joystick, whole_->B, limits), seed_, cluster_->name + "/joystick");
  const Vec3 rpy = euler_from_quaternion(at_.q_nb);
  const trajectory::Waypoints* way = cluster_->reference ? cluster_->reference->waypoints() : nullptr;
  if (way)
    whole_->path = way->begun_at(at_.p_nb_n, rpy);
  else if (cluster_->reference)
    whole_->path = cluster_->reference;
  else
    whole_->path = trajectory::Waypoints({{at_.p_nb_n, rpy, 0}});
}

dynamics::State ClusterControl::state() const {
  const dynamics::State& first = vehicles_.front()->state();
  const Pose pose_n = Pose{first.q_nb, first.p_nb_n} * whole_->pose_first;
  return {pose_n.q_pc, pose_n.p_pc_p, whole_->H_first * first.nu_b};
}

/// What the vehicles know of their thrusters: faults that became known since.
void ClusterControl::take_limits() {
  int at = 0;
  for (const VehicleLoop* vehicle : vehicles_)
    for (int k = 0; k < static_cast<int>(vehicle->plant().thruster_count()); ++k, ++at) {
      const model::ForceRange &known = vehicle->allocator()->limits(k), &mine = whole_->allocator->limits(at);
      if (known.min != mine.min || known.max != mine.max)
        whole_->allocator->set_limits(at, known.min, known.max);
    }
}

void ClusterControl::command_wrench(const Vec6& tau_c) {
  demanded_c_ = tau_c;
  const dynamics::Allocation& given = whole_->allocator->allocate(tau_c, *whole_->allocation);
  std::copy_n(given.forces.data(), whole_->forces.size(), whole_->forces.begin());
  achieved_c_ = given.achieved_b;
  saturated_ = falls_short(given, tau_c);
}

void ClusterControl::command_forces(double t, const OpenLoop& open_loop) {
  std::vector<double>& forces = whole_->forces;
  open_loop.series.at(t - whole_->since, forces);
  demanded_c_.setZero();
  achieved_c_.setZero();
  saturated_ = false;
  for (std::size_t k = 0; k < forces.size(); ++k) {
    const model::ForceRange& limits = whole_->allocator->limits(static_cast<int>(k));
    const auto column = whole_->B.col(static_cast<Eigen::Index>(k));
    demanded_c_ += forces[k] * column;
    saturated_ |= forces[k] < limits.min || forces[k] > limits.max;
    forces[k] = std::clamp(forces[k], limits.min, limits.max);
    achieved_c_ += forces[k] * column;
  }
}

void ClusterControl::command(double t, double dt) {
  if (!whole_->allocator) return;
  if (whole_->pid) {
    command_wrench(whole_->pid->wrench(reference_, at_));
    whole_->pid->advance(reference_, at_, demanded_c_, achieved_c_, dt);
  } else if (whole_->joystick) {
    command_wrench(whole_->joystick->at(t, at_));
  } else if (const auto* open_loop = std::get_if<OpenLoop>(&cluster_->control)) {
    if (open_loop->by == OpenLoop::By::force) return command_forces(t, *open_loop);
    Vec6 tau_c;
    open_loop->series.at(t - whole_->since, std::span(tau_c.data(), 6));
    command_wrench(tau_c);
  }
}

void ClusterControl::steer(double t, double dt) {
  for (VehicleLoop* vehicle : vehicles_) vehicle->apply_faults(t);
  if (whole_->allocator) take_limits();
  at_ = state();
  reference_ = whole_->path->at(t - whole_->since);
  command(t, dt);
  std::span<const double> forces = whole_->forces;
  for (VehicleLoop* vehicle : vehicles_) {
    const std::size_t n = vehicle->plant().thruster_count();
    vehicle->obey(t, forces.first(n), saturated_);
    forces = forces.subspan(n);
  }
  ++steps_;
  saturated_steps_ += saturated_ ? 1 : 0;
  if (whole_->pid) tracking_.add(reference_, at_);
  log(t);
}

void ClusterControl::log(double t) {
  std::array<double, PoseAndTwist::width> row;
  sink_->append(state_, t, PoseAndTwist::put(row, at_.q_nb, at_.p_nb_n, at_.nu_b));
  if (whole_->pid)
    sink_->append(reference_channel_, t,
                  PoseAndTwist::put(row, reference_.q_nb, reference_.p_nb_n, reference_.nu_b));
  if (std::holds_alternative<Drift>(cluster_->control)) return;
  std::copy_n(demanded_c_.data(), 6, std::span(row).subspan(Demand::wrench).begin());
  row[Demand::saturated] = saturated_ ? 1 : 0;
  sink_->append(control_, t, std::span(row).first(Demand::width));
}

void ClusterControl::finish(double t) {
  if (!whole_) return;
  at_ = state();
  reference_ = whole_->path->at(t - whole_->since);
  log(t);
  in_charge_ += t - whole_->since;
}

ClusterStatistics ClusterControl::statistics() const {
  std::vector<std::string> vehicles;
  for (const VehicleLoop* vehicle : vehicles_) vehicles.push_back(vehicle->scenario().name);
  return {cluster_->name, std::move(vehicles), in_charge_, tracking_.result(),
          static_cast<double>(saturated_steps_) / static_cast<double>(std::max(1L, steps_))};
}

}  // namespace fathom::loop::internal
