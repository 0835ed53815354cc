#include "bench/ipopt_run.hpp"

#include <algorithm>
#include <cmath>

#include <IpStdCInterface.h>

namespace fathom {

void IpoptRun::evaluate(const double* x, bool is_new) {
  if (!is_new) return;
  x_ = Eigen::Map<const Eigen::VectorXd>(x, x_.size());
  value_ = objective_.evaluate(x_, 0, gradient_);
  ++evaluations;
}

/// What Ipopt calls.
struct IpoptCalls {
  static IpoptRun& self(UserDataPtr data) { return *static_cast<IpoptRun*>(data); }

  // Ipopt says `new_x` to whichever of the functions it asks first; x alone decides here.
  static bool is_new(const IpoptRun& run, const Number* x) {
    return run.evaluations == 0 || !std::equal(run.x_.begin(), run.x_.end(), x);
  }
  static Bool f(Index, Number* x, Bool, Number* value, UserDataPtr data) {
    self(data).evaluate(x, is_new(self(data), x));
    *value = self(data).value_;
    return std::isfinite(*value);
  }
  static Bool gradient(Index n, Number* x, Bool, Number* out, UserDataPtr data) {
    self(data).evaluate(x, is_new(self(data), x));
    std::copy_n(self(data).gradient_.data(), n, out);
    return TRUE;
  }
  static Bool rows(Index n, Number* x, Bool, Index m, Number* out, UserDataPtr data) {
    Eigen::Map<Eigen::VectorXd>(out, m) = self(data).program_.A * Eigen::Map<const Eigen::VectorXd>(x, n);
    return TRUE;
  }
  static Bool jacobian(Index, Number*, Bool, Index, Index, Index* row, Index* column, Number* values,
                       UserDataPtr data) {
    const solve::SparseRows& A = self(data).program_.A;
    Eigen::Index k = 0;
    for (Eigen::Index i = 0; i < A.rows(); ++i)
      for (solve::SparseRows::InnerIterator it(A, i); it; ++it, ++k) {
        if (values) {
          values[k] = it.value();
        } else {
          row[k] = static_cast<Index>(i);
          column[k] = static_cast<Index>(it.col());
        }
      }
    return TRUE;
  }
  static Bool hessian(Index, Number*, Bool, Number, Index, Number*, Bool, Index, Index*, Index*, Number*,
                      UserDataPtr) {
    return FALSE;  // limited memory instead
  }
  static Bool step(Index, Index iteration, Number, Number, Number, Number, Number, Number, Number, Number,
                   Index, UserDataPtr data) {
    if (iteration > 0) ++self(data).iterations;
    return TRUE;
  }
};

IpoptRun::IpoptRun(solve::Objective& objective, const PlainProgram& program)
    : objective_(objective),
      program_(program),
      x_(program.x_lower.size()),
      gradient_(x_.size()),
      g_(program.lower.size()),
      by_row_(Eigen::VectorXd::Zero(g_.size())),
      by_lower_(Eigen::VectorXd::Zero(x_.size())),
      by_upper_(Eigen::VectorXd::Zero(x_.size())) {}

namespace {

// Ipopt 3.11 takes names as char*, which it does not write to.
void set(IpoptProblem problem, const char* name, const char* value) {
  AddIpoptStrOption(problem, const_cast<char*>(name), const_cast<char*>(value));
}
void set(IpoptProblem problem, const char* name, double value) {
  AddIpoptNumOption(problem, const_cast<char*>(name), value);
}
void set(IpoptProblem problem, const char* name, int value) {
  AddIpoptIntOption(problem, const_cast<char*>(name), value);
}

void set_all(IpoptProblem problem, const IpoptOptions& options) {
  set(problem, "print_level", 0);
  set(problem, "sb", "yes");
  set(problem, "hessian_approximation", "limited-memory");
  set(problem, "limited_memory_max_history", options.memory);
  set(problem, "jac_d_constant", "yes");
  set(problem, "tol", options.tolerance);
  set(problem, "compl_inf_tol", options.mu_last * 11);  // its last barrier is this over 11
  set(problem, "max_iter", options.iterations);
  if (!options.warm) return;
  set(problem, "mu_strategy", "monotone");
  set(problem, "mu_init", options.mu_last);
  set(problem, "warm_start_init_point", "yes");
  for (const char* name : {"warm_start_bound_push", "warm_start_bound_frac", "warm_start_slack_bound_push",
                           "warm_start_slack_bound_frac", "warm_start_mult_bound_push"})
    set(problem, name, 1e-8);
}

}  // namespace

int IpoptRun::minimize(Eigen::VectorXd& x, const IpoptOptions& options) {
  PlainProgram p = program_;  // Ipopt's interface is not const
  const IpoptProblem problem = CreateIpoptProblem(
      static_cast<Index>(x.size()), p.x_lower.data(), p.x_upper.data(), static_cast<Index>(p.lower.size()),
      p.lower.data(), p.upper.data(), static_cast<Index>(p.A.nonZeros()), 0, 0, IpoptCalls::f, IpoptCalls::rows,
      IpoptCalls::gradient, IpoptCalls::jacobian, IpoptCalls::hessian);
  set_all(problem, options);
  SetIntermediateCallback(problem, IpoptCalls::step);
  evaluate(x.data(), true);  // the objective may have changed since the last run
  double value = 0;
  const auto status = IpoptSolve(problem, x.data(), g_.data(), &value, by_row_.data(), by_lower_.data(),
                                 by_upper_.data(), this);
  FreeIpoptProblem(problem);
  return static_cast<int>(status);
}

}  // namespace fathom
