#include "fathom/task/simulate/range_watch.hpp"

#include "fathom/loop/log_layout.hpp"
#include "fathom/task/internal/beyond_range.hpp"

namespace fathom::task::internal {

RangeWatch::RangeWatch(const loop::Scenario& scenario, log::Sink& next) : next_(&next) {
  for (std::size_t k = 0; k < scenario.vehicles.size(); ++k) {
    const loop::VehicleScenario& vehicle = scenario.vehicles[k];
    const auto range = identify::stored_statistics(vehicle.robot).range;
    if (range)
      watched_.push_back(
          {k, vehicle.name, model::allocation_matrix(vehicle.robot),
           identify::RangeMonitor(*range, vehicle.robot, identify::dof_of_estimate(vehicle.robot))});
  }
}

std::size_t RangeWatch::open(const log::ChannelInfo& info) {
  Channel channel{next_->open(info)};
  for (std::size_t k = 0; k < watched_.size(); ++k)
    for (const auto& [name, kind] :
         {std::pair(".state", Kind::state), {".thrusters", Kind::thrusters}, {".water", Kind::water}})
      if (info.name == watched_[k].name + name) {
        channel.kind = kind;
        channel.watched = k;
      }
  channels_.push_back(channel);
  return channels_.size() - 1;
}

void RangeWatch::append(std::size_t channel, double t, std::span<const double> values) {
  const Channel& to = channels_[channel];
  next_->append(to.number, t, values);
  if (to.kind != Kind::other) take(watched_[to.watched], to.kind, values);
}

void RangeWatch::take(Watched& watched, Kind kind, std::span<const double> values) {
  if (kind == Kind::thrusters) {
    const std::size_t n = values.size() / 2;
    watched.commands.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
    watched.tau_b =
        watched.allocation * Eigen::Map<const Eigen::VectorXd>(&values[loop::CommandsAndForces::force(0, n)],
                                                               std::ssize(values) / 2);
  } else if (kind == Kind::water) {
    watched.water_n = Eigen::Map<const Vec3>(values.data());
  } else {
    const Quat q_nb = loop::PoseAndTwist::attitude_in(values);
    Vec6 nu_r_b = Eigen::Map<const Vec6>(&values[loop::PoseAndTwist::twist]);
    nu_r_b.head<3>() -= q_nb.conjugate() * watched.water_n;
    watched.monitor.add({watched.tau_b, nu_r_b, q_nb, watched.commands});
    ++watched.samples;
  }
}

IfAny<std::vector<SimulateSummary::Beyond>> RangeWatch::beyond(std::size_t vehicle) const {
  for (const Watched& watched : watched_)
    if (watched.vehicle == vehicle)
      return beyond_range_of<SimulateSummary::Beyond>(
          watched.monitor.beyond(), static_cast<double>(std::max<std::size_t>(1, watched.samples)));
  return {};
}

}  // namespace fathom::task::internal
