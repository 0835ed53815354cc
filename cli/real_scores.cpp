#include "cli/real_scores.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/identify/judged_velocities.hpp"

namespace fathom::cli {

double RealScores::gain(int axis) const {
  return ours.r2[axis] - std::max(linear.r2[axis], linear.constant_r2[axis]);
}

double RealScores::ratio(int axis) const {
  return ours.error_over_spread[axis] /
         std::min(linear.error_over_spread[axis], linear.constant_error_over_spread[axis]);
}

void tell_scores(Study& study, const std::string& prefix, const RealScores& scores) {
  constexpr std::array names = {"surge", "sway", "heave", "yaw"};
  const identify::VehicleScore &ours = scores.ours, &linear = scores.linear;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const int i = identify::judged_velocities[k];
    const std::string key = fmt::format("{}.{}", prefix, names[k]);
    study.set(key + ".r2", ours.r2[i]);
    study.set(
        key + ".gain", scores.gain(i),
        fmt::format("{:.3f}; linear {:.3f}, constant {:.3f}", ours.r2[i], linear.r2[i], linear.constant_r2[i]));
    study.set(key + ".error", ours.error_over_spread[i]);
    study.set(key + ".ratio", scores.ratio(i),
              fmt::format("{:.3f}; linear {:.3f}, constant {:.3f}", ours.error_over_spread[i],
                          linear.error_over_spread[i], linear.constant_error_over_spread[i]));
  }
}

void tell_parameter(Study& study, const std::string& key, const identify::VehicleFit& all,
                    const std::vector<identify::VehicleFit>& others,
                    const std::function<double(const identify::VehicleFit&)>& parameter) {
  double least = infinity, most = -infinity;
  for (const identify::VehicleFit& fit : others) {
    least = std::min(least, parameter(fit));
    most = std::max(most, parameter(fit));
  }
  study.set(key, parameter(all), fmt::format("{:.3g} to {:.3g} without one run", least, most));
}

}  // namespace fathom::cli
