#include "fathom/identify/vehicle/internal/check_motion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fathom/base/constants.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double standard_gravity = 9.81;
/// Of the motion's size: what levers, blur and small errors of mounting may leave.
constexpr double share_of_motion = 0.15;
/// The same where an acceleration is differentiated and gravity is taken off.
constexpr double share_of_acceleration = 0.25;
constexpr double tilt_slack = 0.05;          // rad: biases, and the vehicle's own acceleration over gravity
constexpr double acceleration_slack = 0.03;  // m/s^2
constexpr double velocity_slack = 0.01;      // m/s
constexpr double rate_slack = 0.01;          // rad/s
constexpr Index fewest_times = 100;          // 10 s

/// One comparison: rows that should be the same.
struct Comparison {
  std::string what;
  std::vector<std::string> channels;
  MatrixXd left, right;   ///< blurred alike
  Eigen::VectorXd noise;  ///< of left - right, a number per row
  double share = share_of_motion;
  bool free_offset = false;  ///< a constant difference per row says nothing
};

/// Standard deviation of white noise after a Gaussian blur, and of its slope.
double blurred_noise(const CheckSeries& series, double blur) {
  return series.noise * std::min(1.0, std::sqrt(1 / (2 * std::sqrt(std::numbers::pi) * blur * series.rate_hz)));
}
double slope_noise(const CheckSeries& series, double blur) {
  return series.noise * std::sqrt(1 / (4 * std::sqrt(std::numbers::pi) * blur * blur * blur * series.rate_hz));
}

double mean_of(const Eigen::Ref<const Eigen::RowVectorXd>& row) {
  double sum = 0, count = 0;
  for (Index k = 0; k < row.size(); ++k)
    if (std::isfinite(row[k])) sum += row[k], ++count;
  return count > 0 ? sum / count : 0;
}

PairMisfit judge(Comparison comparison, bool by_time) {
  PairMisfit result{std::move(comparison.what), std::move(comparison.channels), 0, 0, {}};
  MatrixXd& left = comparison.left;
  MatrixXd& right = comparison.right;
  if (by_time) result.by_time = Eigen::VectorXd::Zero(left.cols());
  double differences = 0, sizes = 0;
  for (Index row = 0; row < left.rows(); ++row) {
    Eigen::RowVectorXd difference = left.row(row) - right.row(row);
    if ((difference.array() == difference.array()).count() < fewest_times) continue;
    const auto centred = [](const Eigen::RowVectorXd& x) { return Eigen::RowVectorXd(x.array() - mean_of(x)); };
    if (comparison.free_offset) difference = centred(difference);
    // Neither of two that disagree is known to be right: the size of the motion is their geometric mean.
    const double size =
        std::sqrt(trimmed_mean_square(centred(left.row(row))) * trimmed_mean_square(centred(right.row(row))));
    const double scale =
        std::pow(comparison.noise[row], 2) + std::pow(comparison.share, 2) * std::max(size, 0.0);
    const double square = trimmed_mean_square(difference);
    result.misfit += std::max(0.0, square / scale - 1);
    differences += square, sizes += size;
    if (by_time) result.by_time += (difference.array().square() / scale).matrix().transpose();
  }
  result.size = sizes > 0 ? std::sqrt(differences / sizes) : 0;
  return result;
}

MatrixXd smooth(const MatrixXd& rows) { return blurred_rows(rows, check_blur); }

}  // namespace

double trimmed_mean_square(const Eigen::Ref<const Eigen::RowVectorXd>& row) {
  std::vector<double> squares;
  squares.reserve(static_cast<std::size_t>(row.size()));
  for (Index k = 0; k < row.size(); ++k)
    if (std::isfinite(row[k])) squares.push_back(row[k] * row[k]);
  if (squares.empty()) return 0;
  const auto kept = static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(squares.size() - 1)) + 1;
  std::nth_element(squares.begin(), squares.begin() + kept - 1, squares.end());
  double sum = 0;
  for (std::ptrdiff_t k = 0; k < kept; ++k) sum += squares[static_cast<std::size_t>(k)];
  return sum / static_cast<double>(kept);
}

Mat3 rotation_at(const CheckSeries& attitude, Index k) {
  const auto q = attitude.values.col(k);
  return Quat(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
}

MatrixXd turning_of_attitude(const CheckSeries& attitude) {
  const Index size = attitude.values.cols();
  MatrixXd omega_b = MatrixXd::Constant(3, size, nan);
  for (Index k = 1; k + 1 < size; ++k) {
    const auto a = attitude.values.col(k - 1), b = attitude.values.col(k + 1);
    if (!a.allFinite() || !b.allFinite()) continue;
    const Quat from = Quat(a[0], a[1], a[2], a[3]).normalized(), to = Quat(b[0], b[1], b[2], b[3]).normalized();
    omega_b.col(k) = log_rotation(from.conjugate() * to) / (2 * CheckClock::dt);
  }
  return omega_b;
}

MatrixXd rate_of_body(const CheckMotion& motion) {
  if (motion[Checked::rate].known()) return motion[Checked::rate].values;
  if (motion[Checked::attitude].known()) return turning_of_attitude(motion[Checked::attitude]);
  return {};
}

MatrixXd origin_velocity(const CheckMotion& motion, const MatrixXd& omega_b) {
  const CheckSeries& velocity = motion[Checked::velocity];
  const CheckSeries& position = motion[Checked::position];
  const CheckSeries& attitude = motion[Checked::attitude];
  if (!velocity.known() && !(position.known() && attitude.known())) return {};
  const CheckSeries& source = velocity.known() ? velocity : position;
  MatrixXd v_b = velocity.known() ? velocity.values : slope_of_rows(position.values);
  for (Index k = 0; k < v_b.cols(); ++k) {
    if (!velocity.known()) v_b.col(k) = (rotation_at(attitude, k).transpose() * v_b.col(k)).eval();
    if (omega_b.cols() > 0 && !source.lever_b.isZero(0))
      v_b.col(k) -= Vec3(omega_b.col(k)).cross(source.lever_b);
  }
  return v_b;
}

namespace {

Eigen::VectorXd hypot_of(Index rows, std::initializer_list<double> parts) {
  double sum = 0;
  for (const double part : parts) sum += part * part;
  return Eigen::VectorXd::Constant(rows, std::sqrt(sum));
}

/// The comparisons of docs/sensor-check.md, each where its sensors are known.
class KinematicComparisons {
 public:
  explicit KinematicComparisons(const CheckMotion& motion)
      : motion_(motion), blur_(std::hypot(motion.blur, check_blur)) {
    if (!attitude_.known()) return;
    omega_b_ = turning_of_attitude(attitude_);
    if (!velocity_.known()) return;
    v_b_ = origin_velocity(motion, omega_b_);
    v_n_.resize(3, v_b_.cols());
    for (Index k = 0; k < v_b_.cols(); ++k) v_n_.col(k) = rotation_at(attitude_, k) * v_b_.col(k);
  }

  std::vector<Comparison> all() const {
    std::vector<Comparison> list;
    if (attitude_.known() && rate_.known()) list.push_back(turn_rate());
    if (attitude_.known() && acceleration_.known()) {
      list.push_back(gravity());
      if (velocity_.known()) list.push_back(acceleration());
    }
    if (attitude_.known() && velocity_.known()) {
      if (depth_.known()) list.push_back(vertical_speed());
      if (position_.known()) list.push_back(velocity());
    }
    if (depth_.known() && position_.known()) list.push_back(depth_by_position());
    return list;
  }

 private:
  Comparison turn_rate() const {
    // A quaternion of a small rotation has half of its angle.
    return {"turn rate",
            {attitude_.channel, rate_.channel},
            smooth(omega_b_),
            smooth(rate_.values),
            hypot_of(3, {2 * slope_noise(attitude_, blur_), blurred_noise(rate_, blur_), rate_slack}),
            share_of_motion,
            true};
  }

  /// At rest an accelerometer shows -g: docs/sensors.md. The vehicle's own acceleration averages out.
  Comparison gravity() const {
    constexpr double slow = 1;  // s
    MatrixXd up(3, motion_.clock.size);
    for (Index k = 0; k < up.cols(); ++k) up.col(k) = -rotation_at(attitude_, k).row(2).transpose();
    return {"direction of gravity",
            {attitude_.channel, acceleration_.channel},
            blurred_rows(up, slow),
            blurred_rows(acceleration_.values / standard_gravity, slow),
            hypot_of(3, {tilt_slack})};
  }

  Comparison acceleration() const {
    MatrixXd by_velocity = slope_of_rows(v_b_), by_imu(3, motion_.clock.size);
    for (Index k = 0; k < by_velocity.cols(); ++k) {
      by_velocity.col(k) += Vec3(omega_b_.col(k)).cross(Vec3(v_b_.col(k)));
      by_imu.col(k) =
          acceleration_.values.col(k) + standard_gravity * rotation_at(attitude_, k).row(2).transpose();
    }
    return {"acceleration",
            {velocity_.channel, acceleration_.channel},
            smooth(by_velocity),
            smooth(by_imu),
            hypot_of(3, {slope_noise(velocity_, blur_), blurred_noise(acceleration_, blur_),
                         2 * standard_gravity * blurred_noise(attitude_, blur_), acceleration_slack}),
            share_of_acceleration,
            true};
  }

  Comparison vertical_speed() const {
    return {"vertical speed",
            {velocity_.channel, depth_.channel, attitude_.channel},
            smooth(velocity_at(depth_.lever_b).row(2)),
            smooth(slope_of_rows(depth_.values)),
            hypot_of(1, {slope_noise(depth_, blur_), blurred_noise(velocity_, blur_), velocity_slack}),
            share_of_motion,
            true};
  }

  Comparison velocity() const {
    return {"velocity",
            {velocity_.channel, position_.channel, attitude_.channel},
            smooth(velocity_at(position_.lever_b)),
            smooth(slope_of_rows(position_.values)),
            hypot_of(3, {slope_noise(position_, blur_), blurred_noise(velocity_, blur_), velocity_slack}),
            share_of_motion,
            true};
  }

  Comparison depth_by_position() const {
    return {"vertical speed",
            {depth_.channel, position_.channel},
            smooth(slope_of_rows(depth_.values)),
            smooth(slope_of_rows(position_.values.row(2))),
            hypot_of(1, {slope_noise(depth_, blur_), slope_noise(position_, blur_), velocity_slack}),
            share_of_motion,
            true};
  }

  /// In n: at a lever the velocity of the origin gains omega x lever, as the position does.
  MatrixXd velocity_at(const Vec3& lever_b) const {
    MatrixXd at = v_n_;
    if (!lever_b.isZero(0))
      for (Index k = 0; k < at.cols(); ++k)
        at.col(k) += rotation_at(attitude_, k) * Vec3(omega_b_.col(k)).cross(lever_b);
    return at;
  }

  const CheckMotion& motion_;
  const CheckSeries &attitude_ = motion_[Checked::attitude], &rate_ = motion_[Checked::rate],
                    &acceleration_ = motion_[Checked::acceleration], &velocity_ = motion_[Checked::velocity],
                    &depth_ = motion_[Checked::depth], &position_ = motion_[Checked::position];
  double blur_;
  MatrixXd omega_b_, v_b_, v_n_;
};

}  // namespace

std::vector<PairMisfit> kinematic_misfits(const CheckMotion& motion, bool by_time) {
  std::vector<PairMisfit> pairs;
  for (Comparison& comparison : KinematicComparisons(motion).all())
    pairs.push_back(judge(std::move(comparison), by_time));
  return pairs;
}

}  // namespace fathom::identify::internal
