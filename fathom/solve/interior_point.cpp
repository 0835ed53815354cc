#include "fathom/solve/interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/solve/internal/check.hpp"
#include "fathom/solve/internal/iterate.hpp"

namespace fathom::solve {

namespace {

using Status = InteriorPointResult::Status;

constexpr double armijo = 1e-4;
constexpr double rounding = 1e-14;    // share of the merit that its sum may be wrong by
constexpr int steps_to_settle = 6;    // after fresh duals
constexpr double error_over_mu = 10;  // kappa_epsilon of Waechter and Biegler 2006
constexpr double shortest = 1e-8;     // share of the first try at which a search along a line gives up
constexpr double significant_fall =
    rounding / shortest;  // share of the merit that no sound slope promises in vain

/// Limits that are not linear have no duals to hold them off: a step may take this much of a slack at most, and
/// one that takes more is cut to what would take less if slacks were linear.
constexpr double least_slack_ratio = 0.3, aimed_change = 0.6;

/// One run of `minimize`.
class Search {
 public:
  Search(internal::Iterate& at, Objective& objective, const InteriorPointOptions& options)
      : at_(at), objective_(objective), options_(options), mu_(options.mu_first) {}

  InteriorPointResult run(const Eigen::VectorXd& start);

 private:
  void begin(const Eigen::VectorXd& start);
  /// Lowers mu as far as the errors allow; false where the search is over.
  bool proceed();
  bool lower_mu();
  bool try_fresh_duals();
  bool step();
  bool search_along(double longest);
  void note_progress();
  void update_curvature();
  void learn();
  bool end(Status status, std::string reason = "");

  double evaluate(const Eigen::VectorXd& x, double mu, Eigen::VectorXd& gradient) {
    ++result_.evaluations;
    const double f = objective_.evaluate(x, mu, gradient);
    return std::isfinite(f) && gradient.allFinite() ? f : infinity;
  }
  double scale() const { return std::max(1.0, std::abs(merit_)); }
  bool at_last_mu() const { return mu_ <= options_.mu_last; }

  internal::Iterate& at_;
  Objective& objective_;
  const InteriorPointOptions& options_;
  InteriorPointResult result_;
  double mu_, f_ = 0, merit_ = 0;  // f with the objective's own barrier; merit with the sides' barrier as well
  double best_ = 0;                // merit from which progress is counted
  int without_progress_ = 0;       // iterations
  bool has_fresh_duals_ = false;
  double f_try_ = 0, merit_try_ = 0, share_ = 0;
};

bool Search::end(Status status, std::string reason) {
  result_.status = status;
  result_.reason = std::move(reason);
  return false;
}

void Search::begin(const Eigen::VectorXd& start) {
  at_.place(start);
  f_ = evaluate(at_.x, mu_, at_.gradient);
  if (!std::isfinite(f_)) reject("start", "lies outside of the objective's domain");
  update_curvature();
  at_.center_duals(mu_);
  at_.bfgs.start(options_.memory);
  merit_ = best_ = f_ - mu_ * internal::sum_of_logs(at_.s);
}

InteriorPointResult Search::run(const Eigen::VectorXd& start) {
  begin(start);
  while (proceed() && step()) {
    ++result_.iterations;
    note_progress();
    if (options_.step) options_.step(result_.iterations, f_);
  }
  at_.update_residual();
  result_.stationarity = at_.stationarity();
  result_.complementarity = at_.complementarity(0);
  result_.margin = at_.sides.margin(at_.s);
  result_.x = at_.x;
  result_.f = evaluate(at_.x, 0, at_.gradient_try);
  return std::move(result_);
}

bool Search::proceed() {
  if (options_.stop && options_.stop()) return end(Status::stopped);
  at_.update_residual();
  while (!at_last_mu()) {
    const double error = std::max(at_.stationarity(), at_.complementarity(mu_));
    if (error > error_over_mu * mu_ && without_progress_ < options_.patience) break;
    if (!lower_mu()) return false;
  }
  if (at_last_mu()) {
    if (std::max(at_.stationarity(), at_.complementarity(0)) <= options_.tolerance)
      return end(Status::converged);
    if (without_progress_ >= options_.patience && !try_fresh_duals()) return end(Status::no_progress);
  }
  return result_.iterations < options_.iterations || end(Status::iteration_limit);
}

/// Where f no longer falls, the duals of short steps often lag behind: fresh ones, and a few steps to settle,
/// tell whether x is at its end. Once.
bool Search::try_fresh_duals() {
  if (has_fresh_duals_) return false;
  has_fresh_duals_ = true;
  at_.center_duals(mu_);
  at_.bfgs.clear();
  without_progress_ = options_.patience - std::min(steps_to_settle, options_.patience);
  return true;
}

bool Search::lower_mu() {
  mu_ = std::max(options_.mu_last, mu_ / options_.mu_factor);
  f_ = evaluate(at_.x, mu_, at_.gradient);  // its own barrier has changed
  if (!std::isfinite(f_)) return end(Status::failed, "the objective is not finite where it was before mu fell");
  update_curvature();
  at_.update_residual();
  merit_ = best_ = f_ - mu_ * internal::sum_of_logs(at_.s);
  without_progress_ = 0;
  return true;
}

void Search::note_progress() {
  if (best_ - merit_ >= options_.progress * std::max(1.0, std::abs(f_))) {
    best_ = merit_;
    without_progress_ = 0;
  } else {
    ++without_progress_;
  }
}

/// One iteration. Where the direction does not lead down, the quasi-Newton matrix forgets and has one more try.
bool Search::step() {
  for (;;) {
    at_.solve_step(mu_, at_.bfgs);
    const double longest = at_.primal_share(options_.to_boundary);
    if (at_.slope < 0 && search_along(longest)) {
      at_.bfgs.note_step(share_ < longest);
      break;
    }
    if (at_.bfgs.columns() > 0) {
      at_.bfgs.clear();
      continue;
    }
    if (!(-at_.slope <= significant_fall * scale()))  // NaN, too
      return end(Status::failed, "the objective does not fall along its gradient");
    if (at_last_mu()) return end(Status::no_progress);
    if (!lower_mu()) return false;
  }
  at_.dx *= share_;
  at_.accept(mu_, at_.dual_share(options_.to_boundary));
  f_ = f_try_;
  merit_ = merit_try_;
  learn();
  return true;
}

void Search::update_curvature() {
  if (!at_.H.is_possible()) return;
  at_.H.clear();
  objective_.add_curvature(at_.x, mu_, at_.H);
}

/// The quasi-Newton matrix learns the change of the gradient, less what H knows of it: docs/solvers.md eq. 12.
void Search::learn() {
  at_.gradient_try = at_.gradient - at_.gradient_try;  // which `accept` has put there: the one before the step
  const bool was_known = !at_.H.empty();
  if (was_known) at_.H.multiply(at_.dx, at_.H_dx_before);
  update_curvature();
  if (was_known && !at_.H.empty()) {
    at_.H.multiply(at_.dx, at_.H_dx);
    const double before = at_.dx.dot(at_.H_dx_before), after = at_.dx.dot(at_.H_dx);
    if (before > 0 && after > 0)
      at_.gradient_try -=
          0.5 * (std::sqrt(after / before) * at_.H_dx_before + std::sqrt(before / after) * at_.H_dx);
  }
  at_.bfgs.add(at_.dx, at_.gradient_try);
}

/// Armijo's condition on the merit, docs/solvers.md eq. 9; steps are cut by the parabola through what is known.
bool Search::search_along(double longest) {
  for (share_ = longest; share_ > shortest * longest;) {
    at_.x_try = at_.x + share_ * at_.dx;
    double shrink = 0.25;
    if (at_.try_inside()) {
      f_try_ = evaluate(at_.x_try, mu_, at_.gradient_try);
      merit_try_ = f_try_ - mu_ * internal::sum_of_logs(at_.s_try);
      const double fall = share_ * at_.slope;
      const double ratio = at_.H.is_possible() ? objective_.slack_ratio() : 1;
      if (ratio < least_slack_ratio) {
        share_ *= std::clamp(aimed_change / (1 - ratio), 0.1, 0.9);
        continue;
      }
      if (merit_try_ <= merit_ + armijo * fall + rounding * scale()) return true;
      if (std::isfinite(merit_try_)) shrink = std::clamp(-fall / (2 * (merit_try_ - merit_ - fall)), 0.1, 0.5);
    }
    share_ *= shrink;
  }
  return false;
}

constexpr double mu_last = 1e-6;           // over the mean square of target - start
constexpr double centering = 0.1;          // mu over the mean of slack times dual
constexpr double largest_residual = 1e-6;  // likewise, over the root mean square

}  // namespace

Eigen::Index BlockProgram::unknowns() const {
  Eigen::Index n = 0;
  for (const Block& block : blocks) n += block.A.cols();
  return n;
}

std::string to_string(Status status) {
  switch (status) {
    case Status::not_run: return "not run";
    case Status::converged: return "converged";
    case Status::no_progress: return "no progress";
    case Status::iteration_limit: return "iteration limit";
    case Status::stopped: return "stopped";
    case Status::failed: return "failed";
  }
  return "";
}

InteriorPoint::InteriorPoint(const BlockProgram& program) {
  internal::check(program);
  internal::check_constant_rows(program);
  work_ = std::make_unique<Workspace>(program);
}
InteriorPoint::~InteriorPoint() = default;
InteriorPoint::InteriorPoint(InteriorPoint&&) noexcept = default;
InteriorPoint& InteriorPoint::operator=(InteriorPoint&&) noexcept = default;

InteriorPointResult InteriorPoint::minimize(Objective& objective, const Eigen::VectorXd& start,
                                            const InteriorPointOptions& options) {
  internal::check(options);
  return Search(*work_, objective, options).run(start);
}

double InteriorPoint::margin(const Eigen::VectorXd& x) const {
  internal::check_point("x", x, work_->x.size());
  Eigen::ArrayXd Ax(work_->rows.slots()), s(work_->sides.size());
  work_->rows.multiply(x, Ax);
  work_->sides.slacks(Ax, s);
  return work_->sides.margin(s);
}

/// The steps of `minimize` with the exact Hessian, the identity, and one length for x and the duals: the
/// residual of a convex quadratic program then falls by that share, and no search along the step is needed. A
/// target so far away that numbers overflow gives a point inside, no more.
Eigen::VectorXd InteriorPoint::project(const Eigen::VectorXd& target, const Eigen::VectorXd& start) {
  internal::Iterate& at = *work_;
  internal::check_point("target", target, at.x.size());
  at.place(start);
  const double square = (target - start).squaredNorm() / std::max(1.0, static_cast<double>(start.size()));
  if (square == 0) return start;
  at.bfgs.start(0);
  at.H.clear();
  at.center_duals(square);
  constexpr double to_boundary = 0.99;
  const double sides = std::max(1.0, at.sides.closed().sum());
  constexpr int most_iterations = 100;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    at.gradient = at.x - target;
    at.update_residual();
    const double mean = (at.s * at.z).sum() / sides;
    if (mean <= 2 * mu_last * square && at.stationarity() <= largest_residual * std::sqrt(square)) break;
    const double mu = std::max(mu_last * square, centering * mean);
    at.solve_step(mu, at.bfgs);
    if (!at.dx.allFinite() || !at.dz.allFinite()) break;
    double share = std::min(at.primal_share(to_boundary), at.dual_share(to_boundary));
    do {
      at.x_try = at.x + share * at.dx;
      share /= 2;
    } while (!at.try_inside());  // but for rounding, the first is
    at.accept(mu, 2 * share);
  }
  return at.x;
}

}  // namespace fathom::solve
