#include "fathom/identify/vehicle/statistics.hpp"

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/consistency/constraints.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/identify/vehicle/current_fit.hpp"
#include "fathom/identify/vehicle/log_currents.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"
#include "fathom/identify/vehicle/validation.hpp"
#include "fathom/model/candidates.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::identify::statistics_test {
namespace {

using dynamics::Vehicle;
using Eigen::Index;
using model::Dof;
using test::sinusoids;
using test::swim;
using test::Wrench;

constexpr double dt = 0.04;
const model::Robot& robot() { return dynamics::test::robot_named("bluerov2-heavy"); }

/// A vehicle under a wrench that nobody commanded: first-order noise in surge, with sigma [N] and correlation
/// time [s].
Recording pushed(double sigma, double correlation_time, double duration) {
  RandomStream random(1, "push");
  const auto n = static_cast<Index>(duration / dt) + 3;
  const double keep = std::exp(-dt / correlation_time);
  Eigen::VectorXd push(n);
  push[0] = sigma * random.normal();
  for (Index k = 1; k < n; ++k)
    push[k] = keep * push[k - 1] + std::sqrt(1 - keep * keep) * sigma * random.normal();
  const Vehicle vehicle(robot(), model::Environment(), Dof::four);
  const Wrench tau = sinusoids(1);
  Recording recording = swim(
      vehicle,
      [&](double t) -> Vec6 {
        const auto k = static_cast<Index>(std::clamp(t / dt, 0.0, static_cast<double>(n - 1)));
        return tau(t) + push[k] * Vec6::Unit(0);
      },
      duration, dt);
  for (Index k = 0; k < recording.size(); ++k) recording.tau_b.col(k) = tau(recording.track.t(k));
  return recording;
}

TEST(ResidualStatistics, AreThoseOfTheWrenchThatNobodyCommanded) {
  const std::vector<Recording> recordings = {pushed(2, 1.5, 600)};
  const model::Environment environment;
  const model::Structure structure = model::full_structure(Dof::four);
  const std::vector<Nuisance> at(1);
  const UnexplainedWrench unexplained = residual_statistics(
      recordings, at, structure, model::parameters_of(robot(), environment, structure).parameters.values(),
      robot(), environment, {}, false);
  ASSERT_TRUE(unexplained.statistics);
  EXPECT_TRUE(unexplained.too_short.empty());
  const ResidualStatistics& found = *unexplained.statistics;
  // The blur takes a little of the rms; power at low frequency stays.
  EXPECT_NEAR(found.sigma[0], 2, 0.5);
  EXPECT_NEAR(found.sigma[0] * found.sigma[0] * found.correlation_time[0], 2 * 2 * 1.5, 0.35 * 6);
  EXPECT_LT(found.sigma[2], 0.1);
}

/// Logs that are too short by themselves say nothing; a sigma of 0 would say that the model is exact.
TEST(ResidualStatistics, AreNoneOfLogsThatAreTooShort) {
  std::vector<Recording> recordings = {pushed(2, 1.5, 2), pushed(2, 1.5, 60)};
  recordings[0].name = "short.csv";
  const model::Environment environment;
  const model::Structure structure = model::full_structure(Dof::four);
  const Eigen::VectorXd theta = model::parameters_of(robot(), environment, structure).parameters.values();
  const std::vector<Nuisance> at(2);
  const UnexplainedWrench both =
      residual_statistics(recordings, at, structure, theta, robot(), environment, {}, false);
  EXPECT_TRUE(both.statistics);
  EXPECT_EQ(both.too_short, std::vector<std::string>{"short.csv"});
  recordings.pop_back();
  EXPECT_FALSE(
      residual_statistics(recordings, at, structure, theta, robot(), environment, {}, false).statistics);
}

/// In 4-DoF a current is seen by the heading alone, as a prediction sees it, however the vehicle heels.
TEST(ResidualStatistics, OfAHeelingVehicleSeeTheCurrentAsAPredictionDoes) {
  const Vehicle vehicle(robot(), model::Environment(), Dof::four);
  const model::Current current{Vec3(0.3, 0, 0), Vec3::Zero()};
  std::vector<Recording> recordings = {swim(vehicle, sinusoids(3), 60, dt, 0, {}, current)};
  for (Index k = 0; k < recordings[0].size(); ++k) {
    const double heading = euler_from_quaternion(recordings[0].track.attitude(k)).z();
    recordings[0].track.q_nb.col(k) = quaternion_from_euler({0.5, 0.4, heading}).coeffs();
  }
  const model::Environment environment;
  const model::Structure structure = model::full_structure(Dof::four);
  std::vector<Nuisance> at(1);
  at[0].current_n = current.velocity_n;
  const UnexplainedWrench found = residual_statistics(
      recordings, at, structure, model::parameters_of(robot(), environment, structure).parameters.values(),
      robot(), environment, {}, false);
  ASSERT_TRUE(found.statistics);
  EXPECT_LT(found.statistics->sigma[0], 0.05);
  EXPECT_LT(found.statistics->sigma[1], 0.05);
}

TEST(DataRange, IsThatOfTheUsableSamples) {
  std::vector<Recording> recordings = {pushed(0.1, 1, 30)};
  recordings[0].tau_b(1, 100) = 90;
  recordings[0].usable[100] = 0;
  recordings[0].tau_b(1, 101) = -80;
  const std::vector<Nuisance> at(1);
  const DataRange range = range_of(recordings, at);
  EXPECT_LT(range.wrench_max[1], 90);
  EXPECT_EQ(range.wrench_min[1], -80);
  EXPECT_TRUE(check_range(range, recordings[0], robot(), Dof::four, Vec3::Zero()).beyond.empty());
}

/// Twice the range in one axis is named with value and range, and widens the band of that axis by the factor.
TEST(DataRange, NamesWhatIsBeyondItAndWidensTheBand) {
  const std::vector<Recording> recordings = {pushed(0.1, 1, 30)};
  const std::vector<Nuisance> at(1);
  DataRange range = range_of(recordings, at);
  range.extrapolation[1] = 3;
  Recording strong = recordings[0];
  const double half = 0.5 * (range.wrench_max[1] - range.wrench_min[1]);
  strong.tau_b(1, 200) = range.wrench_max[1] + half;
  const RangeCheck check = check_range(range, strong, robot(), Dof::four, Vec3::Zero());
  ASSERT_EQ(check.beyond.size(), 1u);
  EXPECT_EQ(check.beyond[0].name, "sway wrench");
  EXPECT_EQ(check.beyond[0].value, strong.tau_b(1, 200));
  EXPECT_EQ(check.beyond[0].most, range.wrench_max[1]);
  EXPECT_EQ(check.beyond[0].samples, 1u);
  EXPECT_EQ(check.widening(1, 199), 1);
  EXPECT_NEAR(check.widening(1, 200), 3, 1e-9);
  EXPECT_GT(check.widening(1, 220), 2);  // the vehicle has not forgotten it
  EXPECT_EQ(check.widening(0, 200), 1);
}

/// A command beyond those that were seen is beyond the range, even where the
/// map is saturated and gives no more force.
TEST(DataRange, HoldsTheCommandsOfTheThrusters) {
  const std::size_t thrusters = robot().thrusters().size();
  const auto with_commands = [&](float most) {
    Recording recording = pushed(0.1, 1, 30);
    recording.commands.of = CommandRecord::Of::thrusters;
    for (const auto& [t, value] : {std::pair(-1.0, 0.0F), {10.0, most}, {10.4, -0.2F}}) {
      recording.commands.t.push_back(t);
      recording.commands.values.insert(recording.commands.values.end(), thrusters, value);
    }
    return recording;
  };
  const std::vector<Recording> seen = {with_commands(0.2F)};
  const std::vector<Nuisance> at(1);
  DataRange range = range_of(seen, at);
  ASSERT_EQ(range.command_max.size(), thrusters);
  EXPECT_NEAR(range.command_min[0], -0.2, 1e-6);
  EXPECT_NEAR(range.command_max[0], 0.2, 1e-6);
  EXPECT_TRUE(check_range(range, seen[0], robot(), Dof::six, Vec3::Zero()).beyond.empty());
  const Recording saturated = with_commands(0.4F);
  const RangeCheck check = check_range(range, saturated, robot(), Dof::six, Vec3::Zero());
  ASSERT_EQ(check.beyond.size(), thrusters);
  EXPECT_EQ(check.beyond[0].name, "command of " + robot().thrusters()[0].name);
  EXPECT_NEAR(check.beyond[0].value, 0.4, 1e-6);
  EXPECT_NEAR(static_cast<double>(check.beyond[0].samples) * dt, 0.4, 0.05);
  const auto k = static_cast<Index>(10.2 / dt);
  EXPECT_NEAR(check.widening(0, k), 2,
              1e-5);  // twice the range: by the factor where nothing else is known
  EXPECT_EQ(check.widening(0, k - 10), 1);
  std::vector<Recording> other = {seen[0], pushed(0.1, 1, 30)};
  EXPECT_TRUE(range_of(other, std::vector<Nuisance>(2)).command_min.empty());
}

/// Quadratic drag that a linear structure lacks: the upper half is predicted worse than the lower one.
TEST(Extrapolation, CostsMoreWhereTheStructureIsWrong) {
  const std::vector<Recording> recordings = {pushed(0.01, 1, 300)};
  const model::Environment environment;
  const auto factor = [&](const char* name) {
    const model::Structure structure = model::candidate(name, robot());
    const Regression regression(structure, recordings, {});
    return extrapolation_factors(regression, {}, Eigen::VectorXd::Ones(4),
                                 consistency::constraints(structure, robot(), environment, {}))[0];
  };
  EXPECT_GE(factor("linear"), 2);
  EXPECT_GE(factor("quadratic"), 1);
}

/// The current of the first fifth of a log.
TEST(CurrentFit, FindsTheCurrentInTheBeginningOfALog) {
  const Vehicle vehicle(robot(), model::Environment(), Dof::four);
  const model::Current current{Vec3(0.1, -0.06, 0), Vec3::Zero()};
  Recording recording =
      swim(vehicle, sinusoids(3, (Vec6() << 20, 20, 20, 0, 0, 3).finished()), 100, 0.05, 0.1, {}, current);
  ResidualStatistics residual;
  residual.sigma << 0.3, 0.3, 0.3, 0, 0, 0.05;
  residual.correlation_time.setConstant(0.5);
  const auto found = fit_current(vehicle, recording, 0.1, residual);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->current_n.x(), 0.1, 0.01);
  EXPECT_NEAR(found->current_n.y(), -0.06, 0.01);
  EXPECT_NEAR(recording.track.t(found->until), 20, 0.2);
  EXPECT_LT(std::sqrt(found->covariance(0, 0)), 0.02);
  std::fill(recording.usable.begin() + 100, recording.usable.end(), 0);  // 5 s
  EXPECT_FALSE(fit_current(vehicle, recording, 0.1, residual));
}

/// A strong current is not drawn towards still water, and still water is not taken for a current.
TEST(CurrentFit, TakesTheWaterForStillOrFlowing) {
  const Vehicle vehicle(robot(), model::Environment(), Dof::four);
  ResidualStatistics residual;
  residual.sigma << 2, 2, 2, 0, 0, 0.2;
  residual.correlation_time.setConstant(1);
  const auto found = [&](const Vec3& velocity_n) {
    const Recording recording = swim(vehicle, sinusoids(3, (Vec6() << 20, 20, 20, 0, 0, 3).finished()), 100,
                                     0.05, 0.1, {}, {velocity_n, Vec3::Zero()});
    return fit_current(vehicle, recording, 0.1, residual).value();
  };
  const CurrentFit strong = found({0.4, -0.3, 0});
  for (const int axis : {0, 1}) {
    const double sigma = std::sqrt(strong.covariance(axis, axis));
    EXPECT_LT(sigma, 0.1);
    EXPECT_NEAR(strong.current_n[axis], axis == 0 ? 0.4 : -0.3, 0.5 * sigma);
  }
  const CurrentFit still = found(Vec3::Zero());
  EXPECT_LT(still.current_n.norm(), 0.005);
  EXPECT_LT(std::sqrt(still.covariance(0, 0)), 0.035);
  EXPECT_NEAR(std::sqrt(assumed_still_water().covariance(0, 0)), 0.03, 1e-12);
}

/// Two logs of one vehicle in currents of other directions: one current for both makes its drag wrong.
TEST(LogCurrents, AreTakenOutWhereTheyDiffer) {
  const Vehicle vehicle(robot(), model::Environment(), Dof::four);
  const Wrench tau = sinusoids(3, (Vec6() << 20, 20, 20, 0, 0, 3).finished());
  const Wrench other = sinusoids(4, (Vec6() << 20, 20, 20, 0, 0, 3).finished());
  const auto logs = [&](const Vec3& first_n, const Vec3& second_n) {
    return std::vector<Recording>{swim(vehicle, tau, 150, 0.05, 0.1, {}, {first_n, Vec3::Zero()}),
                                  swim(vehicle, other, 150, 0.05, 0.1, {}, {second_n, Vec3::Zero()})};
  };
  const IdentifyOptions options;
  std::vector<Recording> apart = logs({0.1, 0, 0}, {-0.04, 0.08, 0});
  const auto found = take_out_currents(apart, robot(), model::Environment(), options);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_LT((apart[0].current_n - Vec3(0.1, 0, 0)).norm(), 0.01);
  EXPECT_LT((apart[1].current_n - Vec3(-0.04, 0.08, 0)).norm(), 0.01);
  const std::vector<Recording> still = logs(Vec3::Zero(), Vec3::Zero());
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_LT(std::sqrt((apart[k].track.nu_b - still[k].track.nu_b).squaredNorm() /
                        static_cast<double>(apart[k].size())),
              0.015);
  std::vector<Recording> one = logs({0.1, 0, 0}, {0.1, 0, 0});
  EXPECT_TRUE(take_out_currents(one, robot(), model::Environment(), options).empty());
  EXPECT_TRUE(one[0].current_n.isZero());
}

}  // namespace
}  // namespace fathom::identify::statistics_test
