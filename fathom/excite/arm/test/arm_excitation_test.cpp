#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/test/arms.hpp"
#include "fathom/excite/arm/accuracy.hpp"
#include "fathom/excite/arm/internal/objective.hpp"
#include "fathom/model/shaft_motion.hpp"
#include "fathom/model_file/arm_file.hpp"

namespace fathom::excite::arm_excitation_test {
namespace {

using internal::RegressorSweep;

model::Arm ariane() { return model::read_arm(FATHOM_ROBOTS_DIR "/../arms/ariane.yaml"); }

/// The first three joints of Ariane's arm.
model::Arm three_joints() {
  model::ArmSpec spec = ariane().spec();
  spec.joints.pop_back(), spec.links.pop_back();
  return model::Arm::make(spec);
}

ArmProblem motor_problem() {
  ArmProblem problem(three_joints());
  problem.medium = dynamics::Medium::air;
  problem.columns.motor = true;
  problem.space = ArmSpace::motor;
  problem.in_current = true;
  return problem;
}

/// All friction columns, limits of efforts, the joints' own space.
ArmProblem joint_problem() {
  ArmProblem problem(three_joints());
  problem.medium = dynamics::Medium::air;
  problem.columns.viscous = problem.columns.offset = problem.columns.motor = true;
  problem.columns.coulomb = dynamics::ArmColumns::Coulomb::by_direction;
  model::ArmSpec spec = problem.arm.spec();
  for (model::Joint& joint : spec.joints) joint.limits.effort = 400, joint.limits.acceleration = 1;
  problem.arm = model::Arm::make(spec);
  return problem;
}

dynamics::ArmColumns every_column() {
  dynamics::ArmColumns columns;
  columns.viscous = columns.offset = columns.motor = true;
  columns.coulomb = dynamics::ArmColumns::Coulomb::by_direction;
  return columns;
}

/// Everything at once, and each of what water adds by itself, with rigid links and without.
std::vector<dynamics::ArmColumns> sets_of_columns() {
  std::vector<dynamics::ArmColumns> sets(5, every_column());
  sets[1].buoyancy = sets[1].added_mass = sets[1].drag = true;
  sets[2].buoyancy = true;
  sets[3].added_mass = true, sets[3].rigid = false;
  sets[4].drag = true;
  return sets;
}

RegressorSweep::Sample random_sample(const RegressorSweep& sweep, RandomStream& random) {
  RegressorSweep::Sample sample = sweep.sample();
  for (std::size_t j = 0; j < sample.q.size(); ++j) {
    sample.q[j] = random.uniform(-0.5, 0.5);
    sample.dq[j] = random.uniform(-1, 1);
    sample.ddq[j] = random.uniform(-2, 2);
  }
  return sample;
}

TEST(ArmExcitation, SweepGivesTheRowsOfTheRegressor) {
  RandomStream random(1, "sweep");
  const Vec3 down = Vec3(0.3, -0.2, 1).normalized();
  std::vector<model::Arm> arms = dynamics::test::random_arms();
  arms.push_back(ariane());
  for (const dynamics::ArmColumns& columns : sets_of_columns())
    for (const model::Arm& robot : arms) {
      const dynamics::Arm arm(robot, model::Environment(), dynamics::Medium::water);
      const RegressorSweep sweep(arm, columns, down, std::vector<double>(arm.size(), 0));
      RegressorSweep::Sample sample = random_sample(sweep, random);
      if (robot.name() == "ariane")
        for (std::size_t j = 0; j < 4; ++j) sample.q[j] += model::middle_of_range(robot.joints()[j].limits);
      const auto n = static_cast<Eigen::Index>(arm.size()), count = static_cast<Eigen::Index>(sweep.columns());
      Eigen::MatrixXd Y(n, count), expected(n, count);
      sweep.rows(sample, Y);
      dynamics::ArmWorkspace workspace(arm);
      dynamics::Motion base;
      base.down_b = down;
      dynamics::arm_regressor(arm, columns, base, sample.q, sample.dq, sample.ddq, workspace, expected);
      EXPECT_LT((Y - expected).norm(), 1e-12 * expected.norm()) << robot.name();
    }
}

TEST(ArmExcitation, WayBackIsTheDerivative) {
  RandomStream random(2, "sweep back");
  std::vector<model::Arm> arms = dynamics::test::random_arms();
  arms.push_back(ariane());
  for (const dynamics::ArmColumns& columns : sets_of_columns())
    for (const model::Arm& robot : arms) {
      const dynamics::Arm arm(robot, model::Environment(), dynamics::Medium::water);
      const std::size_t n = arm.size();
      const RegressorSweep sweep(arm, columns, Vec3::UnitX(), std::vector<double>(n, 0.3));
      RegressorSweep::Sample sample = random_sample(sweep, random);
      if (robot.name() == "ariane")
        for (std::size_t j = 0; j < 4; ++j) sample.q[j] += model::middle_of_range(robot.joints()[j].limits);
      Eigen::MatrixXd Y(n, sweep.columns()), Z(n, sweep.columns());
      sweep.rows(sample, Y);
      for (double& z : Z.reshaped()) z = random.uniform(-1, 1);
      std::vector<double> by_q(n, 0), by_dq(n, 0), by_ddq(n, 0);
      sweep.pull_back(sample, Z, by_q, by_dq, by_ddq);
      const auto check = [&](std::vector<double> RegressorSweep::Sample::*which,
                             const std::vector<double>& by) {
        for (std::size_t j = 0; j < n; ++j) {
          const double h = 1e-5;
          RegressorSweep::Sample moved = sample;
          (moved.*which)[j] += h;
          sweep.rows(moved, Y);
          const double above = Z.cwiseProduct(Y).sum();
          (moved.*which)[j] -= 2 * h;
          sweep.rows(moved, Y);
          const double below = Z.cwiseProduct(Y).sum();
          EXPECT_NEAR(by[j], (above - below) / (2 * h), 1e-6 * std::max(1.0, std::abs(above))) << robot.name();
        }
      };
      check(&RegressorSweep::Sample::q, by_q);
      check(&RegressorSweep::Sample::dq, by_dq);
      check(&RegressorSweep::Sample::ddq, by_ddq);
    }
}

void expect_gradient(const ArmProblem& problem) {
  const ArmDesigner designer(problem);
  const auto objective = designer.objective();
  const Eigen::VectorXd x = designer.random_motion(3, 0);
  Eigen::VectorXd gradient(x.size()), spare(x.size());
  const double mu = 0.1;
  ASSERT_TRUE(std::isfinite(objective->evaluate(x, mu, gradient)));
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double h = 1e-5;
    Eigen::VectorXd moved = x;
    moved[i] += h;
    const double above = objective->evaluate(moved, mu, spare);
    moved[i] -= 2 * h;
    const double below = objective->evaluate(moved, mu, spare);
    EXPECT_NEAR(gradient[i], (above - below) / (2 * h), 1e-4 * std::max(1.0, gradient.norm())) << i;
  }
}

/// In water, drag to be shown, efforts limited: the sweep has more columns than the criterion.
ArmProblem water_problem() {
  ArmProblem problem(model::read_arm(FATHOM_ROBOTS_DIR "/../arms/reach-alpha-5.yaml"));
  problem.down_b = -Vec3::UnitZ();
  problem.columns.drag = problem.columns.viscous = problem.columns.offset = true;
  problem.period = 20;
  problem.samples = 40;
  return problem;
}

TEST(ArmExcitation, GradientIsThatOfDifferences) {
  for (ArmProblem problem : {motor_problem(), joint_problem(), water_problem()})
    for (const Criterion criterion : {Criterion::condition, Criterion::d_optimal, Criterion::a_optimal}) {
      problem.criterion = criterion;
      expect_gradient(problem);
    }
}

TEST(ArmExcitationLong, KeepsLimitsBetweenSamplesAndBeatsRandomMotions) {
  for (ArmProblem problem : {motor_problem(), joint_problem()}) {
    problem.starts = 8;
    const ArmDesigner designer(problem);
    ThreadPool pool(1);
    const ArmDesign design = designer.design(pool);
    EXPECT_GE(least_share(design.margins), 0);
    EXPECT_LT(least_share(design.margins), 0.05) << "limits should be used";
    double best = 1e300;
    const int motions = problem.space == ArmSpace::motor ? 1000 : 100;
    for (int k = 0; k < motions; ++k)
      best = std::min(best, designer.check_under(designer.random_motion(5, k)).condition);
    EXPECT_LT(design.condition, best);
    const std::string space = problem.space == ArmSpace::motor ? "motor_" : "joint_";
    RecordProperty(space + "condition", std::to_string(design.condition));
    RecordProperty(space + "best_random", std::to_string(best));
  }
}

TEST(ArmExcitation, DOptimalShowsMoreThanCondition) {
  ArmProblem problem = motor_problem();
  problem.starts = 4;
  ThreadPool pool(1);
  const ArmDesign by_condition = ArmDesigner(problem).design(pool);
  problem.criterion = Criterion::d_optimal;
  const ArmDesign by_volume = ArmDesigner(problem).design(pool);
  EXPECT_GT(by_volume.log_det, by_condition.log_det);
  EXPECT_LT(by_condition.condition, by_volume.condition);
}

TEST(ArmExcitation, SameSeedSameBytesWhateverTheThreads) {
  ArmProblem problem = motor_problem();
  problem.starts = 4;
  problem.iterations = 15;
  const ArmDesigner designer(problem);
  ThreadPool one(1), two(2);
  const ArmDesign first = designer.design(one), second = designer.design(two);
  EXPECT_EQ(first.x, second.x);
  ASSERT_EQ(first.starts.size(), 4u);
  for (std::size_t k = 0; k < first.starts.size(); ++k) {
    EXPECT_EQ(first.starts[k].last, second.starts[k].last);
    EXPECT_EQ(first.starts[k].polished, second.starts[k].polished);
  }
  EXPECT_NE(first.x, designer.design(one, {.seed = 2}).x);
}

TEST(ArmExcitation, PolishesTheBestThreeAndTakesTheBestOfTheirEnds) {
  ArmProblem problem = motor_problem();
  problem.starts = 6;
  const ArmDesigner designer(problem);
  ThreadPool pool(1);
  const ArmDesign design = designer.design(pool);
  std::vector<double> ends, polished;
  for (const Start& start : design.starts) {
    ends.push_back(start.last);
    if (start.polished < infinity) polished.push_back(start.polished);
    EXPECT_TRUE(start.polished >= design.value) << start.number;
  }
  ASSERT_EQ(polished.size(), 3u);
  std::sort(ends.begin(), ends.end());
  EXPECT_LT(design.value, ends[0]);
  EXPECT_EQ(design.value, *std::min_element(polished.begin(), polished.end()));
  for (const Start& start : design.starts) EXPECT_EQ(start.polished < infinity, start.last <= ends[2]);
}

/// By the normal equations, which the design does not form.
TEST(ArmExcitation, SigmaIsThatOfLeastSquares) {
  ArmProblem problem = motor_problem();
  problem.noise = 0.3;
  const ArmDesigner designer(problem);
  const Eigen::VectorXd x = designer.random_motion(1, 0);
  internal::ArmFrame as_measured(problem);
  as_measured.sign_speed.assign(as_measured.sign_speed.size(), 0);
  internal::ArmObjective objective(as_measured);
  const Eigen::MatrixXd C = 0.09 * objective.information(x).inverse();
  const Eigen::VectorXd sigma = designer.check_under(x).sigma;
  for (Eigen::Index k = 0; k < sigma.size(); ++k)
    EXPECT_NEAR(sigma[k], std::sqrt(C(k, k)), 1e-6 * sigma[k]) << k;
}

TEST(ArmExcitation, MotorSpaceIsTheJointsThroughTheLever) {
  const ArmDesigner designer(motor_problem());
  const ArmPath path(designer.problem().arm, ArmSpace::motor,
                     designer.check_under(designer.random_motion(1, 0)).series);
  ArmInstant at, before, after;
  const double h = 1e-3;
  path.joints_at(7, at), path.joints_at(7 - h, before), path.joints_at(7 + h, after);
  EXPECT_LT(((after.u - before.u) / (2 * h) - at.du).norm(), 1e-7);
  EXPECT_LT(((after.du - before.du) / (2 * h) - at.ddu).norm(), 1e-7);
}

/// Drag that is diagonal at the links' origins is itself; else it is what each component of the twist meets
/// alone.
TEST(ArmExcitation, DragOffTheOriginCountsByComponents) {
  dynamics::ArmColumns columns;
  columns.drag = true;
  dynamics::test::RandomArm options;
  options.full_drag = false;
  const ArmProblem plain(dynamics::test::random_arm(3, options));
  const Eigen::VectorXd own = dynamics::arm_parameters(plain.arm, plain.environment, columns).values();
  EXPECT_LT((regressor_of(plain, columns).parameters().values() - own).norm(), 1e-12 * own.norm());

  const ArmProblem reach = water_problem();
  const auto numbers = regressor_of(reach, columns).parameters();
  const auto drags = dynamics::make_drag_list(reach.arm.links()[1].damping);
  for (const double speed : {0.3, 2.0})
    for (std::size_t k = 0; k < 6; ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      const double force = dynamics::damping_force(drags, speed * Vec6::Unit(i))[i];
      const std::size_t begin = dynamics::link_begin(columns, 1) + 10;  // behind the ten of a rigid body
      EXPECT_NEAR(force, numbers[begin + k].value * speed + numbers[begin + 6 + k].value * speed * speed,
                  1e-9 * (1 + force))
          << numbers[begin + k].name;
    }
}

TEST(ArmExcitation, OutlookHasValuesAndGroupings) {
  const ArmDesigner designer(motor_problem());
  const ArmDesign design = designer.check_under(designer.random_motion(1, 0));
  const Prediction shown = arm_accuracy(designer, design);
  ASSERT_EQ(shown.parameters.size(), designer.base().rank());
  const std::size_t weight = shown.parameters.find("upper-arm.mx").value();
  const auto& links = designer.problem().arm.links();
  EXPECT_EQ(shown.made_of[weight], "upper-arm.mx + 0.443 forearm.m");
  EXPECT_NEAR(
      shown.parameters[weight].value,
      links[1].body.mass.value * links[1].body.centre_of_mass.value.x() + 0.443 * links[2].body.mass.value,
      1e-9);
  EXPECT_NEAR(shown.relative(weight),
              design.sigma[static_cast<Eigen::Index>(weight)] / shown.parameters[weight].value, 1e-12);
  for (std::size_t k = 0; k < shown.made_of.size(); ++k)
    EXPECT_GT(shown.parameters.sigma(k), 0) << shown.parameters[k].name;
}

TEST(ArmExcitation, ClockGoesFromRestToRest) {
  const ArmClock clock{3, 20};
  EXPECT_EQ(clock.end(), 26);
  for (const double t : {0.0, clock.end()}) EXPECT_EQ(clock.at(t).rate, 0);
  for (const double t : {3.0, 10.0, 23.0}) {
    EXPECT_NEAR(clock.at(t).time, t - 3, 1e-12);
    EXPECT_NEAR(clock.at(t).rate, 1, 1e-12);
  }
  const double h = 1e-5;
  for (double t = 0.1; t < clock.end(); t += 0.1) {
    const auto before = clock.at(t - h), at = clock.at(t), after = clock.at(t + h);
    EXPECT_NEAR(at.rate, (after.time - before.time) / (2 * h), 1e-8) << t;
    EXPECT_NEAR(at.second, (after.rate - before.rate) / (2 * h), 1e-4) << t;
    EXPECT_TRUE(at.rate >= 0 && at.rate <= 1) << t;
  }
}

TEST(ArmExcitation, StartAndStopKeepTheLimits) {
  for (ArmProblem problem : {motor_problem(), joint_problem()}) {
    problem.starts = 1;
    ThreadPool pool(1);
    const ArmDesign design = ArmDesigner(problem).design(pool);
    const ArmPath path(problem.arm, problem.space, design.series);
    const ArmRunIn lead = run_in(problem, path, 2);
    EXPECT_GE(lead.least_share, 0);
    EXPECT_EQ(lead.clock.motion, 2 * problem.period);
    const Eigen::VectorXd t = Eigen::VectorXd::LinSpaced(5000, 0, lead.clock.end());
    const ArmTrace trace = arm_trace(problem, path, t, lead.clock);
    EXPECT_GE(least_share(arm_margins(problem, trace)), -1e-3);
    const Eigen::MatrixXd &q = trace.of(ArmLimit::position), &dq = trace.of(ArmLimit::joint_speed);
    EXPECT_EQ(dq.row(0).norm(), 0);
    EXPECT_EQ(dq.row(4999).norm(), 0);
    const double dt = t[1];  // speeds are those of the positions, through start and stop too
    EXPECT_LT((q.bottomRows(4998) - q.topRows(4998) - 2 * dt * dq.middleRows(1, 4998)).cwiseAbs().maxCoeff(),
              1e-3 * dt);
  }
}

TEST(ArmExcitation, RefusesWhatItCannotDo) {
  ArmProblem problem = motor_problem();
  problem.samples = 10;
  EXPECT_NE(fathom::test::error_text([&] { problem.check(); }).find("four to the fastest sine"),
            std::string::npos);
  problem = motor_problem();
  problem.columns.drag = true;
  EXPECT_NE(fathom::test::error_text([&] { ArmDesigner designer(problem); }).find("an arm in air"),
            std::string::npos);
  model::ArmSpec spec = three_joints().spec();
  spec.joints[0].actuator.reset();
  spec.joints[0].limits = {};
  EXPECT_NE(fathom::test::error_text([&] { ArmProblem(model::Arm::make(spec)).check(); }).find("range"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom::excite::arm_excitation_test
