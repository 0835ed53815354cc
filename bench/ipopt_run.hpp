#pragma once
#include <functional>

#include "fathom/solve/interior_point.hpp"

namespace fathom {

/// A BlockProgram as other solvers take it: rows with one entry are bounds of unknowns. What is infinite is
/// `endless` here, which Ipopt and JSON understand.
struct PlainProgram {
  static constexpr double endless = 1e20;

  explicit PlainProgram(const solve::BlockProgram& program);

  Eigen::VectorXd x_lower, x_upper;
  solve::SparseRows A;
  Eigen::VectorXd lower, upper;
};

struct IpoptOptions {
  double tolerance = 1e-3;
  double mu_last = 1e-6;  ///< barrier at the end
  int memory = 8;
  int iterations = 1000;
  bool warm = false;  ///< from the last run's point and multipliers, at the last barrier
};

/// Ipopt on an objective of ours, without second derivatives.
class IpoptRun {
 public:
  IpoptRun(solve::Objective& objective, const PlainProgram& program);

  /// Ends in x; what Ipopt says of it is returned (0 solved, 1 to an acceptable level).
  int minimize(Eigen::VectorXd& x, const IpoptOptions& options);

  int iterations = 0, evaluations = 0;  ///< of all runs

 private:
  friend struct IpoptCalls;
  void evaluate(const double* x, bool is_new);

  solve::Objective& objective_;
  const PlainProgram& program_;
  Eigen::VectorXd x_, gradient_, g_, by_row_, by_lower_, by_upper_;
  double value_ = 0;
};

}  // namespace fathom
