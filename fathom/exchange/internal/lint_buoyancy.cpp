#include <array>
#include <cmath>

#include "fathom/base/constants.hpp"
#include "fathom/exchange/internal/lint_report.hpp"
#include "fathom/exchange/internal/lint_slip.hpp"

namespace fathom::exchange::internal {
namespace {

constexpr double least_density = 100, most_density = 10000;  // kg/m^3, of any vehicle
constexpr double trimmed = 0.02, untrimmed = 0.05;           // share of the weight
constexpr double steep_rest = 15 / degrees;                  // rad, of a rest attitude that somebody meant

constexpr std::array<UnitSlip, 4> mass_units = {{{1000, "tonnes instead of kg"},
                                                 {0.001, "grams instead of kg"},
                                                 {1 / 9.81, "a weight in N instead of kg"},
                                                 {0.45359237, "pounds instead of kg"}}};
constexpr std::array<UnitSlip, 3> volume_units = {
    {{0.001, "litres instead of m^3"}, {1e-6, "cm^3 instead of m^3"}, {1e-9, "mm^3 instead of m^3"}}};

/// Can a vehicle of the hull's size displace that? Anything, where the size is not known.
bool fits_hull(const LintReport& report, double volume) {
  const auto size = hull_size_of(report.spec);
  return !size || !size->is_given ||
         (volume >= least_filling * size->box() && volume <= most_filling * size->box());
}

std::optional<Slip> mass_slip(const LintReport& report, double share) {
  const double neutral = density_of(report) * report.spec.hull.volume.value;
  if (!fits_hull(report, report.spec.hull.volume.value)) return std::nullopt;
  return likely_slip(report.spec.hull.mass.value, {neutral, (1 - share) * neutral, (1 + share) * neutral},
                     mass_units);
}
std::optional<Slip> volume_slip(const LintReport& report, double share) {
  const double neutral = report.spec.hull.mass.value / density_of(report);
  if (!fits_hull(report, neutral)) return std::nullopt;
  return likely_slip(report.spec.hull.volume.value, {neutral, (1 - share) * neutral, (1 + share) * neutral},
                     volume_units);
}

/// Of mass and volume, the one that does not go with the size of the hull; the mass where nothing tells.
bool volume_is_to_blame(const LintReport& report) {
  return !fits_hull(report, report.spec.hull.volume.value) &&
         fits_hull(report, report.spec.hull.mass.value / density_of(report));
}

bool look_at_density(LintReport& report) {
  const model::Hull& hull = report.spec.hull;
  const double density = hull.mass.value / hull.volume.value;
  if (density >= least_density && density <= most_density) return true;
  const bool volume = volume_is_to_blame(report);
  const auto slip = volume ? volume_slip(report, 0.3) : mass_slip(report, 0.3);
  std::string size;
  if (const auto box = hull_size_of(report.spec); box && box->is_given)
    size = fmt::format(" in a hull of {:g} x {:g} x {:g} m", box->size.x(), box->size.y(), box->size.z());
  report.add(
      "density", Severity::error, volume ? "hull.volume" : "hull.mass",
      fmt::format("= {:g} makes {:g} kg displace {:g} m^3{}, {:.4g} kg/m^3: no vehicle has that density, and "
                  "the weight that is not borne drives every motion",
                  volume ? hull.volume.value : hull.mass.value, hull.mass.value, hull.volume.value, size,
                  density),
      "tonnes, grams or litres? Fathom wants kg and m^3" + slip_text(slip));
  return false;
}

void look_at_net_buoyancy(LintReport& report) {
  const model::Hull& hull = report.spec.hull;
  const double water = density_of(report);
  const double net = 1 - water * hull.volume.value / hull.mass.value;
  if (std::abs(net) <= untrimmed) return;
  std::string hint = "trimmed vehicles are within 1 to 2 %";
  if (const auto of_volume = volume_slip(report, trimmed))
    hint += "; hull.volume" + slip_text(of_volume).substr(1);
  if (const auto of_mass = mass_slip(report, trimmed)) hint += "; hull.mass" + slip_text(of_mass).substr(1);
  report.add(
      "net-buoyancy", Severity::warning, "hull.volume",
      fmt::format("makes the vehicle {} by {:.1f} % of its weight in water of {:g} kg/m^3: {:.4g} N {}, which "
                  "the thrusters must hold for ever",
                  net > 0 ? "sink" : "rise", 100 * std::abs(net), water,
                  std::abs(net) * hull.mass.value * gravity_of(report), net > 0 ? "down" : "up"),
      hint);
}

/// At rest the centre of buoyancy is straight above the centre of mass, whatever weight and buoyancy are.
void look_at_rest(LintReport& report) {
  const model::Hull& hull = report.spec.hull;
  const Vec3 arm_b = hull.centre_of_mass.value - hull.centre_of_buoyancy.value;  // down, if upright
  if (arm_b.z() < 0) {
    const bool flipped = hull.centre_of_mass.value.z() + hull.centre_of_buoyancy.value.z() > 0;
    report.add(
        "upside-down", Severity::warning, "hull.centre_of_buoyancy",
        fmt::format("is {:.4g} m below the centre of mass: the vehicle turns over and floats on its back",
                    -arm_b.z()),
        flipped ? "looks like a sign slip: z is down in a robot file, so above the origin is negative; up "
                  "in Gazebo's files"
                : "z is down: above the origin is negative");
    return;
  }
  const double tilt = std::atan2(arm_b.head<2>().norm(), arm_b.z());
  if (!(tilt > steep_rest)) return;
  // arm_b points down then, and down in b is [-sin(pitch), cos(pitch) sin(roll), cos(pitch) cos(roll)].
  const double roll = std::atan2(arm_b.y(), arm_b.z()), pitch = std::atan2(-arm_b.x(), arm_b.tail<2>().norm());
  report.add(
      "rest-attitude", Severity::warning, "hull.centre_of_buoyancy",
      fmt::format("= [{:.4g}, {:.4g}, {:.4g}] is {:.3g} m aside of the centre of mass and {:.3g} m above it: "
                  "left alone the vehicle rests tilted by {:.0f} degrees (roll {:.0f}, pitch {:.0f})",
                  hull.centre_of_buoyancy.value.x(), hull.centre_of_buoyancy.value.y(),
                  hull.centre_of_buoyancy.value.z(), arm_b.head<2>().norm(), arm_b.z(), tilt * degrees,
                  roll * degrees, pitch * degrees),
      "vehicles are trimmed level: the two centres above each other; a slip in x or y?");
}

}  // namespace

void lint_buoyancy(LintReport& report) {
  const model::Hull& hull = report.spec.hull;
  if (is_body(hull.mass.value) && is_body(hull.volume.value) && look_at_density(report))
    look_at_net_buoyancy(report);
  if (is_sound(hull.centre_of_mass.value) && is_sound(hull.centre_of_buoyancy.value)) look_at_rest(report);
}

}  // namespace fathom::exchange::internal
