#include "fathom/trajectory/basis.hpp"

#include <cmath>

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"
#include "fathom/trajectory/bezier.hpp"

namespace fathom::trajectory::basis_test {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

VectorXd random_vector(Index size, RandomStream& random) {
  VectorXd x(size);
  for (double& entry : x) entry = random.uniform(-1, 1);
  return x;
}

Bezier curve_of(const Basis& basis, const VectorXd& x, double a, double b) {
  return {basis.knots, basis.degree, basis.points(x, a, b).transpose()};
}

struct Case {
  const char* name;
  Basis basis;
};

std::vector<Case> cases() {
  const std::vector<double> unequal = {3, 7, 0.5, 12}, equal(5, 56.0), one = {8};
  return {{"paper", bezier_basis(equal, 20)},
          {"unequal durations", bezier_basis(unequal, 9)},
          {"lowest degree", bezier_basis(unequal, 5)},
          {"one segment", bezier_basis(one, 8)},
          {"even spline", spline_basis(equal, std::vector<int>(5, 18))},
          {"uneven spline", spline_basis(unequal, std::vector<int>{2, 5, 1, 3})},
          {"short spline", spline_basis(one, std::vector<int>{4})}};
}

TEST(Basis, EveryCurveRestsAtBothEnds) {
  RandomStream random(1, "free numbers");
  for (const auto& [name, basis] : cases()) {
    const Bezier curve = curve_of(basis, random_vector(basis.size(), random), 0.3, -1.7);
    const Bezier::Sample begin = curve.at(curve.begin()), end = curve.at(curve.end());
    EXPECT_NEAR(begin.value[0], 0.3, 1e-14) << name;
    EXPECT_NEAR(end.value[0], -1.7, 1e-14) << name;
    for (const auto& sample : {begin, end}) {
      EXPECT_NEAR(sample.rate[0], 0, 1e-13) << name;
      EXPECT_NEAR(sample.acceleration[0], 0, 1e-12) << name;
    }
  }
}

TEST(Basis, EveryCurveIsTwiceContinuouslyDifferentiable) {
  RandomStream random(2, "free numbers");
  for (const auto& [name, basis] : cases()) {
    const VectorXd points = basis.points(random_vector(basis.size(), random), 0.3, -1.7);
    const Index n = basis.degree;
    // Both sides of each knot by the end differences of the pieces that meet there.
    for (std::size_t k = 1; k + 1 < basis.knots.size(); ++k) {
      const double h = basis.knots[k] - basis.knots[k - 1], H = basis.knots[k + 1] - basis.knots[k];
      const auto left = points.segment((k - 1) * (n + 1) + n - 2, 3);
      const auto right = points.segment(k * (n + 1), 3);
      const double s = static_cast<double>(n), ss = s * (s - 1);
      const double bend = ss * (left[2] - 2 * left[1] + left[0]) / (h * h);
      EXPECT_NEAR(left[2], right[0], 1e-14) << name;
      EXPECT_NEAR(s * (left[2] - left[1]) / h, s * (right[1] - right[0]) / H, 1e-12) << name;
      EXPECT_NEAR(bend, ss * (right[2] - 2 * right[1] + right[0]) / (H * H), 1e-11 * (1 + std::abs(bend)))
          << name;
    }
  }
}

TEST(Basis, SizesAreThoseOfTheNotes) {
  const std::vector<double> five(5, 56.0), one = {1};
  const Basis paper = bezier_basis(five, 20);
  EXPECT_EQ(paper.size(), 87);
  EXPECT_EQ(paper.points.rows.rows(), 105);
  EXPECT_EQ(paper.segment, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(paper.knots, (std::vector<double>{0, 56, 112, 168, 224, 280}));
  EXPECT_EQ(bezier_basis(one, 6).size(), 1);
  EXPECT_EQ(bezier_basis(five, 5).size(), 12);
  const Basis spline = spline_basis(five, std::vector<int>(5, 18));
  EXPECT_EQ(spline.size(), 87);
  EXPECT_EQ(spline.points.rows.rows(), 360);
  EXPECT_EQ(spline.knots.back(), 280);
  EXPECT_EQ(spline.segment[17], 0);
  EXPECT_EQ(spline.segment[18], 1);
}

// Every curve that is C2 and at rest at its ends is one of the basis: the free numbers are as many as the
// control points less the conditions, and none is idle.
TEST(Basis, FreeNumbersAreIndependent) {
  for (const auto& [name, basis] : cases()) {
    const Eigen::MatrixXd rows = basis.points.rows;
    const Index pieces = basis.segment.size();
    EXPECT_EQ(rows.colPivHouseholderQr().rank(), basis.size()) << name;
    EXPECT_EQ(basis.size(), rows.rows() - 3 * (pieces - 1) - 6) << name;
    EXPECT_LT((rows.rowwise().sum() + basis.points.start + basis.points.end - VectorXd::Ones(rows.rows()))
                  .lpNorm<Eigen::Infinity>(),
              1e-13)
        << name << ": with all numbers alike the curve stands still";
  }
}

// Cox and de Boor, by their definition.
double cox_de_boor(const std::vector<double>& x, std::size_t i, std::size_t p, double t) {
  if (p == 0) return x[i] <= t && t < x[i + 1] ? 1 : 0;
  return (t - x[i]) / (x[i + p] - x[i]) * cox_de_boor(x, i, p - 1, t) +
         (x[i + p + 1] - t) / (x[i + p + 1] - x[i + 1]) * cox_de_boor(x, i + 1, p - 1, t);
}

TEST(SplineBasis, EqualsCoxAndDeBoor) {
  const std::vector<double> durations = {3, 7, 0.5, 12};
  const Basis basis = spline_basis(durations, std::vector<int>{2, 5, 1, 3});
  RandomStream random(3, "free numbers");
  const VectorXd x = random_vector(basis.size(), random);
  const double a = 0.4, b = 0.9;
  const Bezier curve = curve_of(basis, x, a, b);
  std::vector<double> knots = {-4.5, -3, -1.5};  // first intervals of 1.5 s, last ones of 4 s
  knots.insert(knots.end(), basis.knots.begin(), basis.knots.end());
  for (const double t : {26.5, 30.5, 34.5}) knots.push_back(t);
  VectorXd coefficients(x.size() + 6);
  coefficients << a, a, a, x, b, b, b;
  for (int k = 0; k < 300; ++k) {
    const double t = random.uniform(0, 22.5);
    double value = 0;
    for (Index i = 0; i < coefficients.size(); ++i) value += coefficients[i] * cox_de_boor(knots, i, 3, t);
    EXPECT_NEAR(curve.at(t).value[0], value, 1e-13) << t;
  }
}

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.findings().at(0).text();
  }
  return "";
}

TEST(BezierBasis, RefusesWhatLeavesNothingFree) {
  using D = std::vector<double>;
  const auto text = [](const D& durations, int degree) {
    return error_of([&] { bezier_basis(durations, degree); });
  };
  EXPECT_EQ(text({}, 20), "durations has no entry, at least one segment is needed");
  EXPECT_EQ(text({1, 0}, 20), "durations[1] = 0 s, must be > 0 and finite");
  EXPECT_EQ(text({std::nan(""), 1}, 20), "durations[0] = nan s, must be > 0 and finite");
  EXPECT_EQ(text({1, 1e-30}, 20), "durations make knots of 1 and 1 s, must grow");
  EXPECT_EQ(
      text({1, 1}, 4),
      "degree = 4, must be 5 to 60 (three control points at either end of a piece go to continuity or rest)");
  EXPECT_EQ(text({1, 1}, 61).substr(0, 32), "degree = 61, must be 5 to 60 (th");
  EXPECT_EQ(text({1}, 5), "degree = 5, must be >= 6 for one segment (rest at both ends fixes six points)");
  EXPECT_EQ(text({1}, 6), "");
}

TEST(SplineBasis, RefusesWhatLeavesNothingFree) {
  const auto text = [](const std::vector<int>& intervals) {
    return error_of([&] { spline_basis(std::vector<double>{1, 2}, intervals); });
  };
  EXPECT_EQ(text({4}), "intervals has 1 entries for 2 segments");
  EXPECT_EQ(text({4, 0}), "intervals[1] = 0, must be >= 1");
  EXPECT_EQ(text({1, 2}), "intervals make 3 in all, must be >= 4 (rest at both ends takes six coefficients)");
  EXPECT_EQ(text({1, 2'000'000'000}), "intervals make 2000000001 in all, must be <= 100000");
  EXPECT_EQ(text({2, 2}), "");
}

}  // namespace
}  // namespace fathom::trajectory::basis_test
