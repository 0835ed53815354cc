#include "fathom/identify/thruster/internal/rotor_model.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/solve/runge_kutta.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double steps_per_time = 4;  // where there is no closed form

/// From row to row under goals that are held and come `delay` late. `advance` takes a state on under one goal
/// for some time.
template <class Advance>
VectorXd follow(const VectorXd& times, const VectorXd& goal, double delay, double first,
                const Advance& advance) {
  VectorXd y(goal.size());
  y[0] = first;
  double now = times[0];
  Index held = 0;
  for (Index k = 1; k < y.size(); ++k) {
    double state = y[k - 1];
    for (; held < k && times[held + 1] + delay < times[k]; ++held) {
      const double until = times[held + 1] + delay;
      if (goal[held + 1] == goal[held]) continue;
      state = advance(state, goal[held], until - now);
      now = until;
    }
    y[k] = advance(state, goal[held], times[k] - now);
    now = times[k];
  }
  return y;
}

/// exp(-x), and its mean from 0 to x. Computed anew where x is another than before, but for rounding: rows are
/// mostly as long, and goals are held.
class Decay {
 public:
  void over(double x) {
    if (std::abs(x - x_) <= 1e-9 * std::abs(x_)) return;
    x_ = x;
    left = std::exp(-x);
    mean = x == 0 ? 1 : -std::expm1(-x) / x;
  }
  double left = 1, mean = 1;

 private:
  double x_ = 0;
};

/// What is left of a distance u from the goal after a time t: u' = -(a - c u) u, the way of a load that is
/// partly quadratic. With 1 / u = v it is v' = a v - c.
double distance_after(double u, double a, double c, double t, Decay& decay) {
  decay.over(a * t);
  return u * decay.left / (1 - c * u * t * decay.mean);
}

/// As `distance_after`, of a speed on the side of rest on which its goal is. It stays between the two.
double speed_after(double w, double goal, double a, double c, double t, Decay& decay) {
  const double from = std::abs(w), to = std::abs(goal);
  const auto [low, high] = std::minmax(from, to);
  const double speed = std::clamp(to - distance_after(to - from, a, c, t, decay), low, high);
  return std::copysign(speed, goal == 0 ? w : goal);
}

/// `dry` friction [rad/s^2] is smooth about rest, or steps of any length would rattle there. The speed stays
/// between where it was, rest and where it goes, also for numbers that a fit merely tries.
double motor_by_steps(const StepNumbers& numbers, double volts, double steady, double w, double dt) {
  constexpr double creep = 1;  // rad/s
  const model::MotorRates& motor = numbers.motor;
  const auto rate = [&](double at) {
    return motor.acceleration(volts, at) -
           (numbers.left.dry > 0 ? numbers.left.dry * std::tanh(at / creep) : 0);
  };
  const double stiffness = motor.linear + 2 * motor.quadratic * std::abs(w) + numbers.left.dry / creep;
  const auto [low, high] = std::minmax({w, steady, 0.0});
  const int steps = static_cast<int>(std::clamp(std::ceil(steps_per_time * stiffness * dt), 1.0, 200.0));
  const double h = dt / steps;
  for (int i = 0; i < steps; ++i) {
    const double next = solve::runge_kutta_step(rate, w, h);
    w = std::isfinite(next) ? std::clamp(next, low, high) : steady;
  }
  return w;
}

/// A rotor whose goal is on the other side of rest, for `dt` or until it rests; `dt` is then what remains of
/// it. `square`: of the load, per pace.
double braked(const StepNumbers& numbers, double square, double goal, double w, double& dt) {
  const double b = numbers.bend;
  const auto rate = [&](double at) {
    const double pull = (1 - b) * (goal - at) + square * (goal * std::abs(goal) - at * std::abs(at));
    return numbers.slowing * pull / numbers.lag;
  };
  const double stiffness = (1 + std::abs(b)) * numbers.slowing / numbers.lag;
  const int steps = static_cast<int>(std::clamp(std::ceil(steps_per_time * stiffness * dt), 1.0, 20.0));
  const double h = dt / steps;
  for (int i = 0; i < steps; ++i) {
    const double next = solve::runge_kutta_step(rate, w, h);
    if (next * goal >= 0) {
      dt = (steps - i - w / (w - next)) * h;
      return 0;
    }
    w = next;
  }
  dt = 0;
  return w;
}

}  // namespace

VectorXd lagged(const VectorXd& times, const VectorXd& goal, double delay, double time_constant) {
  Decay decay;
  const double rate = 1 / time_constant;
  return follow(times, goal, delay, goal[0], [&](double state, double to, double dt) {
    decay.over(dt * rate);
    return to + (state - to) * decay.left;
  });
}

VectorXd smoothed(const VectorXd& dt, const VectorXd& input, double time_constant) {
  if (!(time_constant > 0)) return input;
  VectorXd y(input.size());
  y[0] = input[0];
  Decay decay;
  const double rate = 1 / time_constant;
  for (Index k = 1; k < y.size(); ++k) {
    decay.over(dt[k] * rate);
    // Apart from what waits for the row before: one product and one sum.
    const double own = input[k] - (input[k] - input[k - 1]) * decay.mean - input[k - 1] * decay.left;
    y[k] = own + y[k - 1] * decay.left;
  }
  return y;
}

VectorXd motor_speeds(const VectorXd& times, const VectorXd& volts, const StepNumbers& numbers) {
  const model::MotorRates& motor = numbers.motor;
  Decay decay;
  return follow(times, volts, numbers.delay, model::steady_motor_speed(motor, volts[0]),
                [&](double w, double V, double dt) {
                  const double steady = model::steady_motor_speed(motor, V);
                  if (numbers.left.dry > 0 || w * steady < 0) return motor_by_steps(numbers, V, steady, w, dt);
                  return speed_after(w, steady, motor.linear + 2 * motor.quadratic * std::abs(steady),
                                     motor.quadratic, dt, decay);
                });
}

VectorXd bent(const VectorXd& times, const VectorXd& goal, const StepNumbers& numbers, double most) {
  constexpr double settled = 1e-9;
  const double square = numbers.bend / std::max(most, 1e-300);
  Decay decay;
  return follow(times, goal, numbers.delay, goal[0], [&](double w, double to, double dt) {
    if (std::abs(to - w) <= settled * most) return to;
    if (w * to < 0) w = braked(numbers, square, to, w, dt);
    if (dt == 0) return w;
    const double per_time = (std::abs(w) > std::abs(to) ? numbers.slowing : 1) / numbers.lag;
    return speed_after(w, to, per_time * (1 - numbers.bend + 2 * square * std::abs(to)), per_time * square, dt,
                       decay);
  });
}

}  // namespace fathom::identify::internal
