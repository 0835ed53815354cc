#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/filter/track.hpp"
#include "fathom/log/dataset.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/model/supply.hpp"

namespace fathom::identify {

/// What drove a vehicle as its log tells it, each row good until the next: enough to make its wrench anew for
/// thrusters with another lag (thruster_lag.hpp). In single precision, and only rows that differ from the one
/// before, for it grows with the log.
struct CommandRecord {
  enum class Of {
    none,       ///< nothing is kept: a dead band or a motor stands between command and force
    thrusters,  ///< command of each thruster, in the unit of its map
    wrench      ///< X Y Z K M N [N, N m], which nothing lags
  } of = Of::none;
  double voltage = model::usual_voltage;  ///< V
  std::vector<double> t;                  ///< s
  std::vector<float> values;              ///< row after row

  std::size_t width() const { return t.empty() ? 0 : values.size() / t.size(); }
  std::span<const float> row(std::size_t k) const { return std::span(values).subspan(k * width(), width()); }
};

/// A log in the words of the equation of motion: motion and thruster wrench of one vehicle on one even clock.
struct Recording {
  std::string name;
  filter::Track track;
  /// Half the difference of the twists that even and odd samples of the sensors give, each by itself: it has
  /// the size of the error of track.nu_b, and shows what white noise of the sensors does to an estimate. Empty
  /// where that could not be told.
  Mat6X nu_split_b;
  /// Wrench of the thrusters as the robot's own model of them gives it from the commands, its mean over dt
  /// around each of the track's times, without any delay between command and motion (docs/identification.md).
  Mat6X tau_b;
  CommandRecord commands;
  /// What the channel of a robot with `command_path` asked for: a wrench [N, N m], or a pilot's six axes, its
  /// mean over dt. Empty where there is none.
  Mat6X asked;
  /// Where thrusters lose a dead band: what each was told [N], a row each, its mean over dt, and the matrix
  /// that makes a wrench of what is left of it, with the thrusters' gain in it. Empty elsewhere, and where they
  /// lag.
  Eigen::MatrixXd told;
  Mat6X told_to_wrench_b;
  double saturation = infinity;  ///< N, that tau_b has of the thrusters of `told`
  /// m/s, the current that was taken out of the track's velocities (log_currents.hpp): they are relative to it.
  Vec3 current_n = Vec3::Zero();
  /// 1 where the sample may be used: measured, commanded, within `from` and `until`.
  std::vector<char> usable;

  /// What was found on the way, for the evidence.
  struct Drop {
    std::string why;
    std::size_t samples = 0;
  };
  std::vector<Drop> dropped;
  std::vector<filter::Smoothed::Count> sensors;
  std::vector<Vec3> rate_bias_b;
  /// Constant errors of the sensors, by the sensors' names: what the log shows of them is not in the track.
  std::vector<filter::ConstantError> constant_errors;
  /// rad, about the axes of b: what is left of the constant error of the attitude. Absent: not known.
  std::optional<Vec3> attitude_sigma_b;
  /// Velocities were measured in b: an error of the attitude is not in them.
  bool velocity_in_body = false;
  double jerk = 0, angular_jerk = 0;
  Findings warnings;
  /// Sensors that contradict each other where no single repair explains it: docs/sensor-check.md.
  std::vector<std::string> contradictions;

  Eigen::Index size() const { return track.size(); }
};

/// Samples `first` to `end`, without the latter.
struct SampleRange {
  Eigen::Index first, end;
  Eigen::Index size() const { return end - first; }
};
/// Returns the stretches of usable samples, in order.
std::vector<SampleRange> usable_ranges(const std::vector<char>& usable);

/// Calls take(recording, k) for each usable sample.
template <class Take>
void each_usable(std::span<const Recording> recordings, const Take& take) {
  for (const Recording& recording : recordings)
    for (const auto& [first, end] : usable_ranges(recording.usable))
      for (Eigen::Index k = first; k < end; ++k) take(recording, k);
}

/// The wrench of a recording's thrusters where they lose that dead band and give at most `saturation` [N]; it
/// has `told`. Without a saturation it is the recording's own.
Mat6X wrench_beyond(const Recording& recording, double dead_band);
Mat6X wrench_beyond(const Recording& recording, double dead_band, double saturation);

/// For messages: "dive", or "dive and 3 other logs".
std::string names_of(std::span<const Recording> recordings);

/// Which channels of a log hold what, and how it was logged.
struct RecordingOptions {
  std::string vehicle;  ///< prefix of its channels; empty: the only one there is
  /// Of the robot, by name; empty: all that the log has. `state` is one only if it stands here: the channel
  /// `<vehicle>.state`, pose and twist, taken at its word.
  std::vector<std::string> sensors;
  std::vector<std::string> without;       ///< sensors that are left out, by name
  double voltage = model::usual_voltage;  ///< V, of the thrusters' supply
  filter::SmootherOptions smoother;
  std::optional<double> from, until;  ///< s of the log
  /// Compares sensors with each other and with the commands first, and throws where they contradict each other:
  /// docs/sensor-check.md.
  bool check_sensors = false;
  bool split = true;  ///< fills Recording::nu_split_b, which estimates alone need
};

/// Reads the channels that it needs of a folder of CSV files, and no others, or all of an .mcap file that
/// `fathom convert` wrote (docs/log-files.md). Of a folder, commands are never all in memory, so that its size
/// is that of the track and of the sensors' samples. Throws InputError: no thruster commands, commands outside
/// the map, times that repeat or go back, columns without a number, a log shorter than the smoothing needs,
/// nothing that shows the attitude or the position.
Recording read_recording(const std::filesystem::path& folder, const model::Robot& robot,
                         const model::Environment& environment, const RecordingOptions& options = {});
/// The same from memory.
Recording make_recording(const log::Dataset& dataset, const std::string& name, const model::Robot& robot,
                         const model::Environment& environment, const RecordingOptions& options = {});

}  // namespace fathom::identify
