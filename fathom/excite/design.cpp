#include "fathom/excite/design.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/random.hpp"
#include "fathom/excite/internal/excitable.hpp"
#include "fathom/excite/margins.hpp"
#include "fathom/excite/multisine.hpp"
#include "fathom/excite/objective.hpp"

namespace fathom::excite {
namespace {

using Status = solve::InteriorPointResult::Status;

constexpr double smooth_power = 8, sharp_power = 64;  // of the Schatten norms: to find the way, and to end
constexpr double pull = 0.02;                         // of the way to the inner path, from the border
constexpr double closer = 0.003;  // limits at samples, the first time that one breaks between; then doubled
constexpr int most_tightenings = 6;
constexpr int polish_patience = 100, polish_iterations = 3000;
constexpr double polish_progress = 1e-6;

/// Standing still, or from start to end at the pace of the control points.
Eigen::VectorXd straight_path(const Problem& problem, const trajectory::Basis& basis) {
  const auto coordinates = problem.coordinates();
  const Eigen::Index n = basis.size();
  Eigen::VectorXd x(n * static_cast<Eigen::Index>(coordinates.size()));
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    const double from = problem.start[coordinates[k]], to = problem.end[coordinates[k]];
    for (Eigen::Index i = 0; i < n; ++i)
      x[static_cast<Eigen::Index>(k) * n + i] =
          from + (to - from) * static_cast<double>(i + 1) / static_cast<double>(n + 1);
  }
  return x;
}

}  // namespace

/// What one thread needs.
struct Designer::Workspace {
  Workspace(const Problem& problem, const Bounds& bounds)
      : objective(problem, bounds.basis), solver(bounds.program), gradient(bounds.program.unknowns()) {}

  PathObjective objective;
  solve::InteriorPoint solver;
  Eigen::VectorXd gradient;
};

struct Designer::Ranking {
  std::mutex mutex;
  std::optional<std::uint64_t> seed;
  std::vector<Multisine> list;
};

struct Designer::Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<Workspace>> idle;
  Ranking ranking;
};

/// A workspace for as long as it is used.
struct Designer::Loan {
  explicit Loan(const Designer& designer) : pool(*designer.pool_) {
    {
      const std::lock_guard lock(pool.mutex);
      if (!pool.idle.empty()) {
        work = std::move(pool.idle.back());
        pool.idle.pop_back();
      }
    }
    if (!work) work = std::make_unique<Workspace>(designer.problem_, designer.bounds_);
    work->objective.limits().tighten(0);
  }
  ~Loan() {
    const std::lock_guard lock(pool.mutex);
    pool.idle.push_back(std::move(work));
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;

  Pool& pool;
  std::unique_ptr<Workspace> work;
};

Designer::Designer(const Problem& problem)
    : problem_(problem), bounds_(bounds_of(problem)), pool_(std::make_unique<Pool>()) {
  find_inner();
  check_excitable();
}

Designer::~Designer() = default;

void Designer::find_inner() {
  central_ = inner_path(problem_, bounds_);
  const Eigen::VectorXd& central = central_;
  Loan loan(*this);
  Workspace& work = *loan.work;
  const Eigen::VectorXd calm = work.solver.project(straight_path(problem_, bounds_.basis), central);
  for (const double share : {0.1, 0.03, 0.01, 0.001}) {  // away from the border, as far as curved limits let
    inner_ = calm + share * (central - calm);
    if (work.objective.is_inside(inner_)) return;
  }
  Findings findings;
  for (const Margin& margin : path_margins(problem_, path(inner_)))
    if (!(margin.margin > 0))
      findings.push_back(
          {Severity::error, problem_.file, problem_.line_of(margin.limit), margin.limit,
           fmt::format("is broken even by the calmest path from start to end: {:.6g} {} at {:.1f} s, must "
                       "stay below {:.6g}",
                       margin.worst, margin.unit, margin.t, margin.bound),
           "bring the segments' boxes nearer to where it holds"});
  if (findings.empty())
    findings.push_back({Severity::error, problem_.file, problem_.line_of("start"), "start",
                        "leaves no room to move within thrusters, view and tether", "widen them a little"});
  throw InputError(findings);
}

trajectory::Bezier Designer::path(const Eigen::VectorXd& x) const {
  return Sampling(bounds_.basis, problem_.coordinates(), problem_.start, problem_.end, problem_.duration(),
                  false)
      .path(x);
}

std::optional<Eigen::VectorXd> Designer::pulled_inside(const Eigen::VectorXd& x, double share,
                                                       Workspace& work) const {
  for (double keep = 1 - share; keep > 1e-6; keep *= 0.8) {
    Eigen::VectorXd moved = inner_ + keep * (x - inner_);
    if (work.objective.is_inside(moved)) return moved;
  }
  return std::nullopt;
}

bool Designer::is_inside_between(const Eigen::VectorXd& x, Workspace& work) const {
  if (work.objective.limits().empty()) return true;
  const auto margins = path_margins(problem_, work.objective.limits(), path(x));
  return std::all_of(margins.begin(), margins.end(), [](const Margin& m) { return m.margin >= 0; });
}

Eigen::VectorXd Designer::random_path(std::uint64_t seed, int number) const {
  Loan loan(*this);
  RandomStream random(seed, fmt::format("excitation start {}", number));
  Eigen::VectorXd target(bounds_.program.unknowns());
  Eigen::Index at = 0;
  for (const int coordinate : problem_.coordinates())
    for (const Range& range : ranges_of(problem_, bounds_.basis, coordinate))
      target[at++] = random.uniform(range.min, range.max);
  return pulled_inside(loan.work->solver.project(target, inner_), pull, *loan.work).value_or(inner_);
}

std::optional<Eigen::VectorXd> Designer::fitted(const Eigen::VectorXd& whole, Workspace& work) const {
  constexpr int halvings = 8;  // a rival is as large as the limits allow, to half a percent
  constexpr double least = 0.01;
  const auto at = [&](double keep) -> Eigen::VectorXd { return inner_ + keep * (whole - inner_); };
  const auto fits = [&](const Eigen::VectorXd& x) {
    return work.objective.is_inside(x) && is_inside_between(x, work);
  };
  if (fits(whole)) return whole;
  double inside = 0, outside = 1;
  for (int k = 0; k < halvings; ++k) {
    const double keep = (inside + outside) / 2;
    (fits(at(keep)) ? inside : outside) = keep;
  }
  if (inside < least) return std::nullopt;
  return at(inside);
}

std::vector<Designer::Multisine> Designer::ranked_multisines(std::uint64_t seed,
                                                             const std::function<bool()>& stop) const {
  Ranking& ranking = pool_->ranking;
  const std::lock_guard lock(ranking.mutex);  // whoever comes second waits for the first one's work
  if (ranking.seed == seed) return ranking.list;
  Loan loan(*this);
  Workspace& work = *loan.work;
  work.objective.criterion().set_power(sharp_power);
  const Multisines sines(problem_, bounds_, central_);
  std::vector<Multisine> list;
  for (int k = 0; k < multisines; ++k) {
    if (stop && stop()) return {};
    auto x = fitted(sines.path(seed, k), work);
    if (!x) continue;
    const double criterion = work.objective.evaluate(*x, 0, work.gradient);
    if (std::isfinite(criterion)) list.push_back({std::move(*x), criterion});
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Multisine& a, const Multisine& b) { return a.criterion < b.criterion; });
  ranking.list = std::move(list);
  ranking.seed = seed;
  return ranking.list;
}

void Designer::check_excitable() const {
  Loan loan(*this);
  const auto rows = static_cast<Eigen::Index>(model::free_indices(problem_.structure.dof).size());
  Information information(problem_.structure, Eigen::VectorXd::Ones(rows));
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(information.size(), information.size());
  Samples& samples = loan.work->objective.samples();
  for (int k = 0; k < 3; ++k) {
    loan.work->objective.sampling().sample(random_path(0, k), samples);
    G += information.matrix(samples);
  }
  const auto findings = internal::unexcitable(problem_, G);
  if (!findings.empty()) throw InputError(findings);
}

void Designer::descend(const Eigen::VectorXd& from, const solve::InteriorPointOptions& options, Workspace& work,
                       Outcome& outcome) const {
  const auto minimize = [&](const Eigen::VectorXd& x) {
    const int iterations = outcome.result.iterations, evaluations = outcome.result.evaluations;
    outcome.result = work.solver.minimize(work.objective, x, options);
    outcome.result.iterations += iterations;
    outcome.result.evaluations += evaluations;
  };
  minimize(from);
  bool is_inside = is_inside_between(outcome.result.x, work);
  for (int k = 1; k <= most_tightenings && !is_inside; ++k) {
    try {
      work.objective.limits().tighten(std::ldexp(closer, k - 1));
    } catch (const InputError&) {
      break;  // rest itself would be outside
    }
    const auto inside = pulled_inside(outcome.result.x, pull, work);
    if (!inside) break;  // even the inner path would be
    minimize(*inside);
    is_inside = is_inside_between(outcome.result.x, work);
  }
  for (double keep = 1 - pull; !is_inside && keep > 1e-6; keep *= 0.9) {  // worse, but within the limits
    const Eigen::VectorXd moved = inner_ + keep * (outcome.result.x - inner_);
    if (!(is_inside = is_inside_between(moved, work))) continue;
    outcome.result.x = moved;
    outcome.result.f = work.objective.evaluate(moved, 0, work.gradient);
    outcome.result.status = Status::no_progress;
  }
}

Eigen::VectorXd Designer::beginning(int number, std::uint64_t seed, const std::function<bool()>& stop) const {
  if (number < multisine_starts(problem_.starts)) {
    const std::vector<Multisine> ranked = ranked_multisines(seed, stop);
    const auto rank = static_cast<std::size_t>(number);
    if (rank < ranked.size()) return ranked[rank].x;
  }
  return random_path(seed, number);
}

void Designer::restore(const Eigen::VectorXd& first, const solve::InteriorPointOptions& options,
                       Workspace& work, Outcome& outcome) const {
  work.objective.limits().tighten(0);
  solve::InteriorPointOptions here = options;
  here.mu_first = here.mu_last;
  here.stop = [] { return true; };
  solve::InteriorPointResult at = work.solver.minimize(work.objective, first, here);
  at.iterations = outcome.result.iterations;
  at.evaluations += outcome.result.evaluations;
  at.status = outcome.result.status == Status::stopped ? Status::stopped : Status::no_progress;
  outcome.result = std::move(at);
}

Outcome Designer::solve(int number, const DesignOptions& options, const std::function<bool()>& stop) const {
  const Eigen::VectorXd first = beginning(number, options.seed, stop);
  Eigen::VectorXd x = first;
  Loan loan(*this);
  Workspace& work = *loan.work;
  Outcome outcome;
  auto solver = options.solver;
  solver.stop = stop;
  solver.step = [&](int, double) { outcome.history.push_back(work.objective.value()); };
  CriterionFunction& criterion = work.objective.criterion();
  criterion.set_power(sharp_power);
  outcome.start.number = number;
  outcome.start.first = work.objective.evaluate(x, 0, work.gradient);
  if (!std::isfinite(outcome.start.first)) {
    outcome.result.x = x;
    outcome.result.f = outcome.start.last = infinity;
    outcome.result.status = outcome.start.status = Status::failed;
    outcome.result.reason = "the beginning hardly moves: limits leave little room";
    return outcome;
  }
  if (problem_.criterion == Criterion::condition) {
    criterion.set_power(smooth_power);
    outcome.result = work.solver.minimize(work.objective, x, solver);
    x = outcome.result.x;
    criterion.set_power(sharp_power);
    solver.mu_first = solver.mu_last;
  }
  descend(x, solver, work, outcome);
  // The barrier keeps a distance from the limits at which the beginning may have been better. A beginning that
  // breaks a limit between the samples is no result, however good.
  if (!(outcome.result.f <= outcome.start.first) && is_inside_between(first, work))
    restore(first, options.solver, work, outcome);
  outcome.start.iterations = outcome.result.iterations;
  outcome.start.status = outcome.result.status;
  outcome.start.last = outcome.result.f;
  return outcome;
}

/// A start that ended for want of progress goes on with more patience, until its certificate is good.
Outcome Designer::polished(const Outcome& outcome, const DesignOptions& options) const {
  Loan loan(*this);
  Workspace& work = *loan.work;
  Outcome better = outcome;
  auto solver = options.solver;
  solver.stop = options.interrupted;
  solver.mu_first = solver.mu_last;
  solver.patience = polish_patience;
  solver.progress = polish_progress;
  solver.iterations = polish_iterations;
  solver.step = [&](int, double) { better.history.push_back(work.objective.value()); };
  work.objective.criterion().set_power(sharp_power);
  const Eigen::VectorXd& x = outcome.result.x;
  descend(work.objective.is_inside(x) ? x : pulled_inside(x, pull, work).value_or(inner_), solver, work,
          better);
  better.start.iterations = better.result.iterations;
  better.start.status = better.result.status;
  better.start.last = better.result.f;
  // Often one step from fresh duals is all that was missing; what that costs is far below `progress`.
  const bool is_certified = better.result.status == Status::converged &&
                            better.result.f <= outcome.result.f + solver.tolerance * 1e-2;
  return is_certified || better.result.f <= outcome.result.f ? better : outcome;
}

Design Designer::design(WorkerPool& pool, const DesignOptions& options) const {
  Searches searches = search(pool, problem_.starts, options,
                             [&](int k, const std::function<bool()>& stop) { return solve(k, options, stop); });
  std::vector<Start> starts = searches.starts();
  Outcome best;
  best.result.x = inner_;
  double least = infinity;
  for (Outcome& outcome : searches.ended)  // by number: the lower one wins a tie
    if (outcome.result.f < least) {
      least = outcome.result.f;
      best = std::move(outcome);
    }
  bool interrupted = searches.interrupted;
  if (!interrupted && best.result.status == Status::no_progress) {
    best = polished(best, options);
    starts[static_cast<std::size_t>(best.start.number)] = best.start;
    interrupted = options.interrupted && options.interrupted();
  }
  return {path(best.result.x),       best.result, std::move(starts), best.start.number, std::move(best.history),
          std::move(searches.notes), interrupted};
}

}  // namespace fathom::excite
