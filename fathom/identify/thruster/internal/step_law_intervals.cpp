#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "fathom/geometry/spectrum.hpp"
#include "fathom/identify/internal/student.hpp"
#include "fathom/identify/thruster/internal/rotor_model.hpp"
#include "fathom/identify/thruster/internal/step_law_fit.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double slope_step = 1e-4, bound_slack = 1e-4, tail = 0.975;

/// Of residuals by each of these unknowns.
MatrixXd slopes(const StepProblem& problem, const VectorXd& x, const std::vector<Step>& steps,
                const std::vector<Index>& which, Index rows) {
  MatrixXd J(rows, static_cast<Index>(which.size()));
  RotorMemory memory;
  const auto at = [&](const VectorXd& where) { return problem.residuals(where, steps, nullptr, {}, &memory); };
  for (std::size_t k = 0; k < which.size(); ++k) {
    VectorXd above = x, below = x;
    above[which[k]] += slope_step;
    below[which[k]] -= slope_step;
    J.col(static_cast<Index>(k)) = (at(above) - at(below)) / (2 * slope_step);
  }
  return J;
}

/// Variances as if residuals were alike everywhere, each series being worth fewer the longer it remembers: the
/// slope is large in few rows, those after a step, too few for the covariance of moments in time.
VectorXd variances_of_memory(const MatrixXd& J, const VectorXd& r, const std::vector<Index>& series,
                             const MatrixXd& inverse_H) {
  MatrixXd middle = MatrixXd::Zero(J.cols(), J.cols());
  for (std::size_t k = 0; k + 1 < series.size(); ++k) {
    const Index n = series[k + 1] - series[k];
    if (n < 2) continue;
    const auto part = r.segment(series[k], n);
    middle += part.squaredNorm() / static_cast<double>(n) * std::max(1.0, solve::integral_time(part)) *
              J.middleRows(series[k], n).transpose() * J.middleRows(series[k], n);
  }
  return (inverse_H * middle * inverse_H).diagonal();
}

/// Variances by how the steps disagree, whatever the residuals are within each: one step left out after the
/// other, to first order (the jackknife of clusters, Bell and McCaffrey 2002).
VectorXd variances_of_steps(const MatrixXd& J, const VectorXd& r, const std::vector<Index>& borders) {
  const std::size_t steps = borders.size() - 1;
  const MatrixXd H = J.transpose() * J;
  MatrixXd moved(J.cols(), static_cast<Index>(steps));
  for (std::size_t k = 0; k < steps; ++k) {
    const auto part = J.middleRows(borders[k], borders[k + 1] - borders[k]);
    const MatrixXd rest = H - part.transpose() * part;
    moved.col(static_cast<Index>(k)) =
        pseudo_inverse(rest) * part.transpose() * r.segment(borders[k], borders[k + 1] - borders[k]);
  }
  moved.colwise() -= moved.rowwise().mean().eval();
  return (static_cast<double>(steps) - 1) / static_cast<double>(steps) * moved.rowwise().squaredNorm();
}

/// What the unknowns move by when things that no law has are fitted too, to first order: what the law itself
/// may be wrong by.
VectorXd moved_by_the_rest(const StepProblem& problem, const VectorXd& x, const std::vector<Step>& steps,
                           const MatrixXd& J, const VectorXd& r) {
  const std::vector<StepNumbers::Left> rest = problem.left_to_try(x);
  if (rest.empty()) return VectorXd::Zero(J.cols());
  MatrixXd columns(r.size(), static_cast<Index>(rest.size()));
  for (std::size_t k = 0; k < rest.size(); ++k)
    columns.col(static_cast<Index>(k)) = problem.residuals(x, steps, nullptr, rest[k]) - r;
  const MatrixXd taken = pseudo_inverse(J.transpose() * J) * (J.transpose() * columns);
  // Errors of the table that a scale takes up leave nothing alone: they move no other unknown, and are left
  // out.
  constexpr double least_alone = 1e-3;
  const MatrixXd alone = columns - J * taken;
  const VectorXd unit = alone.colwise().norm().cwiseMax(1e-300).cwiseInverse().transpose();
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition;
  decomposition.setThreshold(least_alone);
  decomposition.compute(MatrixXd(alone * unit.asDiagonal()));
  const VectorXd of_r = decomposition.solve(r);
  return taken * unit.cwiseProduct(of_r);
}

/// Of 95 % intervals in coordinates, of the unknowns inside their bounds.
VectorXd half_widths(const StepProblem& problem, const VectorXd& x, const std::vector<Step>& steps,
                     const std::vector<Index>& inside) {
  std::vector<Index> series, borders;
  const VectorXd r = problem.residuals(x, steps, &series);
  std::size_t at = 0;
  for (const Step& step : steps) {
    borders.push_back(series[at]);
    at += problem.series_of(step.run);
  }
  borders.push_back(r.size());
  const MatrixXd J = slopes(problem, x, steps, inside, r.size());
  const VectorXd memory = variances_of_memory(J, r, series, pseudo_inverse(J.transpose() * J));
  VectorXd half = sigmas_of_95 * memory.cwiseMax(0.0).cwiseSqrt();
  if (steps.size() > 1) {
    const double t = student_t(tail, static_cast<double>(steps.size() - 1));
    half = half.cwiseMax(t * variances_of_steps(J, r, borders).cwiseMax(0.0).cwiseSqrt()).eval();
  }
  const VectorXd moved = sigmas_of_95 * moved_by_the_rest(problem, x, steps, J, r),
                 windings = sigmas_of_95 * problem.moved_by_windings(x)(inside);
  return (half.cwiseAbs2() + moved.cwiseAbs2() + windings.cwiseAbs2()).cwiseSqrt();
}

}  // namespace

std::vector<StepParameter> StepProblem::parameters(const Minimum& at, const std::vector<Step>& steps) const {
  std::vector<Index> inside;
  for (Index k = 0; k < at.x.size(); ++k) {
    const Unknown& unknown = unknowns_[static_cast<std::size_t>(k)];
    const double low = unknown.coordinate(unknown.low), high = unknown.coordinate(unknown.high),
                 slack = bound_slack * std::min(1.0, high - low);
    // A lag that is shorter than the time between rows is none that they show.
    const bool is_resolved = unknown.name != "time_constant" || unknown.value(at.x[k]) > row_time_;
    if (is_resolved && at.x[k] > low + slack && at.x[k] < high - slack) inside.push_back(k);
  }
  const VectorXd inner = half_widths(*this, at.x, steps, inside);
  VectorXd half = VectorXd::Constant(at.x.size(), nan);
  for (std::size_t k = 0; k < inside.size(); ++k) half[inside[k]] = inner[static_cast<Index>(k)];
  std::vector<StepParameter> list;
  for (Index k = 0; k < at.x.size(); ++k) {
    const Unknown& unknown = unknowns_[static_cast<std::size_t>(k)];
    const bool is_inside = std::isfinite(half[k]);
    const auto end = [&](double direction) {
      return is_inside ? std::clamp(unknown.value(at.x[k] + direction * half[k]), unknown.low, unknown.high)
                       : nan;
    };
    list.push_back(
        {unknown.name, unknown.unit, unknown.value(at.x[k]), end(-1), end(1), unknown.of_bench, !is_inside});
  }
  return list;
}

}  // namespace fathom::identify::internal
