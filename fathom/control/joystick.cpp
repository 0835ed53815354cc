#include "fathom/control/joystick.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::control {

Joystick::Joystick(const JoystickOptions& options, std::uint64_t seed, std::string_view purpose)
    : options_(options) {
  if (!options.limit_b.allFinite() || options.limit_b.minCoeff() < 0)
    reject("limit", "must be >= 0 and finite");
  if (!(options.shortest >= 0.01) || !(options.longest >= options.shortest) || !std::isfinite(options.longest))
    reject("hold",
           fmt::format("= [{}, {}] s, must be >= 0.01 and increase", options.shortest, options.longest));
  if (!(options.rest_share >= 0) || !(options.rest_share <= 1))
    reject("rest_share", fmt::format("= {}, must lie in [0, 1]", options.rest_share));
  if (!(options.stick_time >= 0) || !std::isfinite(options.stick_time))
    reject("stick_time", fmt::format("= {} s, must be >= 0", options.stick_time));
  if (options.keep_in && !(options.keep_in->min.array() < options.keep_in->max.array()).all())
    reject("keep_in", "has a min that is not below its max");
  for (const double limit : options.limit_b.head<3>())
    if (limit > 0) push_back_ = push_back_ > 0 ? std::min(push_back_, limit) : limit;
  for (int axis = 0; axis < 6; ++axis)
    sticks_.push_back({RandomStream(seed, fmt::format("{}/{}", purpose, axis))});
}

const Vec6& Joystick::at(double t) {
  for (std::size_t i = 0; i < 6; ++i) {
    const auto axis = static_cast<Eigen::Index>(i);
    Stick& stick = sticks_[i];
    double from = t_;
    const auto lean = [&](double to) {  // towards the level that holds until then
      const double keep = options_.stick_time > 0 ? std::exp((from - to) / options_.stick_time) : 0;
      wrench_b_[axis] = stick.level + keep * (wrench_b_[axis] - stick.level);
      from = to;
    };
    while (t >= stick.until) {
      lean(stick.until);
      const double rest = stick.random.uniform(), level = stick.random.uniform(-1, 1);
      stick.until += stick.random.uniform(options_.shortest, options_.longest);
      stick.level = rest < options_.rest_share ? 0 : level * options_.limit_b[axis];
    }
    lean(t);
  }
  t_ = t;
  return wrench_b_;
}

Vec6 Joystick::at(double t, const dynamics::State& state) {
  Vec6 wrench_b = at(t);
  if (options_.keep_in) {
    Vec3 force_n = state.q_nb * wrench_b.head<3>();
    for (Eigen::Index i = 0; i < 3; ++i) {
      if (state.p_nb_n[i] < options_.keep_in->min[i]) force_n[i] = push_back_;
      if (state.p_nb_n[i] > options_.keep_in->max[i]) force_n[i] = -push_back_;
    }
    wrench_b.head<3>() = state.q_nb.conjugate() * force_n;
  }
  wrench_b.tail<3>() += options_.point_b.cross(wrench_b.head<3>());
  return wrench_b;
}

}  // namespace fathom::control
