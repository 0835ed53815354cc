#include "fathom/identify/vehicle/internal/weighed_rows.hpp"

#include "fathom/base/constants.hpp"
#include "fathom/base/gaussian_taps.hpp"

namespace fathom::identify::internal {

using Eigen::Index;

std::vector<Nuisance> with_currents(const Nuisance& at, bool current) {
  std::vector<Nuisance> out = {at};
  for (int axis = 0; current && axis < 2; ++axis) {
    out.push_back(at);
    out.back().current_n[axis] += current_step;
  }
  return out;
}

namespace {

constexpr double reach_of_rate = 4;  // blurs, as the regression cuts its window
/// A row is hardly driven where the thrusters' wrench is less than this share of what its acceleration takes.
constexpr double hardly_driven = 0.1;

/// Sums of squares over windows a blur apart, and their number.
struct WindowSums {
  Vec6 square = Vec6::Zero();
  double count = 0;
};

/// h' * series, where all of the window is usable.
void add_rates(const Recording& recording, const Mat6X& series, double blur, WindowSums& sums) {
  const double dt = recording.track.dt;
  const auto reach = static_cast<Index>(std::ceil(reach_of_rate * blur / dt));
  const auto stride = std::max<Index>(1, static_cast<Index>(std::lround(blur / dt)));
  const GaussianTaps taps(blur, dt, reach);
  for (const auto& [begin, end] : usable_ranges(recording.usable))
    for (Index k = begin + reach; k + reach < end; k += stride) {
      const Vec6 rate = series.middleCols(k - reach, 2 * reach + 1) * taps.rate;
      sums.square += rate.cwiseAbs2();
      sums.count += 1;
    }
}

Vec6 rms(const WindowSums& sums) { return (sums.square / std::max(1.0, sums.count)).cwiseSqrt(); }

/// rms of what the measured acceleration takes.
Vec6 inertial_wrench(const Regression& regression, const Vec6& nominal_inertia) {
  WindowSums acceleration;
  for (const Recording& recording : regression.recordings())
    add_rates(recording, recording.track.nu_b, regression.options().blur, acceleration);
  return nominal_inertia.cwiseProduct(rms(acceleration));
}

/// rms of the thrusters' wrench over that; infinite where nothing is known of the inertia.
Vec6 drive_ratio(const Regression& regression, const Vec6& nominal_inertia) {
  WindowSums wrench;
  each_usable(regression.recordings(), [&](const Recording& recording, Index k) {
    wrench.square += recording.tau_b.col(k).cwiseAbs2();
    wrench.count += 1;
  });
  const Vec6 inertial = inertial_wrench(regression, nominal_inertia);
  return (inertial.array() > 0).select(rms(wrench).array() / inertial.array(), infinity);
}

Eigen::VectorXd on_rows(const Regression& regression, const Vec6& values) {
  Eigen::VectorXd result(regression.rows());
  for (Index row = 0; row < result.size(); ++row)
    result[row] = values[regression.free()[static_cast<std::size_t>(row)]];
  return result;
}

}  // namespace

Eigen::VectorXd sensor_sigma(const Regression& regression, const Vec6& nominal_inertia) {
  const double blur = regression.options().blur;
  WindowSums seen, believed;
  for (const Recording& recording : regression.recordings()) {
    if (recording.nu_split_b.cols() == recording.size()) add_rates(recording, recording.nu_split_b, blur, seen);
    for (const auto& [begin, end] : usable_ranges(recording.usable)) {
      const auto sigma = recording.track.nu_sigma_b.middleCols(begin, end - begin) / blur;
      believed.square += sigma.cwiseAbs2().rowwise().sum();
      believed.count += static_cast<double>(end - begin);
    }
  }
  const Vec6 drive = drive_ratio(regression, nominal_inertia);
  Vec6 sigma = rms(seen);
  for (int i = 0; i < 6; ++i)
    if (drive[i] < hardly_driven || seen.count == 0) sigma[i] = std::max(sigma[i], rms(believed)[i]);
  return on_rows(regression, nominal_inertia.cwiseProduct(sigma));
}

Eigen::VectorXd first_sigma(const Regression& regression, const Vec6& nominal_inertia) {
  const Vec6 inertial = inertial_wrench(regression, nominal_inertia),
             drive = drive_ratio(regression, nominal_inertia);
  return on_rows(regression, (drive.array() < hardly_driven).select(inertial, 0));
}

void learn_residual(const Regression& regression, FitState& state, bool with_memory) {
  const Index rows = regression.rows();
  Eigen::VectorXd square = Eigen::VectorXd::Zero(rows), product = square, wrench = square, last = square;
  regression.pass(state.at, [&](const RowBlock& block) {
    const Eigen::VectorXd r = block.tau - block.Y * state.theta;
    if (block.begins) last.setZero();
    for (Index k = 0; k < r.size(); k += rows) {
      const auto now = r.segment(k, rows);
      square += now.cwiseAbs2();
      wrench += block.tau.segment(k, rows).cwiseAbs2();
      product += now.cwiseProduct(last);
      last = now;
    }
  });
  state.memory.setZero(rows);
  if (with_memory) state.memory = product.cwiseQuotient(square.cwiseMax(1e-300)).cwiseMax(0).cwiseMin(0.98);
  // No row is known better than a thousandth of its wrench: else a row that fits by accident takes all the
  // weight.
  square = square.cwiseMax(1e-6 * wrench) / static_cast<double>(regression.samples());
  state.row_sigma = square.cwiseSqrt().cwiseMax(1e-9);
  state.innovation_sigma =
      state.row_sigma.cwiseProduct((1 - state.memory.array().square()).sqrt().matrix()).cwiseMax(1e-9);
  // A row with hardly any wrench fits the better the smaller its parameters are. Unless its scale has a limit,
  // its weight then grows from round to round until they vanish.
  if (state.least_sigma.size() > 0) {
    state.row_sigma = state.row_sigma.cwiseMax(state.least_sigma);
    state.innovation_sigma = state.innovation_sigma.cwiseMax(state.least_sigma);
  }
}

WeighedRows::WeighedRows(const Regression& regression, const FitState& state, const Extra& extra,
                         bool with_split)
    : regression_(regression),
      state_(state),
      extra_(extra),
      with_split_(with_split),
      nuisances_(with_currents(state.at, extra.current)) {
  if (with_split)
    for (const double side : {1, -1}) {
      nuisances_.push_back(state.at);
      nuisances_.back().split = side;
    }
}

Eigen::MatrixXd WeighedRows::parallel_map(std::span<const RowBlock> blocks) const {
  const Index n = static_cast<Index>(regression_.structure().size()), columns = n + extra_.count();
  const RowBlock& block = blocks.front();
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(block.Y.rows(), columns + 1 + (with_split_ ? n : 0));
  all.leftCols(n) = block.Y;
  if (extra_.delay) all.col(extra_.delay_column(n)) = -block.tau_by_delay;
  if (extra_.current)
    for (Index axis = 0; axis < 2; ++axis)
      all.col(extra_.current_column(n) + axis) =
          (blocks[static_cast<std::size_t>(axis) + 1].Y - block.Y) * state_.theta / current_step;
  all.col(columns) = block.tau;
  if (with_split_) all.rightCols(n) = 0.5 * (blocks[blocks.size() - 2].Y - blocks.back().Y);
  for (Index k = 0; k < all.rows(); ++k) all.row(k) /= state_.innovation_sigma[k % regression_.rows()];
  return all;
}

void WeighedRows::whiten(Eigen::MatrixXd& with, Eigen::MatrixXd& last, bool begins) const {
  const Index rows = regression_.rows();
  const Eigen::MatrixXd end = with.bottomRows(rows);
  for (Index k = with.rows() - 1; k >= 0; --k) {
    const double rho = state_.memory[k % rows];
    if (k >= rows)
      with.row(k) -= rho * with.row(k - rows);
    else if (!begins)
      with.row(k) -= rho * last.row(k);
    else
      with.row(k) *= std::sqrt(1 - rho * rho);
  }
  last = end;
}

solve::Rows weighed_rows(const Regression& regression, const FitState& state, const Extra& extra,
                         double current_sigma) {
  const Index n = static_cast<Index>(regression.structure().size());
  solve::Rows rows(n + extra.count());
  WeighedRows(regression, state, extra, false)
      .pass([&](const auto& A, const auto& y, const auto&, const RowBlock&) { rows.add(A, y); });
  for (int axis = 0; extra.current && axis < 2; ++axis) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(1, n + extra.count());
    A(0, extra.current_column(n) + axis) = 1 / current_sigma;
    rows.add(A, Eigen::VectorXd::Constant(1, -state.at.current_n[axis] / current_sigma));
  }
  if (state.prior_root.rows() > 0) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(state.prior_root.rows(), n + extra.count());
    A.leftCols(n) = state.prior_root;
    rows.add(A, state.prior_value);
  }
  return rows;
}

Eigen::MatrixXd noise_gram(const Regression& regression, const FitState& state, const Extra& extra) {
  const Index n = static_cast<Index>(regression.structure().size());
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(n + extra.count(), n + extra.count());
  WeighedRows(regression, state, extra, true)
      .pass([&](const auto&, const auto&, const auto& D, const RowBlock&) {
        gram.topLeftCorner(n, n).noalias() += D.transpose() * D;
      });
  return gram;
}

Eigen::MatrixXd moments(const Regression& regression, const FitState& state, const Extra& extra,
                        double noise_share, Residuals& residuals) {
  const Index n = static_cast<Index>(regression.structure().size()), rows = regression.rows();
  Eigen::MatrixXd m(n + extra.count(), regression.samples());
  residuals.values.resize(rows, regression.samples());
  WeighedRows(regression, state, extra, true)
      .pass([&](const auto& A, const auto& y, const auto& D, const RowBlock& block) {
        const Eigen::VectorXd r = y - A.leftCols(n) * state.theta, e = noise_share * D * state.theta;
        const Eigen::VectorXd plain = block.tau - block.Y * state.theta;
        if (block.begins) residuals.breaks.push_back(block.first_sample);
        for (std::size_t k = 0; k < block.t.size(); ++k) {
          const Index at = static_cast<Index>(k) * rows;
          const Index sample = block.first_sample + static_cast<Index>(k);
          m.col(sample).noalias() = A.middleRows(at, rows).transpose() * r.segment(at, rows);
          m.col(sample).head(n) += D.middleRows(at, rows).transpose() * e.segment(at, rows);
          residuals.values.col(sample) = plain.segment(at, rows);
          residuals.t.push_back(block.t[k]);
          residuals.recording.push_back(block.recording);
        }
      });
  // Without a condition or a prior that pulls, their mean is zero.
  m.colwise() -= m.rowwise().mean().eval();
  return m;
}

}  // namespace fathom::identify::internal
