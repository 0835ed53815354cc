#include "fathom/identify/internal/shot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "fathom/dynamics/regressor.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/identify/internal/replay.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;

/// A shot from sample `first` on, filled in.
Shot make_shot(const model::Structure& structure, const Recording& recording, Index first, Index samples,
               Index stride, const Vec3& attitude_error_b) {
  const auto free = model::free_indices(structure.dof);
  const auto rows = static_cast<Index>(free.size());
  const Quat correction = exp_rotation(-attitude_error_b);
  Shot shot;
  shot.tau_b = &recording.tau_b;
  shot.dt = recording.track.dt;
  shot.first = first;
  shot.stride = stride;
  shot.measured.resize(rows, samples);
  shot.by_current.resize(rows * samples, 2);
  shot.down_b.resize(3, 2 * shot.steps() + 1);
  for (Index k = 0; k < shot.down_b.cols(); ++k)
    shot.down_b.col(k) = structure.dof == model::Dof::six
                             ? (recording.track.attitude(first + k) * correction).conjugate() * Vec3::UnitZ()
                             : Vec3::UnitZ();
  for (Index sample = 0; sample < samples; ++sample) {
    const Index k = first + 2 * stride * sample;
    Vec6 nu = recording.track.nu_b.col(k);
    nu.head<3>() = correction.conjugate() * Vec3(nu.head<3>());
    shot.measured.col(sample) = nu(free);
    Eigen::Matrix<double, 6, 2> by_current = Eigen::Matrix<double, 6, 2>::Zero();
    by_current.topRows<3>() =
        (recording.track.attitude(k) * correction).conjugate().toRotationMatrix().leftCols<2>();
    shot.by_current.middleRows(rows * sample, rows) = by_current(free, Eigen::all);
  }
  return shot;
}

void add_nodes(Shot& shot, double every) {
  if (every <= 0) return;
  shot.node_stride = std::max<Index>(1, std::lround(every / (2 * shot.dt)));
  shot.nodes = (shot.steps() + shot.node_stride - 1) / shot.node_stride + 1;
}

}  // namespace

std::vector<Shot> make_shots(const model::Structure& structure, std::span<const Recording> recordings,
                             const OutputErrorOptions& options, const Vec3& attitude_error_b) {
  std::vector<Shot> shots;
  for (const Recording& recording : recordings) {
    const double step = 2 * recording.track.dt;
    const Index stride = std::max<Index>(1, std::lround(options.every / step));
    const double spacing = step * static_cast<double>(stride);
    // Commands of a delay ago must be in the log.
    const auto earliest = static_cast<Index>(std::ceil(options.most_delay / recording.track.dt)) + 1;
    const auto& usable = recording.usable;
    for (auto begin = std::find(usable.begin(), usable.end(), 1); begin != usable.end();) {
      const auto end = std::find(begin, usable.end(), 0);
      Index first = std::max<Index>(begin - usable.begin(), earliest);
      const Index room = std::max<Index>(0, (end - usable.begin() - 1 - first) / (2 * stride));
      const auto count = std::max<Index>(1, std::lround(static_cast<double>(room) * spacing / options.shot));
      const Index samples = room / count;
      const bool long_enough = static_cast<double>(samples) * spacing >= options.least_shot && samples > 1;
      for (Index number = 0; long_enough && number < count; ++number, first += 2 * stride * samples) {
        shots.push_back(make_shot(structure, recording, first, samples, stride, attitude_error_b));
        shots.back().begins = number == 0;
        add_nodes(shots.back(), options.node_every);
      }
      begin = std::find(end, usable.end(), 1);
    }
  }
  return shots;
}

ShotRunner::ShotRunner(const model::Structure& structure, const Shot& shot)
    : structure_(structure),
      shot_(shot),
      free_(model::free_indices(structure.dof)),
      parameters_(static_cast<Index>(structure.size())) {}

/// At a sample of the track, counted from the shot's first.
FreeVector ShotRunner::unexplained_at(Index at) const {
  const Index rows = shot_.rows();
  if (shot_.nodes == 0) return FreeVector::Zero(rows);
  const Eigen::Map<const Eigen::MatrixXd> at_nodes(unexplained_, rows, shot_.nodes);
  const double share = share_of(at);
  return (1 - share) * at_nodes.col(node_) + share * at_nodes.col(node_ + 1);
}

double ShotRunner::share_of(Index at) const {
  return static_cast<double>(at) / static_cast<double>(2 * shot_.node_stride) - static_cast<double>(node_);
}

void ShotRunner::rate(const VelocityModel& model, Index at, double lag, const FreeVector& nu_r) {
  const Mat6X& tau_b = *shot_.tau_b;
  const double place = static_cast<double>(shot_.first + at) - lag;
  const Index k = std::clamp<Index>(static_cast<Index>(std::floor(place)), 0, tau_b.cols() - 2);
  const Vec6 rise = tau_b.col(k + 1) - tau_b.col(k);
  const Vec6 tau = tau_b.col(k) + (place - static_cast<double>(k)) * rise;
  const Vec3 down_b = shot_.down_b.col(at);
  FreeMatrix by_twist(nu_r.size(), nu_r.size());
  const FreeVector explained = model.rate(nu_r, down_b, tau(free_), sensitive_ ? &by_twist : nullptr);
  nu_dot_ = explained + unexplained_at(at);
  if (!sensitive_) return;
  dynamics::Motion motion;
  motion.nu_r_b(free_) = nu_r;
  motion.nu_r_dot_b(free_) = explained;
  motion.down_b = down_b;
  dynamics::regressor(structure_, motion, Y_);
  const FreeVector tau_by_delay = rise(free_) / -shot_.dt;
  const Index rows = shot_.rows();
  S_dot_.leftCols(active_).noalias() = by_twist * stage_.leftCols(active_);
  S_dot_.leftCols(parameters_).noalias() -= model.M_inverse() * Y_;  // docs/model.md eq. 21
  S_dot_.col(parameters_).noalias() += model.M_inverse() * tau_by_delay;
  if (shot_.nodes == 0) return;
  const double share = share_of(at);
  S_dot_.middleCols(active_ - 2 * rows, rows).diagonal().array() += 1 - share;
  S_dot_.middleCols(active_ - rows, rows).diagonal().array() += share;
}

bool ShotRunner::step(const VelocityModel& model, Index k, double lag) {
  constexpr std::array<Index, 4> sample = {0, 1, 1, 2};
  constexpr std::array<double, 4> weight = {1, 2, 2, 1}, next = {0.5, 0.5, 1, 0};
  const double h = 2 * shot_.dt;
  node_ = k / shot_.node_stride;
  active_ = parameters_ + 1 + shot_.rows() * (shot_.nodes > 0 ? node_ + 3 : 1);
  FreeVector nu_r = nu_, nu_sum = FreeVector::Zero(nu_.size());
  if (sensitive_) {
    stage_.leftCols(active_) = S_.leftCols(active_);
    sum_.leftCols(active_).setZero();
  }
  for (std::size_t i = 0; i < 4; ++i) {
    rate(model, 2 * k + sample[i], lag, nu_r);
    nu_sum += weight[i] * nu_dot_;
    nu_r = nu_ + h * next[i] * nu_dot_;
    if (!sensitive_) continue;
    sum_.leftCols(active_) += weight[i] * S_dot_.leftCols(active_);
    stage_.leftCols(active_) = S_.leftCols(active_) + h * next[i] * S_dot_.leftCols(active_);
  }
  nu_ += h / 6 * nu_sum;
  if (sensitive_) S_.leftCols(active_) += h / 6 * sum_.leftCols(active_);
  return nu_.cwiseAbs().maxCoeff() < runaway && nu_.allFinite();
}

void ShotRunner::compare(Index sample, const ShotUnknowns& unknowns, Eigen::Ref<Eigen::MatrixXd> predicted,
                         Eigen::MatrixXd* jacobian) const {
  const Index rows = shot_.rows(), at = rows * sample;
  predicted.col(sample) = nu_;
  for (Index axis = 0; axis < 2; ++axis)
    predicted.col(sample) += shot_.by_current.col(axis).segment(at, rows) * unknowns.current_n[axis];
  if (!jacobian) return;
  jacobian->block(at, 0, rows, parameters_ + 1) = S_.leftCols(parameters_ + 1);
  jacobian->block(at, parameters_ + 1, rows, current_columns) = shot_.by_current.middleRows(at, rows);
  jacobian->block(at, parameters_ + 1 + current_columns, rows, shot_.own()) = S_.rightCols(shot_.own());
}

bool ShotRunner::run(const ShotUnknowns& unknowns, Eigen::Ref<Eigen::MatrixXd> predicted,
                     Eigen::MatrixXd* jacobian) {
  const VelocityModel model(structure_, unknowns.theta);
  if (!model.can_run()) return false;
  const Index rows = shot_.rows();
  sensitive_ = jacobian != nullptr;
  nu_ = Eigen::Map<const Eigen::VectorXd>(unknowns.own, rows);
  unexplained_ = unknowns.own + rows;
  if (sensitive_) {
    jacobian->resize(rows * shot_.samples(), columns());
    S_.setZero(rows, parameters_ + 1 + shot_.own());
    S_.middleCols(parameters_ + 1, rows).setIdentity();
    Y_.resize(rows, parameters_);
    for (Eigen::MatrixXd* scratch : {&stage_, &S_dot_, &sum_}) scratch->resizeLike(S_);
  }
  const double lag = *unknowns.delay / shot_.dt;
  for (Index k = 0; k < shot_.steps(); ++k) {
    if (k % shot_.stride == 0) compare(k / shot_.stride, unknowns, predicted, jacobian);
    if (!step(model, k, lag)) return false;
  }
  compare(shot_.samples() - 1, unknowns, predicted, jacobian);
  return true;
}

}  // namespace fathom::identify::internal
