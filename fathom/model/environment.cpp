#include "fathom/model/environment.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::model {
namespace {

double positive(double value, const char* key, const char* hint) {
  if (std::isfinite(value) && value > 0) return value;
  reject(key, fmt::format("= {}, must be positive and finite", value), hint);
}

}  // namespace

Environment::Environment(double density, double gravity)
    : density_(positive(density, "density", "kg/m^3; fresh water 1000, sea water 1025")),
      gravity_(positive(gravity, "gravity", "m/s^2, as a magnitude; 9.81")) {}

}  // namespace fathom::model
