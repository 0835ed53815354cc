#include <array>
#include <cmath>

#include "fathom/base/constants.hpp"
#include "fathom/exchange/internal/lint_report.hpp"
#include "fathom/exchange/internal/lint_slip.hpp"

namespace fathom::exchange::internal {
namespace {

constexpr double far_sides = 10;  // sides of a cube of the hull's volume; no arm or tow is that long

constexpr std::array<UnitSlip, 3> length_units = {
    {{0.001, "millimetres instead of m"}, {0.01, "centimetres instead of m"}, {0.0254, "inches instead of m"}}};

/// m, from the centre of mass: beyond it no part of this vehicle is.
std::optional<double> reach_of(const LintReport& report, bool is_thruster) {
  if (is_thruster && report.spec.hull.size)
    if (const auto size = hull_size_of(report.spec)) return size->size.norm();
  if (!is_body(report.spec.hull.volume.value)) return std::nullopt;
  return far_sides * std::cbrt(report.spec.hull.volume.value);
}

void look_at_distance(LintReport& report, const std::string& key, const Vec3& position_b, bool is_thruster) {
  const auto reach = reach_of(report, is_thruster);
  if (!reach || !is_sound(position_b) || !is_sound(report.spec.hull.centre_of_mass.value)) return;
  const double distance = (position_b - report.spec.hull.centre_of_mass.value).norm();
  if (distance <= *reach) return;
  report.add(
      "far-away", Severity::warning, key,
      fmt::format("lies {:.3g} m from the centre of mass, outside a vehicle that reaches {:.3g} m: {}",
                  distance, *reach,
                  is_thruster ? "its thrust would turn the vehicle with a lever that it has not"
                              : "what it measures would carry that lever"),
      "Fathom wants m" + slip_text(likely_slip(distance, {0.3 * *reach, 0.02 * *reach, *reach}, length_units)));
}

/// Both centres are within the hull.
void look_at_centres(LintReport& report) {
  const model::Hull& hull = report.spec.hull;
  if (!is_sound(hull.centre_of_mass.value) || !is_sound(hull.centre_of_buoyancy.value)) return;
  double reach = 0;
  if (const auto size = hull_size_of(report.spec))
    reach = 0.5 * size->size.maxCoeff();
  else if (is_body(hull.volume.value))
    reach = std::cbrt(hull.volume.value);
  const double arm = (hull.centre_of_buoyancy.value - hull.centre_of_mass.value).norm();
  if (reach == 0 || arm <= reach) return;
  report.add(
      "centres-apart", Severity::warning, "hull.centre_of_buoyancy",
      fmt::format("is {:.3g} m from the centre of mass, more than half of the hull ({:.3g} m): it would right "
                  "itself like a pendulum of that length",
                  arm, reach),
      "Fathom wants m" + slip_text(likely_slip(arm, {0.1 * reach, 0.001 * reach, 0.5 * reach}, length_units)));
}

/// More than a turn is no attitude that somebody wrote in radians.
void look_at_attitude(LintReport& report, const std::string& key, const Vec3& rpy) {
  if (!is_sound(rpy)) return;
  const double most = rpy.cwiseAbs().maxCoeff();
  if (most <= 2 * std::numbers::pi + 1e-6) return;
  report.add(
      "degrees", Severity::warning, key + ".attitude",
      fmt::format("= [{:g}, {:g}, {:g}] rad is more than a turn: forces along its axes would point anywhere",
                  rpy.x(), rpy.y(), rpy.z()),
      "degrees instead of rad? use attitude_deg in a robot file");
}

/// The usual angle in degrees that gives this direction if it is taken for radians; 0 where there is none, or
/// where the direction is a usual one anyway.
int degrees_taken_for_radians(double angle) {
  const double turn = 2 * std::numbers::pi;
  const auto equal = [&](double a, double b) { return std::abs(std::remainder(a - b, turn)) < 2e-4; };
  for (int k = -24; k <= 24; ++k)
    if (equal(angle, 15 * k / degrees)) return 0;
  for (const int usual : {45, 90, 135, 30, 60, 120, 150, 180, 225, 270, 315})
    for (const int sign : {1, -1})
      if (equal(angle, sign * usual)) return sign * usual;
  return 0;
}

void look_at_direction(LintReport& report, const std::string& key, const Vec3& direction_b) {
  if (!is_sound(direction_b) || !(direction_b.norm() > 1e-9)) return;
  const Vec3 e = direction_b.normalized();
  const double level = e.head<2>().norm();
  // Azimuth about z and elevation from the horizontal: what yaw and pitch of a thruster's frame make of x.
  const int yaw = level > 0.05 ? degrees_taken_for_radians(std::atan2(e.y(), e.x())) : 0;
  const int pitch = degrees_taken_for_radians(std::atan2(-e.z(), level));
  if (yaw == 0 && pitch == 0) return;
  const int angle = std::abs(yaw != 0 ? yaw : pitch);
  report.add("degrees", Severity::warning, key + ".direction",
             fmt::format(
                 "= [{:.4g}, {:.4g}, {:.4g}] is what {} rad give: the thruster would push {:.0f} degrees aside "
                 "of where {} degrees point",
                 e.x(), e.y(), e.z(), angle,
                 std::abs(std::remainder(angle - angle / degrees, 2 * std::numbers::pi)) * degrees, angle),
             fmt::format("{} degrees instead of rad?", angle));
}

}  // namespace

void lint_places(LintReport& report) {
  look_at_centres(report);
  for (std::size_t k = 0; k < report.spec.thrusters.size(); ++k) {
    const std::string key = fmt::format("thrusters[{}]", k);
    look_at_distance(report, key + ".position", report.spec.thrusters[k].position_b.value, true);
    look_at_direction(report, key, report.spec.thrusters[k].direction_b.value);
  }
  for (std::size_t k = 0; k < report.spec.sensors.size(); ++k) {
    const std::string key = fmt::format("sensors[{}]", k);
    look_at_distance(report, key + ".position", report.spec.sensors[k].position_b.value, false);
    look_at_attitude(report, key, report.spec.sensors[k].attitude_rpy.value);
  }
  for (std::size_t k = 0; k < report.spec.connectors.size(); ++k) {
    const std::string key = fmt::format("connectors[{}]", k);
    look_at_distance(report, key + ".position", report.spec.connectors[k].position_b.value, false);
    look_at_attitude(report, key, report.spec.connectors[k].attitude_rpy.value);
  }
  for (std::size_t k = 0; k < report.spec.damping.size(); ++k)
    look_at_attitude(report, fmt::format("damping[{}]", k), report.spec.damping[k].attitude_rpy.value);
  // Without a size, moments tell whether they are of this body: a radius of gyration beyond all its parts.
  const model::Hull& hull = report.spec.hull;
  if (hull.size || !is_body(hull.mass.value) || !is_body(hull.volume.value) || !is_sound(hull.inertia.value))
    return;
  const double moment = hull.inertia.value.diagonal().maxCoeff();
  const double radius = moment > 0 ? std::sqrt(moment / hull.mass.value) : 0,
               side = std::cbrt(hull.volume.value);
  if (radius > far_sides * side)
    report.add(
        "scale-inertia", Severity::warning, "hull.inertia",
        fmt::format(
            "has a radius of gyration of {:.3g} m, {:.3g} times the side of a cube of the hull's volume: "
            "any moment would turn it far too slowly",
            radius, radius / side),
        "g mm^2 or kg mm^2? Fathom wants kg m^2");
}

}  // namespace fathom::exchange::internal
