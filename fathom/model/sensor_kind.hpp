#pragma once
#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace fathom::model {

/// What a sensor is, in the order of the words; `sensor_kinds` has them in the same order.
enum class SensorKind { ahrs, depth, dvl, imu, position, thruster_current, thruster_rate, usbl };

inline constexpr std::array sensor_kinds = {SensorKind::ahrs,          SensorKind::depth,
                                            SensorKind::dvl,           SensorKind::imu,
                                            SensorKind::position,      SensorKind::thruster_current,
                                            SensorKind::thruster_rate, SensorKind::usbl};

/// The word that robot files have for it, and back.
std::string_view name_of(SensorKind kind);
std::optional<SensorKind> sensor_kind_of(std::string_view name);

/// Does it have a number for each thruster?
bool watches_thrusters(SensorKind kind);

/// A kind of sensor has these channels, each with a noise standard deviation in this unit.
struct NoiseChannel {
  std::string_view name, unit;
};
const std::vector<NoiseChannel>& noise_channels(SensorKind kind);

}  // namespace fathom::model
