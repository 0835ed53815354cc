#include "studies/excitation/noise_study.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/base/file.hpp"
#include "fathom/dynamics/regressor.hpp"
#include "fathom/excite/assessment.hpp"

namespace fathom::studies::noise_study_test {
namespace {

using namespace excite;

const std::filesystem::path models = FATHOM_ROBOTS_DIR;

/// Short, with a motion that needs no solver.
struct Swing {
  Problem problem;
  Eigen::VectorXd truth;
  Grid grid;

  explicit Swing(double duration = 100, const Noise& noise = {1, 0.25, 0, 0})
      : problem(read_problem(std::filesystem::path(FATHOM_SOURCE_DIR) / "studies/excitation/paper.yaml",
                             {models}, duration)),
        truth(linearised_parameters(problem)),
        grid(sinusoid_grid(problem, problem.sampling)) {
    problem.noise = noise;
  }
  NoiseStudy run(int draws, std::uint64_t seed = 1, int threads = 1) const {
    ThreadPool pool(threads);
    return study_noise(problem, truth, grid, pool, {draws, seed});
  }
};

/// Two sines per coordinate: no kinks in any derivative.
trajectory::Bezier::Sample smooth_at(double t) {
  trajectory::Bezier::Sample all{Vec6::Zero(), Vec6::Zero(), Vec6::Zero()};
  for (const int c : {0, 1, 2, 5})
    for (const double omega : {0.4 + 0.07 * c, 0.9 - 0.05 * c}) {
      all.value[c] += 0.3 * std::sin(omega * t);
      all.rate[c] += 0.3 * omega * std::cos(omega * t);
      all.acceleration[c] -= 0.3 * omega * omega * std::sin(omega * t);
    }
  return all;
}

TEST(NoiseStudy, WithoutNoiseTheTruthComesBack) {
  Swing swing(100, {1e-12, 1e-12, 0, 0});
  swing.grid = sample_path(swing.problem, smooth_at, 0.2);
  EXPECT_LT(swing.run(1).rms.maxCoeff(), 1e-6);
  // Where the acceleration has kinks, some of it folds over at the sampling rate.
  EXPECT_LT(Swing(100, {1e-12, 1e-12, 0, 0}).run(1).rms.maxCoeff(), 1e-3);
}

TEST(NoiseStudy, WantsDraws) {
  const Swing swing;
  EXPECT_THROW(swing.run(0), InputError);
  EXPECT_THROW(swing.run(-3), InputError);
}

/// Noise in the regressor shrinks what is found: theta -> (G + N)^-1 G theta, N the noise's own part of G.
/// Heave alone, whose filtered columns and noise are known in closed form.
TEST(NoiseStudy, BiasIsThatOfNoiseInTheRegressor) {
  using Kind = model::Term::Kind;
  constexpr double sigma = 0.1, width = 0.5, dt = 0.2, omega = 0.8;
  Swing swing(200, {1e-6, 1e-6, sigma, 0});
  swing.problem.structure = {"heave", model::Dof::four, {{Kind::inertia, 2, 2}, {Kind::linear, 2, 2}}};
  swing.truth = Eigen::Vector2d(37, 41);
  swing.grid = sample_path(
      swing.problem,
      [](double t) {
        trajectory::Bezier::Sample all{Vec6::Zero(), Vec6::Zero(), Vec6::Zero()};
        all.value[2] = 0.3 * std::sin(omega * t);
        all.rate[2] = 0.3 * omega * std::cos(omega * t);
        all.acceleration[2] = -0.3 * omega * omega * std::sin(omega * t);
        return all;
      },
      dt);
  const NoiseStudy study = swing.run(160);

  const double speed =
      0.3 * omega * std::exp(-0.5 * std::pow(omega * width, 2));  // amplitude behind the filter
  const double root_pi = std::sqrt(std::numbers::pi);
  const Eigen::Vector2d signal(0.5 * std::pow(speed * omega, 2), 0.5 * speed * speed);
  const Eigen::Vector2d noise =
      sigma * sigma * dt * Eigen::Vector2d(1 / (4 * root_pi * std::pow(width, 3)), 1 / (2 * root_pi * width));
  const Eigen::Vector2d found = signal.cwiseQuotient(signal + noise).cwiseProduct(swing.truth);
  const Eigen::VectorXd expected = (found - swing.truth).cwiseQuotient(parameter_scales(swing.problem));
  ASSERT_LT(expected[0], -0.1);
  for (int k = 0; k < 2; ++k) {
    const double spread = std::sqrt(std::pow(study.rms[k], 2) - std::pow(study.mean[k], 2));
    EXPECT_NEAR(study.mean[k], expected[k], 4 * spread / std::sqrt(160)) << k;
    EXPECT_LT(4 * spread / std::sqrt(160), 0.08 * std::abs(expected[0]));
  }
}

/// Covariance of least squares on filtered rows, with matrices written out: A^-1 B A^-1, A = sum w (F Y)' F Y,
/// B = sum w^2 sigma^2 (F' F Y)' F' F Y over the rows of the equation, F the filter.
double exact_error(const Swing& swing) {
  const Problem& problem = swing.problem;
  const auto n = static_cast<Eigen::Index>(swing.grid.mask.sum());
  constexpr Eigen::Index radius = 15;
  Eigen::MatrixXd F = Eigen::MatrixXd::Zero(n - 2 * radius, n);
  for (Eigen::Index i = 0; i < F.rows(); ++i) {
    for (Eigen::Index k = -radius; k <= radius; ++k)
      F(i, i + radius + k) = std::exp(-0.5 * std::pow(0.2 * static_cast<double>(k) / 0.5, 2));
    F.row(i) /= F.row(i).sum();
  }
  std::vector<Eigen::MatrixXd> Y(4, Eigen::MatrixXd(n, 23));
  for (Eigen::Index i = 0; i < n; ++i) {
    const Samples& s = swing.grid.samples;
    const Eigen::MatrixXd one = dynamics::regressor(
        problem.structure, {s.nu.row(i).transpose(), s.nu_dot.row(i).transpose(), s.down.row(i).transpose()});
    for (Eigen::Index r = 0; r < 4; ++r) Y[static_cast<std::size_t>(r)].row(i) = one.row(r);
  }
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(23, 23), B = A;
  for (std::size_t r = 0; r < 4; ++r) {
    const double sigma = r < 3 ? 1 : 0.25, w = 1 / (sigma * sigma);
    const Eigen::MatrixXd FY = F * Y[r], FFY = F.transpose() * FY;
    A += w * FY.transpose() * FY;
    B += w * w * sigma * sigma * FFY.transpose() * FFY;
  }
  const Eigen::MatrixXd C = A.inverse() * B * A.inverse();
  return std::sqrt(C.diagonal().cwiseQuotient(parameter_scales(problem).cwiseAbs2()).mean());
}

TEST(NoiseStudy, ErrorIsThatOfLeastSquaresWhereOnlyTheWrenchIsNoisy) {
  const Swing swing;
  const NoiseStudy study = swing.run(60);
  const double exact = exact_error(swing);
  EXPECT_NEAR(study.error / exact, 1, 0.08);  // 60 draws of 23 parameters that are not independent
  EXPECT_LT(study.bias, 2 * study.error / std::sqrt(60));
  // No linear unbiased estimate is better than what is predicted; the filter costs little.
  EXPECT_GT(exact, study.predicted);
  EXPECT_LT(exact, 1.2 * study.predicted);
}

TEST(NoiseStudy, DependsOnTheSeedAlone) {
  const Swing swing(60, {1, 0.25, 0.01, 0.01});
  const NoiseStudy one = swing.run(4), two = swing.run(4, 1, 2), other = swing.run(4, 2);
  EXPECT_EQ(one.rms, two.rms);
  EXPECT_EQ(one.mean, two.mean);
  EXPECT_NE(one.error, other.error);
}

TEST(NoiseStudy, PriorsDoNotCount) {
  Swing swing(60);
  const double before = swing.run(1).predicted;
  swing.problem.priors = {{"d62", 1e-6}};
  EXPECT_EQ(swing.run(1).predicted, before);
}

TEST(NoiseStudy, WidthFollowsTheQuickestLimit) {
  Problem problem = Swing(60).problem;
  EXPECT_DOUBLE_EQ(filter_width(problem), 0.5);  // .3 / .2 / 3, yaw .5 / .3 / 3
  problem.segments[2].limits.acceleration[2] = {-0.1, 0.25};
  EXPECT_DOUBLE_EQ(filter_width(problem), 0.4);
  problem.sampling = 1;
  EXPECT_DOUBLE_EQ(filter_width(problem), 1.5);
}

std::string rejection(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(NoiseStudy, RefusesMotionsShorterThanTheFilter) {
  Swing swing(60);
  swing.grid.mask.tail(swing.grid.mask.size() - 40).setZero();
  EXPECT_NE(rejection([&] { swing.run(1); }).find("a filter of 0.5 s needs 12 s"), std::string::npos);
}

TEST(NoiseStudy, RefusesMotionsThatShowTooLittle) {
  Swing swing(60, {1, 0.25, 0, 0});
  for (Eigen::ArrayXXd* columns : {&swing.grid.samples.nu, &swing.grid.samples.nu_dot}) columns->setZero();
  EXPECT_NE(rejection([&] { swing.run(1); }).find("least squares is singular"), std::string::npos);
}

TEST(NoiseStudy, TruthNamesEveryParameter) {
  const auto file = std::filesystem::path(testing::TempDir()) / "truth.yaml";
  const auto structure = model::structure_by_name("vehicle-23");
  write_file_atomically(file, "m11: 24\nm222: 3\n");
  const std::string text = rejection([&] { read_truth(file, structure); });
  EXPECT_NE(text.find("the key m22 is missing"), std::string::npos) << text;
  EXPECT_NE(text.find("unknown key 'm222'"), std::string::npos) << text;
  std::filesystem::remove(file);
}

TEST(NoiseStudy, TheCommittedTruthIsWhatTheFormulaGives) {
  const Problem problem =
      read_problem(std::filesystem::path(FATHOM_SOURCE_DIR) / "studies/excitation" / "paper.yaml", {models});
  const Eigen::VectorXd truth = read_truth(
      std::filesystem::path(FATHOM_SOURCE_DIR) / "studies/excitation" / "truth.yaml", problem.structure);
  ASSERT_EQ(truth.size(), 23);
  EXPECT_LT((truth - linearised_parameters(problem)).cwiseAbs().maxCoeff(), 5e-5);
}

}  // namespace
}  // namespace fathom::studies::noise_study_test
