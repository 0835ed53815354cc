#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/model/test/compare.hpp"
#include "fathom/model/test/random_robot.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::identified_test {
namespace {

using Kind = Term::Kind;
using fathom::test::error_text;

const Environment sea(sea_water, 9.80665), fresh;

std::vector<Structure> structures(const Robot& robot) {
  std::vector<Structure> result = {full_structure(), full_structure(Dof::four), full_structure(Dof::three)};
  for (const std::string_view name : structure_names()) result.push_back(structure_by_name(name));
  StructureOptions options;
  options.symmetry = inertia_symmetry(robot);
  options.linear = StructureOptions::Linear::planes;
  result.push_back(make_structure("planes of " + robot.name(), options));
  return result;
}

/// Parameters near the robot's own, with a covariance that has nothing to do with the robot's sigmas.
ParameterVector estimate(const Robot& robot, const Structure& structure, bool some_unknown,
                         RandomStream& random) {
  std::vector<Parameter> entries = parameters_of(robot, sea, structure).parameters.entries();
  const double weight = robot.hull().mass.value * sea.gravity();
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Term& term = structure.terms[k];
    const bool on_diagonal =
        term.row == term.column && (term.kind != Kind::quadratic || term.row == term.speed);
    if (term.kind == Kind::net_weight || term.kind == Kind::buoyancy)
      entries[k].value += 0.01 * weight * random.uniform();
    else if (term.kind == Kind::first_moment)
      entries[k].value += 0.001 * weight * random.normal();
    else if (term.kind != Kind::weight && on_diagonal)
      entries[k].value = (1 + random.uniform()) * entries[k].value + 0.01;
  }
  return ParameterVector(entries, test::random_covariance(structure.size(), some_unknown, random));
}

/// The first difference of two estimates; "" if there is none but rounding, of which values may have some.
std::string difference(const ParameterVector& a, const ParameterVector& b, double weight) {
  if (a.size() != b.size()) return "size";
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double scale = a[k].group == "restoring" ? weight : std::abs(b[k].value) + 1e-3;
    if (a[k].name != b[k].name || !(std::abs(a[k].value - b[k].value) <= 1e-11 * scale))
      return fmt::format("{} = {} and {} = {}", a[k].name, a[k].value, b[k].name, b[k].value);
  }
  test::Comparison c;
  c.numbers("covariance", a.covariance(), b.covariance());
  return c.difference();
}

TEST(Identified, ComesBackFromEveryRobotInEveryStructure) {
  RandomStream random(1, "identified");
  const std::vector<Robot> robots = test::all_robots();
  for (const Robot& robot : robots)
    for (const Structure& structure : structures(robot))
      for (const bool some_unknown : {false, true}) {
        SCOPED_TRACE(robot.name() + " " + structure.name);
        const ParameterVector p = estimate(robot, structure, some_unknown, random);
        const Robot changed = with_parameters(robot, sea, structure, p, "log 7");
        const double weight = robot.hull().mass.value * sea.gravity();
        EXPECT_EQ(difference(parameters_of(changed, sea, structure).parameters, p, weight), "");
        EXPECT_TRUE(stale_parameters(changed).empty());
        if (structure.size() > 100 && (some_unknown || &robot != &robots.front()))
          continue;  // 1 MB of YAML takes its time
        const Robot read = parse_robot(robot_to_yaml(changed), "written.yaml");
        EXPECT_EQ(test::difference(read, changed), "");
        EXPECT_EQ(difference(parameters_of(read, sea, structure).parameters, p, weight), "");
      }
}

TEST(Identified, ComesBackFromARobotWithDisplacedElements) {
  RandomStream random(1, "displaced");
  const Robot robot = parse_robot(test::rich_file(), "rich.yaml");
  const Structure structure = structure_by_name("vehicle-24");
  const ParameterVector p = estimate(robot, structure, true, random);
  const Robot changed = with_parameters(robot, sea, structure, p, "log 7");
  EXPECT_EQ(difference(parameters_of(changed, sea, structure).parameters, p, 200), "");
}

/// The small robot after an estimate with vehicle-24 in fresh water: sigma 0.5 for all, correlation 0.5 among
/// all.
struct Estimated {
  Structure structure = structure_by_name("vehicle-24");
  ParameterVector p = [this] {
    Eigen::MatrixXd covariance = Eigen::MatrixXd::Constant(24, 24, 0.125);
    covariance.diagonal().setConstant(0.25);
    return ParameterVector(parameters_of(test::small_robot(), fresh, structure).parameters.entries(),
                           covariance);
  }();
  RobotSpec spec = with_parameters(test::small_robot(), fresh, structure, p, "log 7").spec();

  double covariance(const char* a, const char* b, const Structure& asked,
                    const Environment& environment = fresh) const {
    const ParameterVector q = parameters_of(Robot::make(spec), environment, asked).parameters;
    return q.covariance()(static_cast<Eigen::Index>(q.find(a).value()),
                          static_cast<Eigen::Index>(q.find(b).value()));
  }
};

TEST(Identified, SaysWhereItComesFrom) {
  const IdentifiedParameters identified = Estimated().spec.identified.value();
  EXPECT_EQ(identified.structure, "vehicle-24");
  EXPECT_EQ(identified.source, "log 7");
  EXPECT_EQ(identified.density, 1000);
  EXPECT_EQ(identified.gravity, 9.81);
}

TEST(Identified, AnswersInAnotherStructureAndLeavesTheRestToTheSigmas) {
  Estimated e;
  e.spec.hull.mass.sigma = 0;
  e.spec.hull.inertia.sigma = Mat3::Zero();
  e.spec.hull.centre_of_mass.sigma = Vec3::Zero();
  (*e.spec.hull.added_mass.sigma)(0, 2) = (*e.spec.hull.added_mass.sigma)(2, 0) = 0.3;
  EXPECT_EQ(e.covariance("m11", "m11", full_structure()), 0.25);
  EXPECT_EQ(e.covariance("m11", "zgW-zbB", full_structure()), 0.125);
  EXPECT_NEAR(e.covariance("m13", "m13", full_structure()), 0.09, 1e-15);
  EXPECT_EQ(e.covariance("m13", "m11", full_structure()), 0);
  EXPECT_TRUE(std::isinf(e.covariance("m12", "m12", full_structure())));
  EXPECT_EQ(e.covariance("m12", "m11", full_structure()), 0);
}

TEST(Identified, TakesThePlaceOfWhatTheSigmasSay) {
  Estimated e;
  e.spec.hull.mass.sigma = 0.1;  // by the sigmas, m11, m22 and m33 have the covariance 0.01
  e.spec.hull.inertia.sigma = Mat3::Zero();
  e.spec.hull.centre_of_mass.sigma = Vec3::Zero();
  e.spec.hull.added_mass.sigma = Mat6::Zero();
  const double inf = HUGE_VAL;
  std::vector<Parameter> two = e.p.entries();
  two.resize(2);  // m11 and m22
  e.spec.identified->parameters = ParameterVector(two, (Eigen::Matrix2d() << 0.25, 0, 0, inf).finished());
  EXPECT_EQ(e.covariance("m11", "m11", e.structure), 0.25);
  EXPECT_NEAR(e.covariance("m33", "m33", e.structure), 0.01, 1e-15);
  EXPECT_EQ(e.covariance("m11", "m33", e.structure), 0) << "nobody knows how they hang together";
  EXPECT_EQ(e.covariance("m22", "m22", e.structure), inf) << "unknown, whatever the sigmas say";
  EXPECT_EQ(e.covariance("m22", "m33", e.structure), 0);
}

/// Forces that are too large by a share make parameters so, which moves a vehicle no differently.
TEST(Identified, APredictionWithTheSameThrustersIsSurer) {
  const double inf = HUGE_VAL;
  IdentifiedParameters identified;
  Eigen::Matrix3d C;
  C << 2, 1, 0, 1, 4, 0, 0, 0, inf;
  identified.parameters = ParameterVector({{"m11", "", "", 1}, {"m22", "", "", 1}, {"m33", "", "", 1}}, C);
  EXPECT_EQ(covariance_given_thrusters(identified), C);
  identified.by_thrusters = {{1}, {1, 1}, {0, 0, 1}};
  Eigen::MatrixXd rest = covariance_given_thrusters(identified);
  EXPECT_NEAR(rest(0, 0), 1, 1e-12);
  EXPECT_NEAR(rest(1, 0), 0, 1e-12);
  EXPECT_NEAR(rest(1, 1), 3, 1e-12);
  EXPECT_EQ(rest(2, 2), inf);
  EXPECT_EQ(rest(2, 0), 0);
  // More than there is, by rounding: nothing is left, and no variance is negative.
  identified.by_thrusters = lower_triangle((Eigen::Matrix3d() << 2.1, 1, 0, 1, 4.1, 0, 0, 0, 0).finished());
  rest = covariance_given_thrusters(identified);
  EXPECT_NEAR(rest.topLeftCorner(2, 2).norm(), 0, 1e-12);
  identified.by_thrusters.pop_back();
  const Findings findings = check_identified(identified);
  EXPECT_TRUE(std::any_of(findings.begin(), findings.end(),
                          [](const Finding& finding) { return finding.key == "identified.by_thrusters"; }));
}

TEST(Identified, KnowsThatMIsSymmetric) {
  EXPECT_EQ(Estimated().covariance("m51", "m15", structure_by_name("vehicle-27")), 0.25);
  EXPECT_EQ(Estimated().covariance("m51", "m11", structure_by_name("vehicle-27")), 0.125);
}

TEST(Identified, TellsOfTheDifferenceOfWeightAndBuoyancy) {
  Estimated e;
  const Structure apart = structure_by_name("vehicle-25");
  EXPECT_TRUE(std::isinf(e.covariance("W", "W", apart))) << "the mass has no sigma, and W-B does not tell";
  const ParameterVector before = parameters_of(test::small_robot(), fresh, apart).parameters;
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Constant(25, 25, 0.125);
  covariance.diagonal().setConstant(0.25);
  const auto B = static_cast<Eigen::Index>(*before.find("B"));
  covariance.row(B) *= 2;
  covariance.col(B) *= 2;                  // 1 on the diagonal, 0.25 elsewhere
  for (const double shift : {0.0, 7.0}) {  // by the same in both: nothing that motion shows
    Eigen::VectorXd values = before.values();
    values[static_cast<Eigen::Index>(*before.find("W"))] += shift;
    values[B] += shift;
    e.spec = with_parameters(test::small_robot(), fresh, apart,
                             ParameterVector(before.entries(), covariance).with_values(values), "log 8")
                 .spec();
    EXPECT_EQ(e.covariance("W-B", "W-B", e.structure), 0.25 + 1 - 2 * 0.25) << shift;
    EXPECT_EQ(e.covariance("W-B", "m11", e.structure), 0.125 - 0.25) << shift;
    EXPECT_EQ(e.spec.identified->parameters.find("W").has_value(), shift == 0);
    EXPECT_EQ(e.spec.identified->structure, shift == 0 ? "vehicle-25" : "vehicle-25 with W-B");
    EXPECT_TRUE(stale_parameters(Robot::make(e.spec)).empty()) << shift;
    EXPECT_EQ(test::difference(parse_robot(robot_to_yaml(Robot::make(e.spec)), "f"), Robot::make(e.spec)), "");
  }
}

TEST(Identified, HoldsInItsOwnEnvironmentOnly) {
  EXPECT_EQ(Estimated().covariance("d11", "d22", Estimated().structure), 0.125);
  for (const Environment& other : {Environment(1025, 9.81), Environment(1000, 9.8)}) {
    EXPECT_NEAR(Estimated().covariance("d11", "d11", Estimated().structure, other), 0.25, 1e-15)
        << "by its sigma";
    EXPECT_EQ(Estimated().covariance("d11", "d22", Estimated().structure, other), 0);
    EXPECT_TRUE(std::isinf(Estimated().covariance("W-B", "W-B", Estimated().structure, other)));
  }
}

TEST(Identified, GivesWayToAValueThatWasChangedByHand) {
  Estimated e;
  e.spec.damping[0].linear.value(0, 0) *= 1 + 1e-7;
  e.spec.hull.added_mass.value(1, 1) += 0.1;
  EXPECT_NEAR(e.covariance("d11", "d11", e.structure), 0.25, 1e-15) << "by its sigma";
  EXPECT_EQ(e.covariance("d11", "d22", e.structure), 0);
  EXPECT_TRUE(std::isinf(e.covariance("m22", "m22", e.structure))) << "the mass has no sigma";
  EXPECT_EQ(e.covariance("d22", "m11", e.structure), 0.125) << "the others stay";
  const std::vector<StaleParameter> stale = stale_parameters(Robot::make(e.spec));
  ASSERT_EQ(stale.size(), 2u);
  EXPECT_EQ(e.p[stale[0].index].name, "m22");
  EXPECT_NEAR(stale[0].now, 11.5 + 7.12 + 0.1, 1e-12);
  EXPECT_EQ(e.p[stale[1].index].name, "d11");
}

TEST(Identified, IsThatOfTheLastEstimate) {
  const Estimated first;
  const Structure structure = structure_by_name("vehicle-23");
  const ParameterVector p = parameters_of(Robot::make(first.spec), fresh, structure).parameters;
  const Robot second = with_parameters(Robot::make(first.spec), fresh, structure, p, "log 8");
  EXPECT_EQ(second.identified()->structure, "vehicle-23");
  EXPECT_EQ(second.identified()->parameters.size(), 23u);
  EXPECT_EQ(second.identified()->source, "log 8");
}

TEST(Identified, IsRefusedWithACovarianceThatCannotBe) {
  Estimated e;
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Constant(24, 24, -0.9);  // not all can oppose all
  covariance.diagonal().setOnes();
  const auto rejection = [&] {
    return error_text([&] {
      with_parameters(test::small_robot(), fresh, e.structure, ParameterVector(e.p.entries(), covariance), "t");
    });
  };
  EXPECT_EQ(
      rejection(),
      "identified.parameters have an indefinite covariance: the smallest eigenvalue of their correlations "
      "is -19.7, must be >= 0 (was a number edited, or a row moved?)");
  covariance = Eigen::MatrixXd::Identity(24, 24);
  covariance(2, 1) = covariance(1, 2) = 1.1;
  EXPECT_EQ(rejection(),
            "identified.parameters[2].covariance[1] = 1.1, must be within +-1, by the variances of m33 and m22 "
            "(was a number edited, or a row moved?)");
  covariance(2, 1) = covariance(1, 2) = 1;  // two that are one: no definite covariance, but a possible one
  EXPECT_EQ(rejection(), "(nothing was thrown)");
}

}  // namespace
}  // namespace fathom::model::identified_test
