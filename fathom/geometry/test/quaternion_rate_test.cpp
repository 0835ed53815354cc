#include <gtest/gtest.h>

#include "fathom/base/derivative.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/geometry/test/random_geometry.hpp"

namespace fathom::quaternion_rate_test {
namespace {

TEST(QuaternionRate, IsTheDerivativeOfARotationByTheBodyRates) {
  RandomStream random(1, "quaternion rate");
  for (int k = 0; k < 50; ++k) {
    const Quat q_nb = test::random_attitude(random);
    const Vec3 omega_b = test::random_matrix<Vec3>(random);
    // Body rates act on the right: q(t) = q Exp(omega t).
    const auto motion = [&](const Eigen::VectorXd& t) {
      return Eigen::VectorXd((q_nb * exp_rotation(t[0] * omega_b)).coeffs());
    };
    const DerivativeCheck check =
        check_derivative(motion, Eigen::VectorXd::Zero(1), quaternion_rate(q_nb, omega_b));
    EXPECT_TRUE(check.ok) << check.text();
  }
}

TEST(QuaternionRate, TurnsVectorsAsOmegaCrossDoes) {
  // d/dt R = R S(omega) checks the order of Eigen's coefficients too.
  RandomStream random(1, "quaternion rate");
  for (int k = 0; k < 50; ++k) {
    const Quat q = test::random_attitude(random);
    const Vec3 omega = test::random_matrix<Vec3>(random);
    const auto rotation = [](const Eigen::VectorXd& coefficients) {
      const Mat3 R = Quat(Eigen::Vector4d(coefficients)).toRotationMatrix();
      return Eigen::VectorXd(R.reshaped());
    };
    const Eigen::MatrixXd J = numerical_jacobian(rotation, Eigen::VectorXd(q.coeffs()), 0.1);
    const Mat3 R_dot = (J * quaternion_rate(q, omega)).reshaped(3, 3);
    EXPECT_LT(test::distance(R_dot, q.toRotationMatrix() * skew(omega)), 1e-10);
  }
}

TEST(QuaternionRate, KeepsTheLength) {
  RandomStream random(1, "quaternion rate");
  for (int k = 0; k < 50; ++k) {
    const Quat q = test::random_attitude(random);
    EXPECT_NEAR(q.coeffs().dot(quaternion_rate(q, test::random_matrix<Vec3>(random))), 0, 1e-15);
  }
}

TEST(QuaternionRate, AtNoRotationIsHalfTheRates) {
  EXPECT_EQ(quaternion_rate(Quat::Identity(), Vec3(2, 4, 6)), Eigen::Vector4d(1, 2, 3, 0));
}

}  // namespace
}  // namespace fathom::quaternion_rate_test
