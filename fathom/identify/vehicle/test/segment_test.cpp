#include "fathom/identify/vehicle/internal/segment.hpp"

#include <gtest/gtest.h>

#include "fathom/base/derivative.hpp"
#include "fathom/consistency/constraints.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/identify/vehicle/internal/segment_costs.hpp"
#include "fathom/identify/vehicle/prediction.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"
#include "fathom/model/candidates.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::identify::internal::segment_test {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using model::Dof;

const model::Robot& robot() { return dynamics::test::robot_named("bluerov2-heavy"); }

VectorXd truth(const model::Robot& of, const model::Structure& structure) {
  return model::parameters_of(of, model::Environment(), structure).parameters.values();
}

TEST(VelocityModel, IsTheForwardDynamicsOfEveryRobotThatTheStructureHolds) {
  RandomStream random(1, "velocity model");
  int compared = 0;
  for (const auto& [name, of] : dynamics::test::all_robots())
    for (const Dof dof : {Dof::four, Dof::six}) {
      const model::Structure full = model::full_structure(dof);
      if (!model::parameters_of(of, model::Environment(), full).left_out.empty()) continue;
      const VectorXd theta = truth(of, full);
      const dynamics::Vehicle vehicle(of, model::Environment(), dof);
      const auto free = model::free_indices(dof);
      const VelocityModel mine(full, theta.data());
      dynamics::State state = dynamics::test::random_state(random);
      if (dof == Dof::four) state.q_nb = Quat::Identity();
      for (int i = 0; i < 6; ++i)
        if (!model::is_free(dof, i)) state.nu_b[i] = 0;
      const Vec6 tau = dynamics::test::random_vec6(random, 10);
      const Vec6 expected = dynamics::forward_dynamics(vehicle, state, tau);
      const FreeVector got = mine.rate(state.nu_b(free), state.q_nb.conjugate() * Vec3::UnitZ(), tau(free));
      EXPECT_LT((got - expected(free)).norm(), 1e-9 * (1 + expected.norm())) << name;
      ++compared;
    }
  EXPECT_GE(compared, 4);
}

TEST(VelocityModel, WithoutInertiaCannotRun) {
  const model::Structure structure = model::candidate("diagonal", robot());
  EXPECT_FALSE(
      VelocityModel(structure, VectorXd::Zero(static_cast<Index>(structure.size())).eval().data()).can_run());
}

Recording rolling_swim(Dof dof) {
  const Vec6 size = (Vec6() << 12, 12, 12, 2, 2, 2).finished();
  return test::swim(dynamics::Vehicle(robot(), model::Environment(), dof), test::sinusoids(3, size), 12, 0.04);
}

/// All unknowns of a shot in the order of the Jacobian's columns.
struct Point {
  VectorXd x;
  Index parameters;
  SegmentUnknowns unknowns() const {
    const double* at = x.data() + parameters;
    return {x.data(), at, at + 1, at + 3};
  }
};

Point point_of(const model::Structure& structure, const Segment& segment) {
  const auto n = static_cast<Index>(structure.size());
  VectorXd x(n + 3 + segment.rows());
  x << truth(robot(), structure), 0.113, 0.03, -0.02, segment.measured_start({0.03, -0.02});
  return {x, n};
}

class SegmentOf : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Structures, SegmentOf, testing::Values("cross", "6dof"),
                         [](const auto& tested) { return tested.index == 0 ? "FourDof" : "SixDof"; });

TEST_P(SegmentOf, DerivativesAreThoseOfDifferences) {
  const model::Structure structure = model::candidate(GetParam(), robot());
  const std::vector<Recording> recordings = {rolling_swim(structure.dof)};
  OutputErrorOptions options;
  options.segment = 5;
  const std::vector<Segment> segments = make_segments(structure, recordings, options);
  ASSERT_GE(segments.size(), 2u);
  const Segment& segment = segments[1];
  const Point point = point_of(structure, segment);
  SegmentRunner runner(structure, segment);
  Eigen::MatrixXd predicted(segment.rows(), segment.samples()), jacobian;
  ASSERT_TRUE(runner.run(point.unknowns(), predicted, &jacobian));
  ASSERT_EQ(jacobian.cols(), point.x.size());
  const auto at = [&](const VectorXd& x) -> VectorXd {
    Eigen::MatrixXd nu(segment.rows(), segment.samples());
    EXPECT_TRUE(runner.run(Point{x, point.parameters}.unknowns(), nu, nullptr));
    return nu.reshaped();
  };
  // Velocities cross zero, where |nu| nu has no second derivative, and the wrench is linear between samples.
  const DerivativeCheck check = check_derivative(at, point.x, jacobian, 1e-3, 1e-6);
  EXPECT_TRUE(check.ok) << check.text();
}

TEST_P(SegmentOf, RunsAsThePredictionOfTheSameVehicleDoes) {
  const model::Structure structure = model::candidate(GetParam(), robot());
  const dynamics::Vehicle vehicle(robot(), model::Environment(), structure.dof);
  const std::vector<Recording> recordings = {rolling_swim(structure.dof)};
  const std::vector<Segment> segments = make_segments(structure, recordings, {});
  const VectorXd theta = truth(robot(), structure);
  for (const Segment& segment : segments) {
    const VectorXd nu_r = segment.measured_start(Eigen::Vector2d::Zero());
    const double zeros[2] = {0, 0};
    Eigen::MatrixXd predicted(segment.rows(), segment.samples());
    ASSERT_TRUE(
        SegmentRunner(structure, segment).run({theta.data(), zeros, zeros, nu_r.data()}, predicted, nullptr));
    EXPECT_LT((predicted - segment.measured).cwiseAbs().maxCoeff(), 1e-3);
  }
}

TEST(Segments, AreBlurredAsTheRecordingIs) {
  const model::Structure structure = model::candidate("diagonal", robot());
  std::vector<Recording> recordings = {rolling_swim(Dof::four)};
  filter::Track& track = recordings[0].track;
  constexpr double rate = 2;  // rad/s; the blur leaves exp(-rate^2 blur^2 / 2) of it
  for (Index k = 0; k < track.size(); ++k)
    track.nu_b.col(k).setConstant(std::sin(rate * track.dt * static_cast<double>(k)));
  const OutputErrorOptions options;
  for (const Segment& segment : make_segments(structure, recordings, options))
    for (Index sample = 0; sample < segment.samples(); ++sample) {
      const Index middle = segment.first + 2 * (sample * segment.stride + segment.blur.size() / 2);
      const double left = std::exp(-0.5 * std::pow(rate * options.blur, 2));
      EXPECT_NEAR(segment.measured(0, sample), left * std::sin(rate * track.dt * static_cast<double>(middle)),
                  2e-3);
    }
}

TEST(InnovationsLong, AreWhiteWhereResidualsRememberOneSample) {
  RandomStream random(4, "residuals");
  const Eigen::Matrix2d A = (Eigen::Matrix2d() << 0.8, 0.1, -0.2, 0.5).finished();
  const Eigen::Matrix2d L = (Eigen::Matrix2d() << 0.3, 0, 0.1, 0.02).finished();
  std::vector<Eigen::MatrixXd> residuals;
  for (int segment = 0; segment < 20; ++segment) {
    Eigen::MatrixXd r(2, 200);
    Eigen::Vector2d now(0, 0);
    for (Index k = 0; k < r.cols(); ++k) {
      now = A * now + L * Eigen::Vector2d(random.normal(), random.normal());
      r.col(k) = now;
    }
    residuals.push_back(r);
  }
  const Innovations innovations(residuals, Eigen::Vector2d(10, 10));
  // Two columns that are the unit vectors, one sample after the other: W, then -W A.
  Eigen::MatrixXd units = Eigen::MatrixXd::Zero(4, 4);
  units.bottomLeftCorner<2, 2>().setIdentity();
  units.topRightCorner<2, 2>().setIdentity();
  const Eigen::MatrixXd filters = innovations.of(units);
  const Eigen::Matrix2d W = filters.leftCols<2>();
  EXPECT_LT((W * L * L.transpose() * W.transpose() - Eigen::Matrix2d::Identity()).norm(), 0.08);
  EXPECT_LT((W.inverse() * filters.rightCols<2>() + A).norm(), 0.08 * 4);
  EXPECT_EQ(innovations.rows_of(200), 398);
  // Sigmas are not above what they may be.
  const Innovations held(residuals, Eigen::Vector2d(0.03, 10));
  EXPECT_GT(held.of(units).leftCols<2>().row(0).norm(), 1 / 0.031);
}

TEST(Segments, KeepOutOfGapsAndStandInRowsWithoutDoubleSamples) {
  const model::Structure structure = model::candidate("diagonal", robot());
  std::vector<Recording> recordings = {
      test::swim(dynamics::Vehicle(robot(), model::Environment(), Dof::four), test::sinusoids(3), 40, 0.04)};
  for (std::size_t k = 500; k < 530; ++k) recordings[0].usable[k] = 0;  // 20 s to 21.2 s
  const std::vector<Segment> segments = make_segments(structure, recordings, {});
  int begin = 0;
  for (std::size_t k = 0; k < segments.size(); ++k) {
    const Index last = segments[k].first + 2 * segments[k].steps();
    EXPECT_GE(segments[k].first, 25);  // the longest delay
    EXPECT_TRUE(last < 500 || segments[k].first >= 530);
    EXPECT_LT(last, 1001);
    if (!segments[k].begins) {
      EXPECT_GT(segments[k].first, segments[k - 1].first + 2 * segments[k - 1].steps());
    } else {
      ++begin;
    }
  }
  EXPECT_EQ(begin, 2);
  EXPECT_EQ(segments.size(), 4u);
}

TEST(ConstraintBarrier, IsTheTraceOfTheInverseWithItsDerivative) {
  solve::ConicSet set;
  set.unknowns = 3;
  set.matrices.push_back({"S", Eigen::Matrix2d::Identity(), {{0, 0, 0, 1}, {1, 0, 1, 0.5}, {2, 1, 1, 2}}});
  set.scalars.push_back({"s", 0.3, {{1, 2}}});
  const ConstraintBarrier barrier(set, 0.02);
  const VectorXd x = Eigen::Vector3d(0.4, 0.7, -0.1);
  const auto at = [&](const VectorXd& y) -> VectorXd {
    VectorXd r(barrier.num_residuals());
    const double* const blocks[] = {y.data()};
    EXPECT_TRUE(barrier.Evaluate(blocks, r.data(), nullptr));
    return r;
  };
  const Eigen::Matrix2d S = (Eigen::Matrix2d() << 1.4, 0.35, 0.35, 0.8).finished();
  EXPECT_NEAR(at(x).squaredNorm(), 0.02 * (S.inverse().trace() + 1 / 1.7), 1e-14);

  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> jacobian(barrier.num_residuals(), 3);
  VectorXd r(barrier.num_residuals());
  const double* const blocks[] = {x.data()};
  double* jacobians[] = {jacobian.data()};
  ASSERT_TRUE(barrier.Evaluate(blocks, r.data(), jacobians));
  const DerivativeCheck check = check_derivative(at, x, jacobian);
  EXPECT_TRUE(check.ok) << check.text();

  // Slopes of the barrier and of its curvature together, squared: those of its gradient, where S is diagonal.
  const VectorXd y = Eigen::Vector3d(0.4, 0, -0.1);
  const auto gradient = [&](const VectorXd& z) -> VectorXd {
    const double* const at_z[] = {z.data()};
    EXPECT_TRUE(barrier.Evaluate(at_z, r.data(), jacobians));
    return jacobian.transpose() * r;
  };
  const double* const at_y[] = {y.data()};
  const BarrierCurvature curvature(barrier);
  ASSERT_TRUE(barrier.Evaluate(at_y, r.data(), jacobians));
  Eigen::MatrixXd squares = jacobian.transpose() * jacobian;
  ASSERT_TRUE(curvature.Evaluate(at_y, r.data(), jacobians));
  EXPECT_EQ(r, VectorXd::Zero(r.size()));
  squares += jacobian.transpose() * jacobian;
  squares.row(1).setZero();  // it couples the two entries of S, which do not commute
  squares.col(1).setZero();
  const auto along = [&](const VectorXd& z) -> VectorXd {
    VectorXd g = gradient(Eigen::Vector3d(z[0], 0, z[2]));
    g[1] = 0;
    return g;
  };
  const DerivativeCheck second = check_derivative(along, y, squares);
  EXPECT_TRUE(second.ok) << second.text();

  const double outside[] = {-2, 0, 0};
  const double* const outer[] = {outside};
  EXPECT_FALSE(barrier.Evaluate(outer, r.data(), nullptr));
}

TEST(ConstraintBarrier, StartsFromInside) {
  solve::ConicSet set;
  set.unknowns = 2;
  set.matrices.push_back({"S", Eigen::Matrix2d::Zero(), {{0, 0, 0, 1}, {1, 1, 1, 1}}});
  const VectorXd edge = moved_inside(set, Eigen::Vector2d(2, 1e-12));
  EXPECT_NEAR(edge[0], 2, 1e-3);
  EXPECT_GT(edge[1], 0.029);
  EXPECT_LT(edge[1], 0.031);
  EXPECT_EQ(moved_inside(set, Eigen::Vector2d(2, 1)), Eigen::Vector2d(2, 1));
}

}  // namespace
}  // namespace fathom::identify::internal::segment_test
