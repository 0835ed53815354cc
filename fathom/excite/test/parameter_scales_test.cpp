#include <numbers>

#include <gtest/gtest.h>

#include "fathom/excite/accuracy.hpp"

namespace fathom::excite::parameter_scales_test {
namespace {

const std::filesystem::path models = FATHOM_ROBOTS_DIR;
const std::filesystem::path study = std::filesystem::path(FATHOM_SOURCE_DIR) / "studies/excitation";

Problem paper() { return read_problem(study / "paper.yaml", {models}); }

/// The slope that fits |v| v best over a period of v = V sin t.
double fitted_slope(double V) {
  double product = 0, square = 0;
  for (int k = 0; k < 1000; ++k) {
    const double v = V * std::sin(2 * std::numbers::pi * k / 1000);
    product += std::abs(v) * v * v;
    square += v * v;
  }
  return product / square;
}

TEST(ExpectedAccuracy, QuadraticDampingIsLinearisedAtTheSpeedLimits) {
  const double at_speed = fitted_slope(0.3), at_rate = fitted_slope(0.5);
  Mat6 expected = Mat6::Zero();  // data/robots/defender-like.yaml, rows and columns u v w r
  expected(0, 0) = 6 + 38 * at_speed;
  expected(0, 2) = 0.5;
  expected(2, 0) = 0.3;
  expected(1, 1) = 9 + 85 * at_speed;
  expected(1, 5) = expected(5, 1) = -1.35 - 12.75 * at_speed;
  expected(2, 2) = 11 + 120 * at_speed;
  expected(5, 5) = 0.8025 + 1.9125 * at_speed + 1.4 * at_rate;
  EXPECT_LT((linearised_damping(paper()) - expected).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(ExpectedAccuracy, WhatTheStructureHoldsIsNotLinearised) {
  Problem problem = paper();
  problem.structure = model::full_structure(model::Dof::four);
  Mat6 own = Mat6::Zero();
  own(0, 0) = 6;
  own(0, 2) = 0.5;
  own(2, 0) = 0.3;
  own(1, 1) = 9;
  own(1, 5) = own(5, 1) = -1.35;
  own(2, 2) = 11;
  own(5, 5) = 0.8025;
  EXPECT_EQ(linearised_damping(problem), own);
}

TEST(ExpectedAccuracy, ScalesAndWeightsFollowFromTheTruth) {
  const Problem problem = paper();
  const Eigen::VectorXd truth = linearised_parameters(problem), scale = parameter_scales(problem);
  const auto at = [&](std::string_view name) {
    for (std::size_t k = 0; k < 23; ++k)
      if (model::name_of(problem.structure.terms[k]) == name) return static_cast<Eigen::Index>(k);
    return Eigen::Index(-1);
  };
  for (const auto name : {"m11", "m22", "m33", "m66", "d11", "d22", "d33", "d66"})
    EXPECT_DOUBLE_EQ(scale[at(name)], truth[at(name)]) << name;
  EXPECT_DOUBLE_EQ(scale[at("d26")], 0.2 * std::sqrt(truth[at("d22")] * truth[at("d66")]));
  EXPECT_DOUBLE_EQ(scale[at("m13")], 0.2 * std::sqrt(truth[at("m11")] * truth[at("m33")]));
  EXPECT_NEAR(scale[at("W-B")], 0.981, 1e-9);  // 0.1 kg of buoyancy

  const auto square = [](double x) { return x * x; };
  const Eigen::VectorXd weight = row_weights(problem);
  EXPECT_NEAR(1 / weight[0], 1 + square(0.01 * truth[at("d11")]) + square(0.01 * truth[at("d13")]), 1e-9);
  EXPECT_NEAR(1 / weight[3], square(0.25) + square(0.01 * truth[at("d62")]) + square(0.01 * truth[at("d66")]),
              1e-9);
}

TEST(ExpectedAccuracy, TheProblemOfTheStudyHasTheBoundsOfTheOneToCopy) {
  const Problem own = paper(),
                copied = read_problem(
                    std::filesystem::path(FATHOM_SOURCE_DIR) / "data/problems/paper-excitation.yaml", {models});
  ASSERT_EQ(own.segments.size(), copied.segments.size());
  for (std::size_t k = 0; k < own.segments.size(); ++k) {
    EXPECT_EQ(own.segments[k].duration, copied.segments[k].duration);
    const Limits &a = own.segments[k].limits, &b = copied.segments[k].limits;
    for (const auto level : {&Limits::pose, &Limits::rate, &Limits::acceleration})
      for (std::size_t c = 0; c < 6; ++c) {
        EXPECT_EQ((a.*level)[c].min, (b.*level)[c].min);
        EXPECT_EQ((a.*level)[c].max, (b.*level)[c].max);
      }
  }
  EXPECT_EQ(own.structure.terms, copied.structure.terms);
  EXPECT_EQ(own.sampling, copied.sampling);
}

}  // namespace
}  // namespace fathom::excite::parameter_scales_test
