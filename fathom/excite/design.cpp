#include "fathom/excite/design.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fathom/base/random.hpp"
#include "fathom/excite/margins.hpp"
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

/// What a crew carries from whoever solved a start.
std::vector<double> packed(const Designer::Outcome& outcome) {
  const auto& r = outcome.result;
  std::vector<double> out = {outcome.start.first,
                             outcome.start.last,
                             static_cast<double>(r.status),
                             static_cast<double>(outcome.start.iterations),
                             static_cast<double>(r.evaluations),
                             r.f,
                             r.stationarity,
                             r.complementarity,
                             r.margin,
                             static_cast<double>(r.x.size())};
  out.insert(out.end(), r.x.begin(), r.x.end());
  out.insert(out.end(), outcome.history.begin(), outcome.history.end());
  return out;
}

Designer::Outcome unpacked(int number, const std::vector<double>& in) {
  Designer::Outcome outcome;
  outcome.result.status = static_cast<Status>(static_cast<int>(in[2]));
  outcome.start = {number, in[0], in[1], outcome.result.status, static_cast<int>(in[3])};
  outcome.result.iterations = outcome.start.iterations;
  outcome.result.evaluations = static_cast<int>(in[4]);
  outcome.result.f = in[5];
  outcome.result.stationarity = in[6];
  outcome.result.complementarity = in[7];
  outcome.result.margin = in[8];
  const auto n = static_cast<std::ptrdiff_t>(in[9]);
  outcome.result.x = Eigen::Map<const Eigen::VectorXd>(in.data() + 10, n);
  outcome.history.assign(in.begin() + 10 + n, in.end());
  return outcome;
}

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

struct Designer::Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<Workspace>> idle;
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
  inner_ = inner_path(problem_, bounds_);
  Loan loan(*this);
  Workspace& work = *loan.work;
  const Eigen::VectorXd calm = work.solver.project(straight_path(problem_, bounds_.basis), inner_);
  inner_ = calm + 0.1 * (inner_ - calm);
  if (work.objective.is_inside(inner_)) return;
  std::vector<fathom::Problem> problems;
  for (const Margin& margin : path_margins(problem_, path(inner_)))
    if (margin.margin <= 0)
      problems.push_back(
          {Severity::error, problem_.file, 0, margin.limit,
           fmt::format("is broken even by the calmest path from start to end: {:.4g} {} at {:.1f} s, must "
                       "stay below {:.4g}",
                       margin.worst, margin.unit, margin.t, margin.bound),
           "bring the segments' boxes nearer to where it holds"});
  throw InputError(problems);
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

bool Designer::is_inside_between(const Eigen::VectorXd& x) const {
  const auto margins = path_margins(problem_, path(x));
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

void Designer::check_excitable() const {
  Loan loan(*this);
  const Eigen::VectorXd scale = parameter_scales(problem_);
  Eigen::VectorXd prior = prior_information(problem_);
  if (problem_.criterion == Criterion::condition) prior.setZero();  // which heeds none
  Information information(problem_.structure, row_weights(problem_));
  Eigen::MatrixXd G = Eigen::MatrixXd(prior.asDiagonal());
  for (int k = 0; k < 3; ++k) {  // what three random motions do not show, no motion does
    const Eigen::VectorXd x = random_path(0, k);
    loan.work->objective.sampling().sample(x, loan.work->objective.samples());
    G += information.matrix(loan.work->objective.samples());
  }
  G = scale.asDiagonal() * G * scale.asDiagonal();
  const auto name = [&](Eigen::Index k) {
    return model::name_of(problem_.structure.terms[static_cast<std::size_t>(k)]);
  };
  std::vector<fathom::Problem> problems;
  std::vector<Eigen::Index> seen;
  for (Eigen::Index k = 0; k < G.rows(); ++k) {
    if (G(k, k) > 1e-20 * G.diagonal().maxCoeff()) {
      seen.push_back(k);
      continue;
    }
    problems.push_back(
        {Severity::error, problem_.file, 0, "structure",
         fmt::format("has {}, which no motion within the limits shows: its column of the regressor is zero",
                     name(k)),
         "free that motion in the limits, leave the parameter out, or state a prior"});
  }
  // Columns that are alike: small eigenvalues once every column has length one.
  const auto n = static_cast<Eigen::Index>(seen.size());
  Eigen::MatrixXd alike(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      alike(i, j) = G(seen[i], seen[j]) / std::sqrt(G(seen[i], seen[i]) * G(seen[j], seen[j]));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(alike);
  for (Eigen::Index k = 0; k < n && spectrum.eigenvalues()[k] < 1e-11; ++k) {
    std::vector<std::string> names;
    for (Eigen::Index i = 0; i < n; ++i)
      if (std::abs(spectrum.eigenvectors()(i, k)) > 0.05) names.push_back(name(seen[i]));
    problems.push_back({Severity::error, problem_.file, 0, "structure",
                        fmt::format("has {}, whose columns of the regressor are dependent for every motion "
                                    "within the limits: only a combination can be seen",
                                    fmt::join(names, ", ")),
                        "leave one out, or state a prior"});
  }
  if (!problems.empty()) throw InputError(problems);
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
  bool is_inside = work.objective.limits().empty() || is_inside_between(outcome.result.x);
  for (int k = 1; k <= most_tightenings && !is_inside; ++k) {
    try {
      work.objective.limits().tighten(std::ldexp(closer, k - 1));
    } catch (const InputError&) {
      break;  // rest itself would be outside
    }
    const auto inside = pulled_inside(outcome.result.x, pull, work);
    if (!inside) break;  // even the inner path would be
    minimize(*inside);
    is_inside = is_inside_between(outcome.result.x);
  }
  for (double keep = 1 - pull; !is_inside && keep > 1e-6; keep *= 0.9) {  // worse, but within the limits
    const Eigen::VectorXd moved = inner_ + keep * (outcome.result.x - inner_);
    if (!(is_inside = is_inside_between(moved))) continue;
    outcome.result.x = moved;
    outcome.result.f = work.objective.evaluate(moved, 0, work.gradient);
    outcome.result.status = Status::no_progress;
  }
}

Designer::Outcome Designer::solve(int number, const DesignOptions& options,
                                  const std::function<bool()>& stop) const {
  Eigen::VectorXd x = random_path(options.seed, number);
  Loan loan(*this);
  Workspace& work = *loan.work;
  Outcome outcome;
  auto solver = options.solver;
  solver.stop = stop;
  solver.step = [&](int, double f) { outcome.history.push_back(f); };
  CriterionFunction& criterion = work.objective.criterion();
  criterion.set_power(sharp_power);
  outcome.start.number = number;
  outcome.start.first = work.objective.evaluate(x, 0, work.gradient);
  if (problem_.criterion == Criterion::condition) {
    criterion.set_power(smooth_power);
    outcome.result = work.solver.minimize(work.objective, x, solver);
    x = outcome.result.x;
    criterion.set_power(sharp_power);
    solver.mu_first = solver.mu_last;
  }
  descend(x, solver, work, outcome);
  outcome.start.iterations = outcome.result.iterations;
  outcome.start.status = outcome.result.status;
  outcome.start.last = outcome.result.f;
  return outcome;
}

/// A start that ended for want of progress goes on with more patience, until its certificate is good.
void Designer::polish(Outcome& outcome, const DesignOptions& options) const {
  Loan loan(*this);
  auto solver = options.solver;
  solver.mu_first = solver.mu_last;
  solver.patience = polish_patience;
  solver.progress = polish_progress;
  solver.iterations = polish_iterations;
  solver.step = [&](int, double f) { outcome.history.push_back(f); };
  loan.work->objective.criterion().set_power(sharp_power);
  Outcome better = outcome;
  descend(pulled_inside(outcome.result.x, 0, *loan.work).value_or(inner_), solver, *loan.work, better);
  // Often one step from fresh duals is all that was missing; what that costs is far below `progress`.
  const bool is_certified = better.result.status == Status::converged &&
                            better.result.f <= outcome.result.f + solver.tolerance * 1e-2;
  if (is_certified || better.result.f <= outcome.result.f) outcome = std::move(better);
}

Design Designer::design(Crew& crew, const DesignOptions& options) const {
  std::vector<Start> starts;
  Outcome best;
  double least = std::numeric_limits<double>::infinity();
  const auto job = [&](int k, const std::function<bool()>& stop) { return packed(solve(k, options, stop)); };
  const auto done = [&](int k, const std::vector<double>& numbers) {
    Outcome outcome = unpacked(k, numbers);
    starts.push_back(outcome.start);
    // The lower number wins a tie, so that the order of arrival does not matter.
    if (outcome.result.f < least || (outcome.result.f == least && k < best.start.number)) {
      least = outcome.result.f;
      best = std::move(outcome);
    }
    if (options.progress) options.progress(static_cast<int>(starts.size()), least);
    return true;
  };
  auto notes = crew.run(problem_.starts, job, done);
  std::sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) { return a.number < b.number; });
  const bool cut =
      starts.size() < static_cast<std::size_t>(problem_.starts) ||
      std::any_of(starts.begin(), starts.end(), [](const Start& s) { return s.status == Status::stopped; });
  if (starts.empty()) best.result.x = inner_;
  if (!cut && best.result.status == Status::no_progress) polish(best, options);
  return {path(best.result.x), best.result, std::move(starts), best.start.number, std::move(best.history),
          std::move(notes),    cut};
}

}  // namespace fathom::excite
