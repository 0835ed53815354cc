#include "fathom/model/sensor_kind.hpp"

#include <algorithm>

namespace fathom::model {
namespace {

const std::vector<SensorDeclaration>& declarations() {
  static const std::vector<SensorDeclaration> rows = {
      {"ahrs",
       "n",
       {{"attitude", "rad", 0.01}, {"heading", "rad", 0.03}},
       {{Quantity::angles,
         {{"roll", "rad", "attitude"}, {"pitch", "rad", "attitude"}, {"heading", "rad", "heading"}}}}},
      {"depth", "n", {{"depth", "m", 0.01}}, {{Quantity::depth, {{"depth", "m", "depth", 2}}}}},
      {"dvl",
       "c",
       {{"velocity", "m/s", 0.01}},
       {{Quantity::velocity,
         {{"velocity_x", "m/s", "velocity"},
          {"velocity_y", "m/s", "velocity"},
          {"velocity_z", "m/s", "velocity"}}}}},
      {"gps",  // usual noise: GPS SPS Performance Standard 2020, section 3.8: 95 % within 8 m and 13 m
       "n",
       {{"horizontal", "m", 3.3}, {"vertical", "m", 6.6}},
       {{Quantity::position,
         {{"position_x", "m", "horizontal", 0},
          {"position_y", "m", "horizontal", 1},
          {"position_z", "m", "vertical", 2}}}},
       true},
      {"imu",
       "c",
       {{"acceleration", "m/s^2"}, {"rate", "rad/s", 5e-3}},
       {{Quantity::inertial,
         {{"acceleration_x", "m/s^2", "acceleration"},
          {"acceleration_y", "m/s^2", "acceleration"},
          {"acceleration_z", "m/s^2", "acceleration"},
          {"rate_x", "rad/s", "rate"},
          {"rate_y", "rad/s", "rate"},
          {"rate_z", "rad/s", "rate"}}}}},
      {"position",
       "n",
       {{"position", "m", 0.01}, {"attitude", "rad", 0.01}},
       {{Quantity::position,
         {{"position_x", "m", "position"}, {"position_y", "m", "position"}, {"position_z", "m", "position"}}},
        {Quantity::attitude,
         {{"attitude_w", "1", ""},
          {"attitude_x", "1", "attitude"},
          {"attitude_y", "1", "attitude"},
          {"attitude_z", "1", "attitude"}}}}},
      {"thruster_current", "", {{"current", "A"}}, {{Quantity::motor_current, {{"current", "A", "current"}}}}},
      {"thruster_rate", "", {{"rate", "rad/s"}}, {{Quantity::shaft_rate, {{"rate", "rad/s", "rate"}}}}},
      {"usbl",
       "s",
       {{"range", "m"}, {"bearing", "rad"}},
       {{Quantity::direction,
         {{"range", "m", "range"}, {"azimuth", "rad", "bearing"}, {"elevation", "rad", "bearing"}}}}},
  };
  return rows;
}

}  // namespace

const SensorDeclaration& declaration_of(SensorKind kind) {
  return declarations().at(static_cast<std::size_t>(kind));
}

std::string_view name_of(SensorKind kind) { return declaration_of(kind).word; }

std::optional<SensorKind> sensor_kind_of(std::string_view name) {
  const auto found = std::find_if(sensor_kinds.begin(), sensor_kinds.end(),
                                  [name](SensorKind kind) { return name_of(kind) == name; });
  return found == sensor_kinds.end() ? std::nullopt : std::optional(*found);
}

bool is_per_thruster(Quantity quantity) {
  return quantity == Quantity::shaft_rate || quantity == Quantity::motor_current;
}

bool watches_thrusters(SensorKind kind) { return is_per_thruster(declaration_of(kind).parts[0].quantity); }

const std::vector<NoiseChannel>& noise_channels(SensorKind kind) { return declaration_of(kind).channels; }

}  // namespace fathom::model
