#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fathom/identify/commanded/pilot_mixer.hpp"
#include "fathom/log/convert.hpp"

#include "studies/real/left_out.hpp"

namespace fathom::studies {
namespace {

using identify::AccelerationTerm;
using identify::BlurredRun;
using identify::BlurredRuns;
using identify::UnseenRun;
using identify::VehicleFit;

struct TankRun {
  const char *key, *file;
};
constexpr std::array<TankRun, 3> tank_runs = {{{"11_10", "rosbag2_2025_05_27-11_10_52_sync_0_3dof_real.csv"},
                                               {"11_40", "rosbag2_2025_05_27-11_40_38_0_6dof_real.csv"},
                                               {"12_04", "rosbag2_2025_05_27-12_04_31_0_6dof_real.csv"}}};

/// All runs behind one blur, for our model and for the linear one.
struct TankRows {
  std::vector<BlurredRun> ours, linear;
};

class TankRovStudy {
 public:
  TankRovStudy(Study& study, const Host& host)
      : study_(study), host_(host), robot_(host.robot("bluerov2-heavy")) {}

  void run(const std::filesystem::path& data) {
    read(data);
    const TankRows rows = behind({});
    std::vector<UnseenRun> by_ours, by_linear;
    std::vector<const identify::CommandedRun*> runs;
    for (const identify::CommandedRun& run : steered_) runs.push_back(&run);
    LeftOutRuns left_out(std::move(runs));
    for (std::size_t k = 0; k < tank_runs.size(); ++k) {
      throw_if(host_.pool.stop());
      ours_fits_[k] = fit(all_but(rows.ours, k));
      linear_fits_[k] = fit(all_but(rows.linear, k));
      by_ours.push_back({&ours_fits_[k], &rows.ours[k]});
      by_linear.push_back({&linear_fits_[k], &rows.linear[k]});
      const RealScores one{score({by_ours.back()}), score({by_linear.back()})};
      tell_scores(study_, fmt::format("rov.{}", tank_runs[k].key), one, true);
      left_out.add(k, one);
    }
    left_out.tell(study_, "rov");
    tell_scores(study_, "rov.pooled", {score(by_ours), score(by_linear)});
    tell_parameters(fit(all_but(rows.ours, tank_runs.size())));
    try_shorter_blur();
  }

 private:
  void read(const std::filesystem::path& data) {
    const log::Description description = log::read_description(study_.folder() / "rov_tank_teleop.yaml");
    const identify::PilotMixer mixer(robot_);
    std::size_t repeated = 0;
    for (const TankRun& one : tank_runs) {
      log::DatasetSink sink;
      log::convert(description, data / one.file, sink);
      const log::Dataset log = std::move(sink).dataset();
      steered_.push_back(
          identify::run_with_twist(one.key, log.channel("rov.twist"), log.channel("rov.pilot"), {.dt = 0.05}));
      driven_.push_back(steered_.back());
      driven_.back().commands = mixer.wrenches_b(steered_.back().commands);
      repeated += steered_.back().repeated_values;
    }
    study_.set("rov.repeated", static_cast<double>(repeated));
  }

  TankRows behind(const identify::AccelerationOptions& options) const {
    TankRows rows;
    for (std::size_t k = 0; k < tank_runs.size(); ++k) {
      rows.ours.emplace_back(driven_[k], identify::level_terms(), options);
      rows.linear.emplace_back(steered_[k], identify::linear_terms(), options);
    }
    return rows;
  }

  /// How much of the thinnest margin, heave of the first run, is the blur's.
  void try_shorter_blur() {
    const TankRows rows = behind({.blur = 0.3});
    const VehicleFit ours = fit(all_but(rows.ours, 0)), linear = fit(all_but(rows.linear, 0));
    tell_scores(study_, "rov.short_blur",
                {score({{&ours, &rows.ours[0]}}), score({{&linear, &rows.linear[0]}})}, true);
  }

  static BlurredRuns all_but(const std::vector<BlurredRun>& runs, std::size_t left_out) {
    BlurredRuns out;
    for (std::size_t k = 0; k < runs.size(); ++k)
      if (k != left_out) out.push_back(&runs[k]);
    return out;
  }

  /// The clocks of pilot and motion capture may be apart either way.
  static VehicleFit fit(const BlurredRuns& runs) {
    std::vector<double> lags;
    for (int k = -12; k <= 12; ++k) lags.push_back(0.025 * k);
    return fit_lag(runs, lags, (Vec6() << 1, 1, 1, 0, 0, 1).finished());
  }

  static identify::VehicleScore score(const std::vector<UnseenRun>& runs) {
    return score_vehicle(runs, {.every = 0.5});
  }

  void tell_parameters(const VehicleFit& all) {
    const std::vector<VehicleFit> others(ours_fits_.begin(), ours_fits_.end());
    const auto tell = [&](const std::string& key, const auto& parameter) {
      tell_parameter(study_, "rov." + key, all, others, parameter);
    };
    tell("lag", [](const VehicleFit& fit) { return fit.path.lag; });
    for (int i = 0; i < 3; ++i) {
      const std::string name = translations[static_cast<std::size_t>(i)];
      const double mass = robot_.hull().mass.value + robot_.hull().added_mass.value(i, i);
      // a = factor / mass: of the two the log shows only the quotient.
      const auto factor = [i, mass](const VehicleFit& fit) {
        return mass * fit.model.coefficient(i, {AccelerationTerm::Kind::wrench, i});
      };
      tell("factor." + name, factor);
      tell("linear." + name, [i, factor](const VehicleFit& fit) {
        return -factor(fit) * fit.model.in_newton(i, {AccelerationTerm::Kind::velocity, i});
      });
      tell("drag." + name, [i, factor](const VehicleFit& fit) {
        return -factor(fit) * fit.model.in_newton(i, {AccelerationTerm::Kind::drag, i});
      });
    }
  }

  Study& study_;
  const Host& host_;
  model::Robot robot_;
  std::vector<identify::CommandedRun> steered_, driven_;  // by sticks, by the wrench that follows from them
  std::array<VehicleFit, tank_runs.size()> ours_fits_, linear_fits_;
};

}  // namespace

void study_tank_rov(Study& study, const std::filesystem::path& data, const Host& host) {
  TankRovStudy(study, host).run(data);
}

}  // namespace fathom::studies
