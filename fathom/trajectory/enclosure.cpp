#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/trajectory/basis.hpp"
#include "fathom/trajectory/bezier.hpp"

namespace fathom::trajectory {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int max_parts = 1000;

VectorXd bernstein_values(Index n, double u) {
  VectorXd value(n + 1), first(n + 1), second(n + 1);
  bernstein(static_cast<int>(n), u, value, first, second);
  return value;
}

// Control points on [a, b] of [0, 1] from those on all of it. Point i is the blossom at n - i times a and i
// times b, whose weights are the product of the polynomials b_k,n-i(a) and b_l,i(b): no weight is negative, so
// nothing cancels, where repeated halving or a change of basis would lose digits at high degree.
MatrixXd cut(Index n, double a, double b) {
  MatrixXd weights = MatrixXd::Zero(n + 1, n + 1);
  for (Index i = 0; i <= n; ++i) {
    const VectorXd at_a = bernstein_values(n - i, a), at_b = bernstein_values(i, b);
    for (Index l = 0; l <= i; ++l) weights.row(i).segment(l, n - i + 1) += at_b[l] * at_a.transpose();
  }
  return weights;
}

// Control points of the derivative by u from those of a curve of degree n.
MatrixXd difference(Index n) {
  MatrixXd rows = MatrixXd::Zero(n, n + 1);
  for (Index i = 0; i < n; ++i) {
    rows(i, i) = -static_cast<double>(n);
    rows(i, i + 1) = static_cast<double>(n);
  }
  return rows;
}

// For each kind and part the control points from those of the whole piece, whose duration is 1. Rates are cut
// as curves of their own: differences of the points of a short part would be small and divided by little.
using Cuts = std::array<std::vector<MatrixXd>, 3>;

Cuts cuts_of(Index n, int parts) {
  const std::array<MatrixXd, 3> derivative = {MatrixXd::Identity(n + 1, n + 1), difference(n),
                                              difference(n - 1) * difference(n)};
  Cuts cuts;
  for (Index order = 0; order < 3; ++order)
    for (int part = 0; part < parts; ++part) {
      const double a = static_cast<double>(part) / parts, b = static_cast<double>(part + 1) / parts;
      cuts[order].push_back(cut(n - order, a, b) * derivative[order]);
    }
  return cuts;
}

}  // namespace

Enclosure enclose(const Basis& basis, int parts) {
  if (parts < 1 || parts > max_parts) reject("parts", fmt::format("= {}, must be 1 to {}", parts, max_parts));
  const Index n = basis.degree;
  const Cuts cuts = cuts_of(n, parts);
  Enclosure enclosure;
  std::vector<Eigen::Triplet<double, Index>> entries;
  for (std::size_t piece = 0; piece + 1 < basis.knots.size(); ++piece) {
    const double begin = basis.knots[piece], duration = basis.knots[piece + 1] - begin;
    const int segment = basis.segment[piece];
    const bool goes_on = piece > 0 && basis.segment[piece - 1] == segment;
    for (int part = 0; part < parts; ++part) {
      const double from = begin + duration * part / parts;
      const double to = part + 1 == parts ? basis.knots[piece + 1] : begin + duration * (part + 1) / parts;
      for (int order = 0; order < 3; ++order) {
        const MatrixXd& points = cuts[order][part];
        const double scale = std::pow(duration, -order);
        // The first point is the last of the part before.
        for (Index i = part > 0 || goes_on ? 1 : 0; i < points.rows(); ++i) {
          const Index row = enclosure.labels.size();
          for (Index k = 0; k <= n; ++k)
            if (points(i, k) != 0) entries.emplace_back(row, piece * (n + 1) + k, scale * points(i, k));
          enclosure.labels.push_back({static_cast<Enclosure::Kind>(order), segment, from, to});
        }
      }
    }
  }
  SparseRows of_points(enclosure.labels.size(), basis.points.rows.rows());
  of_points.setFromTriplets(entries.begin(), entries.end());
  enclosure.values = {of_points * basis.points.rows, of_points * basis.points.start,
                      of_points * basis.points.end};
  enclosure.values.rows.prune([](Index, Index, double weight) { return weight != 0; });
  return enclosure;
}

}  // namespace fathom::trajectory
