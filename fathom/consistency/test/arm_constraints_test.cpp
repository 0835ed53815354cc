// The inequalities of an arm's links against bodies made of point masses and against their closed forms.
#include "fathom/consistency/arm_constraints.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"
#include "fathom/consistency/test/inequalities.hpp"
#include "fathom/dynamics/test/arms.hpp"
#include "fathom/model_file/arm_file.hpp"

namespace fathom::consistency::arm_constraints_test {
namespace {

using dynamics::ArmColumns;
using Numbers = Eigen::Matrix<double, 10, 1>;

constexpr ArmColumns all_columns{.buoyancy = true,
                                 .added_mass = true,
                                 .drag = true,
                                 .viscous = true,
                                 .coulomb = ArmColumns::Coulomb::symmetric,
                                 .offset = true};

/// An arm with its parameters and the conditions on them.
struct Case {
  model::Arm arm;
  model::ParameterVector parameters;
  Eigen::VectorXd theta, scale;
  solve::ConicSet set;

  Case(const model::Arm& of, const ArmColumns& columns, double least = 0)
      : arm(of), parameters(dynamics::arm_parameters(of, model::Environment(), columns)) {
    RandomStream random(1, "scales");
    theta = parameters.values();
    scale.resize(theta.size());
    for (double& one : scale) one = random.uniform(0.1, 10);  // what is allowed does not depend on them
    set = arm_constraints(dynamics::ArmRegressor(arm, model::Environment(), columns), link_sizes(arm), scale,
                          least);
  }
  test::Tightest tightest(const Eigen::VectorXd& at) const {
    return test::tightest(set, at.cwiseQuotient(scale));
  }
  Eigen::Index place(const std::string& name) const {
    return static_cast<Eigen::Index>(parameters.find(name).value());
  }
};

model::Arm wet_arm(std::uint64_t seed) { return dynamics::test::random_arm(seed, {.full_drag = false}); }

/// m, m r, I about the origin of point masses.
Numbers of_points(const Eigen::Matrix3Xd& places, const Eigen::VectorXd& masses) {
  Numbers p = Numbers::Zero();
  for (Eigen::Index k = 0; k < masses.size(); ++k) {
    const Vec3 r = places.col(k);
    const Mat3 I = masses[k] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    p[0] += masses[k];
    p.segment<3>(1) += masses[k] * r;
    p.tail<6>() +=
        (Eigen::Matrix<double, 6, 1>() << I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)).finished();
  }
  return p;
}

/// Wensing et al. 2018: P is the sum of m [r; 1] [r; 1]'.
TEST(ArmConstraints, PseudoInertiaIsTheSecondMomentOfTheMass) {
  RandomStream random(1, "points");
  for (int k = 0; k < 50; ++k) {
    Eigen::Matrix3Xd places(3, 5);
    Eigen::VectorXd masses(5);
    for (double& r : places.reshaped()) r = random.normal();
    for (double& m : masses) m = random.uniform(0.1, 2);
    Eigen::Matrix4d P = Eigen::Matrix4d::Zero();
    for (int i = 0; i < 5; ++i)
      P += masses[i] * places.col(i).homogeneous() * places.col(i).homogeneous().transpose();
    EXPECT_LT((pseudo_inertia(of_points(places, masses)) - P).norm(), 1e-13 * P.norm());
  }
}

TEST(ArmConstraints, HoldForArmsThatExist) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    const Case of(wet_arm(seed), all_columns);
    const test::Tightest worst = of.tightest(of.theta);
    EXPECT_GE(worst.margin, -1e-12) << worst.name;
  }
  for (const char* name : {"ariane", "reach-alpha-5"}) {
    const Case of(model::read_arm(FATHOM_ROBOTS_DIR "/../arms/" + std::string(name) + ".yaml"), {});
    EXPECT_GE(of.tightest(of.theta).margin, 0) << name << ": " << of.tightest(of.theta).name;
  }
}

/// The margin of a body is the least eigenvalue of its own P, in units of the link's mass and size.
TEST(ArmConstraints, MarginIsThatOfThePseudoInertia) {
  constexpr double least = 1e-3;
  const Case of(wet_arm(5), {}, least);
  RandomStream random(2, "numbers");
  const std::vector<LinkSize> sizes = link_sizes(of.arm);
  for (int k = 0; k < 50; ++k) {
    Eigen::VectorXd theta = of.theta;
    for (double& value : theta) value *= random.uniform(0.2, 2);
    for (std::size_t i = 0; i < of.arm.size(); ++i) {
      const Eigen::Vector4d T =
          Eigen::Vector4d(1 / sizes[i].length, 1 / sizes[i].length, 1 / sizes[i].length, 1) /
          std::sqrt(sizes[i].mass);
      const Eigen::MatrixXd P = T.asDiagonal() *
                                pseudo_inertia(theta.segment<10>(static_cast<Eigen::Index>(10 * i))) *
                                T.asDiagonal();
      const double expected = symmetric_eigenvalues(P)[0] - least;
      EXPECT_NEAR(test::margin(of.set.matrices[i], theta.cwiseQuotient(of.scale)), expected, 1e-9);
    }
  }
}

/// A body with its second moments diag(s) about the origin and its centre at c along x: P has the eigenvalues
/// of [s_x, m c; m c, m], so that it can exist as long as m c^2 <= s_x. And no axis has more inertia than both
/// others together.
TEST(ArmConstraints, RefuseBodiesThatCannotExist) {
  const Case of(wet_arm(6), {});
  const double m = 2, s = 0.3, furthest = std::sqrt(s / m);
  const auto with_first_link = [&](const Numbers& numbers) {
    Eigen::VectorXd theta = of.theta;
    theta.head<10>() = numbers;
    return of.tightest(theta);
  };
  Numbers body;
  body << m, 0, 0, 0, 2 * s, 0, 0, 2 * s, 0, 2 * s;
  EXPECT_GE(with_first_link(body).margin, 0);
  for (int axis = 1; axis <= 3; ++axis)
    for (const double sign : {1.0, -1.0}) {
      Numbers moved = body;
      moved[axis] = sign * m * 0.999 * furthest;
      EXPECT_GE(with_first_link(moved).margin, 0);
      moved[axis] = sign * m * 1.001 * furthest;
      EXPECT_LT(with_first_link(moved).margin, 0);
      EXPECT_EQ(with_first_link(moved).name, of.arm.links()[0].name + ": body");
    }
  for (const int diagonal : {4, 7, 9}) {
    Numbers thick = body;
    thick[diagonal] = 1.001 * 4 * s;
    EXPECT_LT(with_first_link(thick).margin, 0);
  }
  body[0] = -m;
  EXPECT_LT(with_first_link(body).margin, 0);
}

TEST(ArmConstraints, RefuseWaterAndFrictionThatPush) {
  const Case of(wet_arm(7), all_columns);
  const std::string link = of.arm.links()[1].name, joint = of.arm.joints()[1].name;
  const auto begin = static_cast<Eigen::Index>(dynamics::link_begin(all_columns, 1));
  const auto with = [&](Eigen::Index k, double value) {
    Eigen::VectorXd theta = of.theta;
    theta[k] = value;
    return of.tightest(theta);
  };
  const double displaced = of.theta[begin + 10], length = link_sizes(of.arm)[1].length;
  ASSERT_GT(displaced, 0);
  EXPECT_GE(with(begin + 11, 2.99 * length * displaced).margin, -1e-12);
  EXPECT_LT(with(begin + 11, -3.01 * length * displaced).margin, 0);
  EXPECT_EQ(with(begin + 11, 3.01 * length * displaced).name, link + ": centre of buoyancy");
  EXPECT_LT(with(begin + 14, -1).margin, 0);
  EXPECT_EQ(with(begin + 14, -1).name, link + ": added mass");
  const Eigen::Index drag = begin + 35, viscous = of.place(joint + ".viscous"),
                     offset = of.place(joint + ".offset");
  EXPECT_EQ(with(drag, -1).name, of.parameters[static_cast<std::size_t>(drag)].name);
  EXPECT_LT(with(viscous, -1).margin, 0);
  EXPECT_EQ(with(viscous, -1).name, joint + ".viscous");
  EXPECT_GE(with(offset, -1e3).margin, -1e-12);
}

TEST(ArmConstraints, HaveAnInside) {
  for (const std::uint64_t seed : {1u, 2u}) {
    const Case of(wet_arm(seed), all_columns, 1e-4);
    const auto n = static_cast<Eigen::Index>(of.set.unknowns);
    solve::ConicSolver solver(of.set);
    solve::ConicObjective nearest;
    nearest.G = Eigen::MatrixXd::Identity(n, n);
    nearest.b = of.theta.cwiseQuotient(of.scale);
    nearest.c = nearest.b.squaredNorm();
    const solve::ConicResult& result = solver.solve(nearest);
    EXPECT_EQ(result.status, solve::ConicStatus::solved);
    EXPECT_GT(test::tightest(of.set, result.x).margin, 0);
  }
}

TEST(ArmConstraints, RefuseSizesThatDoNotFit) {
  const model::Arm arm = wet_arm(1);
  const dynamics::ArmRegressor regressor(arm, model::Environment(), {});
  const Eigen::Index count = regressor.columns();
  const std::vector<LinkSize> sizes = link_sizes(arm);
  const auto make = [&](std::span<const LinkSize> of, Eigen::Index scales) {
    arm_constraints(regressor, of, Eigen::VectorXd::Ones(scales), 0);
  };
  EXPECT_NO_THROW(make(sizes, count));
  EXPECT_THROW(make(std::span(sizes).first(1), count), InputError);
  EXPECT_THROW(make(sizes, count - 1), InputError);
}

}  // namespace
}  // namespace fathom::consistency::arm_constraints_test
