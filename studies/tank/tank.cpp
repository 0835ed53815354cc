#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/identify/tank/missing_dof.hpp"

#include "studies/coverage.hpp"
#include "studies/reproduce.hpp"
#include "studies/tank/tank_plant.hpp"

namespace fathom::studies {
namespace {

using identify::DragFit;
using identify::TowingFit;

class TankStudy {
 public:
  TankStudy(Study& study, const Host& host) : study_(study), host_(host) {}

  void run() {
    towing("towing", true);
    host_.progress(0.4, "without speeds");
    towing("blind", false);
    host_.progress(0.6, "free decay");
    decay();
    thesis();
  }

 private:
  void towing(const std::string& key, bool speed_is_measured) {
    const int campaigns = study_.setting(speed_is_measured ? "campaigns" : "blind_campaigns");
    RandomStream random(host_.seed, "tank " + key);
    Coverage drag, c1, c2, different;
    double named = 0, planted = 0, false_alarms = 0, runs = 0, lost = 0, half = 0;
    for (int k = 0; k < campaigns; ++k) {
      const TowingPlant::Campaign campaign = TowingPlant::tow(random, speed_is_measured);
      const TowingFit fit = fit_towing(campaign.runs, TowingPlant::bracket());
      for (const identify::FusedPoint& point : fit.all.points) {
        drag.add(fit.all.law.force(point.speed) - TowingPlant::drag(point.speed),
                 fit.all.half_width(point.speed));
      }
      const double share = fit.all.half_width(1) / fit.all.law.force(1);
      half += 100 * share / campaigns;
      const Eigen::Vector2d error = fit.all.law.c - TowingPlant::nearest_law(fit.all).c;
      c1.add(error[0], fit.all.half_width_of(0));
      c2.add(error[1], fit.all.half_width_of(1));
      different.add(0.05, *fit.same_both_ways);
      planted += static_cast<double>(campaign.outliers.size());
      for (const identify::TowingOutlier& outlier : fit.outliers)
        ++(std::count(campaign.outliers.begin(), campaign.outliers.end(), outlier.run) ? named : false_alarms);
      runs += static_cast<double>(campaign.runs.size());
      lost += campaign.without_steady_part;
    }
    study_.set(key + ".drag", drag.percent(),
               fmt::format("{:.1f} % of the drag at 1 m/s on either side", half));
    study_.set(key + ".c1", c1.percent());
    study_.set(key + ".c2", c2.percent());
    study_.set(key + ".named", 100 * named / planted);
    study_.set(key + ".false", 100 * false_alarms / runs);
    study_.set(key + ".lost", 100 * lost / (runs + lost));
    if (speed_is_measured) study_.set(key + ".same", different.percent());
  }

  void decay() {
    const int campaigns = study_.setting("decays");
    RandomStream random(host_.seed, "tank decay");
    const identify::DecayRates truth = DecayPlant::nearest_rates(), small = DecayPlant::small_swing();
    std::array<Coverage, 4> held;
    double worst_mse = 0;
    for (int k = 0; k < campaigns; ++k) {
      host_.progress(0.6 + 0.4 * k / campaigns, "free decay");
      const identify::DecayFit fit = identify::fit_decay(DecayPlant::swing(random, 5));
      const Eigen::Vector4d error = fit.rates.vector() - truth.vector();
      for (int i = 0; i < 4; ++i) held[static_cast<std::size_t>(i)].add(error[i], fit.half_width(i));
      for (const identify::DecayFit::Run& run : fit.runs) worst_mse = std::max(worst_mse, run.mse);
    }
    for (std::size_t i = 0; i < 4; ++i)
      study_.set(fmt::format("decay.{}", identify::decay_names[i]), held[i].percent());
    study_.set("decay.mse", worst_mse);
    study_.set("decay.restoring_off", 100 * (truth.restoring / small.restoring - 1));
    study_.set("decay.linear_off", 100 * (truth.linear / small.linear - 1));
  }

  /// What the thesis prints, from what it prints.
  void thesis() {
    // B hangs on its side: its arm, in A's frame, is turned by a quarter.
    const Eigen::Vector2d arm_A(0, -0.0114), arm_B(0.00886, -0.0016);
    study_.set("thesis.equilibrium", degrees * identify::equilibrium_of_arm(0.5 * (arm_A + arm_B)));
    RandomStream random(host_.seed, "tank bracket");
    const identify::DragFit bracket = fit_towing(TowingPlant::tow_bracket(random).runs).all;
    study_.set("thesis.bracket_quadratic", bracket.law.c[1],
               fmt::format("+- {:.2f}", bracket.half_width_of(1)));
    study_.set("thesis.bracket_linear", bracket.law.c[0], fmt::format("+- {:.2f}", bracket.half_width_of(0)));
    const auto ratio = [&](const std::string& key, const identify::AxisDrag& tested, double tested_mass,
                           double missing_mass) {
      const identify::AxisDrag drag =
          identify::drag_by_added_mass("tested", tested, tested_mass, "missing", missing_mass).drag;
      study_.set("thesis." + key + "_quadratic", drag.quadratic);
      study_.set("thesis." + key + "_linear", drag.linear);
    };
    ratio("roll", {0.287, 0.027}, 0.0173, 0.054);
    ratio("yaw", {0.287, 0.027}, 0.0173, 0.28);
    ratio("sway", {0.19, 74.23}, 13.3, 18.5);
  }

  Study& study_;
  const Host& host_;
};

}  // namespace

void reproduce_tank(Study& study, const Host& host) { TankStudy(study, host).run(); }

}  // namespace fathom::studies
