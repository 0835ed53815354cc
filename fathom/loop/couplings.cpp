#include "fathom/loop/internal/couplings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/loop/log_layout.hpp"

namespace fathom::loop::internal {
namespace {

constexpr double latch_lets_go = 2;  // of its distance: then the latch is armed again

Pose pose_of(const VehicleLoop& vehicle) { return {vehicle.state().q_nb, vehicle.state().p_nb_n}; }

bool is_due(double t, double at) { return t >= at - simulate::clock_tolerance; }

std::string describe(const CouplingEvent& event, const CouplingScenario& coupling, const Scenario& scenario,
                     bool with_others) {
  if (!event.closes)
    return fmt::format("opens; it carried {:.3g} N and {:.3g} N m", event.load.head<3>().norm(),
                       event.load.tail<3>().norm());
  return fmt::format(
      "{} {} to {}: {:.2f} mm and {:.2f} deg off, at {:.3f} m/s and {:.2f} deg/s; {:.3g} N s and {:.3g} N m s "
      "go "
      "through it, {:.3g} J are lost{}",
      event.t > 0 ? "closes" : "is closed from the start,", name_of(coupling.ends[0], scenario),
      name_of(coupling.ends[1], scenario), 1e3 * event.meeting.misfit.distance,
      degrees * event.meeting.misfit.angle, event.meeting.speed, degrees * event.meeting.turn_rate,
      event.impulse.head<3>().norm(), event.impulse.tail<3>().norm(), event.energy_lost,
      with_others ? " with those that close at once" : "");
}

}  // namespace

Couplings::Couplings(const Scenario& scenario, std::span<const std::unique_ptr<VehicleLoop>> vehicles,
                     log::Sink& sink, std::vector<Event>& events)
    : scenario_(&scenario), sink_(&sink), events_(&events) {
  for (const auto& vehicle : vehicles) vehicles_.push_back(vehicle.get());
  std::vector<std::size_t> closed;
  for (const CouplingScenario& coupling : scenario.couplings) {
    if (coupling.closed) closed.push_back(couplings_.size());
    Live& live = couplings_.emplace_back(Live{.scenario = &coupling});
    live.statistics.name = coupling.name;
    live.channel =
        sink.open({coupling.name + ".load", "c", Load::columns(),
                   fmt::format("on {} from {}, at and in the axes of the first, while closed",
                               name_of(coupling.ends[0], scenario), name_of(coupling.ends[1], scenario))});
  }
  regroup();
  close(closed, 0);
}

assembly::Meeting Couplings::meeting(const Live& coupling) const {
  const auto& [a, b] = coupling.scenario->ends;
  return assembly::meeting(vehicles_[a.vehicle]->state(), a.pose_b, vehicles_[b.vehicle]->state(), b.pose_b,
                           coupling.scenario->turn);
}

bool Couplings::is_free(const CouplingEnd& end) const {
  return std::none_of(couplings_.begin(), couplings_.end(), [&](const Live& other) {
    return other.closed &&
           (is_same_place(end, other.scenario->ends[0]) || is_same_place(end, other.scenario->ends[1]));
  });
}

bool Couplings::update(double t) {
  const std::size_t opened = open_due(t);
  if (opened > 0) regroup();
  std::vector<std::size_t> closing;
  for (std::size_t k = 0; k < couplings_.size(); ++k) {
    Live& live = couplings_[k];
    if (live.closed) {
      const auto& [a, b] = live.scenario->ends;
      const Pose actual = pose_of(*vehicles_[a.vehicle]).inverse() * pose_of(*vehicles_[b.vehicle]);
      const assembly::Misfit off = assembly::misfit(actual, live.held, b.pose_b);
      live.statistics.drift.distance = std::max(live.statistics.drift.distance, off.distance);
      live.statistics.drift.angle = std::max(live.statistics.drift.angle, off.angle);
    } else if (meets(live, t)) {
      closing.push_back(k);
    }
  }
  close(closing, t);
  return opened > 0 || !closing.empty();
}

/// The latch catches now. Once open it is armed again only after the ends were apart.
bool Couplings::meets(Live& live, double t) const {
  const auto& latch = live.scenario->latch;
  if (!latch || !is_due(t, live.scenario->armed_from)) return false;
  const assembly::Meeting now = meeting(live);
  if (!live.armed) live.armed = !live.scenario->once && now.misfit.distance > latch_lets_go * latch->distance;
  return live.armed && latch->catches(now) && is_free(live.scenario->ends[0]) &&
         is_free(live.scenario->ends[1]);
}

std::size_t Couplings::open_due(double t) {
  std::size_t opened = 0;
  for (Live& live : couplings_) {
    const std::vector<double>& at = live.scenario->opens_at;
    if (live.openings == at.size() || !is_due(t, at[live.openings])) continue;
    while (live.openings < at.size() && is_due(t, at[live.openings])) ++live.openings;
    if (!live.closed) {
      events_->push_back({t, live.scenario->name, "is told to open, and is open"});
      continue;
    }
    CouplingEvent event{.t = t, .closes = false, .load = load_of(live, t)};
    events_->push_back({t, live.scenario->name, describe(event, *live.scenario, *scenario_, false)});
    live.statistics.events.push_back(event);
    live.closed = live.armed = false;
    ++opened;
  }
  return opened;
}

/// Loads are those of the groups as they were, also where several open at once.
Vec6 Couplings::load_of(const Live& coupling, double t) const {
  for (const Group& group : groups_)
    for (std::size_t k = 0; k < group.couplings.size(); ++k)
      if (&couplings_[group.couplings[k]] == &coupling) return group.moving->loads(t)[k];
  return Vec6::Zero();
}

void Couplings::close(std::span<const std::size_t> closing, double t) {
  if (closing.empty()) return;
  std::vector<std::size_t> closed;
  for (const std::size_t k : closing) {
    Live& live = couplings_[k];
    const auto& [a, b] = live.scenario->ends;
    if (!is_free(a) || !is_free(b)) continue;  // another of those that close at once took it
    live.closed = true;
    live.held = pose_of(*vehicles_[a.vehicle]).inverse() * pose_of(*vehicles_[b.vehicle]);
    closed.push_back(k);
  }
  regroup();
  for (const Group& group : groups_) collide(group, closed, t);
}

/// The impact in which couplings close: plastic, and no impulse of the whole is lost; docs/assemblies.md eq. 8.
void Couplings::collide(const Group& group, std::span<const std::size_t> closed, double t) {
  std::vector<std::size_t> mine;  // places in group.couplings
  for (std::size_t k = 0; k < group.couplings.size(); ++k)
    if (std::find(closed.begin(), closed.end(), group.couplings[k]) != closed.end()) mine.push_back(k);
  if (mine.empty()) return;
  const assembly::Cluster& cluster = *group.moving->cluster();
  std::vector<Vec6> before, impulses(group.couplings.size());
  for (const std::size_t k : group.vehicles) before.push_back(vehicles_[k]->state().nu_b);
  std::vector<Vec6> after = before;
  cluster.make_rigid(after);
  assembly::Cluster::Workspace workspace = cluster.workspace();
  cluster.loads(before, after, workspace, impulses);
  for (const std::size_t k : mine) {
    Live& live = couplings_[group.couplings[k]];
    const CouplingEvent event{.t = t,
                              .closes = true,
                              .meeting = meeting(live),
                              .impulse = impulses[k],
                              .energy_lost = cluster.energy_between(before, after)};
    events_->push_back({t, live.scenario->name, describe(event, *live.scenario, *scenario_, mine.size() > 1)});
    live.statistics.events.push_back(event);
  }
  for (std::size_t k = 0; k < group.vehicles.size(); ++k) vehicles_[group.vehicles[k]]->jump_to(after[k]);
}

/// Who hangs together. Groups in which nothing has changed stay as they are, with what their integrators know.
void Couplings::regroup() {
  std::vector<std::size_t> first(vehicles_.size());  // of the group that a vehicle is in
  for (std::size_t k = 0; k < first.size(); ++k) first[k] = k;
  for (const Live& live : couplings_) {
    if (!live.closed) continue;
    const std::size_t a = first[live.scenario->ends[0].vehicle], b = first[live.scenario->ends[1].vehicle];
    std::replace(first.begin(), first.end(), std::max(a, b), std::min(a, b));
  }
  std::vector<Group> groups;
  for (std::size_t head = 0; head < first.size(); ++head) {
    if (first[head] != head) continue;
    Group group;
    for (std::size_t k = 0; k < first.size(); ++k)
      if (first[k] == head) group.vehicles.push_back(k);
    for (std::size_t k = 0; k < couplings_.size(); ++k)
      if (couplings_[k].closed && first[couplings_[k].scenario->ends[0].vehicle] == head)
        group.couplings.push_back(k);
    const auto same = std::find_if(groups_.begin(), groups_.end(), [&](const Group& old) {
      return old.moving && old.vehicles == group.vehicles && old.couplings == group.couplings;
    });
    group.moving = same != groups_.end() ? std::move(same->moving) : make_moving(group);
    groups.push_back(std::move(group));
  }
  groups_ = std::move(groups);
}

std::unique_ptr<MovingGroup> Couplings::make_moving(const Group& group) {
  if (group.vehicles.size() == 1)
    return std::make_unique<MovingGroup>(*vehicles_[group.vehicles[0]], scenario_->adaptive);
  std::vector<VehicleLoop*> vehicles;
  std::vector<Mat6> M;
  std::vector<Pose> poses;
  const Pose pose_0n = pose_of(*vehicles_[group.vehicles[0]]).inverse();
  for (const std::size_t k : group.vehicles) {
    vehicles.push_back(vehicles_[k]);
    M.push_back(vehicles_[k]->plant().vehicle().M());
    poses.push_back(pose_0n * pose_of(*vehicles_[k]));
  }
  const auto place = [&](std::size_t vehicle) {
    return static_cast<std::size_t>(std::find(group.vehicles.begin(), group.vehicles.end(), vehicle) -
                                    group.vehicles.begin());
  };
  std::vector<assembly::Link> links;
  for (const std::size_t k : group.couplings) {
    const auto& [a, b] = couplings_[k].scenario->ends;
    links.push_back({place(a.vehicle), place(b.vehicle), a.pose_b});
  }
  assembly::Cluster cluster(std::move(M), std::move(poses), std::move(links), vehicles.front()->scenario().dof);
  for (std::size_t k = 0; k < group.couplings.size(); ++k)
    if (cluster.is_in_loop(k)) couplings_[group.couplings[k]].statistics.is_in_loop = true;
  return std::make_unique<MovingGroup>(std::move(vehicles), std::move(cluster), scenario_->adaptive);
}

void Couplings::log(double t) {
  for (const Group& group : groups_) {
    if (group.couplings.empty()) continue;
    const std::span<const Vec6> loads = group.moving->loads(t);
    for (std::size_t k = 0; k < loads.size(); ++k) {
      Live& live = couplings_[group.couplings[k]];
      sink_->append(live.channel, t, std::span(loads[k].data(), 6));
      live.statistics.largest_force = std::max(live.statistics.largest_force, loads[k].head<3>().norm());
      live.statistics.largest_moment = std::max(live.statistics.largest_moment, loads[k].tail<3>().norm());
    }
  }
}

std::vector<CouplingStatistics> Couplings::statistics() const {
  std::vector<CouplingStatistics> statistics;
  for (const Live& live : couplings_) {
    statistics.push_back(live.statistics);
    statistics.back().closed = live.closed;
  }
  return statistics;
}

}  // namespace fathom::loop::internal
