#include "fathom/identify/vehicle/internal/check_grid.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/base/constants.hpp"
#include "fathom/base/median.hpp"

namespace fathom::identify::internal {
namespace {

/// Standard deviation of white noise on smooth rows: a second difference has sqrt(6) of it.
double noise_of(const Eigen::MatrixXd& values) {
  std::vector<double> differences;
  for (Eigen::Index k = 1; k + 1 < values.cols(); ++k)
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
      const double d = values(i, k - 1) - 2 * values(i, k) + values(i, k + 1);
      if (std::isfinite(d)) differences.push_back(std::abs(d));
    }
  return differences.empty() ? 0 : sigmas_of_mad * median(differences) / std::sqrt(6.0);
}

/// q and -q are one attitude: each gets the sign that is nearer to the one before.
Eigen::MatrixXd with_kept_signs(const Eigen::MatrixXd& values) {
  Eigen::MatrixXd kept = values;
  Eigen::Vector4d last = Eigen::Vector4d::Zero();
  for (Eigen::Index k = 0; k < kept.cols(); ++k) {
    if (!kept.col(k).allFinite()) continue;
    if (kept.col(k).dot(last) < 0) kept.col(k) *= -1;
    last = kept.col(k);
  }
  return kept;
}

}  // namespace

double usual_step_of(const filter::Readings& readings) {
  std::vector<double> steps;
  for (std::size_t k = 1; k < readings.t.size(); ++k) steps.push_back(readings.t[k] - readings.t[k - 1]);
  return steps.empty() ? infinity : median(steps);
}

CheckSeries on_clock(const std::string& channel, const filter::Readings& readings, const CheckClock& clock,
                     double blur, bool is_attitude) {
  const Eigen::MatrixXd values = is_attitude ? with_kept_signs(readings.values) : readings.values;
  CheckSeries series{channel, Eigen::MatrixXd::Constant(values.rows(), clock.size, nan), noise_of(values),
                     1 / std::max(1e-6, usual_step_of(readings)), readings.lever_b};
  constexpr double reach = 3, near = 1.6;  // blurs
  const auto count = static_cast<Eigen::Index>(readings.t.size());
  Eigen::Index begin = 0;
  Eigen::VectorXd y0(values.rows()), y1(values.rows());
  for (Eigen::Index k = 0; k < clock.size; ++k) {
    const double t = clock.t(k);
    const auto time = [&](Eigen::Index i) { return readings.t[static_cast<std::size_t>(i)]; };
    while (begin < count && time(begin) < t - reach * blur) ++begin;
    double s0 = 0, s1 = 0, s2 = 0;
    bool before = false, after = false;
    y0.setZero(), y1.setZero();
    for (Eigen::Index i = begin; i < count && time(i) <= t + reach * blur; ++i) {
      const auto y = values.col(i);
      if (!y.allFinite()) continue;
      const double x = (time(i) - t) / blur, w = std::exp(-0.5 * x * x);
      before = before || (x <= 0 && x > -near);
      after = after || (x >= 0 && x < near);
      s0 += w, s1 += w * x, s2 += w * x * x;
      y0 += w * y, y1 += (w * x) * y;
    }
    const double determinant = s0 * s2 - s1 * s1;
    if (!before || !after || !(determinant > 0.05 * s0 * s0)) continue;
    series.values.col(k) = (s2 * y0 - s1 * y1) / determinant;
    if (is_attitude) series.values.col(k).normalize();
  }
  return series;
}

Eigen::MatrixXd blurred_rows(const Eigen::MatrixXd& rows, double width) {
  const double sigma = width / CheckClock::dt;
  const auto reach = static_cast<Eigen::Index>(std::ceil(3 * sigma));
  Eigen::VectorXd taps(2 * reach + 1);
  for (Eigen::Index i = 0; i < taps.size(); ++i)
    taps[i] = std::exp(-0.5 * std::pow(static_cast<double>(i - reach) / sigma, 2));
  const double whole = taps.sum();
  Eigen::VectorXd weight(rows.cols()), filled(rows.cols());
  Eigen::MatrixXd out = Eigen::MatrixXd::Constant(rows.rows(), rows.cols(), nan);
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    for (Eigen::Index k = 0; k < rows.cols(); ++k) {
      const bool is_known = std::isfinite(rows(row, k));
      weight[k] = is_known ? 1 : 0;
      filled[k] = is_known ? rows(row, k) : 0;
    }
    for (Eigen::Index k = 0; k < rows.cols(); ++k) {
      const Eigen::Index first = std::max<Eigen::Index>(0, k - reach),
                         size = std::min(rows.cols(), k + reach + 1) - first;
      const auto window = taps.segment(first - k + reach, size);
      const double w = window.dot(weight.segment(first, size));
      if (w > 0.5 * whole) out(row, k) = window.dot(filled.segment(first, size)) / w;
    }
  }
  return out;
}

Eigen::MatrixXd slope_of_rows(const Eigen::MatrixXd& rows) {
  Eigen::MatrixXd slope = Eigen::MatrixXd::Constant(rows.rows(), rows.cols(), nan);
  const Eigen::Index inner = rows.cols() - 2;
  if (inner > 0)
    slope.middleCols(1, inner) = (rows.rightCols(inner) - rows.leftCols(inner)) / (2 * CheckClock::dt);
  return slope;
}

Eigen::MatrixXd earlier_by(const Eigen::MatrixXd& rows, double late, double rate) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Constant(rows.rows(), rows.cols(), nan);
  const double middle = 0.5 * static_cast<double>(rows.cols() - 1);
  for (Eigen::Index k = 0; k < rows.cols(); ++k) {
    const double place =
        static_cast<double>(k) + late / CheckClock::dt + rate * (static_cast<double>(k) - middle);
    const double floor = std::floor(place);
    if (!(floor >= 0 && floor + 1 < static_cast<double>(rows.cols()))) continue;
    const auto i = static_cast<Eigen::Index>(floor);
    out.col(k) = rows.col(i) + (place - floor) * (rows.col(i + 1) - rows.col(i));
  }
  return out;
}

}  // namespace fathom::identify::internal
