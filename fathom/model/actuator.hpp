#pragma once
#include <optional>
#include <string>
#include <variant>

#include "fathom/base/error.hpp"

namespace fathom::model {

/// The motor turns `ratio` times as far as the joint; a negative one turns it the other way round.
struct Gear {
  double ratio = 1;
  bool operator==(const Gear&) const = default;
};

/// A motor turns a ball-screw whose length is the third side of a triangle with the joint at one corner: sides
/// l1 and l2, the angle between them sense q + offset. Leborne et al. 2018, Fig. 2 and eqs. 3 to 7, corrected
/// (docs/arms.md): the screw moves by pitch / 2 pi for a radian.
struct ScrewLever {
  double ratio = 1;       ///< turns of the motor per turn of the screw
  double pitch = 0;       ///< m, of the screw per turn
  double l1 = 0, l2 = 0;  ///< m
  double offset = 0;      ///< rad, the triangle's angle at q = 0
  double sense = 1;       ///< 1 or -1
  bool operator==(const ScrewLever&) const = default;
};

using Transmission = std::variant<Gear, ScrewLever>;

/// q_m(q) of a transmission, and what follows from it: q_m' = ratio dq, q_m'' = ratio ddq + slope dq^2.
struct MotorAngle {
  double angle;  ///< rad, of the shaft; 0 at q = 0
  double ratio;  ///< d q_m / d q
  double slope;  ///< d ratio / d q
};
MotorAngle motor_angle(const Transmission& transmission, double q);
/// The joint coordinate at a shaft angle, near `q_guess`. NaN where no joint coordinate has it.
double joint_at(const Transmission& transmission, double q_m, double q_guess);

/// What keeps a transmission from moving a joint from q_min to q_max: a triangle that does not close or whose
/// lever has no arm, said with the angle, numbers that cannot be. `key` is that of the actuator.
Findings check_transmission(const Transmission& transmission, double q_min, double q_max,
                            const std::string& key);

/// A motor with what turns with it. Current in, torque on the shaft out: k_t i - J q_m'' - f_v q_m' - f_c
/// sign(q_m'). The mass that a screw moves is in J by (pitch / (2 pi ratio))^2, its friction likewise: motion
/// cannot tell them apart (Leborne et al. 2018, eqs. 16 and 17).
struct JointMotor {
  double k_t = 1;      ///< N m/A
  double inertia = 0;  ///< kg m^2
  double viscous = 0;  ///< N m s
  double coulomb = 0;  ///< N m
  bool operator==(const JointMotor&) const = default;
};

struct Actuator {
  Transmission transmission;
  JointMotor motor;
  std::optional<double> current;       ///< A, the most in either direction
  std::optional<double> speed;         ///< rad/s of the shaft, likewise
  std::optional<double> acceleration;  ///< rad/s^2 of the shaft, likewise
  std::optional<double> increments;    ///< per turn of the shaft, of its counter
  std::string source;
  bool assumed = false;
};

}  // namespace fathom::model
