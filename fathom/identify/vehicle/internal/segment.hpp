#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "fathom/geometry/types.hpp"
#include "fathom/identify/vehicle/output_error.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::identify::internal {

/// What is new in each sample of a shot's residuals, r_t - A r_t-1, in sigmas: docs/identification.md eq. 21.
/// Where the model lacks a force, residuals remember it; and where a controller answers to that force, only
/// what is new in them is independent of the wrench (Ljung 1999, ch. 13).
class Innovations {
 public:
  /// A and the sigmas by least squares from the residuals of shots, a row for each velocity and a column for
  /// each sample. No sigma is above `most`: a velocity that is predicted badly would weigh nothing, and its
  /// equation be spent on the others.
  Innovations(const std::vector<Eigen::MatrixXd>& residuals, const Eigen::VectorXd& most);

  /// How many a shot of so many samples has, in rows: the first sample has none.
  Eigen::Index rows_of(Eigen::Index samples) const { return W_.rows() * (samples - 1); }
  /// `stacked`: samples below one another, in any number of columns.
  Eigen::MatrixXd of(const Eigen::Ref<const Eigen::MatrixXd>& stacked) const;

 private:
  Eigen::MatrixXd W_, W_A_;  // W'W is the inverse of their covariance
};

/// Of the free velocities only; on the stack.
using FreeVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
using FreeMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

/// The equation of motion with the terms of a structure and nothing else, solved for the rate:
/// nu_r_dot = M^-1 (tau - Y(nu_r, 0) theta), docs/model.md eqs. 16 to 18. Unlike dynamics::Vehicle it needs no
/// robot, so that a solver can make one for any theta. rate() does not allocate.
class VelocityModel {
 public:
  VelocityModel(const model::Structure& structure, const double* theta);

  bool can_run() const { return M_inverse_.allFinite(); }
  const FreeMatrix& M_inverse() const { return M_inverse_; }
  /// `by_twist`: its derivative by nu_r.
  FreeVector rate(const FreeVector& nu_r, const Vec3& down_b, const FreeVector& tau,
                  FreeMatrix* by_twist = nullptr) const;

 private:
  struct Quadratic {
    int row, column, speed;
    double value;
  };
  void set(const model::Term& term, double value);

  std::span<const int> free_;
  Mat6 M_ = Mat6::Zero(), linear_ = Mat6::Zero();
  std::vector<Quadratic> quadratic_;
  double net_weight_ = 0;
  Vec3 first_moment_ = Vec3::Zero();
  FreeMatrix M_inverse_;
};

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
