// A whole recording against the truth of the swim, from memory and from files.
#include "fathom/identify/vehicle/recording.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "fathom/identify/vehicle/test/recording_logs.hpp"
#include "fathom/log/csv_writer.hpp"

namespace fathom::identify::recording_test {
namespace {

using test::Swim;
using test::swim;

/// The sensors of the robot file without what a smoother cannot know: bias and drift.
model::Robot unbiased() {
  std::vector<model::Sensor> sensors = test::heavy().sensors();
  for (model::Sensor& sensor : sensors) {
    sensor.bias.clear();
    sensor.bias_walk.clear();
  }
  return test::with_sensors(test::heavy(), sensors);
}

/// The truth at the samples that are used, away from the ends.
double sigmas_off(const Swim& swum, const Recording& recording, Eigen::Index row) {
  double sum = 0;
  int n = 0;
  for (Eigen::Index k = 0; k < recording.size(); ++k) {
    const double t = recording.track.t(k);
    if (!recording.usable[static_cast<std::size_t>(k)] || t < 1 || t > swum.truth.back().t - 1) continue;
    const Vec6& nu_b = swum.truth[static_cast<std::size_t>(std::lround(t / swum.step))].state.nu_b;
    sum += std::pow((recording.track.nu_b(row, k) - nu_b[row]) / recording.track.nu_sigma_b(row, k), 2);
    ++n;
  }
  return std::sqrt(sum / n);
}

TEST(Recording, IsNamedWithItsOthers) {
  std::vector<Recording> recordings(1);
  recordings[0].name = "dive";
  EXPECT_EQ(names_of(recordings), "dive");
  recordings.resize(2);
  EXPECT_EQ(names_of(recordings), "dive and 1 other log");
  recordings.resize(4);
  EXPECT_EQ(names_of(recordings), "dive and 3 other logs");
}

TEST(Recording, HasTheVelocityOfTheSwimWithinTheSigmasThatItStates) {
  const model::Robot robot = unbiased();
  const Swim swum = swim(robot, 25, 0.01);
  const Recording recording = make_recording(swum.log, "pool", robot, model::Environment());
  EXPECT_EQ(recording.name, "pool");
  ASSERT_GT(recording.size(), 1200);
  for (Eigen::Index row = 0; row < 6; ++row) {
    EXPECT_LT(sigmas_off(swum, recording, row), 1.3) << row;
    EXPECT_GT(sigmas_off(swum, recording, row), 0.5) << row;
    EXPECT_LT(recording.track.nu_sigma_b.row(row).mean(), 0.02) << "a sigma that says nothing is easy to keep";
  }
  EXPECT_GT(recording.jerk, 0);
  EXPECT_EQ(recording.rate_bias_b.size(), 1u);
  std::vector<std::string> names;
  for (const filter::Smoothed::Count& count : recording.sensors) names.push_back(count.name);
  EXPECT_NE(std::find(names.begin(), names.end(), "mocap position"), names.end())
      << testing::PrintToString(names);
}

TEST(Recording, HasTheWrenchOfThePlant) {
  const model::Robot robot = unbiased();
  const Swim swum = swim(robot, 8, 0.002);
  const Recording recording = make_recording(swum.log, "pool", robot, model::Environment());
  const double scale = swum.tau_b.cwiseAbs().maxCoeff();
  std::size_t used = 0;
  for (Eigen::Index k = 1; k < recording.size() - 1; ++k) {
    if (!recording.usable[static_cast<std::size_t>(k)]) continue;
    const double steps = recording.track.t(k) / swum.step;
    if (std::abs(steps - std::round(steps)) > 1e-6) continue;  // the T200's map has no inflow: only times count
    ++used;
    // The mean over 0.02 s, by trapezia.
    const Eigen::Index middle = std::lround(steps);
    const Vec6 mean = (swum.tau_b.middleCols(middle - 4, 9).rowwise().sum() +
                       0.5 * (swum.tau_b.col(middle - 5) + swum.tau_b.col(middle + 5))) /
                      10;
    ASSERT_LT((recording.tau_b.col(k) - mean).norm(), 1e-4 * scale) << k;
  }
  EXPECT_GT(used, 300u);
}

TEST(Recording, OfFilesIsTheOneOfMemory) {
  const model::Robot robot = unbiased();
  const Swim swum = swim(robot, 8, 0.01);
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "fathom-recording-test" / "dive" / "log";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const log::Channel& channel : swum.log.channels()) {
    log::CsvChannelWriter writer(folder, channel.info);
    for (std::size_t k = 0; k < channel.size(); ++k) writer.append(channel.t[k], channel.row(k));
    writer.close();
  }
  const Recording memory = make_recording(swum.log, "dive", robot, model::Environment());
  const Recording files = read_recording(folder, robot, model::Environment());
  EXPECT_EQ(files.name, "dive") << "not log";
  EXPECT_EQ(files.track.nu_b, memory.track.nu_b);
  EXPECT_EQ(files.tau_b, memory.tau_b);
  EXPECT_EQ(files.usable, memory.usable);
  std::filesystem::remove_all(folder.parent_path().parent_path());
}

TEST(Recording, DoesNotLookAtTheTruth) {
  const model::Robot robot = unbiased();
  const Swim swum = swim(robot, 8, 0.01);
  const log::Dataset blind = test::without(swum.log, "rov.state");
  const Recording with = make_recording(swum.log, "a", robot, model::Environment());
  const Recording without = make_recording(blind, "a", robot, model::Environment());
  EXPECT_EQ(with.track.nu_b, without.track.nu_b);
  EXPECT_EQ(with.tau_b, without.tau_b);
}

TEST(Recording, OfTheStateIsTheState) {
  const model::Robot robot = unbiased();
  const Swim swum = swim(robot, 8, 0.01);
  RecordingOptions options;
  options.sensors = {"state"};
  const Recording recording = make_recording(swum.log, "a", robot, model::Environment(), options);
  for (Eigen::Index k = 10; k < recording.size() - 10; ++k) {
    const auto n = static_cast<std::size_t>(std::lround(recording.track.t(k) / swum.step));
    ASSERT_LT((recording.track.nu_b.col(k) - swum.truth[n].state.nu_b).norm(), 1e-3) << recording.track.t(k);
  }
}

TEST(Recording, CountsEverySampleThatItDoesNotUse) {
  const model::Robot robot = unbiased();
  Swim swum = swim(robot, 20, 0.01);
  swum.log = test::changed(swum.log, "rov.thrusters", [](log::Channel& told) {  // a row each 0.1 s
    told.t.erase(told.t.begin(), told.t.begin() + 30);
    told.values.erase(told.values.begin(), told.values.begin() + 30 * 8);
    told.t.resize(150);  // to 17.9 s
    told.values.resize(150 * 8);
    told.values[8 * 50 + 3] = std::nan("");  // 8 s
  });
  RecordingOptions options;
  options.from = 2;
  const Recording recording = make_recording(swum.log, "a", robot, model::Environment(), options);
  const auto dropped = [&](const std::string& why) {
    for (const Recording::Drop& drop : recording.dropped)
      if (drop.why == why) return drop.samples;
    return std::size_t{0};
  };
  EXPECT_NEAR(static_cast<double>(dropped("before the first command")), 50, 1) << "2 to 3 s at 50 Hz";
  EXPECT_NEAR(static_cast<double>(dropped("after the last command")), 103, 5);
  EXPECT_NEAR(static_cast<double>(dropped("a command is missing")), 5, 1);
  EXPECT_NEAR(static_cast<double>(dropped("outside from and until")), 100, 2);
  std::size_t used = 0, unused = 0;
  for (const char usable : recording.usable) ++(usable ? used : unused);
  std::size_t told = 0;
  for (const Recording::Drop& drop : recording.dropped)
    if (drop.why.find(':') == std::string::npos || drop.why.starts_with("not measured")) told += drop.samples;
  EXPECT_EQ(unused, told);
  EXPECT_EQ(used + unused, static_cast<std::size_t>(recording.size()));
  EXPECT_GT(used, 700u);
}

}  // namespace
}  // namespace fathom::identify::recording_test
