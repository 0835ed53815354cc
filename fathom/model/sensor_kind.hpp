#pragma once
#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace fathom::model {

/// Kinds of sensors, in the order of their words. The table in sensor_kind.cpp has a row for each.
enum class SensorKind { ahrs, depth, dvl, gps, imu, position, thruster_current, thruster_rate, usbl };

inline constexpr auto sensor_kinds = [] {
  std::array<SensorKind, static_cast<std::size_t>(SensorKind::usbl) + 1> all{};  // the last one
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<SensorKind>(k);
  return all;
}();

/// A channel of a sensor's errors, each with a standard deviation in this unit.
struct NoiseChannel {
  std::string_view name, unit;
  double usual_noise = 0;  ///< taken where a robot file gives none; 0: identification does not use the channel
};

/// A quantity that sensors measure; `sensing` has the function.
enum class Quantity {
  inertial,
  angles,
  velocity,
  depth,
  position,
  attitude,
  direction,
  shaft_rate,
  motor_current
};

/// A column of a sample.
struct SampleColumn {
  std::string_view name;  ///< of thruster sensors: what stands before the thruster's name
  std::string_view unit;
  std::string_view channel;        ///< of its error; empty for the redundant number of a quaternion
  std::optional<int> axis_n = {};  ///< north, east or down, where reports draw it beside the true motion
};

/// A quantity with its columns.
struct SamplePart {
  Quantity quantity;
  std::vector<SampleColumn> columns;
};

/// The declaration of a kind of sensor.
struct SensorDeclaration {
  std::string_view word;   ///< of robot files
  std::string_view frame;  ///< of its numbers: c (the sensor's axes), n, s (the transceiver's), or empty
  std::vector<NoiseChannel> channels;
  std::vector<SamplePart> parts;  ///< of a sample, in order; logs may lack the columns of all but the first
  bool needs_air = false;         ///< gives nothing under water, so that its log pauses for whole dives
};
const SensorDeclaration& declaration_of(SensorKind kind);

/// The word that robot files have for a kind, and back.
std::string_view name_of(SensorKind kind);
std::optional<SensorKind> sensor_kind_of(std::string_view name);

/// Returns true if the quantity is one number for each thruster.
bool is_per_thruster(Quantity quantity);
/// Returns true if the sensor has a number for each thruster.
bool watches_thrusters(SensorKind kind);

const std::vector<NoiseChannel>& noise_channels(SensorKind kind);

}  // namespace fathom::model
