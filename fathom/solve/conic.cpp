#include "fathom/solve/conic.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/solve/internal/check.hpp"
#include "fathom/solve/internal/conic_flat.hpp"
#include "fathom/solve/internal/conic_inner.hpp"
#include "fathom/solve/internal/conic_path.hpp"

namespace fathom::solve {
namespace {

using Eigen::VectorXd;

constexpr double cold_share = 0.1, warm_share = 1e-2;  // of f: the first <S, Z>
constexpr double blend = 0.03;                         // towards the inner point, at first
constexpr double grown_share = 0.9;                    // of the way that keeps S > 0
constexpr double taken = 2;  // active: the step to the optimum takes more than half of the slack

ConicSet checked(ConicSet set) {
  internal::check(set);
  return set;
}

}  // namespace

class ConicSolver::Work {
 public:
  Work(ConicSet given, const ConicOptions& given_options)
      : set(checked(std::move(given))),
        options(given_options),
        scales(internal::scales_of(set)),
        cones(set),
        cost(scales.unknowns),
        path(cones, cost),
        flat(cones),
        inner(internal::find_inner_point(set, scales)),
        start(inner.x),
        between(inner.x) {
    internal::check(options);
    result.x = inner.x;
    for (const MatrixInequality& matrix : set.matrices)
      result.Z.push_back(Eigen::MatrixXd::Zero(matrix.constant.rows(), matrix.constant.rows()));
    result.z.setZero(static_cast<Eigen::Index>(set.scalars.size()));
    result.matrix_active.assign(set.matrices.size(), false);
    result.scalar_active.assign(set.scalars.size(), false);
  }

  const ConicResult& solve(const ConicObjective& objective, const VectorXd* last);

  const ConicSet set;
  ConicResult result;

 private:
  void place(const VectorXd* last);
  void place_cold();
  void write_multipliers(const VectorXd& Z);
  void write_active();

  const ConicOptions options;
  const internal::ConicScales scales;
  const internal::Cones cones;
  internal::ConicCost cost;
  internal::ConicPath path;
  internal::FlatDirections flat;
  const internal::InnerPointOfCones inner;
  VectorXd start, between;  // `between`: inner.x, or what the last cold solve met on its way
};

/// docs/solvers.md eqs. 29, 30.
void ConicSolver::Work::place(const VectorXd* last) {
  if (last != nullptr)
    for (double theta = blend; theta < 1; theta *= 2) {
      start = (1 - theta) * *last + theta * between;
      if (path.place(start, warm_share)) return;
    }
  place_cold();
}

/// The set alone does not tell how large the unknowns will be; the free optimum does.
void ConicSolver::Work::place_cold() {
  path.place(inner.x, cold_share);
  cost.free_optimum(start);
  for (Eigen::Index i = 0; i < start.size(); ++i) {
    const double grown = std::max(std::abs(inner.x[i]), std::abs(start[i]));
    start[i] = std::copysign(grown, inner.x[i]) - inner.x[i];
    if (inner.x[i] == 0 || !cones.is_on_diagonal(i)) start[i] = 0;
  }
  const double share = grown_share * path.share_inside(start);
  start = inner.x + share * start;
  if (!path.place(start, cold_share)) path.place(inner.x, cold_share);
}

const ConicResult& ConicSolver::Work::solve(const ConicObjective& objective, const VectorXd* last) {
  internal::check(objective, set.unknowns);
  if (last != nullptr) internal::check_point("last", *last, set.unknowns);
  if (!inner.found) {
    result.status = ConicStatus::infeasible;
    result.infeasibility = inner.infeasibility;
    write_multipliers(inner.Z);
    return result;
  }
  cost.set(objective);
  const bool is_flat = cost.is_flat();
  if (is_flat && !flat.find(cost.P())) internal::reject_indefinite(objective);
  place(last);
  result.status = path.run(options);
  if (is_flat && flat.lead_away(path.x())) result.status = ConicStatus::unbounded;
  if (last == nullptr && result.status == ConicStatus::solved && path.is_between_known())
    between = path.x_between();
  result.x = path.x();
  result.f = cost.f();
  result.gap = path.gap();
  result.iterations = path.iterations();
  result.stationarity = path.stationarity();
  const double f = std::max(std::abs(cost.f()), std::numeric_limits<double>::min());
  result.complementarity = path.complementarity() / f;
  write_multipliers(path.Z());
  write_active();
  return result;
}

void ConicSolver::Work::write_multipliers(const VectorXd& Z) {
  for (std::size_t k = 0; k < result.Z.size(); ++k) {
    const internal::Cones::Block& block = cones.blocks()[k];
    result.Z[k] = Eigen::Map<const Eigen::MatrixXd>(Z.data() + block.offset, block.size, block.size);
  }
  result.z = Z.tail(result.z.size());
}

void ConicSolver::Work::write_active() {
  const VectorXd &S = path.predicted_from(), &dS = path.predicted_dS();
  for (std::size_t k = 0; k < result.Z.size(); ++k)
    result.matrix_active[k] = !cones.is_inside(cones.blocks()[k], S, dS, taken);
  for (std::size_t k = 0; k < set.scalars.size(); ++k) {
    const Eigen::Index at = cones.scalars_at() + static_cast<Eigen::Index>(k);
    result.scalar_active[k] = S[at] + taken * dS[at] <= 0;
  }
}

ConicSolver::ConicSolver(ConicSet set, const ConicOptions& options)
    : work_(std::make_unique<Work>(std::move(set), options)) {}
ConicSolver::~ConicSolver() = default;
ConicSolver::ConicSolver(ConicSolver&&) noexcept = default;
ConicSolver& ConicSolver::operator=(ConicSolver&&) noexcept = default;

const ConicResult& ConicSolver::solve(const ConicObjective& objective) {
  return work_->solve(objective, nullptr);
}
const ConicResult& ConicSolver::solve(const ConicObjective& objective, const VectorXd& last) {
  return work_->solve(objective, &last);
}
const ConicSet& ConicSolver::set() const { return work_->set; }

}  // namespace fathom::solve
