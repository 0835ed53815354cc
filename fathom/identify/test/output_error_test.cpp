#include "fathom/identify/output_error.hpp"

#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/consistency/conditions.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/identify/test/recordings.hpp"
#include "fathom/model/candidates.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using model::Dof;

const model::Robot& robot() { return dynamics::test::robot_named("bluerov2-heavy"); }
const model::Environment water;
constexpr double delay = 0.13, dt = 0.04;

/// A day of a plant that the structure holds.
struct Day {
  model::Structure structure = model::candidate("diagonal", robot());
  VectorXd truth = model::parameters_of(robot(), water, structure).parameters.values();
  std::vector<Recording> recordings;
  solve::ConicSet conditions = consistency::conditions(structure, robot(), water);
  Fit start;  // parameters 20 % off, up and down

  explicit Day(double seconds = 60, std::uint64_t seed = 1) {
    const dynamics::Vehicle plant(robot(), water, Dof::four);
    recordings.push_back(test::swim(plant, test::sinusoids(seed), seconds, dt, delay));
    start.theta = truth;
    for (Index k = 0; k < truth.size(); ++k) start.theta[k] *= k % 2 == 0 ? 1.2 : 0.8;
    start.nuisance.supposition.delay = 0.05;
  }

  /// Noise that forgets by e over `memory` seconds; 0: white.
  void add_noise(double sigma, double memory, std::uint64_t seed) {
    RandomStream random(seed, "noise");
    const double keep = memory > 0 ? std::exp(-dt / memory) : 0, fresh = std::sqrt(1 - keep * keep);
    Vec6 noise = Vec6::Zero();
    for (auto nu : recordings[0].track.nu_b.colwise()) {
      for (double& e : noise) e = keep * e + fresh * sigma * random.normal();
      nu += noise;
    }
  }
};

VectorXd errors_in_sigmas(const Day& day, const OutputError& found) {
  return (found.theta - day.truth).cwiseQuotient(found.covariance.diagonal().cwiseSqrt());
}

TEST(OutputError, FindsTheTruthFromAStartTwentyPercentOff) {
  Day day;
  day.add_noise(0.003, 0, 1);
  const OutputError found = refine(day.structure, day.recordings, day.conditions, day.start);
  EXPECT_TRUE(found.converged) << found.about;
  EXPECT_LT(found.iterations, 30);
  const VectorXd error = errors_in_sigmas(day, found);
  EXPECT_LT(error.cwiseAbs().maxCoeff(), 3.5) << error.transpose();
  EXPECT_LT((found.theta - day.truth).cwiseQuotient(day.truth.cwiseMax(1)).cwiseAbs().maxCoeff(), 0.15);
  EXPECT_NEAR(found.nuisance.supposition.delay, delay, 4 * found.nuisance.delay_sigma);
  EXPECT_LT(found.nuisance.delay_sigma, 0.01);
  EXPECT_LT(found.cost_after, 0.1 * found.cost_before);
  for (const int i : model::free_indices(Dof::four)) {
    EXPECT_LT(found.r2_before[i], found.r2_after[i]);
    EXPECT_GT(found.r2_after[i], 0.99);
    EXPECT_NEAR(found.sigma[i], 0.003, 0.0005);
  }
  EXPECT_TRUE(std::isnan(found.r2_after[3]));
}

TEST(OutputError, FindsTheCurrent) {
  Day day;
  model::Current current;
  current.velocity_n = Vec3(0.05, -0.03, 0);
  const dynamics::Vehicle plant(robot(), water, Dof::four);
  day.recordings = {test::swim(plant, test::sinusoids(1), 60, dt, delay, {}, current)};
  day.add_noise(0.002, 0, 1);
  OutputErrorOptions options;
  options.current_sigma = 0.1;
  const OutputError found = refine(day.structure, day.recordings, day.conditions, day.start, options);
  EXPECT_TRUE(found.converged) << found.about;
  for (int axis = 0; axis < 2; ++axis) {
    EXPECT_NEAR(found.nuisance.supposition.current_n[axis], current.velocity_n[axis],
                4 * found.nuisance.current_sigma[axis]);
    EXPECT_LT(found.nuisance.current_sigma[axis], 0.01);
  }
}

TEST(OutputError, KnowsWhatColouredNoiseDoesToItsSigmas) {
  double square = 0;
  Index count = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Day day(60, seed);
    day.add_noise(0.01, 0.5, seed);
    const OutputError found = refine(day.structure, day.recordings, day.conditions, day.start);
    EXPECT_TRUE(found.converged) << found.about;
    EXPECT_GT(found.bandwidth, 2);
    square += errors_in_sigmas(day, found).squaredNorm();
    count += day.truth.size();
  }
  const double ratio = std::sqrt(square / static_cast<double>(count));
  EXPECT_GT(ratio, 0.7);
  EXPECT_LT(ratio, 1.4);
}

/// A day with a force that no model holds, of a few seconds' memory, and its consistent fit.
Day disturbed_day(std::uint64_t seed, double seconds, const Vec6& size) {
  Day day(1, seed);
  RandomStream random(seed, "force");
  constexpr double step = 0.1, memory = 2;
  const double keep = std::exp(-step / memory);
  Mat6X force = Mat6X::Zero(6, static_cast<Index>(seconds / step) + 3);
  for (Index k = 1; k < force.cols(); ++k)
    for (int i = 0; i < 6; ++i)
      force(i, k) = keep * force(i, k - 1) + std::sqrt(1 - keep * keep) * size[i] * random.normal();
  const auto commanded = test::sinusoids(seed, (Vec6() << 8, 8, 8, 0, 0, 1).finished());
  const dynamics::Vehicle plant(robot(), water, Dof::four);
  Recording& recording = day.recordings[0];
  recording = test::swim(
      plant,
      [&](double t) -> Vec6 {
        const double place = std::max(0.0, t) / step;
        const auto k = static_cast<Index>(place);
        const double share = place - static_cast<double>(k);
        return commanded(t) + (1 - share) * force.col(k) + share * force.col(k + 1);
      },
      seconds, dt, delay);
  for (Index k = 0; k < recording.size(); ++k) recording.tau_b.col(k) = commanded(dt * static_cast<double>(k));
  day.add_noise(0.002, 0, seed);
  recording.nu_split_b = Mat6X::Zero(6, recording.size());
  day.start = fit(Regression(day.structure, day.recordings), day.conditions);
  return day;
}

TEST(OutputError, KnowsWhatAColouredForceDoesToItsSigmas) {
  OutputErrorOptions without;
  without.node_every = 0;
  double square = 0, square_without = 0, count = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Day day = disturbed_day(seed, 60, (Vec6() << 1.5, 1.5, 1.5, 0, 0, 0.25).finished());
    const OutputError found = refine(day.structure, day.recordings, day.conditions, day.start);
    const OutputError drifting = refine(day.structure, day.recordings, day.conditions, day.start, without);
    const VectorXd sigma = found.covariance.diagonal().cwiseSqrt();
    square += errors_in_sigmas(day, found).squaredNorm();
    square_without += (drifting.theta - day.truth).cwiseQuotient(sigma).squaredNorm();
    count += static_cast<double>(day.truth.size());
  }
  const double ratio = std::sqrt(square / count);
  EXPECT_GT(ratio, 0.4);
  EXPECT_LT(ratio, 1.2);
  // Shots that drift away from the motion have larger errors.
  EXPECT_LT(ratio, 0.7 * std::sqrt(square_without / count));
}

TEST(OutputError, PassesOverAGap) {
  Day day(80);
  day.add_noise(0.003, 0, 2);
  Recording& recording = day.recordings[0];
  for (std::size_t k = 700; k < 800; ++k) {
    recording.usable[k] = 0;
    recording.track.nu_b.col(static_cast<Index>(k)).setConstant(std::nan(""));
  }
  const OutputError found = refine(day.structure, day.recordings, day.conditions, day.start);
  EXPECT_TRUE(found.converged) << found.about;
  EXPECT_LT(errors_in_sigmas(day, found).cwiseAbs().maxCoeff(), 3.5);
}

TEST(OutputError, StaysInsideTheConditions) {
  Day day;
  day.add_noise(0.003, 0, 3);
  const VectorXd free_theta = refine(day.structure, day.recordings, day.conditions, day.start).theta;
  // A bound that the data want to cross by a tenth, and a start on it.
  const std::string name = day.structure.parameters(day.truth)[0].name;
  consistency::ConditionOptions options;
  options.bounds.push_back({name, 0, 0.9 * day.truth[0]});
  const solve::ConicSet bounded = consistency::conditions(day.structure, robot(), water, options);
  day.start.theta = day.truth;
  day.start.theta[0] = 0.9 * day.truth[0] - 1e-9;
  const OutputError found = refine(day.structure, day.recordings, bounded, day.start);
  EXPECT_TRUE(found.converged) << found.about;
  EXPECT_GT(free_theta[0], 0.95 * day.truth[0]);
  EXPECT_LT(found.theta[0], 0.9 * day.truth[0]);
  EXPECT_GT(found.theta[0], 0.89 * day.truth[0]);
  for (const double margin : solve::margins(bounded, found.theta)) EXPECT_GT(margin, 0);
  const auto names_the_bound = [&](const std::string& active) {
    return active.find(name + " <=") != std::string::npos;
  };
  EXPECT_TRUE(std::any_of(found.active.begin(), found.active.end(), names_the_bound))
      << testing::PrintToString(found.active);
}

TEST(OutputError, AnAttitudeErrorWidensSigmas) {
  Day day(30);
  day.add_noise(0.003, 0, 4);
  OutputErrorOptions options;
  const OutputError plain = refine(day.structure, day.recordings, day.conditions, day.start, options);
  options.attitude_sigma = Vec3(0.02, 0.02, 0.05);
  const OutputError wide = refine(day.structure, day.recordings, day.conditions, day.start, options);
  EXPECT_EQ(plain.theta, wide.theta);
  const VectorXd ratio = wide.covariance.diagonal().cwiseQuotient(plain.covariance.diagonal());
  EXPECT_GE(ratio.minCoeff(), 1);
  EXPECT_GT(ratio.maxCoeff(), 2);
}

TEST(OutputError, AnErrorOfAllForcesScalesAllParameters) {
  Day day(30);
  day.add_noise(0.003, 0, 4);
  OutputErrorOptions options;
  const OutputError plain = refine(day.structure, day.recordings, day.conditions, day.start, options);
  options.thrust_sigma = 0.05;
  const OutputError wide = refine(day.structure, day.recordings, day.conditions, day.start, options);
  for (Recording& recording : day.recordings) recording.tau_b *= 1.05;
  const OutputError moved = refine(day.structure, day.recordings, day.conditions, day.start, options);
  const VectorXd shift = moved.theta - plain.theta;
  const Eigen::MatrixXd added = wide.covariance - plain.covariance;
  EXPECT_LT((added - shift * shift.transpose()).norm(), 0.02 * added.norm());
}

TEST(OutputError, NamesWhatDiffersFromTheFitAndWidensIt) {
  Day day(30);
  day.add_noise(0.003, 0, 4);
  const OutputError plain = refine(day.structure, day.recordings, day.conditions, day.start);
  day.start.covariance = plain.covariance;
  day.start.theta = plain.theta;
  const double off = 3 * std::sqrt(plain.covariance(2, 2));
  day.start.theta[2] += off;
  const OutputError found = refine(day.structure, day.recordings, day.conditions, day.start);
  EXPECT_EQ(found.disputed, std::vector<std::size_t>{2});
  EXPECT_NEAR(found.covariance(2, 2) - plain.covariance(2, 2), off * off, 0.1 * off * off);
  EXPECT_NEAR(found.covariance(1, 1), plain.covariance(1, 1), 0.1 * plain.covariance(1, 1));
}

TEST(OutputError, CanBeStopped) {
  Day day(30);
  OutputErrorOptions options;
  std::vector<double> shares;
  options.progress = [&](double share) {
    shares.push_back(share);
    if (shares.size() == 3) throw std::runtime_error("enough");
  };
  EXPECT_THROW(refine(day.structure, day.recordings, day.conditions, day.start, options), std::runtime_error);
  EXPECT_EQ(shares.size(), 3u);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
}

TEST(OutputError, RefusesWhatItCannotUse) {
  using fathom::test::error_text;
  Day day(20);
  const auto refined = [&](const OutputErrorOptions& options = {}) {
    return error_text([&] { refine(day.structure, day.recordings, day.conditions, day.start, options); });
  };
  OutputErrorOptions options;
  options.least_shot = 100;
  options.shot = 100;
  EXPECT_NE(refined(options).find("has no stretch of 100 s without a gap"), std::string::npos);
  options = {};
  options.every = 0;
  EXPECT_NE(refined(options).find("every = 0, must be above 0"), std::string::npos) << refined(options);
  day.start.theta.setZero();
  EXPECT_NE(refined().find("runs away or has no inertia"), std::string::npos) << refined();
  day.start.theta.conservativeResize(2);
  EXPECT_NE(refined().find("parameters, the start 2"), std::string::npos) << refined();
}

}  // namespace
}  // namespace fathom::identify
