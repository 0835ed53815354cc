#pragma once
#include <algorithm>
#include <limits>
#include <vector>

#include "fathom/base/random.hpp"
#include "fathom/solve/interior_point.hpp"

namespace fathom::solve::test {

constexpr double infinity = std::numeric_limits<double>::infinity();

inline Eigen::VectorXd random_vector(RandomStream& random, Eigen::Index n) {
  Eigen::VectorXd v(n);
  for (double& number : v) number = random.normal();
  return v;
}

inline SparseRows sparse(const Eigen::MatrixXd& A) { return A.sparseView(); }

/// Rows of 1 to `widest` neighbours.
inline SparseRows random_rows(RandomStream& random, int rows, int unknowns, int widest) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(rows, unknowns);
  for (int i = 0; i < rows; ++i) {
    const int width = 1 + static_cast<int>(random.uniform() * widest);
    const int first = static_cast<int>(random.uniform() * (unknowns - width + 1));
    for (int j = first; j < first + width; ++j) A(i, j) = random.normal();
  }
  return sparse(A);
}

/// Around `inner`, which lies inside every row by `least` to 1 on either side; of three rows, one is open below
/// and one above.
inline Block block_around(RandomStream& random, SparseRows A, const Eigen::VectorXd& inner,
                          double least = 0.1) {
  Block block{std::move(A), {}, {}};
  block.lower = block.upper = block.A * inner;
  for (Eigen::Index i = 0; i < block.A.rows(); ++i) {
    block.lower[i] -= i % 3 == 1 ? infinity : random.uniform(least, 1);
    block.upper[i] += i % 3 == 2 ? infinity : random.uniform(least, 1);
  }
  return block;
}

/// Two blocks of different widths and sizes, and the point they are around.
struct RandomProgram {
  BlockProgram program;
  Eigen::VectorXd inner;
};
inline RandomProgram random_program(std::uint64_t seed, double least = 0.1) {
  RandomStream random(seed, "program");
  const Eigen::VectorXd a = random_vector(random, 9), b = random_vector(random, 6);
  RandomProgram result{{}, Eigen::VectorXd(15)};
  result.program.blocks = {block_around(random, random_rows(random, 23, 9, 3), a, least),
                           block_around(random, random_rows(random, 10, 6, 5), b, least)};
  result.inner << a, b;
  return result;
}

/// All rows in one dense matrix, and their bounds.
struct DenseRows {
  Eigen::MatrixXd A;
  Eigen::VectorXd lower, upper;
};
inline DenseRows dense(const BlockProgram& program) {
  Eigen::Index rows = 0, row = 0, column = 0;
  for (const Block& block : program.blocks) rows += block.A.rows();
  DenseRows all{Eigen::MatrixXd::Zero(rows, program.unknowns()), Eigen::VectorXd(rows), Eigen::VectorXd(rows)};
  for (const Block& block : program.blocks) {
    all.A.block(row, column, block.A.rows(), block.A.cols()) = block.A;
    all.lower.segment(row, block.A.rows()) = block.lower;
    all.upper.segment(row, block.A.rows()) = block.upper;
    row += block.A.rows();
    column += block.A.cols();
  }
  return all;
}

/// How far `gradient` is from a sum of the normals of sides whose slack is below `near`, each times a number
/// >= 0: zero at a point that fulfils the conditions of optimality. By cyclic descent on the numbers.
double distance_from_normal_cone(const BlockProgram& program, const Eigen::VectorXd& x,
                                 const Eigen::VectorXd& gradient, double near);

}  // namespace fathom::solve::test
