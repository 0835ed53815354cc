#include <algorithm>

#include <gtest/gtest.h>

#include "fathom/consistency/base_parameters.hpp"
#include "fathom/dynamics/arm_regressor.hpp"
#include "fathom/dynamics/test/arms.hpp"
#include "fathom/model_file/arm_file.hpp"

namespace fathom::consistency::arm_base_test {
namespace {

using dynamics::ArmColumns;
using Coulomb = ArmColumns::Coulomb;

constexpr ArmColumns with_friction{.viscous = true, .coulomb = Coulomb::symmetric};

model::Arm shipped(const std::string& name) {
  return model::read_arm(FATHOM_ROBOTS_DIR "/../arms/" + name + ".yaml");
}

BaseParameters base_of(const model::Arm& arm, const ArmColumns& columns, const RandomMotions& motions = {},
                       bool base_wrench = false) {
  const dynamics::ArmRegressor regressor(arm, model::Environment(), columns, {.base_wrench = base_wrench});
  return base_parameters(regressor, draw(motions, arm.joints()));
}

model::ParameterVector parameters_of(const model::Arm& arm, const ArmColumns& columns) {
  return dynamics::arm_parameters(arm, model::Environment(), columns);
}

/// The counts of ../shared/design/PUBLISHED.md, 001: 48 columns, 40 of links and 8 of friction.
TEST(ArmBase, ReachAlphaHasThePublishedRanks) {
  const model::Arm arm = shipped("reach-alpha-5");
  const auto rank = [&](bool moves, const Vec3& down, bool base_wrench = false) {
    return base_of(arm, with_friction, {.base_moves = moves, .down_b = down}, base_wrench).rank();
  };
  const Vec3 tilted = Vec3(0.3, -0.5, 0.8).normalized();
  EXPECT_EQ(parameters_of(arm, with_friction).size(), 48u);
  EXPECT_EQ(rank(false, Vec3::UnitZ()), 30u);
  EXPECT_EQ(rank(false, tilted), 32u);
  EXPECT_EQ(rank(true, tilted), 36u);
  EXPECT_EQ(rank(true, tilted, true), 39u);
}

/// A serial arm of revolute joints by Khalil and Kleinfinger's parameters.
model::Arm serial(const std::vector<model::KhalilKleinfinger>& table) {
  model::ArmSpec spec = dynamics::test::random_arm(3, {.joints = table.size(), .wet = false}).spec();
  for (std::size_t k = 0; k < table.size(); ++k) {
    spec.joints[k].zero = model::pose_of(table[k]);
    spec.joints[k].axis = Vec3::UnitZ();
  }
  return model::Arm::make(spec);
}

/// Khalil's rules for serial revolute arms (Gautier and Khalil 1990; Khalil and Dombre 2002, section 9.4.2):
/// the parameters that stay. Joints before the first that is not parallel to joint 1 turn about one direction:
/// of their links XX, XY, XZ, YY, YZ, MZ, M have no effect; MX and MY have none where that direction is
/// gravity's and the joint's axis is joint 1's own. Beyond, YY joins XX, and MZ and M join the link before.
std::vector<std::string> khalil(const std::vector<model::KhalilKleinfinger>& table, bool gravity_along_first) {
  std::vector<std::string> kept;
  bool parallel = true, coincides = true;
  for (std::size_t j = 0; j < table.size(); ++j) {
    if (j > 0) {
      parallel = parallel && std::abs(std::sin(table[j].alpha)) < 1e-9;
      coincides = coincides && parallel && std::abs(table[j].d) < 1e-9;
    }
    const std::string link = "l" + std::to_string(j);
    std::vector<std::string> own;
    if (!parallel) own = {".mx", ".my", ".Ixx", ".Ixy", ".Ixz", ".Iyz", ".Izz"};
    if (parallel) own = {".mx", ".my", ".Izz"};
    if (parallel && coincides && gravity_along_first) own = {".Izz"};
    for (const std::string& name : own) kept.push_back(link + name);
  }
  return kept;
}

TEST(ArmBase, AgreesWithKhalilsRules) {
  const double q = M_PI / 2;
  const std::vector<std::vector<model::KhalilKleinfinger>> tables = {
      {{}, {.alpha = q, .d = 0.1}, {.d = 0.4}, {.alpha = -q, .r = 0.43}},  // Ariane's
      {{},
       {.alpha = -q},
       {.alpha = q, .r = 0.4},
       {.alpha = q},
       {.alpha = -q, .r = 0.4},
       {.alpha = -q},
       {.alpha = q}},
      {{}, {.d = 0.3}, {.d = 0.2}},  // a planar arm
      {{}, {.d = 0.3}, {.alpha = 0.7, .d = 0.2}, {.alpha = 1.1, .d = 0.1, .r = 0.2}},
  };
  for (const auto& table : tables)
    for (const bool along : {true, false}) {
      const model::Arm arm = serial(table);
      const Vec3 down = along ? Vec3::UnitZ() : Vec3(0.4, 0.3, 0.8).normalized();
      const BaseParameters found = base_of(arm, {}, {.down_b = down});
      const model::ParameterVector parameters = parameters_of(arm, {});
      std::vector<std::string> kept;
      for (const std::size_t k : found.kept) kept.push_back(parameters[k].name);
      EXPECT_EQ(kept, khalil(table, along)) << table.size() << along;
      EXPECT_GT(found.least_kept, 1e-4);
      EXPECT_LT(found.most_dropped, 1e-11);
    }
}

/// base = grouping theta gives every row back, of motions that it has not seen.
TEST(ArmBase, GroupingLosesNothing) {
  const ArmColumns all{.buoyancy = true,
                       .added_mass = true,
                       .drag = true,
                       .viscous = true,
                       .coulomb = Coulomb::by_direction,
                       .offset = true,
                       .motor = true};
  for (const model::Arm& arm :
       {shipped("reach-alpha-5"), shipped("ariane"),
        dynamics::test::random_arm(4, {.joints = 5, .tree = true, .prismatic = true})}) {
    RandomMotions motions{.down_b = Vec3(0.1, 0.2, 0.9).normalized()};
    const BaseParameters found = base_of(arm, all, motions);
    motions.seed = 2;
    const Eigen::MatrixXd factor =
        unit_rows(dynamics::ArmRegressor(arm, model::Environment(), all), draw(motions, arm.joints())).factor();
    const Eigen::Index n = factor.rows() - 1;
    const Eigen::MatrixXd Y = factor.topLeftCorner(n, n);
    EXPECT_LT((found.columns(Y) * found.grouping - Y).norm(), 1e-7 * Y.norm()) << arm.name();
    const Eigen::VectorXd lengths = Y.colwise().norm().transpose();
    const Eigen::VectorXd unit =
        (lengths.array() > 1e-12 * lengths.maxCoeff()).select(lengths.cwiseInverse(), 0);
    const Eigen::VectorXd singular = Eigen::JacobiSVD<Eigen::MatrixXd>(Y * unit.asDiagonal()).singularValues();
    EXPECT_EQ(static_cast<std::size_t>((singular.array() > 1e-9 * singular[0]).count()), found.rank())
        << arm.name();
  }
}

/// Three numbers of each motor are seen beside its link's (Leborne et al. 2019, section III), by gears and by
/// levers; but the rotor behind the gear of the first joint is one with what turns there, and behind a lever it
/// is not.
TEST(ArmBase, LeversTellTheFirstRotorFromItsLink) {
  const model::Arm arm = shipped("ariane");
  ASSERT_TRUE(std::holds_alternative<model::ScrewLever>(arm.joints()[0].actuator->transmission));
  const ArmColumns links{}, motors{.motor = true};
  const std::size_t alone = base_of(arm, links).rank();
  std::size_t count = 0;
  for (const model::Joint& joint : arm.joints()) count += joint.actuator.has_value();
  ASSERT_GE(count, 3u);
  EXPECT_EQ(base_of(arm, motors).rank(), alone + 3 * count);
  model::ArmSpec spec = arm.spec();
  spec.joints[0].actuator->transmission = model::Gear{100};
  const model::Arm geared = model::Arm::make(spec);
  const BaseParameters found = base_of(geared, motors);
  EXPECT_EQ(found.rank(), alone + 3 * count - 1);
  const model::ParameterVector parameters = parameters_of(geared, motors);
  const std::string first = found.to_text(0, parameters), link = parameters[0].name;
  EXPECT_NE(first.find(link.substr(0, link.find('.')) + ".Izz"), std::string::npos);
  EXPECT_NE(first.find("motor_inertia"), std::string::npos);
}

/// Of a vehicle's 27 parameters W and B have opposite columns, and a motion that turns shows all others
/// (Morgan 2026).
TEST(VehicleBase, WeightAndBuoyancyAreOneParameter) {
  const dynamics::VehicleRegressor regressor(model::structure_by_name("vehicle-27"));
  const BaseParameters found = base_parameters(regressor, draw({.base_moves = true}, {}));
  EXPECT_EQ(found.rank(), 26u);
  const auto weight = static_cast<std::size_t>(
      std::find(found.kept.begin(), found.kept.end(), regressor.parameters().find("W").value()) -
      found.kept.begin());
  ASSERT_LT(weight, found.rank());
  EXPECT_EQ(found.to_text(weight, regressor.parameters()), "W - B");
}

}  // namespace
}  // namespace fathom::consistency::arm_base_test
