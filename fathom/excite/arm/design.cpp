#include "fathom/excite/arm/design.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"
#include "fathom/excite/arm/internal/objective.hpp"

namespace fathom::excite {
namespace {

using internal::ArmFrame;
using internal::ArmObjective;

constexpr int motions_for_scale = 10, tries = 200, most_shrinking = 30;
constexpr std::size_t most_polished = 3;
constexpr double first_power = 8, last_power = 64;

solve::InteriorPointOptions search_options(int iterations, const std::function<bool()>& stop) {
  solve::InteriorPointOptions options;
  options.iterations = iterations;
  options.mu_last = 1e-4;   // the limits' last per mille is not worth the time
  options.progress = 1e-3;  // of the logarithm of a condition number
  options.patience = 8;
  options.stop = stop;
  return options;
}

/// With what the rows say in it, and nothing squared, so that units may be far apart.
Eigen::MatrixXd triangle_of(const Eigen::MatrixXd& rows) {
  return rows.householderQr().matrixQR().topRows(rows.cols()).triangularView<Eigen::Upper>();
}

Eigen::VectorXd singular_values(const Eigen::MatrixXd& rows) {
  return triangle_of(rows).jacobiSvd().singularValues();
}

double condition_of(const Eigen::VectorXd& spectrum) {
  const double least = spectrum[spectrum.size() - 1];
  return least > 0 ? spectrum[0] / least : infinity;
}

/// Of the unknowns, where each row has a noise of 1: root of the diagonal of (A'A)^-1.
Eigen::VectorXd unit_sigmas(const Eigen::MatrixXd& rows) {
  const Eigen::MatrixXd R = triangle_of(rows);
  return R.triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(R.rows(), R.cols())).rowwise().norm();
}

std::vector<ArmMargin> fine_margins(const ArmProblem& problem, const ArmPath& path) {
  const int count = ArmDesigner::fine * problem.samples;
  return arm_margins(problem, arm_trace(problem, path, instants_of_period(problem, count)));
}

/// Amplitudes that fall with the harmonic, so that speeds do not shut out the slow ones; as large as the limits
/// let it, or a random share of that.
Eigen::VectorXd draw(const ArmFrame& frame, RandomStream& random, ArmObjective& objective,
                     const solve::InteriorPoint& polytope) {
  const Eigen::Index m = frame.coefficients();
  Eigen::VectorXd x(frame.unknowns());
  for (int attempt = 0; attempt < tries; ++attempt) {
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      const Eigen::Index c = i % m, harmonic = (c + 1) / 2;
      x[i] = c == 0 ? random.uniform(-0.3, 0.3) : random.normal() / static_cast<double>(harmonic);
    }
    // Joint by joint: the largest share that keeps its own rows.
    const double share = random.uniform(0.5, 0.95);
    for (Eigen::Index j = 0; j < frame.middle.size(); ++j) {
      Eigen::VectorXd alone = Eigen::VectorXd::Zero(x.size());
      double low = 0, high = 1;
      for (int step = 0; step < 12; ++step) {
        const double s = 0.5 * (low + high);
        alone.segment(j * m, m) = s * x.segment(j * m, m);
        (polytope.margin(alone) > 0 ? low : high) = s;
      }
      x.segment(j * m, m) *= share * low;
    }
    for (int step = 0; step < 4; ++step, x *= 0.7)
      if (objective.is_inside(x)) return x;
  }
  frame.problem.reject("limits", fmt::format("leave no room: none of {} random motions keeps them", tries),
                       "is the effort that holds the arm still above its limit?");
}

/// Draws x together until all limits hold on the fine grid; false where that does not help.
bool repair(const ArmFrame& frame, Eigen::VectorXd& x, bool& was_shrunk) {
  for (int k = 0; k < most_shrinking; ++k, x *= 0.99) {
    const ArmPath path(frame.problem.arm, frame.problem.space, frame.series(x));
    if (least_share(fine_margins(frame.problem, path)) >= 0) return true;
    was_shrunk = true;
  }
  return false;
}

/// Of the criterion, hardly smoothed: what ends are compared by.
double value_of(ArmObjective& objective, const Eigen::VectorXd& x) {
  Eigen::VectorXd gradient(x.size());
  objective.criterion().set_power(last_power);
  objective.evaluate(x, 0, gradient);
  return objective.value();
}

}  // namespace

ArmRunIn run_in(const ArmProblem& problem, const ArmPath& path, int periods) {
  constexpr double first_lead = 2, longer = 1.5;  // s; a start within two seconds would jerk
  constexpr int most_leads = 12, instants = 200;
  ArmRunIn best;
  for (int k = 0; k < most_leads; ++k) {
    const ArmClock clock{first_lead * std::pow(longer, k), periods * problem.period};
    Eigen::VectorXd t(2 * instants);
    t << Eigen::VectorXd::LinSpaced(instants, 0, clock.lead),
        Eigen::VectorXd::LinSpaced(instants, clock.end() - clock.lead, clock.end());
    best = {clock, least_share(arm_margins(problem, arm_trace(problem, path, t, clock)))};
    if (best.least_share >= 0) break;
  }
  return best;
}

ArmDesigner::ArmDesigner(const ArmProblem& problem) {
  const auto frame = std::make_shared<ArmFrame>(problem);
  frame_ = frame;
  // Units would otherwise be most of the condition number: a motor's inertia beside a forearm's. Their mean
  // length is fixed once, so that a motion cannot gain by making a column short.
  ArmObjective objective(*frame);
  Eigen::VectorXd square = Eigen::VectorXd::Zero(frame->column_scale.size());
  for (int k = 0; k < motions_for_scale; ++k)
    square += objective.information(random_motion(1, k)).diagonal() / motions_for_scale;
  for (Eigen::Index c = 0; c < square.size(); ++c)
    if (!(square[c] > 0))
      problem.reject("columns",
                     fmt::format("number {} is not moved by any of {} random motions", c, motions_for_scale));
  frame->column_scale = square.cwiseSqrt().cwiseInverse();
}

const ArmProblem& ArmDesigner::problem() const { return frame_->problem; }

const consistency::BaseParameters& ArmDesigner::base() const { return frame_->base; }

std::unique_ptr<solve::Objective> ArmDesigner::objective() const {
  auto objective = std::make_unique<ArmObjective>(*frame_);
  objective->criterion().set_power(first_power);
  return objective;
}

Eigen::VectorXd ArmDesigner::random_motion(std::uint64_t seed, int number) const {
  RandomStream random(seed, fmt::format("arm excitation {}", number));
  ArmObjective objective(*frame_);
  return draw(*frame_, random, objective, solve::InteriorPoint(frame_->linear_limits()));
}

Outcome ArmDesigner::solve(int k, const SearchOptions& options, const std::function<bool()>& stop) const {
  Outcome outcome;
  Start& start = outcome.start;
  start.number = k;
  ArmObjective objective(*frame_);
  objective.criterion().set_power(first_power);
  solve::InteriorPoint polytope(frame_->linear_limits());
  RandomStream random(options.seed, fmt::format("arm excitation {}", k));
  const Eigen::VectorXd begin = draw(*frame_, random, objective, polytope);
  outcome.result = polytope.minimize(objective, begin, search_options(frame_->problem.iterations, stop));
  start.status = outcome.result.status;
  start.iterations = outcome.result.iterations;
  Eigen::VectorXd& x = outcome.result.x;
  if (start.status != solve::InteriorPointResult::Status::failed && repair(*frame_, x, start.was_shrunk))
    start.last = value_of(objective, x);
  else
    x.resize(0);
  return outcome;
}

Outcome ArmDesigner::polish(const Outcome& begin, const std::function<bool()>& stop) const {
  Outcome end = begin;
  end.start.polished = begin.start.last;
  ArmObjective objective(*frame_);
  objective.criterion().set_power(last_power);
  solve::InteriorPoint polytope(frame_->linear_limits());
  const Eigen::VectorXd inside = 0.999 * begin.result.x;
  if (!(polytope.margin(inside) > 0) || !objective.is_inside(inside)) return end;
  auto result = polytope.minimize(objective, inside, search_options(2 * frame_->problem.iterations, stop));
  bool was_shrunk = false;
  if (result.x.size() == 0 || !repair(*frame_, result.x, was_shrunk)) return end;
  const double value = value_of(objective, result.x);
  if (!(value < begin.start.last)) return end;
  end.start.polished = value;
  end.start.was_shrunk |= was_shrunk;
  end.start.iterations += result.iterations;
  end.start.status = result.status;
  end.result = std::move(result);
  return end;
}

ArmDesign ArmDesigner::check_under(const Eigen::VectorXd& x) const {
  ArmFrame as_measured = *frame_;
  as_measured.sign_speed.assign(as_measured.sign_speed.size(), 0);
  ArmObjective objective(as_measured);
  ArmDesign design;
  design.x = x;
  design.series = frame_->series(x);
  objective.information(x);
  const Eigen::MatrixXd& rows = objective.rows();
  const Eigen::VectorXd spectrum = singular_values(rows);
  design.condition = condition_of(spectrum);
  design.log_det = 2 * spectrum.array().log().mean();
  design.raw_condition = condition_of(singular_values(rows * frame_->column_scale.cwiseInverse().asDiagonal()));
  design.sigma = frame_->problem.noise * unit_sigmas(rows).cwiseProduct(frame_->column_scale);
  design.margins =
      fine_margins(frame_->problem, ArmPath(frame_->problem.arm, frame_->problem.space, design.series));
  return design;
}

ArmDesign ArmDesigner::design(WorkerPool& pool, const SearchOptions& options) const {
  Searches searches = search(pool, frame_->problem.starts, options,
                             [&](int k, const std::function<bool()>& stop) { return solve(k, options, stop); });
  if (searches.ended.empty()) return {};
  std::vector<Outcome*> by_value;
  for (Outcome& outcome : searches.ended) by_value.push_back(&outcome);
  // The lower number wins a tie.
  std::stable_sort(by_value.begin(), by_value.end(),
                   [](const Outcome* a, const Outcome* b) { return a->start.last < b->start.last; });
  const Outcome* best = by_value.front();
  if (best->start.has_failed())
    frame_->problem.reject("limits",
                           fmt::format("are kept by none of {} searches between the samples", by_value.size()),
                           "wider limits, a longer period or more starts");
  bool interrupted = searches.interrupted;
  for (std::size_t k = 0; k < std::min(most_polished, by_value.size()) && !interrupted; ++k) {
    if (by_value[k]->start.has_failed()) break;
    *by_value[k] = polish(*by_value[k], options.interrupted);
    if (by_value[k]->start.polished < best->start.polished) best = by_value[k];
    interrupted = options.interrupted && options.interrupted();
  }
  ArmDesign design = check_under(best->result.x);
  design.value = std::min(best->start.last, best->start.polished);
  design.start = best->start.number;
  design.certificate = best->result;
  design.starts = searches.starts();
  design.notes = std::move(searches.notes);
  design.interrupted = interrupted;
  return design;
}

}  // namespace fathom::excite
