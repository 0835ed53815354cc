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

/// Many times faster to ask than the map, and exact about corners such as the edge of a dead band.
class LaggedWrench::Sampled {
 public:
  Sampled(const model::ThrusterMap& map, double voltage)
      : least_(map.command.min), step_((map.command.max - map.command.min) / (points_of_map - 1)) {
    for (int k = 0; k < points_of_map; ++k) {
      const double force = model::force_of_command(map, least_ + k * step_, voltage);
      integrals_.push_back(k > 0 ? integrals_.back() + step_ / 2 * (forces_.back() + force) : 0);
      forces_.push_back(force);
    }
  }

  /// Mean force while the command moves from `begin` to `end`, `mean` being its mean over that time. The
  /// straight line between both forces has its mean at `mean`; of what the map has beside that line, which is
  /// zero at both ends, the mean over the command is taken for that over time.
  double mean_force(double begin, double end, double mean) const {
    const Point a = at(begin), b = at(end);
    const double moved = end - begin;
    if (std::abs(moved) < 1e-6 * step_) return a.force;
    const double beside = (b.integral - a.integral) / moved - (a.force + b.force) / 2;
    return a.force + (b.force - a.force) * (mean - begin) / moved + beside;
  }

 private:
  struct Point {
    double force, integral;
  };
  Point at(double command) const {
    const double place = std::clamp((command - least_) / step_, 0.0, static_cast<double>(points_of_map - 1));
    const auto k = std::min(static_cast<std::size_t>(place), forces_.size() - 2);
    const double share = place - static_cast<double>(k),
                 force = forces_[k] + share * (forces_[k + 1] - forces_[k]);
    return {force, integrals_[k] + share * step_ / 2 * (forces_[k] + force)};
  }

  double least_, step_;
  std::vector<double> forces_, integrals_;
};

LaggedWrench::LaggedWrench(const model::Robot& robot, const model::Environment& environment,
                           const ThrusterLag& lag)
    : gain_(robot.thrust_gain()),
      time_constant_(lag.time_constant),
      // Without a lag there is nothing before a map: its own force is the state.
      is_before_map_(lag.time_constant > 0 && lag.acts_on == model::ActsOn::shaft) {
  const model::Robot lagged = robot_with_lag(robot, lag);
  for (const model::Thruster& thruster : lagged.thrusters()) {
    const bool is_propeller = thruster.map && std::holds_alternative<model::Propeller>(thruster.map->law);
    const FirstOrder* own = first_order(thruster);
    std::size_t map = no_map;
    if (thruster.map && !is_propeller) {
      map = static_cast<std::size_t>(std::find(maps_.begin(), maps_.end(), *thruster.map) - maps_.begin());
      if (map == maps_.size()) maps_.push_back(*thruster.map);
    }
    units_.push_back({dynamics::ThrusterModel(thruster, environment.density()),
                      thruster.map ? thruster.map->command.neutral : 0, own ? own->time_constant : 0,
                      !is_propeller && !(thruster.map && is_before_map_), map});
  }
}

LaggedWrench LaggedWrench::with_map(const model::ThrusterMap& of, const model::ThrusterMap& other) const {
  LaggedWrench out = *this;
  std::replace(out.maps_.begin(), out.maps_.end(), of, other);
  return out;
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
  out.setZero(static_cast<Index>(units_.size()), recording.size());
  std::vector<Sampled> sampled;
  if (is_before_map_)
    for (const model::ThrusterMap& map : maps_) sampled.emplace_back(map, recording.commands.voltage);
  for (std::size_t u = 0; u < units_.size(); ++u)
    add_impulses(u, recording, units_[u].map < sampled.size() ? &sampled[units_[u].map] : nullptr,
                 out.row(static_cast<Index>(u)));
  Eigen::VectorXd seen = Eigen::VectorXd::Zero(recording.size());
  each_piece(recording, [&](Index k, std::size_t, double begin, double end) {
    if (k >= 0) seen[k] += end - begin;
  });
  for (Index k = 0; k < seen.size(); ++k)
    if (seen[k] > 0) out.col(k) /= seen[k];
}

void LaggedWrench::add_impulses(std::size_t thruster, const Recording& recording, const Sampled* map,
                                Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>> out) const {
  const Unit& unit = units_[thruster];
  const CommandRecord& commands = recording.commands;
  const double T = unit.time_constant, volt = commands.voltage;
  const auto target_of = [&](double command) {
    return unit.map != no_map && unit.is_linear ? model::force_of_command(maps_[unit.map], command, volt)
                                                : unit.model.target(command, volt);
  };
  double state = dynamics::ThrusterModel::resting_state(), target = 0;
  std::size_t known_row = static_cast<std::size_t>(-1);
  each_piece(recording, [&](Index k, std::size_t row, double begin, double end) {
    if (row != known_row) target = target_of(static_cast<double>(commands.row(row)[thruster]));
    known_row = row;
    const double dt = end - begin;
    if (!(T > 0)) state = target;
    const double kept = T > 0 ? std::exp(-dt / T) : 0;
    if (unit.is_linear || k < 0) {
      if (k >= 0) out[k] += dt * target + T * (1 - kept) * (state - target);
      state = target + kept * (state - target);
      return;
    }
    const int parts =
        T < 5 * short_interval ? std::max(1, static_cast<int>(std::ceil(dt / short_interval - 1e-6))) : 1;
    const double part = dt / parts, whole = T > 0 ? std::exp(-part / T) : 0;
    for (int i = 0; i < parts; ++i) {
      const double away = state - target, next = target + whole * away;
      if (map) {
        const double mean = target + T / part * (1 - whole) * away;
        out[k] += part * map->mean_force(unit.neutral + state, unit.neutral + next, unit.neutral + mean);
      } else {
        const double inflow = unit.model.inflow(recording.track.nu_b.col(k));
        for (const double share : {first_gauss_point, 1 - first_gauss_point}) {
          const double there = target + (T > 0 ? std::exp(-share * part / T) : 0) * away;
          out[k] += part / 2 * unit.model.force(there, inflow, volt);
        }
      }
      state = next;
    }
  });
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
