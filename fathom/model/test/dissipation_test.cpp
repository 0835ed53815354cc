#include "fathom/model/dissipation.hpp"

#include <cmath>

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "fathom/model/test/random_robot.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::dissipation_test {
namespace {

using test::random_matrix;

/// nu' (sum |nu_j| Q_j) nu, written out.
double power(const QuadraticDrag& drag, const Vec6& nu) {
  double sum = 0;
  for (std::size_t j = 0; j < 6; ++j)
    for (int a = 0; a < 6; ++a)
      for (int b = 0; b < 6; ++b)
        sum += std::abs(nu[static_cast<Eigen::Index>(j)]) * nu[a] * drag.by_speed[j](a, b) * nu[b];
  return sum;
}

QuadraticDrag diagonal_drag(const Vec6& diagonal) {
  QuadraticDrag drag;
  for (std::size_t j = 0; j < 6; ++j) {
    const auto k = static_cast<Eigen::Index>(j);
    drag.by_speed[j](k, k) = diagonal[k];
  }
  return drag;
}

const Vec6 typical = (Vec6() << 18, 21, 36, 1.5, 1.6, 1.7).finished();

TEST(Dissipation, IsCertifiedForDiagonalDrag) {
  const Dissipation d = check_dissipation(typical.asDiagonal(), diagonal_drag(typical));
  EXPECT_TRUE(d.certified);
  EXPECT_FALSE(d.witness_nu);
  EXPECT_TRUE(check_dissipation(Mat6::Zero(), {}).certified) << "no drag at all gives no energy away";
}

TEST(Dissipation, IsCertifiedForFullSemidefiniteMatricesWithSkewParts) {
  RandomStream random(1, "certified");
  for (int k = 0; k < 50; ++k) {
    const Mat6 turn = random_matrix<Mat6>(random);
    const Vec6 h = random_matrix<Vec6>(random);
    QuadraticDrag drag = test::random_drag(random, 1);
    drag.by_speed[0] = 38 * h * h.transpose();  // singular: rank one
    EXPECT_TRUE(check_dissipation(h * h.transpose() + 100 * (turn - turn.transpose()), drag).certified);
  }
}

TEST(Dissipation, OfALinearMatrixFailsWithItsWorstDirection) {
  RandomStream random(1, "linear");
  for (int k = 0; k < 100; ++k) {
    // A rotated indefinite matrix, with a skew part that must not matter.
    const Mat6 U = Eigen::HouseholderQR<Mat6>(random_matrix<Mat6>(random)).householderQ();
    const Vec6 eigenvalues = (Vec6() << -0.01, 1, 2, 3, 4, 5).finished();
    const Mat6 turn = random_matrix<Mat6>(random);
    const Mat6 D = U * eigenvalues.asDiagonal() * U.transpose() + (turn - turn.transpose());
    const Dissipation d = check_dissipation(D, diagonal_drag(typical));
    EXPECT_FALSE(d.certified);
    ASSERT_TRUE(d.witness_nu);
    EXPECT_TRUE(d.witness_is_linear);
    EXPECT_NEAR(d.witness_nu->norm(), 1, 1e-12);
    EXPECT_NEAR(d.witness_nu->dot(D * *d.witness_nu), -0.01, 1e-12);
    EXPECT_NEAR(d.witness_power, -0.01, 1e-12);
  }
}

TEST(Dissipation, IsNotProvedButAlsoNotRefutedWhereOneSpeedHelpsAnother) {
  // |u| (u^2 - 0.1 v^2) + |v| v^2: Q_u is indefinite, but |u| v^2 <= (|u|^3 + 2 |v|^3) / 3, so the sum is
  // positive.
  QuadraticDrag drag = diagonal_drag(Vec6::Ones());
  drag.by_speed[0](1, 1) = -0.1;
  const Dissipation d = check_dissipation(Mat6::Zero(), drag);
  EXPECT_FALSE(d.certified);
  EXPECT_FALSE(d.witness_nu);
  drag.by_speed[0](1, 1) = -4;  // at u = v it is 1 - 4 + 1
  const Dissipation worse = check_dissipation(Mat6::Zero(), drag);
  ASSERT_TRUE(worse.witness_nu);
  EXPECT_FALSE(worse.witness_is_linear);
  EXPECT_LT(power(drag, *worse.witness_nu), 0);
}

/// Power is positive but in a narrow cone about `direction`, where it falls to -depth.
Mat6 hidden(const Vec6& direction, double depth) {
  return Mat6::Identity() - (1 + depth) * direction * direction.transpose();
}

/// Velocities in other units, as rad/s are beside m/s: the same power at T nu.
QuadraticDrag in_units(const QuadraticDrag& drag, const Vec6& T) {
  QuadraticDrag result;
  for (std::size_t j = 0; j < 6; ++j)
    result.by_speed[j] = T[static_cast<Eigen::Index>(j)] * (T.asDiagonal() * drag.by_speed[j] * T.asDiagonal());
  return result;
}

void expect_found(const QuadraticDrag& drag) {
  const Dissipation d = check_dissipation(Mat6::Identity(), drag);
  EXPECT_FALSE(d.certified);
  ASSERT_TRUE(d.witness_nu);
  EXPECT_NEAR(d.witness_nu->norm(), 1, 1e-12);
  EXPECT_LT(power(drag, *d.witness_nu), 0);
  EXPECT_NEAR(d.witness_power, power(drag, *d.witness_nu), 1e-9 * std::abs(d.witness_power));
}

TEST(DissipationLong, FindsAViolationThatHidesInARandomDirection) {
  RandomStream random(1, "hidden");
  for (const double depth : {0.1, 0.01, 0.001})
    for (int k = 0; k < 50; ++k) {
      QuadraticDrag drag;
      drag.by_speed.fill(hidden(random_matrix<Vec6>(random).normalized(), depth));
      expect_found(drag);
    }
}

TEST(DissipationLong, FindsAViolationThatHidesBehindMixedUnits) {
  RandomStream random(1, "hidden units");
  for (const double depth : {0.1, 0.01, 0.001})
    for (int k = 0; k < 50; ++k) {
      QuadraticDrag drag;
      drag.by_speed.fill(hidden(random_matrix<Vec6>(random).normalized(), depth));
      Vec6 T;
      for (double& t : T) t = std::exp(random.uniform(-2, 2));
      expect_found(in_units(drag, T));
    }
}

TEST(Dissipation, FindsAViolationThatHidesInTheMatrixOfOneSpeed) {
  RandomStream random(1, "hidden in one");
  for (int k = 0; k < 100; ++k) {
    QuadraticDrag drag;
    drag.by_speed[static_cast<std::size_t>(k % 6)] = hidden(random_matrix<Vec6>(random).normalized(), 0.01);
    Vec6 T;
    for (double& t : T) t = std::exp(random.uniform(-3, 3));
    ASSERT_NO_FATAL_FAILURE(expect_found(in_units(drag, T))) << "robot " << k;
  }
}

TEST(Dissipation, FindsAViolationByCrossTermsAlone) {
  // |u| 5 u v has no diagonal to set it against: it gives energy wherever u and v differ in sign.
  QuadraticDrag drag;
  drag.by_speed[0](0, 1) = 5;
  expect_found(drag);
}

TEST(Dissipation, FindsAViolationByACrossTermBetweenVelocitiesWithoutDrag) {
  QuadraticDrag drag = diagonal_drag((Vec6() << 18, 0, 36, 1.5, 1.6, 0).finished());
  drag.by_speed[1](1, 5) = 0.1;  // |v| v r
  expect_found(drag);
}

TEST(Dissipation, HoldsForEveryRobotOverTheWholeSphere) {
  RandomStream random(1, "sphere");
  for (const Robot& robot : test::all_robots())
    for (const DragElement& element : robot.damping()) {
      SCOPED_TRACE(robot.name() + " " + element.name);
      EXPECT_FALSE(check_dissipation(element.linear.value, element.quadratic.value).witness_nu);
      const QuadraticDrag& drag = element.quadratic.value;
      double largest = 0;
      for (const Mat6& Q : drag.by_speed) largest = std::max(largest, Q.cwiseAbs().maxCoeff());
      Vec6 at;
      const double smallest = smallest_quadratic_power(drag, &at);
      EXPECT_GE(smallest, -1e-12 * largest);
      EXPECT_NEAR(power(drag, at), smallest, 1e-12 * largest);
      for (int k = 0; k < 1000; ++k)
        EXPECT_GE(power(drag, random_matrix<Vec6>(random).normalized()), -1e-12 * largest);
    }
}

// Lagrange: minimising sum a_j |x_j|^3 on the sphere gives x_j ~ 1/a_j and 1/sqrt(sum 1/a_j^2).
TEST(SmallestQuadraticPower, OfDiagonalDragIsTheClosedForm) {
  EXPECT_NEAR(smallest_quadratic_power(diagonal_drag(Vec6::Ones())), 1 / std::sqrt(6.0), 1e-9);
  const Vec6 a = (Vec6() << 8, 1, 1, 2, 3, 4).finished();
  Vec6 at;
  EXPECT_NEAR(smallest_quadratic_power(diagonal_drag(a), &at), 1 / std::sqrt(a.cwiseInverse().squaredNorm()),
              1e-6);
  EXPECT_NEAR(at.cwiseAbs().dot(a.cwiseInverse().normalized()), 1, 1e-6);
}

TEST(SmallestQuadraticPower, OfNoDragIsZero) {
  Vec6 at;
  EXPECT_EQ(smallest_quadratic_power({}, &at), 0);
  EXPECT_NEAR(at.norm(), 1, 1e-15);
}

TEST(SmallestQuadraticPower, IsTheSameEveryTime) {
  RandomStream random(1, "same");
  const QuadraticDrag drag = test::random_drag(random, 1);
  Vec6 first, second;
  EXPECT_EQ(smallest_quadratic_power(drag, &first), smallest_quadratic_power(drag, &second));
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace fathom::model::dissipation_test
