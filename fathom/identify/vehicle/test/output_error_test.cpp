#include "fathom/identify/vehicle/output_error.hpp"

#include <algorithm>
#include <numbers>
#include <stdexcept>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/consistency/constraints.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"
#include "fathom/model/candidates.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::identify::output_error_test {
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
  solve::ConicSet constraints = consistency::constraints(structure, robot(), water);
  Fit start;  // parameters 20 % off, up and down

  explicit Day(double seconds = 60, std::uint64_t seed = 1) {
    const dynamics::Vehicle plant(robot(), water, Dof::four);
    recordings.push_back(test::swim(plant, test::sinusoids(seed), seconds, dt, delay));
    start.theta = truth;
    for (Index k = 0; k < truth.size(); ++k) start.theta[k] *= k % 2 == 0 ? 1.2 : 0.8;
    start.nuisance.value.delay = 0.05;
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

/// Of the parameters that are not on a border, where an error has one side only.
VectorXd errors_in_sigmas(const Day& day, const OutputError& found) {
  std::vector<double> z;
  for (Index k = 0; k < day.truth.size(); ++k)
    if (day.truth[k] != 0) z.push_back((found.theta[k] - day.truth[k]) / std::sqrt(found.covariance(k, k)));
  return Eigen::Map<const VectorXd>(z.data(), static_cast<Index>(z.size()));
}

TEST(OutputError, FindsTheTruthFromAStartTwentyPercentOff) {
  Day day;
  day.add_noise(0.003, 0, 1);
  const OutputError found = refine(day.structure, day.recordings, day.constraints, day.start);
  EXPECT_TRUE(found.converged) << found.about;
  EXPECT_LT(found.iterations, 60);
  const VectorXd error = errors_in_sigmas(day, found);
  EXPECT_LT(error.cwiseAbs().maxCoeff(), 3.5) << error.transpose();
  EXPECT_LT((found.theta - day.truth).cwiseQuotient(day.truth.cwiseMax(1)).cwiseAbs().maxCoeff(), 0.15);
  EXPECT_NEAR(found.nuisance.value.delay, delay, 4 * found.nuisance.delay_sigma);
  EXPECT_LT(found.nuisance.delay_sigma, 0.01);
  EXPECT_LT(found.cost_after, 0.1 * found.cost_before);
  // White noise at every second sample, blurred by 0.4 s.
  const double blurred = 0.003 * std::sqrt(2 * dt / (2 * std::sqrt(std::numbers::pi) * 0.4));
  for (const int i : model::free_indices(Dof::four)) {
    EXPECT_LT(found.r2_before[i], found.r2_after[i]);
    EXPECT_GT(found.r2_after[i], 0.99);
    EXPECT_GT(found.sigma[i], blurred);
    EXPECT_LT(found.sigma[i], 2.5 * blurred);  // a shot's first sample is not compared
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
  const OutputError found = refine(day.structure, day.recordings, day.constraints, day.start, options);
  EXPECT_TRUE(found.converged) << found.about;
  for (int axis = 0; axis < 2; ++axis) {
    EXPECT_NEAR(found.nuisance.value.current_n[axis], current.velocity_n[axis],
                4 * found.nuisance.current_sigma[axis]);
    EXPECT_LT(found.nuisance.current_sigma[axis], 0.01);
  }
}

TEST(OutputErrorLong, KnowsWhatColouredNoiseDoesToItsSigmas) {
  double square = 0;
  Index count = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Day day(120, seed);
    day.add_noise(0.01, 0.5, seed);
    const OutputError found = refine(day.structure, day.recordings, day.constraints, day.start);
    EXPECT_TRUE(found.converged) << found.about;
    EXPECT_GT(found.bandwidth, 2);
    square += errors_in_sigmas(day, found).squaredNorm();
    count += errors_in_sigmas(day, found).size();
  }
  const double ratio = std::sqrt(square / static_cast<double>(count));
  EXPECT_GT(ratio, 0.7);
  EXPECT_LT(ratio, 1.4);
}

/// A force that no model holds, of two seconds' memory.
class Eddies {
 public:
  Eddies(std::uint64_t seed, double seconds, const Vec6& size)
      : force_(Mat6X::Zero(6, static_cast<Index>(seconds / step) + 3)) {
    RandomStream random(seed, "force");
    const double keep = std::exp(-step / 2);
    for (Index k = 1; k < force_.cols(); ++k)
      for (int i = 0; i < 6; ++i)
        force_(i, k) = keep * force_(i, k - 1) + std::sqrt(1 - keep * keep) * size[i] * random.normal();
  }
  Vec6 at(double t) const { return linear(force_, std::max(0.0, t) / step); }
  static Vec6 linear(const Mat6X& columns, double place) {
    const auto k = std::min(static_cast<Index>(place), columns.cols() - 2);
    const double share = place - static_cast<double>(k);
    return (1 - share) * columns.col(k) + share * columns.col(k + 1);
  }

 private:
  static constexpr double step = 0.1;
  Mat6X force_;
};

/// A day with eddies that a controller answers to, and its consistent fit.
Day disturbed_day(std::uint64_t seed, double seconds, const Vec6& size, const Vec6& gain) {
  Day day(1, seed);
  const Eddies eddies(seed, seconds, size);
  const auto wanted = test::sinusoids(seed, (Vec6() << 8, 8, 8, 0, 0, 1).finished());
  const dynamics::Vehicle plant(robot(), water, Dof::four);
  day.recordings[0] = test::swim_under(
      plant, [&](double t, const Vec6& nu_b) -> Vec6 { return wanted(t) - gain.cwiseProduct(nu_b); },
      [&](const Recording& log, double t) -> Vec6 {
        return Eddies::linear(log.tau_b, std::max(0.0, t - delay) / dt) + eddies.at(t);
      },
      seconds, dt);
  day.add_noise(0.002, 0, seed);
  day.recordings[0].nu_split_b = Mat6X::Zero(6, day.recordings[0].size());
  day.start = fit(Regression(day.structure, day.recordings), day.constraints);
  return day;
}

/// Under a controller commands are correlated with what the model lacks: residuals as they are, not what is new
/// in them, give inertia and drag that are off by several sigmas.
TEST(OutputErrorLong, KnowsWhatAColouredForceDoesToItsSigmas) {
  const Vec6 size = (Vec6() << 1.5, 1.5, 1.5, 0, 0, 0.25).finished();
  for (const double gain : {0.0, 15.0}) {
    VectorXd sum;
    double square = 0, count = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Day day = disturbed_day(seed, 120, size, gain * (Vec6() << 1, 1, 1, 0, 0, 0.1).finished());
      const OutputError found = refine(day.structure, day.recordings, day.constraints, day.start);
      EXPECT_TRUE(found.converged) << found.about;
      const VectorXd z = errors_in_sigmas(day, found);
      square += z.squaredNorm();
      count += static_cast<double>(z.size());
      sum = seed == 1 ? z : (sum + z).eval();
    }
    EXPECT_GT(std::sqrt(square / count), 0.5) << gain;
    EXPECT_LT(std::sqrt(square / count), 1.4) << gain;
    EXPECT_LT((sum / 4).cwiseAbs().maxCoeff(), 1.8) << gain << ": " << (sum / 4).transpose();
  }
}

TEST(OutputError, PassesOverAGap) {
  Day day(80);
  day.add_noise(0.003, 0, 2);
  Recording& recording = day.recordings[0];
  for (std::size_t k = 700; k < 800; ++k) {
    recording.usable[k] = 0;
    recording.track.nu_b.col(static_cast<Index>(k)).setConstant(std::nan(""));
  }
  const OutputError found = refine(day.structure, day.recordings, day.constraints, day.start);
  EXPECT_TRUE(found.converged) << found.about;
  EXPECT_LT(errors_in_sigmas(day, found).cwiseAbs().maxCoeff(), 3.5);
}

TEST(OutputError, StaysInsideTheConditions) {
  Day day;
  day.add_noise(0.003, 0, 3);
  const VectorXd free_theta = refine(day.structure, day.recordings, day.constraints, day.start).theta;
  // A bound that the data want to cross by a tenth, and a start on it.
  const std::string name = day.structure.parameters(day.truth)[0].name;
  consistency::ConstraintOptions options;
  options.bounds.push_back({name, 0, 0.9 * day.truth[0]});
  const solve::ConicSet bounded = consistency::constraints(day.structure, robot(), water, options);
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
  const OutputError plain = refine(day.structure, day.recordings, day.constraints, day.start, options);
  options.attitude_sigma = Vec3(0.02, 0.02, 0.05);
  const OutputError wide = refine(day.structure, day.recordings, day.constraints, day.start, options);
  EXPECT_EQ(plain.theta, wide.theta);
  const VectorXd ratio = wide.covariance.diagonal().cwiseQuotient(plain.covariance.diagonal());
  EXPECT_GE(ratio.minCoeff(), 1);
  EXPECT_GT(ratio.maxCoeff(), 2);
}

TEST(OutputError, AnErrorOfAllForcesScalesAllParameters) {
  Day day(90);
  day.add_noise(0.003, 0, 4);
  OutputErrorOptions options;
  const OutputError plain = refine(day.structure, day.recordings, day.constraints, day.start, options);
  options.thrust_sigma = 0.05;
  const OutputError wide = refine(day.structure, day.recordings, day.constraints, day.start, options);
  for (Recording& recording : day.recordings) recording.tau_b *= 1.05;
  const OutputError moved = refine(day.structure, day.recordings, day.constraints, day.start, options);
  const VectorXd shift = moved.theta - plain.theta;
  const Eigen::MatrixXd added = wide.covariance - plain.covariance;
  EXPECT_LT((added - shift * shift.transpose()).norm(), 0.02 * added.norm());
}

TEST(OutputError, NamesWhatDiffersFromTheFitAndWidensIt) {
  Day day(90);
  day.add_noise(0.003, 0, 4);
  const OutputError plain = refine(day.structure, day.recordings, day.constraints, day.start);
  day.start.covariance = plain.covariance;
  day.start.theta = plain.theta;
  const double off = 3 * std::sqrt(plain.covariance(2, 2));
  day.start.theta[2] += off;
  const OutputError found = refine(day.structure, day.recordings, day.constraints, day.start);
  EXPECT_EQ(found.inconsistent, std::vector<std::size_t>{2});
  EXPECT_NEAR(found.covariance(2, 2) - plain.covariance(2, 2), off * off, 0.1 * off * off);
  EXPECT_NEAR(found.covariance(1, 1), plain.covariance(1, 1), 0.1 * plain.covariance(1, 1));
}

/// The time goes into iterations: the share that is reported says how many there are still to come. How fast
/// the cost will settle is not known before it does: half of the reports or so are right within a factor
/// of 1.5, where a share of the iterations that are allowed was never right.
TEST(OutputError, ReportsTheShareOfItsWork) {
  for (const double seconds : {40.0, 80.0}) {
    Day day(seconds);
    day.add_noise(0.003, 0, 1);
    OutputErrorOptions options;
    std::vector<double> shares;
    options.progress = [&](double share) { shares.push_back(share); };
    refine(day.structure, day.recordings, day.constraints, day.start, options);
    EXPECT_EQ(shares.front(), 0);
    const double all = static_cast<double>(shares.size() - 1) + 1.2;  // the covariance takes as long as that
    int right = 0, reports = 0;
    for (std::size_t k = 1; k < shares.size(); ++k) {
      const auto done = static_cast<double>(k);
      const double left = done * (1 - shares[k]) / shares[k], truth = all - done;
      ++reports;
      right += left > truth / 1.5 - 0.5 && left < 1.5 * truth + 0.5 ? 1 : 0;
    }
    EXPECT_GE(right, 0.4 * reports) << reports;
  }
}

TEST(OutputError, CanBeStopped) {
  Day day(30);
  OutputErrorOptions options;
  std::vector<double> shares;
  options.progress = [&](double share) {
    shares.push_back(share);
    if (shares.size() == 3) throw std::runtime_error("enough");
  };
  EXPECT_THROW(refine(day.structure, day.recordings, day.constraints, day.start, options), std::runtime_error);
  EXPECT_EQ(shares.size(), 3u);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
}

TEST(OutputError, RefusesWhatItCannotUse) {
  using fathom::test::error_text;
  Day day(20);
  const auto refined = [&](const OutputErrorOptions& options = {}) {
    return error_text([&] { refine(day.structure, day.recordings, day.constraints, day.start, options); });
  };
  OutputErrorOptions options;
  options.least_segment = 100;
  options.segment = 100;
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
}  // namespace fathom::identify::output_error_test
