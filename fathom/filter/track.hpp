#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fathom/geometry/types.hpp"

namespace fathom::filter {

/// Samples of one instrument, on its own clock.
struct Readings {
  std::vector<double> t;        ///< s, when it was measured; never falling
  Eigen::MatrixXd values;       ///< a column per sample; a column with NaN is no sample
  Eigen::VectorXd sigma;        ///< of one sample, by row (attitude: of the small rotation in body axes)
  Vec3 lever_b = Vec3::Zero();  ///< m, the point of the body that it measures; Nielsen 2019, eqs. 6.5 to 6.7
  /// Covariance of an error that all samples share, by row (attitude: a small rotation in body axes; rate: a
  /// misalignment of its axes); empty: there is none. A gyro's bias is unknown besides.
  Eigen::MatrixXd bias_covariance = {};
  double heading_bias_sigma = 0;  ///< rad: the same of an attitude, about the vertical
};

/// What was measured of a motion. Any of it may be empty, but there must be an attitude, and position or
/// velocity.
struct Measurements {
  std::vector<Readings> position;  ///< 3 rows: p_n of the lever's point [m]
  std::vector<Readings> attitude;  ///< 4 rows: q_nb, w first
  std::vector<Readings> rate;      ///< 3 rows: omega_b [rad/s], with an unknown constant bias each
  std::vector<Readings> depth;     ///< 1 row [m]: of the lever's point
  std::vector<Readings> velocity;  ///< 3 rows: v_b [m/s] of the lever's point, over ground
  /// 3 rows: specific force in b [m/s^2] of the lever's point. It only shows constant errors of the attitude.
  std::vector<Readings> force;
};

/// The motion of a body on one even clock, as a smoother saw it.
struct Track {
  double t0 = 0, dt = 0;       ///< s
  Eigen::Matrix3Xd p_nb_n;     ///< m
  Eigen::Matrix4Xd q_nb;       ///< x y z w, as Eigen stores them
  Mat6X nu_b, nu_dot_b;        ///< twist in b over ground and its rate
  Mat6X nu_sigma_b;            ///< standard deviation of nu_b, as the smoother believes
  std::vector<char> measured;  ///< 0 in gaps longer than SmootherOptions::longest_gap

  Eigen::Index size() const { return nu_b.cols(); }
  double t(Eigen::Index k) const { return t0 + dt * static_cast<double>(k); }
  Quat attitude(Eigen::Index k) const { return Quat(q_nb.col(k)); }
};

struct SmootherOptions {
  double dt = 0.02;                    ///< s, of the track
  std::optional<double> jerk;          ///< m/s^3 sqrt(s): density of white jerk; by likelihood where absent
  std::optional<double> angular_jerk;  ///< rad/s^3 sqrt(s): likewise
  double longest_gap = 0.5;            ///< s without attitude or position beyond which a track is not measured
  double outlier = 4;                  ///< sigmas of the innovation beyond which a sample is left out
};

/// An error that all samples of a series share: estimated from the log, and taken out of the track.
struct ConstantError {
  std::string series;                         ///< such as "attitude 0"
  Eigen::VectorXd value, sigma, prior_sigma;  ///< by row; of an attitude x, y, z in b [rad], and heading [rad]
};

/// How much two or more series say of each other's constant errors.
struct Relation {
  std::vector<std::string> series;     ///< such as "velocity 0" and "depth 0"
  std::size_t used = 0, outliers = 0;  ///< residuals
  bool has_too_many_outliers = false;  ///< the relation was left out: its series contradict each other
};

/// A track and what it came from.
struct Smoothed {
  Track track;
  double jerk = 0, angular_jerk = 0;  ///< densities used
  /// The likeliest density is an end of the range: nothing moved, or sigmas are far too large or too small.
  bool jerk_at_limit = false, angular_jerk_at_limit = false;
  std::vector<Vec3> rate_bias_b;  ///< rad/s, one per rate series
  struct Count {
    std::string name;  ///< such as "position 0"
    std::size_t used = 0, missing = 0, outliers = 0;
    std::size_t believed = 0;   ///< outliers that were used, for they are more than a fifth of the series
    double innovation_rms = 0;  ///< in sigmas: 1 where the stated sigmas are right
  };
  std::vector<Count> counts;
  double log_likelihood = 0;
  std::vector<ConstantError> constant_errors;
  std::vector<Relation> relations;  ///< from which the constant errors were estimated
  /// rad, about the axes of b: what is left of the attitude's constant error, as a standard deviation.
  Vec3 attitude_error_sigma_b = Vec3::Zero();
};

/// Returns the measurements without those errors, and with no more of them to estimate.
Measurements without(const std::vector<ConstantError>& errors, Measurements measurements);

/// Kalman filter forward and Rauch-Tung-Striebel smoother backward (docs/filters.md), for attitude first and
/// then for position with the attitude known: white jerk drives both. Constant errors of the sensors are
/// estimated before, from what the sensors say of each other. Throws InputError where there is nothing
/// to smooth (no attitude, neither position nor velocity, fewer samples than states).
Smoothed smooth(const Measurements& measurements, const SmootherOptions& options = {});

}  // namespace fathom::filter
