#include "fathom/simulate/ode.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::simulate {

RungeKutta4::RungeKutta4(Eigen::Index size) : k1_(size), k_(size), sum_(size), at_(size) {}

const Eigen::VectorXd& RungeKutta4::begin(const Ode& ode, double t, const Eigen::VectorXd& x) {
  ode.derivative(t, x, k1_);
  return k1_;
}

void RungeKutta4::finish(const Ode& ode, double t, double dt, Eigen::VectorXd& x) {
  at_ = x + dt / 2 * k1_;
  ode.derivative(t + dt / 2, at_, k_);
  sum_ = k1_ + 2 * k_;
  at_ = x + dt / 2 * k_;
  ode.derivative(t + dt / 2, at_, k_);
  sum_ += 2 * k_;
  at_ = x + dt * k_;
  ode.derivative(t + dt, at_, k_);
  x += dt / 6 * (sum_ + k_);
  ode.project(x);
}

namespace {

// Dormand and Prince 1980, table 2 (RK5(4)7M): nodes, coefficients, and the difference of the two solutions.
constexpr double stage_time[7] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
constexpr double coefficient[7][6] = {
    {},
    {1. / 5},
    {3. / 40, 9. / 40},
    {44. / 45, -56. / 15, 32. / 9},
    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
};
constexpr double error_weight[7] = {71. / 57600,      0,         -71. / 16695, 71. / 1920,
                                    -17253. / 339200, 22. / 525, -1. / 40};

using dynamics::State;

struct Rate {
  Eigen::Vector4d q_dot;
  Vec3 p_dot;
  Vec6 nu_dot;
};

Rate rate_at(const dynamics::Vehicle& vehicle, const State& state, const Vec6& tau_b,
             const model::Current& current) {
  return {quaternion_rate(state.q_nb, state.nu_b.tail<3>()), state.q_nb * state.nu_b.head<3>(),
          dynamics::forward_dynamics(vehicle, state, tau_b, current)};
}

State advance(const State& state, const Rate& rate, double dt) {
  State next;
  next.q_nb.coeffs() = state.q_nb.coeffs() + dt * rate.q_dot;
  next.p_nb_n = state.p_nb_n + dt * rate.p_dot;
  next.nu_b = state.nu_b + dt * rate.nu_dot;
  return next;
}

model::Current after(const model::Current& current, double dt) {
  return {current.velocity_n + dt * current.acceleration_n, current.acceleration_n, current.convective_n};
}

}  // namespace

DormandPrince::DormandPrince(Eigen::Index size, const Options& options)
    : options_(options), at_(size), next_(size) {
  if (!(options.relative > 0) || !(options.absolute > 0) || !(options.min_step > 0) || options.max_steps < 1)
    reject("integrator", fmt::format("tolerances {} and {}, least step {}, at most {} steps: all must be > 0",
                                     options.relative, options.absolute, options.min_step, options.max_steps));
  for (Eigen::VectorXd& k : k_) k.resize(size);
}

DormandPrince::Outcome DormandPrince::advance(const Ode& ode, double t, double t_end, Eigen::VectorXd& x) {
  Outcome outcome{.t = t};
  if (step_ <= 0) step_ = (t_end - t) / 10;
  double error_before = 1;
  ode.derivative(t, x, k_[0]);
  while (outcome.t < t_end) {
    if (outcome.accepted + outcome.rejected >= options_.max_steps) return outcome;
    const double left = t_end - outcome.t;
    const bool last = step_ >= left;
    const double h = last ? left : step_;
    for (int stage = 1; stage < 7; ++stage) {
      at_ = x;
      for (int j = 0; j < stage; ++j)
        if (coefficient[stage][j] != 0) at_ += h * coefficient[stage][j] * k_[j];
      ode.derivative(outcome.t + stage_time[stage] * h, at_, k_[stage]);
    }
    next_ = at_;  // the last stage stands at the fifth-order solution
    double sum = 0;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      double error = 0;
      for (int j = 0; j < 7; ++j) error += error_weight[j] * k_[j][i];
      const double scale = options_.absolute + options_.relative * std::max(std::abs(x[i]), std::abs(next_[i]));
      sum += (h * error / scale) * (h * error / scale);
    }
    const double error = std::sqrt(sum / static_cast<double>(x.size()));
    if (error <= 1) {
      outcome.t = last ? t_end : outcome.t + h;
      ++outcome.accepted;
      x = next_;
      ode.project(x);
      if (!last || outcome.t < t_end) ode.derivative(outcome.t, x, k_[0]);  // anew, because of the projection
      const double factor = 0.9 * std::pow(std::max(error, 1e-10), -0.7 / 5) * std::pow(error_before, 0.4 / 5);
      // A step that was cut short by the end says nothing against the longer one.
      const double proposed = h * std::clamp(factor, 0.2, 5.0);
      step_ = last ? std::max(step_, proposed) : proposed;
      error_before = std::max(error, 1e-4);
    } else {  // also where the error is not a number
      ++outcome.rejected;
      step_ = h * (error > 1 ? std::max(0.2, 0.9 * std::pow(error, -1. / 5)) : 0.2);
      if (step_ < options_.min_step) return outcome;
    }
  }
  outcome.reached = true;
  return outcome;
}

State rk4_step(const dynamics::Vehicle& vehicle, const State& state, const Vec6& tau_b, double dt,
               const model::Current& current) {
  const model::Current middle = after(current, dt / 2), end = after(current, dt);
  const Rate k1 = rate_at(vehicle, state, tau_b, current);
  const Rate k2 = rate_at(vehicle, advance(state, k1, dt / 2), tau_b, middle);
  const Rate k3 = rate_at(vehicle, advance(state, k2, dt / 2), tau_b, middle);
  const Rate k4 = rate_at(vehicle, advance(state, k3, dt), tau_b, end);
  const Rate mean = {(k1.q_dot + 2 * (k2.q_dot + k3.q_dot) + k4.q_dot) / 6,
                     (k1.p_dot + 2 * (k2.p_dot + k3.p_dot) + k4.p_dot) / 6,
                     (k1.nu_dot + 2 * (k2.nu_dot + k3.nu_dot) + k4.nu_dot) / 6};
  State next = advance(state, mean, dt);
  next.q_nb.normalize();
  return next;
}

}  // namespace fathom::simulate
