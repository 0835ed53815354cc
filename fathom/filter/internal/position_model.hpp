#pragma once
#include <array>
#include <vector>

#include "fathom/filter/internal/attitude_model.hpp"

namespace fathom::filter::internal {

/// Position with white jerk in n, the attitude known: docs/filters.md eqs. 5 to 7. States: p_nb_n, v_n, a_n.
class PositionModel {
 public:
  static constexpr int N = 9;
  using Vector = Eigen::Matrix<double, N, 1>;
  using Matrix = Eigen::Matrix<double, N, N>;

  struct Nominal {
    Vector x = Vector::Zero();
    void add(const Vector& error) { x += error; }
  };

  struct Transition {
    double h = 0;
    void forward(Matrix& P, double density) const;
    void back(Hindsight<N>& hindsight) const;
  };

  /// Standard deviations at the start: m, m/s, m/s^2.
  static constexpr std::array<double, 3> prior{1000, 10, 50};

  /// Takes the lever arms out of the series, and what lies beyond the attitude's track.
  PositionModel(std::vector<Series>& series, const AttitudeTrack& attitude);
  PositionModel(const PositionModel&) = delete;  // the series refer to it
  PositionModel& operator=(const PositionModel&) = delete;
  ~PositionModel() = default;

  Nominal start(const std::vector<Series>& series, double t) const;
  Matrix start_covariance() const;
  static Transition move(Nominal& x, double h);
  int observe(const Series& series, std::size_t i, const Nominal& x, std::array<Row, 3>& rows) const;

 private:
  std::vector<Eigen::MatrixXd> origin_;      // per series: what it says of the body's origin
  std::vector<Eigen::Matrix4Xd> attitudes_;  // per velocity series, at its times
};

}  // namespace fathom::filter::internal
