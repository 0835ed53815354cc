#include "studies/real/scores.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"

#include "studies/reproduce.hpp"

namespace fathom::studies {

namespace {

/// Three decimals, and no minus before a zero.
std::string short_text(double x) { return fmt::format("{:.3g}", std::round(1000 * x) / 1000 + 0.0); }

}  // namespace

void tell_scores(Study& study, const std::string& prefix, const RealScores& scores, bool briefly) {
  constexpr std::array names = {"surge", "sway", "heave", "yaw"};
  for (std::size_t k = 0; k < names.size(); ++k) {
    const int i = identify::scored_velocities[k];
    const auto tell = [&](const char* score, const char* comparison, double compared, auto member,
                          auto constant) {
      const std::string key = fmt::format("{}.{}.", prefix, names[k]);
      const double ours = (scores.ours.*member)[i];
      const std::string baselines =
          fmt::format("linear {}, constant {}", short_text((scores.linear.*member)[i]),
                      short_text((scores.linear.*constant)[i]));
      study.set(key + score, ours, baselines);
      study.set(key + comparison, compared, briefly ? fmt::format("{}, {}", short_text(ours), baselines) : "");
    };
    using Score = identify::VehicleScore;
    tell("r2", "gain", scores.gain(i), &Score::r2, &Score::constant_r2);
    tell("error", "ratio", scores.ratio(i), &Score::error_over_spread, &Score::constant_error_over_spread);
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
  study.set(key, parameter(all), fmt::format("{:.3g} to {:.3g}", least, most));
}

void reproduce_real(Study& study, const Host& host) {
  run_or_skip(study, host.data / "auv_pool_wrench", {"auv."},
              [&](const std::filesystem::path& data) { study_pool_auv(study, data, host); });
  run_or_skip(study, host.data / "rov_tank_teleop", {"rov."},
              [&](const std::filesystem::path& data) { study_tank_rov(study, data, host); });
}

}  // namespace fathom::studies
