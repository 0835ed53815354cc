#include "fathom/identify/fit.hpp"

#include "fathom/consistency/conditions.hpp"
#include "fathom/identify/identified_robot.hpp"
#include "fathom/identify/identify.hpp"
#include "fathom/identify/test/recordings.hpp"
#include "fathom/model/candidates.hpp"
#include "fathom/model/robot_file.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::identify {
namespace {

constexpr double dt = 0.05;

/// A 4-DoF vehicle that the structure `quadratic` holds: the defender's numbers without what that lacks.
struct InClass {
  model::Robot nominal = model::read_robot(std::string(FATHOM_MODELS_DIR) + "/defender-like.yaml");
  model::Environment water;
  model::Structure structure = model::candidate("quadratic", nominal);
  Eigen::VectorXd theta = model::parameters_of(nominal, water, structure).parameters.values();
  model::Robot plant =
      identified_robot(nominal, water, structure, model::ParameterVector(structure.parameters(theta)), "test");

  std::vector<Recording> swim(std::uint64_t seed, double delay, const Vec3& current_n = Vec3::Zero(),
                              double duration = 120) const {
    model::Current current;
    current.velocity_n = current_n;
    std::vector<Recording> out;
    out.push_back(test::swim(dynamics::Vehicle(plant, water, structure.dof), test::sinusoids(seed), duration,
                             dt, delay, {}, current));
    out.back().track.nu_sigma_b.setConstant(1e-3);
    return out;
  }
  Fit fit_to(const std::vector<Recording>& recordings, const FitOptions& options = {}) const {
    return fit(Regression(structure, recordings), consistency::conditions(structure, nominal, water), options);
  }
};

TEST(Fit, FindsParametersDelayAndCurrentOfAnExactSwim) {
  const InClass c;
  const Fit f = c.fit_to(c.swim(1, 0.18, Vec3(0.02, -0.01, 0)));
  EXPECT_NEAR(f.nuisance.supposition.delay, 0.18, 1e-3);
  EXPECT_NEAR(f.nuisance.supposition.current_n.x(), 0.02, 1e-3);
  EXPECT_NEAR(f.nuisance.supposition.current_n.y(), -0.01, 1e-3);
  const Eigen::VectorXd scale = c.theta.cwiseAbs().cwiseMax(1);
  EXPECT_LT((f.theta - c.theta).cwiseQuotient(scale).lpNorm<Eigen::Infinity>(), 0.02);
  EXPECT_TRUE(f.active.empty());
}

/// White errors of the velocity, and the split that half of the samples each would give.
void add_noise(std::vector<Recording>& recordings, double sigma, std::uint64_t seed, bool with_split) {
  RandomStream random(seed, "velocity");
  for (Recording& recording : recordings) {
    if (with_split) recording.nu_split_b.setZero(6, recording.size());
    for (Eigen::Index k = 0; k < recording.size(); ++k)
      for (const int i : {0, 1, 2, 5}) {
        const double a = random.normal() * std::sqrt(2.0) * sigma, b = random.normal() * std::sqrt(2.0) * sigma;
        recording.track.nu_b(i, k) += (a + b) / 2;
        if (with_split) recording.nu_split_b(i, k) = (a - b) / 2;
      }
  }
}

TEST(Fit, TakesTheSensorsNoiseOutOfTheMasses) {
  const InClass c;
  double with = 0, without = 0;
  constexpr int days = 2;
  for (std::uint64_t day = 1; day <= days; ++day)
    for (const bool split : {true, false}) {
      std::vector<Recording> recordings = c.swim(day, 0.1, Vec3::Zero(), 80);
      add_noise(recordings, 0.04, day, split);
      (split ? with : without) += (c.fit_to(recordings).theta[0] / c.theta[0] - 1) / days;
    }
  EXPECT_LT(without, -0.03);  // an error in velocity makes the mass look small
  EXPECT_LT(std::abs(with), 0.3 * std::abs(without));
}

/// A force that remembers, added to what the thrusters are thought to give.
void add_force(std::vector<Recording>& recordings, double sigma, double memory, std::uint64_t seed) {
  RandomStream random(seed, "force");
  const double rho = std::exp(-dt / memory);
  for (Recording& recording : recordings) {
    Vec6 force = Vec6::Zero();
    for (Eigen::Index k = 0; k < recording.size(); ++k) {
      for (const int i : {0, 1, 2, 5})
        force[i] = rho * force[i] + std::sqrt(1 - rho * rho) * (i == 5 ? 0.2 : 1) * sigma * random.normal();
      recording.tau_b.col(k) += force;
    }
  }
}

TEST(Fit, SaysHowFarItIsOffWhereResidualsRemember) {
  const InClass c;
  double held = 0, held_naively = 0;
  constexpr int days = 4;
  FitOptions plain;
  plain.whiten = false;
  for (std::uint64_t day = 1; day <= days; ++day) {
    std::vector<Recording> recordings = c.swim(day, 0.1, Vec3::Zero(), 280);
    add_force(recordings, 0.5, 2, day);
    const auto share = [&](const Fit& f, const Eigen::MatrixXd& covariance) {
      const Eigen::ArrayXd error = (f.theta - c.theta).cwiseAbs();
      return (error < 1.96 * covariance.diagonal().array().sqrt()).cast<double>().mean() / days;
    };
    const Fit whitened = c.fit_to(recordings), as_it_is = c.fit_to(recordings, plain);
    held += share(whitened, whitened.covariance);
    held_naively += share(as_it_is, as_it_is.naive_covariance);
  }
  EXPECT_GT(held, 0.87);  // of 108 intervals
  EXPECT_LT(held_naively, 0.7);
}

TEST(Fit, GainsByWhitening) {
  const InClass c;
  std::array<double, 2> error = {0, 0};
  for (std::uint64_t day = 1; day <= 3; ++day) {
    std::vector<Recording> recordings = c.swim(day, 0.1);
    add_force(recordings, 0.5, 2, day);
    for (const bool whiten : {false, true}) {
      FitOptions options;
      options.whiten = whiten;
      error[whiten] += (c.fit_to(recordings, options).theta - c.theta)
                           .cwiseQuotient(c.theta.cwiseAbs().cwiseMax(1))
                           .squaredNorm();
    }
  }
  EXPECT_LT(error[1], 0.8 * error[0]);
}

TEST(Fit, CountsWhatIsWrongInEverySample) {
  const InClass c;
  std::vector<Recording> recordings = c.swim(1, 0.1);
  add_force(recordings, 0.2, 0.5, 1);
  FitOptions options;
  const Eigen::VectorXd plain = c.fit_to(recordings, options).covariance.diagonal();
  options.thrust_sigma = 0.05;
  const Fit scaled = c.fit_to(recordings, options);
  EXPECT_NEAR(scaled.covariance(0, 0), plain[0] + std::pow(0.05 * scaled.theta[0], 2), 1e-9);
  options.thrust_sigma = 0;
  options.attitude_sigma = Vec3(0, 0, 0.05);  // turns surge into sway: d12 and d21 suffer
  const auto d12 = static_cast<Eigen::Index>(
      std::find(c.structure.terms.begin(), c.structure.terms.end(), *model::term_by_name("d12")) -
      c.structure.terms.begin());
  EXPECT_GT(c.fit_to(recordings, options).covariance(d12, d12), 4 * plain[d12]);
}

TEST(Identify, ChoosesTheStructureThatIsThere) {
  const InClass c;
  IdentifyOptions options;
  options.candidates = model::candidate_structures(c.nominal);
  options.compare = false;
  std::vector<Recording> recordings = c.swim(2, 0.1, Vec3::Zero(), 200);
  add_force(recordings, 0.3, 0.5, 2);
  const Identified found = identify(recordings, c.nominal, c.water, options);
  EXPECT_EQ(found.structure.name, "quadratic");
  for (const Candidate& candidate : found.choice->candidates)
    if (candidate.structure.dof == model::Dof::six) {
      EXPECT_FALSE(candidate.tried);
      EXPECT_EQ(candidate.why_not, "no motion in roll, pitch");
    }
}

TEST(Identify, NamesTheVelocityThatDoesNotMove) {
  const InClass c;
  std::vector<Recording> recordings = c.swim(2, 0.1);
  recordings.front().track.nu_b.row(2).setZero();
  IdentifyOptions options;
  options.candidates = {c.structure};
  try {
    identify(recordings, c.nominal, c.water, options);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().front().key, "heave");
  }
}

TEST(Identify, SetsTheOtherEstimatorsBeside) {
  const InClass c;
  std::vector<Recording> recordings = c.swim(4, 0.1);
  add_force(recordings, 0.1, 0.5, 4);
  IdentifyOptions options;
  options.candidates = {c.structure};
  const Identified found = identify(recordings, c.nominal, c.water, options);
  ASSERT_EQ(found.estimates.size(), 6u);
  for (const Estimate& estimate : found.estimates) {
    ASSERT_TRUE(estimate.found) << estimate.name << ": " << estimate.why_not;
    EXPECT_NEAR(estimate.theta[0], c.theta[0], 0.05 * c.theta[0]) << estimate.name;
  }
}

TEST(IdentifiedRobot, HasTheParametersAndNothingElseOnFreeVelocities) {
  const InClass c;
  Eigen::VectorXd theta = 1.1 * c.theta;
  const model::ParameterVector parameters(c.structure.parameters(theta),
                                          Eigen::MatrixXd::Identity(theta.size(), theta.size()));
  const model::Robot robot = identified_robot(c.nominal, c.water, c.structure, parameters, "test",
                                              model::IdentifiedParameters::Delay{0.2, 0.01});
  const auto read = model::parameters_of(robot, c.water, model::full_structure(model::Dof::four)).parameters;
  for (std::size_t k = 0; k < read.size(); ++k) {
    const auto own = parameters.find(read[k].name);
    if (read[k].group == "inertia" && !own) continue;
    EXPECT_NEAR(read[k].value, own ? parameters[*own].value : 0, 1e-9) << read[k].name;
  }
  EXPECT_EQ(robot.identified()->delay->value, 0.2);
}

}  // namespace
}  // namespace fathom::identify
