#include "fathom/identify/vehicle/internal/recording_wrench.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "fathom/identify/vehicle/internal/recording_commands.hpp"
#include "fathom/identify/vehicle/internal/recording_sensors.hpp"

namespace fathom::identify::internal {
namespace {

/// s. Times that differ by less, such as 0.1 + 0.2 and 0.3, are one.
constexpr double clock_tolerance = 1e-9;
/// Of the steps of a periodic log; the others are what it lost.
constexpr double least_usual = 0.9;

struct Gap {
  double begin, end;  // s
};

/// Gauss and Legendre's two points, as shares of an interval.
const double gauss_share = 0.5 - 0.5 / std::sqrt(3.0);
/// s, of an interval of theirs: what transients of 0.02 s and more do is then right to 2e-5 of a change.
constexpr double longest_interval = 0.01;
/// s, where forces turn corners within it: the error falls with the square.
constexpr double longest_with_corners = 0.0025;

/// Puts an input's wrench on the track's clock while its rows go by: of each sample the mean over the interval
/// dt around it. The value at the sample would have the age of its command, none, where a command that holds is
/// half its period old on average; a delay would come out too long by that.
class Follower {
 public:
  Follower(const filter::Track& track, Input& input, double longest_gap)
      : track_(track), input_(input), longest_gap_(longest_gap) {
    data_.tau_b.setZero(6, track.size());
    if (!input.asked().empty()) data_.asked.setZero(6, track.size());
    if (!input.told().empty()) data_.told.setZero(static_cast<Eigen::Index>(input.told().size()), track.size());
    data_.unknown.assign(static_cast<std::size_t>(track.size()), Unknown::no);
  }

  WrenchData follow(Rows& rows) {
    while (rows.next()) {
      const double t = rows.t();
      if (rows_ == 0) {
        skip_to(t);
      } else {
        keep_step(t);
        go_to(t);
      }
      input_.take(rows);
      keep_commands(t);
      last_row_ = t;
      ++rows_;
    }
    if (rows_ == 0) rows.fail("has no thruster commands: a header without rows", "was the run interrupted?");
    if (next_ < track_.size()) go_to(end_of(track_.size() - 1));
    // The last command is good for as long as it lasts, which nobody knows.
    for (Eigen::Index k = track_.size() - 1; k >= 0 && track_.t(k) > last_row_ + clock_tolerance; --k)
      data_.unknown[static_cast<std::size_t>(k)] = Unknown::after_commands;
    input_.finish(rows, data_.warnings);
    judge_gaps(rows);
    return std::move(data_);
  }

 private:
  double end_of(Eigen::Index sample) const { return track_.t(sample) + track_.dt / 2; }

  /// To the first row: samples before it have the wrench of thrusters that rest.
  void skip_to(double t) {
    for (; next_ < track_.size() && track_.t(next_) < t - clock_tolerance; ++next_) {
      data_.tau_b.col(next_) = input_.wrench_b(track_.nu_b.col(next_));
      data_.unknown[static_cast<std::size_t>(next_)] = Unknown::before_commands;
    }
    now_ = t;
  }

  /// With the present commands.
  void go_to(double t) {
    while (next_ < track_.size() && now_ < t) {
      const double begin = track_.t(next_) - track_.dt / 2, end = end_of(next_);
      if (now_ < begin) {
        advance_to(std::min(begin, t));
        continue;
      }
      add_until(std::min(end, t));
      if (now_ >= end) close_sample();
    }
    if (now_ < t) advance_to(t);
  }

  void advance_to(double t) {
    input_.advance(t - now_);
    now_ = t;
  }

  /// Adds the wrench from now until `t` to the present sample.
  void add_until(double t) {
    const Vec6 nu_b = track_.nu_b.col(next_);
    const double whole = t - now_, begin = now_;
    const double longest = input_.turns_corners() ? longest_with_corners : longest_interval;
    const int parts = std::max(1, static_cast<int>(std::ceil(whole / longest - 1e-6)));
    const double part = whole / parts;
    for (int k = 0; k < parts; ++k)
      for (const double share : {gauss_share, 1 - gauss_share}) {
        advance_to(begin + (k + share) * part);
        impulse_b_ += part / 2 * input_.wrench_b(nu_b);
      }
    advance_to(t);
    add(whole, input_.asked(), data_.asked);
    add(whole, input_.told(), data_.told);
    seen_ += whole;
    if (!input_.is_known()) missing_ += whole;
  }

  /// What holds for a while, to the present sample's sum.
  void add(double seconds, std::span<const double> values, auto& sums) const {
    for (std::size_t i = 0; i < values.size(); ++i)
      sums(static_cast<Eigen::Index>(i), next_) += seconds * values[i];
  }

  void close_sample() {
    // Where commands begin within it, the mean is that of the rest.
    data_.tau_b.col(next_) = impulse_b_ / seen_;
    if (data_.asked.size() > 0) data_.asked.col(next_) /= seen_;
    if (data_.told.size() > 0) data_.told.col(next_) /= seen_;
    if (missing_ > clock_tolerance) data_.unknown[static_cast<std::size_t>(next_)] = Unknown::command_missing;
    impulse_b_.setZero();
    seen_ = missing_ = 0;
    ++next_;
  }

  void keep_commands(double t) {
    CommandRecord& kept = data_.commands;
    kept.of = input_.kind();
    if (kept.of == CommandRecord::Of::none) return;
    present_.clear();
    for (const double value : input_.commands()) present_.push_back(static_cast<float>(value));
    if (!kept.t.empty() && std::ranges::equal(present_, kept.row(kept.t.size() - 1))) return;
    kept.t.push_back(t);
    kept.values.insert(kept.values.end(), present_.begin(), present_.end());
  }

  void keep_step(double t) {
    steps_.push_back(t - last_row_);
    if (t - last_row_ > longest_gap_) gaps_.push_back({last_row_, t});
  }

  /// A command that holds is one thing, a log that lost some is another: what is far longer than the usual
  /// step, where there is a usual one. Commands that are logged when they change have none.
  void judge_gaps(const Rows& rows) {
    const Steps steps = steps_of(steps_);
    const auto usual = std::count_if(steps_.begin(), steps_.end(), [&](double step) {
      return std::abs(step - steps.median) <= 0.5 * steps.median;
    });
    if (static_cast<double>(usual) < least_usual * static_cast<double>(steps_.size())) return;
    for (const Gap& gap : gaps_) {
      if (gap.end - gap.begin < 3 * steps.median) continue;
      const double begin = gap.begin + steps.median;
      const auto first = static_cast<Eigen::Index>(std::floor((begin - track_.t0) / track_.dt - 0.5));
      for (Eigen::Index k = std::max<Eigen::Index>(0, first); k < track_.size(); ++k) {
        if (end_of(k) <= begin + clock_tolerance) continue;
        if (end_of(k) - track_.dt >= gap.end - clock_tolerance) break;
        Unknown& unknown = data_.unknown[static_cast<std::size_t>(k)];
        if (unknown == Unknown::no) unknown = Unknown::command_gap;
      }
    }
    if (steps.gaps > 0)
      data_.warnings.push_back(rows.finding(
          steps.longest > longest_gap_ ? Severity::warning : Severity::note,
          fmt::format("{} gaps in the commands, the longest {:.3g} s, at a step of {:.3g} s", steps.gaps,
                      steps.longest, steps.median),
          steps.longest > longest_gap_ ? "not used there: this log has a steady step, so rows were lost"
                                       : "a command holds until the next"));
  }

  const filter::Track& track_;
  Input& input_;
  double longest_gap_, now_ = 0, last_row_ = 0;
  Eigen::Index next_ = 0;          // sample of the track
  Vec6 impulse_b_ = Vec6::Zero();  // of its interval so far
  double seen_ = 0, missing_ = 0;  // s, of it
  std::size_t rows_ = 0;
  std::vector<float> present_;
  std::vector<double> steps_;
  std::vector<Gap> gaps_;
  WrenchData data_;
};

std::string missing_hint(const Source& source, const std::string& channel) {
  for (const std::string& unfinished : source.unfinished())
    if (unfinished == channel) return channel + ".csv.part is of a run that did not end";
  return fmt::format(
      "expected a channel '{}' with a column command_<thruster> for each thruster; the log has {}", channel,
      listed(source.channels()));
}

[[noreturn]] void reject_without(const Source& source, const std::string& prefix, const std::string& wanted,
                                 bool by_axes) {
  if (by_axes)
    source.fail(
        fmt::format("has neither '{}' nor '{}thrusters'", wanted, prefix),
        fmt::format("the robot is steered by axes: a channel with surge sway heave roll pitch yaw, -1 to "
                    "1; the log has {}",
                    listed(source.channels())));
  if (source.has(prefix + "pilot"))
    source.fail("has no thruster commands, but a pilot's axes",
                "say in the robot file that it is steered by them: command_path: {by: axes}");
  source.fail("has no thruster commands", missing_hint(source, prefix + "thrusters"));
}

struct Opened {
  Rows rows;
  std::unique_ptr<Input> input;
};

/// What each thruster was told, before all else; then what `command_path` names, or a wrench as it stands.
Opened open_input(const Source& source, const std::string& prefix, const model::Robot& robot,
                  const model::Environment& environment, double voltage) {
  const auto& command_path = robot.command_path();
  const bool by_axes = command_path && command_path->by == model::CommandPath::By::axes;
  const std::string thrusters = prefix + "thrusters", other = prefix + (by_axes ? "pilot" : "wrench");
  if (source.has(thrusters)) {
    Rows rows = source.open(thrusters);
    auto input = std::make_unique<CommandedThrusters>(rows, robot, environment, voltage);
    return {std::move(rows), std::move(input)};
  }
  if (!source.has(other)) reject_without(source, prefix, other, by_axes);
  Rows rows = source.open(other);
  auto input = by_axes        ? pilot_axes(rows, robot, environment, voltage)
               : command_path ? commanded_wrench(rows, robot, environment, voltage)
                              : logged_wrench(rows);
  return {std::move(rows), std::move(input)};
}

}  // namespace

void require_wrench(const Source& source, const std::string& prefix, const model::Robot& robot,
                    const model::Environment& environment, double voltage) {
  open_input(source, prefix, robot, environment, voltage);
}

WrenchData read_wrench(const Source& source, const std::string& prefix, const model::Robot& robot,
                       const model::Environment& environment, const RecordingOptions& options,
                       const filter::Track& track) {
  auto [rows, input] = open_input(source, prefix, robot, environment, options.voltage);
  return Follower(track, *input, options.smoother.longest_gap).follow(rows);
}

}  // namespace fathom::identify::internal
