#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "fathom/filter/track.hpp"

namespace fathom::filter::testing {

/// A motion on a clock of 1 ms.
struct Motion {
  static constexpr double h = 1e-3;
  Eigen::Matrix3Xd p_n, v_n, a_n, omega_b, alpha_b;
  std::vector<Quat> q_nb;

  Eigen::Index size() const { return p_n.cols(); }
};

/// Drawn from the smoother's own model: white jerk of these densities, from rest.
Motion white_jerk_motion(double duration, double jerk, double angular_jerk, std::uint64_t seed);

/// Sines in every axis, as an underwater vehicle may move: up to 0.6 m/s and 0.8 rad/s.
Motion wavy_motion(double duration);

/// Samples of a motion at `rate_hz` from `phase` on, with noise; sigma and lever as in Readings.
using Value = std::function<Eigen::VectorXd(const Motion&, Eigen::Index)>;
Readings sampled(const Motion& motion, double rate_hz, double phase, const Eigen::VectorXd& sigma,
                 const Value& value, std::uint64_t seed);

Readings positions(const Motion& motion, double rate_hz, double phase, double sigma, const Vec3& lever_b,
                   std::uint64_t seed);
Readings depths(const Motion& motion, double rate_hz, double phase, double sigma, const Vec3& lever_b,
                std::uint64_t seed);
Readings velocities(const Motion& motion, double rate_hz, double phase, double sigma, const Vec3& lever_b,
                    std::uint64_t seed);
Readings attitudes(const Motion& motion, double rate_hz, double phase, const Vec3& sigma, std::uint64_t seed);
Readings rates(const Motion& motion, double rate_hz, double phase, double sigma, const Vec3& bias_b,
               std::uint64_t seed);

/// The motion's twist in b, and its rate, at time t.
Vec6 twist_at(const Motion& motion, double t);
Vec6 twist_rate_at(const Motion& motion, double t);

}  // namespace fathom::filter::testing
