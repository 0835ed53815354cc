#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/model/parameters.hpp"

namespace fathom::model::parameter_vector_test {
namespace {

using Eigen::MatrixXd;
using fathom::test::error_text;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<Parameter> two() { return {{"m11", "kg", "inertia", 20}, {"d11", "N s/m", "damping.linear", 4}}; }

MatrixXd matrix(double a, double b, double c, double d) { return (MatrixXd(2, 2) << a, b, c, d).finished(); }

TEST(ParameterVector, IsFoundByName) {
  const ParameterVector parameters(two());
  EXPECT_EQ(parameters.size(), 2u);
  EXPECT_EQ(parameters.find("d11"), 1u);
  EXPECT_EQ(parameters.find("d12"), std::nullopt);
  EXPECT_EQ(parameters[1].unit, "N s/m");
  EXPECT_EQ(parameters.values(), Eigen::Vector2d(20, 4));
}

TEST(ParameterVector, KnowsNothingOfItsAccuracyUntilToldSo) {
  const ParameterVector parameters(two());
  EXPECT_EQ(parameters.sigma(0), infinity);
  EXPECT_EQ(parameters.sigma(1), infinity);
  EXPECT_EQ(parameters.covariance()(0, 1), 0);
}

TEST(ParameterVector, HasTheRootOfTheVarianceForSigma) {
  const ParameterVector parameters(two(), matrix(4, 1, 1, 0.25));
  EXPECT_EQ(parameters.sigma(0), 2);
  EXPECT_EQ(parameters.sigma(1), 0.5);
}

TEST(ParameterVector, TakesNewValuesAndKeepsTheRest) {
  const ParameterVector parameters(two(), matrix(4, 1, 1, 0.25));
  const ParameterVector changed = parameters.with_values(Eigen::Vector2d(1, 2));
  EXPECT_EQ(changed.values(), Eigen::Vector2d(1, 2));
  EXPECT_EQ(changed[0].name, "m11");
  EXPECT_EQ(changed.covariance(), parameters.covariance());
  EXPECT_EQ(parameters.values(), Eigen::Vector2d(20, 4)) << "the original is not touched";
}

TEST(ParameterVector, RefusesValuesOfAnotherNumber) {
  EXPECT_EQ(error_text([] { ParameterVector(two()).with_values(Eigen::Vector3d(1, 2, 3)); }),
            "values has 3 entries, expected 2");
}

TEST(ParameterVector, RefusesACovarianceOfAnotherSize) {
  const std::string expected = "covariance must have one row and column per parameter";
  EXPECT_EQ(error_text([] { ParameterVector(two(), MatrixXd::Identity(3, 3)); }), expected);
  EXPECT_EQ(error_text([] { ParameterVector(two(), MatrixXd::Ones(2, 3)); }), expected);
  EXPECT_EQ(error_text([] { ParameterVector(two(), MatrixXd()); }), expected);
}

TEST(ParameterVector, RefusesAVarianceThatIsNegativeOrNotANumber) {
  const std::string expected = "covariance has a variance that is negative or not a number";
  EXPECT_EQ(error_text([] { ParameterVector(two(), matrix(-1e-9, 0, 0, 1)); }), expected);
  EXPECT_EQ(error_text([] { ParameterVector(two(), matrix(1, 0, 0, std::nan(""))); }), expected);
}

TEST(ParameterVector, RefusesAnAsymmetricCovariance) {
  EXPECT_EQ(error_text([] { ParameterVector(two(), matrix(1, 0.5, 0.5 + 1e-6, 1)); }),
            "covariance is not symmetric");
  EXPECT_EQ(error_text([] { ParameterVector(two(), matrix(1, std::nan(""), 0, 1)); }),
            "covariance is not symmetric");
  EXPECT_NO_THROW(ParameterVector(two(), matrix(1, 0.5, 0.5 + 1e-12, 1))) << "rounding is no asymmetry";
}

TEST(ParameterVector, TakesOneUnknownVarianceBesideAKnownOne) {
  EXPECT_NO_THROW(ParameterVector(two(), matrix(infinity, 0, 0, 1)));
}

TEST(ParameterVector, TakesAnUnknownVarianceBesideAnExactValue) {
  EXPECT_NO_THROW(ParameterVector(two(), matrix(infinity, 0, 0, 0)));
}

TEST(ParameterVector, MayBeEmpty) {
  EXPECT_EQ(ParameterVector().size(), 0u);
  EXPECT_EQ(ParameterVector().values().size(), 0);
  EXPECT_NO_THROW(ParameterVector({}, MatrixXd(0, 0)));
}

}  // namespace
}  // namespace fathom::model::parameter_vector_test
