#pragma once
#include <optional>

#include <Eigen/Core>

namespace fathom::filter {

struct SplineOptions {
  int order = 2;                    ///< of the derivative that is penalised: 2 a cubic spline, 3 a quintic one
  std::optional<double> smoothing;  ///< of the penalty; by generalised cross-validation where absent
};

/// The function g that minimises sum_i w_i (y_i - g(t_i))^2 + smoothing * integral of (g^(order))^2:
/// docs/filters.md eq. 13. Between samples a polynomial of degree 2 order - 1, beyond them of degree order - 1.
class Spline {
 public:
  /// Weights are 1 / sigma^2 up to a common factor; none: all equal. In time and memory linear in the
  /// samples. Throws InputError: times that do not grow, a value or weight that is no number, too few samples.
  Spline(const Eigen::Ref<const Eigen::VectorXd>& t, const Eigen::Ref<const Eigen::VectorXd>& y,
         const Eigen::Ref<const Eigen::VectorXd>& weights = Eigen::VectorXd(),
         const SplineOptions& options = {});

  /// g or one of its derivatives, anywhere.
  double at(double t, int derivative = 0) const;
  Eigen::VectorXd at(const Eigen::Ref<const Eigen::VectorXd>& t, int derivative = 0) const;

  double smoothing() const { return smoothing_; }
  double freedom() const { return freedom_; }  ///< trace of the matrix that maps y to g: parameters in effect
  double gcv() const { return gcv_; }          ///< score of generalised cross-validation: eq. 15

 private:
  int order_;
  double smoothing_ = 0, freedom_ = 0, gcv_ = 0;
  Eigen::VectorXd t_;
  Eigen::MatrixXd pieces_;  // a column per interval: coefficients of the powers of t - t_i
};

}  // namespace fathom::filter
