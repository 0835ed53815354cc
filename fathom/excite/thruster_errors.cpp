#include "fathom/excite/thruster_errors.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include <Eigen/QR>

#include "fathom/excite/internal/wrench_rows.hpp"
#include "fathom/model/table_scatter.hpp"

namespace fathom::excite {
namespace {

using Eigen::Index;

// What `identify` takes for granted: docs/identification.md eqs. 41 and 46.
constexpr double lag_share = 0.15;                        // of a stated lag
constexpr double shortest_lag = 0.01, longest_lag = 0.6;  // s, where none is stated
constexpr double delay_sigma = 0.05;                      // s
constexpr double unit_sigma = 0.005;                      // of a thruster's gain

enum Group : Index { wrench_group, lag_group, delay_group, first_mode };
constexpr Index most_modes = 8;           // of two tables
constexpr double width_of_change = 0.05;  // of the largest force: from one side's error to the other's

/// Points of one side of a table, as shares of the largest force of that side.
std::vector<double> shares_of(const std::vector<double>& forces, double side, double& largest) {
  std::vector<double> shares;
  largest = 0;
  for (const double force : forces) largest = std::max(largest, side * force);
  for (const double force : forces)
    if (side * force > 0) shares.push_back(side * force / largest);
  return shares;
}

}  // namespace

double ThrusterErrors::Mode::error(double force) const {
  const double share = 0.5 * (1 + side * force / std::sqrt(force * force + width * width));
  return share * force * (constant + linear * std::abs(force));
}

double ThrusterErrors::Mode::slope(double force) const {
  const double square = force * force + width * width, size = std::sqrt(square);
  const double share = 0.5 * (1 + side * force / size), size_of_force = std::abs(force);
  return share * (constant + 2 * linear * size_of_force) +
         0.5 * side * width * width / (square * size) * force * (constant + linear * size_of_force);
}

LagPrior lag_prior(const model::Robot& robot) {
  double sum = 0, variance = 0, count = 0;
  for (const model::Thruster& thruster : robot.thrusters()) {
    if (!thruster.transient) continue;
    const auto* lag = std::get_if<model::FirstOrder>(&thruster.transient->law);
    if (!lag || thruster.transient->flow) return {};
    const double sigma = lag->sigma.value_or(lag_share * lag->time_constant);
    sum += lag->time_constant;
    variance += sigma * sigma;
    ++count;
  }
  if (count > 0) return {sum / count, std::sqrt(variance / count)};
  const double range = std::log(longest_lag / shortest_lag), mean = (longest_lag - shortest_lag) / range;
  const double square = (longest_lag * longest_lag - shortest_lag * shortest_lag) / (2 * range);
  return {mean, std::sqrt(square - mean * mean)};
}

ThrusterErrors::ThrusterErrors(const Problem& problem, const Eigen::ArrayXd& mask)
    : vehicle_(problem.robot, problem.environment), interval_(problem.sampling) {
  if (!problem.thruster_errors || problem.robot.thrusters().empty()) return;
  const auto free = model::free_indices(problem.structure.dof);
  axes_.assign(free.begin(), free.end());
  for (Index row = 0; row < mask.size(); ++row)
    if (mask[row] != 0) rows_.push_back(row);
  B_ = Eigen::MatrixXd(model::allocation_matrix(problem.robot))(axes_, Eigen::all);
  inverse_ = B_.completeOrthogonalDecomposition().pseudoInverse();
  add_tables(problem.robot);
  add_columns(lag_prior(problem.robot), unit_sigma);
  const auto count = static_cast<Index>(rows_.size());
  by_twist_.resize(rows_.size());
  forces_.resize(B_.cols(), count);
  forces_adjoint_.resize(B_.cols(), count);
  wrench_.resize(B_.rows(), count);
}

/// Of errors of a table's points, each by itself, what a smooth law keeps: on each side the line, relative to
/// the force, that is nearest to them. Thrusters beyond the second table have the errors of their gains alone.
void ThrusterErrors::add_tables(const model::Robot& robot) {
  const auto& thrusters = robot.thrusters();
  for (std::size_t k = 0; k < thrusters.size() && static_cast<Index>(modes_.size()) < most_modes; ++k) {
    const auto* table = thrusters[k].map ? std::get_if<model::ForceTable>(&thrusters[k].map->law) : nullptr;
    if (!table) continue;
    std::vector<Index> with;
    for (std::size_t other = 0; other < thrusters.size(); ++other)
      if (thrusters[other].map == thrusters[k].map) with.push_back(static_cast<Index>(other));
    if (with.front() != static_cast<Index>(k)) continue;
    const double scatter = model::table_scatter(*table, thrusters[k].map->command.neutral).value_or(0);
    if (scatter == 0) continue;
    for (const double side : {1.0, -1.0}) {
      double largest = 0;
      const std::vector<double> x = shares_of(table->forces[table->forces.size() / 2], side, largest);
      if (x.size() < 3) continue;
      Eigen::MatrixXd A(static_cast<Index>(x.size()), 2);
      for (std::size_t i = 0; i < x.size(); ++i) A.row(static_cast<Index>(i)) << 1, x[i];
      const Eigen::Matrix2d covariance = scatter * scatter * (A.transpose() * A).inverse();
      const Eigen::Matrix2d L = covariance.llt().matrixL();
      for (Index mode = 0; mode < 2; ++mode)
        modes_.push_back({with, side, L(0, mode), L(1, mode) / largest, width_of_change * largest});
    }
  }
}

void ThrusterErrors::add_columns(const LagPrior& lag, double gain_sigma) {
  const auto add_group = [&](Index group, double sigma) {
    ErrorColumn& column = columns_.emplace_back();
    for (const int axis : axes_) column.parts.push_back({axis, static_cast<int>(6 * group) + axis, sigma});
  };
  keep_ = lag.mean > 0 ? std::exp(-interval_ / lag.mean) : 0;
  if (lag.sigma > 0) add_group(lag_group, lag.sigma);
  add_group(delay_group, delay_sigma);
  for (Index k = 0; k < B_.cols(); ++k) {  // of the wrench what this thruster gives
    ErrorColumn& column = columns_.emplace_back();
    const Eigen::MatrixXd part = gain_sigma * B_.col(k) * inverse_.row(k);
    for (std::size_t i = 0; i < axes_.size(); ++i)
      for (std::size_t j = 0; j < axes_.size(); ++j)
        column.parts.push_back({axes_[i], static_cast<int>(6 * wrench_group) + axes_[j],
                                part(static_cast<Index>(i), static_cast<Index>(j))});
  }
  for (std::size_t k = 0; k < modes_.size(); ++k) add_group(first_mode + static_cast<Index>(k), 1);
  width_ = 6 * (first_mode + static_cast<Index>(modes_.size()));
}

void ThrusterErrors::fill_modes(Index i, Samples& at) const {
  const Index row = rows_[static_cast<std::size_t>(i)];
  for (std::size_t m = 0; m < modes_.size(); ++m) {
    const Mode& mode = modes_[m];
    const Index first = 6 * (first_mode + static_cast<Index>(m));
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      double sum = 0;
      for (const Index k : mode.thrusters) sum += B_(static_cast<Index>(a), k) * mode.error(forces_(k, i));
      at.wrench(row, first + axes_[a]) = sum;
    }
  }
}

void ThrusterErrors::fill(Samples& at) {
  const Index count = wrench_.cols(), last = count - 1;
  for (Index i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Vec6 tau = dynamics::inverse_dynamics(vehicle_, internal::motion_at(at, rows_[k]), &by_twist_[k]);
    forces_.col(i).setZero();
    for (std::size_t a = 0; a < axes_.size(); ++a)
      forces_.col(i) += tau[axes_[a]] * inverse_.col(static_cast<Index>(a));
    wrench_.col(i).noalias() = B_ * forces_.col(i);
    fill_modes(i, at);
  }
  const double slope = (1 - keep_) / interval_;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const auto x = wrench_.row(static_cast<Index>(a));
    auto wrench = column(at, wrench_group, axes_[a]), lag = column(at, lag_group, axes_[a]),
         delay = column(at, delay_group, axes_[a]);
    double late = 0;  // the slope by the lag, at rest before the path begins
    for (Index i = 0; i < count; ++i) {
      const Index row = rows_[static_cast<std::size_t>(i)];
      if (i > 0) late = keep_ * late - slope * (x[i] - x[i - 1]);
      wrench[row] = x[i];
      lag[row] = late;
      delay[row] = -(x[std::min(i + 1, last)] - x[std::max<Index>(i - 1, 0)]) / (2 * interval_);
    }
  }
}

void ThrusterErrors::add_gradient(Samples& adjoint) {
  const Index count = wrench_.cols(), last = count - 1;
  const double slope = (1 - keep_) / interval_;
  wrench_.setZero();  // from here on the derivative by it
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    auto x = wrench_.row(static_cast<Index>(a));
    const auto wrench = column(adjoint, wrench_group, axes_[a]), lag = column(adjoint, lag_group, axes_[a]),
               delay = column(adjoint, delay_group, axes_[a]);
    double late = 0;
    for (Index i = last; i >= 0; --i) {
      const Index row = rows_[static_cast<std::size_t>(i)];
      late = lag[row] + keep_ * late;
      x[i] += wrench[row];
      if (i > 0) x[i] -= slope * late, x[i - 1] += slope * late;
      x[std::min(i + 1, last)] -= delay[row] / (2 * interval_);
      x[std::max<Index>(i - 1, 0)] += delay[row] / (2 * interval_);
    }
  }
  forces_adjoint_.noalias() = B_.transpose() * wrench_;
  for (Index i = 0; i < count; ++i) {
    const Index row = rows_[static_cast<std::size_t>(i)];
    for (std::size_t m = 0; m < modes_.size(); ++m) {
      const Mode& mode = modes_[m];
      const Index first = 6 * (first_mode + static_cast<Index>(m));
      for (const Index k : mode.thrusters) {
        double pull = 0;
        for (std::size_t a = 0; a < axes_.size(); ++a)
          pull += B_(static_cast<Index>(a), k) * adjoint.wrench(row, first + axes_[a]);
        forces_adjoint_(k, i) += pull * mode.slope(forces_(k, i));
      }
    }
    Vec6 pull = Vec6::Zero();
    for (std::size_t a = 0; a < axes_.size(); ++a)
      pull[axes_[a]] = inverse_.col(static_cast<Index>(a)).dot(forces_adjoint_.col(i));
    internal::add_wrench_adjoint(vehicle_, by_twist_[static_cast<std::size_t>(i)], pull, row, adjoint);
  }
}

}  // namespace fathom::excite
