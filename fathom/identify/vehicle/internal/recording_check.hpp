#pragma once
#include <string>
#include <vector>

#include "fathom/identify/vehicle/internal/recording_sensors.hpp"
#include "fathom/identify/vehicle/internal/recording_source.hpp"
#include "fathom/identify/vehicle/log_check.hpp"
#include "fathom/identify/vehicle/recording.hpp"
#include "fathom/identify/vehicle/sensor_check.hpp"

namespace fathom::identify::internal {

/// Compares sensors with each other and with the commands before anything is smoothed: docs/sensor-check.md.
/// Throws InputError with the contradictions that one repair explains. Returns the others as warnings, and
/// those with the commands where the robot has a command path; `contradictions` gets the messages of the
/// former.
Findings check_recording(const Source& source, const std::string& prefix, const model::Robot& robot,
                         const model::Environment& environment, const RecordingOptions& options,
                         const SensorData& sensors, std::vector<std::string>& contradictions);

/// The same for a log that nobody is to fit yet, by `sensors` of one vehicle: LogCheck. Without a robot it
/// compares no commands, and contradictions that the place, attitude or latency of a sensor may explain are
/// notes.
LogCheck check_sensors_of(const Source& source, const std::string& prefix,
                          const std::vector<model::Sensor>& sensors, const model::Robot* robot,
                          const model::Environment& environment, const RecordingOptions& options);

}  // namespace fathom::identify::internal
