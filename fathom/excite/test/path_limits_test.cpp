// Limits of a path against linear programs, closed forms and differences.
#include "fathom/excite/path_limits.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/derivative.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"
#include "fathom/dynamics/attainable.hpp"
#include "fathom/dynamics/attainable_facets.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/dynamics/thruster.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::excite::path_limits_test {
namespace {

Problem problem_of(const model::Robot& robot, const std::string& structure) {
  Vec6 start = Vec6::Zero();
  start << 0.1, -0.2, 0.8, 0, 0, 0.3;
  return {"test",
          "",
          "test.yaml",
          robot,
          "",
          model::Environment(),
          model::structure_by_name(structure),
          start,
          start,
          {},
          0.2,
          {},
          Criterion::a_optimal,
          {},
          {},
          {},
          {},
          {},
          {},
          8};
}
Problem bluerov() { return problem_of(dynamics::test::robot_named("bluerov2-heavy"), "vehicle-24"); }
Problem defender() { return problem_of(dynamics::test::robot_named("defender-like"), "vehicle-23"); }

View view_of_floor() {
  return {Vec3(0.1, 0.02, 0.05),
          Vec3(0.1, 0, 2),
          50 * degree,
          {Vec3(-0.5, -0.5, 2.5), Vec3(0.6, -0.5, 2.5), Vec3(0.6, 0.4, 2.6), Vec3(-0.5, 0.4, 2.4)}};
}
TetherReach tether_of_tank() { return {Vec3(-1, 1, 0), Vec3(-0.2, 0.03, -0.1), 3}; }

enum class Kind { thrusters, view, tether, all };

Problem with(Problem problem, Kind kind) {
  if (kind == Kind::thrusters || kind == Kind::all) problem.thrusters = ThrusterShare{0.8};
  if (kind == Kind::view || kind == Kind::all) problem.view = view_of_floor();
  if (kind == Kind::tether || kind == Kind::all) problem.tether = tether_of_tank();
  return problem;
}

/// Within all limits above; no velocity near zero, where drag has kinks, but those that are held.
Samples random_samples(const Problem& problem, Eigen::Index n, RandomStream& random) {
  Samples at(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    at.pose.row(i) = problem.start.transpose().array();
    for (const int c : problem.coordinates()) {
      at.pose(i, c) += random.uniform(-0.2, 0.2);
      at.nu(i, c) = (random.uniform() < 0.5 ? -1 : 1) * random.uniform(0.08, 0.25);
      at.nu_dot(i, c) = random.uniform(-0.2, 0.2);
    }
    const Vec3 rpy = at.pose.row(i).tail<3>().transpose();
    at.down.row(i) = (quaternion_from_euler(rpy).conjugate() * Vec3::UnitZ()).transpose().array();
  }
  return at;
}

/// Everything that a barrier depends on, in one row of columns: pose, nu, nu_dot, down.
Eigen::ArrayXXd joined(const Samples& at) {
  Eigen::ArrayXXd all(at.size(), 21);
  all << at.pose, at.nu, at.nu_dot, at.down;
  return all;
}

class Barrier : public testing::TestWithParam<std::tuple<bool, Kind>> {};

TEST_P(Barrier, DerivativeAgreesWithDifferences) {
  const auto [six, kind] = GetParam();
  RandomStream random(1, "barrier");
  const Problem problem = with(six ? bluerov() : defender(), kind);
  PathLimits limits(problem);
  for (const double share : {0.0, 0.05}) {
    limits.tighten(share);
    const Samples at = random_samples(problem, 4, random);
    Eigen::ArrayXd weight(4);
    weight << 0.7, 0, 1.3, 0.4;
    Samples adjoint(4);
    const double value = limits.barrier(at, weight, &adjoint);
    ASSERT_TRUE(std::isfinite(value));
    EXPECT_EQ(value, limits.barrier(at, weight, nullptr));
    const Eigen::ArrayXXd gradient = joined(adjoint);
    EXPECT_EQ(gradient.row(1).abs().maxCoeff(), 0) << "weight zero";
    EXPECT_EQ(adjoint.rate.abs().maxCoeff() + adjoint.acceleration.abs().maxCoeff(), 0);
    EXPECT_GT(gradient.abs().maxCoeff(), 1e-3);

    std::vector<std::pair<Eigen::Index, Eigen::Index>> moved;  // all but held velocities, on their kink
    for (Eigen::Index i = 0; i < 4; ++i)
      for (Eigen::Index c = 0; c < 21; ++c)
        if (c < 6 || c >= 12 || model::is_free(problem.structure.dof, static_cast<int>(c) - 6))
          moved.emplace_back(i, c);
    Eigen::MatrixXd analytic(1, static_cast<Eigen::Index>(moved.size()));
    for (std::size_t k = 0; k < moved.size(); ++k)
      analytic(0, static_cast<Eigen::Index>(k)) = gradient(moved[k].first, moved[k].second);
    const auto value_at = [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
      Eigen::ArrayXXd all = joined(at);
      for (std::size_t k = 0; k < moved.size(); ++k)
        all(moved[k].first, moved[k].second) += x[static_cast<Eigen::Index>(k)];
      Samples shifted(4);
      shifted.pose = all.leftCols(6);
      shifted.nu = all.middleCols(6, 6);
      shifted.nu_dot = all.middleCols(12, 6);
      shifted.down = all.rightCols(3);
      return Eigen::VectorXd::Constant(1, limits.barrier(shifted, weight, nullptr));
    };
    const DerivativeCheck check =
        check_derivative(value_at, Eigen::VectorXd::Zero(analytic.cols()), analytic, 0.004, 1e-8);
    EXPECT_TRUE(check.ok) << check.text();
  }
}

INSTANTIATE_TEST_SUITE_P(Limits, Barrier,
                         testing::Combine(testing::Bool(), testing::Values(Kind::thrusters, Kind::view,
                                                                           Kind::tether, Kind::all)));

std::vector<model::ForceRange> scaled_limits(const Problem& problem) {
  std::vector<model::ForceRange> limits;
  for (const model::Thruster& thruster : problem.robot.thrusters()) {
    const model::ForceRange range = dynamics::ThrusterModel(thruster, 1000).force_range();
    limits.push_back({problem.thrusters->share * range.min, problem.thrusters->share * range.max});
  }
  return limits;
}

/// By the state of the vehicle, not by the motion as the limit does.
Vec6 wrench_at(const Problem& problem, const Samples& at, Eigen::Index i) {
  const dynamics::Vehicle vehicle(problem.robot, problem.environment);
  dynamics::State state;
  state.q_nb = quaternion_from_euler(at.pose.row(i).tail<3>().transpose());
  state.nu_b = at.nu.row(i).transpose();
  return dynamics::inverse_dynamics(vehicle, state, at.nu_dot.row(i).transpose());
}

TEST(PathLimits, SumOverFacetsAndBatchesOfSamples) {
  RandomStream random(2, "barrier");
  const Problem problem = with(bluerov(), Kind::thrusters);
  PathLimits limits(problem);
  limits.tighten(0.1);
  const Eigen::Index n = 150;
  const Samples at = random_samples(problem, n, random);
  Eigen::ArrayXd weight(n);
  for (double& w : weight) w = random.uniform() < 0.2 ? 0 : random.uniform(0.5, 1);
  weight.tail(3) = 0;
  const auto facets =
      dynamics::attainable_facets(model::allocation_matrix(problem.robot), scaled_limits(problem));
  double expected = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::VectorXd x = facets.N * wrench_at(problem, at, i);
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      const double scale = (facets.upper[k] - facets.lower[k]) / 2;
      expected -= weight[i] * (std::log((facets.upper[k] - x[k]) / scale - 0.1) +
                               std::log((x[k] - facets.lower[k]) / scale - 0.1));
    }
  }
  EXPECT_NEAR(limits.barrier(at, weight, nullptr), expected, 1e-11 * std::abs(expected));

  // The derivative of all is that of each alone, added to what is there.
  Samples together(n), apart(n);
  together.nu.setConstant(3);
  limits.barrier(at, weight, &together);
  for (Eigen::Index i = 0; i < n; ++i) {
    Eigen::ArrayXd one = Eigen::ArrayXd::Zero(n);
    one[i] = weight[i];
    limits.barrier(at, one, &apart);
  }
  apart.nu += 3;
  EXPECT_LE((joined(together) - joined(apart)).abs().maxCoeff(), 1e-12 * joined(apart).abs().maxCoeff());
}

/// Six-axis wrenches, less the rows that do not count.
double used_share(const Problem& problem, std::span<const int> axes, const Vec6& tau) {
  const Mat6X B = model::allocation_matrix(problem.robot);
  Mat6X kept = Mat6X::Zero(6, B.cols());
  Vec6 wanted = Vec6::Zero();
  for (const int axis : axes) {
    kept.row(axis) = B.row(axis);
    wanted[axis] = tau[axis];
  }
  return 1 / *dynamics::AttainableWrench(kept, scaled_limits(problem)).largest_scale(wanted);
}

void expect_thruster_margin(const Problem& problem, std::span<const int> axes, RandomStream& random) {
  const PathLimits limits(problem);
  int broken = 0, kept = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    Samples at = random_samples(problem, 5, random);
    at.nu *= 1 + 0.5 * repeat;
    at.nu_dot *= 1 + 0.5 * repeat;
    double worst = 0, when = 0;
    for (Eigen::Index i = 0; i < 5; ++i) {
      const double used = used_share(problem, axes, wrench_at(problem, at, i));
      if (used > worst) when = 0.2 * static_cast<double>(i);
      worst = std::max(worst, used);
    }
    const auto margins = limits.margins(at, Eigen::ArrayXd::LinSpaced(5, 0, 0.8));
    ASSERT_EQ(margins.size(), 1u);
    EXPECT_NEAR(margins[0].worst, worst, 1e-7 * worst);
    EXPECT_NEAR(margins[0].margin, 1 - worst, 1e-7 * worst);
    EXPECT_NEAR(margins[0].t, when, 1e-12);
    EXPECT_EQ(std::isfinite(limits.barrier(at, Eigen::ArrayXd::Ones(5), nullptr)), worst < 1);
    (worst < 1 ? kept : broken) += 1;
  }
  EXPECT_GT(kept, 0);
  EXPECT_GT(broken, 0);
}

TEST(PathLimits, ThrusterMarginIsThatOfTheLinearProgram) {
  RandomStream random(3, "margins");
  expect_thruster_margin(with(bluerov(), Kind::thrusters), dynamics::all_axes, random);
}

/// One thruster at the origin that pushes down, up to 40 N, and not up; the robot comes up by itself.
Problem with_one_way_thruster() {
  Problem problem = with(defender(), Kind::thrusters);
  model::RobotSpec spec = problem.robot.spec();
  const auto is_vertical = [](const model::Thruster& t) { return std::abs(t.axis_b().z()) > 0.5; };
  model::Thruster down = *std::find_if(spec.thrusters.begin(), spec.thrusters.end(), is_vertical);
  std::erase_if(spec.thrusters, is_vertical);
  down.position_b.value.setZero();
  down.direction_b.value = Vec3::UnitZ();
  down.force.emplace().value = {0, 40};
  down.map.reset();
  down.map_name.clear();
  spec.thrusters.push_back(down);
  problem.robot = model::Robot::make(spec);
  return problem;
}

TEST(PathLimits, ThrustersThatPushOneWayHaveAMarginAtZero) {
  const Problem problem = with_one_way_thruster();
  const PathLimits limits(problem);
  const double half_width = 0.8 * 40 / 2;  // N
  Samples at(1);
  at.down(0, 2) = 1;
  const Eigen::ArrayXd one = Eigen::ArrayXd::Ones(1);
  const double buoyancy = wrench_at(problem, at, 0)[2];  // N, what holds it down
  ASSERT_GT(buoyancy, 0.5);
  const double mass = dynamics::Vehicle(problem.robot, problem.environment).M()(2, 2);
  for (const double heave : {0.0, -0.5 * buoyancy, -0.999 * buoyancy, -1.001 * buoyancy, -3 * buoyancy}) {  // N
    at.nu_dot(0, 2) = heave / mass;
    const Margin margin = limits.margins(at, one)[0];
    EXPECT_NEAR(margin.margin, (buoyancy + heave) / half_width, 1e-9) << heave;
    EXPECT_EQ(margin.margin < 0, std::isinf(limits.barrier(at, one, nullptr))) << heave;
  }
  for (const double rounding : {-1e-15, 0.0, 1e-15}) {  // touches zero
    at.nu_dot(0, 2) = -buoyancy / mass * (1 + rounding);
    EXPECT_EQ(limits.margins(at, one)[0].margin, 0) << rounding;
  }
  at.nu_dot(0, 2) = (0.9 * 32 - buoyancy) / mass;  // down, where a share means something
  EXPECT_NEAR(limits.margins(at, one)[0].margin, 0.1, 1e-9);
  at.nu_dot(0, 2) = std::nan("");
  EXPECT_FALSE(limits.margins(at, one)[0].margin >= 0);
}

TEST(PathLimits, HeldAxesDoNotCountWhereThrustersCannotPushThem) {
  RandomStream random(4, "margins");
  Problem problem = with(defender(), Kind::thrusters);
  model::RobotSpec spec = problem.robot.spec();
  std::erase_if(spec.thrusters, [](const model::Thruster& t) { return t.axis_b().z() != 0; });
  model::Thruster vertical = problem.robot.thrusters().front();
  vertical.name = "vertical";
  vertical.position_b.value = Vec3(0.1, 0, 0);
  vertical.direction_b.value = Vec3::UnitZ();
  spec.thrusters.push_back(vertical);
  problem.robot = model::Robot::make(spec);
  const std::array<int, 4> free = {0, 1, 2, 5};
  expect_thruster_margin(problem, free, random);
}

TEST(PathLimits, ViewAndTetherInClosedForm) {
  Problem problem = bluerov();
  // A camera straight down, 2 m above a corner 0.7 m away; the tether's end 3 m from its anchor.
  problem.start = problem.end = Vec6::Zero();
  problem.view = View{Vec3::Zero(), Vec3::UnitZ(), 40 * degree, {Vec3(0.1, 0, 2), Vec3(0, -0.7, 2)}};
  problem.tether = TetherReach{Vec3(0, 0, -3), Vec3::Zero(), 4};
  const PathLimits limits(problem);
  Samples at(3);
  at.pose(1, 2) = 0.5;          // nearer: the angle grows, and the distance from the anchor
  at.pose(2, 3) = 15 * degree;  // rolled to starboard: the camera looks to port, where the corner is
  const Eigen::ArrayXd t = Eigen::ArrayXd::LinSpaced(3, 0, 2);
  auto margins = limits.margins(at, t);
  ASSERT_EQ(margins.size(), 2u);
  EXPECT_EQ(margins[0].limit, "view");
  EXPECT_EQ(margins[0].unit, "deg");
  EXPECT_NEAR(margins[0].worst, std::atan2(0.7, 1.5) / degree, 1e-10);
  EXPECT_NEAR(margins[0].bound, 40, 1e-12);
  EXPECT_EQ(margins[0].t, 1);
  EXPECT_EQ(margins[1].limit, "tether");
  EXPECT_NEAR(margins[1].worst, 3.5, 1e-12);
  EXPECT_NEAR(margins[1].margin, 0.5, 1e-12);
  EXPECT_EQ(margins[1].t, 1);

  const auto barrier_of = [&](double roll, double z) {
    Samples one(1);
    one.pose(0, 3) = roll;
    one.pose(0, 2) = z;
    return limits.barrier(one, Eigen::ArrayXd::Ones(1), nullptr);
  };
  const double outer = std::atan2(0.7, 2);
  const double toward = 15 * degree, away = -15 * degree;
  at.pose.setZero();
  at.pose(0, 3) = toward;
  EXPECT_NEAR(limits.margins(at, t)[0].worst, outer / degree, 1e-10) << "the others are level";
  at.pose.col(3).setConstant(away);
  EXPECT_NEAR(limits.margins(at, t)[0].worst, outer / degree + 15, 1e-10);
  // The cone's edge, just inside and just outside; likewise the tether's.
  EXPECT_TRUE(std::isfinite(barrier_of(-(40 * degree - outer) + 1e-9, 0)));
  EXPECT_TRUE(std::isinf(barrier_of(-(40 * degree - outer) - 1e-9, 0)));
  EXPECT_TRUE(std::isinf(barrier_of(std::numbers::pi, 0))) << "the camera looks up";
  EXPECT_TRUE(std::isinf(barrier_of(0, 1.3))) << "outside the cone and the tether";
  EXPECT_TRUE(std::isinf(barrier_of(0, -7.1))) << "too far on the other side";
  EXPECT_TRUE(std::isfinite(barrier_of(0, -6.9)));
  EXPECT_TRUE(std::isinf(barrier_of(std::nan(""), 0)));
}

TEST(PathLimits, TightenMovesEachLimitByAShareOfItsScale) {
  Problem problem = with(bluerov(), Kind::tether);
  problem.tether = TetherReach{problem.start.head<3>(), Vec3::Zero(), 2};
  PathLimits limits(problem);
  Samples at(1);
  const auto barrier_at = [&](double distance) {
    at.pose.row(0) = problem.start.transpose().array();
    at.pose(0, 0) += distance;
    return limits.barrier(at, Eigen::ArrayXd::Ones(1), nullptr);
  };
  EXPECT_NEAR(barrier_at(1), -std::log(0.75), 1e-14);
  limits.tighten(0.3);
  limits.tighten(0.19);  // not on top of the last
  EXPECT_NEAR(barrier_at(1), -std::log(0.75 - 0.19), 1e-14);
  EXPECT_TRUE(std::isfinite(barrier_at(1.8 - 1e-9)));  // (1.8 / 2)^2 = 1 - 0.19
  EXPECT_TRUE(std::isinf(barrier_at(1.8 + 1e-9)));
  EXPECT_NEAR(limits.margins(at, Eigen::ArrayXd::Zero(1))[0].margin, 0.2, 1e-6) << "to the problem's limit";
  EXPECT_THROW(limits.tighten(1), InputError);
  EXPECT_THROW(limits.tighten(-0.1), InputError);

  problem.tether->anchor_n.x() += 1.5;
  PathLimits near(problem);
  EXPECT_THROW(near.tighten(0.5), InputError) << "the start would be outside";
  barrier_at(0);
  EXPECT_TRUE(std::isfinite(near.barrier(at, Eigen::ArrayXd::Ones(1), nullptr))) << "and nothing has changed";
}

TEST(PathLimits, WithoutLimits) {
  const PathLimits limits(bluerov());
  EXPECT_TRUE(limits.empty());
  EXPECT_EQ(limits.barrier(Samples(3), Eigen::ArrayXd::Ones(3), nullptr), 0);
  EXPECT_TRUE(limits.margins(Samples(3), Eigen::ArrayXd::Ones(3)).empty());
  EXPECT_THROW(limits.barrier(Samples(3), Eigen::ArrayXd::Ones(2), nullptr), InputError);
}

std::vector<std::string> errors_of(const Problem& problem) {
  std::vector<std::string> texts;
  try {
    const PathLimits limits(problem);
  } catch (const InputError& error) {
    for (const auto& p : error.findings()) texts.push_back(p.text());
  }
  return texts;
}
std::string error_of(const Problem& problem) {
  const auto texts = errors_of(problem);
  return texts.empty() ? "" : texts.front();
}

TEST(PathLimits, SayWhatIsWrongWithThemselves) {
  Problem problem = with(bluerov(), Kind::all);
  EXPECT_EQ(error_of(problem), "");
  problem.thrusters->share = 1.5;
  problem.view->half_angle = 86 * degree;
  problem.tether->length = -1;
  EXPECT_EQ(
      errors_of(problem),
      (std::vector<std::string>{
          "test.yaml: thrusters.share = 1.5, must be above 0 and at most 1",
          "test.yaml: view.half_angle = 86 deg, must be above 0 and at most 85 (half of the opening angle)",
          "test.yaml: tether.length = -1 m, must be positive and finite"}));
  problem = with(bluerov(), Kind::view);
  problem.view->axis_b.setZero();
  EXPECT_EQ(error_of(problem),
            "test.yaml: view.axis is zero (where the camera looks, such as [0, 0, 1] for straight down)");
  problem = with(bluerov(), Kind::view);
  problem.view->area_n.clear();
  EXPECT_EQ(error_of(problem), "test.yaml: view.area has no corners, must have at least one");
  problem = with(bluerov(), Kind::tether);
  problem.tether->anchor_n.x() = std::nan("");
  EXPECT_EQ(error_of(problem), "test.yaml: tether.anchor = [nan, 1, 0], must be finite");
}

TEST(PathLimits, SayWhichThrustersAreMissing) {
  Problem problem = with(bluerov(), Kind::thrusters);
  model::RobotSpec spec = problem.robot.spec();
  std::erase_if(spec.thrusters, [](const model::Thruster& t) { return t.axis_b().z() != 0; });
  problem.robot = model::Robot::make(spec);
  EXPECT_EQ(
      error_of(problem),
      "test.yaml: thrusters of bluerov2-heavy cannot push heave, roll, pitch by themselves, which "
      "vehicle-24 leaves free (take a structure with fewer degrees of freedom, or leave out `thrusters`)");
  spec.thrusters.resize(1);
  spec.thrusters[0].force.reset();
  spec.thrusters[0].map.reset();
  spec.thrusters[0].map_name.clear();
  problem.robot = model::Robot::make(spec);
  EXPECT_EQ(
      error_of(problem),
      "test.yaml: thrusters are limited, but thruster front_starboard of bluerov2-heavy has no force limit "
      "(the robot file needs `force` or a map for it)");
  spec.thrusters.clear();
  problem.robot = model::Robot::make(spec);
  EXPECT_EQ(
      error_of(problem),
      "test.yaml: thrusters are limited, but bluerov2-heavy has 0, must have 1 to 16 (leave out `thrusters`, "
      "or take a robot with them)");
}

TEST(PathLimits, SayWhereRestAtAnEndBreaksThem) {
  Problem problem = with(bluerov(), Kind::all);
  problem.end.head<3>() = Vec3(2.5, 1, 0.8);
  const auto texts = errors_of(problem);
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_EQ(texts[0].rfind("test.yaml: view at rest at the end: ", 0), 0u) << texts[0];
  EXPECT_NE(texts[0].find("deg, must be below 50 (a smaller area"), std::string::npos) << texts[0];
  EXPECT_EQ(texts[1].rfind("test.yaml: tether at rest at the end: 3.", 0), 0u) << texts[1];

  // 200 kg more than it displaces: 1962 N down; four thrusters hold 0.8 x 51.4 N each up.
  problem = with(bluerov(), Kind::thrusters);
  model::RobotSpec spec = problem.robot.spec();
  spec.hull.mass.value += 200 - 0.1;
  problem.robot = model::Robot::make_unchecked(spec);
  EXPECT_EQ(errors_of(problem).size(), 1u) << "start and end are one";
  EXPECT_EQ(
      error_of(problem).rfind("test.yaml: thrusters at rest at the start: 11.93 of the attainable wrench, "
                              "must be below 1",
                              0),
      0u)
      << error_of(problem);
}

}  // namespace
}  // namespace fathom::excite::path_limits_test
