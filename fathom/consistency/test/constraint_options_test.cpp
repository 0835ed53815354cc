// Names, blocks and options of the conditions.
#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/consistency/constraints.hpp"
#include "fathom/consistency/test/inequalities.hpp"
#include "fathom/dynamics/test/robots.hpp"
#include "fathom/model/robot_parameters.hpp"

namespace fathom::consistency::constraint_options_test {
namespace {

using dynamics::test::robot_named;
using fathom::test::error_text;
using model::Structure;
using model::structure_by_name;
using model::StructureOptions;
using Kind = model::Term::Kind;
using Names = std::vector<std::string>;

constexpr double infinity = std::numeric_limits<double>::infinity();

solve::ConicSet of(const Structure& structure, const ConstraintOptions& options = {},
                   const char* robot = "defender-like") {
  return constraints(structure, robot_named(robot), model::Environment(), options);
}

Eigen::VectorXd own_parameters(const Structure& structure) {
  return model::parameters_of(robot_named("defender-like"), model::Environment(), structure)
      .parameters.values();
}

int index_of(const Structure& structure, const std::string& name) {
  for (std::size_t k = 0; k < structure.size(); ++k)
    if (name_of(structure.terms[k]) == name) return static_cast<int>(k);
  ADD_FAILURE() << name;
  return 0;
}

TEST(ConstraintNames, AreThoseOfTheBlocks) {
  EXPECT_EQ(test::names(of(structure_by_name("vehicle-23"))),
            (Names{"added mass (M - M_rb) of surge and heave", "added mass (M - M_rb) of sway and yaw",
                   "linear damping"}));
  StructureOptions options;
  options.inertia = StructureOptions::Inertia::full;
  options.linear = StructureOptions::Linear::diagonal;
  options.dof = model::Dof::four;
  options.quadratic_cross = {{1, 5, 1}, {5, 1, 1}, {5, 5, 1}};
  EXPECT_EQ(test::names(of(make_structure("cross", options))),
            (Names{"added mass (M - M_rb)", "quadratic damping |v| of sway and yaw", "d11 >= 0", "d22 >= 0",
                   "d33 >= 0", "d66 >= 0", "q11|1| >= 0", "q33|3| >= 0", "q66|6| >= 0"}));
}

TEST(ConstraintNames, SayWhichDryBody) {
  StructureOptions options;
  options.inertia = StructureOptions::Inertia::diagonal;
  options.linear = StructureOptions::Linear::none;
  options.quadratic_diagonal = false;
  options.dof = model::Dof::three;
  const Structure structure = make_structure("inertia", options);
  // m22 and m66 are joined by the robot's m26, which the structure does not have.
  EXPECT_EQ(test::names(of(structure)),
            (Names{"added mass (M - M_rb) of sway and yaw", "m11 >= 17 of the dry body"}));
  ConstraintOptions wet;
  wet.dry_body = false;
  EXPECT_EQ(test::names(of(structure, wet)), (Names{"inertia (M) of sway and yaw", "m11 > 0"}));
}

TEST(ConstraintOptions, LeastKeepsThatShareOfTheScaleInside) {
  const Structure structure = structure_by_name("vehicle-23");
  const Eigen::VectorXd x = own_parameters(structure);
  ConstraintOptions options;
  for (const double least : {0.0, 1e-6, 0.01}) {
    options.least = least;
    const auto set = of(structure, options);
    options.least = 0;
    const auto border = of(structure, options);
    for (std::size_t k = 0; k < set.matrices.size(); ++k)
      EXPECT_NEAR(test::margin(set.matrices[k], x), test::margin(border.matrices[k], x) - least, 1e-12);
  }
}

TEST(ConstraintOptions, WithoutDissipationLeaveTheSigns) {
  const Structure structure = structure_by_name("vehicle-23");
  ConstraintOptions options;
  options.dissipation = false;
  EXPECT_EQ(test::names(of(structure, options)),
            (Names{"added mass (M - M_rb) of surge and heave", "added mass (M - M_rb) of sway and yaw",
                   "d11 >= 0", "d22 >= 0", "d33 >= 0", "d66 >= 0"}));
  options.signs = false;
  EXPECT_EQ(test::names(of(structure, options)),
            (Names{"added mass (M - M_rb) of surge and heave", "added mass (M - M_rb) of sway and yaw"}));
}

TEST(ConstraintOptions, BoundParametersByName) {
  const Structure structure = structure_by_name("vehicle-23");
  ConstraintOptions options;
  options.bounds = {{"d11", 2, 8}, {"W-B", -infinity, 3}, {"m13", -infinity, infinity}};
  const auto set = of(structure, options);
  ASSERT_EQ(set.scalars.size(), 3u);
  EXPECT_EQ(set.scalars[0].name, "d11 >= 2");
  EXPECT_EQ(set.scalars[1].name, "d11 <= 8");
  EXPECT_EQ(set.scalars[2].name, "W-B <= 3");
  Eigen::VectorXd x = own_parameters(structure);
  x[index_of(structure, "d11")] = 7.5;
  EXPECT_DOUBLE_EQ(test::margin(set.scalars[0], x), 5.5);
  EXPECT_DOUBLE_EQ(test::margin(set.scalars[1], x), 0.5);
}

TEST(ConstraintOptions, AreRefusedWhereTheyMeanNothing) {
  const Structure structure = structure_by_name("vehicle-23");
  const auto message_of = [&](const ConstraintOptions::Bound& bound) {
    ConstraintOptions options;
    options.bounds = {bound};
    return error_text([&] { of(structure, options); });
  };
  EXPECT_EQ(message_of({"d111", 0, 1}),
            "bounds 'd111' is no parameter of the structure vehicle-23 (did you mean d11?)");
  EXPECT_EQ(message_of({"d11", 1, 1}),
            "bounds.d11 = [1, 1], expected a smaller and a larger number (to fix a parameter, leave it out of "
            "the structure)");
  EXPECT_NE(message_of({"d11", std::nan(""), 1}), "(nothing was thrown)");
  EXPECT_NE(message_of({"d11", infinity, infinity}), "(nothing was thrown)");
  for (const double least : {-1e-9, 1.0, std::nan("")}) {
    ConstraintOptions options;
    options.least = least;
    EXPECT_NE(error_text([&] { of(structure, options); }), "(nothing was thrown)") << least;
  }
}

TEST(ConstraintBlocks, LeaveOutDampingRowsThatHaveNoDiagonalTerm) {
  const Structure structure{
      "odd", model::Dof::four, {{Kind::linear, 0, 0}, {Kind::linear, 0, 2}, {Kind::linear, 5, 1}}};
  EXPECT_EQ(test::names(of(structure)), Names{"d11 >= 0"});
}

TEST(ConstraintBlocks, TakeEntriesApartAsTheirMean) {
  const Structure apart = structure_by_name("vehicle-27"), tied = structure_by_name("vehicle-25");
  const auto set_apart = of(apart, {}, "bluerov2-heavy"), set_tied = of(tied, {}, "bluerov2-heavy");
  Eigen::VectorXd
      x = model::parameters_of(robot_named("bluerov2-heavy"), model::Environment(), apart).parameters.values(),
      y = model::parameters_of(robot_named("bluerov2-heavy"), model::Environment(), tied).parameters.values();
  x[index_of(apart, "m15")] = 0.7;
  x[index_of(apart, "m51")] = 0.1;
  y[index_of(tied, "m15")] = 0.4;
  EXPECT_NEAR(test::tightest(set_apart, x).margin, test::tightest(set_tied, y).margin, 1e-12);
}

}  // namespace
}  // namespace fathom::consistency::constraint_options_test
