#include "fathom/excite/internal/kernel.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"

namespace fathom::excite::internal {
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
  static constexpr int columns = 4, most_blocks = 5, rows = most_blocks * lanes;
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

/// Sums of products and what they hand back, for odd and even numbers of blocks.
std::vector<double> accumulated(const Kernel& kernel) {
  const Products products;
  std::vector<double> all;
  for (int blocks = 1; blocks <= Products::most_blocks; ++blocks) {
    std::vector<double> sums = random_numbers(products.second.size() * lanes, 8);
    kernel.accumulate(products.pairs(), blocks, sums.data());
    append(all, sums);
    std::vector<double> adjoint = random_numbers(Products::columns * Products::rows, 9);
    double* to[Products::columns];
    for (int k = 0; k < Products::columns; ++k) to[k] = &adjoint[static_cast<std::size_t>(k * Products::rows)];
    kernel.accumulate_adjoint(products.pairs(),
                              {products.partner_begin.data(), products.other.data(), products.weight.data()},
                              blocks, to);
    append(all, adjoint);
  }
  return all;
}

/// Everything that one kernel computes from the same numbers.
std::vector<double> results_of(const Kernel& kernel) {
  std::vector<double> all = accumulated(kernel);
  for (const bool all_angles : {false, true}) {
    Motion motion;
    kernel.to_body(motion.columns(), motion.body_columns(), Motion::blocks, all_angles);
    kernel.to_body_adjoint(motion.columns(), motion.body_columns(), motion.adjoint_columns(), Motion::blocks,
                           all_angles);
    append(all, motion.body);
    append(all, motion.world_adjoint);
  }
  const int points = 7, blocks = 3;
  const auto values = random_numbers(points * blocks * lanes, 3);
  for (int count = 1; count <= 6; ++count) {
    const auto c = random_numbers(static_cast<std::size_t>(points * count), 4);
    std::vector<double> out(static_cast<std::size_t>(count * blocks * lanes)), sums(points * 6 * lanes);
    double* to[6];
    const double *to_read[6], *from[6];
    for (int k = 0; k < count; ++k) {
      from[k] = &c[static_cast<std::size_t>(k * points)];
      to_read[k] = to[k] = &out[static_cast<std::size_t>(k * blocks * lanes)];
    }
    kernel.sample({values.data(), blocks, points}, from, count, to);
    append(all, out);
    kernel.sample_adjoint({values.data(), blocks, points}, to_read, count, sums.data(), count * lanes);
    append(all, sums);
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

}  // namespace
}  // namespace fathom::excite::internal
