#include "fathom/identify/vehicle/parameter_intervals.hpp"

#include <gtest/gtest.h>

namespace fathom::identify::parameter_intervals_test {
namespace {

using Kind = ParameterInterval::Kind;

/// Three parameters with the given values and unit sigmas; none can be negative.
Identified found(const Eigen::Vector3d& values) {
  Identified out;
  std::vector<model::Parameter> parameters;
  for (int k = 0; k < 3; ++k) {
    model::Parameter one;
    one.name = "p" + std::to_string(k);
    one.value = values[k];
    parameters.push_back(one);
  }
  out.parameters = model::ParameterVector(parameters, Eigen::Matrix3d::Identity());
  return out;
}

solve::ConicSet not_negative() {
  solve::ConicSet set;
  set.unknowns = 3;
  for (int k = 0; k < 3; ++k) set.scalars.push_back({"p", 0, {{k, 1}}});
  return set;
}

TEST(ParameterIntervals, FarFromConstraintsAreThoseOfTheSigma) {
  const auto list = parameter_intervals(found({20, 30, 40}), not_negative());
  EXPECT_EQ(list[0].kind, Kind::determined);
  EXPECT_NEAR((*list[0].of_95)[0], 20 - 1.96, 1e-3);
  EXPECT_NEAR((*list[0].of_50)[1], 20 + 0.6745, 1e-3);
  EXPECT_NEAR((*list[0].of_80)[1], 20 + 1.2816, 1e-3);
}

TEST(ParameterIntervals, AtABoundHaveOneEnd) {
  const auto list = parameter_intervals(found({1e-7, 30, 40}), not_negative());
  EXPECT_EQ(list[0].kind, Kind::at_bound);
  EXPECT_TRUE(list[0].begins_at_bound);
  EXPECT_EQ((*list[0].of_95)[0], 0);
  EXPECT_NEAR((*list[0].of_95)[1], 1.96, 0.1);  // the 95 % quantile of half a normal distribution
  EXPECT_EQ(list[1].kind, Kind::determined);
  EXPECT_NEAR((*list[1].of_95)[0], 30 - 1.96, 1e-3);  // no border is near it
}

/// Correlations of eight axes, with sigmas far wider than a correlation can be.
TEST(ParameterIntervals, SayThatConstraintsLeftTooFewDraws) {
  constexpr int size = 8;
  Identified one;
  std::vector<model::Parameter> parameters(size * (size - 1) / 2);
  solve::ConicSet set;
  set.unknowns = static_cast<int>(parameters.size());
  set.matrices.push_back({"R", Eigen::MatrixXd::Identity(size, size), {}});
  int unknown = 0;
  for (int row = 0; row < size; ++row)
    for (int column = row + 1; column < size; ++column) {
      parameters[static_cast<std::size_t>(unknown)].name = "p" + std::to_string(unknown);
      parameters[static_cast<std::size_t>(unknown)].value = 0.05;
      set.matrices[0].entries.push_back({unknown++, row, column, 1});
    }
  one.parameters =
      model::ParameterVector(parameters, Eigen::MatrixXd::Identity(set.unknowns, set.unknowns) * 4);
  const auto list = parameter_intervals(one, set);
  EXPECT_TRUE(list[0].has_too_few_draws);
  EXPECT_LT(list[0].accepted, 0.005);
  EXPECT_NEAR((*list[0].of_95)[1], 0.05 + 2 * 1.96, 1e-3);
  EXPECT_FALSE(parameter_intervals(found({1e-7, 30, 40}), not_negative())[0].has_too_few_draws);
}

/// p0 is below twenty others: the distribution of the least of 21 normal values, 97.5 % of which is below
/// -0.99.
TEST(ParameterIntervals, ContainTheEstimate) {
  constexpr int others = 20;
  Identified one;
  std::vector<model::Parameter> parameters(others + 1);
  solve::ConicSet set;
  set.unknowns = others + 1;
  for (int k = 0; k <= others; ++k) parameters[static_cast<std::size_t>(k)].name = "p" + std::to_string(k);
  for (int k = 1; k <= others; ++k) set.scalars.push_back({"order", 0, {{0, -1}, {k, 1}}});
  one.parameters = model::ParameterVector(parameters, Eigen::MatrixXd::Identity(others + 1, others + 1));
  const ParameterInterval first = parameter_intervals(one, set)[0];
  EXPECT_NEAR((*first.of_80)[1], -1.26, 0.1);  // 90 % of the least are below it
  EXPECT_EQ((*first.of_95)[1], 0);
}

TEST(ParameterIntervals, WiderThanTheValueAreWeak) {
  const auto list = parameter_intervals(found({0.8, 30, 40}), not_negative());
  EXPECT_EQ(list[0].kind, Kind::weak);
  EXPECT_TRUE(list[0].begins_at_bound);
  EXPECT_GE((*list[0].of_80)[0], 0);
}

TEST(ParameterIntervals, OfWhatIsNotIdentifiableThereIsNone) {
  Identified one = found({20, 30, 40});
  one.identifiability.unidentifiable = {1};
  const auto list = parameter_intervals(one, not_negative());
  EXPECT_EQ(list[1].kind, Kind::not_identifiable);
  EXPECT_FALSE(list[1].of_95);
  EXPECT_TRUE(list[2].of_95);
}

}  // namespace
}  // namespace fathom::identify::parameter_intervals_test
