#pragma once

#include "fathom/geometry/types.hpp"

namespace fathom::filter::internal {

/// One number that was measured: z = h' e + noise, e the error of the state. h is zero but for three entries
/// and perhaps a one.
struct Row {
  double z = 0;            ///< measured less predicted
  double variance = 0;     ///< of the noise
  int at = 0;              ///< first of the three entries of h
  Vec3 h = Vec3::UnitX();  ///< the three entries
  int also = -1;           ///< where h is one besides, or -1

  template <int N>
  double dot(const Eigen::Matrix<double, N, 1>& v) const {
    return h.dot(v.template segment<3>(at)) + (also < 0 ? 0 : v[also]);
  }
  /// h' m h of a symmetric matrix.
  template <int N>
  double square(const Eigen::Matrix<double, N, N>& m) const {
    const double first = h.dot(m.template block<3, 3>(at, at).lazyProduct(h));
    return also < 0 ? first : first + 2 * h.dot(m.template block<3, 1>(at, also)) + m(also, also);
  }
  template <int N>
  Eigen::Matrix<double, N, 1> columns(const Eigen::Matrix<double, N, N>& m) const {
    Eigen::Matrix<double, N, 1> v = m.template middleCols<3>(at).lazyProduct(h);
    if (also >= 0) v += m.col(also);
    return v;
  }
};

/// What the way back needs of an update: docs/filters.md eq. 8.
template <int N>
struct Update {
  Row row;
  Eigen::Matrix<double, N, 1> gain;
  double innovation = 0, variance = 0;
};

/// Takes one number into the estimate of the error, and its covariance in Joseph's form, which for one number
/// is two changes of rank one (Bierman 1977, section V.4); the second only removes what rounding left of the
/// first.
template <int N>
Update<N> take(const Row& row, Eigen::Matrix<double, N, 1>& error, Eigen::Matrix<double, N, N>& P) {
  const Eigen::Matrix<double, N, 1> v = row.columns<N>(P);
  Update<N> update;
  update.row = row;
  update.variance = row.dot<N>(v) + row.variance;
  update.gain = v / update.variance;
  update.innovation = row.z - row.dot<N>(error);
  error += update.innovation * update.gain;
  P.noalias() -= update.gain * v.transpose();
  const Eigen::Matrix<double, N, 1> left = row.columns<N>(P) - row.variance * update.gain;
  P.noalias() -= left * update.gain.transpose();
  return update;
}

/// What later measurements say of a state: its smoothed error is -P lambda, with covariance P - P Lambda P
/// (Bierman 1973; docs/filters.md eqs. 8 to 10).
template <int N>
struct Hindsight {
  Eigen::Matrix<double, N, 1> lambda = Eigen::Matrix<double, N, 1>::Zero();
  Eigen::Matrix<double, N, N> Lambda = Eigen::Matrix<double, N, N>::Zero();

  /// From after an update to before it: eq. 8.
  void back(const Update<N>& update) {
    const Row& row = update.row;
    const Eigen::Matrix<double, N, 1> u = Lambda.lazyProduct(update.gain);
    const double weight = 1 / update.variance + update.gain.dot(u);
    const double push = -update.innovation / update.variance - update.gain.dot(lambda);
    lambda.template segment<3>(row.at) += push * row.h;
    if (row.also >= 0) lambda[row.also] += push;
    // Lambda - h u' - u h' + weight h h' = Lambda - h w' - w h' with w = u - weight h / 2
    Eigen::Matrix<double, N, 1> w = u;
    w.template segment<3>(row.at) -= 0.5 * weight * row.h;
    if (row.also >= 0) w[row.also] -= 0.5 * weight;
    for (int i = 0; i < 3; ++i) {
      if (row.h[i] == 0) continue;
      Lambda.col(row.at + i) -= row.h[i] * w;
      Lambda.row(row.at + i) -= row.h[i] * w.transpose();
    }
    if (row.also >= 0) {
      Lambda.col(row.also) -= w;
      Lambda.row(row.also) -= w.transpose();
    }
  }
};

/// Mean of a matrix and its transpose.
template <int N>
void make_symmetric(Eigen::Matrix<double, N, N>& m) {
  for (int j = 0; j < N; ++j)
    for (int i = 0; i < j; ++i) m(i, j) = m(j, i) = 0.5 * (m(i, j) + m(j, i));
}

/// The covariance that white jerk of unit density adds in time h to a value, its rate and its acceleration.
inline Mat3 white_jerk(double h) {
  Mat3 q;
  const double h2 = h * h, h3 = h2 * h;
  q << h3 * h2 / 20, h2 * h2 / 8, h3 / 6, h2 * h2 / 8, h3 / 3, h2 / 2, h3 / 6, h2 / 2, h;
  return q;
}

/// Adds density^2 white_jerk(h) to the first nine states, three axes each.
template <int N>
void add_white_jerk(Eigen::Matrix<double, N, N>& P, double density, double h) {
  const Mat3 q = density * density * white_jerk(h);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) P.template block<3, 3>(3 * i, 3 * j).diagonal().array() += q(i, j);
}

}  // namespace fathom::filter::internal
