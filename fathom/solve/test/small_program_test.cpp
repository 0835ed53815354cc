#include "fathom/solve/small_program.hpp"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"

namespace fathom::solve::small_program_test {
namespace {

struct Bounded {
  Eigen::MatrixXd A;
  Eigen::VectorXd lower, upper;
};

Bounded random_bounded(RandomStream& random, Eigen::Index rows, Eigen::Index columns) {
  Bounded program{Eigen::MatrixXd(rows, columns), Eigen::VectorXd(columns), Eigen::VectorXd(columns)};
  for (double& a : program.A.reshaped()) a = random.normal();
  for (double& l : program.lower) l = -random.uniform(0.1, 2);
  for (double& u : program.upper) u = random.uniform(0.1, 2);
  return program;
}

/// Every vertex: as many variables as there are rows follow from the others, which are at bounds.
std::vector<Eigen::VectorXd> vertices_of(const Bounded& program) {
  const auto n = static_cast<unsigned>(program.A.cols());
  std::vector<Eigen::VectorXd> vertices;
  for (unsigned set = 0; set < (1u << n); ++set) {
    std::vector<Eigen::Index> basic, other;
    for (unsigned k = 0; k < n; ++k) (set >> k & 1u ? basic : other).push_back(k);
    if (static_cast<Eigen::Index>(basic.size()) != program.A.rows()) continue;
    const Eigen::MatrixXd B = program.A(Eigen::all, basic), N = program.A(Eigen::all, other);
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(B);
    for (unsigned sides = 0; sides < (1u << other.size()); ++sides) {
      Eigen::VectorXd x(n), at(static_cast<Eigen::Index>(other.size()));
      for (unsigned k = 0; k < other.size(); ++k)
        at[k] = sides >> k & 1u ? program.upper[other[k]] : program.lower[other[k]];
      x(other) = at;
      x(basic) = -lu.solve(N * at);
      if ((x - program.lower).minCoeff() > -1e-9 && (program.upper - x).minCoeff() > -1e-9)
        vertices.push_back(x);
    }
  }
  return vertices;
}

template <class Program>
void add_columns(const Bounded& bounded, Program& program) {
  for (Eigen::Index j = 0; j < bounded.A.cols(); ++j)
    program.add(std::span<const double>(bounded.A.col(j).data(), static_cast<std::size_t>(bounded.A.rows())),
                bounded.lower[j], bounded.upper[j]);
}

TEST(SmallProgram, FindsTheBestOfAllVertices) {
  RandomStream random(1, "small program");
  for (int k = 0; k < 100; ++k) {
    const Eigen::Index rows = 1 + k % 3, columns = 6;
    const Bounded bounded = random_bounded(random, rows, columns);
    SmallProgram program(static_cast<int>(rows));
    add_columns(bounded, program);
    std::vector<Eigen::VectorXd> best = vertices_of(bounded);
    ASSERT_FALSE(best.empty());
    for (const int j : {4, 2}) {  // the second on the face of all that are best for the first
      double most = -infinity;
      for (const Eigen::VectorXd& x : best) most = std::max(most, x[j]);
      EXPECT_NEAR(program.maximize(j), most, 1e-9) << k;
      std::erase_if(best, [&](const Eigen::VectorXd& x) { return x[j] < most - 1e-9; });
    }
    Eigen::VectorXd x(columns);
    for (int j = 0; j < columns; ++j) x[j] = program.value(j);
    EXPECT_LT((bounded.A * x).norm(), 1e-9);
    EXPECT_GE((x - bounded.lower).minCoeff(), -1e-9);
    EXPECT_GE((bounded.upper - x).minCoeff(), -1e-9);
  }
}

TEST(SmallProgram, HoldsWhatHasOnlyOneValueLeft) {
  // Two sums: x0 + x1 = s, and x2 - x3 = 0, which s says nothing of.
  SmallProgram program(2);
  const double one[] = {1, 0}, minus_one[] = {-1, 0}, two[] = {0, 1}, minus_two[] = {0, -1};
  program.add(one, -1, 2);
  program.add(one, -1, 3);
  const int s = program.add(minus_one, 0, 100);
  program.add(two, -1, 1);
  program.add(minus_two, -1, 1);
  EXPECT_EQ(program.maximize(s), 5);
  EXPECT_EQ(program.value(0), 2);
  EXPECT_EQ(program.value(1), 3);
  EXPECT_TRUE(program.held(0) && program.held(1) && program.held(s));
  EXPECT_FALSE(program.held(3) || program.held(4));
  EXPECT_EQ(program.maximize(4), 1);
}

TEST(SmallProgram, TellsThatNothingBoundsIt) {
  SmallProgram program(1);
  const double one[] = {1}, minus_one[] = {-1};
  program.add(one, 0, infinity);
  EXPECT_EQ(program.maximize(program.add(minus_one, 0, infinity)), infinity);
}

TEST(SmallProgram, IsTheSameOnTheHeapAndBegunAnew) {
  RandomStream random(2, "small program");
  LargeProgram large(1, 20);
  for (int k = 0; k < 20; ++k) {
    const Bounded bounded = random_bounded(random, 6, 20);
    SmallProgram small(6);
    large.begin(6);
    add_columns(bounded, small);
    add_columns(bounded, large);
    for (const int j : {0, 7, 19}) EXPECT_EQ(small.maximize(j), large.maximize(j));
    for (int j = 0; j < 20; ++j) {
      EXPECT_EQ(small.value(j), large.value(j));
      EXPECT_EQ(small.held(j), large.held(j));
    }
  }
}

TEST(SmallProgram, RefusesWhatDoesNotFit) {
  SmallProgram program(2);
  const double column[] = {1, 0}, short_column[] = {1};
  EXPECT_THROW(program.add(short_column, -1, 1), InputError);
  EXPECT_THROW(program.add(column, 0.1, 1), InputError);
  EXPECT_THROW(program.add(column, -1, -0.1), InputError);
  LargeProgram full(2, 1);
  full.add(column, -1, 1);
  EXPECT_THROW(full.add(column, -1, 1), InputError);
}

}  // namespace
}  // namespace fathom::solve::small_program_test
