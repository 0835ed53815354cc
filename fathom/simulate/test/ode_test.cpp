#include "fathom/simulate/ode.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"

namespace fathom::simulate::ode_test {
namespace {

/// Kepler's ellipse of eccentricity e from the pericentre: period 2 pi, closed form through Kepler's equation.
class Kepler : public Ode {
 public:
  explicit Kepler(double e) : e_(e) {}
  Eigen::Index size() const override { return 4; }
  void derivative(double, const Eigen::VectorXd& x, Eigen::VectorXd& dx) const override {
    const double r3 = std::pow(x.head<2>().norm(), 3);
    dx << x[2], x[3], -x[0] / r3, -x[1] / r3;
  }
  Eigen::VectorXd at(double t) const {
    double E = t;
    for (int k = 0; k < 60; ++k) E -= (E - e_ * std::sin(E) - t) / (1 - e_ * std::cos(E));
    const double root = std::sqrt(1 - e_ * e_), rate = 1 / (1 - e_ * std::cos(E));
    Eigen::VectorXd x(4);
    x << std::cos(E) - e_, root * std::sin(E), -std::sin(E) * rate, root * std::cos(E) * rate;
    return x;
  }

 private:
  double e_;
};

double rk4_error(const Kepler& ode, int steps, double t_end) {
  RungeKutta4 rk4(ode.size());
  Eigen::VectorXd x = ode.at(0);
  for (int k = 0; k < steps; ++k) rk4.step(ode, t_end * k / steps, t_end / steps, x);
  return (x - ode.at(t_end)).norm();
}

TEST(RungeKutta4, IsOfOrderFour) {
  const Kepler ode(0.3);
  const double coarse = rk4_error(ode, 400, 5), fine = rk4_error(ode, 800, 5);
  EXPECT_NEAR(std::log2(coarse / fine), 4, 0.1);
  EXPECT_LT(fine, 1e-8);
}

/// x' = 5 t^4: needs the nodes right; a method of order p integrates t^(p-1) exactly.
class Power : public Ode {
 public:
  explicit Power(int n) : n_(n) {}
  Eigen::Index size() const override { return 1; }
  void derivative(double t, const Eigen::VectorXd&, Eigen::VectorXd& dx) const override {
    dx[0] = n_ * std::pow(t, n_ - 1);
  }

 private:
  int n_;
};

TEST(DormandPrince, IntegratesPolynomialsUpToItsOrderExactly) {
  for (int n = 1; n <= 5; ++n) {
    DormandPrince method(1, {.relative = 1e300, .absolute = 1e300});  // whatever the error: the steps offered
    Eigen::VectorXd x = Eigen::VectorXd::Ones(1);
    ASSERT_TRUE(method.advance(Power(n), 1, 2, x).reached);
    EXPECT_NEAR(x[0], std::pow(2, n), 1e-13 * std::pow(2, n)) << n;
  }
}

// With the step free, the error of a method of order five is proportional to (work)^-5.
TEST(DormandPrince, GainsAFifthOfADigitOfStepPerDigitOfError) {
  const Kepler ode(0.3);
  const auto run = [&](double tolerance) {
    DormandPrince method(4, {.relative = tolerance, .absolute = tolerance});
    Eigen::VectorXd x = ode.at(0);
    const auto outcome = method.advance(ode, 0, 5, x);
    EXPECT_TRUE(outcome.reached);
    return std::pair((x - ode.at(5)).norm(), static_cast<double>(outcome.accepted));
  };
  const auto loose = run(1e-7), tight = run(1e-12);
  const double order = std::log(loose.first / tight.first) / std::log(tight.second / loose.second);
  EXPECT_NEAR(order, 5, 0.4);
  EXPECT_LT(tight.first, 1e-10);
}

TEST(DormandPrince, KeepsItsToleranceOnAnEccentricOrbit) {
  const Kepler ode(0.9);  // the speed at the pericentre is 19 times that at the apocentre
  DormandPrince method(4, {.relative = 1e-10, .absolute = 1e-12});
  Eigen::VectorXd x = ode.at(0);
  const auto outcome = method.advance(ode, 0, 2 * std::numbers::pi, x);
  ASSERT_TRUE(outcome.reached);
  EXPECT_LT((x - ode.at(0)).norm(), 1e-6);
  EXPECT_GT(outcome.rejected, 0);
}

TEST(DormandPrince, EndsExactlyAtTheEndOverManyCalls) {
  const Kepler ode(0.1);
  DormandPrince method(4);
  Eigen::VectorXd x = ode.at(0);
  double t = 0;
  for (int k = 1; k <= 500; ++k) {
    const auto outcome = method.advance(ode, t, 0.01 * k, x);
    ASSERT_TRUE(outcome.reached);
    t = outcome.t;
    ASSERT_EQ(t, 0.01 * k);
  }
  EXPECT_LT((x - ode.at(5)).norm(), 1e-7);
}

/// Blows up at t = 1.
class Explosion : public Ode {
 public:
  Eigen::Index size() const override { return 1; }
  void derivative(double, const Eigen::VectorXd& x, Eigen::VectorXd& dx) const override { dx[0] = x[0] * x[0]; }
};

TEST(DormandPrince, SaysThatItFailed) {
  DormandPrince method(1);
  Eigen::VectorXd x = Eigen::VectorXd::Ones(1);
  const auto outcome = method.advance(Explosion(), 0, 2, x);
  EXPECT_FALSE(outcome.reached);
  EXPECT_LE(outcome.t, 1 + 1e-9);
  EXPECT_GT(outcome.t, 0.99);
  EXPECT_TRUE(std::isfinite(x[0]));
}

TEST(DormandPrince, StopsAtItsBoundOnWork) {
  const Kepler ode(0.5);
  DormandPrince method(4, {.relative = 1e-12, .absolute = 1e-12, .max_steps = 20});
  Eigen::VectorXd x = ode.at(0);
  const auto outcome = method.advance(ode, 0, 100, x);
  EXPECT_FALSE(outcome.reached);
  EXPECT_EQ(outcome.accepted + outcome.rejected, 20);
}

TEST(DormandPrince, RefusesTolerancesThatAreNotPositive) {
  EXPECT_THROW(DormandPrince(1, {.relative = 0}), InputError);
  EXPECT_THROW(DormandPrince(1, {.absolute = -1}), InputError);
}

}  // namespace
}  // namespace fathom::simulate::ode_test
