#pragma once
#include <string>

#include "fathom/identify/vehicle/internal/recording_sensors.hpp"
#include "fathom/identify/vehicle/internal/recording_source.hpp"
#include "fathom/identify/vehicle/recording.hpp"
#include "fathom/identify/vehicle/sensor_check.hpp"

namespace fathom::identify::internal {

/// Compares sensors with each other and with the commands before anything is smoothed: docs/sensor-check.md.
/// Throws InputError with every contradiction that is found.
void check_recording(const Source& source, const std::string& prefix, const model::Robot& robot,
                     const model::Environment& environment, const RecordingOptions& options,
                     const SensorData& sensors);

/// Returns the findings of that check, errors where `robot` has the commands and mountings, without throwing.
Findings findings_of_check(const Source& source, const std::string& prefix, const model::Robot& robot,
                           const model::Environment& environment, const RecordingOptions& options,
                           const SensorData& sensors, bool with_commands);

}  // namespace fathom::identify::internal
