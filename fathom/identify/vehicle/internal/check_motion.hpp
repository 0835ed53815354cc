#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "fathom/identify/vehicle/internal/check_grid.hpp"

namespace fathom::identify::internal {

/// Sensors that are compared: the first of each kind.
enum class Checked : std::size_t { attitude, rate, acceleration, velocity, depth, position, count };

/// Commands on the clock: forces of thrusters, or a wrench, before any delay.
struct CheckCommands {
  std::string channel;
  std::vector<std::string> thrusters;  ///< empty where the log has a wrench
  Eigen::MatrixXd inputs;              ///< N, a row per thruster; or the wrench, six rows
  Eigen::MatrixXd to_rate;             ///< 6 x inputs: twist rate per input, by the masses of the robot file
  double lag = 0;                      ///< s, that the robot file states for the thrusters

  bool known() const { return inputs.cols() > 0; }
};

/// What the sensors of one vehicle show on one clock.
struct CheckMotion {
  CheckClock clock;
  std::array<CheckSeries, static_cast<std::size_t>(Checked::count)> series;
  CheckCommands commands;
  double blur = 0.15;  ///< s, of the samples on the clock

  CheckSeries& operator[](Checked kind) { return series[static_cast<std::size_t>(kind)]; }
  const CheckSeries& operator[](Checked kind) const { return series[static_cast<std::size_t>(kind)]; }
};

/// How well two or three sensors agree.
struct PairMisfit {
  std::string what;                   ///< such as "turn rate"
  std::vector<std::string> channels;  ///< that the comparison rests on; the first two disagree
  double misfit = 0;                  ///< sum over axes of what is beyond noise and model error; 0: they agree
  double size = 0;                    ///< rms of the difference over that of the motion
  Eigen::VectorXd by_time;            ///< the same per time, for clocks; NaN where there is no sample
};

/// Compares the sensors with each other by kinematics. Squared differences are taken relative to the noise of
/// the sensors and a share of the motion's size, which stands for what the comparison neglects.
std::vector<PairMisfit> kinematic_misfits(const CheckMotion& motion, bool by_time = false);

/// Returns the rates about the body's axes by the attitude, and its matrices.
Eigen::MatrixXd turning_of_attitude(const CheckSeries& attitude);
Mat3 rotation_at(const CheckSeries& attitude, Eigen::Index k);

/// Velocity of the body's origin, in b; turning rates in b: of the gyro, or else of the attitude.
Eigen::MatrixXd origin_velocity(const CheckMotion& motion, const Eigen::MatrixXd& omega_b);
Eigen::MatrixXd rate_of_body(const CheckMotion& motion);

/// s, of the second blur, that makes slopes of noisy samples useful.
inline constexpr double check_blur = 0.35;

/// Mean of squares of a row without its largest 2 percent; NaN counts as nothing.
double trimmed_mean_square(const Eigen::Ref<const Eigen::RowVectorXd>& row);

}  // namespace fathom::identify::internal
