#pragma once

namespace fathom::solve {

/// Takes one step of the classical Runge-Kutta method of order four, of an equation dx/dt = rate(x) of a few
/// numbers.
template <class State, class Rate>
State runge_kutta_step(const Rate& rate, const State& x, double h) {
  const State k1 = rate(x);
  const State k2 = rate(State(x + h / 2 * k1));
  const State k3 = rate(State(x + h / 2 * k2));
  const State k4 = rate(State(x + h * k3));
  return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

}  // namespace fathom::solve
