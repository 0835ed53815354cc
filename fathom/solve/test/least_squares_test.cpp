#include "fathom/solve/least_squares.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <gtest/gtest.h>

#include "fathom/base/test/error_text.hpp"
#include "fathom/solve/test/random_program.hpp"

namespace fathom::solve::least_squares_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using fathom::test::error_text;
using test::infinity;

MatrixXd random_matrix(RandomStream& random, Index rows, Index columns) {
  MatrixXd A(rows, columns);
  for (double& number : A.reshaped()) number = random.normal();
  return A;
}

Rows rows_of(const MatrixXd& A, const VectorXd& y) {
  Rows rows(A.cols());
  rows.add(A, y);
  return rows;
}

double apart(const VectorXd& a, const VectorXd& b) { return (a - b).norm() / b.norm(); }

TEST(Rows, HoldTheFactorHoweverTheyAreAdded) {
  RandomStream random(1, "rows");
  for (const Index count : {1, 3, 6, 7, 100, 1000}) {
    const MatrixXd A = random_matrix(random, count, 6);
    const VectorXd y = random_matrix(random, count, 1);
    Rows in_parts(6), front(6), back(6);
    for (Index i = 0; i < count; i += 7) {
      const Index take = std::min<Index>(7, count - i);
      in_parts.add(A.middleRows(i, take), y.segment(i, take));
      (i % 2 == 0 ? front : back).add(A.middleRows(i, take), y.segment(i, take));
    }
    front.add(back);
    for (const Rows& rows : {rows_of(A, y), in_parts, front}) {
      EXPECT_EQ(rows.count(), count);
      const double size = static_cast<double>(count);
      EXPECT_LT((rows.gram() - A.transpose() * A).norm(), 1e-14 * 6 * size);
      EXPECT_LT((rows.moment() - A.transpose() * y).norm(), 1e-14 * 6 * size);
      EXPECT_NEAR(rows.square(), y.squaredNorm(), 1e-14 * size);
      EXPECT_TRUE(rows.factor().isUpperTriangular(0));
    }
  }
}

TEST(Rows, OfNoNumberOrNoFitAreRefused) {
  Rows rows(2);
  MatrixXd A = MatrixXd::Ones(3, 2);
  const VectorXd y = VectorXd::Ones(3);
  const auto add = [&rows](const MatrixXd& rows_A, const VectorXd& rows_y, const VectorXd& sigma) {
    return error_text([&] { rows.add(rows_A, rows_y, sigma); });
  };
  EXPECT_EQ(error_text([] { Rows none(0); }), "unknowns = 0, must be at least 1");
  EXPECT_EQ(error_text([&] { ordinary(rows); }), "rows are none (nothing to fit)");
  EXPECT_EQ(add(MatrixXd::Ones(3, 1), y, y), "rows are 3 x 1 with 3 right-hand sides, must have 2 columns");
  EXPECT_EQ(add(A, y, VectorXd::Ones(2)), "sigma has 2 numbers for 3 rows");
  EXPECT_EQ(add(A, y, VectorXd::Zero(3)), "sigma must be positive and finite (leave out rows of no weight)");
  A(1, 1) = infinity;
  EXPECT_EQ(add(A, y, y), "rows hold a number that is not finite");
  EXPECT_EQ(rows.count(), 0);
  rows.add(MatrixXd::Constant(3, 2, 1e200), y);
  EXPECT_EQ(error_text([&] { ordinary(rows); }),
            "rows hold numbers whose squares overflow (scale the unknowns)");
}

TEST(Ordinary, IsWhatTheWholeMatrixGives) {
  RandomStream random(1, "ordinary");
  const MatrixXd A = random_matrix(random, 300, 8);
  const VectorXd y = A * VectorXd::LinSpaced(8, 1, 8) + random_matrix(random, 300, 1);
  const LinearFit fit = ordinary(rows_of(A, y));
  const VectorXd x = A.colPivHouseholderQr().solve(y);
  EXPECT_LT(apart(fit.x, x), 1e-14);
  EXPECT_NEAR(fit.rss, (A * x - y).squaredNorm(), 1e-11);
  const MatrixXd covariance = fit.rss / 292 * (A.transpose() * A).inverse();
  EXPECT_LT((fit.covariance - covariance).norm(), 1e-13 * covariance.norm());
  const VectorXd singular = A.jacobiSvd().singularValues();
  EXPECT_LT(apart(fit.own_singular_values, singular), 1e-14);
  EXPECT_NEAR(fit.condition(), singular[0] / singular[7], 1e-12);
  const MatrixXd unit = A.colwise().normalized();
  EXPECT_LT(apart(fit.singular_values, unit.jacobiSvd().singularValues()), 1e-14);
  EXPECT_LT(apart(fit.column_norms, A.colwise().norm().transpose()), 1e-14);
}

TEST(Ordinary, UnitsOfTheUnknownsDoNotMatter) {
  RandomStream random(1, "units");
  const MatrixXd A = random_matrix(random, 50, 4);
  const VectorXd y = random_matrix(random, 50, 1), units = Eigen::Vector4d(1e-9, 1, 1e7, 1e12);
  const LinearFit fit = ordinary(rows_of(A, y)), other = ordinary(rows_of(A * units.asDiagonal(), y));
  EXPECT_EQ(other.rank, 4);
  EXPECT_LT(apart(other.x.cwiseProduct(units), fit.x), 1e-13);
  EXPECT_NEAR(other.scaled_condition(), fit.scaled_condition(), 1e-12);
}

TEST(Ordinary, WeightsAreThoseOfRowsRepeated) {
  RandomStream random(1, "weights");
  const MatrixXd A = random_matrix(random, 20, 3);
  const VectorXd y = random_matrix(random, 20, 1);
  Rows weighted(3), repeated(3);
  weighted.add(A.topRows(10), y.head(10), VectorXd::Constant(10, 0.5));
  weighted.add(A.bottomRows(10), y.tail(10));
  for (int i = 0; i < 4; ++i) repeated.add(A.topRows(10), y.head(10));
  repeated.add(A.bottomRows(10), y.tail(10));
  EXPECT_LT(apart(ordinary(weighted).x, ordinary(repeated).x), 1e-14);
  EXPECT_NEAR(ordinary(weighted).rss, ordinary(repeated).rss, 1e-12);
}

TEST(Ordinary, ShortRankGivesTheLeastScaledNorm) {
  RandomStream random(1, "rank");
  MatrixXd A = random_matrix(random, 60, 5);
  A.col(3) = 1e6 * (A.col(0) - 2 * A.col(1));
  A.col(4).setZero();
  const VectorXd y = random_matrix(random, 60, 1);
  const LinearFit fit = ordinary(rows_of(A, y));
  EXPECT_EQ(fit.rank, 3);
  EXPECT_GT(fit.scaled_condition(), 1e12);
  VectorXd unscale = A.colwise().norm().cwiseInverse();
  unscale[4] = 0;
  const Eigen::CompleteOrthogonalDecomposition<MatrixXd> cod(MatrixXd(A * unscale.asDiagonal()));
  EXPECT_LT(apart(fit.x, unscale.asDiagonal() * cod.solve(y)), 1e-12);
  EXPECT_NEAR(fit.rss, (A * fit.x - y).squaredNorm(), 1e-11);
  const MatrixXd root = unscale.asDiagonal() * cod.pseudoInverse();
  const MatrixXd covariance = fit.rss / 57 * root * root.transpose();
  EXPECT_LT((unscale.cwiseMax(1e-30).cwiseInverse().asDiagonal() * (fit.covariance - covariance)).norm(),
            1e-9 * unscale.cwiseMax(1e-30).cwiseInverse().head(4).norm() * covariance.norm());
}

TEST(Ordinary, AsManyRowsAsUnknownsTellNoSigma) {
  const LinearFit fit = ordinary(rows_of(MatrixXd::Identity(3, 3), VectorXd::Ones(3)));
  EXPECT_EQ(fit.covariance.size(), 0);
  EXPECT_LT(apart(fit.x, VectorXd::Ones(3)), 1e-15);
}

TEST(Instrumental, IsTheClosedForm) {
  RandomStream random(1, "instruments");
  const MatrixXd A = random_matrix(random, 80, 4), Z = A + random_matrix(random, 80, 4);
  const VectorXd y = random_matrix(random, 80, 1);
  InstrumentalRows rows(4);
  rows.add(A.topRows(30), Z.topRows(30), y.head(30));
  rows.add(A.bottomRows(50), Z.bottomRows(50), y.tail(50));
  const LinearFit fit = instrumental(rows);
  EXPECT_LT(apart(fit.x, (Z.transpose() * A).inverse() * (Z.transpose() * y)), 1e-13);
  EXPECT_NEAR(fit.rss, (A * fit.x - y).squaredNorm(), 1e-11);
  EXPECT_LT((rows.ZZ() - Z.transpose() * Z).norm(), 1e-12);
  EXPECT_EQ(fit.rows, 80);
}

TEST(Instrumental, IsConsistentWhereErrorsOfAMakeOrdinaryWrong) {
  RandomStream random(1, "consistent");
  const Index n = 40000;
  const MatrixXd truth = random_matrix(random, n, 2);
  const VectorXd x = Eigen::Vector2d(1, -2);
  const MatrixXd A = truth + 0.7 * random_matrix(random, n, 2), Z = truth + 0.7 * random_matrix(random, n, 2);
  const VectorXd y = truth * x + 0.1 * random_matrix(random, n, 1);
  InstrumentalRows rows(2);
  rows.add(A, Z, y);
  EXPECT_LT(apart(instrumental(rows).x, x), 0.02);
  EXPECT_GT(apart(ordinary(rows.rows()).x, x), 0.3);
}

TEST(Instrumental, SingularOnesAreRefused) {
  const MatrixXd A = MatrixXd::Identity(4, 2);
  MatrixXd Z = MatrixXd::Zero(4, 2);
  Z(0, 0) = Z(3, 1) = 1;
  InstrumentalRows rows(2);
  rows.add(A, Z, VectorXd::Ones(4));
  EXPECT_EQ(
      error_text([&] { instrumental(rows); }),
      "instruments leave Z'A singular: singular values from 1 to 0 (the rows do not show every unknown, or "
      "the instruments are not correlated with them)");
  EXPECT_EQ(error_text([&] { rows.add(A, MatrixXd::Ones(3, 2), VectorXd::Ones(4)); }),
            "instruments are 3 x 2 for 4 x 2 rows");
}

}  // namespace
}  // namespace fathom::solve::least_squares_test
