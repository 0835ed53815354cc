#include "fathom/identify/internal/shot_profile.hpp"

#include <algorithm>

#include <Eigen/Cholesky>

#include "fathom/identify/internal/scaled_inverse.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;

/// Slopes of one shot's residuals, those of the prior below those of its velocities, in sigmas.
struct Slopes {
  Eigen::MatrixXd common, own;
  Eigen::LDLT<Eigen::MatrixXd> own_square;

  Slopes(const Shooting& shooting, const Unknowns& unknowns, std::size_t k, const std::vector<int>& columns) {
    const Shot& shot = shooting.shots[k];
    const Index forces = shot.own() - shot.rows(), size = shot.measured.size();
    Eigen::MatrixXd predicted(shot.rows(), shot.samples()), jacobian;
    ShotRunner(shooting.structure, shot).run(unknowns.of(k), predicted, &jacobian);
    jacobian = shooting.sigma.cwiseInverse().replicate(shot.samples(), 1).asDiagonal() * jacobian;
    common.setZero(size + forces, static_cast<Index>(columns.size()));
    common.topRows(size) = jacobian(Eigen::all, columns);
    own.setZero(size + forces, shot.own());
    own.topRows(size) = jacobian.rightCols(shot.own());
    own.bottomRightCorner(forces, forces) = shooting.prior.whitener(shot);
    own_square.compute(own.transpose() * own);
  }
  /// The common ones, own unknowns eliminated.
  Eigen::MatrixXd profile() const { return common - own * own_square.solve(own.transpose() * common); }
};

std::vector<int> common_columns(const Shooting& shooting, const OutputErrorOptions& options) {
  const auto n = static_cast<int>(shooting.structure.size());
  std::vector<int> columns;
  for (int k = 0; k < n; ++k) columns.push_back(k);
  if (options.estimate_delay) columns.push_back(n);
  if (options.estimate_current) columns.insert(columns.end(), {n + 1, n + 2});
  return columns;
}

/// Of one shot, in sigmas of the prior.
Eigen::VectorXd force_residuals(const Shooting& shooting, const Unknowns& unknowns, std::size_t k) {
  const Shot& shot = shooting.shots[k];
  const Eigen::Map<const Eigen::VectorXd> force(unknowns.of(k).own + shot.rows(), shot.own() - shot.rows());
  return shooting.prior.whitener(shot) * force;
}

/// How residuals change where the attitude is wrong by one sigma about an axis.
std::vector<Eigen::MatrixXd> by_attitude(const Shooting& shooting, std::span<const Recording> recordings,
                                         const Unknowns& unknowns, const OutputErrorOptions& options) {
  std::vector<Eigen::MatrixXd> changes;
  const Eigen::MatrixXd r = residuals(shooting, unknowns);
  for (int axis = 0; axis < 3; ++axis) {
    if (options.attitude_sigma[axis] <= 0) continue;
    const auto turned = make_shots(shooting.structure, recordings, options,
                                   Vec3(options.attitude_sigma[axis] * Vec3::Unit(axis)));
    const Shooting other{shooting.structure, turned, shooting.prior, shooting.sigma};
    changes.push_back(shooting.sigma.cwiseInverse().asDiagonal() * (residuals(other, unknowns) - r));
  }
  return changes;
}

/// P'r of each sample; what the prior says of a node counts with the sample that follows it.
class Moments {
 public:
  Moments(const Shooting& shooting, const Unknowns& unknowns, Index count)
      : shooting_(shooting),
        unknowns_(unknowns),
        r_(shooting.sigma.cwiseInverse().asDiagonal() * residuals(shooting, unknowns)),
        values_(Eigen::MatrixXd::Zero(count, r_.cols())) {}

  void add(std::size_t k, const Eigen::MatrixXd& P) {
    const Shot& shot = shooting_.shots[k];
    const Index rows = shot.rows(), samples = shot.samples();
    if (shot.begins && at_ > 0) breaks_.push_back(at_);
    for (Index i = 0; i < samples; ++i)
      values_.col(at_ + i).noalias() += P.middleRows(rows * i, rows).transpose() * r_.col(at_ + i);
    const Eigen::VectorXd f = force_residuals(shooting_, unknowns_, k);
    for (Index node = 0; node < shot.nodes; ++node) {
      const Index sample = std::min(samples - 1, (node * shot.node_stride + shot.stride - 1) / shot.stride);
      values_.col(at_ + sample).noalias() +=
          P.middleRows(rows * (samples + node), rows).transpose() * f.segment(rows * node, rows);
    }
    at_ += samples;
    residuals_ += static_cast<double>(P.rows());
    own_ += static_cast<double>(shot.own());
  }
  Index at() const { return at_; }
  /// Of their sum. The shots' own unknowns take from residuals what they could have been.
  solve::LongRun long_run() const {
    solve::LongRun result = solve::long_run_covariance(values_, breaks_);
    result.covariance *= static_cast<double>(r_.cols()) * residuals_ / std::max(1.0, residuals_ - own_);
    return result;
  }

 private:
  const Shooting& shooting_;
  const Unknowns& unknowns_;
  Eigen::MatrixXd r_, values_;
  std::vector<Index> breaks_;
  Index at_ = 0;
  double residuals_ = 0, own_ = 0;
};

}  // namespace

Unknowns::Unknowns(const Fit& start, const std::vector<Shot>& shots, double most_delay)
    : parameters_(start.theta.size()) {
  Index size = parameters_ + 3;
  for (const Shot& shot : shots) {
    own_.push_back(size);
    size += shot.own();
  }
  x_.setZero(size);
  theta() = start.theta;
  *delay() = std::clamp(start.nuisance.supposition.delay, 0.0, most_delay);
  current_n() = start.nuisance.supposition.current_n.head<2>();
  restart(shots);
}

void Unknowns::restart(const std::vector<Shot>& shots) {
  const Eigen::Vector2d current = current_n();
  x_.tail(x_.size() - parameters_ - 3).setZero();
  for (std::size_t k = 0; k < shots.size(); ++k)
    x_.segment(own_[k], shots[k].rows()) = shots[k].measured_start(current);
}

Index Shooting::samples() const {
  Index sum = 0;
  for (const Shot& shot : shots) sum += shot.samples();
  return sum;
}

Eigen::MatrixXd residuals(const Shooting& shooting, const Unknowns& unknowns) {
  Eigen::MatrixXd r(shooting.shots.front().rows(), shooting.samples());
  Index at = 0;
  for (std::size_t k = 0; k < shooting.shots.size(); ++k) {
    const Shot& shot = shooting.shots[k];
    auto columns = r.middleCols(at, shot.samples());
    if (!ShotRunner(shooting.structure, shot).run(unknowns.of(k), columns, nullptr))
      refuse("start", "is a model that runs away or has no inertia",
             "output error refines a fit; it needs one that is nearly right");
    columns -= shot.measured;
    at += shot.samples();
  }
  return r;
}

double cost(const Shooting& shooting, const Unknowns& unknowns) {
  double sum = (shooting.sigma.cwiseInverse().asDiagonal() * residuals(shooting, unknowns)).squaredNorm();
  for (std::size_t k = 0; k < shooting.shots.size(); ++k)
    sum += force_residuals(shooting, unknowns, k).squaredNorm();
  return 0.5 * sum;
}

Eigen::VectorXd degrees_of_freedom(const Shooting& shooting, const Unknowns& unknowns) {
  const Index rows = shooting.shots.front().rows();
  Eigen::VectorXd degrees = Eigen::VectorXd::Constant(rows, static_cast<double>(shooting.samples()));
  for (std::size_t k = 0; k < shooting.shots.size(); ++k) {
    const Slopes slopes(shooting, unknowns, k, {});
    const Eigen::MatrixXd share = slopes.own_square.solve(slopes.own.transpose());
    for (Index i = 0; i < shooting.shots[k].measured.size(); ++i)
      degrees[i % rows] -= slopes.own.row(i).dot(share.col(i));
  }
  return degrees;
}

ProfileCovariance profile_covariance(const Shooting& shooting, std::span<const Recording> recordings,
                                     const Unknowns& unknowns, const OutputErrorOptions& options) {
  const std::vector<int> columns = common_columns(shooting, options);
  const auto count = static_cast<Index>(columns.size());
  const std::vector<Eigen::MatrixXd> changes = by_attitude(shooting, recordings, unknowns, options);
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(count, count);
  Eigen::MatrixXd shift = Eigen::MatrixXd::Zero(count, static_cast<Index>(changes.size()));
  Moments moments(shooting, unknowns, count);
  for (std::size_t k = 0; k < shooting.shots.size(); ++k) {
    const Eigen::MatrixXd P = Slopes(shooting, unknowns, k, columns).profile();
    H += P.transpose() * P;
    const Index samples = shooting.shots[k].samples();
    for (std::size_t axis = 0; axis < changes.size(); ++axis)
      shift.col(static_cast<Index>(axis)) += P.topRows(shooting.shots[k].measured.size()).transpose() *
                                             changes[axis].middleCols(moments.at(), samples).reshaped();
    moments.add(k, P);
  }
  const solve::LongRun long_run = moments.long_run();
  Eigen::MatrixXd S = long_run.covariance;
  if (options.estimate_current) {
    const double information = 1 / (options.current_sigma * options.current_sigma);
    H.diagonal().tail<2>().array() += information;
    S.diagonal().tail<2>().array() += information;
  }
  const Eigen::MatrixXd white = scaled_inverse(H);
  return {white * (S + shift * shift.transpose()) * white, white, long_run.bandwidth};
}

}  // namespace fathom::identify::internal
