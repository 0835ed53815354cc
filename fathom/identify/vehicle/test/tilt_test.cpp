#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/identify/vehicle/band.hpp"
#include "fathom/identify/vehicle/baselines.hpp"
#include "fathom/identify/vehicle/current_fit.hpp"
#include "fathom/identify/vehicle/estimator_choice.hpp"
#include "fathom/identify/vehicle/identify.hpp"
#include "fathom/identify/vehicle/neglected_wrench.hpp"
#include "fathom/identify/vehicle/prediction.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"
#include "fathom/model/candidates.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::identify::tilt_test {
namespace {

using Eigen::Index;
using fathom::test::error_text;

// Righted by 1.3 N m: the Munk moments of its own motion heel it by tens of degrees.
const model::Robot& rov() { return dynamics::test::robot_named("bluerov2-heavy"); }

/// In 6-DoF, with thrusters that give no moment about x and y.
std::vector<Recording> heeling_swim(const model::Robot& robot, double duration, double noise = 0) {
  const dynamics::Vehicle vehicle(robot, model::Environment(), model::Dof::six);
  const Vec6 size = (Vec6() << 12, 12, 12, 0, 0, 2).finished();
  std::vector<Recording> out = {test::swim(vehicle, test::sinusoids(1, size), duration, 0.05)};
  out.front().track.nu_sigma_b.setConstant(std::max(1e-4, noise));
  if (noise == 0) return out;
  RandomStream random(1, "velocity");
  Recording& recording = out.front();
  recording.nu_split_b.setZero(6, recording.size());
  for (Index k = 0; k < recording.size(); ++k)
    for (int i = 0; i < 6; ++i) {
      const double a = random.normal() * std::sqrt(2.0) * noise, b = random.normal() * std::sqrt(2.0) * noise;
      recording.track.nu_b(i, k) += (a + b) / 2;
      recording.nu_split_b(i, k) = (a - b) / 2;
    }
  return out;
}

Identified identified(const std::vector<Recording>& recordings, const model::Robot& robot,
                      const std::string& structure) {
  IdentifyOptions options;
  options.regression.most_delay = 0.3;
  options.candidates = {model::candidate(structure, robot)};
  options.compare = false;
  return identify(recordings, robot, model::Environment(), options);
}

double error_of(const Identified& found, const model::Robot& truth, const std::string& name) {
  const model::ParameterVector values =
      model::parameters_of(truth, model::Environment(), found.structure).parameters;
  const std::size_t k = *values.find(name);
  return found.parameters[k].value / values[k].value - 1;
}

TEST(Tilt, FourDofRowsHaveTheMeasuredTilt) {
  const std::vector<Recording> recordings = heeling_swim(rov(), 60);
  const Identified found = identified(recordings, rov(), "diagonal");
  EXPECT_GT(found.tilt, 0.2);
  for (const char* name : {"m11", "m22", "m33", "m66"})
    EXPECT_NEAR(error_of(found, rov(), name), 0, 0.01) << name;
  // This vehicle has no term that couples roll and pitch to the rest, so that nothing is neglected.
  EXPECT_LT(found.neglected_share(), 0.01);
  EXPECT_FALSE(found.neglects_tilt());
}

TEST(Tilt, SixDofNeedsNoWrenchInRollAndPitch) {
  const Identified found = identified(heeling_swim(rov(), 60), rov(), "6dof");
  for (const char* name : {"m11", "m22", "m33", "m44", "m55", "m66", "zgW-zbB"})
    EXPECT_NEAR(error_of(found, rov(), name), 0, 0.03) << name;
}

TEST(Tilt, RowsWithoutAWrenchDoNotCollapse) {
  const Identified found = identified(heeling_swim(rov(), 120, 0.01), rov(), "6dof");
  for (const char* name : {"m44", "m55", "zgW-zbB"}) EXPECT_NEAR(error_of(found, rov(), name), 0, 0.3) << name;
  for (const char* name : {"m11", "m22", "m33", "m66"})
    EXPECT_NEAR(error_of(found, rov(), name), 0, 0.03) << name;
}

TEST(Tilt, IsJudgedByTheWrenchThatIsNeglected) {
  // Its centre of mass is beside the origin: m15, m24 and m26 couple roll and pitch to the rest.
  const model::Robot& coupled = dynamics::test::robot_named("defender-like");
  const std::vector<Recording> recordings = heeling_swim(coupled, 60);
  const Identified four = identified(recordings, coupled, "diagonal");
  EXPECT_GT(four.neglected_share(), 0.02);
  EXPECT_TRUE(four.neglects_tilt());
  EXPECT_TRUE(four.shows_tilt());
  const Identified six = identified(recordings, coupled, "6dof");
  EXPECT_EQ(six.neglected, Vec6::Zero());
  EXPECT_FALSE(six.neglects_tilt());
}

TEST(Tilt, ShowsNoSixDofThatCouldNotBeTried) {
  Identified found;
  found.excitation = Vec6::Constant(100);
  EXPECT_TRUE(found.shows_tilt());
  found.choice.emplace();
  for (const char* name : {"diagonal", "6dof"}) {
    found.choice->candidates.emplace_back();
    found.choice->candidates.back().structure = model::candidate(name, rov());
  }
  found.choice->candidates[0].tried = true;
  EXPECT_FALSE(found.shows_tilt());
  found.choice->candidates[1].tried = true;
  EXPECT_TRUE(found.shows_tilt());
  found.choice->candidates.pop_back();  // 6-DoF was no candidate
  EXPECT_TRUE(found.shows_tilt());
}

/// The vehicle with a file that says how well it is known.
model::Robot rov_with_sigmas() {
  model::RobotSpec spec = rov().spec();
  spec.hull.added_mass.sigma = Mat6::Constant(0.1);
  spec.hull.mass.sigma = 0.1;
  spec.hull.inertia.sigma = Mat3::Constant(0.01);
  spec.hull.centre_of_mass.sigma = Vec3::Constant(1e-4);
  return model::Robot::make(std::move(spec));
}

TEST(Tilt, TheFileIsAPriorWhereNoThrusterDrivesRollAndPitch) {
  const model::Robot known = rov_with_sigmas();
  std::vector<Recording> recordings = heeling_swim(known, 60, 0.02);
  const Identified found = identified(recordings, known, "6dof");
  ASSERT_TRUE(found.fit.prior);
  const ParameterPrior& prior = *found.fit.prior;
  for (const std::size_t k : found.at_prior.unidentifiable) {
    const auto at = static_cast<Index>(k);
    EXPECT_GT(found.parameters.sigma(k), 0.7 * prior.sigma[at]);
  }
  const std::size_t d11 = *found.parameters.find("d11");
  EXPECT_TRUE(std::isinf(prior.sigma[static_cast<Index>(d11)]));  // the file does not say how well it is known

  // Where thrusters drive all six, the logs speak for themselves.
  recordings.front().tau_b.middleRows(3, 2).setConstant(0.1);
  EXPECT_FALSE(prior_of(found.structure, wrench_rms(recordings), known, model::Environment()));
}

/// As the neighbour of a 4-DoF structure, a 6-DoF one has the prior's scatter and the errors of delay, current
/// and attitude in its covariance, as a fit of its own has: what only the file knows is no exact result.
TEST(Tilt, ANeighbourOfTheChosenStructureIsAsUnsureAsAFitOfItsOwn) {
  const model::Robot known = rov_with_sigmas();
  const std::vector<Recording> recordings = heeling_swim(known, 120, 0.02);
  IdentifyOptions options;
  options.regression.most_delay = 0.3;
  options.candidates = {model::candidate("diagonal", known)};
  options.compare = false;
  options.fit.attitude_sigma = Vec3::Constant(0.02);
  Identified found = identify(recordings, known, model::Environment(), options);
  found.choice.emplace();
  for (const char* name : {"diagonal", "6dof"}) {
    found.choice->candidates.emplace_back();
    found.choice->candidates.back().structure = model::candidate(name, known);
    found.choice->candidates.back().tried = true;
  }
  EstimatorChoiceOptions how;
  how.least_blocks = 4;
  const EstimatorChoice choice = choose_estimator(recordings, known, model::Environment(), options, found, how);
  ASSERT_EQ(choice.candidates.size(), 6u) << choice.why_consistent;
  const EstimatorCandidate& six = choice.candidates[3];
  ASSERT_TRUE(six.tried) << six.why_not;
  options.candidates = {six.structure};
  const Identified own = identify(recordings, known, model::Environment(), options);
  for (Index k = 0; k < six.theta.size(); ++k) {
    const model::Term& term = six.structure.terms[static_cast<std::size_t>(k)];
    if (term.kind != model::Term::Kind::inertia) continue;
    EXPECT_GT(std::sqrt(six.covariance(k, k)), 0.5 * own.parameters.sigma(static_cast<std::size_t>(k)))
        << name_of(term);
  }
}

TEST(Tilt, AtThePriorIsWhatTheLogsSayLessOfThanTheFile) {
  ParameterPrior prior;
  prior.value = Eigen::Vector3d(1, 2, 3);
  prior.sigma = Eigen::Vector3d(1, 2, std::numeric_limits<double>::infinity());
  prior.information = Eigen::Vector3d(1, 0.25, 0).asDiagonal();
  // By the logs 0.5, twice as well as the file; 4, half as well as the file; 9, of which the file says nothing.
  const Eigen::Vector3d of_logs(1 / 0.25, 1.0 / 16, 1.0 / 81);
  const Eigen::Matrix3d covariance = (of_logs + Eigen::Vector3d(1, 0.25, 0)).cwiseInverse().asDiagonal();
  const consistency::Identifiability found = at_prior(prior, covariance);
  EXPECT_EQ(found.unidentifiable, std::vector<std::size_t>{1});
  ASSERT_EQ(found.unidentifiable_directions.size(), 1);
  EXPECT_EQ(found.unidentifiable_directions[0].terms[0].parameter, 1);
  const Eigen::MatrixXd R = prior.root();
  EXPECT_LT((R.transpose() * R - prior.information).norm(), 1e-12);
}

TEST(Tilt, APredictionCanTakeMeasuredRollAndPitch) {
  const std::vector<Recording> recordings = heeling_swim(rov(), 40);
  const dynamics::Vehicle four(rov(), model::Environment(), model::Dof::four);
  const auto error = [&](bool measured_tilt) {
    PredictionOptions options;
    options.measured_tilt = measured_tilt;
    const Prediction prediction = predict(four, recordings.front(), options);
    return (prediction.nu_b - recordings.front().track.nu_b).topRows(3).norm() /
           recordings.front().track.nu_b.topRows(3).norm();
  };
  EXPECT_GT(error(false), 0.05);
  EXPECT_LT(error(true), 0.01);
}

/// Band, baselines and the current take roll and pitch from where the prediction takes them.
TEST(Tilt, BandsAndScoresTakeMeasuredRollAndPitchToo) {
  const std::vector<Recording> recordings = heeling_swim(rov(), 60);
  const dynamics::Vehicle four(rov(), model::Environment(), model::Dof::four);
  const model::Structure structure = model::full_structure(model::Dof::four);
  ThreadPool pool(1);
  const auto coverage = [&](bool measured_tilt) {
    UncertainModel uncertain{rov(),
                             model::Environment(),
                             structure,
                             model::parameters_of(rov(), model::Environment(), structure).parameters,
                             {}};
    uncertain.prediction.measured_tilt = measured_tilt;
    uncertain.residual = ResidualStatistics();
    uncertain.residual->sigma << 0.3, 0.3, 0.3, 0, 0, 0.03;
    uncertain.residual->correlation_time.setConstant(0.5);
    return Vec6(band(uncertain, recordings.front(), {.members = 16}, pool).coverage).head<3>().minCoeff();
  };
  EXPECT_LT(coverage(false), 0.8);
  EXPECT_GT(coverage(true), 0.99);
  const auto score = [&](bool measured_tilt) {
    return compare_with_baselines(four, recordings, fit_line_per_axis(recordings),
                                  {.measured_tilt = measured_tilt})
        .ours;
  };
  const VehicleScore level = score(false), tilted = score(true);
  for (const int i : {0, 1, 2}) {
    EXPECT_GT(tilted.r2[i], 0.99) << i;
    EXPECT_LT(tilted.error_over_spread[i], 0.05) << i;
  }
  EXPECT_GT(level.error_over_spread.head<3>().maxCoeff(), 0.1);
  const auto current = [&](bool measured_tilt) {
    const auto found =
        fit_current(four, recordings.front(), 0, {}, {.share = 0.5, .measured_tilt = measured_tilt});
    return found.value_or(CurrentFit{}).current_n.norm();
  };
  EXPECT_LT(current(true), 0.005);
}

}  // namespace
}  // namespace fathom::identify::tilt_test
