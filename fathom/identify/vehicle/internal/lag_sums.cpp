#include "fathom/identify/vehicle/internal/lag_sums.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;

/// Of columns that wait for a pass over the rows.
constexpr std::size_t most_column_bytes = std::size_t{64} << 20;

FitState state_of(const Fit& fit) {
  FitState state{fit.nuisance.value, fit.theta, fit.row_sigma, fit.innovation_sigma, fit.memory};
  if (fit.prior) {
    state.prior_root = fit.prior->root();
    state.prior_value = state.prior_root * fit.prior->value;
  }
  return state;
}

/// Of a recording's samples the free rows, below each other.
Eigen::VectorXd free_rows(const Regression& regression, const Eigen::MatrixXd& values) {
  Eigen::MatrixXd out(regression.rows(), values.cols());
  for (Index row = 0; row < out.rows(); ++row)
    out.row(row) = values.row(regression.free()[static_cast<std::size_t>(row)]);
  return out.reshaped();
}

}  // namespace

LagSums::LagSums(const Regression& regression, const Fit& fit, const FitOptions& options,
                 const model::Robot& robot, const model::Environment& environment)
    : regression_(regression),
      robot_(robot),
      environment_(environment),
      state_(state_of(fit)),
      extra_{false, options.estimate_current},
      begins_(static_cast<std::size_t>(regression.samples()), 0) {
  for (const Index sample : fit.residuals.breaks) begins_[static_cast<std::size_t>(sample)] = 1;
  const solve::Rows rows = weighed_rows(regression, state_, extra_, options.current_sigma);
  gram_ = rows.gram() - fit.noise_share * noise_gram(regression, state_, extra_);
  moment_ = rows.moment();
  square_ = rows.square();
  own_moment_ = Eigen::VectorXd::Zero(moment_.size());
  WeighedRows(regression_, state_, extra_, false)
      .pass([&](const auto& A, const auto& y, const auto&, const RowBlock&) {
        own_moment_.noalias() += A.transpose() * y;
        own_square_ += y.squaredNorm();
      });
}

/// [y u] of each point, weighed and whitened as the rows are.
Eigen::MatrixXd LagSums::columns_of(std::span<const Point> points) const {
  const Index rows = regression_.rows();
  Eigen::MatrixXd columns(rows * regression_.samples(), static_cast<Index>(2 * points.size()));
  std::vector<LaggedWrench> wrenches;
  for (const Point& point : points) wrenches.emplace_back(robot_, environment_, point.lag);
  Index first = 0;
  for (std::size_t r = 0; r < regression_.recordings().size(); ++r) {
    const Index samples = regression_.samples_of(r);
    if (samples == 0) continue;
    Eigen::MatrixXd value(6, samples), slope(6, samples);
    for (std::size_t p = 0; p < points.size(); ++p) {
      regression_.blur(r, wrenches[p].wrench_b(regression_.recordings()[r]), points[p].delay, value, slope);
      const auto at = static_cast<Index>(2 * p);
      columns.block(first * rows, at, samples * rows, 1) = free_rows(regression_, value);
      columns.block(first * rows, at + 1, samples * rows, 1) = free_rows(regression_, slope);
    }
    first += samples;
  }
  whiten(columns);
  return columns;
}

/// As WeighedRows has it.
void LagSums::whiten(Eigen::MatrixXd& columns) const {
  const Index rows = regression_.rows();
  for (Index k = 0; k < columns.rows(); ++k) columns.row(k) /= state_.innovation_sigma[k % rows];
  for (Index k = columns.rows() - 1; k >= 0; --k) {
    const double rho = state_.memory[k % rows];
    if (begins_[static_cast<std::size_t>(k / rows)])
      columns.row(k) *= std::sqrt(1 - rho * rho);
    else
      columns.row(k) -= rho * columns.row(k - rows);
  }
}

template <class Take>
void LagSums::pass(const Take& take) const {
  WeighedRows(regression_, state_, extra_, false)
      .pass([&](const auto& A, const auto&, const auto&, const RowBlock& block) {
        take(A, block.first_sample * regression_.rows());
      });
}

std::size_t LagSums::columns_at_once() const {
  const auto bytes = static_cast<std::size_t>(regression_.rows() * regression_.samples()) * sizeof(double);
  return std::max<std::size_t>(1, most_column_bytes / std::max<std::size_t>(1, bytes));
}

void LagSums::add_to(std::vector<Point>& points) const {
  const std::size_t at_once = std::max<std::size_t>(1, columns_at_once() / 2);
  for (std::size_t begin = 0; begin < points.size(); begin += at_once) {
    const std::span<Point> some = std::span(points).subspan(begin, std::min(at_once, points.size() - begin));
    const Eigen::MatrixXd columns = columns_of(some);
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(moment_.size(), columns.cols());
    pass([&](const auto& A, Index first) {
      sums.noalias() += A.transpose() * columns.middleRows(first, A.rows());
    });
    for (std::size_t p = 0; p < some.size(); ++p) {
      const auto y = columns.col(static_cast<Index>(2 * p)), u = columns.col(static_cast<Index>(2 * p + 1));
      some[p].moment = moment_ - own_moment_ + sums.col(static_cast<Index>(2 * p));
      some[p].square = square_ - own_square_ + y.squaredNorm();
      some[p].moment_by_delay = sums.col(static_cast<Index>(2 * p + 1));
      some[p].cross_by_delay = y.dot(u);
      some[p].square_by_delay = u.squaredNorm();
    }
  }
}

double LagSums::inflation(const Point& at, const Point& below, const Point& above,
                          const Eigen::LDLT<Eigen::MatrixXd>& solver) const {
  const std::vector<Point> points = {at, below, above};
  const Eigen::MatrixXd columns = columns_of(points);
  Eigen::MatrixXd y(columns.rows(), 2);
  y << columns.col(0), columns.col(4) - columns.col(2);
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(moment_.size(), 2);
  pass([&](const auto& A, Index first) { sums.noalias() += A.transpose() * y.middleRows(first, A.rows()); });
  sums.col(0) += moment_ - own_moment_;
  const Eigen::MatrixXd x = solver.solve(sums);
  pass([&](const auto& A, Index first) { y.middleRows(first, A.rows()).noalias() -= A * x; });
  const Index rows = regression_.rows();
  Eigen::MatrixXd score = Eigen::MatrixXd::Zero(1, regression_.samples());
  double white = 0;
  for (Index k = 0; k < y.rows(); ++k) {
    score(0, k / rows) += y(k, 0) * y(k, 1);
    white += y(k, 1) * y(k, 1);
  }
  score.array() -= score.mean();
  std::vector<Index> breaks;
  for (std::size_t k = 0; k < begins_.size(); ++k)
    if (begins_[k]) breaks.push_back(static_cast<Index>(k));
  const double variance =
      solve::long_run_covariance(score, breaks).covariance(0, 0) * static_cast<double>(regression_.samples());
  return white > 0 && std::isfinite(variance) ? std::max(1.0, variance / white) : 1;
}

Eigen::MatrixXd LagSums::moments_of(std::size_t count, double delay,
                                    const std::function<Mat6X(const Recording&, std::size_t)>& make) const {
  const Index rows = regression_.rows();
  Eigen::MatrixXd out(moment_.size(), static_cast<Index>(count));
  for (std::size_t begin = 0; begin < count; begin += columns_at_once()) {
    const std::size_t width = std::min(columns_at_once(), count - begin);
    Eigen::MatrixXd columns(rows * regression_.samples(), static_cast<Index>(width));
    Index first = 0;
    for (std::size_t r = 0; r < regression_.recordings().size(); ++r) {
      const Index samples = regression_.samples_of(r);
      if (samples == 0) continue;
      Eigen::MatrixXd value(6, samples), slope(6, samples);
      for (std::size_t c = 0; c < width; ++c) {
        regression_.blur(r, make(regression_.recordings()[r], begin + c), delay, value, slope);
        columns.block(first * rows, static_cast<Index>(c), samples * rows, 1) = free_rows(regression_, value);
      }
      first += samples;
    }
    whiten(columns);
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(moment_.size(), columns.cols());
    pass([&](const auto& A, Index at) { sums.noalias() += A.transpose() * columns.middleRows(at, A.rows()); });
    out.middleCols(static_cast<Index>(begin), columns.cols()) = sums;
  }
  return out;
}

}  // namespace fathom::identify::internal
