#include <algorithm>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"
#include "fathom/trajectory/basis.hpp"
#include "fathom/trajectory/bezier.hpp"

namespace fathom::trajectory::enclosure_test {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using Kind = Enclosure::Kind;

VectorXd random_vector(Index size, RandomStream& random) {
  VectorXd x(size);
  for (double& entry : x) entry = random.uniform(-1, 1);
  return x;
}

double get(const Bezier::Sample& sample, Kind kind) {
  return (kind == Kind::pose ? sample.value : kind == Kind::rate ? sample.rate : sample.acceleration)[0];
}

// What the rows say of one kind on one part: the rows labelled so, and the point shared with the part before.
struct Part {
  double begin, end, low, high;
  double first, last;  // rows at its ends
  int segment;
};

std::vector<Part> parts_of(const Enclosure& enclosure, const VectorXd& values, Kind kind) {
  std::vector<Part> parts;
  for (std::size_t k = 0; k < enclosure.labels.size(); ++k) {
    const auto& label = enclosure.labels[k];
    if (label.kind != kind) continue;
    const double value = values[k];
    if (parts.empty() || parts.back().begin != label.begin) {
      const bool shares = !parts.empty() && parts.back().segment == label.segment;
      const double first = shares ? parts.back().last : value;
      parts.push_back({label.begin, label.end, first, first, first, first, label.segment});
    }
    Part& part = parts.back();
    part.low = std::min(part.low, value);
    part.high = std::max(part.high, value);
    part.last = value;
  }
  return parts;
}

struct Case {
  const char* name;
  Basis basis;
};

std::vector<Case> cases() {
  const std::vector<double> unequal = {3, 7, 0.5, 12}, equal(5, 56.0);
  return {{"paper", bezier_basis(equal, 20)},
          {"unequal durations", bezier_basis(unequal, 9)},
          {"even spline", spline_basis(equal, std::vector<int>(5, 18))},
          {"uneven spline", spline_basis(unequal, std::vector<int>{2, 5, 1, 3})}};
}

TEST(Enclosure, HoldsTheCurveOnEachPartAndTouchesItAtTheEnds) {
  RandomStream random(1, "free numbers");
  for (const auto& [name, basis] : cases())
    for (const int count : {1, 3, 8}) {
      const VectorXd x = random_vector(basis.size(), random);
      const Bezier curve(basis.knots, basis.degree, basis.points(x, 0.2, -0.6).transpose());
      const Enclosure enclosure = enclose(basis, count);
      const VectorXd values = enclosure.values(x, 0.2, -0.6);
      for (const Kind kind : {Kind::pose, Kind::rate, Kind::acceleration}) {
        const auto parts = parts_of(enclosure, values, kind);
        ASSERT_EQ(parts.size(), basis.segment.size() * count) << name;
        const double small = 1e-12 * values.lpNorm<Eigen::Infinity>();
        for (const Part& part : parts) {
          EXPECT_NEAR(part.first, get(curve.at(part.begin), kind), small) << name;
          EXPECT_NEAR(part.last, get(curve.at(part.end), kind), small) << name;
          for (int k = 1; k < 20; ++k) {
            const double value = get(curve.at(part.begin + (part.end - part.begin) * k / 20), kind);
            EXPECT_GE(value, part.low - small) << name;
            EXPECT_LE(value, part.high + small) << name;
          }
        }
      }
    }
}

// The points of a part are a Bezier curve of their own: at any time it is the whole curve.
TEST(Enclosure, PartsOfDegreeTwentyAreExact) {
  const Basis basis = bezier_basis(std::vector<double>{2, 2, 2}, 20);
  const int count = 8;
  RandomStream random(2, "free numbers");
  const VectorXd x = random_vector(basis.size(), random);
  const Bezier curve(basis.knots, 20, basis.points(x, 0.5, 0.1).transpose());
  const Enclosure enclosure = enclose(basis, count);
  const VectorXd values = enclosure.values(x, 0.5, 0.1);
  for (const Kind kind : {Kind::pose, Kind::rate, Kind::acceleration}) {
    std::vector<double> knots, rows;
    for (std::size_t k = 0; k < enclosure.labels.size(); ++k) {
      const auto& label = enclosure.labels[k];
      if (label.kind != kind || label.segment != 1) continue;
      if (knots.empty()) knots.push_back(label.begin);
      if (knots.back() != label.end) {
        if (!rows.empty()) rows.push_back(rows.back());
        knots.push_back(label.end);
      }
      rows.push_back(values[k]);
    }
    const Eigen::RowVectorXd points = Eigen::Map<Eigen::RowVectorXd>(rows.data(), rows.size());
    const Bezier parts(knots, 20 - static_cast<int>(kind), points);
    for (double t = 2.003; t < 4; t += 0.017)
      EXPECT_NEAR(parts.at(t).value[0], get(curve.at(t), kind), 1e-12 * (1 + points.lpNorm<Eigen::Infinity>()));
    if (kind == Kind::acceleration) continue;
    const Kind next = static_cast<Kind>(static_cast<int>(kind) + 1);
    EXPECT_NEAR(parts.at(3.1).rate[0], get(curve.at(3.1), next), 1e-9);
  }
}

double gap(const Basis& basis, const VectorXd& x, int count, Kind kind) {
  const Bezier curve(basis.knots, basis.degree, basis.points(x, 0, 0).transpose());
  double low = 1e9, high = -1e9;
  for (int k = 0; k <= 4000; ++k) {
    const double value = get(curve.at(basis.knots.back() * k / 4000), kind);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const Enclosure enclosure = enclose(basis, count);
  double outer_low = 1e9, outer_high = -1e9;
  for (const Part& part : parts_of(enclosure, enclosure.values(x, 0, 0), kind)) {
    outer_low = std::min(outer_low, part.low);
    outer_high = std::max(outer_high, part.high);
  }
  return low - outer_low + outer_high - high;
}

TEST(Enclosure, GapShrinksWithTheSquareOfTheParts) {
  const Basis basis = bezier_basis(std::vector<double>{2, 3}, 20);
  for (const std::uint64_t seed : {3U, 4U, 5U})
    for (const Kind kind : {Kind::pose, Kind::rate}) {
      RandomStream random(seed, "free numbers");
      const VectorXd x = random_vector(basis.size(), random);
      const double g8 = gap(basis, x, 8, kind), g16 = gap(basis, x, 16, kind), g64 = gap(basis, x, 64, kind);
      EXPECT_LT(g16, g8 / 2);
      EXPECT_LT(g64, g16 / 8) << "16 on the average";
      EXPECT_GT(g64, -1e-6);
    }
}

Index half_bandwidth(const SparseRows& rows) {
  Index widest = 0;
  for (Index row = 0; row < rows.outerSize(); ++row) {
    Index first = rows.cols(), last = -1;
    for (SparseRows::InnerIterator entry(rows, row); entry; ++entry) {
      EXPECT_NE(entry.value(), 0);
      first = std::min<Index>(first, entry.col());
      last = std::max<Index>(last, entry.col());
    }
    widest = std::max(widest, last - first);
  }
  return widest;
}

TEST(Enclosure, RowsAreLocalAndEachPointStandsOnce) {
  const Basis paper = bezier_basis(std::vector<double>(5, 56.0), 20);
  const Enclosure hull = enclose(paper, 1), cut = enclose(paper, 8);
  EXPECT_EQ(hull.labels.size(), 5U * (21 + 20 + 19));
  EXPECT_EQ(half_bandwidth(hull.values.rows), 4);
  EXPECT_EQ(cut.labels.size(), 5U * (8 * 20 + 1 + 8 * 19 + 1 + 8 * 18 + 1));
  EXPECT_LE(half_bandwidth(cut.values.rows), 20);
  const Enclosure spline = enclose(spline_basis(std::vector<double>(5, 56.0), std::vector<int>(5, 18)), 1);
  EXPECT_EQ(spline.labels.size(), 5U * (18 * 3 + 1 + 18 * 2 + 1 + 18 + 1));
  EXPECT_EQ(half_bandwidth(spline.values.rows), 2);
}

// Panetsos, eqs. 11 and 12, from the points themselves.
TEST(Enclosure, OnePartIsTheHullOfThePaper) {
  const Basis basis = bezier_basis(std::vector<double>{4, 7}, 6);
  RandomStream random(6, "free numbers");
  const VectorXd x = random_vector(basis.size(), random), c = basis.points(x, 1, 2);
  std::vector<double> expected;
  for (Index j = 0; j < 2; ++j) {
    const double h = j == 0 ? 4 : 7;
    for (Index i = 0; i <= 6; ++i) expected.push_back(c[7 * j + i]);
    for (Index i = 1; i <= 6; ++i) expected.push_back(6 * (c[7 * j + i] - c[7 * j + i - 1]) / h);
    for (Index i = 2; i <= 6; ++i)
      expected.push_back(30 * (c[7 * j + i] - 2 * c[7 * j + i - 1] + c[7 * j + i - 2]) / (h * h));
  }
  const VectorXd values = enclose(basis, 1).values(x, 1, 2);
  ASSERT_EQ(values.size(), expected.size());
  for (Index k = 0; k < values.size(); ++k) EXPECT_NEAR(values[k], expected[k], 1e-13);
}

TEST(Enclosure, RefusesNoParts) {
  const Basis basis = bezier_basis(std::vector<double>{4, 7}, 6);
  for (const int count : {0, 1001}) try {
      enclose(basis, count);
      FAIL();
    } catch (const InputError& error) {
      EXPECT_EQ(error.findings().at(0).text(), "parts = " + std::to_string(count) + ", must be 1 to 1000");
    }
}

}  // namespace
}  // namespace fathom::trajectory::enclosure_test
