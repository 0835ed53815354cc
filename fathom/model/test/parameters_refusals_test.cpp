#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::parameters_refusals_test {
namespace {

using fathom::test::error_text;

const Environment fresh;

/// What with_parameters says if one parameter of the small robot gets this value.
std::string rejection(const std::string& structure_name, const std::string& parameter, double value) {
  const Structure structure = structure_by_name(structure_name);
  const ParameterVector before = parameters_of(test::small_robot(), fresh, structure).parameters;
  Eigen::VectorXd values = before.values();
  values[static_cast<Eigen::Index>(before.find(parameter).value())] = value;
  return error_text(
      [&] { with_parameters(test::small_robot(), fresh, structure, before.with_values(values), "test"); });
}

TEST(WithParameters, RefusesAnInertiaBelowThatOfTheDryBody) {
  EXPECT_EQ(rejection("vehicle-24", "m11", 10),
            "hull.added_mass[0] = -1.5, must be >= 0 (SNAME sign? use sname_added_mass)");
}

TEST(WithParameters, RefusesACouplingThatMakesAddedMassIndefinite) {
  const std::string text = rejection("vehicle-24", "m15", 5);
  EXPECT_TRUE(text.starts_with("hull.added_mass is indefinite: smallest eigenvalue -")) << text;
}

TEST(WithParameters, RefusesDampingThatGivesEnergy) {
  EXPECT_EQ(rejection("vehicle-24", "d33", -1),
            "damping[0].linear[2] = -1, must be >= 0 (SNAME sign? use sname_linear)");
  EXPECT_EQ(rejection("vehicle-24", "q33|3|", -1),
            "damping[0].quadratic[2] = -1, must be >= 0 (SNAME sign? use sname_quadratic)");
  const std::string text = rejection("vehicle-23", "d12", 100);
  EXPECT_TRUE(text.starts_with("damping[0].linear generates energy: nu' D nu = -")) << text;
}

TEST(WithParametersUnchecked, TakesWhatNatureForbids) {
  const Structure structure = structure_by_name("vehicle-24");
  const auto known = parameters_of(test::small_robot(), Environment(), structure).parameters;
  Eigen::VectorXd values = known.values();
  values[static_cast<Eigen::Index>(*known.find("d33"))] = -1;
  const Robot robot = with_parameters_unchecked(test::small_robot(), Environment(), structure,
                                                known.with_values(values), "a draw");
  const Eigen::VectorXd read = parameters_of(robot, Environment(), structure).parameters.values();
  EXPECT_LT((read - values).lpNorm<Eigen::Infinity>(), 1e-12);  // W - B is a difference
}

TEST(WithParameters, RefusesBuoyancyThatIsNotPositive) {
  const double weight = 11.5 * 9.81;
  EXPECT_NE(rejection("vehicle-24", "W-B", weight + 1).find("must be > 0 (m^3 of displaced water"),
            std::string::npos)
      << rejection("vehicle-24", "W-B", weight + 1);
  EXPECT_NE(rejection("vehicle-24", "W-B", weight).find("hull.volume = 0, must be > 0"), std::string::npos)
      << rejection("vehicle-24", "W-B", weight);
}

TEST(WithParameters, RefusesWhatIsNotANumber) {
  for (const char* parameter : {"m11", "m15", "d11", "q11|1|", "W-B", "xgW-xbB"}) {
    EXPECT_NE(rejection("vehicle-24", parameter, std::nan("")), "(nothing was thrown)") << parameter;
    EXPECT_NE(rejection("vehicle-24", parameter, HUGE_VAL), "(nothing was thrown)") << parameter;
  }
}

TEST(WithParameters, RefusesAnAsymmetricInertia) {
  EXPECT_EQ(rejection("vehicle-27", "m51", 0.33),
            "m15 = 0.23 but m51 = 0.33: M must be symmetric (estimate with a structure that ties them, such as "
            "vehicle-24)");
  EXPECT_EQ(rejection("vehicle-27", "m24", 1),
            "m24 = 1 but m42 = -0.23: M must be symmetric (estimate with a structure that ties them, such as "
            "vehicle-24)");
  EXPECT_EQ(rejection("vehicle-27", "m11", 20), "(nothing was thrown)") << "tied values are taken";
}

TEST(WithParameters, RefusesParametersOfAnotherStructure) {
  const ParameterVector p =
      parameters_of(test::small_robot(), fresh, structure_by_name("vehicle-24")).parameters;
  EXPECT_EQ(error_text([&] {
              with_parameters(test::small_robot(), fresh, structure_by_name("vehicle-25"), p, "test");
            }),
            "parameters has 24 entries, the structure vehicle-25 has 25");
}

TEST(WithParameters, RefusesParametersOfOtherNames) {
  const Structure structure = structure_by_name("vehicle-24");
  const ParameterVector right = parameters_of(test::small_robot(), fresh, structure).parameters;
  std::vector<Parameter> swapped = right.entries();
  std::swap(swapped[*right.find("m11")], swapped[*right.find("m33")]);  // the order of another tool
  EXPECT_THROW(with_parameters(test::small_robot(), fresh, structure, ParameterVector(swapped), "test"),
               InputError);
}

TEST(WithParameters, SeesOnlyTheDifferenceOfWeightAndBuoyancy) {
  const Structure structure = structure_by_name("vehicle-25");
  const ParameterVector before = parameters_of(test::small_robot(), fresh, structure).parameters;
  Eigen::VectorXd values = before.values();
  values[static_cast<Eigen::Index>(*before.find("W"))] += 7;  // both by the same: nothing that motion shows
  values[static_cast<Eigen::Index>(*before.find("B"))] += 7 - 0.1 * 9.81;
  const Robot changed =
      with_parameters(test::small_robot(), fresh, structure, before.with_values(values), "test");
  EXPECT_EQ(changed.hull().mass.value, 11.5);
  EXPECT_NEAR(changed.hull().volume.value, 0.0114, 1e-14);
}

}  // namespace
}  // namespace fathom::model::parameters_refusals_test
