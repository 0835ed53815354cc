#include "fathom/identify/vehicle/estimator_choice.hpp"

#include <cmath>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/identify/vehicle/internal/uncertainty.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"
#include "fathom/model/candidates.hpp"

namespace fathom::identify::estimator_choice_test {
namespace {

using Eigen::Index;

const model::Robot& robot() { return dynamics::test::robot_named("bluerov2-heavy"); }

/// Something pushes by such a share of what is commanded; the log knows nothing of it.
Recording pushed_day(std::uint64_t seed, double duration, double share) {
  const Vec6 size = (Vec6() << 12, 12, 12, 0, 0, 2).finished();
  const test::Wrench told = test::sinusoids(seed, size), push = test::sinusoids(seed + 100, share * size);
  const dynamics::Vehicle vehicle(robot(), model::Environment(), model::Dof::four);
  Recording recording = test::swim_under(
      vehicle, [&](double t, const Vec6&) { return told(t); },
      [&](const Recording&, double t) { return Vec6(told(t) + push(t)); }, duration, 0.1);
  recording.track.nu_sigma_b.setConstant(1e-4);
  return recording;
}

/// The wrench has errors that do not act, as those of a thruster map that is read.
Recording good_day(std::uint64_t seed, double duration) {
  Recording recording = pushed_day(seed, duration, 0);
  RandomStream random(seed, "force");
  for (double& force : recording.tau_b.reshaped()) force += 0.02 * random.normal();
  return recording;
}

IdentifyOptions options_for(const char* structure) {
  IdentifyOptions options;
  options.candidates = {model::candidate(structure, robot())};
  options.compare = false;
  return options;
}

EstimatorChoice chosen(const std::vector<Recording>& recordings, const IdentifyOptions& options,
                       const EstimatorChoiceOptions& how = {}) {
  const Identified found = identify(recordings, robot(), model::Environment(), options);
  return choose_estimator(recordings, robot(), model::Environment(), options, found, how);
}

std::string verdicts(const EstimatorChoice& choice) {
  std::string text = choice.why_consistent;
  for (const EstimatorCandidate& c : choice.candidates)
    text += c.estimator + " " + std::to_string(c.difference) + " +- " + std::to_string(c.difference_sigma) +
            " " + c.why_not + "\n";
  return text;
}

TEST(EstimatorChoice, TakesForwardWhereSomethingPushes) {
  const std::vector<Recording> recordings = {pushed_day(1, 120, 0.7), pushed_day(2, 120, 0.7),
                                             pushed_day(3, 120, 0.7)};
  const EstimatorChoice choice = chosen(recordings, options_for("linear"));
  EXPECT_TRUE(choice.whole_logs);
  EXPECT_EQ(choice.folds, 3u);
  ASSERT_EQ(choice.candidates.size(), 3u);
  EXPECT_EQ(choice.best().estimator, "forward") << verdicts(choice);
  EXPECT_LT(choice.best().difference, -choice.best().difference_sigma);
  EXPECT_GT(choice.best().probability, 0.5);
}

TEST(EstimatorChoice, KeepsTheConsistentOneOfAGoodLog) {
  const EstimatorChoice choice = chosen({good_day(1, 240)}, options_for("diagonal"));
  EXPECT_FALSE(choice.whole_logs);
  EXPECT_GE(choice.blocks, 8u);
  EXPECT_EQ(choice.best().estimator, "consistent") << verdicts(choice);
  for (const EstimatorCandidate& c : choice.candidates) EXPECT_LT(std::abs(c.difference), 0.5) << c.estimator;
}

TEST(EstimatorChoice, NumbersDoNotDependOnTheThreadsAndTheDrawsAreThoseOfTheSeed) {
  IdentifyOptions options = options_for("linear");
  for (const char* more : {"diagonal", "quadratic"})
    options.candidates.push_back(model::candidate(more, robot()));
  const std::vector<Recording> recordings = {pushed_day(1, 150, 0.3)};
  std::vector<EstimatorChoice> choices;
  for (const int threads : {1, 3}) {
    EstimatorChoiceOptions how;
    how.threads = threads;
    choices.push_back(chosen(recordings, options, how));
  }
  EXPECT_EQ(choices[0].chosen, choices[1].chosen);
  ASSERT_EQ(choices[0].candidates.size(), choices[1].candidates.size());
  EXPECT_GE(choices[0].candidates.size(), 6u);  // two structures at least
  double all = 0;
  for (std::size_t k = 0; k < choices[0].candidates.size(); ++k) {
    EXPECT_EQ(choices[0].candidates[k].by_block, choices[1].candidates[k].by_block);
    EXPECT_EQ(choices[0].candidates[k].probability, choices[1].candidates[k].probability);
    all += choices[0].candidates[k].probability;
  }
  EXPECT_NEAR(all, 1, 1e-12);
}

TEST(EstimatorChoice, LeavesOutAnEstimateThatBreaksAConstraint) {
  IdentifyOptions options = options_for("diagonal");
  const std::vector<Recording> recordings = {good_day(1, 240)};
  const double d11 =
      identify(recordings, robot(), model::Environment(), options)
          .parameters[*model::ParameterVector(options.candidates[0].parameters(Eigen::VectorXd::Zero(
                                                  static_cast<Index>(options.candidates[0].size()))))
                           .find("d11")]
          .value;
  options.constraints.bounds = {{"d11", d11 + 2, infinity}};
  const EstimatorChoice choice = chosen(recordings, options);
  ASSERT_EQ(choice.candidates.size(), 3u) << verdicts(choice);
  const EstimatorCandidate& instrumental = choice.candidates[2];
  EXPECT_FALSE(instrumental.tried);
  EXPECT_NE(instrumental.why_not.find("it breaks d11"), std::string::npos) << instrumental.why_not;
  EXPECT_EQ(instrumental.probability, 0);
}

TEST(EstimatorChoice, SaysThatALogIsTooShort) {
  const EstimatorChoice choice = chosen({good_day(1, 50)}, options_for("diagonal"));
  EXPECT_EQ(choice.best().estimator, "consistent");
  EXPECT_NE(choice.why_consistent.find("for the 8 that a comparison takes"), std::string::npos)
      << choice.why_consistent;
  EXPECT_EQ(choice.best().probability, 1);
}

/// Three logs of a minute: as many folds, but fewer blocks than a comparison takes.
TEST(EstimatorChoice, TakesEightBlocksOfWholeLogsToo) {
  EstimatorChoiceOptions how;
  how.window = 20;  // s, so that a log has two blocks
  const EstimatorChoice choice =
      chosen({good_day(1, 50), good_day(2, 50), good_day(3, 50)}, options_for("diagonal"), how);
  EXPECT_TRUE(choice.whole_logs);
  EXPECT_LT(choice.blocks, 8u);
  EXPECT_NE(choice.why_consistent.find("for the 8 that a comparison takes"), std::string::npos)
      << choice.why_consistent;
}

/// Free runs begin in each block's own usable stretch.
TEST(EstimatorChoice, ScoresLogsWithGaps) {
  Recording recording = good_day(1, 240);
  for (Index k = 600; k < 606; ++k) recording.usable[static_cast<std::size_t>(k)] = 0;
  const EstimatorChoice choice = chosen({recording}, options_for("diagonal"));
  ASSERT_TRUE(choice.candidates.front().tried) << verdicts(choice);
  for (const double score : choice.candidates.front().by_block) EXPECT_TRUE(std::isfinite(score));
}

EstimatorCandidate candidate(const char* estimator, std::vector<double> by_block) {
  EstimatorCandidate out;
  out.estimator = estimator;
  out.structure = model::candidate("diagonal", robot());
  out.tried = true;
  out.by_block = std::move(by_block);
  return out;
}

TEST(EstimatorChoice, LeavesTheConsistentOneOnlyByMoreThanAStandardError) {
  EstimatorChoice choice;
  choice.candidates = {candidate("consistent", {0, 0, 0, 0}), candidate("forward", {-1, 0.9, -1, 0.9}),
                       candidate("instrumental", {5, 5, 5, 5})};
  decide(choice);
  EXPECT_EQ(choice.chosen, 0u);  // -0.05 +- 0.55
  EXPECT_NEAR(choice.candidates[1].difference, -0.05, 1e-12);
  EXPECT_NEAR(choice.candidates[1].difference_sigma, 0.95 * std::sqrt(4.0 / 3) / 2, 1e-12);
  choice.candidates[1] = candidate("forward", {-1, -0.9, -1, -0.9});
  for (EstimatorCandidate& c : choice.candidates) c.probability = 0;
  decide(choice);
  EXPECT_EQ(choice.chosen, 1u);
  EXPECT_NEAR(choice.candidates[1].probability, 1, 1e-12);
}

/// Two estimates of one parameter, as probable: 1 and 3, sigma 1 and 2.
TEST(EstimatorChoice, MixesCovariances) {
  EstimatorChoice choice;
  choice.candidates = {candidate("consistent", {}), candidate("forward", {})};
  const auto n = static_cast<Index>(choice.candidates[0].structure.size());
  const Eigen::VectorXd one = Eigen::VectorXd::Constant(n, 1);
  choice.candidates[1].theta = 3 * one;
  choice.candidates[1].covariance = 4 * Eigen::MatrixXd::Identity(n, n);
  choice.candidates[0].probability = choice.candidates[1].probability = 0.5;
  const Eigen::MatrixXd C = mixed_covariance(choice, one, Eigen::MatrixXd::Identity(n, n));
  EXPECT_NEAR(C(0, 0), 0.5 * 1 + 0.5 * (4 + 4), 1e-12);
  EXPECT_NEAR(C(0, 1), 0.5 * 4, 1e-12);
  EXPECT_EQ(C, C.transpose());
}

/// Covariances that are correlated, of a candidate with other parameters: no rounding makes the sum lopsided.
TEST(EstimatorChoice, MixesToASymmetricCovariance) {
  EstimatorChoice choice;
  choice.candidates = {candidate("consistent", {}), candidate("forward", {})};
  choice.candidates[0].structure = model::candidate("linear", robot());
  RandomStream random(1, "mixed");
  const auto some = [&](Index n) {
    Eigen::MatrixXd root(n, n);
    for (double& one : root.reshaped()) one = random.normal();
    return internal::square_of(root);
  };
  const auto n = static_cast<Index>(choice.candidates[0].structure.size()),
             fewer = static_cast<Index>(choice.candidates[1].structure.size());
  ASSERT_LT(fewer, n);
  choice.candidates[1].theta = Eigen::VectorXd::LinSpaced(fewer, 0.1, 0.7);
  choice.candidates[1].covariance = some(fewer);
  choice.candidates[0].probability = 0.3;
  choice.candidates[1].probability = 0.7;
  const Eigen::MatrixXd C = mixed_covariance(choice, Eigen::VectorXd::Ones(n), some(n));
  EXPECT_EQ(C, C.transpose());
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(C).eigenvalues()[0], 0);
}

}  // namespace
}  // namespace fathom::identify::estimator_choice_test
