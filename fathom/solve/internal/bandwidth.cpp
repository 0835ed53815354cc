#include "fathom/solve/internal/bandwidth.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::solve::internal {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double least_gap = 0.03;  // of sum a from one: Andrews and Monahan 1992 believe no nearer a root
constexpr double least_bandwidth = 0.1, most_bandwidth = 0.2;  // samples; share of all samples
constexpr Index most_order = 20;

/// m_t = sum_j a_j m_(t-j) + e_t.
struct Autoregression {
  VectorXd a;
  double variance;  ///< of e
};

VectorXd autocovariance(const Eigen::Ref<const VectorXd>& m, const std::vector<Run>& runs, Index most_lag) {
  VectorXd c = VectorXd::Zero(most_lag + 1);
  for (const Run& run : runs)
    for (Index lag = 0; lag <= std::min(most_lag, run.count - 1); ++lag)
      c[lag] += m.segment(run.first, run.count - lag).dot(m.segment(run.first + lag, run.count - lag));
  return c / static_cast<double>(m.size());
}

/// Orders 1 to the largest, by Levinson's and Durbin's recursion; calls `take` with each.
template <class Take>
void autoregressions(const VectorXd& c, const Take& take) {
  Autoregression fit{VectorXd(), c[0]};
  for (Index p = 1; p < c.size() && fit.variance > 0; ++p) {
    const double reflection = (c[p] - fit.a.dot(c.segment(1, p - 1).reverse())) / fit.variance;
    VectorXd a(p);
    a.head(p - 1) = fit.a - reflection * fit.a.reverse();
    a[p - 1] = reflection;
    fit = {a, fit.variance * (1 - reflection * reflection)};
    take(fit);
  }
}

/// Squares of the spectrum at frequency zero and of its second derivative there.
struct AtZero {
  double level = 0, curvature = 0;
  void add(const Autoregression& fit) {
    const VectorXd j = VectorXd::LinSpaced(fit.a.size(), 1, static_cast<double>(fit.a.size()));
    const double gap = std::max(1 - fit.a.sum(), least_gap);
    const double slope = fit.a.dot(j), bend = fit.a.dot(j.cwiseAbs2());
    const double f = fit.variance / (gap * gap), ff = -2 * f * (slope * slope + gap * bend) / (gap * gap);
    level += f * f;
    curvature += ff * ff;
  }
  /// Andrews 1991, eqs. 5.2 and 6.2.
  double bandwidth(double samples) const {
    const double alpha = level > 0 ? curvature / level : 0;
    return std::clamp(1.3221 * std::pow(alpha * samples, 0.2), least_bandwidth,
                      std::max(most_bandwidth * samples, least_bandwidth));
  }
};

}  // namespace

double bandwidth(const Eigen::MatrixXd& m, const std::vector<Run>& runs) {
  const double samples = static_cast<double>(m.rows());
  const double penalty = 2 * std::log(std::log(std::max(samples, 16.0)));
  AtZero first, chosen;
  for (Index column = 0; column < m.cols(); ++column) {
    const VectorXd c = autocovariance(m.col(column), runs, std::min(most_order, m.rows() / 10 + 1));
    double least = samples * std::log(c[0]);  // the criterion at order 0
    Autoregression best{VectorXd(), c[0]};
    autoregressions(c, [&](const Autoregression& fit) {
      if (fit.a.size() == 1) first.add(fit);
      const double criterion = samples * std::log(fit.variance) + penalty * static_cast<double>(fit.a.size());
      if (criterion >= least) return;
      least = criterion;
      best = fit;
    });
    chosen.add(best);
  }
  return std::max(first.bandwidth(samples), chosen.bandwidth(samples));
}

}  // namespace fathom::solve::internal
