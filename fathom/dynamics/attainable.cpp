#include "fathom/dynamics/attainable.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/solve/small_program.hpp"

namespace fathom::dynamics {
namespace {

using fathom::solve::LargeProgram;
using fathom::solve::SmallProgram;
using fathom::solve::StackMemory;

constexpr int extra_columns = 2;  // beside the thrusters: the scale, and the way to the offset

std::span<const double> entries(const Vec6& v) { return {v.data(), 6}; }

}  // namespace

AttainableWrench::AttainableWrench(const Mat6X& B, std::span<const model::ForceRange> limits)
    : B_(B), limits_(limits.begin(), limits.end()), nearest_(limits.size()) {
  const auto n = static_cast<Eigen::Index>(limits.size());
  if (n < 1 || B.cols() != n || !B.allFinite())
    reject("B", fmt::format("has {} columns for {} limits, must have one for each, all finite", B.cols(), n));
  double largest = 0;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const model::ForceRange& limit = limits_[i];
    if (!(limit.min <= limit.max && std::isfinite(limit.min) && std::isfinite(limit.max)))
      reject(fmt::format("limits[{}]", i),
             fmt::format("= [{}, {}], must be finite with min <= max", limit.min, limit.max),
             "a thruster needs a force range or a map");
    nearest_[i] = std::clamp(0.0, limit.min, limit.max);
    largest = std::max({largest, std::abs(limit.min), std::abs(limit.max)});
    bias_ += nearest_[i] * B_.col(static_cast<Eigen::Index>(i));
  }
  if (largest > 0) unit_ = largest;
}

double AttainableWrench::support(const Vec6& direction) const {
  double sum = 0;
  for (Eigen::Index i = 0; i < B_.cols(); ++i) {
    const double gain = direction.dot(B_.col(i));
    const model::ForceRange& limit = limits_[static_cast<std::size_t>(i)];
    sum += gain * (gain > 0 ? limit.max : limit.min);
  }
  return sum;
}

/// The largest s <= `most` with offset + s unit in the set, in units of unit_; nothing if there is none.
std::optional<double> AttainableWrench::scale_of(const Vec6& offset, const Vec6& unit, double most) const {
  const auto columns = static_cast<int>(B_.cols()) + extra_columns;
  if (columns <= StackMemory::columns) {
    SmallProgram program(6);
    return solve(program, offset, unit, most);
  }
  LargeProgram program(6, columns);
  return solve(program, offset, unit, most);
}

template <class Program>
std::optional<double> AttainableWrench::solve(Program& program, const Vec6& offset, const Vec6& unit,
                                              double most) const {
  for (Eigen::Index i = 0; i < B_.cols(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Vec6 column = B_.col(i);
    program.add(entries(column), (limits_[k].min - nearest_[k]) / unit_,
                (limits_[k].max - nearest_[k]) / unit_);
  }
  // Start where every thruster is next to zero, and lead the wrench from there to the offset first.
  const Vec6 rest = (bias_ - offset) / unit_;
  const double length = rest.norm();
  const Vec6 minus_unit = -unit;
  const int scale = program.add(entries(minus_unit), 0, most);
  if (length > 0) {
    const Vec6 along = rest / length;
    if (program.maximize(program.add(entries(along), 0, length)) < length * (1 - 1e-12) - 1e-12)
      return std::nullopt;
  }
  return program.maximize(scale);
}

std::optional<double> AttainableWrench::largest_scale(const Vec6& d) const {
  const double length = d.norm();
  if (!std::isfinite(length)) return std::nullopt;
  if (length == 0) return contains(d) ? std::optional(infinity) : std::nullopt;
  const auto s = scale_of(Vec6::Zero(), d / length, infinity);
  if (!s) return std::nullopt;
  return *s * unit_ / length;
}

bool AttainableWrench::contains(const Vec6& tau, double tolerance) const {
  const Vec6 rest = (tau - bias_) / unit_;
  const double length = rest.norm();
  if (!std::isfinite(length)) return false;
  if (length <= tolerance) return true;
  const auto s = scale_of(bias_, rest / length, length);
  return s && *s >= length - tolerance;
}

std::array<model::ForceRange, 6> AttainableWrench::axis_ranges() const {
  std::array<model::ForceRange, 6> ranges;
  for (int axis = 0; axis < 6; ++axis) {
    const Vec6 d = Vec6::Unit(axis);
    ranges[static_cast<std::size_t>(axis)] = {-largest_scale(-d).value_or(nan), largest_scale(d).value_or(nan)};
  }
  return ranges;
}

}  // namespace fathom::dynamics
