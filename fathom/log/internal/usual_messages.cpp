#include "fathom/log/internal/message_definition.hpp"

namespace fathom::log::internal {
namespace {

/// Fields and types alone, of ROS 2 Humble to Kilted and of mavros 2. A type that releases define differently
/// stands below.
constexpr std::string_view usual_text = R"(
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
MSG: builtin_interfaces/Duration
int32 sec
uint32 nanosec
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
MSG: std_msgs/Bool
bool data
MSG: std_msgs/Byte
byte data
MSG: std_msgs/Char
char data
MSG: std_msgs/Int8
int8 data
MSG: std_msgs/UInt8
uint8 data
MSG: std_msgs/Int16
int16 data
MSG: std_msgs/UInt16
uint16 data
MSG: std_msgs/Int32
int32 data
MSG: std_msgs/UInt32
uint32 data
MSG: std_msgs/Int64
int64 data
MSG: std_msgs/UInt64
uint64 data
MSG: std_msgs/Float32
float32 data
MSG: std_msgs/Float64
float64 data
MSG: std_msgs/String
string data
MSG: std_msgs/MultiArrayDimension
string label
uint32 size
uint32 stride
MSG: std_msgs/MultiArrayLayout
MultiArrayDimension[] dim
uint32 data_offset
MSG: std_msgs/Int32MultiArray
MultiArrayLayout layout
int32[] data
MSG: std_msgs/UInt16MultiArray
MultiArrayLayout layout
uint16[] data
MSG: std_msgs/Float32MultiArray
MultiArrayLayout layout
float32[] data
MSG: std_msgs/Float64MultiArray
MultiArrayLayout layout
float64[] data
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
MSG: geometry_msgs/Vector3Stamped
std_msgs/Header header
Vector3 vector
MSG: geometry_msgs/Point
float64 x
float64 y
float64 z
MSG: geometry_msgs/PointStamped
std_msgs/Header header
Point point
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
MSG: geometry_msgs/QuaternionStamped
std_msgs/Header header
Quaternion quaternion
MSG: geometry_msgs/Pose
Point position
Quaternion orientation
MSG: geometry_msgs/PoseStamped
std_msgs/Header header
Pose pose
MSG: geometry_msgs/PoseWithCovariance
Pose pose
float64[36] covariance
MSG: geometry_msgs/PoseWithCovarianceStamped
std_msgs/Header header
PoseWithCovariance pose
MSG: geometry_msgs/Twist
Vector3 linear
Vector3 angular
MSG: geometry_msgs/TwistStamped
std_msgs/Header header
Twist twist
MSG: geometry_msgs/TwistWithCovariance
Twist twist
float64[36] covariance
MSG: geometry_msgs/TwistWithCovarianceStamped
std_msgs/Header header
TwistWithCovariance twist
MSG: geometry_msgs/Accel
Vector3 linear
Vector3 angular
MSG: geometry_msgs/AccelStamped
std_msgs/Header header
Accel accel
MSG: geometry_msgs/AccelWithCovariance
Accel accel
float64[36] covariance
MSG: geometry_msgs/AccelWithCovarianceStamped
std_msgs/Header header
AccelWithCovariance accel
MSG: geometry_msgs/Wrench
Vector3 force
Vector3 torque
MSG: geometry_msgs/WrenchStamped
std_msgs/Header header
Wrench wrench
MSG: geometry_msgs/Transform
Vector3 translation
Quaternion rotation
MSG: geometry_msgs/TransformStamped
std_msgs/Header header
string child_frame_id
Transform transform
MSG: nav_msgs/Odometry
std_msgs/Header header
string child_frame_id
geometry_msgs/PoseWithCovariance pose
geometry_msgs/TwistWithCovariance twist
MSG: sensor_msgs/Imu
std_msgs/Header header
geometry_msgs/Quaternion orientation
float64[9] orientation_covariance
geometry_msgs/Vector3 angular_velocity
float64[9] angular_velocity_covariance
geometry_msgs/Vector3 linear_acceleration
float64[9] linear_acceleration_covariance
MSG: sensor_msgs/MagneticField
std_msgs/Header header
geometry_msgs/Vector3 magnetic_field
float64[9] magnetic_field_covariance
MSG: sensor_msgs/FluidPressure
std_msgs/Header header
float64 fluid_pressure
float64 variance
MSG: sensor_msgs/Temperature
std_msgs/Header header
float64 temperature
float64 variance
MSG: sensor_msgs/JointState
std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
MSG: sensor_msgs/Joy
std_msgs/Header header
float32[] axes
int32[] buttons
MSG: sensor_msgs/NavSatStatus
int8 status
uint16 service
MSG: sensor_msgs/NavSatFix
std_msgs/Header header
NavSatStatus status
float64 latitude
float64 longitude
float64 altitude
float64[9] position_covariance
uint8 position_covariance_type
MSG: sensor_msgs/BatteryState
std_msgs/Header header
float32 voltage
float32 temperature
float32 current
float32 charge
float32 capacity
float32 design_capacity
float32 percentage
uint8 power_supply_status
uint8 power_supply_health
uint8 power_supply_technology
bool present
float32[] cell_voltage
float32[] cell_temperature
string location
string serial_number
MSG: sensor_msgs/Range
std_msgs/Header header
uint8 radiation_type
float32 field_of_view
float32 min_range
float32 max_range
float32 range
float32 variance
MSG: tf2_msgs/TFMessage
geometry_msgs/TransformStamped[] transforms
MSG: mavros_msgs/RCIn
std_msgs/Header header
uint8 rssi
uint16[] channels
MSG: mavros_msgs/RCOut
std_msgs/Header header
uint16[] channels
MSG: mavros_msgs/OverrideRCIn
uint16[18] channels
MSG: mavros_msgs/ManualControl
std_msgs/Header header
float32 x
float32 y
float32 z
float32 r
uint16 buttons
uint16 buttons2
uint8 enabled_extensions
float32 s
float32 t
float32 aux1
float32 aux2
float32 aux3
float32 aux4
float32 aux5
float32 aux6
)";

/// As releases before had them.
constexpr std::string_view older_text = R"(
MSG: sensor_msgs/Range
std_msgs/Header header
uint8 radiation_type
float32 field_of_view
float32 min_range
float32 max_range
float32 range
MSG: mavros_msgs/OverrideRCIn
uint16[8] channels
MSG: mavros_msgs/ManualControl
std_msgs/Header header
float32 x
float32 y
float32 z
float32 r
uint16 buttons
)";

}  // namespace

Definitions usual_definitions() {
  static const Definitions newest = parse_definitions("std_msgs/Empty", usual_text);
  return newest;
}

std::vector<Definitions> usual_definitions(std::string_view type) {
  const Definitions newest = usual_definitions();
  static const Definitions older = parse_definitions("std_msgs/Empty", older_text);
  const std::string name = short_type(type);
  std::vector<Definitions> result;
  if (newest.contains(name)) result.push_back(newest);
  if (const auto found = older.find(name); found != older.end()) {
    result.push_back(newest);
    result.back()[name] = found->second;
  }
  return result;
}

}  // namespace fathom::log::internal
