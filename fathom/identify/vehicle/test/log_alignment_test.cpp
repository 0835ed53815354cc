#include "fathom/identify/vehicle/log_alignment.hpp"

#include <cmath>
#include <functional>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::identify::log_alignment_test {
namespace {

/// Rolls, pitches and yaws about, and a point of it goes up and down.
Vec3 angles(double t) {
  return {0.2 * std::sin(0.9 * t), 0.15 * std::sin(1.3 * t + 1), std::sin(0.41 * t) + 0.3 * t};
}
Vec3 place_n(double t) {
  return {std::sin(0.7 * t), 0.8 * std::sin(0.53 * t + 2), 3 + 0.4 * std::sin(0.77 * t)};
}

log::Channel channel_of(const std::string& name, const std::vector<std::string>& columns, double rate,
                        double late, const std::function<std::vector<double>(double)>& shows) {
  RandomStream random(1, name);
  log::Channel channel;
  channel.info.name = name;
  for (const std::string& column : columns) channel.info.columns.push_back({column, ""});
  for (int k = 0; k < static_cast<int>(60 * rate); ++k) {
    std::vector<double> row = shows(k / rate);
    for (double& value : row) value += 1e-3 * random.normal();
    channel.append(k / rate + late, row);
  }
  return channel;
}

/// A camera at the origin, a compass that is turned by 90 degrees, a depth sensor on a long arm.
const char* const robot_text = R"(format: fathom-robot-1
name: small
hull: {mass: 11.5, inertia: [0.16, 0.17, 0.18], centre_of_mass: [0, 0, 0.02], volume: 0.0115,
  centre_of_buoyancy: [0, 0, 0], added_mass: [6, 7, 18, 0.2, 0.2, 0.2]}
damping: []
sensors:
  - {name: camera, kind: position, latency: 0.05}
  - {name: ahrs, kind: ahrs, attitude_deg: [0, 0, 90]}
  - {name: depth, kind: depth, position: [-1.5, 0, 0]}
)";

log::Dataset dataset_of(const std::string& vehicle, double ahrs_late, double depth_late) {
  log::Dataset dataset;
  dataset.add(channel_of(
      vehicle + "camera",
      {"position_x", "position_y", "position_z", "attitude_w", "attitude_x", "attitude_y", "attitude_z"}, 25,
      0.05, [](double t) {
        const Quat q = quaternion_from_euler(angles(t));
        const Vec3 p = place_n(t);
        return std::vector<double>{p[0], p[1], p[2], q.w(), q.x(), q.y(), q.z()};
      }));
  const Quat mount = quaternion_from_euler(Vec3(0, 0, std::acos(0.0)));
  dataset.add(channel_of(vehicle + "ahrs", {"roll", "pitch", "heading"}, 20, ahrs_late, [&](double t) {
    const Vec3 rpy = euler_from_quaternion(quaternion_from_euler(angles(t)) * mount);
    return std::vector<double>{rpy[0], rpy[1], rpy[2]};
  }));
  dataset.add(channel_of(vehicle + "depth", {"depth"}, 10, depth_late, [](double t) {
    const Vec3 arm = quaternion_from_euler(angles(t)) * Vec3(-1.5, 0, 0);
    return std::vector<double>{(place_n(t) + arm).z()};
  }));
  return dataset;
}

std::map<std::string, filter::ChannelOffset> offsets_of(const filter::Alignment& alignment) {
  std::map<std::string, filter::ChannelOffset> offsets;
  for (const filter::ChannelOffset& offset : alignment.channels) offsets[offset.channel] = offset;
  return offsets;
}

TEST(LogAlignment, PlacesTurnsAndLatenciesOfTheRobotCount) {
  const model::Robot robot = model::parse_robot(robot_text, "small.yaml");
  const log::Dataset dataset = dataset_of("rov.", 0.2, -0.15);
  const auto alignment = filter::align_clocks(shared_motion(dataset, &robot), "rov.camera");
  const auto offsets = offsets_of(alignment);
  EXPECT_NEAR(offsets.at("rov.ahrs").seconds, 0.2, 4 * offsets.at("rov.ahrs").sigma);
  EXPECT_NEAR(offsets.at("rov.depth").seconds, -0.15, 4 * offsets.at("rov.depth").sigma);
  EXPECT_LT(offsets.at("rov.depth").sigma, 0.01);
  // Without the robot the compass seems to turn about other axes, and the arm's swing is none of the camera's.
  const auto without = offsets_of(filter::align_clocks(shared_motion(dataset, nullptr), "rov.camera"));
  EXPECT_TRUE(!without.at("rov.depth").why_not.empty() || without.at("rov.depth").sigma > 0.02);
}

TEST(LogAlignment, TimesArePutRightAndOthersKept) {
  const model::Robot robot = model::parse_robot(robot_text, "small.yaml");
  log::Dataset dataset = dataset_of("", 0.2, 0);
  dataset.add(channel_of("thrusters", {"command_a"}, 10, 0, [](double) { return std::vector<double>{1}; }));
  const auto alignment = filter::align_clocks(shared_motion(dataset, &robot), "camera");
  const log::Dataset aligned = with_aligned_clocks(dataset, alignment);
  EXPECT_NEAR(aligned.channel("ahrs").t[100], 5, 0.01);  // the 100th sample at 20 Hz
  EXPECT_EQ(aligned.channel("thrusters").t, dataset.channel("thrusters").t);
  EXPECT_EQ(aligned.channel("camera").t, dataset.channel("camera").t);
  EXPECT_EQ(aligned.channel("ahrs").values, dataset.channel("ahrs").values);
  EXPECT_NE(aligned.channel("ahrs").info.about.find("by fathom align"), std::string::npos);
}

TEST(LogAlignment, TwoVehiclesShareNothing) {
  log::Dataset both = dataset_of("a.", 0, 0);
  const log::Dataset other = dataset_of("b.", 0, 0);
  for (const log::Channel& channel : other.channels()) both.add(channel);
  const auto alignment = filter::align_clocks(shared_motion(both, nullptr), "a.camera");
  for (const filter::PairOffset& pair : alignment.pairs) EXPECT_EQ(pair.from[0], pair.to[0]);
  EXPECT_NE(offsets_of(alignment).at("b.ahrs").why_not, "");
}

TEST(LogAlignment, AGyroIsTheUsualReference) {
  log::Dataset dataset = dataset_of("rov.", 0, 0);
  EXPECT_EQ(usual_reference(shared_motion(dataset, nullptr)), "rov.camera");  // the first that has an attitude
  dataset.add(channel_of("rov.imu", {"rate_x", "rate_y", "rate_z"}, 50, 0, [](double t) {
    return std::vector<double>{t, t, t};
  }));
  EXPECT_EQ(usual_reference(shared_motion(dataset, nullptr)), "rov.imu");
}

}  // namespace
}  // namespace fathom::identify::log_alignment_test
