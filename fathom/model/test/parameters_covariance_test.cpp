#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::parameters_covariance_test {
namespace {

constexpr double g = 9.81, rho = 1000;
const Environment fresh(rho, g);

Eigen::Index at(const ParameterVector& p, const std::string& name) {
  return static_cast<Eigen::Index>(p.find(name).value());
}

/// The small robot with a sigma of 0 on everything that a parameter can come from.
RobotSpec exact_spec() {
  RobotSpec spec = test::small_robot().spec();
  spec.hull.mass.sigma = spec.hull.volume.sigma = 0;
  spec.hull.inertia.sigma = Mat3::Zero();
  spec.hull.centre_of_mass.sigma = spec.hull.centre_of_buoyancy.sigma = Vec3::Zero();
  spec.hull.added_mass.sigma = spec.damping[0].linear.sigma = Mat6::Zero();
  spec.damping[0].quadratic.sigma.emplace();
  return spec;
}

ParameterVector parameters(const RobotSpec& spec) {
  return parameters_of(Robot::make(spec), fresh, full_structure()).parameters;
}

/// The names of what is unknown, in order; each must be without covariance.
std::string unknown(const ParameterVector& p) {
  std::string names;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    if (std::isfinite(p.covariance()(i, i))) continue;
    names += (names.empty() ? "" : " ") + p[k].name;
    for (Eigen::Index j = 0; j < p.covariance().cols(); ++j)
      if (j != i) {
        EXPECT_EQ(p.covariance()(i, j), 0) << p[k].name;
        EXPECT_EQ(p.covariance()(j, i), 0) << p[k].name;
      }
  }
  return names;
}

TEST(ParameterCovariance, FollowsFromTheSigmasByTheClosedForm) {
  RobotSpec spec = exact_spec();
  const double m = 11.5, z = 0.02, sm = 0.1, sz = 0.003, sv = 1e-5;
  spec.hull.mass.sigma = sm;
  spec.hull.centre_of_mass.sigma = Vec3(0, 0, sz);
  spec.hull.volume.sigma = sv;
  const ParameterVector p = parameters_of(Robot::make(spec), fresh, full_structure()).parameters;
  const auto expect = [&](const char* a, const char* b, double expected) {
    EXPECT_NEAR(p.covariance()(at(p, a), at(p, b)), expected, 1e-9 * std::abs(expected) + 1e-18)
        << a << " " << b;
  };
  const double vm = sm * sm, vz = sz * sz;
  expect("m11", "m11", vm);
  expect("m11", "m22", vm);
  expect("m15", "m15", z * z * vm + m * m * vz);                            // m z
  expect("m24", "m15", -(z * z * vm + m * m * vz));                         // -m z
  expect("m55", "m55", std::pow(z, 4) * vm + std::pow(2 * m * z, 2) * vz);  // Iyy + m z^2
  expect("m15", "m55", std::pow(z, 3) * vm + 2 * m * m * z * vz);
  expect("W-B", "W-B", g * g * vm + std::pow(rho * g * sv, 2));
  expect("m11", "W-B", g * vm);
  expect("zgW-zbB", "zgW-zbB", g * g * (z * z * vm + m * m * vz));  // the centre of buoyancy is at the origin
  expect("W-B", "zgW-zbB", g * g * z * vm);
  expect("m11", "d11", 0);
}

TEST(ParameterCovariance, IsZeroWhereEverySigmaIs) {
  EXPECT_EQ(parameters(exact_spec()).covariance(), Eigen::MatrixXd(Eigen::MatrixXd::Zero(277, 277)));
}

TEST(ParameterCovariance, IsInfiniteWhereAnyPartIsUnknown) {
  const auto without = [](const auto& forget) {
    RobotSpec spec = exact_spec();
    spec.hull.centre_of_mass.value = Vec3(0, 0, 0.02);
    forget(spec);
    return unknown(parameters(spec));
  };
  // The mass has a sigma and the added mass has none: their sum is unknown. It was once taken for known.
  EXPECT_EQ(without([](RobotSpec& s) {
              s.hull.mass.sigma = 0.1;
              s.hull.added_mass.sigma.reset();
            }),
            "m11 m22 m33 m44 m55 m66 m12 m13 m14 m15 m16 m23 m24 m25 m26 m34 m35 m36 m45 m46 m56");
  EXPECT_EQ(without([](RobotSpec& s) { s.hull.mass.sigma.reset(); }),
            "m11 m22 m33 m44 m55 m15 m24 W-B zgW-zbB");
  EXPECT_EQ(without([](RobotSpec& s) { s.hull.volume.sigma.reset(); }), "W-B") << "r_b is at the origin";
  EXPECT_EQ(without([](RobotSpec& s) { s.hull.inertia.sigma.reset(); }), "m44 m55 m66 m45 m46 m56");
  EXPECT_EQ(without([](RobotSpec& s) { s.hull.centre_of_buoyancy.sigma.reset(); }), "xgW-xbB ygW-ybB zgW-zbB");
  EXPECT_EQ(without([](RobotSpec& s) { s.hull.centre_of_mass.sigma.reset(); }),
            "m44 m55 m15 m16 m24 m26 m34 m35 m46 m56 xgW-xbB ygW-ybB zgW-zbB");
}

TEST(ParameterCovariance, TakesAnInfiniteSigmaForAMissingOne) {
  RobotSpec spec = exact_spec();
  spec.hull.volume.sigma = HUGE_VAL;
  (*spec.hull.inertia.sigma)(0, 1) = (*spec.hull.inertia.sigma)(1, 0) = HUGE_VAL;
  (*spec.hull.added_mass.sigma)(1, 5) = (*spec.hull.added_mass.sigma)(5, 1) = HUGE_VAL;
  (*spec.damping[0].linear.sigma)(0, 5) = HUGE_VAL;
  spec.damping[0].quadratic.sigma->by_speed[3](1, 2) = HUGE_VAL;
  EXPECT_EQ(unknown(parameters(spec)), "m26 m45 d16 q23|4| W-B");
}

TEST(ParameterCovariance, KeepsTheOthersWhereOneIsUnknown) {
  RobotSpec spec = exact_spec();
  spec.hull.mass.sigma = 0.1;
  spec.hull.volume.sigma.reset();
  const ParameterVector p = parameters(spec);
  EXPECT_EQ(unknown(p), "W-B");
  EXPECT_NEAR(p.covariance()(at(p, "m11"), at(p, "zgW-zbB")), 0.01 * g * 0.02, 1e-12);
}

TEST(ParameterCovariance, IsInfiniteForWhatNoElementSpeaksOf) {
  RobotSpec spec = exact_spec();
  spec.damping.clear();
  const ParameterVector p = parameters(spec);
  for (const char* name : {"d11", "d16", "q11|1|"}) EXPECT_TRUE(std::isinf(p.sigma(at(p, name)))) << name;
  EXPECT_EQ(p.sigma(at(p, "m11")), 0);
}

TEST(ParameterCovariance, CountsOnlyTheTermsThatATurnedElementReaches) {
  // Turned by 90 degrees about z: cos(90 deg) is 6e-17 in floating point, and must not count.
  RobotSpec spec = exact_spec();
  spec.damping[0].linear.value *= 1e5;
  DragElement fin = spec.damping[0];
  fin.name = "fin";
  fin.attitude_rpy.value = Vec3(0, 0, M_PI / 2);
  (*fin.linear.sigma)(0, 0) = HUGE_VAL;
  spec.damping.push_back(fin);
  EXPECT_EQ(unknown(parameters(spec)), "d22");
}

TEST(ParameterCovariance, TakesTheMeaningOfAPoseForExact) {
  RobotSpec spec = exact_spec();
  DragElement skid = spec.damping[0];
  skid.name = "skid";
  skid.position_b.value = Vec3(0, 0, 1);  // a step of 1 m would bring it to the origin
  spec.damping.push_back(skid);
  EXPECT_EQ(unknown(parameters(spec)), "");
  spec.damping[1].position_b.sigma = Vec3(0, 0, 0.1);
  const ParameterVector p = parameters(spec);
  EXPECT_NEAR(p.sigma(at(p, "d15")), 0.1 * 4, 1e-12);      // d11 z
  EXPECT_NEAR(p.sigma(at(p, "d55")), 0.1 * 2 * 4, 1e-12);  // d11 z^2
  EXPECT_EQ(p.sigma(at(p, "q11|1|")), 0);
  spec.damping[1].position_b.sigma = Vec3(0, 0, HUGE_VAL);
  EXPECT_EQ(unknown(parameters(spec)), "d15 d24 d42 d44 d51 d55");
}

TEST(ParameterCovariance, TakesASymmetricPairForOneNumber) {
  RobotSpec spec = exact_spec();
  Mat6 sigma = Mat6::Zero();
  sigma(0, 2) = sigma(2, 0) = 0.5;
  spec.hull.added_mass.sigma = sigma;
  Mat3 inertia_sigma = Mat3::Zero();
  inertia_sigma(0, 1) = inertia_sigma(1, 0) = 0.01;
  spec.hull.inertia.sigma = inertia_sigma;
  const ParameterVector p = parameters_of(Robot::make(spec), fresh, full_structure()).parameters;
  EXPECT_NEAR(p.sigma(at(p, "m13")), 0.5, 1e-12);
  EXPECT_NEAR(p.sigma(at(p, "m45")), 0.01, 1e-12);
}

/// A robot with a sigma on every number that a parameter can come from.
RobotSpec uncertain_spec() {
  RobotSpec spec = test::small_robot().spec();
  spec.hull.centre_of_mass.value = Vec3(0.03, -0.02, 0.05);
  spec.hull.centre_of_buoyancy.value = Vec3(-0.02, 0.01, -0.04);
  spec.hull.mass.sigma = 0.02;
  spec.hull.volume.sigma = 3e-5;
  spec.hull.inertia.sigma = Mat3::Constant(1e-3);
  spec.hull.centre_of_mass.sigma = Vec3(1e-4, 2e-4, 1e-4);
  spec.hull.centre_of_buoyancy.sigma = Vec3(2e-4, 1e-4, 1e-4);
  spec.hull.added_mass.sigma = Mat6::Constant(0.02);
  spec.damping[0].linear.sigma = Mat6::Constant(0.03);
  spec.damping[0].quadratic.sigma.emplace().by_speed.fill(Mat6::Constant(0.01));
  DragElement skid;
  skid.name = "skid";
  skid.position_b.value = Vec3(0.1, 0, 0.5);
  skid.attitude_rpy.value = Vec3(0.1, 0.2, 0.3);
  skid.linear.value = 5 * Mat6::Identity();
  skid.linear.value(0, 0) = 20;
  skid.linear.sigma = Mat6::Constant(0.02);
  skid.position_b.sigma = Vec3(1e-3, 2e-3, 1e-3);
  skid.attitude_rpy.sigma = Vec3(2e-3, 1e-3, 1e-3);
  spec.damping.push_back(skid);
  return spec;
}

template <class Matrix>
void shake(Value<Matrix>& value, bool symmetric, RandomStream& random) {
  if (!value.sigma) return;
  for (Eigen::Index i = 0; i < value.value.rows(); ++i)
    for (Eigen::Index j = symmetric ? i : 0; j < value.value.cols(); ++j) {
      value.value(i, j) += (*value.sigma)(i, j) * random.normal();
      if (symmetric) value.value(j, i) = value.value(i, j);
    }
  value.sigma.reset();
}

/// One draw of the robot from its sigmas, as a robot without any.
Robot draw(RobotSpec spec, RandomStream& random) {
  Hull& hull = spec.hull;
  hull.mass.value += *hull.mass.sigma * random.normal();
  hull.volume.value += *hull.volume.sigma * random.normal();
  hull.mass.sigma.reset();
  hull.volume.sigma.reset();
  shake(hull.inertia, true, random);
  shake(hull.centre_of_mass, false, random);
  shake(hull.centre_of_buoyancy, false, random);
  shake(hull.added_mass, true, random);
  for (DragElement& element : spec.damping) {
    shake(element.position_b, false, random);
    shake(element.attitude_rpy, false, random);
    shake(element.linear, false, random);
    if (!element.quadratic.sigma) continue;
    for (std::size_t j = 0; j < 6; ++j)
      for (double& entry : element.quadratic.value.by_speed[j].reshaped()) entry += 0.01 * random.normal();
    element.quadratic.sigma.reset();
  }
  return Robot::make_unchecked(spec);
}

// A sample covariance of n draws has the variance (C_ii C_jj + C_ij^2) / n (Isserlis).
TEST(ParameterCovariance, AgreesWithAMonteCarlo) {
  constexpr int n = 5000;
  const Structure structure = structure_by_name("vehicle-24");
  const ParameterVector p = parameters_of(Robot::make(uncertain_spec()), fresh, structure).parameters;
  const Eigen::MatrixXd& C = p.covariance();
  ASSERT_TRUE(C.allFinite());
  RandomStream random(1, "monte carlo");
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(24, 24);
  for (int k = 0; k < n; ++k) {
    const Eigen::VectorXd d =
        parameters_of(draw(uncertain_spec(), random), fresh, structure).parameters.values() - p.values();
    sum += d * d.transpose() / n;
  }
  for (Eigen::Index i = 0; i < 24; ++i)
    for (Eigen::Index j = 0; j < 24; ++j) {
      const double error = std::sqrt((C(i, i) * C(j, j) + C(i, j) * C(i, j)) / n);
      EXPECT_NEAR(sum(i, j), C(i, j), 5 * error)
          << p[static_cast<std::size_t>(i)].name << " " << p[static_cast<std::size_t>(j)].name;
    }
}

}  // namespace
}  // namespace fathom::model::parameters_covariance_test
