#include "fathom/identify/vehicle/thruster_lag.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "fathom/base/constants.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using model::FirstOrder;

/// s, of an interval of Gauss and Legendre's two points; lags that are long against it need no other.
constexpr double short_interval = 0.01;
constexpr int points_of_map = 1025;  // straight lines between are right to 1e-5 of the largest force
constexpr std::size_t no_map = static_cast<std::size_t>(-1);
const double first_gauss_point = 0.5 - 0.5 / std::sqrt(3.0);

const FirstOrder* first_order(const model::Thruster& thruster) {
  return thruster.transient ? std::get_if<FirstOrder>(&thruster.transient->law) : nullptr;
}

/// Of the thrusters with a lag.
double mean_lag(const model::Robot& robot) {
  double sum = 0, count = 0;
  for (const model::Thruster& thruster : robot.thrusters())
    if (const FirstOrder* lag = first_order(thruster)) {
      sum += lag->time_constant;
      ++count;
    }
  return count > 0 ? sum / count : 0;
}

/// Calls piece(k, row, begin, end) for each stretch of time in which a sample k and a row of commands last,
/// in order of time, from the first row on. k is -1 while commands go on before the track begins.
template <class Piece>
void each_piece(const Recording& recording, const Piece& piece) {
  const std::vector<double>& rows = recording.commands.t;
  const filter::Track& track = recording.track;
  if (rows.empty() || track.size() == 0) return;
  const auto end_of = [&](Index k) { return track.t(k) + track.dt / 2; };
  std::size_t row = 0;
  double now = rows.front();
  Index k = -1;
  while (k < track.size() && end_of(k) <= now) ++k;
  for (; k < track.size(); ++k) {
    const double end = end_of(k);
    while (now < end) {
      while (row + 1 < rows.size() && rows[row + 1] <= now) ++row;
      const double next = row + 1 < rows.size() ? std::min(rows[row + 1], end) : end;
      piece(k, row, now, next);
      now = next;
    }
  }
}

}  // namespace

std::optional<StatedLag> stated_lag(const model::Robot& robot, std::span<const Recording> recordings) {
  using Of = CommandRecord::Of;
  const bool all_kept = std::all_of(recordings.begin(), recordings.end(),
                                    [](const Recording& r) { return r.commands.of != Of::none; });
  if (!all_kept || recordings.empty()) return std::nullopt;
  const bool any_thrusters = std::any_of(recordings.begin(), recordings.end(),
                                         [](const Recording& r) { return r.commands.of == Of::thrusters; });
  StatedLag out;
  out.has_kinds = false;
  if (!any_thrusters) return out;  // nothing says what lags a wrench that somebody logged
  double variance = 0, count = 0;
  bool all_sigma = true, all_kind = true;
  std::optional<model::ActsOn> kind;
  for (const model::Thruster& thruster : robot.thrusters()) {
    out.has_kinds = out.has_kinds || thruster.map.has_value();
    if (!thruster.transient) continue;
    const FirstOrder* lag = first_order(thruster);
    if (!lag || thruster.transient->flow) return std::nullopt;
    count += 1;
    all_sigma = all_sigma && lag->sigma;
    variance = std::max(variance, lag->sigma.value_or(0) * lag->sigma.value_or(0));
    all_kind = all_kind && lag->acts_on && (!kind || *kind == *lag->acts_on);
    kind = lag->acts_on;
  }
  if (count > 0) {
    out.time_constant = mean_lag(robot);
    if (all_sigma) out.sigma = std::sqrt(variance);
    if (all_kind) out.acts_on = kind;
  }
  return out;
}

ThrusterLag lag_of(const model::Robot& robot) {
  ThrusterLag out{mean_lag(robot), model::ActsOn::force};
  for (const model::Thruster& thruster : robot.thrusters())
    if (const FirstOrder* lag = first_order(thruster)) out.acts_on = model::acts_on_of(thruster.map, *lag);
  return out;
}

model::Robot robot_with_lag(const model::Robot& robot, const ThrusterLag& lag, std::optional<double> sigma,
                            const std::string& source) {
  model::RobotSpec spec = robot.spec();
  const double mean = mean_lag(robot);
  for (model::Thruster& thruster : spec.thrusters) {
    const FirstOrder* old = first_order(thruster);
    const double ratio = old && mean > 0 ? old->time_constant / mean : 1;
    if (!(lag.time_constant > 0)) {
      thruster.transient.reset();
      thruster.transient_name.clear();
      continue;
    }
    model::Transient transient;
    transient.law = FirstOrder{ratio * lag.time_constant, sigma ? std::optional(ratio * *sigma) : std::nullopt,
                               lag.acts_on};
    transient.source = source;
    thruster.transient = transient;
    // Thrusters that shared one still do; without a name each would write its own.
    if (thruster.transient_name.empty() && ratio == 1) thruster.transient_name = "lag";
  }
  return model::Robot::make(std::move(spec));
}

LaggedWrench::LaggedWrench(const model::Robot& robot, const model::Environment& environment,
                           const ThrusterLag& lag)
    : gain_(robot.thrust_gain()), time_constant_(lag.time_constant) {
  const model::Robot lagged = robot_with_lag(robot, lag);
  for (const model::Thruster& thruster : lagged.thrusters()) {
    const dynamics::ThrusterModel one(thruster, environment.density());
    const bool is_propeller = thruster.map && std::holds_alternative<model::Propeller>(thruster.map->law);
    const bool before_map = thruster.map && lag.acts_on == model::ActsOn::shaft;
    const FirstOrder* own = first_order(thruster);
    const bool is_sampled = before_map && !is_propeller;
    std::size_t map = 0;
    while (map < before_maps_.size() && !(is_sampled && before_maps_[map] == *thruster.map)) ++map;
    if (is_sampled && map == before_maps_.size()) before_maps_.push_back(*thruster.map);
    units_.push_back({one, thruster.map ? thruster.map->command.neutral : 0, own ? own->time_constant : 0,
                      !is_propeller && !before_map, is_sampled ? map : no_map});
  }
}

double LaggedWrench::Sampled::at(double command) const {
  const double place = (command - least) / step;
  const double last = static_cast<double>(forces.size() - 1);
  if (!(place > 0)) return forces.front();
  if (place >= last) return forces.back();
  const auto k = static_cast<std::size_t>(place);
  const double share = place - static_cast<double>(k);
  return forces[k] + share * (forces[k + 1] - forces[k]);
}

void LaggedWrench::sample_maps(double voltage) const {
  if (voltage == sampled_voltage_) return;
  maps_.clear();
  for (const model::ThrusterMap& map : before_maps_) {
    Sampled one{map.command.min, (map.command.max - map.command.min) / (points_of_map - 1), {}};
    for (int k = 0; k < points_of_map; ++k)
      one.forces.push_back(model::force_of_command(map, one.least + k * one.step, voltage));
    maps_.push_back(std::move(one));
  }
  sampled_voltage_ = voltage;
}

void LaggedWrench::forces(const Recording& recording, Eigen::MatrixXd& out) const {
  if (recording.commands.of == CommandRecord::Of::wrench)
    lagged_wrench(recording, out);
  else
    thruster_forces(recording, out);
}

/// A first-order lag of each component, exactly.
void LaggedWrench::lagged_wrench(const Recording& recording, Eigen::MatrixXd& out) const {
  const CommandRecord& commands = recording.commands;
  out.setZero(6, recording.size());
  Eigen::VectorXd seen = Eigen::VectorXd::Zero(recording.size());
  Vec6 state = Vec6::Zero();
  each_piece(recording, [&](Index k, std::size_t row, double begin, double end) {
    const Vec6 target = Eigen::Map<const Eigen::VectorXf>(commands.row(row).data(), 6).cast<double>();
    const double dt = end - begin, T = time_constant_;
    const double kept = T > 0 ? std::exp(-dt / T) : 0;
    const Vec6 away = state - target;
    state = target + kept * away;
    if (k < 0) return;
    out.col(k) += dt * target + T * (1 - kept) * away;
    seen[k] += dt;
  });
  for (Index k = 0; k < seen.size(); ++k)
    if (seen[k] > 0) out.col(k) /= seen[k];
}

void LaggedWrench::thruster_forces(const Recording& recording, Eigen::MatrixXd& out) const {
  const CommandRecord& commands = recording.commands;
  out.setZero(static_cast<Index>(units_.size()), recording.size());
  Eigen::VectorXd seen = Eigen::VectorXd::Zero(recording.size());
  sample_maps(commands.voltage);
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const Unit& unit = units_[u];
    const double T = unit.time_constant, volt = commands.voltage;
    double state = dynamics::ThrusterModel::resting_state(), target = 0;
    std::size_t known_row = static_cast<std::size_t>(-1);
    auto force = out.row(static_cast<Index>(u));
    each_piece(recording, [&](Index k, std::size_t row, double begin, double end) {
      if (row != known_row) {
        target = unit.model.target(static_cast<double>(commands.row(row)[u]), volt);
        known_row = row;
      }
      const double dt = end - begin;
      if (u == 0 && k >= 0) seen[k] += dt;
      if (!(T > 0)) state = target;
      const double kept = T > 0 ? std::exp(-dt / T) : 0;
      if (unit.is_linear || k < 0) {
        if (k >= 0) force[k] += dt * target + T * (1 - kept) * (state - target);
        state = target + kept * (state - target);
        return;
      }
      const double inflow = unit.model.inflow(recording.track.nu_b.col(k));
      const int parts = T < 5 * short_interval ? static_cast<int>(std::ceil(dt / short_interval - 1e-6)) : 1;
      const double part = dt / std::max(1, parts);
      const double early = T > 0 ? std::exp(-first_gauss_point * part / T) : 0,
                   late = T > 0 ? std::exp(-(1 - first_gauss_point) * part / T) : 0,
                   whole = T > 0 ? std::exp(-part / T) : 0;
      for (int i = 0; i < std::max(1, parts); ++i) {
        const double away = state - target;
        const double first = target + early * away, second = target + late * away;
        const double sum =
            unit.map != no_map
                ? maps_[unit.map].at(unit.neutral + first) + maps_[unit.map].at(unit.neutral + second)
                : unit.model.force(first, inflow, volt) + unit.model.force(second, inflow, volt);
        force[k] += part / 2 * sum;
        state = target + whole * away;
      }
    });
  }
  for (Index k = 0; k < seen.size(); ++k)
    if (seen[k] > 0) out.col(k) /= seen[k];
}

Mat6X LaggedWrench::columns(const Recording& recording) const {
  if (recording.commands.of == CommandRecord::Of::wrench) return Mat6X::Identity(6, 6);
  Mat6X out(6, static_cast<Index>(units_.size()));
  for (std::size_t u = 0; u < units_.size(); ++u)
    out.col(static_cast<Index>(u)) = gain_ * units_[u].model.column();
  return out;
}

Mat6X LaggedWrench::wrench_b(const Recording& recording) const {
  Eigen::MatrixXd each;
  forces(recording, each);
  return columns(recording) * each;
}

void set_lag(std::span<Recording> recordings, const model::Robot& robot, const model::Environment& environment,
             const ThrusterLag& lag) {
  const LaggedWrench wrench(robot, environment, lag);
  for (Recording& recording : recordings)
    if (recording.commands.of != CommandRecord::Of::none) recording.tau_b = wrench.wrench_b(recording);
}

}  // namespace fathom::identify
