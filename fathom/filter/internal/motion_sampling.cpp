#include <cmath>

#include "fathom/base/constants.hpp"
#include "fathom/base/median.hpp"
#include "fathom/filter/internal/clock_graph.hpp"
#include "fathom/geometry/types.hpp"

namespace fathom::filter::internal {
namespace {

/// A straight line through the samples about a time, by weight.
struct Line {
  Eigen::VectorXd value, slope;
  bool known = false;
};

/// Fits lines at rising times, in one go over the samples.
class LineFitter {
 public:
  LineFitter(const MotionSeries& series, double blur) : series_(series), blur_(blur) {}

  Line at(double t) {
    constexpr double reach = 4;  // blurs
    const std::size_t n = series_.t.size();
    while (begin_ < n && series_.t[begin_] < t - reach * blur_) ++begin_;
    const Eigen::Index rows = series_.values.rows();
    double s0 = 0, s1 = 0, s2 = 0;
    Eigen::VectorXd y0 = Eigen::VectorXd::Zero(rows), y1 = y0;
    bool before = false, after = false;  // samples near on both sides: else the line is a guess
    for (std::size_t k = begin_; k < n && series_.t[k] <= t + reach * blur_; ++k) {
      const auto y = series_.values.col(static_cast<Eigen::Index>(k));
      if (!y.allFinite()) continue;
      const double x = (series_.t[k] - t) / blur_, w = std::exp(-0.5 * x * x);
      before = before || (x <= 0 && x > -near);
      after = after || (x >= 0 && x < near);
      s0 += w, s1 += w * x, s2 += w * x * x;
      y0 += w * y, y1 += w * x * y;
    }
    Line line;
    const double determinant = s0 * s2 - s1 * s1;
    line.known = before && after && determinant > 0.1 * s0 * s0;
    if (!line.known) return line;
    line.value = (s2 * y0 - s1 * y1) / determinant;
    line.slope = (s0 * y1 - s1 * y0) / (determinant * blur_);
    return line;
  }

 private:
  static constexpr double near = 1.6;  // blurs
  const MotionSeries& series_;
  double blur_;
  std::size_t begin_ = 0;
};

/// omega_b of q_nb, w first, and its rate: the vector part of 2 conj(q) q_dot.
Vec3 turning_of(const Eigen::Vector4d& q, const Eigen::Vector4d& q_dot) {
  const Quat a(q[0], q[1], q[2], q[3]), b(q_dot[0], q_dot[1], q_dot[2], q_dot[3]);
  return 2 * (a.conjugate() * b).vec() / a.squaredNorm();
}

Eigen::VectorXd motion_of(MotionForm form, const Line& line) {
  switch (form) {
    case MotionForm::as_it_is: return line.value;
    case MotionForm::slope: return line.slope;
    case MotionForm::speed: return Eigen::VectorXd::Constant(1, line.slope.norm());
    case MotionForm::turning: return turning_of(line.value, line.slope);
    case MotionForm::moving: {
      const Eigen::Vector4d q = line.value.tail<4>().normalized();
      const Vec3 v_n = line.slope.head<3>();
      return Quat(q[0], q[1], q[2], q[3]).conjugate() * v_n;
    }
  }
  return {};
}

Eigen::Index rows_of(const MotionSeries& series) {
  switch (series.form) {
    case MotionForm::as_it_is:
    case MotionForm::slope: return series.values.rows();
    case MotionForm::speed: return 1;
    case MotionForm::turning:
    case MotionForm::moving: return 3;
  }
  return 0;
}

/// q and -q are one attitude: of both, the one nearer to that before.
MotionSeries with_steady_signs(const MotionSeries& series) {
  MotionSeries steady = series;
  Eigen::Vector4d last = Eigen::Vector4d::Zero();
  for (Eigen::Index k = 0; k < steady.values.cols(); ++k) {
    auto q = steady.values.col(k).tail<4>();
    if (!q.allFinite()) continue;
    if (q.dot(last) < 0) q = -q.eval();
    last = q;
  }
  return steady;
}

bool turns(const MotionSeries& series) {
  return series.form == MotionForm::turning || series.form == MotionForm::moving;
}

/// The motion at the samples' own times, through a window as narrow as they allow. What is blurred after that
/// is what the other channel blurs: a velocity in b turned before and not after.
MotionSeries in_motion(const MotionSeries& series, double blur) {
  const MotionSeries steady = turns(series) ? with_steady_signs(series) : series;
  MotionSeries motion{series.channel, series.quantity, MotionForm::as_it_is, series.t, {}};
  motion.values = Eigen::MatrixXd::Constant(rows_of(series), series.values.cols(), nan);
  LineFitter fitter(steady, blur);
  for (std::size_t k = 0; k < series.t.size(); ++k)
    if (const Line line = fitter.at(series.t[k]); line.known)
      motion.values.col(static_cast<Eigen::Index>(k)) = motion_of(series.form, line);
  return motion;
}

}  // namespace

double usual_step(const MotionSeries& series) {
  std::vector<double> steps;
  for (std::size_t k = 1; k < series.t.size(); ++k) steps.push_back(series.t[k] - series.t[k - 1]);
  return steps.empty() ? 0 : median(steps);
}

Eigen::MatrixXd sample_motion(const MotionSeries& series, const EvenClock& grid, double blur) {
  const double narrow = 1.5 * usual_step(series);
  if (series.form != MotionForm::as_it_is && narrow < 0.7 * blur)
    return sample_motion(in_motion(series, narrow), grid, std::sqrt(blur * blur - narrow * narrow));
  const MotionSeries steady = turns(series) ? with_steady_signs(series) : series;
  Eigen::MatrixXd motion = Eigen::MatrixXd::Constant(rows_of(series), grid.size, nan);
  LineFitter fitter(steady, blur);
  for (Eigen::Index k = 0; k < grid.size; ++k)
    if (const Line line = fitter.at(grid.t(k)); line.known) motion.col(k) = motion_of(series.form, line);
  return motion;
}

}  // namespace fathom::filter::internal
