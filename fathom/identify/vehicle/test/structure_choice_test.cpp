#include "fathom/identify/vehicle/structure_choice.hpp"

#include <Eigen/QR>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"
#include "fathom/model/candidates.hpp"

namespace fathom::identify::structure_choice_test {
namespace {

using Eigen::Index;
using fathom::test::error_text;

const model::Robot& robot() { return dynamics::test::robot_named("defender-like"); }

/// All six move, and the wrench has errors that remember.
std::vector<Recording> swum(double duration, model::Dof dof = model::Dof::six) {
  const dynamics::Vehicle vehicle(robot(), model::Environment(), dof);
  const Vec6 size = dof == model::Dof::six ? (Vec6() << 12, 12, 12, 2, 2, 2).finished()
                                           : (Vec6() << 12, 12, 12, 0, 0, 2).finished();
  std::vector<Recording> out = {test::swim(vehicle, test::sinusoids(1, size), duration, 0.1)};
  out.front().track.nu_sigma_b.setConstant(1e-4);
  RandomStream random(1, "force");
  Vec6 error = Vec6::Zero();
  for (Index k = 0; k < out.front().size(); ++k) {
    for (double& e : error) e = 0.9 * e + 0.1 * random.normal();
    out.front().tau_b.col(k) += 0.1 * size.cwiseProduct(error);
  }
  return out;
}

Fit reference(std::initializer_list<double> row_sigma) {
  Fit fit;
  fit.row_sigma = Eigen::Map<const Eigen::VectorXd>(row_sigma.begin(), static_cast<Index>(row_sigma.size()));
  return fit;
}

StructureChoice chosen(const std::vector<model::Structure>& structures,
                       const std::vector<Recording>& recordings, const Fit& by, int blocks = 10) {
  ChoiceOptions options;
  options.blocks = blocks;
  return choose_structure(structures, recordings, robot(), model::Environment(), {}, {}, by, options);
}

StructureChoice chosen(std::initializer_list<std::string> names, const std::vector<Recording>& recordings,
                       const Fit& by, int blocks = 10) {
  std::vector<model::Structure> structures;
  for (const std::string& name : names) structures.push_back(model::candidate(name, robot()));
  return chosen(structures, recordings, by, blocks);
}

/// Rows of [Y tau] of all samples.
Eigen::MatrixXd all_rows(const Regression& regression) {
  const auto n = static_cast<Index>(regression.structure().size());
  Eigen::MatrixXd rows(regression.samples() * regression.rows(), n + 1);
  regression.pass({}, [&](const RowBlock& block) {
    rows.middleRows(block.first_sample * regression.rows(), block.Y.rows()) << block.Y, block.tau;
  });
  return rows;
}

TEST(StructureChoice, NumbersDoNotDependOnTheThreads) {
  const std::vector<Recording> recordings = swum(90);
  std::vector<model::Structure> structures;
  for (const char* name : {"linear", "diagonal", "quadratic"})
    structures.push_back(model::candidate(name, robot()));
  std::vector<StructureChoice> choices;
  for (const int threads : {1, 3}) {
    ChoiceOptions options;
    options.threads = threads;
    std::vector<std::size_t> heard;
    options.progress = [&](std::size_t done) { heard.push_back(done); };
    choices.push_back(choose_structure(structures, recordings, robot(), model::Environment(), {}, {},
                                       reference({2, 3, 5, 7}), options));
    EXPECT_EQ(heard, (std::vector<std::size_t>{0, 1, 2}));
  }
  EXPECT_EQ(choices[0].chosen, choices[1].chosen);
  for (std::size_t k = 0; k < structures.size(); ++k) {
    EXPECT_EQ(choices[0].candidates[k].structure.name, structures[k].name);
    EXPECT_EQ(choices[0].candidates[k].error, choices[1].candidates[k].error);
    EXPECT_EQ(choices[0].candidates[k].by_block, choices[1].candidates[k].by_block);
  }
}

TEST(StructureChoice, JudgesEachVelocityByItsOwnSigma) {
  const std::vector<Recording> recordings = swum(90);
  const model::Structure six = model::candidate("6dof", robot());
  const Regression regression(six, recordings);
  const Eigen::MatrixXd rows = all_rows(regression);
  const Vec6 sigma = (Vec6() << 2, 3, 5, 0.01, 0.1, 7).finished();
  for (const bool in_six : {true, false}) {
    const Fit by = in_six ? reference({2, 3, 5, 0.01, 0.1, 7}) : reference({2, 3, 5, 7});
    const StructureChoice choice = chosen({"6dof", "6dof-cross"}, recordings, by);
    const Candidate& candidate = choice.candidates.front();
    ASSERT_TRUE(candidate.tried) << candidate.why_not;
    double expected = 0;  // from the shares, which are of residual and wrench alone
    for (const int i : scored_velocities) {
      double wrench_square = 0;
      for (Index k = i; k < rows.rows(); k += 6) wrench_square += std::pow(rows(k, rows.cols() - 1), 2);
      expected += std::pow(candidate.share[i] / sigma[i], 2) * wrench_square;
    }
    expected /= 4.0 * static_cast<double>(regression.samples());
    EXPECT_NEAR(candidate.error, expected, 0.01 * expected) << in_six;  // blocks differ by a sample
  }
}

/// Dense least squares on the other blocks, without eight samples to either side. M > 0 does not hold it back.
TEST(StructureChoice, HoldsOutEachSampleOnce) {
  const std::vector<Recording> recordings = swum(51, model::Dof::four);
  const model::Structure structure = model::candidate("diagonal", robot());
  const Regression regression(structure, recordings);
  const Index n = regression.samples(), blocks = n / 20, columns = static_cast<Index>(structure.size());
  ASSERT_EQ(blocks, 5);
  const Eigen::MatrixXd rows = all_rows(regression);
  consistency::ConstraintOptions loose;
  loose.dry_body = loose.dissipation = loose.signs = false;
  const StructureChoice choice = choose_structure({structure}, recordings, robot(), model::Environment(), loose,
                                                  {}, reference({1, 1, 1, 1}));
  const std::vector<double>& by_block = choice.candidates.front().by_block;
  ASSERT_EQ(by_block.size(), 5);
  for (Index b = 0; b < blocks; ++b) {
    const Index first = b * n / blocks, end = (b + 1) * n / blocks;
    const Index before = 4 * std::max<Index>(0, first - 8), after = 4 * std::max<Index>(0, n - end - 8);
    Eigen::MatrixXd others(before + after, columns + 1);
    others << rows.topRows(before), rows.bottomRows(after);
    const Eigen::VectorXd theta =
        others.leftCols(columns).colPivHouseholderQr().solve(others.rightCols(1).col(0));
    const Eigen::MatrixXd held_out = rows.middleRows(4 * first, 4 * (end - first));
    const double expected = (held_out.leftCols(columns) * theta - held_out.rightCols(1)).squaredNorm() /
                            static_cast<double>(held_out.rows());
    EXPECT_NEAR(by_block[static_cast<std::size_t>(b)], expected, 2e-3 * expected) << b;
  }
}

TEST(StructureChoice, ShortLogsHaveFewerBlocks) {
  const Fit by = reference({1, 1, 1, 1});
  for (const double duration : {32, 50, 100}) {
    const std::vector<Recording> recordings = swum(duration, model::Dof::four);
    const Index samples = Regression(model::candidate("diagonal", robot()), recordings).samples();
    for (const int blocks : {3, 10, 1000}) {
      const StructureChoice choice = chosen({"linear", "diagonal"}, recordings, by, blocks);
      for (const Candidate& candidate : choice.candidates) {
        EXPECT_EQ(static_cast<Index>(candidate.by_block.size()), std::min<Index>(blocks, samples / 20));
        for (const double error : candidate.by_block) EXPECT_GT(error, 0);
        EXPECT_TRUE(std::isfinite(candidate.worse_sigma));
      }
      // Drag is quadratic: a log of less than a minute shows that.
      EXPECT_EQ(choice.chosen, 1) << duration << " s, " << blocks;
    }
  }
}

TEST(StructureChoice, RefusesLogsThatCannotBeCut) {
  const Fit by = reference({1, 1, 1, 1});
  const std::string text = error_text([&] { chosen({"linear", "diagonal"}, swum(26, model::Dof::four), by); });
  EXPECT_EQ(
      text,
      "swim: log is too short to choose a structure by: 55 samples, one every 0.4 s, expected at least 60 "
      "(name one: `--structure NAME`; or a longer log)");
}

TEST(StructureChoice, RefusesTooFewBlocks) {
  const std::vector<Recording> recordings = swum(40, model::Dof::four);
  for (const int blocks : {-1, 0, 1, 2})
    EXPECT_EQ(error_text([&] {
                chosen({"diagonal"}, recordings, reference({1, 1, 1, 1}), blocks);
              }),
              fmt::format("choice.blocks = {}, must be at least 3", blocks));
}

TEST(StructureChoice, DoesNotTryWhatLacksAJudgedVelocity) {
  const std::vector<Recording> recordings = swum(40, model::Dof::four);
  model::StructureOptions options;
  options.dof = model::Dof::three;
  const model::Structure planar = model::make_structure("planar", options);
  const StructureChoice choice =
      chosen({planar, model::candidate("diagonal", robot())}, recordings, reference({1, 1, 1, 1}));
  EXPECT_FALSE(choice.candidates.front().tried);
  EXPECT_EQ(choice.candidates.front().why_not, "has no heave, by which it would be judged");
  EXPECT_EQ(choice.chosen, 1);
  EXPECT_EQ(error_text([&] {
              chosen(std::vector{planar}, recordings, reference({1, 1, 1, 1}));
            }),
            "structure no structure can be fitted to this log (has no heave, by which it would be judged)");
  EXPECT_EQ(error_text([&] {
              chosen({"diagonal"}, recordings, reference({1, 1, 1}));
            }),
            "reference is a fit of 3 rows, expected 4 or 6 (of a structure with surge, sway, heave and yaw)");
}

}  // namespace
}  // namespace fathom::identify::structure_choice_test
