#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "fathom/base/error.hpp"
#include "fathom/consistency/arm_constraints.hpp"
#include "fathom/geometry/spectrum.hpp"
#include "fathom/identify/arm/internal/arm_rows.hpp"
#include "fathom/identify/vehicle/internal/conic_words.hpp"

namespace fathom::identify::internal {
namespace {

using consistency::LinkSize;
using Eigen::Index;
using solve::MatrixInequality;

/// Unknowns are theta / spread, one sigma of what is known before each.
struct Prior {
  Eigen::VectorXd spread;  ///< of theta
  Eigen::VectorXd weight;  ///< of (x - x0)^2
};

void spread_link(const ArmFitOptions& options, const LinkSize& size, double*& spread) {
  const auto put = [&](int count, double value) {
    for (int k = 0; k < count; ++k) *spread++ = options.spread * value;
  };
  const double first = size.mass * size.length, second = first * size.length;
  if (options.columns.rigid) {
    put(1, size.mass);
    put(3, first);
    put(6, second);
  }
  if (options.columns.buoyancy) {
    put(1, size.mass);
    put(3, first);
  }
  if (options.columns.added_mass)
    for (int row = 0; row < 6; ++row)
      for (int column = row; column < 6; ++column) put(1, column < 3 ? size.mass : row < 3 ? first : second);
  if (options.columns.drag)
    for (int order = 0; order < 2; ++order) {
      put(3, 10 * size.mass);
      put(3, 10 * second);
    }
}

/// Links as wide as their size says; friction and motors, of which files say little, as wide as what was found.
Prior prior_of(const ArmFit& fit, const std::vector<LinkSize>& sizes) {
  const auto count = static_cast<Index>(fit.parameters.size());
  Prior prior{Eigen::VectorXd::Ones(count), Eigen::VectorXd::Ones(count)};
  double* spread = prior.spread.data();
  for (const LinkSize& size : sizes) spread_link(fit.options, size, spread);
  const auto joints = static_cast<Index>(dynamics::link_begin(fit.options.columns, fit.arm.size()));
  Eigen::VectorXd found = Eigen::VectorXd::Zero(count);
  for (std::size_t k = 0; k < fit.rank(); ++k)
    found[static_cast<Index>(fit.base.kept[k])] = std::abs(fit.free_beta[static_cast<Index>(k)]);
  const dynamics::Arm arm(fit.arm, fit.options.environment, fit.options.medium);
  for (std::size_t j = 0; j < fit.arm.size(); ++j) {
    const auto& actuator = fit.arm.joints()[j].actuator;
    const double ratio = actuator ? std::abs(model::motor_angle(actuator->transmission, 0).ratio) : 1;
    const double turned = sizes[j].mass * sizes[j].length * sizes[j].length;
    const std::size_t begin = dynamics::joint_begin(arm, fit.options.columns, j);
    const std::size_t columns = fit.options.columns.per_joint(actuator.has_value());
    for (std::size_t c = 0; c < columns; ++c) {
      const auto k = static_cast<Index>(begin + c);
      const bool of_motor = fit.options.columns.motor && actuator && c + 3 >= columns;
      const double usual = of_motor ? turned / (ratio * ratio) : turned;
      prior.spread[k] = std::max({found[k], std::abs(fit.parameters[begin + c].value), 1e-3 * usual});
    }
  }
  prior.weight.tail(count - joints).setConstant(1e-2);
  return prior;
}

/// The least eigenvalue of the pseudo-inertias themselves, in SI units.
void add_least_eigenvalue(const ArmFit& fit, ConsistentArm& out) {
  if (!fit.options.columns.rigid) return;
  out.least_eigenvalue = infinity;
  for (std::size_t i = 0; i < fit.arm.size(); ++i) {
    const auto begin = static_cast<Index>(dynamics::link_begin(fit.options.columns, i));
    const Eigen::MatrixXd P = consistency::pseudo_inertia(out.theta.segment<10>(begin));
    out.least_eigenvalue = std::min(out.least_eigenvalue, symmetric_eigenvalues(P)[0]);
  }
}

/// x = x_free + T z with f(x) = f(x_free) + z'z: the best without conditions is at rest, and what is left is a
/// ball, so that sums of squares that nearly cancel do not blur the gap.
struct Ball {
  Eigen::VectorXd x_free;
  Eigen::MatrixXd T;
  double f_free = 0;
};

Ball ball_of(const ArmFit& fit, const Prior& prior) {
  const Eigen::MatrixXd to_base = fit.base.grouping * prior.spread.asDiagonal();
  const Eigen::VectorXd x0 = fit.parameters.values().cwiseQuotient(prior.spread);
  // From x0 on, so that what is solved for is a difference.
  const Eigen::VectorXd short_of = fit.free_beta - to_base * x0;
  Eigen::MatrixXd H = to_base.transpose() * fit.information * to_base;
  H.diagonal() += prior.weight;
  const Eigen::LLT<Eigen::MatrixXd> llt(H);
  const Eigen::VectorXd step = llt.solve(to_base.transpose() * (fit.information * short_of));
  const Eigen::VectorXd left = short_of - to_base * step;
  const Index n = x0.size();
  return {x0 + step, llt.matrixU().solve(Eigen::MatrixXd::Identity(n, n)),
          left.dot(fit.information * left) + step.dot(prior.weight.cwiseProduct(step))};
}

/// The same conditions on z.
solve::ConicSet on_ball(const solve::ConicSet& set, const Ball& ball) {
  solve::ConicSet turned;
  turned.unknowns = set.unknowns;
  for (const MatrixInequality& matrix : set.matrices) {
    MatrixInequality now{matrix.name, solve::slack(matrix, ball.x_free), {}};
    const Index size = matrix.constant.rows();
    for (int unknown = 0; unknown < set.unknowns; ++unknown) {
      Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(size, size);
      for (const auto& entry : matrix.entries)
        sum(entry.row, entry.column) += entry.value * ball.T(entry.unknown, unknown);
      for (int row = 0; row < size; ++row)
        for (int column = row; column < size; ++column)
          if (sum(row, column) != 0) now.entries.push_back({unknown, row, column, sum(row, column)});
    }
    turned.matrices.push_back(std::move(now));
  }
  for (const solve::ScalarInequality& scalar : set.scalars) {
    solve::ScalarInequality now{scalar.name, solve::slack(scalar, ball.x_free), {}};
    for (int unknown = 0; unknown < set.unknowns; ++unknown) {
      double sum = 0;
      for (const auto& entry : scalar.entries) sum += entry.value * ball.T(entry.unknown, unknown);
      if (sum != 0) now.entries.push_back({unknown, sum});
    }
    turned.scalars.push_back(std::move(now));
  }
  return turned;
}

}  // namespace

ConsistentArm consistent_arm(const dynamics::ArmRegressor& regressor, const ArmFit& fit) {
  const std::vector<LinkSize> sizes = consistency::link_sizes(fit.arm);
  const Prior prior = prior_of(fit, sizes);
  const solve::ConicSet constraints =
      consistency::arm_constraints(regressor, sizes, prior.spread, fit.options.least_share);
  const Ball ball = ball_of(fit, prior);
  solve::ConicSolver solver(on_ball(constraints, ball));
  const auto n = static_cast<Index>(constraints.unknowns);
  solve::ConicObjective objective;
  objective.G = Eigen::MatrixXd::Identity(n, n);
  objective.b = Eigen::VectorXd::Zero(n);
  objective.c = ball.f_free;
  ConsistentArm out;
  out.conic = solver.solve(objective);
  using Status = solve::ConicStatus;
  if (out.conic.status != Status::solved && out.conic.status != Status::iteration_limit &&
      out.conic.status != Status::stalled)
    throw InputError(no_estimate(fit.arm.name(), solver.set(), out.conic));
  out.theta = prior.spread.cwiseProduct(ball.x_free + ball.T * out.conic.x);
  out.active = active_constraints(constraints, out.conic);
  const Eigen::VectorXd moved = fit.base.grouping * out.theta - fit.free_beta;
  out.moved = moved.dot(fit.information * moved);
  add_least_eigenvalue(fit, out);
  return out;
}

}  // namespace fathom::identify::internal
