#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/parallel_map.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"
#include "fathom/task/demo/pool_day.hpp"

#include "studies/coverage.hpp"
#include "studies/modular/parts.hpp"
#include "studies/reproduce.hpp"

namespace fathom::studies {
namespace {

using identify::Recording;
using identify::scored_velocities;
using identify::Validation;
using namespace task::pool;
using task::IdentifyVehicleResult;

Coverage held_of(const std::vector<Estimated>& list) {
  Coverage held;
  for (const Estimated& one : list) held.add(one.holds());
  return held;
}

double seconds_since(std::clock_t before) {
  return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
}

class IdentificationStudy {
 public:
  IdentificationStudy(Study& study, const Host& host)
      : study_(study),
        host_(host),
        day_(read_pool_day(host.shared / "studies" / "pool-day")),
        problem_(excitation_problem(day_, host.shared / "problems" / "tank-defender.yaml", host.robot_folders,
                                    study.setting("starts"), study.setting("seconds"))) {}

  void run() {
    study_warp(study_);
    const trajectory::Bezier motion = design_motion(problem_, host_.seed, host_.pool);
    host_.progress(done_ = 0.05, "excitation");
    identify_plant(motion);
    swim_others();
    validate();
    track_unseen();
    count_days(motion);
  }

 private:
  void identify_plant(const trajectory::Bezier& motion) {
    const Dive swum = dive(with_motion(day_.excitation, motion), host_.seed, host_.pool.stop());
    std::clock_t before = std::clock();
    const std::vector<Recording> recordings = {record(day_, swum, "excitation")};
    study_.set("seconds.recording", seconds_since(before));
    chosen_ = identify_day(day_, recordings, "auto", bench_sigma);
    linear_ = identify_day(day_, recordings, "linear", bench_sigma);
    before = std::clock();
    const IdentifyVehicleResult all =
        identify_day(day_, recordings, chosen_->summary.structure, bench_sigma, true);
    study_.set("seconds.estimators", seconds_since(before), estimators_in_words(all.summary));
    throw_if(host_.pool.stop());
    const Coverage held =
        held_of(beside_truth(chosen_->evidence->found, day_.plant, day_.excitation.environment));
    study_.set("plant.held", held.percent(),
               fmt::format("{} of {}; structure {}", held.held, held.all, chosen_->summary.structure));
    host_.progress(done_ = 0.08, "identification");
  }

  static std::string estimators_in_words(const task::IdentifyVehicleSummary& summary) {
    std::string names;
    for (const auto& estimate : summary.estimators)
      names += (names.empty() ? "" : ", ") + estimate.name + (estimate.found ? "" : " (found nothing)");
    return names;
  }

  void swim_others() {
    trajectories_ = study_.setting("trajectories");
    const UnseenOptions options{trajectories_, static_cast<double>(study_.setting("joystick_seconds"))};
    unseen_ = dive_unseen(day_, problem_, host_.seed, options, host_.pool, [&](int ended) {
      host_.progress(done_ + 0.25 * ended / (trajectories_ + 1), "unseen swims");
    });
    done_ += 0.25;
  }

  void validate() {
    const auto count = static_cast<std::size_t>(trajectories_);
    const auto predicted = [&](const IdentifyVehicleResult& model, int members) {
      const task::Context context{.stop = host_.pool.stop(), .threads = host_.pool.size()};
      return validate_day(day_, model, unseen_.recordings, members, host_.seed, context).evidence->chosen;
    };
    const Validation all = predicted(*chosen_, study_.setting("members"));
    const Validation linear = predicted(*linear_, 0);
    tell_r2("r2", part_of(all, 0, count));
    tell_r2("r2_linear", part_of(linear, 0, count));
    tell_r2("joystick", part_of(all, count, 1));
    tell_r2("joystick_linear", part_of(linear, count, 1));
    tell_coverage("bands", part_of(all, 0, count));
    tell_coverage("joystick_bands", part_of(all, count, 1));
    host_.progress(done_ = 0.55, "validation");
  }

  void tell_r2(const std::string& key, const Validation& validation) {
    for (const int i : scored_velocities) {
      const identify::Spread r2 = validation.r2(i);
      study_.set(fmt::format("{}.{}", key, model::dof_names[static_cast<std::size_t>(i)]), r2.median,
                 r2.count > 1 ? fmt::format("{:.3f} to {:.3f}", r2.least, r2.most) : "");
    }
  }

  /// Mean over all runs and velocities; they are equally long.
  void tell_coverage(const std::string& key, const Validation& validation) {
    double sum = 0;
    std::string by_velocity;
    for (const int i : scored_velocities) {
      double of_one = 0;
      for (const identify::RecordingResult& recording : validation.recordings)
        of_one += recording.velocities[static_cast<std::size_t>(i)].coverage;
      of_one *= 100 / static_cast<double>(validation.recordings.size());
      sum += of_one;
      by_velocity += fmt::format("{}{} {:.1f}", by_velocity.empty() ? "" : ", ",
                                 model::dof_names[static_cast<std::size_t>(i)], of_one);
    }
    study_.set(key, sum / static_cast<double>(scored_velocities.size()), by_velocity);
  }

  void track_unseen() {
    const TrackingComparison tracks =
        compare_tracking(day_, chosen_->robot, unseen_.motions.front(), host_.seed, host_.pool);
    const auto rms = [](const std::optional<loop::Tracking>& tracking) {
      return tracking ? 100 * tracking->position_rms : infinity;
    };
    study_.set("tracking.alone", rms(tracks.alone));
    study_.set("tracking.nominal", rms(tracks.nominal));
    study_.set("tracking.identified", rms(tracks.identified));
    study_.set("tracking.ratio", rms(tracks.identified) / rms(tracks.alone));
    host_.progress(done_ = 0.58, "tracking");
  }

  /// Days of a plant that the fitted structure holds: how often 95 % intervals hold its values.
  void count_days(const trajectory::Bezier& motion) {
    const loop::Scenario scenario = with_motion(day_.in_class, motion);
    const int days = study_.setting("days"), refined_days = study_.setting("refined_days");
    const auto one = [&](int k) {
      const Dive swum = dive(scenario, host_.seed + static_cast<std::uint64_t>(k), host_.pool.stop());
      const std::vector<Recording> recordings = {record(day_, swum, "day")};
      const IdentifyVehicleResult model = identify_day(day_, recordings, "quadratic", 0);
      const auto beside = [&](const identify::Identified& found) {
        return beside_truth(found, day_.in_class_plant, day_.in_class.environment);
      };
      Day day{beside(model.evidence->found), {}};
      if (k < refined_days) {
        identify::IdentifyOptions how;
        how.fit.attitude_sigma = identify::attitude_sigma(day_.nominal);
        identify::Identified refined = model.evidence->found;
        identify::refine(recordings, day_.nominal, day_.excitation.environment, how, refined);
        day.refined = beside(refined);
      }
      return day;
    };
    std::vector<std::vector<Estimated>> fitted, refined;
    for (Day& day : parallel_map(host_.pool, days, one, [&](int ended) {
           host_.progress(done_ + (1 - done_) * ended / days, fmt::format("day {} of {}", ended, days));
         })) {
      fitted.push_back(std::move(day.fitted));
      if (!day.refined.empty()) refined.push_back(std::move(day.refined));
    }
    tell_days("days", "days.worst", fitted);
    tell_days("days.refined", "days.refined_worst", refined);
    study_.set("days.naive",
               share_held(fitted, [](const Estimated& each) { return each.naive_holds(); }).mean());
  }

  struct Day {
    std::vector<Estimated> fitted, refined;
  };

  /// Of each parameter, over the days [%].
  template <class Holds>
  static Eigen::VectorXd share_held(const std::vector<std::vector<Estimated>>& days, const Holds& holds) {
    Eigen::VectorXd share(static_cast<Eigen::Index>(days.front().size()));
    for (std::size_t k = 0; k < days.front().size(); ++k) {
      Coverage held;
      for (const auto& day : days) held.add(holds(day[k]));
      share[static_cast<Eigen::Index>(k)] = held.percent();
    }
    return share;
  }

  void tell_days(const std::string& all, const std::string& worst,
                 const std::vector<std::vector<Estimated>>& days) {
    const Eigen::VectorXd held = share_held(days, [](const Estimated& each) { return each.holds(); });
    Eigen::Index at = 0;
    const double least = held.minCoeff(&at);
    study_.set(all, held.mean(), fmt::format("{} parameters, {} days", held.size(), days.size()));
    study_.set(worst, least, days.front()[static_cast<std::size_t>(at)].name);
  }

  Study& study_;
  const Host& host_;
  PoolDay day_;
  excite::Problem problem_;
  double done_ = 0;
  std::optional<IdentifyVehicleResult> chosen_, linear_;
  int trajectories_ = 0;
  Unseen unseen_;
};

}  // namespace

void reproduce_identification(Study& study, const Host& host) { IdentificationStudy(study, host).run(); }

}  // namespace fathom::studies
