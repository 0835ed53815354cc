#pragma once
#include <string>
#include <vector>

#include "fathom/identify/vehicle/internal/recording_source.hpp"
#include "fathom/identify/vehicle/recording.hpp"

namespace fathom::identify::internal {

/// Why nobody knows the wrench at a sample of a track.
enum class Unknown : char { no, before_commands, after_commands, command_missing, command_gap };

/// The thrusters' wrench on the clock of a track: the mean over dt around each sample.
struct WrenchData {
  Mat6X tau_b;
  CommandRecord commands;  ///< Recording::commands
  Mat6X asked;             ///< Recording::asked
  Eigen::MatrixXd told;    ///< Recording::told
  std::vector<Unknown> unknown;
  Findings warnings;
};

/// Throws InputError unless the log has commands of the robot's thrusters, or a wrench; looks at headers alone.
void require_wrench(const Source& source, const std::string& prefix, const model::Robot& robot,
                    const model::Environment& environment, double voltage);

/// From `thrusters`, or where there is no such channel from `wrench` or `pilot`, row by row: memory does not
/// grow with the channel but for eight bytes a row. `prefix` is that of the vehicle's channels, such as "rov.".
WrenchData read_wrench(const Source& source, const std::string& prefix, const model::Robot& robot,
                       const model::Environment& environment, const RecordingOptions& options,
                       const filter::Track& track);

}  // namespace fathom::identify::internal
