#pragma once
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fathom/geometry/pose.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/model/identified.hpp"
#include "fathom/model/sensor_kind.hpp"
#include "fathom/model/thruster_map.hpp"

namespace fathom::model {

/// T() for numbers and plain structs, T::Zero() for Eigen's types, which T() would leave uninitialised.
template <class T>
T zero() {
  if constexpr (requires { T::Zero(); })
    return T::Zero();
  else
    return T();
}

/// A number, vector or matrix of a robot file, with where it comes from and how well it is known.
template <class T>
struct Value {
  T value = zero<T>();
  std::string source;    ///< who measured or published it; empty where nobody said
  bool assumed = false;  ///< `source` then says what was assumed and why
  /// Standard deviation, entry by entry: 0 is exact, infinity unknown. Without it every entry is unknown.
  std::optional<T> sigma;
};

/// |nu_j| Q_j, j = 1..6, of docs/model.md eq. 10. The usual diagonal drag is (Q_j)_jj.
struct QuadraticDrag {
  std::array<Mat6, 6> by_speed = {Mat6::Zero(), Mat6::Zero(), Mat6::Zero(),
                                  Mat6::Zero(), Mat6::Zero(), Mat6::Zero()};
};

/// Mirror symmetries of the wetted shape, by planes through the body origin.
struct Symmetry {
  bool port_starboard = false;  ///< about the x-z plane
  bool fore_aft = false;        ///< about the y-z plane
  bool top_bottom = false;      ///< about the x-y plane
};

struct Hull {
  Value<double> mass;               ///< kg, dry
  Value<Mat3> inertia;              ///< kg m^2, dry, about the centre of mass, body axes
  Value<Vec3> centre_of_mass;       ///< m, in b
  Value<double> volume;             ///< m^3 of displaced water
  Value<Vec3> centre_of_buoyancy;   ///< m, in b
  Value<Mat6> added_mass;           ///< at the body origin, positive semi-definite
  std::optional<Value<Vec3>> size;  ///< m, length, width, height of the bounding box
  Symmetry symmetry;
};

/// One contribution to damping, with its own pose on the body: `(linear + sum |nu_j| Q_j) nu` in its own frame.
/// The pose says to which point and axes the coefficients refer, so without a sigma it is exact, by definition.
struct DragElement {
  std::string name;
  Value<Vec3> position_b;    ///< m
  Value<Vec3> attitude_rpy;  ///< rad
  Value<Mat6> linear;
  Value<QuadraticDrag> quadratic;

  Pose pose() const { return {quaternion_from_euler(attitude_rpy.value), position_b.value}; }
  bool at_origin() const { return position_b.value.isZero(0) && attitude_rpy.value.isZero(0); }
};

struct Thruster {
  std::string name;
  Value<Vec3> position_b;   ///< m
  Value<Vec3> direction_b;  ///< of the force on the vehicle for positive thrust; any length but zero
  std::optional<Value<ForceRange>> force;         ///< where absent, what the map attains
  std::optional<ThrusterMap> map = std::nullopt;  ///< where absent, the command is the force in newton
  std::optional<Transient> transient = std::nullopt;
  /// Thrusters that share a map or a transient name it here; a robot file then writes it once.
  std::string map_name = {}, transient_name = {};

  Vec3 axis_b() const { return direction_b.value.normalized(); }
  CommandUnit command_unit() const { return map ? map->command.unit : CommandUnit::newton; }
};

/// How what a log calls a command reaches the thrusters, and what of it the water sees; docs/robot-file.md. A
/// sigma of 0 holds a value; without one, or with another, `identify` looks for it.
struct CommandPath {
  /// wrench: shared out to the thrusters by the pseudo-inverse of their matrix. axes: a pilot's sticks, -1 to
  /// 1, which an autopilot adds up for each thruster by the signs that it has in surge, sway, heave, roll,
  /// pitch, yaw. Neither concerns a log of what each thruster was told.
  enum class By { wrench, axes } by = By::wrench;
  /// N: a thruster without a map gives nothing of a smaller command, and less by it of a larger.
  std::optional<Value<double>> dead_band = std::nullopt;
  /// Force in the water over the force that map or command say, of all thrusters alike.
  std::optional<Value<double>> gain = std::nullopt;
  /// N: the most that a thruster without a map gives, after the dead band and before the gain.
  std::optional<Value<double>> saturation = std::nullopt;

  static bool is_held(const std::optional<Value<double>>& value) {
    return !value || (value->sigma && *value->sigma == 0);
  }
};
std::string_view name_of(CommandPath::By by);

/// What is left of a force.
inline double beyond_dead_band(double force, double dead_band) {
  return force > dead_band ? force - dead_band : force < -dead_band ? force + dead_band : 0;
}

/// The force of a thruster without a map: beyond the dead band, and at most `saturation`, N.
inline double delivered_force(double force, double dead_band, double saturation) {
  return std::clamp(beyond_dead_band(force, dead_band), -saturation, saturation);
}

/// Samples that never arrive. Without `mean_length` each is lost by itself; with it, losses come in runs of
/// that many samples on average (geometric; Gilbert 1960).
struct DropOut {
  double probability = 0;  ///< share of samples lost
  std::optional<double> mean_length;
};

/// Beams of a DVL: each leans by `tilt_deg` from the sensor's z axis, towards its azimuth from x to y.
struct DvlBeams {
  double tilt_deg = 30;
  std::vector<double> azimuth_deg = {45, 135, 225, 315};
  bool per_beam = false;  ///< a sample is one velocity per beam, not one vector
};

/// Heights over the bottom at which a DVL has an answer.
struct AltitudeRange {
  double min = 0, max = 0;  ///< m
};

/// By channel of the sensor's kind.
using ByChannel = std::map<std::string, Value<double>>;

/// Its values may say where they come from; for those that do not, `source` of the sensor holds.
struct Sensor {
  std::string name;
  SensorKind kind = SensorKind::imu;
  Value<Vec3> position_b;    ///< m
  Value<Vec3> attitude_rpy;  ///< rad
  std::optional<Value<double>> rate_hz;
  ByChannel noise;                       ///< standard deviation of one sample
  ByChannel bias;                        ///< standard deviation of the constant error of one switching-on
  ByChannel bias_walk;                   ///< the bias also wanders: by walk sqrt(dt) (one sigma) in dt
  ByChannel quantisation;                ///< step of the numbers that it gives
  std::optional<Value<double>> latency;  ///< s, from measuring to arriving
  std::optional<DropOut> drop_out;
  std::optional<DvlBeams> beams;          ///< dvl only
  std::optional<AltitudeRange> altitude;  ///< dvl only
  std::string source;
  bool assumed = false;

  Pose pose() const { return {quaternion_from_euler(attitude_rpy.value), position_b.value}; }
};

/// Where another robot can be coupled: x points out of the hull, and meets the other connector's x face to face
/// (assembly/mating.hpp).
struct Connector {
  std::string name;
  Value<Vec3> position_b;    ///< m
  Value<Vec3> attitude_rpy;  ///< rad

  Pose pose() const { return {quaternion_from_euler(attitude_rpy.value), position_b.value}; }
};

/// The values of a sensor by channel, with the key that they have in a file.
struct ChannelTable {
  std::string_view key;
  ByChannel Sensor::*values;
  std::string_view per;   ///< what the channel's unit is divided by
  std::string_view what;  ///< for error messages
};
inline constexpr std::array<ChannelTable, 4> channel_tables = {{
    {"noise", &Sensor::noise, "", "a standard deviation"},
    {"bias", &Sensor::bias, "", "a standard deviation"},
    {"bias_walk", &Sensor::bias_walk, "/sqrt(s)", "a standard deviation after one second"},
    {"quantisation", &Sensor::quantisation, "", "the step of the numbers; 0 is none"},
}};

/// A robot before it is checked: plain data to fill.
struct RobotSpec {
  std::string name;
  std::string title;
  std::string notes;
  Hull hull;
  std::vector<DragElement> damping;
  std::vector<Thruster> thrusters;
  std::vector<Sensor> sensors;
  std::vector<Connector> connectors = {};
  std::optional<CommandPath> command_path = std::nullopt;  ///< absent: commands act as logged
  std::optional<IdentifiedParameters> identified;          ///< the estimate that the values come from
};

/// A checked robot: immutable, and physical, because `make` rejects anything else.
class Robot {
 public:
  /// Throws InputError that lists everything wrong with `spec` (check.hpp).
  static Robot make(RobotSpec spec);
  /// The way round the checks, for tests of what must not be.
  static Robot make_unchecked(RobotSpec spec) { return Robot(std::move(spec)); }

  const RobotSpec& spec() const { return spec_; }
  const std::string& name() const { return spec_.name; }
  const Hull& hull() const { return spec_.hull; }
  const std::vector<DragElement>& damping() const { return spec_.damping; }
  const std::vector<Thruster>& thrusters() const { return spec_.thrusters; }
  const std::vector<Sensor>& sensors() const { return spec_.sensors; }
  const std::vector<Connector>& connectors() const { return spec_.connectors; }
  const std::optional<CommandPath>& command_path() const { return spec_.command_path; }
  const std::optional<IdentifiedParameters>& identified() const { return spec_.identified; }

  /// N, of thrusters without a map; 0 where nobody says.
  double dead_band() const;
  /// N, of thrusters without a map; infinite where nobody says.
  double saturation() const;
  /// Of all thrusters' forces; 1 where nobody says.
  double thrust_gain() const;

 private:
  explicit Robot(RobotSpec spec) : spec_(std::move(spec)) {}
  RobotSpec spec_;
};

/// The dry body's inertia at the body origin; docs/model.md eq. 7.
Mat6 rigid_body_inertia(const Hull& hull);

/// B with tau_b = B f: columns [e_i; r_i x e_i]. Panetsos, eq. 6.
Mat6X allocation_matrix(const Robot& robot);

}  // namespace fathom::model
