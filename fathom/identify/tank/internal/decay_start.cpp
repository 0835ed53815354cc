#include "fathom/identify/tank/internal/decay_start.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Cholesky>

#include "fathom/base/constants.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr int frequencies = 250;

/// th = x0 + (x1 + x2 s) cos(w t) + (x3 + x4 s) sin(w t), s from 0 to 1 over the run.
struct Swing {
  Eigen::Matrix<double, 5, 1> x;
  double rss = 0;
};

Swing swing_at(const DecayRun& run, double w) {
  const VectorXd t = run.t.array() - run.t[0];
  const VectorXd s = t / t[t.size() - 1];
  Eigen::Matrix<double, Eigen::Dynamic, 5> A(t.size(), 5);
  A.col(0).setOnes();
  A.col(1) = (w * t.array()).cos();
  A.col(2) = A.col(1).cwiseProduct(s);
  A.col(3) = (w * t.array()).sin();
  A.col(4) = A.col(3).cwiseProduct(s);
  const Eigen::Matrix<double, 5, 5> gram = A.transpose() * A;
  const Eigen::Matrix<double, 5, 1> x = gram.ldlt().solve(A.transpose() * run.angle);
  return {x, (A * x - run.angle).squaredNorm()};
}

/// At most 300 samples: enough for a guess.
DecayRun thinned(const DecayRun& run) {
  const Index step = std::max<Index>(1, run.t.size() / 300), n = (run.t.size() + step - 1) / step;
  DecayRun out{run.name, VectorXd(n), VectorXd(n)};
  for (Index k = 0; k < n; ++k) {
    out.t[k] = run.t[k * step];
    out.angle[k] = run.angle[k * step];
  }
  return out;
}

/// rad/s, from half a swing in the longest run to an eighth of its thinned samples.
double best_frequency(const std::vector<DecayRun>& runs) {
  double longest = 0, densest = infinity;
  for (const DecayRun& run : runs) {
    const double duration = run.t[run.t.size() - 1] - run.t[0];
    longest = std::max(longest, duration);
    densest = std::min(densest, duration / static_cast<double>(run.t.size()));
  }
  const double low = std::numbers::pi / longest, high = std::max(4 * low, 2 * std::numbers::pi / (8 * densest));
  double best = low, least = infinity;
  for (int k = 0; k < frequencies; ++k) {
    const double w = low * std::pow(high / low, static_cast<double>(k) / (frequencies - 1));
    double rss = 0;
    for (const DecayRun& run : runs) rss += swing_at(run, w).rss;
    if (rss < least) {
      least = rss;
      best = w;
    }
  }
  return best;
}

double cost_of(const std::vector<DecayRun>& runs, const DecayStart& start) {
  double sum = 0;
  for (std::size_t k = 0; k < runs.size(); ++k)
    sum += (simulate_decay(start.rates, runs[k].t, start.first[k][0], start.first[k][1]) - runs[k].angle)
               .squaredNorm();
  return sum;
}

/// First state and equilibrium by the swing; its amplitude at the release is that of the measured angle.
DecayStart of_swings(const std::vector<DecayRun>& runs, double w) {
  DecayStart start;
  for (const DecayRun& run : runs) {
    const Swing swing = swing_at(run, w);
    start.rates.equilibrium += swing.x[0] / static_cast<double>(runs.size());
    start.first.emplace_back(run.angle[0], w * swing.x[3]);
  }
  return start;
}

}  // namespace

DecayStart decay_start(const std::vector<DecayRun>& runs) {
  std::vector<DecayRun> thin;
  for (const DecayRun& run : runs) thin.push_back(thinned(run));
  const double w = best_frequency(thin);
  const DecayStart swings = of_swings(thin, w);
  DecayStart best = swings;
  double least = infinity;
  for (const double stretch : {1.0, 1.03, 1.06, 1.1, 0.97})  // a wide swing is slower than a small one
    for (const double zeta : {0.003, 0.01, 0.03, 0.1, 0.3})
      for (const double quadratic : {0.0, 0.1, 0.5}) {
        DecayStart start = swings;
        start.rates.restoring = std::pow(stretch * w, 2);
        start.rates.linear = 2 * zeta * w;
        start.rates.quadratic = quadratic;
        const double cost = cost_of(thin, start);
        if (!(cost < least)) continue;
        least = cost;
        best = start;
      }
  return best;
}

}  // namespace fathom::identify::internal
