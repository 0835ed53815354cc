#pragma once
#include <map>
#include <string>
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/identify/vehicle/internal/recording_source.hpp"
#include "fathom/identify/vehicle/recording.hpp"

namespace fathom::identify::internal {

/// What the sensors of one vehicle saw, in body axes, at the times of measuring.
struct SensorData {
  filter::Measurements measurements;
  /// From a series as the smoother calls it, such as "position 0", to whose it is: "mocap position".
  std::map<std::string, std::string> names;
  std::vector<Recording::Drop> dropped;
  Findings warnings;
  Findings stuck;      ///< columns that never change: odd where others do
  bool moves = false;  ///< some column changes
  /// s, of all samples, outside `from` and `until` too.
  double begin = infinity, end = -begin;
};

/// s before `from` and after `until` that are read too, so that the smoother sees both sides of the ends.
inline constexpr double smoothing_margin = 2;

/// Whether channels of that name, without the vehicle's prefix, hold states, references or commands.
bool is_no_sensor(const std::string& name);

/// The warning about a channel with a header alone, or with nothing between `from` and `until`.
inline constexpr const char* no_samples = "has no samples";

/// `prefix` is that of the vehicle's channels, such as "rov.". Throws InputError if a sensor that is asked for
/// is not there, and if what is there shows neither attitude nor position nor velocity for long enough.
SensorData read_sensors(const Source& source, const std::string& prefix, const model::Robot& robot,
                        const RecordingOptions& options);

/// Steps of a clock, for messages about gaps. `longest` is 0 where there are fewer than two times.
struct Steps {
  double median = 0, longest = 0;  ///< s
  std::size_t gaps = 0;            ///< steps above 1.5 times the median, as log::quality_of counts them
};
Steps steps_of(std::vector<double> steps);

/// One channel with the columns of a sensor, brought to body axes.
class SensorReader {
 public:
  SensorReader(const RecordingOptions& options, SensorData& data) : options_(options), data_(data) {}
  /// Of a kind that knows().
  void read(Rows rows, const model::Sensor& sensor);
  /// `<vehicle>.state`: pose and twist of b itself, as good as exact.
  void read_state(Rows rows);
  static bool knows(model::SensorKind kind);
  /// The words of all kinds that it knows.
  static std::string known_kinds();

 private:
  /// Columns of a channel, a column of `values` for each time.
  struct Table {
    std::vector<double> t;
    Eigen::MatrixXd values;
  };
  /// The last `optional` columns may be without numbers.
  Table read_table(Rows& rows, const std::vector<Column>& columns, const model::Sensor& sensor,
                   std::size_t optional = 0);
  void add_part(const Rows& rows, const model::Sensor& sensor, const sensing::Part& part, Table table);
  void add_rates(const Rows& rows, const model::Sensor& sensor, Table table);
  void add_angles(const Rows& rows, const model::Sensor& sensor, const sensing::Part& part, const Table& table);
  void add_velocities(const Rows& rows, const model::Sensor& sensor, Table table);

  void look_for_stuck(const Rows& rows, const std::vector<Column>& columns, const Table& table,
                      const std::string& sensor);

  /// Noise and rounding of a channel; its usual noise with a warning where the robot file gives none.
  double sigma(const Rows& rows, const model::Sensor& sensor, std::string_view channel);
  void add(std::vector<filter::Readings> filter::Measurements::*list, const char* list_name,
           const std::string& sensor, filter::Readings readings);
  void add_quaternions(const Rows& rows, const std::string& sensor, const std::vector<double>& t,
                       const Eigen::Ref<const Eigen::Matrix4Xd>& w_first, const Quat& q_bc, const Vec3& sigma_b,
                       const Mat3& bias_covariance_b, double heading_bias_sigma);

  const RecordingOptions& options_;
  SensorData& data_;
};

}  // namespace fathom::identify::internal
