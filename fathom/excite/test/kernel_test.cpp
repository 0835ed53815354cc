#include "fathom/excite/internal/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/excite/instruction_set.hpp"

namespace fathom::excite::internal::kernel_test {
namespace {

std::vector<double> random_numbers(std::size_t count, std::uint64_t seed, double size = 1) {
  RandomStream random(seed, "kernel");
  std::vector<double> numbers(count);
  for (double& x : numbers) x = size * random.normal();
  return numbers;
}

/// Six columns each of pose, rate, acceleration; nu, nu_dot and three of down.
struct Motion {
  static constexpr int blocks = 5, rows = blocks * lanes;
  std::vector<double> world = random_numbers(18 * rows, 1, 2), mask = std::vector<double>(rows, 1.0);
  std::vector<double> body = std::vector<double>(15 * rows), body_adjoint = random_numbers(15 * rows, 2);
  std::vector<double> world_adjoint = std::vector<double>(18 * rows);

  Columns columns() {
    Columns c{};
    for (int k = 0; k < 6; ++k) {
      c.pose[k] = &world[static_cast<std::size_t>(k * rows)];
      c.rate[k] = &world[static_cast<std::size_t>((6 + k) * rows)];
      c.acceleration[k] = &world[static_cast<std::size_t>((12 + k) * rows)];
    }
    c.mask = mask.data();
    return c;
  }
  BodyColumns body_columns() {
    BodyColumns c{};
    for (int k = 0; k < 6; ++k) {
      c.nu[k] = &body[static_cast<std::size_t>(k * rows)];
      c.nu_dot[k] = &body[static_cast<std::size_t>((6 + k) * rows)];
    }
    for (int k = 0; k < 3; ++k) c.down[k] = &body[static_cast<std::size_t>((12 + k) * rows)];
    return c;
  }
  AdjointColumns adjoint_columns() {
    AdjointColumns c{};
    for (int k = 0; k < 6; ++k) {
      c.pose[k] = &world_adjoint[static_cast<std::size_t>(k * rows)];
      c.rate[k] = &world_adjoint[static_cast<std::size_t>((6 + k) * rows)];
      c.acceleration[k] = &world_adjoint[static_cast<std::size_t>((12 + k) * rows)];
      c.nu[k] = &body_adjoint[static_cast<std::size_t>(k * rows)];
      c.nu_dot[k] = &body_adjoint[static_cast<std::size_t>((6 + k) * rows)];
    }
    for (int k = 0; k < 3; ++k) c.down[k] = &body_adjoint[static_cast<std::size_t>((12 + k) * rows)];
    return c;
  }
};

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Features of every kind over four columns of which the third is not used, all pairs of them, and weights.
struct Products {
  static constexpr int columns = 4, most_blocks = 11, rows = most_blocks * lanes;
  std::vector<Feature> features = {{Feature::plain, 0, 0},
                                   {Feature::product, 0, 1},
                                   {Feature::absolute_product, 1, 3},
                                   {Feature::absolute_product, 3, 3},
                                   {Feature::plain, 3, 0}};
  std::vector<int> used = {0, 1, 3}, begin = {0}, second, partner_begin = {0}, other;
  std::vector<double> numbers = random_numbers(columns * rows, 6), weight;
  const double* base[columns];

  Products() {
    const int count = static_cast<int>(features.size());
    for (int first = 0; first < count; ++first) {
      for (int k = first; k < count; ++k) second.push_back(k);
      begin.push_back(static_cast<int>(second.size()));
      for (int k = 0; k < count; ++k) other.push_back(k);
      partner_begin.push_back(static_cast<int>(other.size()));
    }
    weight = random_numbers(other.size(), 7);
    for (int k = 0; k < columns; ++k) base[k] = &numbers[static_cast<std::size_t>(k * rows)];
  }
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;
  Pairs pairs() const {
    return {features.data(), static_cast<int>(features.size()), begin.data(), second.data(), base,
            used.data(),     static_cast<int>(used.size())};
  }
};

/// Sums of products and what they hand back, for numbers of blocks around those that are taken at a time.
std::vector<double> accumulated(const Kernel& kernel) {
  const Products products;
  std::vector<double> all;
  for (int blocks = 1; blocks <= Products::most_blocks; ++blocks) {
    std::vector<double> sums = random_numbers(products.second.size() * lanes, 8);
    kernel.accumulate(products.pairs(), blocks, sums.data());
    append(all, sums);
    for (const Onto onto : {Onto::what_is_there, Onto::nothing}) {
      std::vector<double> adjoint = random_numbers(Products::columns * Products::rows, 9);
      double* to[Products::columns];
      for (int k = 0; k < Products::columns; ++k)
        to[k] = &adjoint[static_cast<std::size_t>(k * Products::rows)];
      kernel.accumulate_adjoint(products.pairs(),
                                {products.partner_begin.data(), products.other.data(), products.weight.data()},
                                blocks, to, onto);
      append(all, adjoint);
    }
  }
  return all;
}

/// A motion and its adjoints, each way to write them.
std::vector<double> moved(const Kernel& kernel) {
  std::vector<double> all;
  for (const bool all_angles : {false, true})
    for (const Onto onto : {Onto::what_is_there, Onto::nothing}) {
      Motion motion;
      kernel.to_body(motion.columns(), motion.body_columns(), Motion::blocks, all_angles);
      kernel.to_body_adjoint(motion.columns(), motion.body_columns(), motion.adjoint_columns(), Motion::blocks,
                             all_angles, onto);
      append(all, motion.body);
      append(all, motion.world_adjoint);
    }
  return all;
}

constexpr int points = 7, sample_blocks = 3;

std::vector<double> sampled(const Kernel& kernel, int count) {
  const auto table = random_numbers(points * sample_blocks * lanes, 3);
  const auto c = random_numbers(static_cast<std::size_t>(points * count), 4);
  std::vector<double> out(static_cast<std::size_t>(count * sample_blocks * lanes));
  auto sums = random_numbers(static_cast<std::size_t>(points * count * lanes), 11);
  std::vector<double*> to, to_sums;
  std::vector<const double*> from;
  for (int k = 0; k < count; ++k) {
    from.push_back(&c[static_cast<std::size_t>(k * points)]);
    to.push_back(&out[static_cast<std::size_t>(k * sample_blocks * lanes)]);
    to_sums.push_back(&sums[static_cast<std::size_t>(k * points * lanes)]);
  }
  const std::vector<const double*> to_read(to.begin(), to.end());
  kernel.sample({table.data(), sample_blocks, points}, from.data(), count, to.data());
  kernel.sample_adjoint({table.data(), sample_blocks, points}, to_read.data(), count, to_sums.data());
  append(out, sums);
  return out;
}

/// A random symmetric matrix in rows of whole blocks, times itself.
std::vector<double> squared(const Kernel& kernel, int n, std::vector<double>& matrix) {
  const int stride = (n + lanes - 1) / lanes * lanes;
  matrix.assign(static_cast<std::size_t>(stride * stride), 0.0);
  const auto numbers = random_numbers(static_cast<std::size_t>(n * n), 10);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      matrix[static_cast<std::size_t>(i * stride + j)] =
          numbers[static_cast<std::size_t>(std::min(i, j) * n + std::max(i, j))];
  std::vector<double> square(matrix.size());
  kernel.multiply(matrix.data(), matrix.data(), n, stride, square.data());
  return square;
}

/// Everything that one kernel computes from the same numbers.
std::vector<double> results_of(const Kernel& kernel) {
  std::vector<double> all = accumulated(kernel);
  append(all, moved(kernel));
  for (int count = 1; count <= 9; ++count) append(all, sampled(kernel, count));
  for (const int n : {1, 7, 8, 23}) {
    std::vector<double> matrix;
    append(all, squared(kernel, n, matrix));
  }
  return all;
}

TEST(Kernel, EveryInstructionSetGivesTheSameBits) {
  const Kernel* all[3];
  const int count = kernels(all);
  const auto expected = results_of(*all[0]);
  for (int k = 1; k < count; ++k) {
    const auto got = results_of(*all[k]);
    ASSERT_EQ(got.size(), expected.size());
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(double)), 0) << all[k]->name;
  }
}

TEST(Kernel, TablesTimesColumnsAndBackAreThoseOfPlainLoops) {
  for (const int count : {1, 3, 6, 20}) {
    const auto table = random_numbers(points * sample_blocks * lanes, 3);
    const auto c = random_numbers(static_cast<std::size_t>(points * count), 4);
    const auto before = random_numbers(static_cast<std::size_t>(points * count * lanes), 11);
    const auto got = sampled(kernel_generic, count);
    const std::size_t rows = sample_blocks * lanes, out_size = rows * static_cast<std::size_t>(count);
    const auto at = [&](std::size_t row, std::size_t point) {
      return table[(row / lanes * points + point) * lanes + row % lanes];
    };
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      for (std::size_t row = 0; row < rows; ++row) {
        double sum = 0;
        for (std::size_t i = 0; i < points; ++i) sum += at(row, i) * c[k * points + i];
        EXPECT_NEAR(got[k * rows + row], sum, 1e-13);
      }
      for (std::size_t i = 0; i < points * lanes; ++i) {  // by point and lane
        double sum = before[k * points * lanes + i];
        for (std::size_t row = i % lanes; row < rows; row += lanes)
          sum += at(row, i / lanes) * got[k * rows + row];
        EXPECT_NEAR(got[out_size + k * points * lanes + i], sum, 1e-13);
      }
    }
  }
}

TEST(Kernel, WritingOverIsAddingToNothing) {
  // Motion's adjoints begin at zero; there both are the same, column by column that is written.
  Motion added, written;
  written.world_adjoint = random_numbers(written.world_adjoint.size(), 12);
  for (Motion* motion : {&added, &written}) {
    kernel_generic.to_body(motion->columns(), motion->body_columns(), Motion::blocks, true);
    kernel_generic.to_body_adjoint(motion->columns(), motion->body_columns(), motion->adjoint_columns(),
                                   Motion::blocks, true,
                                   motion == &added ? Onto::what_is_there : Onto::nothing);
  }
  for (std::size_t k = 3 * Motion::rows; k < added.world_adjoint.size(); ++k)  // nothing hangs on x, y, z
    EXPECT_EQ(added.world_adjoint[k], written.world_adjoint[k]);
}

TEST(Kernel, ProductOfMatrices) {
  for (const int n : {1, 7, 8, 23, 27}) {
    std::vector<double> matrix;
    const auto square = squared(kernel_generic, n, matrix);
    const int stride = (n + lanes - 1) / lanes * lanes;
    const Eigen::Map<Eigen::MatrixXd> A(matrix.data(), stride, stride);
    const Eigen::Map<const Eigen::MatrixXd> got(square.data(), stride, stride);
    EXPECT_LT((got - A * A).norm(), 1e-14 * A.squaredNorm());
    EXPECT_EQ(got, got.transpose());
  }
}

TEST(Kernel, SineAndCosine) {
  // u and v of a motion north at 1 m/s are the cosine and minus the sine of yaw.
  const Kernel* all[3];
  const int count = kernels(all);
  RandomStream random(5, "angles");
  for (int k = 0; k < count; ++k)
    for (const double size : {1e-9, 1.0, 10.0, 1e4}) {
      Motion motion;
      for (int row = 0; row < Motion::rows; ++row) {
        motion.world[static_cast<std::size_t>(5 * Motion::rows + row)] = size * random.normal();
        motion.world[static_cast<std::size_t>(6 * Motion::rows + row)] = 1;
        motion.world[static_cast<std::size_t>(7 * Motion::rows + row)] = 0;
      }
      all[k]->to_body(motion.columns(), motion.body_columns(), Motion::blocks, false);
      for (int row = 0; row < Motion::rows; ++row) {
        const double yaw = motion.world[static_cast<std::size_t>(5 * Motion::rows + row)];
        EXPECT_NEAR(motion.body[static_cast<std::size_t>(row)], std::cos(yaw), 3e-16) << yaw;
        EXPECT_NEAR(motion.body[static_cast<std::size_t>(Motion::rows + row)], -std::sin(yaw), 3e-16) << yaw;
      }
    }
}

TEST(Kernel, IsChosenByName) {
  for (const std::string& name : instruction_sets()) {  // the fastest, which stays, is the last
    use_instruction_set(name);
    EXPECT_EQ(kernel().name, name);
  }
  EXPECT_EQ(fathom::test::error_text([] { use_instruction_set("abacus"); }),
            "instruction set 'abacus' is not one that this processor runs");
}

}  // namespace
}  // namespace fathom::excite::internal::kernel_test
