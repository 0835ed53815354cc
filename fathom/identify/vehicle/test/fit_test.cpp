#include "fathom/identify/vehicle/fit.hpp"

#include <algorithm>
#include <map>

#include "fathom/base/random.hpp"
#include "fathom/consistency/constraints.hpp"
#include "fathom/identify/vehicle/identified_robot.hpp"
#include "fathom/identify/vehicle/identify.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"
#include "fathom/model/candidates.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::identify::fit_test {
namespace {

constexpr double dt = 0.05;

/// A 4-DoF vehicle that the structure `quadratic` holds: the defender's numbers without what that lacks.
struct InClass {
  model::Robot nominal = model::read_robot(std::string(FATHOM_ROBOTS_DIR) + "/defender-like.yaml");
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
  /// Delays up to 0.3 s, for speed.
  static RegressionOptions near() { return {0.4, 0.3}; }
  Fit fit_to(const std::vector<Recording>& recordings, const FitOptions& options = {}) const {
    return fit(Regression(structure, recordings, near()), consistency::constraints(structure, nominal, water),
               options);
  }
};

TEST(Fit, FindsParametersDelayAndCurrentOfAnExactSwim) {
  const InClass c;
  const Fit f = c.fit_to(c.swim(1, 0.18, Vec3(0.02, -0.01, 0)));
  EXPECT_NEAR(f.nuisance.value.delay, 0.18, 1e-3);
  EXPECT_NEAR(f.nuisance.value.current_n.x(), 0.02, 1e-3);
  EXPECT_NEAR(f.nuisance.value.current_n.y(), -0.01, 1e-3);
  const Eigen::VectorXd scale = c.theta.cwiseAbs().cwiseMax(1);
  EXPECT_LT((f.theta - c.theta).cwiseQuotient(scale).lpNorm<Eigen::Infinity>(), 4e-3);
  EXPECT_TRUE(f.active.empty());
  EXPECT_TRUE(f.settled);
  EXPECT_LT(f.rounds, 20);
  EXPECT_FALSE(f.delay_at_limit);
}

double held(const std::vector<double>& z) {
  return static_cast<double>(std::count_if(z.begin(), z.end(), [](double x) { return std::abs(x) < 1.96; })) /
         static_cast<double>(z.size());
}

double mean_square(const std::vector<double>& z) {
  return Eigen::Map<const Eigen::VectorXd>(z.data(), static_cast<Eigen::Index>(z.size())).squaredNorm() /
         static_cast<double>(z.size());
}

/// In sigmas of b, the largest.
double apart(const Fit& a, const Fit& b) {
  return (a.theta - b.theta).cwiseQuotient(b.covariance.diagonal().cwiseSqrt()).lpNorm<Eigen::Infinity>();
}

TEST(Fit, HasTheParametersOfTheLimitWhereTheDelayIsBeyondIt) {
  const InClass c;
  for (const double delay : {-0.1, 0.3}) {
    const double limit = delay < 0 ? 0 : 0.2;
    const std::vector<Recording> recordings = c.swim(1, delay, Vec3::Zero(), 80);
    const Regression regression(c.structure, recordings, {0.4, 0.2});
    const solve::ConicSet constraints = consistency::constraints(c.structure, c.nominal, c.water);
    const Fit f = fit(regression, constraints);
    EXPECT_TRUE(f.delay_at_limit);
    EXPECT_EQ(f.nuisance.value.delay, limit);
    EXPECT_NEAR(f.delay_wanted, delay, 0.02);
    FitOptions options;
    options.estimate_delay = false;
    options.delay = limit;
    const Fit told = fit(regression, constraints, options);
    EXPECT_FALSE(told.delay_at_limit);
    EXPECT_LT(apart(f, told), 0.01) << delay;
    options.delay = 0.21;
    EXPECT_THROW(fit(regression, constraints, options), InputError);
  }
}

TEST(Fit, GoesOnUntilItStandsStill) {
  const InClass c;
  const std::vector<Recording> recordings = c.swim(1, 0.18, Vec3(0.1, -0.05, 0), 80);
  FitOptions options;
  options.current_sigma = 0.1;
  const Fit f = c.fit_to(recordings, options);
  EXPECT_TRUE(f.settled);
  options.most_rounds = 2;
  EXPECT_FALSE(c.fit_to(recordings, options).settled);
  options.most_rounds = f.rounds + 10;
  EXPECT_LT(apart(c.fit_to(recordings, options), f), 1e-6);
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

TEST(FitLong, SaysHowFarItIsOffWhereResidualsRemember) {
  const InClass c;
  const Vec3 current_n(0.02, -0.01, 0);
  constexpr int days = 5;
  constexpr double delay = 0.1;
  double held_naively = 0;
  std::vector<double> z, delay_z, current_z;
  FitOptions plain;
  plain.whiten = false;
  for (std::uint64_t day = 1; day <= days; ++day) {
    std::vector<Recording> recordings = c.swim(day, delay, current_n, 200);
    add_force(recordings, 0.5, 2, day);
    const Fit f = c.fit_to(recordings), as_it_is = c.fit_to(recordings, plain);
    const Eigen::ArrayXd off = (f.theta - c.theta).array() / f.covariance.diagonal().array().sqrt();
    z.insert(z.end(), off.begin(), off.end());
    const Eigen::ArrayXd error = (as_it_is.theta - c.theta).array().abs();
    held_naively +=
        (error < 1.96 * as_it_is.naive_covariance.diagonal().array().sqrt()).cast<double>().mean() / days;
    delay_z.push_back((f.nuisance.value.delay - delay) / f.nuisance.delay_sigma);
    for (int axis = 0; axis < 2; ++axis)
      current_z.push_back((f.nuisance.value.current_n[axis] - current_n[axis]) /
                          f.nuisance.current_sigma[axis]);
  }
  // 135 intervals, about as many as 40 independent ones.
  EXPECT_GT(held(z), 0.87);
  EXPECT_LT(held(z), 0.995);
  EXPECT_GT(mean_square(z), 0.5);
  EXPECT_LT(mean_square(z), 2);
  EXPECT_LT(held_naively, 0.7);
  // Chi-square of 5 and 10 over themselves, at 0.1 % from either end.
  EXPECT_GT(mean_square(delay_z), 0.04);
  EXPECT_LT(mean_square(delay_z), 4.1);
  EXPECT_GT(mean_square(current_z), 0.15);
  EXPECT_LT(mean_square(current_z), 3);
}

TEST(Fit, FindsWhiteWhatIsWhite) {
  const InClass c;
  std::vector<Recording> white = c.swim(1, 0.1, Vec3::Zero(), 280), slow = white;
  add_force(white, 0.5, 1e-3, 1);
  add_force(slow, 0.5, 2, 1);
  const Fit of_white = c.fit_to(white), of_slow = c.fit_to(slow);
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_GT(of_white.whiteness[row].probability, 0.01) << row;
    EXPECT_LT(of_slow.whiteness[row].probability, 0.01) << row;
    EXPECT_GT(of_slow.whiteness[row].integral_time, of_white.whiteness[row].integral_time);
  }
}

TEST(Fit, TellsResidualsFromWhatIsNewInThem) {
  const InClass c;
  std::vector<Recording> recordings = c.swim(1, 0.1, Vec3::Zero(), 120);  // more than one block of rows
  add_force(recordings, 0.5, 2, 1);
  const Fit f = c.fit_to(recordings);
  const Eigen::Index n = f.residuals.values.cols();
  for (Eigen::Index row = 0; row < 4; ++row) {
    const Eigen::VectorXd r = f.residuals.values.row(row);
    const double rho = r.head(n - 1).dot(r.tail(n - 1)) / r.squaredNorm();
    EXPECT_NEAR(f.row_sigma[row], r.norm() / std::sqrt(static_cast<double>(n)), 1e-3 * f.row_sigma[row]);
    EXPECT_NEAR(std::pow(f.innovation_sigma[row] / f.row_sigma[row], 2), 1 - rho * rho, 3e-4) << row;
  }
}

TEST(Fit, HasTheConditionNumberOfItsParameters) {
  const InClass c;
  std::vector<Recording> recordings = c.swim(1, 0.1);
  add_force(recordings, 0.2, 0.5, 1);
  FitOptions options;
  options.current_sigma = 1e-7;  // a prior that would outweigh every row
  const Fit with = c.fit_to(recordings, options);
  options.estimate_delay = options.estimate_current = false;
  options.delay = with.nuisance.value.delay;
  const Fit without = c.fit_to(recordings, options);
  EXPECT_NEAR(with.condition / without.condition, 1, 0.05);
  EXPECT_NEAR(with.scaled_condition / without.scaled_condition, 1, 0.05);
}

TEST(FitLong, GainsByWhitening) {
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

/// What a heading that is off makes of a log.
void lean(std::vector<Recording>& recordings, double angle) {
  const Quat turn = exp_rotation(Vec3(0, 0, angle));
  for (Recording& recording : recordings)
    for (Eigen::Index k = 0; k < recording.size(); ++k) {
      recording.track.q_nb.col(k) = (recording.track.attitude(k) * turn).coeffs();
      recording.track.nu_b.col(k).head<3>() =
          (turn.conjugate() * Vec3(recording.track.nu_b.col(k).head<3>())).eval();
    }
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
  const double error = 0.05;
  options.attitude_sigma = Vec3(0, 0, error);  // turns surge into sway: d12 and d21 suffer
  const Fit leaning = c.fit_to(recordings, options);
  lean(recordings, error);
  const Fit leant = c.fit_to(recordings);
  const auto d12 = static_cast<Eigen::Index>(
      std::find(c.structure.terms.begin(), c.structure.terms.end(), *model::term_by_name("d12")) -
      c.structure.terms.begin());
  const double added = leaning.covariance(d12, d12) - plain[d12];
  EXPECT_GT(added, 3 * plain[d12]);
  EXPECT_NEAR(added / std::pow(leant.theta[d12] - leaning.theta[d12], 2), 1, 0.25);
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
    EXPECT_EQ(error.findings().front().key, "heave");
  }
}

/// Forces that remember, and sensors with noise that shrinks what does not allow for it.
TEST(IdentifyLong, GivesEachEstimatorItsOwnCovariance) {
  const InClass c;
  std::map<std::string, std::vector<double>> z;
  for (std::uint64_t day = 1; day <= 8; ++day) {
    std::vector<Recording> recordings = c.swim(day, 0.1, Vec3::Zero(), 280);
    add_force(recordings, 0.5, 1, day);
    add_noise(recordings, 0.02, day, true);
    IdentifyOptions options;
    options.candidates = {c.structure};
    options.regression = c.near();
    for (const Estimate& estimate : identify(recordings, c.nominal, c.water, options).estimates) {
      ASSERT_TRUE(estimate.found) << estimate.name << ": " << estimate.why_not;
      const Eigen::ArrayXd sigma = estimate.covariance.diagonal().array().sqrt();
      const Eigen::ArrayXd off = (estimate.theta - c.theta).array() / sigma;
      z[estimate.name].insert(z[estimate.name].end(), off.begin(), off.end());
    }
  }
  EXPECT_EQ(z.size(), 6u);
  for (const auto& [name, off] : z) {
    // Of 216 intervals.
    EXPECT_GT(held(off), 0.88) << name;
    EXPECT_LT(held(off), 0.999) << name;
    EXPECT_GT(mean_square(off), 0.4) << name;
    EXPECT_LT(mean_square(off), 1.6) << name;
  }
}

TEST(Identify, WidensTheIntervalsOfAllEstimatorsByWhatIsCommonToThem) {
  const InClass c;
  std::vector<Recording> recordings = c.swim(4, 0.1, Vec3::Zero(), 80);
  add_force(recordings, 0.4, 0.5, 4);
  IdentifyOptions options;
  options.candidates = {c.structure};
  options.regression = c.near();
  const std::vector<Estimate> plain = identify(recordings, c.nominal, c.water, options).estimates;
  options.fit.thrust_sigma = 0.05;
  const std::vector<Estimate> scaled = identify(recordings, c.nominal, c.water, options).estimates;
  options.fit.thrust_sigma = 0;
  const double error = 0.02;
  options.fit.attitude_sigma = Vec3(0, 0, error);
  const std::vector<Estimate> leaning = identify(recordings, c.nominal, c.water, options).estimates;
  lean(recordings, error);
  const std::vector<Estimate> leant = identify(recordings, c.nominal, c.water, options).estimates;
  const auto d12 = static_cast<Eigen::Index>(
      std::find(c.structure.terms.begin(), c.structure.terms.end(), *model::term_by_name("d12")) -
      c.structure.terms.begin());
  ASSERT_EQ(plain.size(), 6u);
  for (std::size_t k = 0; k < plain.size(); ++k) {
    ASSERT_TRUE(plain[k].found) << plain[k].name << ": " << plain[k].why_not;
    EXPECT_NEAR(plain[k].theta[0], c.theta[0], 0.1 * c.theta[0]) << plain[k].name;
    EXPECT_NEAR(scaled[k].covariance(0, 0), plain[k].covariance(0, 0) + std::pow(0.05 * plain[k].theta[0], 2),
                1e-6)
        << plain[k].name;
    const double added = leaning[k].covariance(d12, d12) - plain[k].covariance(d12, d12);
    EXPECT_NEAR(added / std::pow(leant[k].theta[d12] - plain[k].theta[d12], 2), 1, 0.4) << plain[k].name;
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
}  // namespace fathom::identify::fit_test
