// From the columns of each kind of sensor to what the smoother takes; docs/sensors.md eqs. 1 to 11.
#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/identify/vehicle/internal/recording_sensors.hpp"
#include "fathom/sensing/dvl.hpp"

namespace fathom::identify::internal {
namespace {

using filter::Measurements;
using filter::Readings;
using model::Quantity;

/// m, rad, m/s and rad/s: of a state that is taken at its word. Less would only spoil the smoother's numbers.
constexpr double exact = 1e-5;

/// Nothing that a sensor measures in SI units is larger, not even a northing.
constexpr double largest_value = 1e8;
constexpr double largest_angle = 6.3;      // rad: a full turn, and its rounding
constexpr double odd_share_beyond = 0.01;  // of a column's numbers
constexpr double longest_pause = 600;   // s; a longer one is a jump of the clock unless the log is longer still
constexpr double pause_in_steps = 100;  // usual steps from which on a step counts as a pause
constexpr Eigen::Index fewest_to_stick = 50;  // samples of one value

/// Finds jumps of a clock while its times go by.
class ClockJump {
 public:
  void step(double before, double now, int line) {
    steps_.push_back(now - before);
    if (now - before > longest_) longest_ = now - before, before_ = before, line_ = line;
  }
  /// A pause longer than all that was logged costs a track of that length, and says nothing.
  void check(const Rows& rows) {
    if (!(longest_ > longest_pause)) return;
    const double pause = pause_in_steps * steps_of(steps_).median;
    double logged = 0;
    for (const double step : steps_) logged += step < pause ? step : 0;
    if (longest_ > pause && longest_ > logged)
      rows.fail(
          fmt::format("t jumps from {:.9g} s by {:.6g} s, in a log of {:.6g} s", before_, longest_, logged),
          "was the clock set anew? --from and --until take the part before it or after it", line_);
  }

 private:
  std::vector<double> steps_;
  double longest_ = 0, before_ = 0;
  int line_ = 0;
};

/// Values that are none.
struct Absurd {
  std::size_t count = 0;
  int line = 0;
  std::string what;
};

double latency_of(const model::Sensor& sensor) { return sensor.latency ? sensor.latency->value : 0; }

/// Where a column does not tell its unit, numbers that no angle in radians reaches give degrees away. A few are
/// what outliers are. A heading in radians that counts turns has to tell its unit.
void reject_degrees(const Rows& rows, const std::vector<Column>& columns, const Eigen::MatrixXd& angles) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto row = angles.row(static_cast<Eigen::Index>(i)).array();
    const auto beyond = (row.abs() > largest_angle).count();
    const bool has_unit = !rows.info().columns[rows.column(columns[i])].unit.empty();
    if (has_unit || static_cast<double>(beyond) <= odd_share_beyond * static_cast<double>(row.size())) continue;
    rows.fail(
        fmt::format("column '{}' is beyond 2 pi in {} of {} rows", columns[i].name, beyond, row.size()),
        fmt::format("degrees? expected rad; if it is rad, the header says so: {} [rad]", columns[i].name));
  }
}

/// Standard deviations in b of what has the covariance `C_c` in c.
Vec3 spread_in_body(const Quat& q_bc, const Mat3& C_c) {
  const Mat3 R_bc = q_bc.toRotationMatrix();
  return (R_bc * C_c * R_bc.transpose()).diagonal().cwiseSqrt();
}

double bias_of(const model::Sensor& sensor, std::string_view channel) {
  const auto found = sensor.bias.find(std::string(channel));
  return found == sensor.bias.end() ? 0 : found->second.value;
}

/// rad: how well the axes of an inertial unit are known to lie as the robot file says. It keeps one that is
/// mounted askew, as a shared housing with the AHRS is, from passing for proof that the AHRS is right.
constexpr double inertial_mount = 0.005;
constexpr double gravity = 9.81;  // m/s^2

/// Whether the log has a column in that unit, or without any.
bool has(const Rows& rows, const Column& wanted) {
  const auto& columns = rows.info().columns;
  return std::any_of(columns.begin(), columns.end(), [&](const Column& column) {
    return column.name == wanted.name && (column.unit.empty() || column.unit == wanted.unit);
  });
}

bool shows_motion(Quantity quantity) {
  switch (quantity) {
    case Quantity::inertial:
    case Quantity::angles:
    case Quantity::velocity:
    case Quantity::depth:
    case Quantity::position:
    case Quantity::attitude: return true;
    case Quantity::direction:
    case Quantity::shaft_rate:
    case Quantity::motor_current: return false;
  }
  return false;
}

}  // namespace

bool SensorReader::knows(model::SensorKind kind) {
  return shows_motion(model::declaration_of(kind).parts.front().quantity);
}

std::string SensorReader::known_kinds() {
  std::vector<std::string> words;
  for (const model::SensorKind kind : model::sensor_kinds)
    if (knows(kind)) words.emplace_back(model::name_of(kind));
  return listed(words);
}

void SensorReader::read(Rows rows, const model::Sensor& sensor) {
  std::vector<sensing::Part> parts = sensing::parts_of(sensor);
  if (parts.size() > 1 && !rows.has_column(parts[1].columns.front().name)) parts.resize(1);  // no attitude
  std::size_t optional = 0;
  if (std::vector<Column>& columns = parts.front().columns; parts.front().quantity == Quantity::inertial) {
    // The specific force comes last: a log may lack it.
    std::rotate(columns.begin(), columns.begin() + 3, columns.end());
    if (std::all_of(columns.begin() + 3, columns.end(), [&](const Column& one) { return has(rows, one); }))
      optional = 3;
    else
      columns.resize(3);
  }
  std::vector<Column> columns;
  for (const sensing::Part& part : parts)
    columns.insert(columns.end(), part.columns.begin(), part.columns.end());
  const Table table = read_table(rows, columns, sensor, optional);
  if (table.t.empty()) return;
  Eigen::Index row = 0;
  for (const sensing::Part& part : parts) {
    const auto height = static_cast<Eigen::Index>(part.columns.size());
    add_part(rows, sensor, part, {table.t, table.values.middleRows(row, height)});
    row += height;
  }
}

void SensorReader::add_part(const Rows& rows, const model::Sensor& sensor, const sensing::Part& part,
                            Table table) {
  switch (part.quantity) {
    case Quantity::inertial: return add_rates(rows, sensor, std::move(table));
    case Quantity::angles: return add_angles(rows, sensor, part, table);
    case Quantity::velocity: return add_velocities(rows, sensor, std::move(table));
    case Quantity::depth: {
      const Eigen::VectorXd spread = Eigen::VectorXd::Constant(1, sigma(rows, sensor, "depth"));
      const double bias = bias_of(sensor, "depth");
      return add(&Measurements::depth, "depth", sensor.name,
                 {std::move(table.t), std::move(table.values), spread, sensor.position_b.value,
                  Eigen::MatrixXd::Constant(1, 1, bias * bias)});
    }
    case Quantity::position: {
      std::map<std::string_view, double> sigmas;  // one warning per channel
      Vec3 spread, bias;
      for (std::size_t i = 0; i < 3; ++i) {
        const std::string_view channel = part.error_channels[i];
        if (!sigmas.contains(channel)) sigmas[channel] = sigma(rows, sensor, channel);
        spread[static_cast<Eigen::Index>(i)] = sigmas[channel];
        bias[static_cast<Eigen::Index>(i)] = bias_of(sensor, channel);
      }
      return add(&Measurements::position, "position", sensor.name,
                 {std::move(table.t), std::move(table.values), spread, sensor.position_b.value,
                  bias.cwiseAbs2().asDiagonal()});
    }
    case Quantity::attitude:
      return add_quaternions(rows, sensor.name, table.t, table.values, sensor.pose().q_pc,
                             Vec3::Constant(sigma(rows, sensor, "attitude")),
                             std::pow(bias_of(sensor, "attitude"), 2) * Mat3::Identity(), 0);
    case Quantity::direction:
    case Quantity::shaft_rate:
    case Quantity::motor_current: return;  // knows() says so
  }
}

SensorReader::Table SensorReader::read_table(Rows& rows, const std::vector<Column>& columns,
                                             const model::Sensor& sensor, std::size_t optional) {
  const double latency = latency_of(sensor);
  const bool may_lack_columns = sensor.beams && sensor.beams->per_beam;
  std::vector<std::size_t> places;
  for (const Column& column : columns) places.push_back(rows.column(column));
  std::vector<double> values, t;
  std::size_t outside = 0;
  ClockJump jump;
  Absurd absurd;
  while (rows.next()) {
    const double measured = rows.t() - latency;
    data_.begin = std::min(data_.begin, measured);
    data_.end = std::max(data_.end, measured);
    if ((options_.from && measured < *options_.from - smoothing_margin) ||
        (options_.until && measured > *options_.until + smoothing_margin)) {
      ++outside;
      continue;
    }
    if (!t.empty()) jump.step(t.back(), measured, rows.line());
    t.push_back(measured);
    for (const std::size_t place : places) {
      double value = rows.values()[place];
      if (std::isinf(value)) rows.fail(fmt::format("column {} is infinite", place + 1), "", rows.line());
      if (std::abs(value) > largest_value) {
        if (absurd.count++ == 0)
          absurd = {1, rows.line(), fmt::format("{} = {:.3g}", rows.info().columns[place].name, value)};
        value = nan;
      }
      values.push_back(value);
    }
  }
  if (!model::declaration_of(sensor.kind).needs_air) jump.check(rows);
  if (absurd.count > 0)
    data_.warnings.push_back(
        rows.finding(Severity::warning,
                     fmt::format("{}, no sensor's; {} such values are not used", absurd.what, absurd.count), "",
                     absurd.line));
  const auto height = static_cast<Eigen::Index>(columns.size());
  const auto width = static_cast<Eigen::Index>(t.size());
  if (outside > 0) data_.dropped.push_back({sensor.name + ": samples outside from and until", outside});
  if (width == 0) {
    data_.warnings.push_back(
        rows.finding(Severity::warning, no_samples,
                     outside > 0 ? "between from and until there is none" : "the sensor never spoke"));
    return {};
  }
  Table table{std::move(t), Eigen::Map<const Eigen::MatrixXd>(values.data(), height, width)};
  for (Eigen::Index i = 0; i < height - static_cast<Eigen::Index>(optional) && !may_lack_columns; ++i)
    if (table.values.row(i).array().isNaN().all())
      rows.fail(fmt::format("column '{}' has no number", columns[static_cast<std::size_t>(i)].name),
                fmt::format("was the sensor connected? --without {} leaves it out", sensor.name));
  look_for_stuck(rows, columns, table, sensor.name);
  return table;
}

void SensorReader::look_for_stuck(const Rows& rows, const std::vector<Column>& columns, const Table& table,
                                  const std::string& sensor) {
  std::vector<std::string> stuck;
  for (Eigen::Index i = 0; i < table.values.rows(); ++i) {
    const auto row = table.values.row(i).array();
    const auto is_first = [&](double value) { return std::isnan(value) || value == row[0]; };
    if (!std::isnan(row[0]) && std::all_of(row.begin(), row.end(), is_first))
      stuck.push_back(columns[static_cast<std::size_t>(i)].name);
  }
  if (stuck.size() < columns.size()) data_.moves = true;
  if (stuck.empty() || table.values.cols() < fewest_to_stick) return;
  const bool all = stuck.size() == columns.size();
  data_.stuck.push_back(
      rows.finding(all ? Severity::warning : Severity::note,
                   fmt::format("{}: no change in {} samples", listed(stuck), table.values.cols()),
                   all ? fmt::format("is the sensor stuck? --without {} leaves it out", sensor)
                       : std::string("is it measured?")));
}

double SensorReader::sigma(const Rows& rows, const model::Sensor& sensor, std::string_view channel) {
  const auto value = [&](const model::ByChannel& by_channel) {
    const auto found = by_channel.find(std::string(channel));
    return found == by_channel.end() ? 0.0 : found->second.value;
  };
  // A number that is rounded to steps is off by up to half of one, evenly: step / sqrt(12).
  const double spread = std::hypot(value(sensor.noise), value(sensor.quantisation) / std::sqrt(12.0));
  if (std::isfinite(spread) && spread > 0) return spread;
  const std::vector<model::NoiseChannel>& channels = model::noise_channels(sensor.kind);
  const double otherwise = std::find_if(channels.begin(), channels.end(), [&](const auto& each) {
                             return each.name == channel;
                           })->usual_noise;
  data_.warnings.push_back(
      rows.finding(Severity::warning,
                   fmt::format("the robot file gives sensor '{}' no noise of {}; {} is taken", sensor.name,
                               channel, otherwise),
                   fmt::format("noise: {{{}: ...}} in the robot file", channel)));
  return otherwise;
}

void SensorReader::add(std::vector<Readings> Measurements::*list, const char* list_name,
                       const std::string& sensor, Readings readings) {
  std::vector<Readings>& all = data_.measurements.*list;
  data_.names[fmt::format("{} {}", list_name, all.size())] = fmt::format("{} {}", sensor, list_name);
  all.push_back(std::move(readings));
}

void SensorReader::add_quaternions(const Rows& rows, const std::string& sensor, const std::vector<double>& t,
                                   const Eigen::Ref<const Eigen::Matrix4Xd>& w_first, const Quat& q_bc,
                                   const Vec3& sigma_b, const Mat3& bias_covariance_b,
                                   double heading_bias_sigma) {
  Readings readings{t,
                    Eigen::MatrixXd::Constant(4, w_first.cols(), nan),
                    sigma_b,
                    Vec3::Zero(),
                    bias_covariance_b,
                    heading_bias_sigma};
  std::size_t bad = 0;
  for (Eigen::Index k = 0; k < w_first.cols(); ++k) {
    const Eigen::Vector4d q = w_first.col(k);
    if (q.array().isNaN().any()) continue;
    // Digits are lost in logs, but a quaternion that is far from unit length is something else.
    if (std::abs(q.norm() - 1) > 0.01) {
      ++bad;
      continue;
    }
    const Quat q_nb = Quat(q[0], q[1], q[2], q[3]).normalized() * q_bc.conjugate();
    readings.values.col(k) << q_nb.w(), q_nb.x(), q_nb.y(), q_nb.z();
  }
  if (bad == t.size())
    rows.fail("no attitude is a unit quaternion", "w first; are the columns in another order?");
  if (bad > 0) data_.dropped.push_back({sensor + ": attitudes that are no unit quaternion", bad});
  add(&Measurements::attitude, "attitude", sensor, std::move(readings));
}

void SensorReader::add_rates(const Rows& rows, const model::Sensor& sensor, Table table) {
  const double spread = sigma(rows, sensor, "rate");
  const Mat3 R_bc = sensor.pose().q_pc.toRotationMatrix();
  const Mat3 mount = inertial_mount * inertial_mount * Mat3::Identity();
  if (table.values.rows() > 3 && !table.values.bottomRows<3>().array().isNaN().all()) {
    // An axis that is askew reads gravity as a bias does.
    const double bias = std::hypot(bias_of(sensor, "acceleration"), inertial_mount * gravity);
    add(&Measurements::force, "force", sensor.name,
        {table.t, R_bc * table.values.bottomRows<3>(), Vec3::Constant(sigma(rows, sensor, "acceleration")),
         sensor.position_b.value, bias * bias * Mat3::Identity()});
  }
  table.values = (R_bc * table.values.topRows<3>()).eval();
  add(&Measurements::rate, "rate", sensor.name,
      {std::move(table.t), std::move(table.values), Vec3::Constant(spread), Vec3::Zero(), mount});
}

void SensorReader::add_angles(const Rows& rows, const model::Sensor& sensor, const sensing::Part& part,
                              const Table& table) {
  reject_degrees(rows, part.columns, table.values);
  const double tilt = sigma(rows, sensor, "attitude");
  const double heading = sigma(rows, sensor, "heading");
  const Quat q_bc = sensor.pose().q_pc;
  Eigen::Matrix4Xd q_nc = Eigen::Matrix4Xd::Constant(4, table.values.cols(), nan);
  Vec3 down_squared_b = Vec3::Zero();  // of the vertical, on average
  double samples = 0;
  for (Eigen::Index k = 0; k < q_nc.cols(); ++k) {
    const Vec3 angles = table.values.col(k);
    if (!angles.allFinite()) continue;
    const Quat q = quaternion_from_euler(angles);
    q_nc.col(k) << q.w(), q.x(), q.y(), q.z();
    const Vec3 down_b = q_bc * (q.conjugate() * Vec3::UnitZ());
    down_squared_b += (down_b.cwiseAbs2() - down_squared_b) / ++samples;
  }
  // docs/sensors.md eq. 15: tilt about the sensor's x and y, heading about the vertical, wherever that points.
  const Vec3 tilt_b = spread_in_body(q_bc, Vec3(tilt * tilt, tilt * tilt, 0).asDiagonal());
  Vec3 spread_b = (tilt_b.cwiseAbs2() + heading * heading * down_squared_b).cwiseSqrt();
  spread_b = spread_b.cwiseMax(std::min(tilt, heading));  // an AHRS on its side leaves no axis exact
  const Mat3 R_bc = q_bc.toRotationMatrix();
  // A heading may be off because the north is, or because the sensor is turned on its mount.
  const double tilt_bias = bias_of(sensor, "attitude"), heading_bias = bias_of(sensor, "heading");
  const Vec3 bias(tilt_bias, tilt_bias, heading_bias);
  const Mat3 bias_b = R_bc * bias.cwiseAbs2().asDiagonal() * R_bc.transpose();
  add_quaternions(rows, sensor.name, table.t, q_nc, q_bc, spread_b, bias_b, heading_bias);
}

void SensorReader::add_velocities(const Rows& rows, const model::Sensor& sensor, Table table) {
  const bool per_beam = sensor.beams && sensor.beams->per_beam;
  const double spread = sigma(rows, sensor, "velocity");
  Mat3 C_c = spread * spread * Mat3::Identity();
  if (per_beam) {
    const sensing::Beams beams = sensing::beams_of(sensor);
    Eigen::MatrixXd v_c(3, table.values.cols());
    for (Eigen::Index k = 0; k < v_c.cols(); ++k)
      v_c.col(k) = sensing::velocity_from_beams(beams, table.values.col(k));
    const auto lost = v_c.row(0).array().isNaN().count();
    if (lost == v_c.cols())
      rows.fail("no sample has the three beams that a velocity needs", "did the DVL ever see the bottom?");
    if (lost > 0)
      data_.dropped.push_back({sensor.name + ": samples of too few beams", static_cast<std::size_t>(lost)});
    const Mat3 normal = beams.directions_c * beams.directions_c.transpose();
    C_c = spread * spread * normal.inverse();
    table.values = std::move(v_c);
  }
  const Pose mount = sensor.pose();
  table.values = (mount.q_pc.toRotationMatrix() * table.values).eval();
  const Mat3 R_bc = mount.q_pc.toRotationMatrix();
  const double bias = bias_of(sensor, "velocity");
  add(&Measurements::velocity, "velocity", sensor.name,
      {std::move(table.t), std::move(table.values), spread_in_body(mount.q_pc, C_c), mount.p_pc_p,
       (bias / spread) * (bias / spread) * (R_bc * C_c * R_bc.transpose())});
}

void SensorReader::read_state(Rows rows) {
  const std::vector<Column> columns = {
      {"north", "m"}, {"east", "m"}, {"down", "m"}, {"qw", ""},     {"qx", ""},     {"qy", ""},    {"qz", ""},
      {"u", "m/s"},   {"v", "m/s"},  {"w", "m/s"},  {"p", "rad/s"}, {"q", "rad/s"}, {"r", "rad/s"}};
  model::Sensor exact_sensor;
  exact_sensor.name = "state";
  const Table table = read_table(rows, columns, exact_sensor);
  if (table.t.empty()) return;
  const Vec3 spread = Vec3::Constant(exact);
  const auto part = [&](Eigen::Index row) {
    return Readings{table.t, table.values.middleRows<3>(row), spread, Vec3::Zero()};
  };
  add(&Measurements::position, "position", "state", part(0));
  add_quaternions(rows, "state", table.t, table.values.middleRows<4>(3), Quat::Identity(), spread, Mat3::Zero(),
                  0);
  add(&Measurements::velocity, "velocity", "state", part(7));
  add(&Measurements::rate, "rate", "state", part(10));
}

}  // namespace fathom::identify::internal
