#pragma once
#include <vector>

#include <Eigen/Core>

namespace fathom::trajectory {

inline constexpr int max_degree = 60;  ///< of what is designed or read

/// A curve of several coordinates over time, polynomial in pieces, in Bernstein form; Panetsos, eqs. 8 and 9. A
/// cubic spline is one with pieces of degree 3.
class Bezier {
 public:
  /// `knots`: T_0 < ... < T_m [s]. `points`: one row per coordinate, degree + 1 columns per piece. Throws
  /// InputError unless sizes agree and all is finite.
  Bezier(std::vector<double> knots, int degree, Eigen::MatrixXd points);

  int degree() const { return degree_; }
  Eigen::Index coordinates() const { return points_.rows(); }
  Eigen::Index pieces() const { return static_cast<Eigen::Index>(knots_.size()) - 1; }
  const std::vector<double>& knots() const { return knots_; }
  const Eigen::MatrixXd& points() const { return points_; }
  double begin() const { return knots_.front(); }
  double end() const { return knots_.back(); }

  struct Sample {
    Eigen::VectorXd value, rate, acceleration;
  };
  /// At t, or at the nearer end outside of [begin, end].
  Sample at(double t) const;

 private:
  std::vector<double> knots_;
  int degree_;
  Eigen::MatrixXd points_;
};

/// Bernstein polynomials of degree n at u in [0, 1]: their values, and first and second derivatives by u.
/// Each out has n + 1 entries. Stable: no differences of large numbers.
void bernstein(int n, double u, Eigen::Ref<Eigen::VectorXd> value, Eigen::Ref<Eigen::VectorXd> first,
               Eigen::Ref<Eigen::VectorXd> second);

}  // namespace fathom::trajectory
