#include "fathom/exchange/internal/lint_slip.hpp"

#include <cmath>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/exchange/internal/lint_report.hpp"
#include "fathom/model/geometric_prior.hpp"

namespace fathom::exchange::internal {

namespace {

/// As a person would write it.
std::string as_written(double value) { return fmt::format("{:.10g}", value); }

/// Every number that differs from `value` by two neighbouring digits that changed places.
std::vector<double> with_digits_swapped(double value) {
  std::vector<double> result;
  const std::string text = as_written(value);
  std::size_t last = std::string::npos;  // the digit before, whatever points stand between
  for (std::size_t k = 0; k < text.size() && text[k] != 'e'; ++k) {
    if (text[k] < '0' || text[k] > '9') continue;
    if (last != std::string::npos && text[last] != text[k]) {
      std::string swapped = text;
      std::swap(swapped[last], swapped[k]);
      result.push_back(std::strtod(swapped.c_str(), nullptr));
    }
    last = k;
  }
  return result;
}

constexpr double round_thrusters = 1.4;  // hull over the spread of its thrusters: 1.3 to 1.5 in those that ship

/// Thrusters sit inside the hull's outline; what they do not span is as wide as a cube of the volume.
std::optional<HullSize> size_round_thrusters(const model::RobotSpec& spec) {
  if (spec.thrusters.size() < 3 || !is_body(spec.hull.volume.value)) return std::nullopt;
  Vec3 low = spec.thrusters.front().position_b.value, high = low;
  for (const model::Thruster& thruster : spec.thrusters) {
    if (!is_sound(thruster.position_b.value)) return std::nullopt;
    low = low.cwiseMin(thruster.position_b.value);
    high = high.cwiseMax(thruster.position_b.value);
  }
  const double side = std::cbrt(spec.hull.volume.value);
  const Vec3 size = (round_thrusters * (high - low)).cwiseMax(side);
  // A vehicle's volume and the spread of its thrusters must be of one size to be believed.
  if (spec.hull.volume.value < least_filling * size.prod()) return std::nullopt;
  return HullSize{size, "the spread of the thrusters", false};
}

}  // namespace

std::optional<Slip> likely_slip(double value, const Expected& expected, std::span<const UnitSlip> units) {
  if (!std::isfinite(value) || value == 0) return std::nullopt;
  std::optional<Slip> best;
  const auto off = [&](double x) { return std::abs(std::log(x / expected.value)); };
  const auto consider = [&](double meant, std::string_view what) {
    if (!(meant >= expected.least && meant <= expected.most)) return;
    if (!best || off(meant) < off(best->meant)) best = {meant, std::string(what)};
  };
  consider(-value, "a sign slip");
  if (best) return best;
  const double size = std::abs(value);
  for (const UnitSlip& unit : units) consider(size * unit.factor, unit.what);
  for (const double swapped : with_digits_swapped(size)) consider(swapped, "two digits swapped");
  for (const double shift : {10.0, 0.1, 100.0, 0.01, 1000.0, 0.001})
    consider(size * shift, "a slipped decimal point");
  return best;
}

std::string slip_text(const std::optional<Slip>& slip) {
  return slip ? fmt::format("; {:.6g} would fit: {}?", slip->meant, slip->what) : std::string();
}

bool digits_swapped(double a, double b) {
  for (const double swapped : with_digits_swapped(a))
    if (as_written(swapped) == as_written(b)) return true;
  return false;
}

std::optional<HullSize> hull_size_of(const model::RobotSpec& spec) {
  if (!spec.hull.size) return size_round_thrusters(spec);
  const Vec3& size = spec.hull.size->value;
  if (!is_sound(size) || !(size.minCoeff() > 1e-9)) return std::nullopt;
  return HullSize{size, "hull.size", true};
}

std::optional<model::Robot> guess_of(const model::RobotSpec& spec, const HullSize& size,
                                     const model::Environment& environment) {
  const double displaced = environment.density() * size.box();
  const auto believable = [&](double mass) {
    return mass >= least_filling * displaced && mass <= displaced ? mass : usual_filling * displaced;
  };
  model::HullDescription description;
  description.name = "guess";
  description.hull.shape = model::Cuboid{size.size};
  description.mass.value = believable(spec.hull.mass.value);
  description.volume.emplace();
  description.volume->value =
      believable(environment.density() * spec.hull.volume.value) / environment.density();
  const Vec3& middle_b = spec.hull.centre_of_mass.value;
  if (is_sound(middle_b) && (middle_b.cwiseAbs().array() <= size.size.array()).all())
    description.hull.pose.p_pc_p = middle_b;
  description.kind =
      description.volume->value > 0.6 * size.box() ? model::HullKind::closed : model::HullKind::open_frame;
  try {
    return model::geometric_prior(description, environment);
  } catch (const InputError&) {  // a needle or a sheet
    return std::nullopt;
  }
}

}  // namespace fathom::exchange::internal
