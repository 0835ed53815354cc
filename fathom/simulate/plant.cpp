#include "fathom/simulate/plant.hpp"

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::simulate {
namespace {

/// m; what is farther from walls and surface does not feel them (ContactSpec::ripple is 1 cm).
constexpr double contact_margin = 0.05;

// Places in the state vector; then come the thrusters, their axial flows, then the tether.
constexpr Eigen::Index at_q = 0, at_p = 4, at_nu = Plant::at_nu, at_thrusters = 13;

dynamics::State state_in(const Eigen::VectorXd& x) {
  dynamics::State state;
  state.q_nb.coeffs() = x.segment<4>(at_q);
  state.p_nb_n = x.segment<3>(at_p);
  state.nu_b = x.segment<6>(at_nu);
  return state;
}

}  // namespace

Plant::Plant(const model::Robot& robot, model::Dof dof, Surroundings surroundings,
             const std::optional<TetherSpec>& tether)
    : vehicle_(robot, surroundings.environment, dof),
      surroundings_(std::move(surroundings)),
      contact_(robot, vehicle_, surroundings_.tank),
      reach_(contact_.shape().centre_b.norm() + contact_.shape().size.norm() / 2 + contact_.shape().radius) {
  for (const model::Thruster& thruster : robot.thrusters()) {
    Motor motor{dynamics::ThrusterModel(thruster, surroundings_.environment.density())};
    motor.gain = robot.thrust_gain();
    if (!thruster.map) {
      motor.dead_band = robot.dead_band();
      motor.saturation = robot.saturation();
    }
    thrusters_.push_back(std::move(motor));
  }
  const auto thruster_count = static_cast<Eigen::Index>(thrusters_.size());
  for (Motor& motor : thrusters_)
    if (motor.model.has_flow()) motor.at_flow = at_thrusters + thruster_count + flows_++;
  if (!tether) return;
  tether_.emplace(*tether, surroundings_.environment);
  tether_scratch_.resize(static_cast<std::size_t>(tether_->size()));
}

Eigen::Index Plant::size() const {
  return at_thrusters + static_cast<Eigen::Index>(thrusters_.size()) + flows_ + (tether_ ? tether_->size() : 0);
}

Eigen::VectorXd Plant::initial(const dynamics::State& start) const {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(size());
  put_vehicle_state(start, x);
  x.segment<4>(at_q).normalize();
  if (tether_) {
    const PointMotion end = point_motion(start.q_nb, start.p_nb_n, start.nu_b, tether_->spec().attachment_b);
    const auto n = static_cast<std::size_t>(tether_->size());
    tether_->initial(std::span(x.data() + x.size() - tether_->size(), n), end.p_n);
  }
  return x;
}

dynamics::State Plant::vehicle_state(const Eigen::VectorXd& x) const { return state_in(x); }

void Plant::put_vehicle_state(const dynamics::State& state, Eigen::VectorXd& x) {
  x.segment<4>(at_q) = state.q_nb.coeffs();
  x.segment<3>(at_p) = state.p_nb_n;
  x.segment<6>(at_nu) = state.nu_b;
}

const CurrentField::Instant& Plant::water(double t) const {
  if (!water_.is(surroundings_.current, t)) water_ = surroundings_.current.at_time(t);
  return water_;
}

void Plant::derivative(double t, const Eigen::VectorXd& x, Eigen::VectorXd& dx) const {
  const dynamics::State state = state_in(x);
  const Vec3 v_n = state.q_nb * state.nu_b.head<3>();
  const CurrentField::Instant& now = water(t);
  const model::Current current = now.at(state.p_nb_n, v_n);
  const Vec6 nu_r_b = dynamics::relative_twist(state, current);

  Vec6 tau_b = disturbance_b_;
  for (std::size_t k = 0; k < thrusters_.size(); ++k) {
    const Motor& motor = thrusters_[k];
    const Eigen::Index at = at_thrusters + static_cast<Eigen::Index>(k);
    tau_b += motor.force(x, x[at], nu_r_b, surroundings_.voltage) * motor.model.column();
    const bool moves = motor.model.has_state() && motor.fault != Fault::stuck;
    dx[at] = moves ? motor.model.state_rate(x[at], motor.target, 0) : 0;
    if (motor.at_flow > 0)
      dx[motor.at_flow] = motor.model.flow_rate(x[at], x[motor.at_flow], surroundings_.voltage);
  }
  if (tether_) {
    const PointMotion end = point_motion(state.q_nb, state.p_nb_n, state.nu_b, tether_->spec().attachment_b);
    const auto n = static_cast<std::size_t>(tether_->size());
    const Eigen::Index at = x.size() - tether_->size();
    const TetherLoad load =
        tether_->derivative(std::span(x.data() + at, n), end.p_n, end.v_n, now, std::span(dx.data() + at, n));
    tau_b += point_wrench(state.q_nb, load.vehicle_n, tether_->spec().attachment_b);
  }
  if (clearance(state) < contact_margin) tau_b += contact_.load(state).wrench_b();

  dx.segment<4>(at_q) = quaternion_rate(state.q_nb, state.nu_b.tail<3>());
  dx.segment<3>(at_p) = v_n;
  dx.segment<6>(at_nu) = dynamics::forward_dynamics(vehicle_, state, tau_b, current);
}

double Plant::clearance(const dynamics::State& state) const {
  const ContactShape& shape = contact_.shape();
  const Mat3 R_nb = state.q_nb.toRotationMatrix();
  const Vec3 centre_n = state.p_nb_n + R_nb * shape.centre_b;
  const Vec3 half_n = R_nb.cwiseAbs() * (0.5 * shape.size) + Vec3::Constant(shape.radius);
  const Tank& tank = surroundings_.tank;
  const Vec3 above = centre_n - half_n - tank.min_n, below = tank.max_n - centre_n - half_n;
  return std::min({above.x(), above.y(), below.minCoeff(), centre_n.z() - half_n.z()});
}

ContactLoad Plant::contact_load(const dynamics::State& state) const {
  return clearance(state) < contact_margin ? contact_.load(state) : ContactLoad();
}

void Plant::project(Eigen::VectorXd& x) const { x.segment<4>(at_q).normalize(); }

void Plant::command(std::span<const double> commands) {
  if (commands.size() != thrusters_.size())
    reject("commands", fmt::format("has {} entries for {} thrusters", commands.size(), thrusters_.size()));
  for (std::size_t k = 0; k < thrusters_.size(); ++k) {
    Motor& motor = thrusters_[k];
    if (motor.fault == Fault::dead)
      motor.target = 0;
    else if (motor.fault != Fault::stuck)
      motor.target = model::delivered_force(motor.model.target(commands[k], surroundings_.voltage),
                                            motor.dead_band, motor.saturation);
  }
}

void Plant::break_thruster(std::size_t k, Fault fault, double share_left) {
  thrusters_.at(k).fault = fault;
  thrusters_.at(k).share_left = fault == Fault::weak ? share_left : 1;
}

void Plant::read_thrusters(double t, const Eigen::VectorXd& x, std::span<ThrusterReading> out) const {
  const dynamics::State state = state_in(x);
  const model::Current current = water(t).at(state.p_nb_n, state.q_nb * state.nu_b.head<3>());
  const Vec6 nu_r_b = dynamics::relative_twist(state, current);
  for (std::size_t k = 0; k < thrusters_.size(); ++k) {
    const Motor& motor = thrusters_[k];
    const double own = motor.model.has_state() ? x[at_thrusters + static_cast<Eigen::Index>(k)] : motor.target;
    const double amperes =
        motor.model.current(own, motor.target, motor.model.inflow(nu_r_b), surroundings_.voltage);
    out[k] = {motor.force(x, own, nu_r_b, surroundings_.voltage), motor.model.shaft_speed(own),
              motor.fault == Fault::dead ? 0 : amperes};
  }
}

Vec3 Plant::water_velocity(double t, const Eigen::VectorXd& x) const {
  return water(t).at(x.segment<3>(at_p), Vec3::Zero()).velocity_n;
}

TetherLoad Plant::tether_load(double t, const Eigen::VectorXd& x) const {
  if (!tether_) return {};
  const dynamics::State state = state_in(x);
  const PointMotion end = point_motion(state.q_nb, state.p_nb_n, state.nu_b, tether_->spec().attachment_b);
  const auto n = static_cast<std::size_t>(tether_->size());
  return tether_->derivative(std::span(x.data() + x.size() - tether_->size(), n), end.p_n, end.v_n, water(t),
                             std::span(tether_scratch_));
}

double Plant::stable_step(const Eigen::VectorXd& x, double ahead) const {
  constexpr double stability = 1;  // RK4 is stable to 2.78 on the negative axis, and good to a per cent to 1
  const dynamics::State state = state_in(x);
  const double speed = state.nu_b.head<3>().norm() + reach_ * state.nu_b.tail<3>().norm();
  const double water_speed = surroundings_.current.largest_speed();
  double step = infinity;
  if (tether_) step = tether_->stable_step(std::max(1.0, speed + water_speed));
  const double way = speed * ahead + 0.01;  // a centimetre more, for what accelerates meanwhile
  if (clearance(state) < way) {
    const ContactLoad contact = contact_.load(state);
    for (std::size_t k = 0; k < wall_count; ++k)
      if (static_cast<Wall>(k) != Wall::surface && contact.walls[k].penetration > -way)
        step = std::min(step, contact_.stable_step(std::max(0.3, speed)));
  }
  if (ahead <= 0.02) return step;  // no vehicle's drag and no thruster's lag is faster than that
  Mat6 slope;
  Vec6 nu_b = state.nu_b;
  nu_b.head<3>() += water_speed * nu_b.head<3>().cwiseSign();
  dynamics::damping_force(vehicle_, nu_b, &slope);
  double fastest =
      (vehicle_.M_inverse() * slope).cwiseAbs().rowwise().sum().maxCoeff();  // bounds the eigenvalues
  for (std::size_t k = 0; k < thrusters_.size(); ++k)
    fastest =
        std::max(fastest, thrusters_[k].model.fastest_rate(x[at_thrusters + static_cast<Eigen::Index>(k)]));
  return std::min(step, stability / fastest);
}

}  // namespace fathom::simulate
