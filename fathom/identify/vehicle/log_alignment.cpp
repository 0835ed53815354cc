#include "fathom/identify/vehicle/log_alignment.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"

namespace fathom::identify {
namespace {

using filter::MotionForm;
using filter::MotionSeries;

template <std::size_t N>
using Names = std::array<std::string_view, N>;
constexpr Names<3> rate_columns = {"rate_x", "rate_y", "rate_z"};
constexpr Names<3> angle_columns = {"roll", "pitch", "heading"};
constexpr Names<3> velocity_columns = {"velocity_x", "velocity_y", "velocity_z"};
constexpr Names<3> position_columns = {"position_x", "position_y", "position_z"};
constexpr Names<4> attitude_columns = {"attitude_w", "attitude_x", "attitude_y", "attitude_z"};
constexpr Names<1> depth_columns = {"depth"};

/// A column per sample, or nothing where the channel lacks one of the columns.
template <std::size_t N>
std::optional<Eigen::MatrixXd> columns_named(const log::Channel& channel, const Names<N>& names) {
  Eigen::MatrixXd values(static_cast<Eigen::Index>(N), static_cast<Eigen::Index>(channel.size()));
  for (std::size_t i = 0; i < N; ++i) {
    const auto has_name = [&](const Column& column) { return column.name == names[i]; };
    if (std::none_of(channel.info.columns.begin(), channel.info.columns.end(), has_name)) return std::nullopt;
    values.row(static_cast<Eigen::Index>(i)) = channel.column(names[i]).transpose();
  }
  return values;
}

/// `rov` of `rov.imu`; empty where there is none.
std::string vehicle_of(const std::string& channel) {
  const std::size_t dot = channel.rfind('.');
  return dot == std::string::npos ? "" : channel.substr(0, dot);
}

/// A channel of one vehicle, in body axes, at the times of measuring.
struct Shown {
  std::string channel, vehicle;
  std::vector<double> t;
  std::optional<Eigen::MatrixXd> rate_b, q_nb, velocity_b, position_n, depth;
  Vec3 lever_b = Vec3::Zero();  ///< m, where it is

  Quat attitude(Eigen::Index k) const {
    const Eigen::Vector4d q = q_nb->col(k);
    return Quat(q[0], q[1], q[2], q[3]).normalized();
  }
};

Eigen::MatrixXd as_quaternions(const Eigen::MatrixXd& angles) {
  Eigen::MatrixXd q_nc(4, angles.cols());
  for (Eigen::Index k = 0; k < angles.cols(); ++k) {
    const Quat q = quaternion_from_euler(Vec3(angles.col(k)));
    q_nc.col(k) << q.w(), q.x(), q.y(), q.z();
  }
  return q_nc;
}

/// From the sensor's axes to the body's, q_nb = q_nc q_bc^-1.
void turn_to_body(Eigen::MatrixXd& q_nc, const Quat& q_bc) {
  for (Eigen::Index k = 0; k < q_nc.cols(); ++k) {
    const Quat q = Quat(q_nc(0, k), q_nc(1, k), q_nc(2, k), q_nc(3, k)) * q_bc.conjugate();
    q_nc.col(k) << q.w(), q.x(), q.y(), q.z();
  }
}

const model::Sensor* sensor_of(const std::string& channel, const model::Robot* robot) {
  if (!robot) return nullptr;
  for (const model::Sensor& sensor : robot->sensors())
    if (channel == sensor.name || channel.ends_with("." + sensor.name)) return &sensor;
  return nullptr;
}

Shown show(const log::Channel& channel, const model::Robot* robot) {
  Shown shown{channel.info.name, vehicle_of(channel.info.name), channel.t, {}, {}, {}, {}, {}, {}};
  shown.rate_b = columns_named(channel, rate_columns);
  shown.velocity_b = columns_named(channel, velocity_columns);
  shown.position_n = columns_named(channel, position_columns);
  shown.depth = columns_named(channel, depth_columns);
  shown.q_nb = columns_named(channel, attitude_columns);
  if (const auto angles = columns_named(channel, angle_columns); angles && !shown.q_nb)
    shown.q_nb = as_quaternions(*angles);
  const model::Sensor* sensor = sensor_of(channel.info.name, robot);
  if (!sensor) return shown;
  const Pose mount = sensor->pose();
  shown.lever_b = mount.p_pc_p;
  const Mat3 R_bc = mount.q_pc.toRotationMatrix();
  if (shown.rate_b) shown.rate_b = R_bc * *shown.rate_b;
  if (shown.velocity_b) shown.velocity_b = R_bc * *shown.velocity_b;
  if (shown.q_nb) turn_to_body(*shown.q_nb, mount.q_pc);
  if (sensor->latency)
    for (double& t : shown.t) t -= sensor->latency->value;
  return shown;
}

/// Positions of another point of the body, where the channel knows the attitude too.
Eigen::MatrixXd positions_at(const Shown& shown, const Vec3& lever_b) {
  Eigen::MatrixXd p_n = *shown.position_n;
  for (Eigen::Index k = 0; k < p_n.cols(); ++k) p_n.col(k) += shown.attitude(k) * (lever_b - shown.lever_b);
  return p_n;
}

/// The series of one vehicle.
class SharedMotion {
 public:
  SharedMotion(const std::vector<Shown>& channels, std::vector<MotionSeries>& out)
      : channels_(channels), out_(out) {}

  void collect() {
    for (const Shown& shown : channels_) {
      if (shown.rate_b) add(shown, "angular rate", MotionForm::as_it_is, *shown.rate_b);
      if (shown.q_nb) add(shown, "angular rate", MotionForm::turning, *shown.q_nb);
    }
    for (const Shown& shown : channels_) {
      if (shown.velocity_b) add_velocity(shown);
      if (shown.depth) add_depth(shown);
    }
    add_positions();
  }

 private:
  void add(const Shown& shown, const std::string& quantity, MotionForm form, Eigen::MatrixXd values) {
    const bool named = shown.vehicle.empty() || quantity.starts_with("velocity at");
    const std::string of = named ? quantity : quantity + " of " + shown.vehicle;
    out_.push_back({shown.channel, of, form, shown.t, std::move(values)});
  }

  /// Against each position with an attitude of its own clock, at the place of the DVL; else turned by another
  /// channel's attitude, or by its length alone.
  void add_velocity(const Shown& dvl) {
    bool linked = false;
    const std::string quantity = "velocity at " + dvl.channel;
    for (const Shown& other : channels_) {
      if (!other.position_n || !other.q_nb) continue;
      if (!linked) add(dvl, quantity, MotionForm::as_it_is, *dvl.velocity_b);
      linked = true;
      Eigen::MatrixXd both(7, other.position_n->cols());
      both << positions_at(other, dvl.lever_b), *other.q_nb;
      add(other, quantity, MotionForm::moving, std::move(both));
    }
    if (linked) return;
    add(dvl, "speed", MotionForm::as_it_is, dvl.velocity_b->colwise().norm());
    for (const Shown& other : channels_)
      if (other.q_nb) return add_sinking(dvl, other);
  }

  /// Vertical speed of a DVL through the nearest attitude before it, as the log has both.
  void add_sinking(const Shown& dvl, const Shown& ahrs) {
    Eigen::MatrixXd down = Eigen::MatrixXd::Constant(1, dvl.velocity_b->cols(), nan);
    Eigen::Index k = 0;
    for (Eigen::Index i = 0; i < down.cols(); ++i) {
      const double t = dvl.t[static_cast<std::size_t>(i)];
      while (k + 1 < ahrs.q_nb->cols() && ahrs.t[static_cast<std::size_t>(k + 1)] <= t) ++k;
      if (std::abs(ahrs.t[static_cast<std::size_t>(k)] - t) < 1)
        down(0, i) = (ahrs.attitude(k) * Vec3(dvl.velocity_b->col(i))).z();
    }
    add(dvl, "vertical speed", MotionForm::as_it_is, std::move(down));
  }

  void add_depth(const Shown& depth) {
    add(depth, "vertical speed", MotionForm::slope, *depth.depth);
    depth_lever_b_ = depth.lever_b;
  }

  void add_positions() {
    for (const Shown& shown : channels_) {
      if (!shown.position_n) continue;
      const Eigen::MatrixXd at = shown.q_nb ? positions_at(shown, depth_lever_b_) : *shown.position_n;
      add(shown, "vertical speed", MotionForm::slope, at.row(2));
      add(shown, "speed", MotionForm::speed, *shown.position_n);
    }
  }

  const std::vector<Shown>& channels_;
  std::vector<MotionSeries>& out_;
  Vec3 depth_lever_b_ = Vec3::Zero();
};

bool shows_motion(const Shown& shown) {
  return shown.rate_b || shown.q_nb || shown.velocity_b || shown.position_n || shown.depth;
}

}  // namespace

std::vector<MotionSeries> shared_motion(const log::Dataset& dataset, const model::Robot* robot) {
  std::vector<std::string> vehicles;
  std::vector<Shown> shown;
  for (const log::Channel& channel : dataset.channels()) {
    if (channel.size() < 2) continue;
    Shown one = show(channel, robot);
    if (!shows_motion(one)) continue;
    if (std::find(vehicles.begin(), vehicles.end(), one.vehicle) == vehicles.end())
      vehicles.push_back(one.vehicle);
    shown.push_back(std::move(one));
  }
  std::vector<MotionSeries> series;
  for (const std::string& vehicle : vehicles) {
    std::vector<Shown> of_vehicle;
    for (const Shown& one : shown)
      if (one.vehicle == vehicle) of_vehicle.push_back(one);
    SharedMotion(of_vehicle, series).collect();
  }
  return series;
}

std::string usual_reference(const std::vector<MotionSeries>& series) {
  for (const MotionForm form : {MotionForm::as_it_is, MotionForm::turning})
    for (const MotionSeries& one : series)
      if (one.form == form && one.quantity.starts_with("angular rate")) return one.channel;
  return series.empty() ? "" : series.front().channel;
}

log::Dataset with_aligned_clocks(const log::Dataset& dataset, const filter::Alignment& alignment) {
  log::Dataset aligned;
  for (log::Channel channel : dataset.channels()) {
    for (const filter::ChannelOffset& offset : alignment.channels) {
      if (offset.channel != channel.info.name || !offset.why_not.empty()) continue;
      for (double& t : channel.t) t = offset.at_reference(t, alignment.t0);
      if (offset.sigma > 0)
        channel.info.about += fmt::format("{}times less {:.6f} s, sigma {:.6f} s, by fathom align",
                                          channel.info.about.empty() ? "" : "\n", offset.seconds, offset.sigma);
    }
    aligned.add(std::move(channel));
  }
  return aligned;
}

}  // namespace fathom::identify
