#include "fathom/excite/arm/series.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fathom/model/shaft_motion.hpp"

namespace fathom::excite {
namespace {

/// With P = l1 l2: L L' = P sin(phi), L'^2 + L L'' = P cos(phi), 3 L' L'' + L L''' = -P sin(phi).
double lever_bend(const model::ScrewLever& lever, double q) {
  const double phi = lever.sense * q + lever.offset, product = lever.l1 * lever.l2;
  const double length = std::hypot(lever.l1 - lever.l2, 2 * std::sqrt(product) * std::sin(phi / 2));
  const double first = product * std::sin(phi) / length;
  const double second = (product * std::cos(phi) - first * first) / length;
  const double third = (-product * std::sin(phi) - 3 * first * second) / length;
  return lever.ratio * 2 * std::numbers::pi / lever.pitch * lever.sense * third;
}

}  // namespace

void fourier_rows(int harmonics, double period, double t, Eigen::Ref<Eigen::RowVectorXd> value,
                  Eigen::Ref<Eigen::RowVectorXd> rate, Eigen::Ref<Eigen::RowVectorXd> second) {
  value[0] = 1;
  rate[0] = second[0] = 0;
  for (int k = 1; k <= harmonics; ++k) {
    const double w = 2 * std::numbers::pi * k / period, s = std::sin(w * t), c = std::cos(w * t);
    const Eigen::Index i = 2 * k - 1;
    value[i] = s, value[i + 1] = c;
    rate[i] = w * c, rate[i + 1] = -w * s;
    second[i] = -w * w * s, second[i + 1] = -w * w * c;
  }
}

void FourierSeries::at(double t, ArmInstant& instant) const {
  Eigen::RowVectorXd value(coefficients.cols()), rate(coefficients.cols()), second(coefficients.cols());
  fourier_rows(harmonics(), period, t, value, rate, second);
  instant.u = coefficients * value.transpose();
  instant.du = coefficients * rate.transpose();
  instant.ddu = coefficients * second.transpose();
}

MotorCurve motor_curve(const std::optional<model::Transmission>& transmission, double q) {
  if (!transmission) return {q, 1, 0, 0};
  const model::MotorAngle angle = model::motor_angle(*transmission, q);
  const auto* lever = std::get_if<model::ScrewLever>(&*transmission);
  return {angle.angle, angle.ratio, angle.slope, lever ? lever_bend(*lever, q) : 0};
}

void joint_of_shaft(const std::optional<model::Transmission>& transmission, double q_guess, double& u,
                    double& du, double& ddu) {
  if (!transmission) return;
  const model::CoordinateMotion joint = model::joint_motion(*transmission, {u, du, ddu}, q_guess);
  u = joint.position, du = joint.speed, ddu = joint.acceleration;
}

ArmClock::Instant ArmClock::at(double t) const {
  if (lead == 0) return {t, 1, 0};
  const bool is_stopping = t > lead + motion;
  const double x = std::clamp((is_stopping ? end() - t : t) / lead, 0.0, 1.0);
  if (x == 1) return {t - lead, 1, 0};
  // The rate is 3 x^2 - 2 x^3, its integral over the lead half of it.
  const double passed = lead * (x * x * x - 0.5 * x * x * x * x), rate = x * x * (3 - 2 * x);
  const double second = 6 * x * (1 - x) / lead;
  if (is_stopping) return {motion + 0.5 * lead - passed, rate, -second};
  return {passed - 0.5 * lead, rate, second};
}

void pace(const ArmClock::Instant& clock, ArmInstant& instant) {
  instant.ddu = clock.rate * clock.rate * instant.ddu + clock.second * instant.du;
  instant.du *= clock.rate;
}

ArmPath::ArmPath(const model::Arm& arm, ArmSpace space, FourierSeries series)
    : space_(space), series_(std::move(series)) {
  for (const model::Joint& joint : arm.joints()) {
    transmissions_.push_back(joint.actuator ? std::optional(joint.actuator->transmission) : std::nullopt);
    middle_.push_back(model::middle_of_range(joint.limits));
  }
}

void ArmPath::joints_at(double t, ArmInstant& instant) const {
  series_.at(t, instant);
  if (space_ == ArmSpace::joint) return;
  for (std::size_t j = 0; j < size(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    joint_of_shaft(transmissions_[j], middle_[j], instant.u[i], instant.du[i], instant.ddu[i]);
  }
}

void ArmPath::shafts_at(double t, ArmInstant& instant) const {
  series_.at(t, instant);
  if (space_ == ArmSpace::motor) return;
  for (std::size_t j = 0; j < size(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    const MotorCurve curve = motor_curve(transmissions_[j], instant.u[i]);
    const double dq = instant.du[i];
    instant.u[i] = curve.angle;
    instant.du[i] = curve.ratio * dq;
    instant.ddu[i] = curve.ratio * instant.ddu[i] + curve.slope * dq * dq;
  }
}

}  // namespace fathom::excite
