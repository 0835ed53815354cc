#include "fathom/identify/vehicle/internal/segment.hpp"

#include <array>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "fathom/base/gaussian_taps.hpp"
#include "fathom/dynamics/regressor.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/identify/vehicle/internal/replay.hpp"

namespace fathom::identify::internal {

namespace {

using Eigen::Index;

constexpr double reach_in_blurs = 3;
constexpr Index least_samples = 3;  // of a shot: two of them are its beginning and what is new

/// A shot from sample `first` on, filled in.
Segment make_segment(const model::Structure& structure, const Recording& recording, Index first, Index samples,
                     Index stride, const Eigen::VectorXd& blur, const Vec3& attitude_error_b) {
  const auto free = model::free_indices(structure.dof);
  const auto rows = static_cast<Index>(free.size());
  const Quat correction = exp_rotation(-attitude_error_b);
  Segment segment;
  segment.tau_b = &recording.tau_b;
  segment.dt = recording.track.dt;
  segment.first = first;
  segment.stride = stride;
  segment.blur = blur;
  segment.measured.setZero(rows, samples);
  segment.by_current.setZero(rows * samples, 2);
  segment.down_b.resize(3, 2 * segment.steps() + 1);
  for (Index k = 0; k < segment.down_b.cols(); ++k)
    segment.down_b.col(k) = structure.dof == model::Dof::six
                                ? (recording.track.attitude(first + k) * correction).conjugate() * Vec3::UnitZ()
                                : Vec3::UnitZ();
  for (Index step = 0; step <= segment.steps(); ++step) {
    const Index k = first + 2 * step;
    Vec6 nu = recording.track.nu_b.col(k);
    nu.head<3>() = correction.conjugate() * Vec3(nu.head<3>());
    Eigen::Matrix<double, 6, 2> by_current = Eigen::Matrix<double, 6, 2>::Zero();
    by_current.topRows<3>() =
        (recording.track.attitude(k) * correction).conjugate().toRotationMatrix().leftCols<2>();
    if (step == 0) {
      segment.start = nu(free);
      segment.start_by_current = by_current(free, Eigen::all);
    }
    for (Index sample = segment.first_at(step); sample <= segment.last_at(step); ++sample) {
      const double weight = blur[step - sample * stride];
      segment.measured.col(sample) += weight * nu(free);
      segment.by_current.middleRows(rows * sample, rows) += weight * by_current(free, Eigen::all);
    }
  }
  return segment;
}

constexpr double least_sigma = 1e-9;  // m/s, rad/s: below it there is nothing but rounding

}  // namespace

std::vector<Segment> make_segments(const model::Structure& structure, std::span<const Recording> recordings,
                                   const OutputErrorOptions& options, const Vec3& attitude_error_b) {
  std::vector<Segment> segments;
  for (const Recording& recording : recordings) {
    const double step = 2 * recording.track.dt;
    const Index stride = std::max<Index>(1, std::lround(options.every / step));
    const auto reach = static_cast<Index>(std::ceil(reach_in_blurs * options.blur / step));
    const Eigen::VectorXd blur = GaussianTaps(options.blur, step, reach).value;
    // Commands of a delay ago must be in the log.
    const auto earliest = static_cast<Index>(std::ceil(options.most_delay / recording.track.dt)) + 1;
    for (const SampleRange& range : usable_ranges(recording.usable)) {
      Index first = std::max(range.first, earliest);
      const Index room = std::max<Index>(0, (range.end - 1 - first) / 2 + 1);  // steps and one
      const auto count = std::max<Index>(1, std::lround(static_cast<double>(room) * step / options.segment));
      const Index steps = room / count, samples = (steps - blur.size()) / stride + 1;
      const bool long_enough =
          samples >= least_samples && static_cast<double>(steps) * step >= options.least_segment;
      for (Index number = 0; long_enough && number < count; ++number, first += 2 * steps) {
        segments.push_back(make_segment(structure, recording, first, samples, stride, blur, attitude_error_b));
        segments.back().begins = number == 0;
      }
    }
  }
  return segments;
}

SegmentRunner::SegmentRunner(const model::Structure& structure, const Segment& segment)
    : structure_(structure),
      segment_(segment),
      free_(model::free_indices(structure.dof)),
      parameters_(static_cast<Index>(structure.size())) {}

void SegmentRunner::rate(const VelocityModel& model, Index at, double lag, const FreeVector& nu_r) {
  const Mat6X& tau_b = *segment_.tau_b;
  const double place = static_cast<double>(segment_.first + at) - lag;
  const Index k = std::clamp<Index>(static_cast<Index>(std::floor(place)), 0, tau_b.cols() - 2);
  const Vec6 rise = tau_b.col(k + 1) - tau_b.col(k);
  const Vec6 tau = tau_b.col(k) + (place - static_cast<double>(k)) * rise;
  const Vec3 down_b = segment_.down_b.col(at);
  FreeMatrix by_twist(nu_r.size(), nu_r.size());
  nu_dot_ = model.rate(nu_r, down_b, tau(free_), sensitive_ ? &by_twist : nullptr);
  if (!sensitive_) return;
  dynamics::Motion motion;
  motion.nu_r_b(free_) = nu_r;
  motion.nu_r_dot_b(free_) = nu_dot_;
  motion.down_b = down_b;
  dynamics::regressor(structure_, motion, Y_);
  const FreeVector tau_by_delay = rise(free_) / -segment_.dt;
  S_dot_.noalias() = by_twist * stage_;
  S_dot_.leftCols(parameters_).noalias() -= model.M_inverse() * Y_;  // docs/model.md eq. 21
  S_dot_.col(parameters_).noalias() += model.M_inverse() * tau_by_delay;
}

bool SegmentRunner::step(const VelocityModel& model, Index k, double lag) {
  constexpr std::array<Index, 4> sample = {0, 1, 1, 2};
  constexpr std::array<double, 4> weight = {1, 2, 2, 1}, next = {0.5, 0.5, 1, 0};
  const double h = 2 * segment_.dt;
  FreeVector nu_r = nu_, nu_sum = FreeVector::Zero(nu_.size());
  if (sensitive_) {
    stage_ = S_;
    sum_.setZero();
  }
  for (std::size_t i = 0; i < 4; ++i) {
    rate(model, 2 * k + sample[i], lag, nu_r);
    nu_sum += weight[i] * nu_dot_;
    nu_r = nu_ + h * next[i] * nu_dot_;
    if (!sensitive_) continue;
    sum_ += weight[i] * S_dot_;
    stage_ = S_ + h * next[i] * S_dot_;
  }
  nu_ += h / 6 * nu_sum;
  if (sensitive_) S_ += h / 6 * sum_;
  return nu_.cwiseAbs().maxCoeff() < runaway && nu_.allFinite();
}

/// What the velocity at step k has in the compared ones.
void SegmentRunner::add(Index k, Eigen::Ref<Eigen::MatrixXd> predicted, Eigen::MatrixXd* jacobian) const {
  const Index rows = segment_.rows();
  for (Index sample = segment_.first_at(k); sample <= segment_.last_at(k); ++sample) {
    const double weight = segment_.blur[k - sample * segment_.stride];
    predicted.col(sample) += weight * nu_;
    if (!jacobian) continue;
    jacobian->block(rows * sample, 0, rows, parameters_ + 1) += weight * S_.leftCols(parameters_ + 1);
    jacobian->block(rows * sample, parameters_ + 1 + current_columns, rows, rows) +=
        weight * S_.rightCols(rows);
  }
}

bool SegmentRunner::run(const SegmentUnknowns& unknowns, Eigen::Ref<Eigen::MatrixXd> predicted,
                        Eigen::MatrixXd* jacobian) {
  const VelocityModel model(structure_, unknowns.theta);
  if (!model.can_run()) return false;
  const Index rows = segment_.rows();
  sensitive_ = jacobian != nullptr;
  nu_ = Eigen::Map<const Eigen::VectorXd>(unknowns.start, rows);
  if (sensitive_) {
    jacobian->setZero(rows * segment_.samples(), columns());
    jacobian->middleCols(parameters_ + 1, current_columns) = segment_.by_current;
    S_.setZero(rows, parameters_ + 1 + rows);
    S_.middleCols(parameters_ + 1, rows).setIdentity();
    Y_.resize(rows, parameters_);
    for (Eigen::MatrixXd* scratch : {&stage_, &S_dot_, &sum_}) scratch->resizeLike(S_);
  }
  predicted.reshaped() = segment_.by_current * Eigen::Map<const Eigen::Vector2d>(unknowns.current_n);
  const double lag = *unknowns.delay / segment_.dt;
  add(0, predicted, jacobian);
  for (Index k = 0; k < segment_.steps(); ++k) {
    if (!step(model, k, lag)) return false;
    add(k + 1, predicted, jacobian);
  }
  return true;
}

using Kind = model::Term::Kind;

VelocityModel::VelocityModel(const model::Structure& structure, const double* theta)
    : free_(model::free_indices(structure.dof)) {
  for (std::size_t k = 0; k < structure.size(); ++k) set(structure.terms[k], theta[k]);
  const FreeMatrix M = M_(free_, free_);
  M_inverse_ = M.partialPivLu().inverse();
}

void VelocityModel::set(const model::Term& term, double value) {
  switch (term.kind) {
    case Kind::inertia: M_(term.row, term.column) = M_(term.column, term.row) = value; break;
    case Kind::inertia_entry: M_(term.row, term.column) = value; break;
    case Kind::linear: linear_(term.row, term.column) = value; break;
    case Kind::quadratic: quadratic_.push_back({term.row, term.column, term.speed, value}); break;
    case Kind::net_weight:
    case Kind::weight: net_weight_ += value; break;
    case Kind::buoyancy: net_weight_ -= value; break;
    case Kind::first_moment: first_moment_[term.row] = value; break;
  }
}

FreeVector VelocityModel::rate(const FreeVector& nu_r, const Vec3& down_b, const FreeVector& tau,
                               FreeMatrix* by_twist) const {
  Vec6 nu = Vec6::Zero();
  nu(free_) = nu_r;
  const Vec3 v = nu.head<3>(), omega = nu.tail<3>();
  const Vec6 momentum = M_ * nu;
  const Vec3 linear = momentum.head<3>(), angular = momentum.tail<3>();
  Vec6 wrench = linear_ * nu;
  wrench.head<3>() += omega.cross(linear) - net_weight_ * down_b;
  wrench.tail<3>() += v.cross(linear) + omega.cross(angular) - first_moment_.cross(down_b);
  for (const Quadratic& q : quadratic_) wrench[q.row] += q.value * std::abs(nu[q.speed]) * nu[q.column];
  if (by_twist) {
    Mat6 by_nu = linear_;
    by_nu.topRows<3>() += skew(omega) * M_.topRows<3>();
    by_nu.bottomRows<3>() += skew(v) * M_.topRows<3>() + skew(omega) * M_.bottomRows<3>();
    by_nu.topRightCorner<3, 3>() -= skew(linear);
    by_nu.bottomLeftCorner<3, 3>() -= skew(linear);
    by_nu.bottomRightCorner<3, 3>() -= skew(angular);
    for (const Quadratic& q : quadratic_) {
      by_nu(q.row, q.column) += q.value * std::abs(nu[q.speed]);
      const double sign = nu[q.speed] > 0 ? 1 : nu[q.speed] < 0 ? -1 : 0;
      by_nu(q.row, q.speed) += q.value * sign * nu[q.column];
    }
    by_twist->noalias() = -M_inverse_ * FreeMatrix(by_nu(free_, free_));
  }
  const FreeVector free_wrench = tau - wrench(free_);
  return M_inverse_ * free_wrench;
}

using Eigen::Index;

Innovations::Innovations(const std::vector<Eigen::MatrixXd>& residuals, const Eigen::VectorXd& most) {
  const Index rows = most.size();
  Eigen::MatrixXd before = least_sigma * least_sigma * Eigen::MatrixXd::Identity(rows, rows), S = before;
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(rows, rows);
  Index count = 0;
  for (const Eigen::MatrixXd& r : residuals) {
    const Index pairs = r.cols() - 1;
    before += r.leftCols(pairs) * r.leftCols(pairs).transpose();
    product += r.rightCols(pairs) * r.leftCols(pairs).transpose();
    count += pairs;
  }
  const Eigen::MatrixXd A = before.ldlt().solve(product.transpose()).transpose();
  for (const Eigen::MatrixXd& r : residuals) {
    const Eigen::MatrixXd fresh = r.rightCols(r.cols() - 1) - A * r.leftCols(r.cols() - 1);
    S += fresh * fresh.transpose() / static_cast<double>(std::max<Index>(1, count - rows));
  }
  const Eigen::VectorXd shrink = most.cwiseQuotient(S.diagonal().cwiseSqrt()).cwiseMin(1);
  S = shrink.asDiagonal() * S * shrink.asDiagonal();
  W_ = S.llt().matrixL().solve(Eigen::MatrixXd::Identity(rows, rows));
  W_A_ = W_ * A;
}

Eigen::MatrixXd Innovations::of(const Eigen::Ref<const Eigen::MatrixXd>& stacked) const {
  const Index rows = W_.rows(), samples = stacked.rows() / rows;
  Eigen::MatrixXd fresh(rows_of(samples), stacked.cols());
  for (Index k = 1; k < samples; ++k) {
    auto out = fresh.middleRows(rows * (k - 1), rows);
    out.noalias() = W_ * stacked.middleRows(rows * k, rows);
    out.noalias() -= W_A_ * stacked.middleRows(rows * (k - 1), rows);
  }
  return fresh;
}

}  // namespace fathom::identify::internal
