#include "fathom/identify/vehicle/lag_average.hpp"

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/identify/vehicle/identified_robot.hpp"
#include "fathom/identify/vehicle/identify.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"
#include "fathom/model/candidates.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::identify::lag_average_test {
namespace {

using model::ActsOn;

/// A vehicle in 4-DoF that swims under commands of thrusters that lag, recorded without smoothing.
struct Lagging {
  model::Robot robot;
  model::Environment water;
  model::Structure structure;
  Eigen::VectorXd theta;
  std::vector<Recording> recordings;

  Lagging(const ThrusterLag& lag, double noise, double duration = 90)
      : robot(thrusters_of(model::read_robot(FATHOM_ROBOTS_DIR "/bluerov2-heavy.yaml"))),
        structure(model::candidate("diagonal", robot)),
        theta(model::parameters_of(robot, water, structure).parameters.values()) {
    constexpr double dt = 0.02, hold = 0.05;
    const auto rows = static_cast<std::size_t>(duration / hold);
    Recording told;
    told.track.dt = dt;
    told.track.nu_b.setZero(6, static_cast<Eigen::Index>(duration / dt) + 1);
    told.commands.of = CommandRecord::Of::thrusters;
    RandomStream random(4, "commands");
    std::vector<double> level(robot.thrusters().size(), 0);
    for (std::size_t k = 0; k < rows; ++k) {
      told.commands.t.push_back(hold * static_cast<double>(k));
      for (double& value : level) {
        if (k % 16 == 0) value = random.uniform(-0.7, 0.7);
        told.commands.values.push_back(static_cast<float>(value));
      }
    }
    const Mat6X tau = LaggedWrench(robot, water, lag).wrench_b(told);
    const auto at = [&](double t) -> Vec6 {
      return tau.col(std::clamp<Eigen::Index>(std::lround(t / dt), 0, tau.cols() - 1));
    };
    recordings.push_back(test::swim(dynamics::Vehicle(plant(), water, structure.dof), at, duration, dt));
    recordings.back().commands = told.commands;
    recordings.back().track.nu_sigma_b.setConstant(1e-3);
    for (double& value : recordings.back().track.nu_b.reshaped()) value += noise * random.normal();
  }

  /// The robot without what the structure leaves out.
  model::Robot plant() const {
    return identified_robot(robot, water, structure, model::ParameterVector(structure.parameters(theta)),
                            "test");
  }
  static model::Robot thrusters_of(const model::Robot& from) {
    model::RobotSpec spec = from.spec();
    for (model::Thruster& thruster : spec.thrusters) {
      thruster.transient.reset();
      thruster.transient_name.clear();
    }
    return model::Robot::make(std::move(spec));
  }
  Identified found(const StatedLag& stated) {
    IdentifyOptions options;
    options.candidates = {structure};
    options.compare = false;
    const ThrusterLag first = find_lag(recordings, robot, water, options, stated);
    Identified out = identify(recordings, robot, water, options);
    average_lag(recordings, robot, water, options, stated, first, out);
    return out;
  }
};

TEST(LagAverage, ComparesAStatedLagByTheSigmasOfBoth) {
  LagAverage average;
  average.is_averaged = true;
  average.stated.time_constant = 0.2;
  average.stated_sigma = 0.03;
  average.lag.time_constant = 0.1;
  average.sigma = 0.04;
  EXPECT_NEAR(average.too_long(), 2, 1e-12);
}

/// At the lag of the fit the average over it is the fit, with what its prior held.
TEST(LagAverage, KeepsThePriorOfTheFit) {
  const ThrusterLag lag{0.15, ActsOn::force};
  Lagging day(lag, 0.002, 30);
  set_lag(day.recordings, day.robot, day.water, lag);
  const Regression regression(day.structure, day.recordings);
  FitOptions options;
  options.estimate_delay = false;
  ParameterPrior prior;
  prior.value = 1.1 * day.theta;
  prior.sigma = 1e-3 * day.theta.cwiseAbs().cwiseMax(0.1);
  prior.information = prior.sigma.cwiseAbs2().cwiseInverse().asDiagonal();
  options.prior = prior;
  const solve::ConicSet free = {static_cast<int>(day.structure.size()), {}, {}};
  const Fit fitted = fit(regression, free, options);
  ASSERT_LT((fitted.theta - prior.value).cwiseQuotient(prior.sigma).cwiseAbs().maxCoeff(), 20);
  StatedLag stated;
  stated.time_constant = lag.time_constant;
  stated.acts_on = lag.acts_on;
  stated.sigma = 0;
  const LagAverage average =
      average_over_lag(regression, free, fitted, options, day.robot, day.water, stated, lag);
  ASSERT_EQ(average.why_not, "");
  EXPECT_LT((average.theta - fitted.theta).cwiseQuotient(prior.sigma).cwiseAbs().maxCoeff(), 0.1);
  EXPECT_LT((average.components.front().theta.head(fitted.theta.size()) - fitted.theta)
                .cwiseQuotient(prior.sigma)
                .cwiseAbs()
                .maxCoeff(),
            0.1);
}

/// Of a lag of which neither file nor log says much the grid is long, and no coarser.
TEST(LagAverage, HasStepsOfFiveMilliseconds) {
  Lagging day({0.15, ActsOn::force}, 0.05, 12);
  StatedLag stated;
  stated.acts_on = ActsOn::force;
  const Identified found = day.found(stated);
  const std::vector<LagComponent>& all = found.lag->components;
  ASSERT_GT(all.size(), 48) << all.front().lag.time_constant << " to " << all.back().lag.time_constant << " s";
  for (std::size_t k = 1; k < all.size(); ++k)
    EXPECT_LT(all[k].lag.time_constant - all[k - 1].lag.time_constant, 0.005 + 1e-9);
}

/// Residuals are those of the wrench that the recordings have in the end.
TEST(LagAverage, RenewsTheEvidenceOfTheFit) {
  Lagging day({0.15, ActsOn::force}, 0.002, 30);
  StatedLag stated;
  stated.time_constant = 0.25;
  stated.acts_on = ActsOn::force;
  const Identified found = day.found(stated);
  EXPECT_EQ(found.fit.active, found.lag->active);
  EXPECT_EQ(found.fit.conic.x, found.lag->conic.x);
  const Regression regression(day.structure, day.recordings);
  Eigen::Index at = 0;
  regression.pass(found.fit.nuisance.value, [&](const RowBlock& block) {
    const Eigen::VectorXd r = block.tau - block.Y * found.fit.theta;
    const Eigen::Index samples = r.size() / regression.rows();
    EXPECT_LT((found.fit.residuals.values.middleCols(at, samples).reshaped() - r).cwiseAbs().maxCoeff(), 1e-9);
    at += samples;
  });
}

/// An average that no theta within the constraints has leaves the fit as it is.
TEST(LagAverage, KeepsTheFitWhereThereIsNone) {
  const ThrusterLag lag{0.15, ActsOn::force};
  Lagging day(lag, 0.002, 20);
  IdentifyOptions options;
  options.candidates = {day.structure};
  options.compare = false;
  set_lag(day.recordings, day.robot, day.water, lag);
  Identified found = identify(day.recordings, day.robot, day.water, options);
  const Eigen::VectorXd before = found.fit.theta;
  options.constraints.bounds.push_back(
      {"m11", 1e3, 1e3 + 1});  // heavier than any that the other constraints allow
  options.constraints.bounds.push_back({"m11", 0, 1});
  average_lag(day.recordings, day.robot, day.water, options, {}, lag, found);
  EXPECT_NE(found.lag->why_not, "");
  EXPECT_EQ(found.lag->lag, lag);
  EXPECT_EQ(found.fit.theta, before);
}

TEST(LagAverageLong, FindsTheLagAndWhatItActsOn) {
  for (const ThrusterLag& lag : {ThrusterLag{0.15, ActsOn::force}, ThrusterLag{0.22, ActsOn::shaft}}) {
    Lagging day(lag, 0.002);
    const Identified found = day.found({});
    ASSERT_TRUE(found.lag);
    EXPECT_EQ(found.lag->lag.acts_on, lag.acts_on);
    EXPECT_NEAR(found.lag->lag.time_constant, lag.time_constant, std::max(0.01, 4 * found.lag->sigma));
    EXPECT_LT(found.lag->sigma, 0.03);
    double weights = 0;
    for (const LagComponent& one : found.lag->components) weights += one.weight;
    EXPECT_NEAR(weights, 1, 1e-9);
  }
}

TEST(LagAverageLong, NamesAStatedLagThatIsTooLong) {
  Lagging day({0.1, ActsOn::force}, 0.002);
  StatedLag stated;
  stated.time_constant = 0.4;
  stated.acts_on = ActsOn::force;
  const Identified found = day.found(stated);
  EXPECT_GT(found.lag->too_long(), 3);
  EXPECT_FALSE(found.fit.delay_at_limit)
      << found.fit.delay_wanted << " s wanted, lag " << found.lag->lag.time_constant << " s, sigma "
      << found.lag->sigma << " s, delay sigma " << found.lag->delay_sigma << " s";
}

TEST(LagAverageLong, WidensByWhatTheLagMayBe) {
  Lagging day({0.15, ActsOn::force}, 0.002);
  StatedLag exact;
  exact.time_constant = 0.15;
  exact.sigma = 0;
  exact.acts_on = ActsOn::force;
  const Identified held = day.found(exact), free = day.found({});
  EXPECT_FALSE(held.lag->is_averaged);
  EXPECT_GT(free.parameters.sigma(0), held.parameters.sigma(0));
  EXPECT_TRUE(held.lag->between.isZero(0));
}

}  // namespace
}  // namespace fathom::identify::lag_average_test
