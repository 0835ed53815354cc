#include "fathom/filter/internal/attitude_model.hpp"

#include <algorithm>

#include "fathom/base/constants.hpp"

namespace fathom::filter::internal {
namespace {

/// The right Jacobian of Exp, to third order: steps are short.
Mat3 right_jacobian(const Vec3& phi) {
  const Mat3 s = skew(phi);
  return Mat3::Identity() - 0.5 * s + s * s / 6;
}

}  // namespace

AttitudeTrack::At AttitudeTrack::at(double t) const {
  const double place = (t - grid.t0) / grid.dt;
  const auto k =
      static_cast<Eigen::Index>(std::clamp(std::floor(place), 0.0, double(std::max(0L, grid.size - 2))));
  const Quat q0(q_nb.col(k));
  if (grid.size < 2) return {q0, omega_b.col(k)};
  const double s = place - static_cast<double>(k);
  const Vec3 turn = log_rotation(q0.conjugate() * Quat(q_nb.col(k + 1)));
  const Vec3 m0 = grid.dt * omega_b.col(k), m1 = grid.dt * omega_b.col(k + 1);
  const Vec3 c2 = 3 * turn - 2 * m0 - m1, c3 = m0 + m1 - 2 * turn;
  const Vec3 phi = s * (m0 + s * (c2 + s * c3));
  const Vec3 rate = (m0 + s * (2 * c2 + 3 * s * c3)) / grid.dt;
  return {q0 * exp_rotation(phi), rate};
}

template <int Biases>
void AttitudeModel<Biases>::Nominal::add(const Vector& error) {
  q_nb = (q_nb * exp_rotation(error.template head<3>())).normalized();
  omega_b += error.template segment<3>(3);
  alpha_b += error.template segment<3>(6);
  for (int i = 0; i < Biases; ++i) bias_b[static_cast<std::size_t>(i)] += error.template segment<3>(9 + 3 * i);
}

template <int Biases>
void AttitudeModel<Biases>::Transition::forward(Matrix& P, double density) const {
  if (h == 0) return;
  const Mat3 hJ = h * J;
  for (int j = 0; j < N; ++j) {  // F P
    auto column = P.col(j);
    const Vec3 alpha = column.template segment<3>(6);
    const Vec3 omega = column.template segment<3>(3);
    const Vec3 theta = column.template head<3>();
    column.template head<3>() = E * theta + hJ * (omega + (0.5 * h) * alpha);
    column.template segment<3>(3) = omega + h * alpha;
  }
  const Eigen::Matrix<double, N, 3> theta =  // (F P) F'
      P.template leftCols<3>().lazyProduct(E.transpose()) +
      (P.template middleCols<3>(3) + (0.5 * h) * P.template middleCols<3>(6)).lazyProduct(hJ.transpose());
  P.template middleCols<3>(3) += h * P.template middleCols<3>(6);
  P.template leftCols<3>() = theta;
  add_white_jerk<N>(P, density, h);
  make_symmetric<N>(P);
}

template <int Biases>
void AttitudeModel<Biases>::Transition::back(Hindsight<N>& hindsight) const {
  if (h == 0) return;
  const Mat3 Et = E.transpose(), hJt = h * J.transpose();
  const auto transposed = [&](auto column) {  // F' times a column
    const Vec3 theta = column.template head<3>();
    const Vec3 omega = column.template segment<3>(3);
    const Vec3 from_theta = hJt * theta;
    column.template head<3>() = Et * theta;
    column.template segment<3>(3) += from_theta;
    column.template segment<3>(6) += (0.5 * h) * from_theta + h * omega;
  };
  transposed(hindsight.lambda.col(0));
  for (int j = 0; j < N; ++j) transposed(hindsight.Lambda.col(j));
  Matrix& L = hindsight.Lambda;  // (F' L) F
  const Eigen::Matrix<double, N, 3> from_theta = L.template leftCols<3>().lazyProduct(hJt.transpose());
  const Eigen::Matrix<double, N, 3> theta = L.template leftCols<3>().lazyProduct(E);
  L.template middleCols<3>(6) += (0.5 * h) * from_theta + h * L.template middleCols<3>(3);
  L.template middleCols<3>(3) += from_theta;
  L.template leftCols<3>() = theta;
  make_symmetric<N>(L);
}

template <int Biases>
typename AttitudeModel<Biases>::Nominal AttitudeModel<Biases>::start(const std::vector<Series>& series,
                                                                     double t) const {
  Nominal x;
  double first = infinity;
  for (const Series& one : series) {
    if (one.kind != Kind::attitude) continue;
    auto i = static_cast<std::size_t>(
        std::lower_bound(one.readings->t.begin(), one.readings->t.end(), t - same_time) -
        one.readings->t.begin());
    while (i < one.size() && !one.usable[i]) ++i;
    if (i == one.size() || one.t(i) >= first) continue;
    first = one.t(i);
    x.q_nb = one.quaternion(i);
  }
  return x;
}

template <int Biases>
typename AttitudeModel<Biases>::Matrix AttitudeModel<Biases>::start_covariance() const {
  Vector sigma;
  for (int i = 0; i < N; ++i) sigma[i] = prior[static_cast<std::size_t>(std::min(i / 3, 3))];
  return sigma.cwiseAbs2().asDiagonal();
}

template <int Biases>
typename AttitudeModel<Biases>::Transition AttitudeModel<Biases>::move(Nominal& x, double h) {
  Transition transition;
  transition.h = h;
  if (h == 0) return transition;
  // the third term is the first of Magnus' series: omega turns while it grows
  const Vec3 phi = h * x.omega_b + (0.5 * h * h) * x.alpha_b + (h * h * h / 12) * x.omega_b.cross(x.alpha_b);
  const Quat turn = exp_rotation(phi);
  transition.E = turn.conjugate().toRotationMatrix();
  transition.J = right_jacobian(phi);
  x.q_nb = (x.q_nb * turn).normalized();
  x.omega_b += h * x.alpha_b;
  return transition;
}

template <int Biases>
int AttitudeModel<Biases>::observe(const Series& series, std::size_t i, const Nominal& x,
                                   std::array<Row, 3>& rows) {
  Vec3 z;
  int at = 0, bias = -1;
  if (series.kind == Kind::attitude) {
    z = log_rotation(x.q_nb.conjugate() * series.quaternion(i));
  } else {
    at = 3;
    bias = 9 + 3 * series.number;
    z = Vec3(series.value(i)) - x.omega_b - x.bias_b[static_cast<std::size_t>(series.number)];
  }
  for (int j = 0; j < 3; ++j) {
    const double sigma = series.sigma(j);
    rows[static_cast<std::size_t>(j)] = {z[j], sigma * sigma, at, Vec3::Unit(j), bias < 0 ? -1 : bias + j};
  }
  return 3;
}

template class AttitudeModel<0>;
template class AttitudeModel<1>;
template class AttitudeModel<2>;

}  // namespace fathom::filter::internal
