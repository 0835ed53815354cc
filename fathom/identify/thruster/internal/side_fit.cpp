#include "fathom/identify/thruster/internal/side_fit.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/identify/internal/student.hpp"
#include "fathom/solve/non_negative.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double widest_dead_band = 0.45;  // of the side

double binomial(int n, int k) {
  double product = 1;
  for (int i = 1; i <= k; ++i) product = product * (n - k + i) / i;
  return product;
}

/// Column j is B_(j+1) + .. + B_n, Bernstein polynomials of degree n at z in [0, 1]: what an increment of the
/// coefficients adds. f = sum d_j column_j has f(0) = 0 and, with every d_j >= 0, never falls.
MatrixXd increments_basis(const VectorXd& u, double edge, double reach, int degree) {
  MatrixXd basis(u.size(), degree);
  std::array<double, 6> choose{};
  for (int i = 0; i <= degree; ++i) choose[static_cast<std::size_t>(i)] = binomial(degree, i);
  for (Index row = 0; row < u.size(); ++row) {
    const double z = std::clamp((u[row] - edge) / (reach - edge), 0.0, 1.0);
    double sum = 0;
    for (int i = degree; i >= 1; --i) {
      double term = choose[static_cast<std::size_t>(i)];
      for (int k = 0; k < i; ++k) term *= z;
      for (int k = i; k < degree; ++k) term *= 1 - z;
      basis(row, i - 1) = sum += term;
    }
  }
  return basis;
}

struct AtEdge {
  VectorXd increments;
  double square = infinity;
};

AtEdge fit_at(double edge, const VectorXd& u, const VectorXd& forces, int degree, double reach) {
  const MatrixXd basis = increments_basis(u, edge, reach, degree);
  AtEdge fit;
  fit.increments = solve::non_negative(basis.transpose() * basis, basis.transpose() * forces);
  fit.square = (basis * fit.increments - forces).squaredNorm();
  return fit;
}

/// The coefficient of z^k is binomial(n, k) times the k-th difference of the Bernstein coefficients at the
/// first, which is the (k - 1)-th of their increments.
std::array<double, 5> monomials(VectorXd increments, double length) {
  std::array<double, 5> c{};
  const auto n = static_cast<int>(increments.size());
  double power = 1;
  for (int k = 1; k <= n; ++k) {
    power *= length;
    c[static_cast<std::size_t>(k - 1)] = binomial(n, k) * increments[0] / power;
    for (int i = 0; i + k < n; ++i) increments[i] = increments[i + 1] - increments[i];
  }
  return c;
}

/// Residuals beyond the edge, in blocks that follow one another at random.
VectorXd drawn(const VectorXd& residuals, Index block, RandomStream& random) {
  const Index n = residuals.size();
  block = std::min(block, n);
  VectorXd series(n);
  for (Index at = 0; at < n; at += block) {
    const auto from = static_cast<Index>(random.uniform() * static_cast<double>(n - block + 1));
    const Index count = std::min(block, n - at);
    series.segment(at, count) = residuals.segment(from, count);
  }
  return series;
}

/// Neighbours that stay together: as many as residuals remember, but so few that the fit's own unknowns do not
/// level the blocks.
Index block_length(const VectorXd& residuals, Index unknowns, Index most) {
  const auto memory = static_cast<Index>(std::ceil(solve::integral_time(residuals)));
  return std::clamp<Index>(std::min(memory, residuals.size() / (4 * unknowns)), 1, most);
}

/// Of single points, whatever smooth law they follow: mean square of what four neighbours leave of a parabola.
double noise_variance(const VectorXd& u, const VectorXd& forces) {
  double sum = 0, count = 0;
  for (Index k = 0; k + 3 < u.size(); ++k) {
    double rest = 0, weights = 0;
    bool apart = true;
    for (Index i = k; i < k + 4; ++i) {
      double product = 1;
      for (Index j = k; j < k + 4; ++j)
        if (j != i) product *= (u[i] - u[j]) / (u[k + 3] - u[k]);
      apart = apart && std::abs(product) > 1e-9;
      rest += forces[i] / product;
      weights += 1 / (product * product);
    }
    if (!apart) continue;
    sum += rest * rest / weights;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto k = static_cast<std::size_t>(at);
  const double rest = at - static_cast<double>(k);
  return k + 1 < sorted.size() ? sorted[k] + rest * (sorted[k + 1] - sorted[k]) : sorted[k];
}

VectorXd forces_of(const SideLaw& law, const VectorXd& u) {
  return u.unaryExpr([&](double x) { return law.force(x); });
}

using Forces = std::vector<std::vector<double>>;  // by point, then by resample

/// Forces of laws fitted to what the law says, with residuals drawn anew. Points in the dead band stay.
Forces resampled(const SideChoice& choice, const VectorXd& residuals, Index block, int resamples,
                 std::uint64_t seed) {
  const SideLaw& law = choice.law;
  const double about = 0.1 * law.reach;
  const EdgeSearch near{std::max(0.0, law.edge - about),
                        std::min(widest_dead_band * law.reach, law.edge + about), 9, 2};
  const VectorXd fitted = forces_of(law, choice.u);
  RandomStream random(seed, "static thrust");
  Forces forces(static_cast<std::size_t>(choice.u.size()));
  for (int k = 0; k < resamples; ++k) {
    VectorXd again = choice.forces;
    again.tail(residuals.size()) = fitted.tail(residuals.size()) + drawn(residuals, block, random);
    const SideLaw other = fit_side(choice.u, again, law.degree, law.reach, near);
    for (std::size_t i = 0; i < forces.size(); ++i)
      forces[i].push_back(other.force(choice.u[static_cast<Index>(i)]));
  }
  return forces;
}

}  // namespace

EdgeSearch whole_side(double reach) { return {0, widest_dead_band * reach}; }

SideLaw fit_side(const VectorXd& u, const VectorXd& forces, int degree, double reach,
                 const EdgeSearch& search) {
  double low = search.low, high = search.high, best = low;
  AtEdge fit;
  for (int round = 0, points = search.grid; round <= search.rounds; ++round, points = 9) {
    const double step = (high - low) / (points - 1);
    for (int k = 0; k < points; ++k) {
      const double edge = low + step * k;
      if (AtEdge here = fit_at(edge, u, forces, degree, reach); here.square < fit.square) {
        fit = std::move(here);
        best = edge;
      }
    }
    low = std::max(search.low, best - step);
    high = std::min(search.high, best + step);
  }
  return {degree, best, reach, monomials(fit.increments, reach - best)};
}

void side_band(SideChoice& choice, const StaticThrustOptions& options, std::uint64_t seed) {
  const SideLaw& law = choice.law;
  const VectorXd fitted = forces_of(law, choice.u);
  const Index inside = std::count_if(choice.u.begin(), choice.u.end(), [&](double u) { return u <= law.edge; });
  const Index beyond = choice.u.size() - inside, unknowns = law.degree + 1;
  // What is left after a fit is smaller than the errors by the unknowns of the fit.
  const auto left = static_cast<double>(std::max<Index>(1, beyond - unknowns));
  const VectorXd residuals =
      std::sqrt(static_cast<double>(beyond) / left) * (choice.forces - fitted).tail(beyond);
  const double misfit =
      std::sqrt(std::max(0.0, residuals.squaredNorm() / static_cast<double>(beyond) -
                                  noise_variance(choice.u.tail(beyond), choice.forces.tail(beyond))));
  const double wider =
      student_t(0.975, left) / sigmas_of_95;  // what is left of few points tells their spread badly
  choice.low = choice.high = fitted;
  const Forces drawn_forces =
      resampled(choice, residuals, block_length(residuals, unknowns, options.block), options.resamples, seed);
  for (Index k = 0; k < beyond; ++k) {
    const Index at = inside + k;
    std::vector<double> forces = drawn_forces[static_cast<std::size_t>(at)];
    std::sort(forces.begin(), forces.end());
    const double below = fitted[at] - quantile(forces, 0.025), above = quantile(forces, 0.975) - fitted[at];
    choice.low[at] = std::max(0.0, fitted[at] - wider * std::hypot(below, sigmas_of_95 * misfit));
    choice.high[at] = fitted[at] + wider * std::hypot(above, sigmas_of_95 * misfit);
  }
}

}  // namespace fathom::identify::internal
