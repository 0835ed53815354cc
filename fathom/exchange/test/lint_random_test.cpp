// Whatever numbers a model has, lint answers; and where it shows a motion that gains energy, it does.
#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/exchange/test/lint_case.hpp"
#include "fathom/geometry/pose.hpp"

namespace fathom::exchange::lint_random_test {
namespace {

/// Mostly plain numbers, now and then what no model should have.
double any_number(RandomStream& random) {
  static const double odd[] = {0.0,    -0.0, nan,   infinity, -infinity, 1e308, -1e308,
                               5e-324, 1e12, -1e12, 1e-13,    45,        90};
  const double pick = random.uniform();
  if (pick < 0.3) return odd[static_cast<std::size_t>(random.uniform() * std::size(odd))];
  return random.normal() * std::pow(10, 6 * random.normal());
}

template <class Matrix>
void fill(RandomStream& random, Matrix& m) {
  if (random.uniform() < 0.5) return;  // some stay as they are, so that others are reached
  for (Eigen::Index i = 0; i < m.size(); ++i)
    if (random.uniform() < 0.3) m(i % m.rows(), i / m.rows()) = any_number(random);
}

void spoil_hull(RandomStream& random, model::Hull& hull) {
  if (random.uniform() < 0.3) hull.mass.value = any_number(random);
  if (random.uniform() < 0.3) hull.volume.value = any_number(random);
  fill(random, hull.inertia.value);
  fill(random, hull.centre_of_mass.value);
  fill(random, hull.centre_of_buoyancy.value);
  fill(random, hull.added_mass.value);
  if (random.uniform() < 0.3) hull.size.reset();
  if (hull.size) fill(random, hull.size->value);
}

model::RobotSpec spoilt(RandomStream& random) {
  static const char* robots[] = {"bluerov2-heavy", "rexrov", "defender-like", "nielsen-table-3-3"};
  model::RobotSpec spec = test::shipped(robots[static_cast<std::size_t>(4 * random.uniform())]);
  spoil_hull(random, spec.hull);
  for (model::DragElement& element : spec.damping) {
    fill(random, element.linear.value);
    for (Mat6& Q : element.quadratic.value.by_speed) fill(random, Q);
    fill(random, element.position_b.value);
    fill(random, element.attitude_rpy.value);
  }
  for (model::Thruster& thruster : spec.thrusters) {
    fill(random, thruster.position_b.value);
    fill(random, thruster.direction_b.value);
  }
  if (random.uniform() < 0.1) spec.thrusters.clear();
  if (random.uniform() < 0.1) spec.damping.clear();
  return spec;
}

TEST(LintRandom, AnyNumbersHaveAnAnswer) {
  RandomStream random(1, "lint garbage");
  for (int k = 0; k < 1000; ++k) {
    const model::RobotSpec spec = spoilt(random);
    LintOptions options = test::lint_for(static_cast<Target>(k % 4));
    if (k % 3 == 0) {
      options.allocation_b = Mat6X::Zero(6, static_cast<Eigen::Index>(spec.thrusters.size() + (k % 2)));
      fill(random, *options.allocation_b);
    }
    for (const LintFinding& finding : lint_model(spec, options)) {
      EXPECT_FALSE(finding.key.empty() || finding.message.empty() || finding.hint.empty()) << finding.text();
      EXPECT_TRUE(is_rule(finding.rule)) << finding.rule;
    }
  }
}

TEST(LintRandom, AnEmptyModelHasAnAnswer) {
  EXPECT_NE(test::found_by(lint_model(model::RobotSpec{}), "no-body", "hull.mass"), nullptr);
}

/// The six numbers after "nu = [".
Vec6 velocity_in(const std::string& message) {
  Vec6 nu;
  const char* at = message.c_str() + message.find("nu = [") + 6;
  for (int i = 0; i < 6; ++i) {
    char* end = nullptr;
    nu[i] = std::strtod(at, &end);
    at = end + 1;
  }
  return nu;
}

double power_at(const model::DragElement& element, const Vec6& nu_b) {
  const Vec6 nu = twist_transform(element.pose()) * nu_b;
  Mat6 D = element.linear.value;
  for (std::size_t j = 0; j < 6; ++j)
    D += std::abs(nu[static_cast<Eigen::Index>(j)]) * element.quadratic.value.by_speed[j];
  return nu.dot(D * nu);
}

/// Random cross terms; what the message shows is put into nu' D(nu) nu.
TEST(LintRandom, AVelocityThatIsShownGainsEnergy) {
  RandomStream random(1, "energy");
  int shown = 0;
  for (int k = 0; k < 400; ++k) {
    model::RobotSpec spec = test::shipped("rexrov");
    model::DragElement& element = spec.damping[0];
    Mat6& m =
        k % 2 == 0 ? element.linear.value : element.quadratic.value.by_speed[static_cast<std::size_t>(k % 6)];
    const auto i = static_cast<Eigen::Index>(6 * random.uniform()),
               j = static_cast<Eigen::Index>(6 * random.uniform());
    m(i, j) = 3000 * random.normal();
    if (k % 3 == 0) element.position_b.value = Vec3(0.3, -0.2, 0.1);
    for (const LintFinding& finding : lint_model(spec)) {
      if (finding.rule != "damping-energy" && finding.rule != "damping-sign") continue;
      ++shown;
      const Vec6 nu_b = velocity_in(finding.message);
      EXPECT_LT(power_at(element, nu_b), 0) << finding.text();
    }
  }
  EXPECT_GT(shown, 100);
}

}  // namespace
}  // namespace fathom::exchange::lint_random_test
