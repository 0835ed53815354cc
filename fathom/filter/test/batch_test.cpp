#include "fathom/filter/test/batch.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/derivative.hpp"
#include "fathom/base/random.hpp"
#include "fathom/filter/internal/attitude_model.hpp"
#include "fathom/filter/internal/position_model.hpp"
#include "fathom/filter/track.hpp"

namespace fathom::filter::batch_test {
namespace {

using internal::AttitudeModel;
using internal::PositionModel;
using testing::Batch;

/// exp(A h) of `chains` of three integrators, then constants; the states in Fathom's order.
Eigen::MatrixXd chain(double h, int axes, int constants) {
  Eigen::MatrixXd F = Eigen::MatrixXd::Identity(3 * axes + constants, 3 * axes + constants);
  for (int i = 0; i < axes; ++i) {
    F(i, axes + i) = F(axes + i, 2 * axes + i) = h;
    F(i, 2 * axes + i) = h * h / 2;
  }
  return F;
}

/// Integral of q^2 g g' with g = F(s) [0 0 1]' by Gauss' rule of five points, exact for these polynomials.
Eigen::MatrixXd jerk_noise(double h, double q, int axes, int constants) {
  const double node[] = {0, 0.5384693101056831, -0.5384693101056831, 0.9061798459386640, -0.9061798459386640};
  const double weight[] = {0.5688888888888889, 0.4786286704993665, 0.4786286704993665, 0.2369268850561891,
                           0.2369268850561891};
  const int n = 3 * axes + constants;
  Eigen::MatrixXd Q = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < 5; ++i) {
    const Eigen::MatrixXd g = chain(h / 2 * (1 + node[i]), axes, constants).middleCols(2 * axes, axes);
    Q += h / 2 * weight[i] * q * q * g * g.transpose();
  }
  return Q;
}

Eigen::VectorXd unit(int n, int i) { return Eigen::VectorXd::Unit(n, i); }

Readings constant_attitude(const Quat& q, double from, double until) {
  Readings readings;
  readings.t = {from, until, until};
  readings.values = Eigen::Vector4d(q.w(), q.x(), q.y(), q.z()).replicate(1, 3);
  readings.sigma = Vec3::Constant(0.01);
  return readings;
}

/// Positions, depths and velocities of noise at odd times: what is smoothed need be no motion.
TEST(Batch, TheSmootherOfPositionIsTheBatchSolution) {
  RandomStream random(3, "batch");
  const Quat q(Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()));
  const Mat3 R = q.toRotationMatrix();
  const Vec3 lever_b(0.3, -0.2, 0.1);
  constexpr double density = 3;
  Measurements m;
  m.attitude.push_back(constant_attitude(q, 0, 2));
  m.position.emplace_back();
  m.position[0].sigma = Vec3(0.2, 0.3, 0.4);
  m.velocity.emplace_back();
  m.velocity[0].sigma = Vec3(0.3, 0.2, 0.1);
  m.depth.emplace_back();
  m.depth[0].sigma = Eigen::VectorXd::Constant(1, 0.1);
  Batch batch{[](double h) { return chain(h, 3, 0); },
              [](double h) { return jerk_noise(h, density, 3, 0); },
              0.05,
              Eigen::VectorXd::Zero(9),
              Eigen::MatrixXd::Zero(9, 9),
              {}};
  for (int i = 0; i < 9; ++i)
    batch.prior(i, i) = std::pow(PositionModel::prior[static_cast<std::size_t>(i / 3)], 2);
  const auto fill = [&](Readings& readings, int rows, double step, double phase) {
    readings.lever_b = lever_b;
    readings.values.resize(rows, 7);
    for (int i = 0; i < 7; ++i) {
      readings.t.push_back(phase + step * i + 0.03 * random.uniform());
      for (int j = 0; j < rows; ++j) readings.values(j, i) = random.normal();
    }
  };
  fill(m.position[0], 3, 0.29, 0.05);
  m.position[0].t[0] = 0.05;
  fill(m.velocity[0], 3, 0.21, 0.4);
  fill(m.depth[0], 1, 0.23, 0.3);
  batch.mean.head<3>() = Vec3(m.position[0].values.col(0)) - R * lever_b;
  batch.mean[2] = m.depth[0].values(0, 0) - (R * lever_b).z();  // the depth sensor has the last word
  for (std::size_t i = 0; i < 7; ++i)
    for (int j = 0; j < 3; ++j) {
      const auto column = static_cast<Eigen::Index>(i);
      batch.numbers.push_back({m.position[0].t[i], unit(9, j),
                               m.position[0].values(j, column) - (R * lever_b)[j], m.position[0].sigma[j]});
      Eigen::VectorXd h = Eigen::VectorXd::Zero(9);
      h.segment<3>(3) = R.col(j);
      batch.numbers.push_back({m.velocity[0].t[i], h, m.velocity[0].values(j, column), m.velocity[0].sigma[j]});
      if (j == 2)
        batch.numbers.push_back({m.depth[0].t[i], unit(9, 2), m.depth[0].values(0, column) - (R * lever_b).z(),
                                 m.depth[0].sigma[0]});
    }
  batch.solve();
  SmootherOptions options;
  options.dt = 0.11;
  options.jerk = density;
  options.angular_jerk = 1;
  options.outlier = 1e6;
  const Smoothed smoothed = smooth(m, options);
  ASSERT_GT(smoothed.track.size(), 14);
  for (Eigen::Index k = 0; k < smoothed.track.size(); k += 4) {
    const Batch::State expected = batch.at(smoothed.track.t(k));
    const Mat3 covariance_b = R.transpose() * expected.covariance.block<3, 3>(3, 3) * R;
    EXPECT_LT((smoothed.track.p_nb_n.col(k) - expected.mean.head<3>()).norm(), 1e-8) << k;
    EXPECT_LT((smoothed.track.nu_b.col(k).head<3>() - R.transpose() * expected.mean.segment<3>(3)).norm(),
              1e-8);
    EXPECT_LT((smoothed.track.nu_dot_b.col(k).head<3>() - R.transpose() * expected.mean.tail<3>()).norm(),
              1e-7);
    EXPECT_LT((smoothed.track.nu_sigma_b.col(k).head<3>() - covariance_b.diagonal().cwiseSqrt()).norm(), 1e-8);
  }
}

/// About one axis rotations add, and the manifold is a line: theta, omega, alpha and two biases.
TEST(Batch, TheSmootherOfAttitudeIsTheBatchSolution) {
  RandomStream random(4, "batch");
  constexpr double density = 2;
  Measurements m;
  m.attitude.emplace_back();
  m.attitude[0].sigma = Vec3::Constant(0.1);
  m.attitude[0].values.resize(4, 12);
  Batch batch{[](double h) { return chain(h, 1, 2); },
              [](double h) { return jerk_noise(h, density, 1, 2); },
              0,
              Eigen::VectorXd::Zero(5),
              Eigen::MatrixXd::Zero(5, 5),
              {}};
  for (int i = 0; i < 5; ++i)
    batch.prior(i, i) = std::pow(AttitudeModel<2>::prior[static_cast<std::size_t>(std::min(i, 3))], 2);
  for (int i = 0; i < 12; ++i) {
    const double yaw = 0.3 * random.normal(), t = i == 0 ? 0 : 0.17 * i + 0.05 * random.uniform();
    m.attitude[0].t.push_back(t);
    m.attitude[0].values.col(i) << std::cos(yaw / 2), 0, 0, std::sin(yaw / 2);
    if (i == 0) batch.mean[0] = yaw;
    batch.numbers.push_back({t, unit(5, 0), yaw, 0.1});
  }
  for (int s = 0; s < 2; ++s) {
    Readings rate;
    rate.sigma = Vec3::Constant(0.05 * (s + 1));
    rate.values.setZero(3, 15);
    for (int i = 0; i < 15; ++i) {
      rate.t.push_back(0.1 + 0.11 * i + 0.02 * random.uniform());
      rate.values(2, i) = random.normal();
      batch.numbers.push_back({rate.t.back(), unit(5, 1) + unit(5, 3 + s), rate.values(2, i), rate.sigma[2]});
    }
    m.rate.push_back(rate);
  }
  m.position.emplace_back();
  m.position[0].t = {0, 0.5, 1, 1.5, 1.8};
  m.position[0].values.setZero(3, 5);
  m.position[0].sigma = Vec3::Constant(0.1);
  batch.solve();
  SmootherOptions options;
  options.dt = 0.06;
  options.jerk = 1;
  options.angular_jerk = density;
  options.outlier = 1e6;
  const Smoothed smoothed = smooth(m, options);
  for (Eigen::Index k = 0; k < smoothed.track.size(); k += 6) {
    const Batch::State expected = batch.at(smoothed.track.t(k));
    const Quat q = smoothed.track.attitude(k);
    EXPECT_NEAR(2 * std::atan2(q.z(), q.w()), expected.mean[0], 1e-8) << k;
    EXPECT_NEAR(smoothed.track.nu_b(5, k), expected.mean[1], 1e-8) << k;
    EXPECT_NEAR(smoothed.track.nu_dot_b(5, k), expected.mean[2], 1e-7) << k;
    EXPECT_NEAR(smoothed.track.nu_sigma_b(5, k), std::sqrt(expected.covariance(1, 1)), 1e-8) << k;
    EXPECT_NEAR(smoothed.rate_bias_b[0].z(), expected.mean[3], 1e-8);
    EXPECT_NEAR(smoothed.rate_bias_b[1].z(), expected.mean[4], 1e-8);
  }
}

TEST(AttitudeModel, AnErrorMovesOnAsItsTransitionSays) {
  using Model = AttitudeModel<1>;
  Model::Nominal at;
  at.q_nb = Quat(0.5, 0.1, -0.7, 0.3).normalized();
  at.omega_b = Vec3(0.8, -1.1, 0.6);
  at.alpha_b = Vec3(-2, 1, 3);
  constexpr double h = 0.01;
  Model::Nominal moved = at;
  const Model::Transition transition = Model::move(moved, h);
  Model::Matrix F =
      Model::Matrix::Identity();  // from F P F' with P of rank one would need signs; so by F' columns
  for (int i = 0; i < Model::N; ++i) {
    internal::Hindsight<Model::N> hindsight;
    hindsight.lambda = Model::Vector::Unit(i);
    transition.back(hindsight);
    F.row(i) = hindsight.lambda.transpose();
  }
  const auto displaced = [&](const Eigen::VectorXd& error) {
    Model::Nominal x = at;
    x.add(error);
    Model::move(x, h);
    Eigen::VectorXd out(12);
    out << log_rotation(moved.q_nb.conjugate() * x.q_nb), x.omega_b - moved.omega_b, x.alpha_b - moved.alpha_b,
        x.bias_b[0] - moved.bias_b[0];
    return out;
  };
  const DerivativeCheck check = check_derivative(displaced, Eigen::VectorXd::Zero(12), F, 0.05, 1e-6);
  EXPECT_TRUE(check.ok) << check.text();
  Model::Matrix P = Model::Matrix::Random();
  P = P * P.transpose().eval();
  const Model::Matrix expected = F * P * F.transpose();
  Model::Matrix got = P;
  transition.forward(got, 0);
  EXPECT_LT((got - expected).norm(), 1e-13);
  internal::Hindsight<Model::N> hindsight;
  hindsight.Lambda = P;
  transition.back(hindsight);
  EXPECT_LT((hindsight.Lambda - F.transpose() * P * F).norm(), 1e-13);
}

TEST(AttitudeModel, MovesAsManySmallStepsDo) {
  using Model = AttitudeModel<0>;
  Model::Nominal once;
  once.omega_b = Vec3(0.8, -1.1, 0.6);
  once.alpha_b = Vec3(-2, 1, 3);
  Model::Nominal often = once;
  Model::move(once, 0.05);
  for (int i = 0; i < 1000; ++i) Model::move(often, 5e-5);
  EXPECT_LT(log_rotation(once.q_nb.conjugate() * often.q_nb).norm(), 1e-7);  // without Magnus' term 4e-5
}

}  // namespace
}  // namespace fathom::filter::batch_test
