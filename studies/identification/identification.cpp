#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/parallel_map.hpp"
#include "fathom/identify/vehicle/scored_velocities.hpp"
#include "fathom/model/candidates.hpp"

#include "studies/modular/parts.hpp"
#include "studies/pool-day/day_model.hpp"
#include "studies/reproduce.hpp"

namespace fathom::studies {
namespace {

using identify::Recording;
using identify::scored_velocities;
using identify::Validation;

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
    const Swim swum = swim(with_motion(day_.excitation, motion), host_.seed, host_.pool.stop());
    std::clock_t before = std::clock();
    const std::vector<Recording> recordings = {record(day_, swum, "excitation")};
    study_.set("seconds.recording", seconds_since(before));
    chosen_ = identify_day(day_, recordings, model::candidate_structures(day_.nominal), bench_sigma);
    linear_ = identify_day(day_, recordings, {model::candidate("linear", day_.nominal)}, bench_sigma);
    before = std::clock();
    const DayModel all = identify_day(day_, recordings, {chosen_->identified.structure}, bench_sigma, true);
    study_.set("seconds.estimators", seconds_since(before), estimators_in_words(all.identified));
    throw_if(host_.pool.stop());
    const Coverage held = held_of(beside_truth(chosen_->identified, day_.plant, day_.excitation.environment));
    study_.set("plant.held", held.percent(),
               fmt::format("{} of {}; structure {}", held.held, held.all, chosen_->identified.structure.name));
    host_.progress(done_ = 0.08, "identification");
  }

  static std::string estimators_in_words(const identify::Identified& identified) {
    std::string names;
    for (const identify::Estimate& estimate : identified.estimates)
      names += (names.empty() ? "" : ", ") + estimate.name + (estimate.found ? "" : " (found nothing)");
    return names;
  }

  void swim_others() {
    trajectories_ = study_.setting("trajectories");
    const UnseenOptions options{trajectories_, static_cast<double>(study_.setting("joystick_seconds"))};
    unseen_ = swim_unseen(day_, problem_, host_.seed, options, host_.pool, [&](int ended) {
      host_.progress(done_ + 0.25 * ended / (trajectories_ + 1), "unseen swims");
    });
    done_ += 0.25;
  }

  void validate() {
    const auto count = static_cast<std::size_t>(trajectories_);
    const identify::BandOptions band{.members = study_.setting("members"), .seed = host_.seed};
    const Validation all = validate_day(day_, *chosen_, unseen_.recordings, band, host_.pool);
    throw_if(host_.pool.stop());
    const Validation linear = validate_day(day_, *linear_, unseen_.recordings, {}, host_.pool);
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
        compare_tracking(day_, *chosen_, unseen_.motions.front(), host_.seed, host_.pool);
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
    const model::Structure structure = model::candidate("quadratic", day_.nominal);
    const int days = study_.setting("days"), refined_days = study_.setting("refined_days");
    const auto one = [&](int k) {
      const Swim swum = swim(scenario, host_.seed + static_cast<std::uint64_t>(k), host_.pool.stop());
      const std::vector<Recording> recordings = {record(day_, swum, "day")};
      const DayModel model = identify_day(day_, recordings, {structure}, 0);
      const auto beside = [&](const identify::Identified& found) {
        return beside_truth(found, day_.in_class_plant, day_.in_class.environment);
      };
      Day day{beside(model.identified), {}};
      if (k < refined_days) day.refined = beside(refined_day(day_, recordings, model.identified, 0));
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
  std::optional<DayModel> chosen_, linear_;
  int trajectories_ = 0;
  Unseen unseen_;
};

}  // namespace

void reproduce_identification(Study& study, const Host& host) { IdentificationStudy(study, host).run(); }

}  // namespace fathom::studies
