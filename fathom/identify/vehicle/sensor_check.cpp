#include "fathom/identify/vehicle/sensor_check.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <Eigen/LU>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/vehicle/internal/check_clocks.hpp"
#include "fathom/identify/vehicle/internal/check_commands.hpp"
#include "fathom/identify/vehicle/internal/check_limits.hpp"
#include "fathom/identify/vehicle/internal/check_part.hpp"
#include "fathom/identify/vehicle/internal/check_repairs.hpp"

namespace fathom::identify {
namespace {

using internal::Checked;
using internal::CheckMotion;
using internal::CheckRepair;
using internal::CommandFit;
using internal::CommandFloor;
using internal::PairMisfit;

constexpr double longest_step = 0.5;     // s: slower sensors are not compared
constexpr double shortest_checked = 20;  // s
/// A repair must beat the log as it is, and every other repair, by this.
constexpr double decisive = 2;
/// Misfit of sensors that agree: noise and neglected effects may be off by as much without a message.
constexpr double harmless = 2;
/// The misfit as it is from which on sensors contradict each other.
constexpr double contradictory = 6;
/// From here on repairs are tried: one may show that the commands explain more than they do as it is.
constexpr double suspicious = 4;
constexpr double longest_latency = 1;  // s, of a sensor that a robot file may state
/// Share of the motion by which two sensors differ, and its misfit, from which on a difference that nothing
/// explains is more than the comparison neglects.
constexpr double large_difference = 0.7, large_misfit = 15;
/// Less is not even worth a note: an axis that hardly moves has a misfit by small errors of mounting.
constexpr double notable_difference = 0.3;

double sum_of(const std::vector<PairMisfit>& pairs) {
  double sum = 0;
  for (const PairMisfit& pair : pairs) sum += pair.misfit;
  return sum;
}

std::vector<PairMisfit> both_of(std::vector<PairMisfit> a, std::vector<PairMisfit> b) {
  a.insert(a.end(), std::make_move_iterator(b.begin()), std::make_move_iterator(b.end()));
  return a;
}

CheckMotion on_one_clock(const CheckedLog& log) {
  const std::array<const std::optional<CheckedSensor>*, 6> sensors = {
      &log.attitude, &log.rate, &log.acceleration, &log.velocity, &log.depth, &log.position};
  CheckMotion motion;
  std::vector<internal::SampleTimes> times;
  std::array<bool, 6> is_used{};
  for (std::size_t i = 0; i < sensors.size(); ++i) {
    if (!*sensors[i] || (*sensors[i])->readings.t.size() < 2) continue;
    const filter::Readings& readings = (*sensors[i])->readings;
    const double step = internal::usual_step_of(readings);
    if (!(step > 0 && step <= longest_step)) continue;
    is_used[i] = true;
    motion.blur = std::max(motion.blur, step);
    times.emplace_back((*sensors[i])->channel, readings.t);
  }
  const auto part = internal::checked_part(times);
  if (!part || !(part->until - part->from >= shortest_checked)) return motion;
  motion.clock = {part->from, static_cast<Eigen::Index>((part->until - part->from) / internal::CheckClock::dt)};
  for (std::size_t i = 0; i < sensors.size(); ++i)
    if (is_used[i])
      motion.series[i] = internal::on_clock((*sensors[i])->channel, (*sensors[i])->readings, motion.clock,
                                            motion.blur, i == static_cast<std::size_t>(Checked::attitude));
  return motion;
}

/// Means of commands that hold until the next over the intervals of the clock.
Eigen::MatrixXd held(const CheckedCommands& commands, const internal::CheckClock& clock) {
  const double dt = internal::CheckClock::dt;
  Eigen::MatrixXd means = Eigen::MatrixXd::Constant(commands.inputs.rows(), clock.size, nan);
  const std::size_t count = commands.t.size();
  if (count < 2) return means;
  std::size_t i = 0;
  for (Eigen::Index k = 0; k < clock.size; ++k) {
    double from = clock.t(k) - dt / 2;
    const double until = from + dt;
    if (from < commands.t.front() || until > commands.t.back()) continue;
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(commands.inputs.rows());
    while (from < until) {
      while (i + 1 < count && commands.t[i + 1] <= from) ++i;
      const double next = i + 1 < count ? std::min(until, commands.t[i + 1]) : until;
      sum += (next - from) * commands.inputs.col(static_cast<Eigen::Index>(i));
      from = next;
    }
    means.col(k) = sum / dt;
  }
  return means;
}

void add_commands(const CheckedCommands& commands, CheckMotion& motion) {
  if (commands.t.size() < 2 || motion.clock.size == 0) return;
  motion.commands = {
      commands.channel, commands.thrusters, {}, commands.mass.inverse() * commands.to_wrench_b, commands.lag};
  const Eigen::MatrixXd inputs = held(commands, motion.clock);
  motion.commands.inputs = internal::blurred_rows(inputs, motion.blur);
}

/// Everything about one log, as it is and with repairs.
class Check {
 public:
  explicit Check(const CheckedLog& log) : log_(log), motion_(on_one_clock(log)) {
    if (log.commands) add_commands(*log.commands, motion_);
    if (motion_.commands.known() &&
        internal::origin_velocity(motion_, internal::rate_of_body(motion_)).cols() == 0 &&
        internal::rate_of_body(motion_).cols() == 0)
      motion_.commands = {};
  }

  std::vector<Contradiction> find() {
    std::vector<Contradiction> found;
    if (motion_.clock.size == 0) return found;
    kinematic_ = internal::kinematic_misfits(motion_);
    if (motion_.commands.known()) {
      floor_ = internal::command_floor(motion_);
      command_ = internal::command_misfit(motion_, floor_);
      drift_ = internal::drift_of_commands(motion_);
      clock_misfit_ = clock_misfit_of(floor_, drift_);
      if (clock_misfit_ > 0 && !command_.empty())
        command_.push_back(
            {"time", {command_.front().channels.front(), motion_.commands.channel}, clock_misfit_, 0, {}});
      if (const double apart = apart_misfit_of(floor_.apart); apart > 0 && command_.size() > 1)
        kinematic_.push_back(
            {fmt::format("time: turns follow the commands {:.2f} s {} than the linear motion does",
                         std::abs(floor_.apart), floor_.apart > 0 ? "later" : "earlier"),
             {command_[1].channels.front(), command_[0].channels.front()},
             apart,
             0,
             {}});
    }
    pairs_ = both_of(kinematic_, command_);
    as_is_ = sum_of(pairs_) + harmless;
    if (as_is_ >= suspicious) {
      score_repairs();
      if (as_is_ >= contradictory) judge(found);
    }
    judge_mass(found);
    return found;
  }

 private:
  static double clock_misfit_of(const CommandFloor& floor, const internal::CommandDrift& drift) {
    constexpr double early_sigma = 0.05;  // s
    return drift.gain + std::pow(floor.too_early / early_sigma, 2);
  }

  /// Of the sensors of linear motion and of turns, which follow the same commands. On logs whose clocks agree
  /// the delays are within .05 s of each other.
  static double apart_misfit_of(double apart) {
    constexpr double usual = 0.05, sigma = 0.06;  // s
    return std::pow(std::max(0.0, std::abs(apart) - usual) / sigma, 2);
  }

  /// By how much a clock repair brings turns and linear motion together, if it moves the sensors of one alone.
  double apart_misfit_with(const std::string& channel, double late) const {
    if (floor_.apart == 0 || command_.size() < 2) return 0;
    const bool turns = command_[1].channels.front() == channel, moves = command_[0].channels.front() == channel;
    return apart_misfit_of(floor_.apart - (turns ? late : 0) + (moves ? late : 0));
  }

  /// With the commands where they may matter.
  double misfit_with(const CheckMotion& repaired, double kinematic, bool is_clock) const {
    if (!motion_.commands.known()) return kinematic + harmless;
    if (is_clock) return kinematic + sum_of(internal::command_misfit(repaired, floor_)) + harmless;
    const CommandFit fit = likely_fit(repaired);
    return misfit_above(lowered(floor_, fit), repaired, fit, kinematic);
  }

  CommandFit likely_fit(const CheckMotion& motion) const {
    const internal::DelayRange likely = internal::likely_delays(motion_.commands);
    return CommandFit(motion, std::clamp(floor_.delay, likely.first, likely.last));
  }

  /// What commands explained before, they must explain still: a repair that makes noise of a motion is none.
  static CommandFloor lowered(CommandFloor floor, const CommandFit& fit) {
    for (std::size_t axis = 0; axis < 6; ++axis)
      if (const int i = static_cast<int>(axis); fit.knows(i))
        floor.left_over[axis] = std::min(floor.left_over[axis], fit.left_over_freely(i));
    return floor;
  }

  double misfit_above(const CommandFloor& floor, const CheckMotion& motion, const CommandFit& fit,
                      double kinematic) const {
    return kinematic + clock_misfit_ +
           sum_of(internal::command_misfit(motion, floor, fit, motion_.commands.to_rate)) + harmless;
  }

  /// Where the best repair lets the commands explain more, the log as it is and the repairs beside the best are
  /// judged by that: roll and pitch that are swapped leave so much unexplained that no matrix looks wrong.
  void judge_by_best_repair(const std::vector<double>& kinematic) {
    constexpr std::size_t most = 6;
    if (!motion_.commands.known() || scores_.empty()) return;
    std::vector<Score*> best;
    for (Score& score : scores_) best.push_back(&score);
    std::sort(best.begin(), best.end(), [](const Score* a, const Score* b) { return a->misfit < b->misfit; });
    if (decisive * best.front()->misfit > as_is_) return;
    best.resize(std::min(most, best.size()));
    CommandFloor floor = floor_;
    for (Score* score : best) {
      CheckMotion repaired = motion_;
      repairs_[score->repair].apply(repaired);
      const CommandFit fit = likely_fit(repaired);
      if (score == best.front()) {
        floor = lowered(floor, fit);
        continue;
      }
      score->misfit = std::max(score->misfit, misfit_above(floor, repaired, fit, kinematic[score->repair]));
    }
    as_is_ = std::max(as_is_, misfit_above(floor, motion_, likely_fit(motion_), sum_of(kinematic_)));
  }

  void score_repairs() {
    repairs_ = internal::repairs_of_values(motion_);
    const std::size_t of_values = repairs_.size();
    std::vector<double> kinematic(of_values);
    double least = infinity;
    for (std::size_t i = 0; i < of_values; ++i) {
      CheckMotion repaired = motion_;
      repairs_[i].apply(repaired);
      kinematic[i] = sum_of(internal::kinematic_misfits(repaired)) + apart_misfit_of(floor_.apart);
      least = std::min(least, kinematic[i]);
    }
    // Commands cost more, and cannot save a repair that other sensors rule out.
    for (std::size_t i = 0; i < of_values; ++i) {
      const double rough = kinematic[i] + harmless;
      if (rough > 4 * (std::min(least, sum_of(kinematic_)) + harmless)) {
        scores_.push_back({i, rough + sum_of(command_)});
        continue;
      }
      CheckMotion repaired = motion_;
      repairs_[i].apply(repaired);
      scores_.push_back({i, misfit_with(repaired, kinematic[i], false)});
    }
    judge_by_best_repair(kinematic);
    if (clock_misfit_ > 0 || floor_.apart != 0) judge_clocks_anew(kinematic);
    score_clocks();
    score_thrusters();
  }

  /// A wrong sensor makes commands look early. Repaired it need not: the best repairs get the misfit that the
  /// clock of the commands has with them, if they explain a contradiction between sensors.
  void judge_clocks_anew(const std::vector<double>& kinematic) {
    constexpr std::size_t most = 4;
    const double as_is = sum_of(kinematic_) + harmless;
    if (as_is < contradictory) return;
    std::vector<Score*> best;
    for (Score& score : scores_)
      if (decisive * (kinematic[score.repair] + harmless) <= as_is) best.push_back(&score);
    std::sort(best.begin(), best.end(), [](const Score* a, const Score* b) { return a->misfit < b->misfit; });
    best.resize(std::min(most, best.size()));
    for (Score* score : best) {
      CheckMotion repaired = motion_;
      repairs_[score->repair].apply(repaired);
      const CommandFloor floor = internal::command_floor(repaired);
      const double clock = clock_misfit_of(floor, internal::drift_of_commands(repaired)) +
                           apart_misfit_of(floor.apart) - apart_misfit_of(floor_.apart);
      score->misfit = std::min(score->misfit, kinematic[score->repair] + clock + harmless +
                                                  sum_of(internal::command_misfit(repaired, floor)));
    }
  }

  void add_score(CheckRepair repair, double misfit) {
    repairs_.push_back(std::move(repair));
    scores_.push_back({repairs_.size() - 1, misfit});
  }

  void score_clocks() {
    std::set<std::string> channels;
    for (const internal::CheckSeries& series : motion_.series)
      if (series.known()) channels.insert(series.channel);
    if (motion_.commands.known()) channels.insert(motion_.commands.channel);
    for (const std::string& channel : channels) {
      const bool is_command = motion_.commands.known() && channel == motion_.commands.channel;
      for (const internal::ClockSlip& slip : is_command ? internal::command_clock_slips(motion_, floor_, drift_)
                                                        : internal::clock_slips(motion_, channel)) {
        CheckMotion repaired = motion_;
        internal::shift_channel(repaired, channel, slip.late, slip.rate);
        double misfit = misfit_with(repaired, sum_of(internal::kinematic_misfits(repaired)), true) +
                        apart_misfit_with(channel, slip.late);
        // A constant slip leaves the drift.
        misfit += !is_command ? clock_misfit_ : slip.rate != 0 ? 0 : drift_.gain;
        const bool drifts = slip.rate != 0;
        const std::string hint =
            is_command
                ? (drifts ? fmt::format(
                                "log description, channels.{}.clock: its `unit` or `rate`; the clock of the "
                                "commands and that of the sensors differ",
                                channel)
                          : fmt::format("log description, channels.{}.clock: `offset: {:.2f}`", channel,
                                        -slip.late))
                : (drifts
                       ? fmt::format("`fathom align` brings {} to the clock of the others", channel)
                       : fmt::format("`fathom align` measures the offset and takes it off; or log description, "
                                     "channels.{}.clock: `offset: {:.2f}`; or `latency` of the sensor in the "
                                     "robot file",
                                     channel, -slip.late));
        add_score(
            {"clock " + channel,
             channel,
             drifts ? fmt::format("its clock runs {:.1f} % {}", 100 * std::abs(slip.rate),
                                  slip.rate > 0 ? "fast" : "slow")
             : is_command
                 ? fmt::format("its commands' clock is {:.2f} s {}", std::abs(slip.late),
                               slip.late > 0 ? "late: the vehicle moves before it is commanded" : "early")
                 : fmt::format("it is {:.2f} s {}", std::abs(slip.late), slip.late > 0 ? "late" : "early"),
             hint,
             !is_command && !drifts && slip.late > 0 && slip.late < longest_latency,
             {}},
            misfit);
      }
    }
  }

  void score_thrusters() {
    if (!motion_.commands.known()) return;
    const internal::DelayRange likely = internal::likely_delays(motion_.commands);
    const CommandFit fit(motion_, std::clamp(floor_.delay, likely.first, likely.last));
    CommandFloor floor = floor_;
    for (int axis = 0; axis < 6; ++axis)
      if (fit.knows(axis)) floor.left_over[static_cast<std::size_t>(axis)] = fit.left_over_freely(axis);
    const Eigen::MatrixXd& as_is = motion_.commands.to_rate;
    const auto& names = motion_.commands.thrusters;
    const std::string& channel = motion_.commands.channel;
    const double kinematic = sum_of(kinematic_) + clock_misfit_ + harmless;
    const auto add = [&](const std::string& group, const std::string& text, const std::string& remedy,
                         const Eigen::MatrixXd& to_rate) {
      add_score({group, channel, text, remedy, false, {}},
                kinematic + sum_of(internal::command_misfit(motion_, floor, fit, to_rate)));
    };
    add("all reversed", "all commands have the wrong sign",
        "`sign: -1` in the log description, or the signs of all "
        "`direction`s in the robot file",
        -as_is);
    if (names.empty()) {
      constexpr std::array axes = {"X", "Y", "Z", "K", "M", "N"};
      Vec6 flu;
      flu << 1, -1, -1, 1, -1, -1;
      add("wrench FLU", "the wrench is of FLU axes, called FRD (or the other way round)",
          fmt::format("log description, channels.{}.vectors: `axes: FLU`", channel), as_is * flu.asDiagonal());
      for (Eigen::Index i = 0; i < 6; ++i) {
        Vec6 signs = Vec6::Ones();
        signs[i] = -1;
        add(fmt::format("wrench sign {}", i),
            fmt::format("{} has the wrong sign", axes[static_cast<std::size_t>(i)]),
            fmt::format("log description, channels.{}: the sign of that column", channel),
            as_is * signs.asDiagonal());
      }
      return;
    }
    const auto count = static_cast<Eigen::Index>(names.size());
    const auto name = [&](Eigen::Index i) { return names[static_cast<std::size_t>(i)]; };
    for (Eigen::Index i = 0; i < count; ++i) {
      Eigen::MatrixXd changed = as_is;
      changed.col(i) *= -1;
      add("reversed " + name(i), fmt::format("thruster {} is reversed", name(i)),
          fmt::format(
              "robot file, thrusters.{}: the sign of `direction` (or the wiring; or `sign: -1` of command_{} "
              "in the log description)",
              name(i), name(i)),
          changed);
      for (Eigen::Index j = i + 1; j < count; ++j) {
        Eigen::MatrixXd swapped = as_is;
        swapped.col(i).swap(swapped.col(j));
        add(fmt::format("swapped {} {}", name(i), name(j)),
            fmt::format("thrusters {} and {} are swapped", name(i), name(j)),
            fmt::format(
                "log description, channels.{}.columns: swap command_{} and command_{}; or swap the names in "
                "the robot file",
                channel, name(i), name(j)),
            swapped);
      }
    }
  }

  void judge(std::vector<Contradiction>& found) {
    std::sort(scores_.begin(), scores_.end(), [](const auto& a, const auto& b) { return a.misfit < b.misfit; });
    const auto& best = scores_.front();
    const CheckRepair& repair = repairs_[best.repair];
    double next = as_is_;
    std::vector<std::string> rivals;
    bool may_be_mounting = repair.may_be_mounting;
    for (const auto& score : scores_) {
      if (score.misfit < decisive * best.misfit) may_be_mounting |= repairs_[score.repair].may_be_mounting;
      if (repairs_[score.repair].group == repair.group) continue;
      next = std::min(next, score.misfit);
      if (score.misfit < decisive * best.misfit && rivals.size() < 3)
        rivals.push_back(fmt::format("{}: {}", repairs_[score.repair].channel, repairs_[score.repair].text));
    }
    const bool is_better = decisive * best.misfit <= as_is_;
    Contradiction out{.as_is = as_is_, .repaired = best.misfit};
    if (is_better && decisive * best.misfit <= next) {
      out.named = true;
      out.channels = {repair.channel};
      for (const PairMisfit& pair : pairs_)
        if (pair.misfit > 0.1 * (as_is_ - harmless) &&
            std::find(pair.channels.begin(), pair.channels.end(), repair.channel) != pair.channels.end())
          for (const std::string& other : pair.channels)
            if (std::find(out.channels.begin(), out.channels.end(), other) == out.channels.end())
              out.channels.push_back(other);
      out.may_be_mounting = repair.may_be_mounting;
      out.message =
          fmt::format("{} contradicts {}: {} (misfit {:.2g}; {:.2g} repaired, {:.2g} by the next best repair)",
                      repair.channel, others_of(out.channels), repair.text, as_is_, best.misfit, next);
      out.remedy = repair.remedy;
      found.push_back(std::move(out));
      return;
    }
    // Sensors that contradict each other say more than commands, which go through a model of the vehicle.
    const auto& worst_of = sum_of(kinematic_) + harmless >= contradictory ? kinematic_ : pairs_;
    const PairMisfit& worst = *std::max_element(
        worst_of.begin(), worst_of.end(), [](const auto& a, const auto& b) { return a.misfit < b.misfit; });
    // A clock has no share of the motion.
    if (!is_better && worst.size > 0 && worst.size < notable_difference) return;
    out.is_slight =
        !is_better && worst.size > 0 && (worst.size < large_difference || worst.misfit < large_misfit);
    out.channels = worst.channels;
    out.may_be_mounting = may_be_mounting || !is_better;
    out.message = fmt::format("{} and {} {} in {}", worst.channels[0], worst.channels[1],
                              out.is_slight ? "do not quite agree" : "contradict each other", worst.what);
    if (worst.size > 0) out.message += fmt::format(": they differ by {:.0f} % of the motion", 100 * worst.size);
    if (is_better) {
      out.message += fmt::format("; several repairs explain it alike: {}: {}; {}", repair.channel, repair.text,
                                 join(rivals, "; "));
      out.remedy = "check them one by one: " + repair.remedy;
    } else {
      out.message += "; no single change of unit, sign, axes or clock explains it";
      out.remedy = "look at both in a plot; `--sensors` leaves one out";
    }
    found.push_back(std::move(out));
  }

  static std::string others_of(const std::vector<std::string>& channels) {
    if (channels.size() < 2) return "the others";
    return join(std::span(channels).subspan(1), " and ");
  }

  /// Of body and water, as the commands' forces and the acceleration show them.
  struct ShownMass {
    double lightest = infinity;  ///< kg, of the linear axes, less what its fit may be off by
    double dry = 0, sigma = 0;   ///< kg, without the added mass of the file
    bool turns_too_fast = false;
    bool is_known() const { return std::isfinite(lightest); }
  };

  ShownMass shown_mass() const {
    ShownMass out;
    constexpr double rough_fit = 0.1,
                     rough_added = 0.4;  // shares that are off, of the mass and of the added mass
    const internal::DelayRange likely = internal::likely_delays(motion_.commands);
    const CommandFit fit(motion_, std::clamp(floor_.delay, likely.first, likely.last));
    const Mat6& mass = log_.commands->mass;
    double weights = 0, turning = 0;
    for (const int axis : {0, 1, 2, 5}) {
      if (!fit.knows(axis) || 1 - floor_.left_over[static_cast<std::size_t>(axis)] < 0.5) continue;
      const CommandFit::Factor factor = fit.factor(axis, motion_.commands.to_rate);
      if (!(factor.value > 10 * factor.sigma)) continue;
      if (axis == 5) {
        turning = std::log(factor.value);
        continue;
      }
      const double whole = mass(axis, axis) / factor.value, added = mass(axis, axis) - log_.commands->dry_mass;
      const double weight = 1 / (std::pow(rough_fit * whole, 2) + std::pow(rough_added * added, 2));
      weights += weight;
      out.dry += weight * (whole - added);
      out.lightest = std::min(out.lightest, mass(axis, axis) / (factor.value - 3 * factor.sigma));
    }
    out.dry /= weights;
    out.sigma = std::sqrt(1 / weights);
    out.turns_too_fast = turning > std::log(1.6);
    return out;
  }

  /// The dry body alone cannot be heavier than body and water together are, nor much heavier than what moves
  /// without the file's added mass.
  void judge_mass(std::vector<Contradiction>& found) const {
    if (!found.empty() || !motion_.commands.known() || !log_.commands || !(log_.commands->dry_mass > 0)) return;
    const ShownMass shown = shown_mass();
    const double dry = log_.commands->dry_mass;
    // What the file allows for its mass, and what the rough fit may be off by.
    const double share = std::clamp(2 * log_.commands->dry_mass_sigma / dry, 0.1, 0.2);
    const double most = std::min(shown.lightest, shown.dry + 2 * shown.sigma);
    if (!shown.is_known() || dry * (1 - share) < most) return;
    constexpr double pounds = 2.2046;
    Contradiction out{.channels = {"robot file", motion_.commands.channel}, .as_is = dry / most};
    out.named = !shown.turns_too_fast;
    out.message = fmt::format(
        "the robot file's dry mass of {:.4g} kg contradicts {}: by its forces and the measured acceleration "
        "the body weighs {:.3g} kg at most",
        dry, motion_.commands.channel, most);
    if (shown.turns_too_fast) {
      out.message += "; turns are too fast for the file's inertia as well";
      out.remedy =
          "robot file: thruster forces in lbf or kgf called N, the supply voltage, or `mass` and `inertia`";
    } else {
      out.message += fmt::format("; a mass in pounds called kg? {:.4g} lb are {:.4g} kg", dry, dry / pounds);
      out.remedy = fmt::format("hull or robot file: `mass: {{value: {:.4g}}}` [kg]", dry / pounds);
    }
    found.push_back(std::move(out));
  }

  const CheckedLog& log_;
  CheckMotion motion_;
  std::vector<PairMisfit> kinematic_, command_, pairs_;
  CommandFloor floor_;
  internal::CommandDrift drift_;
  double as_is_ = 0, clock_misfit_ = 0;
  std::vector<CheckRepair> repairs_;
  struct Score {
    std::size_t repair;
    double misfit;
  };
  std::vector<Score> scores_;
};

}  // namespace

std::vector<Contradiction> find_contradictions(CheckedLog log) {
  std::vector<Contradiction> found = internal::beyond_limits(log);
  std::vector<Contradiction> others = Check(log).find();
  if (others.empty()) others = internal::beyond_speeds(log);
  found.insert(found.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  return found;
}

}  // namespace fathom::identify
