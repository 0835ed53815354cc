#include "studies/modular/connected_pair.hpp"

#include <cmath>

#include "fathom/geometry/rotation.hpp"

#include "studies/modular/kinematic_filter.hpp"

namespace fathom::studies {
namespace {

constexpr double neutral_us = 1500, shown_us = 300, shown_speed = 0.9;  // us, us, m/s: Fig. 6.7

bool is_surge_thruster(const model::Thruster& thruster) { return thruster.name.starts_with("surge"); }

/// Thrust by eq. 5.8. Its numbers are only in figures, so: at bollard that of chapter 4, at speed `loss` of it
/// gone where the thesis' 0.9 m/s is. What T_ww is does not matter, for speed and T_wu follow from it.
model::ThrusterMap thrust_with_inflow(double loss) {
  constexpr double T_ww = 3.6e-4;  // N s^2, a T200: 51 N at 377 rad/s
  model::ThrusterMap map;
  map.command = {model::CommandUnit::pwm_us, neutral_us - 400, neutral_us + 400, neutral_us};
  model::TableShaft shaft;
  for (int above = -400; above <= 400; above += 25) {
    shaft.commands.push_back(neutral_us + above);
    shaft.speeds.push_back(
        std::copysign(std::sqrt(ConnectedPair::bollard_thrust(std::abs(above)) / T_ww), above));
  }
  const double speed = std::sqrt(ConnectedPair::bollard_thrust(shown_us) / T_ww);
  map.law = model::Propeller{model::ThrustCoefficients{T_ww, -loss * T_ww * speed / shown_speed}, shaft};
  map.assumed = true;
  return map;
}

model::Robot bluerov(const Host& host, double mass, double loss) {
  model::RobotSpec spec = host.robot("nielsen-bluerov").spec();
  const double ratio = mass / spec.hull.mass.value;
  spec.hull.mass.value = mass;
  spec.hull.volume.value = mass / model::fresh_water;
  spec.hull.inertia.value *= ratio;
  for (model::Thruster& thruster : spec.thrusters) {
    if (!is_surge_thruster(thruster)) continue;
    thruster.map = thrust_with_inflow(loss);
    thruster.map_name.clear();
    thruster.force.reset();
  }
  return model::Robot::make(std::move(spec));
}

}  // namespace

double ConnectedPair::bollard_thrust(double above) { return (3.123e-2 + 2.52e-4 * std::abs(above)) * above; }

double ConnectedPair::surge_drag(double u) const {
  double force = 0;
  for (const CoupledRobots::Member& member : members)
    force += dynamics::damping_force(dynamics::Vehicle(member.robot), u * Vec6::Unit(0))[0];
  return force;
}

double ConnectedPair::needed_loss() const {
  return 1 - surge_drag(shown_speed) / (4 * bollard_thrust(shown_us));
}

ConnectedPair ConnectedPair::make(const Host& host, const Assumed& assumed) {
  model::RobotSpec connector = host.robot("nielsen-connector").spec();
  connector.damping.front().linear.value(5, 5) = assumed.connector_yaw;
  const auto row = [&](const model::Robot& vehicle) {
    const auto at = [&](double share) { return Pose{Quat::Identity(), Vec3(0, share * assumed.spacing, 0)}; };
    return ConnectedPair{{{vehicle}, {model::Robot::make(connector), at(0.5)}, {vehicle, at(1)}}};
  };
  const ConnectedPair lossless = row(bluerov(host, assumed.mass, 0));
  return assumed.loses_thrust ? row(bluerov(host, assumed.mass, lossless.needed_loss())) : lossless;
}

ConnectedPair ConnectedPair::disturbed(RandomStream& random) const {
  constexpr double lag = 0.15, tether_mass = 0.35;  // s, kg: 8 m of 0.043 kg/m
  Vec6 spread;
  spread << 0.04, 0.1, 0.1, 0.1, 0.1, 0.1;
  ConnectedPair other = *this;
  for (CoupledRobots::Member& member : other.members) {
    model::RobotSpec spec = member.robot.spec();
    const auto factor = [&] {
      Vec6 f = Vec6::Ones();
      for (int k = 0; k < 6; ++k) f[k] += spread[k] * random.normal();
      return f;
    };
    spec.hull.added_mass.value = factor().asDiagonal() * spec.hull.added_mass.value;
    const Vec6 drag = factor();
    spec.damping.front().linear.value = drag.asDiagonal() * spec.damping.front().linear.value;
    for (Mat6& Q : spec.damping.front().quadratic.value.by_speed) Q = drag.asDiagonal() * Q;
    if (!spec.thrusters.empty()) {
      spec.hull.mass.value += tether_mass;
      spec.hull.volume.value += tether_mass / model::fresh_water;
    }
    for (model::Thruster& thruster : spec.thrusters) {
      if (!is_surge_thruster(thruster)) continue;
      auto& thrust = std::get<model::ThrustCoefficients>(std::get<model::Propeller>(thruster.map->law).thrust);
      const double strength = 1 + 0.02 * random.normal();
      thrust = {strength * thrust.ww, strength * thrust.wu};
      thruster.transient = model::Transient{model::FirstOrder{lag}, "", true};
    }
    member.robot = model::Robot::make(std::move(spec));
  }
  return other;
}

MarkerTrack swim_connected(const ConnectedPair& pair, const Excursion& excursion, const Vec6& first_motion) {
  CoupledRobots row(pair.members, model::Environment(), model::Dof::three);
  dynamics::State first = at_rest_under_water();
  first.nu_b = first_motion;
  row.begin(first);
  constexpr double dt = 1 / MarkerTrack::rate_hz;
  const Vec3 marker_b(0.2415, -0.165, 0);  // eq. 6.7
  const auto tell = [&](std::size_t k, double above) {
    std::vector<double> commands;
    for (const model::Thruster& thruster : pair.members[k].robot.thrusters())
      commands.push_back(neutral_us + (is_surge_thruster(thruster) ? above : 0));
    row.plant(k).command(commands);
  };
  const auto samples = static_cast<Eigen::Index>(excursion.seconds * MarkerTrack::rate_hz);
  constexpr auto engaged = static_cast<Eigen::Index>(Excursion::rest * MarkerTrack::rate_hz);
  MarkerTrack track(samples);
  std::array<double, 2> way = {0, 0};
  double turned = 0;
  for (Eigen::Index k = 0; k < samples; ++k) {
    if (k == 0 || k == engaged) {
      tell(0, k == engaged ? excursion.port : 0);
      tell(2, k == engaged ? excursion.starboard : 0);
    }
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const Vec3 v_b = row.state(2 * side).nu_b.head<3>();
      way[side] += v_b.norm() * dt;
      Vec6 pull = Vec6::Zero();
      pull.head<3>() = -tether_pull(v_b.norm(), way[side]) * v_b.normalized();
      row.plant(2 * side).disturb(pull);
    }
    const dynamics::State state = row.state(0);
    const Vec3 p_n = state.p_nb_n + state.q_nb * marker_b;
    turned += std::remainder(euler_from_quaternion(state.q_nb)[2] - turned, 2 * std::numbers::pi);
    track.x[k] = p_n.x();
    track.y[k] = p_n.y();
    track.yaw[k] = turned;
    track.speed[k] = (state.nu_b.head<3>() + state.nu_b.tail<3>().cross(marker_b)).head<2>().norm();  // eq. 6.6
    track.turn[k] = state.nu_b[5];
    row.step(dt);
  }
  return track;
}

MarkerTrack filmed(const MarkerTrack& track, RandomStream& random) {
  const Vec3 sigma(1e-3, 1e-3, 5e-3);  // m, m, rad: data/robots/nielsen-bluerov.yaml
  const auto seen = [&](Eigen::Index k) -> Vec3 {
    const Vec3 noise(random.normal(), random.normal(), random.normal());
    return Vec3(track.x[k], track.y[k], track.yaw[k]) + sigma.cwiseProduct(noise);
  };
  KinematicFilter filter(seen(0), {.acceleration = Vec3(0.3, 0.3, 0.3), .sigma = sigma});
  MarkerTrack out(track.x.size());
  for (Eigen::Index k = 0; k < track.x.size(); ++k) {
    if (k > 0) {
      filter.predict(1 / MarkerTrack::rate_hz);
      filter.correct(seen(k));
    }
    const Vec6& x = filter.state();
    out.x[k] = x[0];
    out.y[k] = x[1];
    out.yaw[k] = x[2];
    out.speed[k] = x.segment<2>(3).norm();
    out.turn[k] = x[5];
  }
  return out;
}

double peak_to_peak(const Eigen::VectorXd& series) {
  constexpr double prominence = 0.2;  // m, so that noise is no peak
  double high = series[0], low = 0;
  bool falling = false;
  for (const double value : series) {
    if (!falling) {
      high = std::max(high, value);
      if (value < high - prominence) falling = true, low = value;
    } else {
      low = std::min(low, value);
      if (value > low + prominence) return high - low;
    }
  }
  return nan;
}

}  // namespace fathom::studies
