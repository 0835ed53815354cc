#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "fathom/identify/vehicle/internal/velocity_model.hpp"
#include "fathom/identify/vehicle/output_error.hpp"

namespace fathom::identify::internal {

/// A stretch of a recording that the model runs over from one initial velocity. A Runge-Kutta step is two of
/// the track's, so that its half-way point is a sample. Velocities are compared blurred, as the equation of
/// motion is in a fit: what the smoother took away of quick motion is then missing on both sides.
struct Segment {
  const Mat6X* tau_b = nullptr;  ///< of the recording
  double dt = 0;                 ///< s, of the track
  Eigen::Index first = 0;        ///< the track's sample at which it begins
  Eigen::Index stride = 1;       ///< steps from one compared velocity to the next
  Eigen::VectorXd blur;          ///< weights of the steps around a compared velocity
  bool begins = false;           ///< no shot ends where this one begins
  Eigen::Matrix3Xd down_b;       ///< at the track's samples
  Eigen::VectorXd start;         ///< free velocities over ground at the beginning, as measured
  Eigen::MatrixXd measured;      ///< free velocities x compared samples, blurred
  /// What a current of 1 m/s to the north and to the east adds to the velocity over ground: the compared
  /// samples' free velocities below one another, by two; and at the beginning.
  Eigen::MatrixXd by_current, start_by_current;

  Eigen::Index rows() const { return measured.rows(); }
  Eigen::Index samples() const { return measured.cols(); }
  Eigen::Index steps() const { return (samples() - 1) * stride + blur.size() - 1; }
  /// Compared samples that a step has a weight in, from the first to the last.
  Eigen::Index first_at(Eigen::Index step) const {
    return std::max<Eigen::Index>(0, (step - blur.size() + stride) / stride);
  }
  Eigen::Index last_at(Eigen::Index step) const { return std::min(samples() - 1, step / stride); }
  /// Relative to the water, as measured.
  Eigen::VectorXd measured_start(const Eigen::Vector2d& current_n) const {
    return start - start_by_current * current_n;
  }
};

/// Cuts all usable stretches. `attitude_error_b` as in Nuisance.
std::vector<Segment> make_segments(const model::Structure& structure, std::span<const Recording> recordings,
                                   const OutputErrorOptions& options,
                                   const Vec3& attitude_error_b = Vec3::Zero());

/// What a shot's velocities depend on; pointers, because Ceres has them so.
struct SegmentUnknowns {
  const double* theta;
  const double* delay;      ///< s
  const double* current_n;  ///< m/s north, east
  const double* start;      ///< free velocities relative to the water at the beginning
};

/// Runs the model over a shot: Runge-Kutta 4, the wrench linear between its samples. Its state is the velocity
/// relative to the water, which needs no current: that is only added to what is compared.
class SegmentRunner {
 public:
  SegmentRunner(const model::Structure& structure, const Segment& segment);

  /// Columns of the Jacobian: theta, delay, current, initial velocity.
  static constexpr Eigen::Index current_columns = 2;
  Eigen::Index columns() const { return parameters_ + 1 + current_columns + segment_.rows(); }

  /// `predicted`: free velocities over ground x compared samples. `jacobian`: of the samples below one another,
  /// that of the Runge-Kutta steps themselves. False where the model has no inverse inertia or runs away.
  /// Allocates before the first step only.
  bool run(const SegmentUnknowns& unknowns, Eigen::Ref<Eigen::MatrixXd> predicted, Eigen::MatrixXd* jacobian);

 private:
  void rate(const VelocityModel& model, Eigen::Index at, double lag, const FreeVector& nu_r);
  bool step(const VelocityModel& model, Eigen::Index k, double lag);
  void add(Eigen::Index k, Eigen::Ref<Eigen::MatrixXd> predicted, Eigen::MatrixXd* jacobian) const;

  const model::Structure& structure_;
  const Segment& segment_;
  std::span<const int> free_;
  Eigen::Index parameters_;
  bool sensitive_ = false;
  FreeVector nu_, nu_dot_;
  // Sensitivities of nu by theta, delay and initial velocity: now, at a stage, their rate, and sums of rates.
  Eigen::MatrixXd S_, stage_, S_dot_, sum_, Y_;
};

}  // namespace fathom::identify::internal
