#pragma once
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "fathom/model/arm.hpp"

namespace fathom::excite {

/// Which coordinate of a joint is a Fourier series: its own, or the shaft angle of its motor (of the joint
/// itself where it has none). A lever between them bends one against the other.
enum class ArmSpace { joint, motor };

/// A motion of all joints at one instant, or of their shafts.
struct ArmInstant {
  Eigen::VectorXd u, du, ddu;
};

/// A periodic motion: for each coordinate c_0 + sum_k a_k sin(k w t) + b_k cos(k w t), w = 2 pi / period
/// (Swevers et al. 1997; docs/arm-excitation.md eq. 1).
struct FourierSeries {
  double period = 1;             ///< s
  Eigen::MatrixXd coefficients;  ///< a row for each coordinate: c_0, a_1, b_1, a_2, ...

  int harmonics() const { return static_cast<int>((coefficients.cols() - 1) / 2); }
  void at(double t, ArmInstant& instant) const;
};

/// What the functions that belong to the coefficients are at `t`, with first and second derivative.
void fourier_rows(int harmonics, double period, double t, Eigen::Ref<Eigen::RowVectorXd> value,
                  Eigen::Ref<Eigen::RowVectorXd> rate, Eigen::Ref<Eigen::RowVectorXd> second);

/// q_m(q) of a transmission to its third derivative, at the joint coordinate; the identity where there is none.
struct MotorCurve {
  double angle, ratio, slope, bend;  ///< q_m and its derivatives by q
};
MotorCurve motor_curve(const std::optional<model::Transmission>& transmission, double q);

/// A series in the space that it is written in, seen in the other.
class ArmPath {
 public:
  ArmPath(const model::Arm& arm, ArmSpace space, FourierSeries series);

  std::size_t size() const { return transmissions_.size(); }
  ArmSpace space() const { return space_; }
  const FourierSeries& series() const { return series_; }
  void joints_at(double t, ArmInstant& instant) const;
  /// Shafts; a joint without a motor is its own.
  void shafts_at(double t, ArmInstant& instant) const;

 private:
  ArmSpace space_;
  FourierSeries series_;
  std::vector<std::optional<model::Transmission>> transmissions_;
  std::vector<double> middle_;  // of the joints' ranges: the side on which a triangle stands
};

/// From rest onto a periodic motion, and from it to rest: time itself starts and stops, each over `lead` s, so
/// that the path stays the same and no speed is larger than on it; docs/arm-excitation.md eq. 9.
struct ArmClock {
  double lead = 0;    ///< s; 0: the motion as it is, at any time
  double motion = 0;  ///< s of it, at its own pace, between start and stop

  double end() const { return motion + 2 * lead; }
  /// The motion's own time at `t` from the start, with derivatives.
  struct Instant {
    double time, rate, second;
  };
  Instant at(double t) const;
};
/// Speeds and accelerations of an instant on the path, passed at the clock's pace.
void pace(const ArmClock::Instant& clock, ArmInstant& instant);

/// From shaft to joint, q near `q_guess`: q' = q_m' / ratio, q'' = (q_m'' - slope q'^2) / ratio.
void joint_of_shaft(const std::optional<model::Transmission>& transmission, double q_guess, double& u,
                    double& du, double& ddu);

}  // namespace fathom::excite
