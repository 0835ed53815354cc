#pragma once
// Problems for the conic solver, and a judge of its answers that shares no code with it.
#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/solve/conic.hpp"

namespace fathom::solve::test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

inline MatrixXd coefficient(const MatrixInequality& matrix, int unknown) {
  MatrixXd A = MatrixXd::Zero(matrix.constant.rows(), matrix.constant.rows());
  for (const auto& e : matrix.entries) {
    if (e.unknown != unknown) continue;
    A(e.row, e.column) += e.value;
    if (e.row != e.column) A(e.column, e.row) += e.value;
  }
  return A;
}

inline MatrixXd matrix_at(const ConicSet& set, std::size_t k, const VectorXd& x) {
  MatrixXd S = set.matrices[k].constant;
  for (int i = 0; i < set.unknowns; ++i) S += x[i] * coefficient(set.matrices[k], i);
  return S;
}

inline double scalar_at(const ScalarInequality& scalar, const VectorXd& x) {
  double s = scalar.constant;
  for (const auto& e : scalar.entries) s += e.value * x[e.unknown];
  return s;
}

inline double least_eigenvalue(const MatrixXd& S) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(S).eigenvalues()[0];
}

inline double value(const ConicObjective& o, const VectorXd& x) {
  const double s = o.c - 2 * o.b.dot(x) + x.dot(o.G * x);
  const double f = s <= o.huber * o.huber ? s : 2 * o.huber * std::sqrt(s) - o.huber * o.huber;
  if (o.Q.size() == 0) return f;
  const VectorXd h = o.x0.size() > 0 ? VectorXd(x - o.x0) : x;
  return f + h.dot(o.Q * h);
}

/// A*(Z) and, at its end, <constant, Z>.
inline VectorXd adjoint(const ConicSet& set, const ConicResult& result) {
  VectorXd y = VectorXd::Zero(set.unknowns + 1);
  for (std::size_t k = 0; k < set.matrices.size(); ++k) {
    for (int i = 0; i < set.unknowns; ++i)
      y[i] += coefficient(set.matrices[k], i).cwiseProduct(result.Z[k]).sum();
    y[set.unknowns] += set.matrices[k].constant.cwiseProduct(result.Z[k]).sum();
  }
  for (std::size_t k = 0; k < set.scalars.size(); ++k) {
    const double z = result.z[static_cast<Eigen::Index>(k)];
    for (const auto& e : set.scalars[k].entries) y[e.unknown] += e.value * z;
    y[set.unknowns] += set.scalars[k].constant * z;
  }
  return y;
}

/// The dual function of the parabola: the least over all x of f(x) - <S(x), Z>.
inline double dual_value(const ConicSet& set, const ConicObjective& o, const ConicResult& result) {
  MatrixXd P = o.G;
  VectorXd q = o.b;
  double c = o.c;
  if (o.Q.size() > 0) {
    P += o.Q;
    const VectorXd x0 = o.x0.size() > 0 ? o.x0 : VectorXd::Zero(q.size());
    q += o.Q * x0;
    c += x0.dot(o.Q * x0);
  }
  const VectorXd y = adjoint(set, result);
  q += 0.5 * y.head(set.unknowns);
  const VectorXd unit = P.diagonal().unaryExpr([](double p) { return p > 0 ? 1 / std::sqrt(p) : 1; });
  q = unit.cwiseProduct(q);
  const VectorXd x =
      MatrixXd(unit.asDiagonal() * P * unit.asDiagonal()).completeOrthogonalDecomposition().solve(q);
  return c - q.dot(x) - y[set.unknowns];
}

/// Strictly feasible, multipliers not negative, value as told, and never below the bound.
inline void expect_solved(const ConicSet& set, const ConicObjective& objective, const ConicResult& result,
                          double relative_gap = 1e-7) {
  ASSERT_EQ(result.status, ConicStatus::solved);
  const double scale = value(objective, VectorXd::Zero(set.unknowns)) + std::abs(result.f);
  for (std::size_t k = 0; k < set.matrices.size(); ++k) {
    EXPECT_GT(least_eigenvalue(matrix_at(set, k, result.x)), 0) << "matrix " << k;
    EXPECT_GE(least_eigenvalue(result.Z[k]), -1e-14 * result.Z[k].trace()) << "multiplier " << k;
  }
  for (std::size_t k = 0; k < set.scalars.size(); ++k) {
    EXPECT_GT(scalar_at(set.scalars[k], result.x), 0) << "scalar " << k;
    EXPECT_GE(result.z[static_cast<Eigen::Index>(k)], 0) << "scalar " << k;
  }
  EXPECT_NEAR(result.f, value(objective, result.x), 1e-13 * scale);
  EXPECT_GE(result.gap, 0);
  EXPECT_LE(result.gap, std::max({relative_gap * std::abs(result.f), 1e-12, 1e-14 * scale}));
  if (std::isfinite(objective.huber)) return;
  EXPECT_LE(result.f - dual_value(set, objective, result), 1.001 * result.gap + 1e-11 * scale);
}

/// Rows of a regression whose truth is x.
inline ConicObjective regression(RandomStream& random, const VectorXd& x, int rows, double noise) {
  MatrixXd A(rows, x.size());
  VectorXd y(rows);
  for (double& a : A.reshaped()) a = random.normal();
  for (double& e : y) e = noise * random.normal();
  y += A * x;
  ConicObjective objective;
  objective.G = A.transpose() * A;
  objective.b = A.transpose() * y;
  objective.c = y.squaredNorm();
  return objective;
}

/// One unknown per entry of the upper triangle, by columns, from `first` on.
inline MatrixInequality full_matrix(int first, const MatrixXd& constant) {
  MatrixInequality matrix{"full", constant, {}};
  for (int j = 0; j < constant.rows(); ++j)
    for (int i = 0; i <= j; ++i) matrix.entries.push_back({first++, i, j, 1});
  return matrix;
}

inline VectorXd upper_of(const MatrixXd& A) {
  std::vector<double> x;
  for (int j = 0; j < A.rows(); ++j)
    for (int i = 0; i <= j; ++i) x.push_back(A(i, j));
  return Eigen::Map<VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

inline MatrixXd random_matrix(RandomStream& random, int rows, int columns) {
  MatrixXd A(rows, columns);
  for (double& a : A.reshaped()) a = random.normal();
  return A;
}

struct ConicProblem {
  ConicSet set;
  ConicObjective objective;
};

/// Matrices of 1 to 9 rows with coefficients in a third of their entries, scalars, a regression whose free
/// optimum lies outside; the set holds a known point strictly.
inline ConicProblem random_problem(int seed) {
  RandomStream random(static_cast<std::uint64_t>(seed), "conic");
  const int n = 2 + static_cast<int>(random.next() % 10);
  const VectorXd inner = random_matrix(random, n, 1);
  ConicProblem finding{{n, {}, {}}, {}};
  for (int k = 0; k < 3; ++k) {
    const int m = 1 + (seed + 4 * k) % 9;
    const MatrixXd root = random_matrix(random, m, m);
    MatrixInequality matrix{"random", root * root.transpose() + 0.1 * MatrixXd::Identity(m, m), {}};
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < m; ++c)
        for (int r = 0; r <= c; ++r)
          if (random.uniform() < 0.35) matrix.entries.push_back({i, r, c, random.normal()});
    for (int i = 0; i < n; ++i) matrix.constant -= inner[i] * coefficient(matrix, i);
    finding.set.matrices.push_back(matrix);
  }
  for (int k = 0; k < seed % 5; ++k) {
    ScalarInequality scalar{"random", 0, {{k % n, random.normal()}, {(k + 1) % n, random.normal()}}};
    scalar.constant = random.uniform(0.05, 1) - scalar_at(scalar, inner);
    finding.set.scalars.push_back(scalar);
  }
  finding.objective = regression(random, inner + 3 * random_matrix(random, n, 1), 3 * n, 0.5);
  return finding;
}

}  // namespace fathom::solve::test
