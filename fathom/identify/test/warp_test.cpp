#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/identify/metrics.hpp"
#include "fathom/solve/runge_kutta.hpp"

namespace fathom::identify::warp_test {
namespace {

using Eigen::Index;
using fathom::test::error_text;
using Ends = WarpOptions::Ends;
using Path = std::vector<std::array<int, 2>>;
using Slope = WarpOptions::Slope;

/// Nielsen 2019, eq. 3.78 with D_Q = 0, D_L/m = 0.25, r = (0.05, -0.05), from rest: theta at 50 times from 0 to
/// 5 s.
Eigen::RowVectorXd pendulum(double length) {
  const auto rate = [length](const Eigen::Vector2d& x) {
    const double torque = 0.05 * std::cos(x[0]) + 0.05 * std::sin(x[0]);
    return Eigen::Vector2d(x[1], -9.81 / (length * length) * torque - 0.25 * x[1]);
  };
  constexpr int steps = 200;
  const double dt = 5.0 / 49 / steps;
  Eigen::RowVectorXd theta(50);
  Eigen::Vector2d x = Eigen::Vector2d::Zero();
  for (Index k = 0; k < 50; ++k) {
    theta[k] = x[0];
    for (int i = 0; i < steps; ++i) x = solve::runge_kutta_step(rate, x, dt);
  }
  return theta;
}

double sum_of_squares(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, const Path& path) {
  double sum = 0;
  for (const auto& pair : path) sum += (a.col(pair[0]) - b.col(pair[1])).squaredNorm();
  return sum;
}

/// Every path there is, one after another: for a handful of samples.
class AllPaths {
 public:
  AllPaths(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, const WarpOptions& options)
      : a_(a), b_(b), options_(options), n_(static_cast<int>(a.cols())), m_(static_cast<int>(b.cols())) {
    const int longer = std::max(n_, m_);
    radius_ = std::max(static_cast<int>(std::ceil(options.window * longer - 1e-9)), std::abs(n_ - m_));
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < m_; ++j)
        if ((i == 0 && j == 0) || (options.ends == Ends::open && (i == 0 || j == 0))) go(i, j, true);
  }
  double least = std::numeric_limits<double>::infinity();

 private:
  void go(int i, int j, bool turned) {
    if (i >= n_ || j >= m_ || std::abs(i - j) > radius_) return;
    path_.push_back({i, j});
    if (may_end()) least = std::min(least, sum_of_squares(a_, b_, path_));
    go(i + 1, j + 1, true);
    if (options_.slope == Slope::free || turned) {
      go(i + 1, j, false);
      go(i, j + 1, false);
    }
    path_.pop_back();
  }

  bool may_end() const {
    const bool begins_a = path_.front()[0] == 0, begins_b = path_.front()[1] == 0;
    const bool ends_a = path_.back()[0] == n_ - 1, ends_b = path_.back()[1] == m_ - 1;
    if (options_.ends == Ends::closed) return ends_a && ends_b;
    return (begins_a && ends_a) || (begins_b && ends_b);
  }

  const Eigen::MatrixXd &a_, &b_;
  const WarpOptions& options_;
  int n_, m_, radius_;
  Path path_;
};

Eigen::MatrixXd random_series(RandomStream& random, Index rows, Index columns) {
  Eigen::MatrixXd result(rows, columns);
  for (double& x : result.reshaped()) x = random.normal();
  return result;
}

std::vector<WarpOptions> all_options() {
  std::vector<WarpOptions> all;
  for (const double window : {0.0, 0.2, 0.5, 1.0})
    for (const Slope slope : {Slope::free, Slope::symmetric})
      for (const Ends ends : {Ends::closed, Ends::open_end, Ends::open})
        all.push_back({window, slope, ends, true});
  return all;
}

TEST(Warp, GivesTheThesisExample) {
  const Eigen::RowVectorXd a = pendulum(0.25), b = pendulum(0.30);
  EXPECT_NEAR((a - b).norm(), 3.380, 5e-4);                                              // eq. 6.3
  EXPECT_NEAR(warp(a, b, {.window = 0}).distance, 3.380, 5e-4);                          // no warp at all
  EXPECT_NEAR(warp(a, b, {.window = 1}).distance, 1.516, 5e-4);                          // both ends fixed
  EXPECT_NEAR(warp(a, b, {.window = 1, .ends = Ends::open_end}).distance, 0.303, 5e-4);  // eq. 6.4 prints 0.32
}

TEST(Warp, FindsTheBestOfAllPaths) {
  RandomStream random(1, "warp");
  for (const WarpOptions& options : all_options())
    for (int trial = 0; trial < 12; ++trial) {
      const Index n = 1 + static_cast<Index>(random.uniform() * 6),
                  m = 1 + static_cast<Index>(random.uniform() * 6);
      const Eigen::MatrixXd a = random_series(random, 2, n), b = random_series(random, 2, m);
      const Warp found = warp(a, b, options);
      const double least = AllPaths(a, b, options).least;
      if (std::isinf(least))
        EXPECT_EQ(found.pairs, 0u) << n << " " << m;
      else
        EXPECT_NEAR(found.distance, std::sqrt(least), 1e-12)
            << n << " x " << m << " window " << options.window << " ends " << static_cast<int>(options.ends);
    }
}

TEST(Warp, PathIsWhatItSaysOfIt) {
  RandomStream random(2, "warp");
  for (WarpOptions options : all_options()) {
    const Eigen::MatrixXd a = random_series(random, 3, 90), b = random_series(random, 3, 80);
    const Warp with = warp(a, b, options);
    if (with.pairs == 0) continue;
    ASSERT_EQ(with.path.size(), with.pairs);
    EXPECT_NEAR(std::sqrt(sum_of_squares(a, b, with.path)), with.distance, 1e-12);
    double sum = 0;
    for (const auto& pair : with.path) sum += (a.col(pair[0]) - b.col(pair[1])).norm();
    EXPECT_NEAR(sum / static_cast<double>(with.pairs), with.mean, 1e-12);
    bool turned = true;
    for (std::size_t p = 1; p < with.path.size(); ++p) {
      const int di = with.path[p][0] - with.path[p - 1][0], dj = with.path[p][1] - with.path[p - 1][1];
      EXPECT_TRUE((di == 0 || di == 1) && (dj == 0 || dj == 1) && di + dj > 0);
      EXPECT_TRUE(options.slope == Slope::free || turned || di + dj == 2);
      turned = di + dj == 2;
    }
    options.path = false;
    const Warp without = warp(a, b, options);
    EXPECT_EQ(without.distance, with.distance);
    EXPECT_TRUE(without.path.empty());
  }
}

TEST(Warp, UndoesAShiftWithinTheWindow) {
  Eigen::RowVectorXd a(400), b(390);
  for (Index k = 0; k < a.size(); ++k) a[k] = std::sin(0.05 * static_cast<double>(k));
  b = a.tail(390);
  EXPECT_EQ(warp(a, b, {.ends = Ends::open}).distance, 0);
  EXPECT_GT(warp(a, b).distance, 0.1);
  EXPECT_GT(warp(a.head(390), b, {.window = 0}).distance, warp(a.head(390), b).distance);
}

TEST(Warp, HasNoPathWhereTheSlopeForbidsIt) {
  const Eigen::RowVectorXd a = Eigen::RowVectorXd::Zero(10), b = Eigen::RowVectorXd::Zero(30);
  const Warp none = warp(a, b, {.slope = Slope::symmetric});
  EXPECT_TRUE(std::isinf(none.distance) && std::isinf(none.mean));
  EXPECT_EQ(none.pairs, 0u);
  EXPECT_EQ(warp(a, b).distance, 0);
}

TEST(Warp, RefusesWhatCannotBeCompared) {
  const Eigen::MatrixXd a = Eigen::MatrixXd::Zero(2, 5), b = Eigen::MatrixXd::Zero(3, 5);
  EXPECT_EQ(error_text([&] { warp(a, b); }), "series have 2 and 3 rows (the same quantities in both)");
  EXPECT_EQ(error_text([&] { warp(a, a.leftCols(0)); }), "series have 5 and 0 samples (at least one)");
  EXPECT_EQ(error_text([&] { warp(a, a, {.window = 1.5}); }),
            "window = 1.5, must be a share from 0 to 1 (1 is no window)");
  Eigen::MatrixXd broken = a;
  broken(1, 2) = std::nan("");
  EXPECT_EQ(error_text([&] { warp(a, broken); }),
            "series have a sample that is not finite (leave out what cannot be compared)");
}

}  // namespace
}  // namespace fathom::identify::warp_test
