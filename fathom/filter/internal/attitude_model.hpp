#pragma once
#include <array>
#include <vector>

#include "fathom/filter/internal/series.hpp"
#include "fathom/filter/internal/update.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::filter::internal {

constexpr int most_rate_series = 2;

/// The attitude on a grid, as smoothed.
struct AttitudeTrack {
  Grid grid;
  Eigen::Matrix4Xd q_nb;
  Eigen::Matrix3Xd omega_b, alpha_b, omega_sigma_b;
  Vec3 noise_b = Vec3::Zero();  ///< rad^2 s: density of its noise, as slow as what is added up with it

  /// Between the points of the grid: a cubic in the rotation from one to the next that has the rates of both.
  struct At {
    Quat q_nb;
    Vec3 omega_b;
  };
  At at(double t) const;
  /// Beyond it, samples of other sensors show nothing.
  Span reach() const { return {grid.t0 - grid.dt, grid.t(grid.size - 1) + grid.dt}; }
};

/// Attitude with white angular jerk: docs/filters.md eqs. 1 to 4. States: error of the attitude (in b, on the
/// right), omega_b, alpha_b, and a bias for each rate series.
template <int Biases>
class AttitudeModel {
 public:
  static constexpr int N = 9 + 3 * Biases;
  using Vector = Eigen::Matrix<double, N, 1>;
  using Matrix = Eigen::Matrix<double, N, N>;

  struct Nominal {
    Quat q_nb = Quat::Identity();
    Vec3 omega_b = Vec3::Zero(), alpha_b = Vec3::Zero();
    std::array<Vec3, most_rate_series> bias_b{Vec3::Zero(), Vec3::Zero()};

    void add(const Vector& error);
  };

  /// How an error moves on: theta by E, and by h J from omega and h^2/2 J from alpha; eq. 3.
  struct Transition {
    double h = 0;
    Mat3 E = Mat3::Identity(), J = Mat3::Identity();

    void forward(Matrix& P, double density) const;
    void back(Hindsight<N>& hindsight) const;
  };

  /// Standard deviations at the start: rad, rad/s, rad/s^2, and rad/s of a bias.
  static constexpr std::array<double, 4> prior{1, 5, 50, 0.5};

  /// Where to go to; rates and biases are zero before anything is measured.
  Nominal start(const std::vector<Series>& series, double t) const;
  Matrix start_covariance() const;

  /// Moves the nominal state on by h: eq. 2.
  static Transition move(Nominal& x, double h);
  /// The rows of sample i of a series; returns how many.
  static int observe(const Series& series, std::size_t i, const Nominal& x, std::array<Row, 3>& rows);
};

extern template class AttitudeModel<0>;
extern template class AttitudeModel<1>;
extern template class AttitudeModel<2>;

}  // namespace fathom::filter::internal
