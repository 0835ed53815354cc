#include "fathom/identify/vehicle/internal/segment_profile.hpp"

#include <algorithm>

#include <Eigen/Cholesky>

#include "fathom/identify/vehicle/internal/scaled_inverse.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;

/// Slopes of what is new in one shot's residuals by what all shots share, the velocity at which this one begins
/// eliminated.
Eigen::MatrixXd profile_of(const Shooting& shooting, const Unknowns& unknowns, std::size_t k,
                           const std::vector<int>& columns) {
  const Segment& segment = shooting.segments[k];
  Eigen::MatrixXd predicted(segment.rows(), segment.samples()), jacobian;
  SegmentRunner(shooting.structure, segment).run(unknowns.of(k), predicted, &jacobian);
  jacobian = shooting.innovations.of(jacobian);
  const Eigen::MatrixXd common = jacobian(Eigen::all, columns), own = jacobian.rightCols(segment.rows());
  return common - own * (own.transpose() * own).ldlt().solve(own.transpose() * common);
}

std::vector<int> common_columns(const Shooting& shooting, const OutputErrorOptions& options) {
  const auto n = static_cast<int>(shooting.structure.size());
  std::vector<int> columns;
  for (int k = 0; k < n; ++k) columns.push_back(k);
  if (options.estimate_delay) columns.push_back(n);
  if (options.estimate_current) columns.insert(columns.end(), {n + 1, n + 2});
  return columns;
}

/// Residuals where the attitude is wrong by one sigma about an axis.
std::vector<std::vector<Eigen::MatrixXd>> by_attitude(const Shooting& shooting,
                                                      std::span<const Recording> recordings,
                                                      const Unknowns& unknowns,
                                                      const OutputErrorOptions& options) {
  std::vector<std::vector<Eigen::MatrixXd>> changes;
  const Vec3 sigma = options.attitude_sigma.value_or(Vec3::Zero());
  for (int axis = 0; axis < 3; ++axis) {
    if (sigma[axis] <= 0) continue;
    const auto turned =
        make_segments(shooting.structure, recordings, options, Vec3(sigma[axis] * Vec3::Unit(axis)));
    changes.push_back(residuals(shooting.structure, turned, unknowns));
  }
  return changes;
}

/// P'r of each sample that has something new.
class Moments {
 public:
  Moments(Index count, Index samples) : values_(Eigen::MatrixXd::Zero(count, samples)) {}

  void add(const Segment& segment, const Eigen::MatrixXd& P, const Eigen::VectorXd& fresh) {
    const Index rows = segment.rows();
    if (segment.begins && at_ > 0) breaks_.push_back(at_);
    for (Index i = 0; i < fresh.size() / rows; ++i, ++at_)
      values_.col(at_).noalias() = P.middleRows(rows * i, rows).transpose() * fresh.segment(rows * i, rows);
    residuals_ += static_cast<double>(fresh.size());
    own_ += static_cast<double>(rows);
  }
  /// Of their sum. The shots' initial velocities take from residuals what they could have been.
  solve::LongRun long_run() const {
    solve::LongRun result = solve::long_run_covariance(values_.leftCols(at_), breaks_);
    result.covariance *= static_cast<double>(at_) * residuals_ / std::max(1.0, residuals_ - own_);
    return result;
  }

 private:
  Eigen::MatrixXd values_;
  std::vector<Index> breaks_;
  Index at_ = 0;
  double residuals_ = 0, own_ = 0;
};

}  // namespace

Unknowns::Unknowns(const Fit& start, const std::vector<Segment>& segments, double most_delay)
    : parameters_(start.theta.size()) {
  Index size = parameters_ + 3;
  for (const Segment& segment : segments) {
    start_.push_back(size);
    size += segment.rows();
  }
  x_.setZero(size);
  theta() = start.theta;
  *delay() = std::clamp(start.nuisance.value.delay, 0.0, most_delay);
  current_n() = start.nuisance.value.current_n.head<2>();
  restart(segments);
}

void Unknowns::restart(const std::vector<Segment>& segments) {
  const Eigen::Vector2d current = current_n();
  for (std::size_t k = 0; k < segments.size(); ++k)
    x_.segment(start_[k], segments[k].rows()) = segments[k].measured_start(current);
}

Index Shooting::samples() const {
  Index sum = 0;
  for (const Segment& segment : segments) sum += segment.samples();
  return sum;
}

std::vector<Eigen::MatrixXd> residuals(const model::Structure& structure, const std::vector<Segment>& segments,
                                       const Unknowns& unknowns) {
  std::vector<Eigen::MatrixXd> all;
  for (std::size_t k = 0; k < segments.size(); ++k) {
    const Segment& segment = segments[k];
    Eigen::MatrixXd r(segment.rows(), segment.samples());
    if (!SegmentRunner(structure, segment).run(unknowns.of(k), r, nullptr))
      reject("start", "is a model that runs away or has no inertia",
             "output error refines a fit; it needs one that is nearly right");
    all.push_back(r - segment.measured);
  }
  return all;
}

double cost(const Shooting& shooting, const Unknowns& unknowns) {
  double sum = 0;
  for (const Eigen::MatrixXd& r : residuals(shooting.structure, shooting.segments, unknowns))
    sum += shooting.innovations.of(r.reshaped()).squaredNorm();
  return 0.5 * sum;
}

ProfileCovariance profile_covariance(const Shooting& shooting, std::span<const Recording> recordings,
                                     const Unknowns& unknowns, const OutputErrorOptions& options) {
  const std::vector<int> columns = common_columns(shooting, options);
  const auto count = static_cast<Index>(columns.size());
  const auto turned = by_attitude(shooting, recordings, unknowns, options);
  const std::vector<Eigen::MatrixXd> r = residuals(shooting.structure, shooting.segments, unknowns);
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(count, count);
  Eigen::MatrixXd shift = Eigen::MatrixXd::Zero(count, static_cast<Index>(turned.size()));
  Moments moments(count, shooting.samples());
  for (std::size_t k = 0; k < shooting.segments.size(); ++k) {
    const Eigen::MatrixXd P = profile_of(shooting, unknowns, k, columns);
    H += P.transpose() * P;
    for (std::size_t axis = 0; axis < turned.size(); ++axis)
      shift.col(static_cast<Index>(axis)) +=
          P.transpose() * shooting.innovations.of((turned[axis][k] - r[k]).reshaped());
    moments.add(shooting.segments[k], P, shooting.innovations.of(r[k].reshaped()));
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
