// The curvature that an objective tells, against squares of differences of log slacks that are written out
// here.
#include <algorithm>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/derivative.hpp"
#include "fathom/base/random.hpp"
#include "fathom/dynamics/attainable_facets.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/dynamics/thruster.hpp"
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/excite/objective.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::excite::curvature_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double mu = 1e-3;

Problem problem_of(const std::string& robot, const std::string& structure) {
  Problem problem{"test", "", "test.yaml", dynamics::test::robot_named(robot), ""};
  problem.structure = model::structure_by_name(structure);
  problem.start << 0.1, -0.2, 0.8, 0, 0, 0.3;
  problem.end = problem.start;
  problem.sampling = 0.5;
  return problem;
}

struct Dense : solve::Curvature {
  explicit Dense(Eigen::Index number, Eigen::Index size)
      : blocks(number), each(size), H(MatrixXd::Zero(number * size, number * size)) {}
  void add(Eigen::Index first, Eigen::Index count, const double* matrix) override {
    const Eigen::Index n = count * blocks;
    const auto at = [&](Eigen::Index i) { return i % blocks * each + first + i / blocks; };
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = i; j < n; ++j) {
        H(at(i), at(j)) += matrix[i * n + j];
        if (i != j) H(at(j), at(i)) += matrix[i * n + j];
      }
  }
  Eigen::Index blocks, each;
  MatrixXd H;
};

/// slack / scale of everything that is limited at one sample, by kind.
class Slacks {
 public:
  explicit Slacks(const Problem& problem) : problem_(problem), vehicle_(problem.robot, problem.environment) {
    std::vector<model::ForceRange> ranges;
    for (const model::Thruster& thruster : problem.robot.thrusters()) {
      const auto range = dynamics::ThrusterModel(thruster, problem.environment.density()).force_range();
      ranges.push_back({problem.thrusters->share * range.min, problem.thrusters->share * range.max});
    }
    facets_ = dynamics::attainable_facets(model::allocation_matrix(problem.robot), ranges);
  }

  std::array<std::vector<double>, 3> at(const Samples& s, Eigen::Index i) const {
    std::array<std::vector<double>, 3> all;
    const dynamics::Motion motion{s.nu.row(i).transpose(), s.nu_dot.row(i).transpose(),
                                  s.down.row(i).transpose()};
    const VectorXd x = facets_.N * dynamics::inverse_dynamics(vehicle_, motion);
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      const double scale = (facets_.upper[k] - facets_.lower[k]) / 2;
      all[0].push_back((facets_.upper[k] - x[k]) / scale);
      all[0].push_back((x[k] - facets_.lower[k]) / scale);
    }
    const Mat3 R = quaternion_from_euler(s.pose.row(i).tail<3>().transpose()).toRotationMatrix();
    const Vec3 p = s.pose.row(i).head<3>().transpose();
    for (const Vec3& corner : problem_.view->area_n)
      all[1].push_back(cone(corner - p, R.col(2)) / view_scale());
    const Vec3 d = p + R * problem_.tether->attachment_b - problem_.tether->anchor_n;
    all[2].push_back(1 - d.squaredNorm() / std::pow(problem_.tether->length, 2));
    return all;
  }

 private:
  double cone(const Vec3& d, const Vec3& axis) const {
    return axis.dot(d) - std::cos(problem_.view->half_angle) * d.norm();
  }
  double view_scale() const {
    double farthest = 0;
    for (const Vec3& corner : problem_.view->area_n)
      farthest = std::max(farthest, (corner - problem_.start.head<3>()).norm());
    return (1 - std::cos(problem_.view->half_angle)) * farthest;
  }

  const Problem& problem_;
  dynamics::Vehicle vehicle_;
  dynamics::AttainableFacets facets_;
};

/// Limits that the path of x comes near to.
void limit_closely(Problem& problem, Sampling& sampling, const VectorXd& x) {
  problem.thrusters = ThrusterShare{1};
  problem.view = View{Vec3::Zero(),
                      Vec3::UnitZ(),
                      80 * degree,
                      {Vec3(-0.5, -0.5, 2.5), Vec3(0.6, -0.5, 2.5), Vec3(0.6, 0.4, 2.6)}};
  problem.tether = TetherReach{Vec3(-1, 1, 0), Vec3(-0.2, 0.03, -0.1), 30};
  Samples at(sampling.rows());
  sampling.sample(x, at);
  for (const Margin& margin : PathLimits(problem).margins(at, sampling.times())) {
    if (margin.limit == "thrusters") problem.thrusters->share = margin.worst / 0.93;
    if (margin.limit == "view") problem.view->half_angle = (margin.worst + 1) * degree;
    if (margin.limit == "tether") problem.tether->length = 1.02 * margin.worst;
  }
}

/// Which slack of which sample.
struct Near {
  Eigen::Index row;
  std::size_t kind, slack;
};

/// Of each kind the two least of every sample that counts, where they are not far.
std::vector<Near> nearest(const Slacks& slacks, const Samples& at, const Eigen::ArrayXd& mask) {
  std::vector<Near> near;
  for (Eigen::Index i = 0; i < at.size(); ++i) {
    if (mask[i] == 0) continue;
    const auto all = slacks.at(at, i);
    for (std::size_t kind = 0; kind < 3; ++kind) {
      std::vector<std::size_t> order(all[kind].size());
      for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
      std::sort(order.begin(), order.end(),
                [&](std::size_t a, std::size_t b) { return all[kind][a] < all[kind][b]; });
      for (std::size_t k = 0; k < std::min<std::size_t>(2, order.size()); ++k)
        if (all[kind][order[k]] <= PathLimits::far) near.push_back({i, kind, order[k]});
    }
  }
  return near;
}

class Curvature : public testing::TestWithParam<bool> {};

TEST_P(Curvature, IsTheSumOfSquaresOfTheNearestLogSlacks) {
  Problem problem =
      GetParam() ? problem_of("bluerov2-heavy", "vehicle-24") : problem_of("defender-like", "vehicle-23");
  const std::vector<double> durations = {8};
  const std::vector<int> intervals = {8};
  const trajectory::Basis basis = trajectory::spline_basis(durations, intervals);
  const auto moving = static_cast<Eigen::Index>(problem.coordinates().size());
  Sampling sampling(basis, problem.coordinates(), problem.start, problem.end, problem.sampling, true);
  RandomStream random(1, "curvature");
  VectorXd x(sampling.unknowns()), gradient(x.size());
  for (Eigen::Index k = 0; k < x.size(); ++k)
    x[k] = problem.start[problem.coordinates()[static_cast<std::size_t>(k / basis.size())]] +
           random.uniform(-0.3, 0.3);
  limit_closely(problem, sampling, x);

  PathObjective objective(problem, basis);
  ASSERT_TRUE(std::isfinite(objective.evaluate(x, mu, gradient)));
  Dense told(moving, basis.size());
  objective.add_curvature(x, mu, told);

  const Slacks slacks(problem);
  Samples at(sampling.rows());
  sampling.sample(x, at);
  const std::vector<Near> near = nearest(slacks, at, sampling.mask());
  for (std::size_t kind = 0; kind < 3; ++kind)
    EXPECT_TRUE(std::any_of(near.begin(), near.end(), [&](const Near& one) { return one.kind == kind; }));
  const auto logs = [&](const VectorXd& moved) -> VectorXd {
    VectorXd out(static_cast<Eigen::Index>(near.size()));
    sampling.sample(moved, at);
    for (std::size_t k = 0; k < near.size(); ++k)
      out[static_cast<Eigen::Index>(k)] = std::log(slacks.at(at, near[k].row)[near[k].kind][near[k].slack]);
    return out;
  };
  const MatrixXd J = numerical_jacobian(logs, x, 1e-4);
  const MatrixXd expected = mu * J.transpose() * J;
  EXPECT_LT((told.H - expected).norm(), 1e-6 * expected.norm());
  EXPECT_EQ(objective.slack_ratio(), 1);

  // Farther from the anchor: halfway to the limit a slack is less, beyond it less than nothing.
  VectorXd moved = x;
  moved.head(basis.size()).array() += 0.01;
  EXPECT_TRUE(std::isfinite(objective.evaluate(moved, mu, gradient)));
  EXPECT_GT(objective.slack_ratio(), 0);
  EXPECT_LT(objective.slack_ratio(), 1);
  moved.head(basis.size()).array() += 2;
  EXPECT_TRUE(std::isinf(objective.evaluate(moved, mu, gradient)));
  EXPECT_LT(objective.slack_ratio(), 0);
}

INSTANTIATE_TEST_SUITE_P(FourAndSixDegreesOfFreedom, Curvature, testing::Bool());

}  // namespace
}  // namespace fathom::excite::curvature_test
