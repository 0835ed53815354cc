// A path at its samples against the path itself, and against rotations differentiated numerically.
#include "fathom/excite/sampling.hpp"

#include <gtest/gtest.h>

#include "fathom/base/derivative.hpp"
#include "fathom/excite/bounds.hpp"
#include "fathom/excite/test/problems.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::excite::sampling_test {
namespace {

/// A problem, how it is sampled, and a path of it.
struct Case {
  std::string name;
  Problem problem;
  double interval;
  bool with_position;

  Sampling sampling() const {
    return {basis_of(problem), problem.coordinates(), problem.start, problem.end, interval, with_position};
  }
  Eigen::VectorXd numbers() const {
    RandomStream random(7, name);
    return test::random_numbers(problem, basis_of(problem), random);
  }
};

std::vector<Case> cases() {
  return {{"four, spline", test::tank(), 0.2, false},
          {"four, Bezier, unequal segments", test::with_bezier(test::tank(), 12, 1), 0.2, true},
          {"six, spline, interval that divides nothing", test::pool(), 0.37, true},
          {"six, Bezier", test::with_bezier(test::pool(), 15, 1), 0.5, false},
          {"three, spline, other end", test::pond(), 0.3, true}};
}

Quat attitude_at(const trajectory::Bezier& path, double t) {
  return quaternion_from_euler(path.at(t).value.tail<3>());
}

Vec6 twist_at(const trajectory::Bezier& path, double t) {
  const auto sample = path.at(t);
  const Vec3 angles = sample.value.tail<3>();
  Vec6 nu;
  nu << attitude_at(path, t).conjugate() * Vec3(sample.rate.head<3>()),
      euler_rate_matrix(angles).inverse() * sample.rate.tail<3>();
  return nu;
}

/// d/dt of a function of time, at t.
Eigen::VectorXd rate_of(const std::function<Eigen::VectorXd(double)>& at, double t, double step) {
  const auto moved = [&](const Eigen::VectorXd& s) { return at(t + s[0]); };
  return numerical_jacobian(moved, Eigen::VectorXd::Zero(1), step);
}

bool is_near_a_knot(const trajectory::Bezier& path, double t, double step) {
  for (const double knot : path.knots())
    if (std::abs(t - knot) <= step) return true;
  return false;
}

TEST(Sampling, IsThePathAtItsTimes) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    Sampling sampling = one.sampling();
    Samples samples(sampling.rows());
    const Eigen::VectorXd x = one.numbers();
    sampling.sample(x, samples);
    const trajectory::Bezier path = sampling.path(x);
    Eigen::Index count = 0;
    for (Eigen::Index k = 0; k < sampling.rows(); ++k) {
      if (sampling.mask()[k] == 0) continue;
      const double t = sampling.times()[k];
      EXPECT_NEAR(t, one.interval * static_cast<double>(count++), 1e-9);
      const auto expected = path.at(t);
      for (int c = 0; c < 6; ++c) {
        const bool is_sampled = c >= 3 || one.with_position;
        EXPECT_NEAR(samples.pose(k, c), is_sampled ? expected.value[c] : 0, 1e-12) << t;
        EXPECT_NEAR(samples.rate(k, c), expected.rate[c], 1e-11) << t;
        EXPECT_NEAR(samples.acceleration(k, c), expected.acceleration[c], 1e-10) << t;
      }
    }
    EXPECT_EQ(count, sampling.count());
    EXPECT_EQ(count, 1 + std::floor(one.problem.duration() / one.interval + 1e-9));
  }
}

TEST(Sampling, BodyFeelsTheDerivativesOfPlaceAndAttitude) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    Sampling sampling = one.sampling();
    Samples samples(sampling.rows());
    const Eigen::VectorXd x = one.numbers();
    sampling.sample(x, samples);
    const trajectory::Bezier path = sampling.path(x);
    constexpr double step = 0.02;
    int compared = 0;
    for (Eigen::Index k = 0; k < sampling.rows(); k += 5) {
      const double t = sampling.times()[k];
      if (sampling.mask()[k] == 0 || is_near_a_knot(path, t, step)) continue;
      ++compared;
      const Quat q_bn = attitude_at(path, t).conjugate();
      EXPECT_LT((samples.nu.row(k).matrix().transpose() - twist_at(path, t)).norm(), 1e-11) << t;
      EXPECT_LT((samples.down.row(k).matrix().transpose() - q_bn * Vec3::UnitZ()).norm(), 1e-12) << t;
      // The body's turn rate once more, from quaternions alone.
      const auto turned = [&](double s) -> Eigen::VectorXd {
        return log_rotation(q_bn * attitude_at(path, s));
      };
      EXPECT_LT((samples.nu.row(k).tail<3>().matrix().transpose() - rate_of(turned, t, step)).norm(), 1e-8)
          << t;
      const auto twist = [&](double s) -> Eigen::VectorXd { return twist_at(path, s); };
      EXPECT_LT((samples.nu_dot.row(k).matrix().transpose() - rate_of(twist, t, step)).norm(), 1e-8) << t;
    }
    EXPECT_GT(compared, 10);
  }
}

TEST(Sampling, RowsStandInBlocksWithinPiecesAndFillersAreZero) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    Sampling sampling = one.sampling();
    Samples samples(sampling.rows());
    sampling.sample(one.numbers(), samples);
    EXPECT_EQ(sampling.rows() % 8, 0);
    EXPECT_EQ(sampling.mask().sum(), static_cast<double>(sampling.count()));
    const auto& knots = sampling.basis().knots;
    const auto piece_of = [&](double t) {
      return std::upper_bound(knots.begin() + 1, knots.end() - 1, t + 1e-9) - knots.begin();
    };
    for (Eigen::Index k = 0; k < sampling.rows(); ++k) {
      EXPECT_EQ(piece_of(sampling.times()[k]), piece_of(sampling.times()[k / 8 * 8])) << k;
      if (sampling.mask()[k] != 0) continue;
      EXPECT_EQ(sampling.times()[k], sampling.times()[k - 1]);
      for (const Eigen::ArrayXXd* columns :
           {&samples.pose, &samples.rate, &samples.acceleration, &samples.nu, &samples.nu_dot, &samples.down})
        EXPECT_EQ(columns->row(k).abs().maxCoeff(), 0) << k;
    }
  }
}

TEST(Sampling, GradientIsThatOfFiniteDifferences) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    Sampling sampling = one.sampling();
    RandomStream random(3, "functional");
    Samples samples(sampling.rows()), weight(sampling.rows());
    for (Eigen::ArrayXXd* columns :
         {&weight.pose, &weight.rate, &weight.acceleration, &weight.nu, &weight.nu_dot, &weight.down})
      *columns = columns->unaryExpr([&](double) { return random.normal(); });
    if (!one.with_position) weight.pose.leftCols(3).setZero();
    const auto at = [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
      sampling.sample(x, samples);
      const double sum = (weight.pose * samples.pose).sum() + (weight.rate * samples.rate).sum() +
                         (weight.acceleration * samples.acceleration).sum() + (weight.nu * samples.nu).sum() +
                         (weight.nu_dot * samples.nu_dot).sum() + (weight.down * samples.down).sum();
      return Eigen::VectorXd::Constant(1, sum);
    };
    const Eigen::VectorXd x = one.numbers();
    at(x);
    Samples adjoint = weight;
    Eigen::VectorXd gradient(x.size());
    sampling.gradient(samples, adjoint, gradient);
    EXPECT_GT(gradient.cwiseAbs().minCoeff(), 0);
    const auto check = check_derivative(at, x, gradient.transpose(), 0.05, 1e-8);
    EXPECT_TRUE(check.ok) << check.text();
  }
}

}  // namespace
}  // namespace fathom::excite::sampling_test
