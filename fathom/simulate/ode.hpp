#pragma once
#include <Eigen/Core>

#include "fathom/dynamics/vehicle.hpp"

namespace fathom::simulate {

/// One classical Runge-Kutta step of docs/model.md eqs. 1 and 14 with the wrench held over the step. The
/// current is given at the start of the step and changes by its acceleration. The quaternion is integrated in
/// R^4 and normalised once, after the step, so the order stays four.
dynamics::State rk4_step(const dynamics::Vehicle& vehicle, const dynamics::State& state, const Vec6& tau_b,
                         double dt, const model::Current& current = {});

/// dx/dt = f(t, x) with x a flat vector.
class Ode {
 public:
  virtual ~Ode() = default;
  virtual Eigen::Index size() const = 0;
  virtual void derivative(double t, const Eigen::VectorXd& x, Eigen::VectorXd& dx) const = 0;
  /// Puts x back on its manifold after a whole step (unit quaternions); the order of the integrator stays.
  virtual void project(Eigen::VectorXd&) const {}
};

/// The classical Runge-Kutta method of order four.
class RungeKutta4 {
 public:
  explicit RungeKutta4(Eigen::Index size);
  /// The derivative at the start of a step, for those who want to see it (an accelerometer) before finish()
  /// uses it.
  const Eigen::VectorXd& begin(const Ode& ode, double t, const Eigen::VectorXd& x);
  /// The step from where begin() was called.
  void finish(const Ode& ode, double t, double dt, Eigen::VectorXd& x);
  void step(const Ode& ode, double t, double dt, Eigen::VectorXd& x) {
    begin(ode, t, x);
    finish(ode, t, dt, x);
  }

 private:
  Eigen::VectorXd k1_, k_, sum_, at_;
};

/// The pair of orders 5 and 4 of Dormand and Prince (1980, RK5(4)7M) with the step chosen so that the error
/// estimate stays within the tolerances (Hairer, Norsett, Wanner 1993, II.4, with a PI controller).
class DormandPrince {
 public:
  struct Options {
    double relative = 1e-8;   ///< of each entry: far below what any sensor shows
    double absolute = 1e-10;  ///< for entries near zero
    double min_step = 1e-9;   ///< s; an equation that needs less is too stiff for an explicit method
    int max_steps = 20'000;   ///< in one advance(); a bound on the work, not on the accuracy
  };
  struct Outcome {
    bool reached = false;  ///< x is at t_end; otherwise at `t`, the last accepted point
    double t = 0;
    int accepted = 0, rejected = 0;
  };

  explicit DormandPrince(Eigen::Index size) : DormandPrince(size, Options()) {}
  DormandPrince(Eigen::Index size, const Options& options);

  /// From t to t_end exactly. The step found is kept as a first guess for the next call.
  Outcome advance(const Ode& ode, double t, double t_end, Eigen::VectorXd& x);

 private:
  Options options_;
  double step_ = 0;
  Eigen::VectorXd k_[7], at_, next_;
};

}  // namespace fathom::simulate
