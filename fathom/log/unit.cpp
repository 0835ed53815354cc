#include "fathom/log/unit.hpp"

#include <algorithm>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"

namespace fathom::log {
namespace {

constexpr double standard_gravity = 9.80665;                   // m/s^2, exact: of g and kgf
constexpr double pound_force = 0.45359237 * standard_gravity;  // N, exact
constexpr double knot = 1852.0 / 3600;                         // m/s, exact

/// Two words of one unit stand below each other. `us` is the length of a pulse, which thruster maps take as it
/// is; clocks have units of their own.
constexpr Unit units[] = {
    {"1", "1"},
    {"%", "1", 0.01},
    {"m", "m"},
    {"mm", "m", 1e-3},
    {"cm", "m", 1e-2},
    {"km", "m", 1e3},
    {"ft", "m", 0.3048},
    {"in", "m", 0.0254},
    {"s", "s"},
    {"ms", "s", 1e-3},
    {"ns", "s", 1e-9},
    {"us", "us"},
    {"rad", "rad"},
    {"deg", "rad", degree},
    {"cdeg", "rad", 0.01 * degree},
    {"m/s", "m/s"},
    {"mm/s", "m/s", 1e-3},
    {"cm/s", "m/s", 1e-2},
    {"km/h", "m/s", 1 / 3.6},
    {"knots", "m/s", knot},
    {"kn", "m/s", knot},
    {"m/s^2", "m/s^2"},
    {"g", "m/s^2", standard_gravity},
    {"mg", "m/s^2", 1e-3 * standard_gravity},
    {"rad/s", "rad/s"},
    {"mrad/s", "rad/s", 1e-3},
    {"deg/s", "rad/s", degree},
    {"rpm", "rad/s", std::numbers::pi / 30},
    {"rad/s^2", "rad/s^2"},
    {"deg/s^2", "rad/s^2", degree},
    {"N", "N"},
    {"kN", "N", 1e3},
    {"kgf", "N", standard_gravity},
    {"lbf", "N", pound_force},
    {"N m", "N m"},
    {"Nm", "N m"},
    {"kg", "kg"},
    {"Pa", "Pa"},
    {"hPa", "Pa", 1e2},
    {"kPa", "Pa", 1e3},
    {"mbar", "Pa", 1e2},
    {"dbar", "Pa", 1e4},
    {"bar", "Pa", 1e5},
    {"psi", "Pa", pound_force / (0.0254 * 0.0254)},
    {"V", "V"},
    {"mV", "V", 1e-3},
    {"A", "A"},
    {"mA", "A", 1e-3},
    {"W", "W"},
    {"T", "T"},
    {"uT", "T", 1e-6},
    {"gauss", "T", 1e-4},
    {"Hz", "Hz"},
    {"K", "K"},
    {"C", "K", 1, 273.15},
};

}  // namespace

const Unit* find_unit(std::string_view word) {
  const auto found =
      std::find_if(std::begin(units), std::end(units), [&](const Unit& unit) { return unit.word == word; });
  return found == std::end(units) ? nullptr : found;
}

std::vector<std::string_view> unit_words(std::string_view si) {
  std::vector<std::string_view> words;
  for (const Unit& unit : units)
    if (si.empty() || unit.si == si) words.push_back(unit.word);
  return words;
}

std::string units_like(std::string_view word) {
  const std::vector<std::string_view> words = unit_words();
  return did_you_mean(word, words, fmt::format("known: {}", join(words, ", ")));
}

}  // namespace fathom::log
