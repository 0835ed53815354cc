#include "fathom/identify/commanded/pilot_mixer.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::identify {
namespace {

constexpr double no_share = 1e-6;  // of an axis: levers that are zero but for rounding

bool is_upright(const model::Thruster& thruster) {
  const double down = std::abs(thruster.direction_b.value.normalized().z());
  if (down > no_share && down < 1 - no_share)
    reject(fmt::format("thrusters.{}", thruster.name), "is neither level nor upright",
           "a mixer of another kind is needed");
  return down > 0.5;
}

bool is_made_by_resampling(const Mat6X& axes, Eigen::Index k) {
  constexpr double exact = 1e-6, least_step = 0.01;
  for (Eigen::Index i = 0; i < 6; ++i) {
    const double before = axes(i, k - 1), after = axes(i, k + 1);
    if (std::abs(after - before) > least_step && std::abs(axes(i, k) - 0.5 * (before + after)) < exact)
      return true;
  }
  return false;
}

}  // namespace

PilotMixer::PilotMixer(const model::Robot& robot, double voltage, double density)
    : signs_(Mat6X::Zero(6, static_cast<Eigen::Index>(robot.thrusters().size()))), voltage_(voltage) {
  for (const model::Thruster& thruster : robot.thrusters()) {
    if (!thruster.map || thruster.map->command.unit != model::CommandUnit::normalized)
      reject(fmt::format("thrusters.{}", thruster.name), "takes no commands from -1 to 1",
             "give it a map whose command is normalized");
    const auto k = static_cast<Eigen::Index>(thrusters_.size());
    const Vec6& column = thrusters_.emplace_back(thruster, density).column();
    is_upright_.push_back(is_upright(thruster));
    for (const int axis : is_upright_.back() ? std::array{2, 3, 4} : std::array{0, 1, 5})
      if (std::abs(column[axis]) > no_share) signs_(axis, k) = std::copysign(1, column[axis]);
  }
}

Vec6 PilotMixer::wrench_b(const Vec6& axes) const {
  Vec6 wrench_b = Vec6::Zero();
  for (std::size_t k = 0; k < thrusters_.size(); ++k) {
    const double command = signs_.col(static_cast<Eigen::Index>(k)).dot(axes);
    const auto force_at = [&](double at) { return thrusters_[k].steady_force(at, 0, voltage_); };
    const double force = is_upright_[k] ? 0.5 * (force_at(command) - force_at(-command)) : force_at(command);
    wrench_b += force * thrusters_[k].column();
  }
  return wrench_b;
}

Mat6X PilotMixer::wrenches_b(const Mat6X& axes) const {
  Mat6X out(6, axes.cols());
  for (Eigen::Index k = 0; k < axes.cols(); ++k) out.col(k) = wrench_b(axes.col(k));
  for (Eigen::Index k = 1; k + 1 < axes.cols(); ++k)
    if (is_made_by_resampling(axes, k)) out.col(k) = 0.5 * (out.col(k - 1) + out.col(k + 1));
  return out;
}

}  // namespace fathom::identify
