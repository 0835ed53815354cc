#include "fathom/model/actuator.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"

namespace fathom::model {
namespace {

using std::numbers::pi;

/// rad that a triangle keeps from lying flat: there its lever has no arm, and within a degree of it so little
/// that a current's torque is anybody's guess.
constexpr double flat_margin = degree;
/// Beyond these a number of a transmission is a slip of units.
constexpr double largest_in_transmission = 1e12, smallest_in_transmission = 1e-12;

/// The third side of the triangle, as (l1 - l2)^2 + 4 l1 l2 sin(phi / 2)^2: nothing cancels where it is short.
double screw_length(const ScrewLever& lever, double phi) {
  return std::hypot(lever.l1 - lever.l2, 2 * std::sqrt(lever.l1 * lever.l2) * std::sin(phi / 2));
}

double shaft_per_length(const ScrewLever& lever) { return lever.ratio * 2 * pi / lever.pitch; }

MotorAngle angle_of(const Gear& gear, double q) { return {gear.ratio * q, gear.ratio, 0}; }

/// q_p^2 = l1^2 + l2^2 - 2 l1 l2 cos(phi): its first derivative is the lever's arm, l2 sin(alpha) of Leborne et
/// al. 2019, eq. 4.
MotorAngle angle_of(const ScrewLever& lever, double q) {
  const double phi = lever.sense * q + lever.offset, length = screw_length(lever, phi);
  const double product = lever.l1 * lever.l2, arm = product * std::sin(phi) / length;
  const double gain = shaft_per_length(lever);
  return {gain * (length - screw_length(lever, lever.offset)), gain * lever.sense * arm,
          gain * (product * std::cos(phi) - arm * arm) / length};
}

double joint_of(const Gear& gear, double q_m, double /*q_guess*/) { return q_m / gear.ratio; }

double joint_of(const ScrewLever& lever, double q_m, double q_guess) {
  const double length = screw_length(lever, lever.offset) + q_m / shaft_per_length(lever);
  const double shortest = std::abs(lever.l1 - lever.l2), longest = lever.l1 + lever.l2;
  const double slack = 1e-12 * longest;  // what rounding makes of a triangle that lies flat
  if (!(length >= shortest - slack && length <= longest + slack)) return std::nan("");
  // Half the angle by its tangent, well conditioned where the cosine's inverse is not.
  const double above = std::sqrt(std::max(0.0, (length - shortest) * (length + shortest)));
  const double below = std::sqrt(std::max(0.0, (longest - length) * (longest + length)));
  const double phi = 2 * std::atan2(above, below), guess = lever.sense * q_guess + lever.offset;
  // phi and -phi have the same third side, and so have both after a whole turn.
  const auto nearest = [&](double angle) { return angle + 2 * pi * std::round((guess - angle) / (2 * pi)); };
  const double up = nearest(phi), down = nearest(-phi);
  return lever.sense * ((std::abs(up - guess) <= std::abs(down - guess) ? up : down) - lever.offset);
}

bool is_usual(double value) {
  return std::abs(value) >= smallest_in_transmission && std::abs(value) <= largest_in_transmission;
}

void check_ratio(Findings& findings, double ratio, const std::string& key) {
  if (!is_usual(ratio))
    add_error(findings, key + ".ratio", fmt::format("= {}, must be a number other than 0", ratio),
              "turns of the motor per turn of what it drives; negative where it turns the other way");
}

void check_of(Findings& findings, const Gear& gear, double, double, const std::string& key) {
  check_ratio(findings, gear.ratio, key + ".gear");
}

/// Where phi reaches 0 or pi the three sides lie on one line and the screw pushes through the joint's axis.
void check_triangle(Findings& findings, const ScrewLever& lever, double q_min, double q_max,
                    const std::string& key) {
  const double at_min = lever.sense * q_min + lever.offset, at_max = lever.sense * q_max + lever.offset;
  const double lowest = std::min(at_min, at_max), highest = std::max(at_min, at_max);
  const auto report = [&](double phi, double reached) {
    const double q = lever.sense * (phi - lever.offset);
    const char* where = q < q_min || q > q_max ? "too near to" : "within";
    add_error(
        findings, key,
        fmt::format("has a triangle that closes on itself at {:.1f} deg, {} the joint's range of {:.1f} to "
                    "{:.1f} deg: sides l1 and l2 would be at {:.1f} deg, and the lever has no arm at {:g}",
                    q * degrees, where, q_min * degrees, q_max * degrees, reached * degrees, phi * degrees),
        fmt::format("look at offset and sense, or narrow the limits: the sides' angle, sense q + offset, "
                    "must stay between {:g} and {:g} deg",
                    flat_margin * degrees, 180 - flat_margin * degrees));
  };
  if (!(lowest >= flat_margin)) report(0, lowest);
  if (!(highest <= pi - flat_margin)) report(pi, highest);
}

void check_of(Findings& findings, const ScrewLever& lever, double q_min, double q_max,
              const std::string& transmission) {
  const std::string key = transmission + ".screw_lever";
  const std::size_t before = findings.size();
  check_ratio(findings, lever.ratio, key);
  for (const auto& [name, value] : {std::pair{"pitch", lever.pitch}, {"l1", lever.l1}, {"l2", lever.l2}})
    if (!(value > 0 && is_usual(value)))
      add_error(findings, fmt::format("{}.{}", key, name), fmt::format("= {}, must be > 0", value), "m");
  if (!(std::abs(lever.sense) == 1))
    add_error(findings, key + ".sense", fmt::format("= {}, must be 1 or -1", lever.sense),
              "1 where the triangle opens as q grows");
  if (!(std::abs(lever.offset) <= 4 * pi))
    add_error(findings, key + ".offset", fmt::format("= {}, must be within 720 deg", lever.offset),
              "degrees? use offset_deg");
  if (findings.size() > before) return;
  if (!std::isfinite(q_min) || !std::isfinite(q_max))
    return add_error(findings, key, "is on a joint without limits",
                     "give limits: a lever reaches less than half a turn");
  if (q_min <= q_max) check_triangle(findings, lever, q_min, q_max, key);
}

}  // namespace

MotorAngle motor_angle(const Transmission& transmission, double q) {
  return std::visit([&](const auto& of) { return angle_of(of, q); }, transmission);
}

double joint_at(const Transmission& transmission, double q_m, double q_guess) {
  return std::visit([&](const auto& of) { return joint_of(of, q_m, q_guess); }, transmission);
}

Findings check_transmission(const Transmission& transmission, double q_min, double q_max,
                            const std::string& key) {
  Findings findings;
  std::visit([&](const auto& of) { check_of(findings, of, q_min, q_max, key); }, transmission);
  return findings;
}

}  // namespace fathom::model
