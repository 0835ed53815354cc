#include "fathom/identify/vehicle/regression.hpp"

#include <array>
#include <type_traits>

#include "fathom/base/test/error_text.hpp"
#include "fathom/identify/vehicle/test/recordings.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::identify::regression_test {
namespace {

using fathom::test::error_text;

model::Robot robot(const std::string& name) {
  return model::read_robot(std::string(FATHOM_ROBOTS_DIR) + "/" + name + ".yaml");
}

// A regression refers to its recordings.
template <class Recordings>
constexpr bool takes = std::is_constructible_v<Regression, const model::Structure&, Recordings>&&
    std::is_constructible_v<Regression, const model::Structure&, Recordings, const RegressionOptions&>;
static_assert(takes<const std::vector<Recording>&>);
static_assert(takes<std::span<const Recording>>);
template <class Recordings>
constexpr bool rejects =
    !std::is_constructible_v<Regression, const model::Structure&, Recordings> &&
    !std::is_constructible_v<Regression, const model::Structure&, Recordings, const RegressionOptions&>;
static_assert(rejects<std::vector<Recording>>);
static_assert(rejects<const std::vector<Recording>>);
static_assert(rejects<std::array<Recording, 2>>);

constexpr double dt = 0.02;
// The blur is cut off at four sigmas: what is beyond weighs exp(-8).
constexpr double exactly = 4e-4;

struct Case {
  model::Structure structure;
  Eigen::VectorXd theta;
  std::vector<Recording> recordings;
};

/// A swim without noise, and the parameters with which the equation holds exactly.
Case exact(model::Dof dof, double delay, const Vec3& current_n = Vec3::Zero()) {
  const model::Robot vehicle = robot("defender-like");
  const model::Environment water;
  Case c{model::full_structure(dof), {}, {}};
  c.theta = model::parameters_of(vehicle, water, c.structure).parameters.values();
  model::Current current;
  current.velocity_n = current_n;
  Vec6 size = (Vec6() << 12, 12, 12, 0.5, 0.5, 2).finished();
  c.recordings.push_back(
      test::swim(dynamics::Vehicle(vehicle, water, dof), test::sinusoids(3, size), 40, dt, delay, {}, current));
  return c;
}

double relative_residual(const Case& c, const Nuisance& at) {
  double residual = 0, wrench = 0;
  Regression(c.structure, c.recordings).pass(at, [&](const RowBlock& block) {
    residual += (block.tau - block.Y * c.theta).squaredNorm();
    wrench += block.tau.squaredNorm();
  });
  return std::sqrt(residual / wrench);
}

TEST(Regression, HoldsAlongAnExactSwim) {
  for (const model::Dof dof : {model::Dof::three, model::Dof::four, model::Dof::six})
    EXPECT_LT(relative_residual(exact(dof, 0), {}), exactly) << static_cast<int>(dof);
}

TEST(Regression, HoldsAtTheTrueDelayAlone) {
  const Case c = exact(model::Dof::four, 0.137);
  Nuisance at;
  at.delay = 0.137;
  EXPECT_LT(relative_residual(c, at), exactly);
  at.delay = 0.157;
  EXPECT_GT(relative_residual(c, at), 5e-3);
}

TEST(Regression, HoldsInTheTrueCurrentAlone) {
  const Vec3 current_n(0.05, -0.03, 0);
  const Case c = exact(model::Dof::four, 0, current_n);
  Nuisance at;
  at.current_n = current_n;
  EXPECT_LT(relative_residual(c, at), exactly);
  EXPECT_GT(relative_residual(c, {}), 2e-2);
}

TEST(Regression, TakesAnErrorOfTheAttitudeBack) {
  Case c = exact(model::Dof::six, 0);
  const Vec3 error(0.01, -0.02, 0.03);
  Recording& recording = c.recordings.front();
  for (Eigen::Index k = 0; k < recording.size(); ++k) {
    const Quat told = recording.track.attitude(k) * exp_rotation(error);
    recording.track.q_nb.col(k) = told.coeffs();
    recording.track.nu_b.col(k).head<3>() =
        (exp_rotation(error).conjugate() * Vec3(recording.track.nu_b.col(k).head<3>())).eval();
  }
  Nuisance at;
  at.attitude_error_b = error;
  EXPECT_LT(relative_residual(c, at), exactly);
  EXPECT_GT(relative_residual(c, {}), 2e-3);
}

TEST(Regression, KnowsItsSlopeByDelay) {
  const Case c = exact(model::Dof::four, 0);
  const Regression regression(c.structure, c.recordings);
  constexpr double h = 1e-4;
  std::array<Nuisance, 3> at;
  for (std::size_t k = 0; k < 3; ++k) at[k].delay = 0.21 + h * (static_cast<double>(k) - 1);
  regression.pass(at, [](std::span<const RowBlock> blocks) {
    const Eigen::VectorXd slope = (blocks[2].tau - blocks[0].tau) / (2 * h);
    EXPECT_LT((slope - blocks[1].tau_by_delay).lpNorm<Eigen::Infinity>(),
              1e-3 * slope.lpNorm<Eigen::Infinity>());
  });
}

TEST(Regression, LeavesOutWhatAGapCouldReach) {
  Case c = exact(model::Dof::four, 0);
  const Regression whole(c.structure, c.recordings);
  for (std::size_t k = 1000; k < 1010; ++k) {  // 20 s: what is there must not matter
    c.recordings.front().usable[k] = 0;
    c.recordings.front().track.nu_b.col(static_cast<Eigen::Index>(k)).setConstant(1e6);
  }
  const Regression holed(c.structure, c.recordings);
  EXPECT_LT(holed.samples(), whole.samples());
  EXPECT_LT(relative_residual(c, {}), exactly);
  int beginnings = 0;
  holed.pass(Nuisance{}, [&](const RowBlock& block) { beginnings += block.begins; });
  EXPECT_EQ(beginnings, 2);
}

TEST(Regression, RefusesALogThatIsTooShort) {
  Case c = exact(model::Dof::four, 0);
  std::fill(c.recordings.front().usable.begin() + 50, c.recordings.front().usable.end(), 0);
  EXPECT_THROW(Regression(c.structure, c.recordings), InputError);
}

TEST(Regression, RefusesABlurThatFallsBetweenSamples) {
  const Case c = exact(model::Dof::four, 0);
  for (const double blur : {0.0005, 0.0099, 0.0, -1.0, std::nan("")})
    EXPECT_NE(error_text([&] {
                Regression(c.structure, c.recordings, {blur, 1});
              }).find("blur = "),
              std::string::npos)
        << blur;
  const std::string text = error_text([&] { Regression(c.structure, c.recordings, {0.0005, 1}); });
  EXPECT_NE(text.find("blur = 0.0005 s, must be at least 0.01 s, half of the track's step (seconds;"),
            std::string::npos)
      << text;
  Regression(c.structure, c.recordings, {0.01, 1}).pass(Nuisance{}, [](const RowBlock& block) {
    EXPECT_TRUE(block.Y.allFinite());
    EXPECT_TRUE(block.tau_by_delay.allFinite());
  });
}

TEST(Regression, RefusesADelayThatWouldReachBeyondTheLog) {
  const Case c = exact(model::Dof::four, 0);
  const Regression regression(c.structure, c.recordings, {0.4, 0.5});
  for (const double delay : {-0.01, 0.51, std::nan("")}) {
    Nuisance at;
    at.delay = delay;
    const std::string text = error_text([&] { regression.pass(at, [](const RowBlock&) {}); });
    EXPECT_NE(text.find("must be from 0 to 0.5 s"), std::string::npos) << delay << text;
  }
  Nuisance at;
  at.delay = 0.5;
  EXPECT_NO_THROW(regression.pass(at, [](const RowBlock&) {}));
}

}  // namespace
}  // namespace fathom::identify::regression_test
