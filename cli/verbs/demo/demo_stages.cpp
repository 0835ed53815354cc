#include <algorithm>

#include <fmt/format.h>

#include "fathom/identify/vehicle/scored_velocities.hpp"
#include "fathom/model/candidates.hpp"

#include "cli/shipped.hpp"
#include "cli/terminal/interrupt.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/verbs/demo/demo_result.hpp"

namespace fathom::cli {
namespace {

constexpr double least_r2 = 0.9, least_r2_yaw = 0.85;

bool predicts(const identify::Validation& validation, int velocity) {
  return validation.r2(velocity).median >= (velocity == 5 ? least_r2_yaw : least_r2);
}

}  // namespace

DemoResult run_demo(const DemoSizes& sizes, std::uint64_t seed, int threads, OutputFolder& out) {
  ThreadPool pool(threads, was_interrupted);
  Progress progress("pool day");
  const auto stage = [&](double share, const char* name) {
    throw_if_interrupted();
    progress.at(share, name);
  };
  studies::PoolDay day = studies::read_pool_day(study_folder("pool-day"));
  const std::filesystem::path log = out.log_folder(swim_log);
  const std::filesystem::path other_log = out.log_folder(unseen_log);

  stage(0, "excite");
  excite::Problem problem = studies::excitation_problem(day, find_problem_file("tank-defender"),
                                                        robot_folders(), sizes.starts, sizes.seconds);
  trajectory::Bezier motion = studies::design_motion(problem, seed, pool);
  stage(0.1, "swim");
  studies::Swim swim =
      studies::swim_to(log, studies::with_motion(day.excitation, motion), seed, was_interrupted);
  stage(0.15, "identify");
  std::vector<identify::Recording> swum = {read_log(day, log, "excitation")};
  studies::DayModel chosen =
      identify_day(day, swum, model::candidate_structures(day.nominal), studies::bench_sigma);
  stage(0.4, "identify");
  studies::DayModel linear =
      identify_day(day, swum, {model::candidate("linear", day.nominal)}, studies::bench_sigma);
  stage(0.45, "swim what is not seen yet");
  studies::Unseen unseen = swim_unseen(
      day, problem, seed, {sizes.trajectories, sizes.joystick_seconds, other_log}, pool, [&](int ended) {
        progress.at(0.45 + 0.25 * ended / (sizes.trajectories + 1), "swim what is not seen yet");
      });
  stage(0.7, "validate");
  const identify::BandOptions band{.members = sizes.members, .seed = seed};
  identify::Validation validation = validate_day(day, chosen, unseen.recordings, band, pool);
  identify::Validation linear_validation = validate_day(day, linear, unseen.recordings, {}, pool);
  stage(0.9, "use");
  studies::TrackingComparison tracking = compare_tracking(day, chosen, unseen.motions.front(), seed, pool);
  stage(1, "report");
  auto parameters = studies::beside_truth(chosen.identified, day.plant, day.excitation.environment);
  return {seed,
          sizes,
          std::move(day),
          std::move(problem),
          std::move(motion),
          std::move(swim.statistics),
          !swim.failed,
          std::move(swum),
          std::move(chosen),
          std::move(linear),
          std::move(parameters),
          std::move(unseen),
          std::move(validation),
          std::move(linear_validation),
          tracking};
}

int DemoResult::held() const { return studies::held_of(parameters).held; }

identify::Validation DemoResult::trajectories(const identify::Validation& of) const {
  return studies::part_of(of, 0, of.recordings.size() - 1);
}
identify::Validation DemoResult::joystick(const identify::Validation& of) const {
  return studies::part_of(of, of.recordings.size() - 1, 1);
}

std::vector<DemoResult::Check> DemoResult::checks() const {
  std::vector<Check> list = {{"the swim went to its end", swum_to_the_end}};
  const identify::Validation paths = trajectories(validation), pilot = joystick(validation);
  for (const int i : identify::scored_velocities) {
    const double limit = i == 5 ? least_r2_yaw : least_r2;
    list.push_back(
        {fmt::format("R2 of {} >= {} on unseen motions and at the joystick", model::dof_name(i), limit),
         predicts(paths, i) && predicts(pilot, i)});
  }
  list.push_back({"the feed-forward of the identified robot helps", tracking.model_helps()});
  return list;
}

bool DemoResult::good() const {
  const std::vector<Check> list = checks();
  return std::all_of(list.begin(), list.end(), [](const Check& check) { return check.holds; });
}

}  // namespace fathom::cli
