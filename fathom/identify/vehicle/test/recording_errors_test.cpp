// What is wrong with a log is said with its place and a hint.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/identify/vehicle/recording.hpp"
#include "fathom/identify/vehicle/test/recording_logs.hpp"

namespace fathom::identify::recording_errors_test {
namespace {

namespace fs = std::filesystem;
using log::Channel;
using log::Dataset;
using test::changed;
using test::without;

/// One swim for all: they differ in what is broken.
const Dataset& good() {
  static const Dataset log = test::swim(test::heavy(), 8, 0.01).log;
  return log;
}

std::string errors_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const InputError& error) {
    std::string text;
    for (const Finding& finding : error.findings()) text += finding.text() + "\n";
    return text;
  }
  return "no error";
}

Recording record(const Dataset& dataset, RecordingOptions options = {}) {
  options.smoother.jerk = 0.9;  // what the likelihood would find, to save its search
  options.smoother.angular_jerk = 2;
  return make_recording(dataset, "pool", test::heavy(), model::Environment(), options);
}

std::string rejection(const Dataset& dataset, const RecordingOptions& options = {}) {
  return errors_of([&] { record(dataset, options); });
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(RecordingErrors, AGoodLogHasNone) { EXPECT_EQ(rejection(good()), "no error"); }

TEST(RecordingErrors, NoThrusterCommands) {
  const std::string text = rejection(without(good(), "rov.thrusters"));
  EXPECT_HAS(text, "pool: has no thruster commands");
  EXPECT_HAS(text, "expected a channel 'rov.thrusters' with a column command_<thruster>");
}

TEST(RecordingErrors, CommandsWithoutARow) {
  EXPECT_HAS(rejection(changed(good(), "rov.thrusters",
                               [](Channel& told) {
                                 told.t.clear();
                                 told.values.clear();
                               })),
             "has no thruster commands: a header without rows");
}

TEST(RecordingErrors, AThrusterThatTheLogOrTheRobotDoesNotHave) {
  const std::string text = rejection(changed(
      good(), "rov.thrusters", [](Channel& told) { told.info.columns[2].name = "command_rear_starbord"; }));
  EXPECT_HAS(text,
             "has no column 'command_rear_starboard' of thruster 'rear_starboard' (did you mean "
             "'rear_starbord'?)");
  EXPECT_HAS(text,
             "commands thruster 'rear_starbord', which robot bluerov2-heavy does not have (did you mean "
             "'rear_starboard'?)");
}

TEST(RecordingErrors, CommandsBeyondTheMap) {
  const std::string text = rejection(changed(good(), "rov.thrusters", [](Channel& told) {
    told.values[8 * 10 + 1] = 1.5;
    told.values[8 * 20 + 1] = -1.7;
  }));
  EXPECT_HAS(text,
             "command_front_port is outside [-1, 1] of the thruster's map in 2 of 81 rows, as far as -1.7");
  const std::string microseconds = rejection(changed(good(), "rov.thrusters", [](Channel& told) {
    for (double& value : told.values) value = 1500 + 400 * value;
  }));
  EXPECT_HAS(microseconds, "microseconds? the map takes (us - 1500) / 400");
}

TEST(RecordingErrors, CommandsALittleBeyondTheMapAreClampedAndTold) {
  const Dataset log = changed(good(), "rov.thrusters", [](Channel& told) { told.values[8 * 10 + 1] = 1.015; });
  const Dataset clamped = changed(good(), "rov.thrusters", [](Channel& told) { told.values[8 * 10 + 1] = 1; });
  const Recording recording = record(log);
  EXPECT_EQ(recording.tau_b, record(clamped).tau_b);
  std::string text;
  for (const Finding& warning : recording.warnings) text += warning.text() + "\n";
  EXPECT_HAS(text,
             "command_front_port is outside [-1, 1] of the thruster's map in 1 of 81 rows, as far as 1.015; "
             "clamped");
}

TEST(RecordingErrors, SaturatedCommandsAreTold) {
  const Dataset log = changed(good(), "rov.thrusters", [](Channel& told) {
    for (std::size_t k = 0; k < 40; ++k) told.values[8 * k + 1] = k % 2 == 0 ? 1 : -1;
  });
  const Recording recording = record(log);
  std::string text;
  for (const Finding& warning : recording.warnings) text += warning.text() + "\n";
  EXPECT_HAS(text, "command_front_port is at an end of [-1, 1] in 40 of 81 rows");
}

TEST(RecordingErrors, UnitsThatAreNotOurs) {
  EXPECT_HAS(
      rejection(changed(good(), "rov.thrusters", [](Channel& told) { told.info.columns[0].unit = "us"; })),
      "column 'command_front_starboard' is in 'us', expected a number without unit");
  EXPECT_HAS(rejection(changed(good(), "rov.ahrs", [](Channel& ahrs) { ahrs.info.columns[1].unit = "deg"; })),
             "column 'pitch' is in 'deg', expected rad");
}

TEST(RecordingErrors, DegreesWithoutAUnit) {
  const auto as_degrees = [](const std::string& unit) {
    return changed(good(), "rov.ahrs", [&](Channel& ahrs) {
      for (Column& column : ahrs.info.columns) column.unit = unit;
      for (std::size_t k = 0; k < ahrs.size(); ++k) ahrs.values[3 * k + 2] = 30 + 0.1 * static_cast<double>(k);
    });
  };
  EXPECT_HAS(rejection(as_degrees("")), "rov.ahrs column 'heading' is beyond 2 pi in ");
  EXPECT_HAS(rejection(as_degrees("")), "(degrees? expected rad; ");
  EXPECT_EQ(rejection(as_degrees("rad")).find("degrees?"), std::string::npos);  // it counts turns
  const Dataset spike = changed(good(), "rov.ahrs", [](Channel& ahrs) {
    for (Column& column : ahrs.info.columns) column.unit.clear();
    ahrs.values[3 * 40 + 2] = 99;
  });
  EXPECT_EQ(rejection(spike), "no error");
}

TEST(RecordingErrors, AnotherRobotIsToldOnce) {
  const std::string text = rejection(changed(good(), "rov.thrusters", [](Channel& told) {
    for (std::size_t k = 0; k < told.info.columns.size(); ++k)
      told.info.columns[k].name = fmt::format("command_jet_{}", k);
  }));
  EXPECT_HAS(text, "commands jet_0, jet_1");
  EXPECT_HAS(text, "which robot bluerov2-heavy does not have, and not its front_starboard, front_port");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST(RecordingErrors, AColumnThatIsMissing) {
  const std::string text =
      rejection(changed(good(), "rov.ahrs", [](Channel& ahrs) { ahrs.info.columns[2].name = "headin"; }));
  EXPECT_HAS(text, "rov.ahrs has no column 'heading' (did you mean 'headin'?)");
}

TEST(RecordingErrors, TimesThatRepeatOrGoBack) {
  for (const char* name : {"rov.thrusters", "rov.mocap"}) {
    EXPECT_HAS(rejection(changed(good(), name, [](Channel& channel) { channel.t[7] = channel.t[6]; })),
               "twice: the time repeats");
    EXPECT_HAS(rejection(changed(good(), name, [](Channel& channel) { channel.t[7] = channel.t[5]; })),
               "the clock steps back");
    EXPECT_HAS(rejection(changed(good(), name, [](Channel& channel) { channel.t[7] = std::nan(""); })),
               "every row needs its time");
  }
}

TEST(RecordingErrors, ColumnsWithoutANumber) {
  const auto empty_column = [](std::size_t column) {
    return [column](Channel& channel) {
      for (std::size_t k = 0; k < channel.size(); ++k)
        channel.values[k * channel.width() + column] = std::nan("");
    };
  };
  EXPECT_HAS(rejection(changed(good(), "rov.mocap", empty_column(1))),
             "rov.mocap column 'position_y' has no number");
  EXPECT_HAS(rejection(changed(good(), "rov.imu", empty_column(4))), "rov.imu column 'rate_y' has no number");
  EXPECT_HAS(rejection(changed(good(), "rov.thrusters", empty_column(5))),
             "column 'command_vertical_front_port' has no number");
  EXPECT_EQ(rejection(changed(good(), "rov.imu", empty_column(0))), "no error")
      << "accelerations are not needed";
}

TEST(RecordingErrors, AWrenchWithoutNumbersOrAxes) {
  Dataset log = without(good(), "rov.thrusters");
  Channel wrench;
  wrench.info.name = "rov.wrench";
  for (const char* axis : {"X", "Y", "Z", "K", "M", "N"}) wrench.info.columns.push_back({axis, ""});
  for (int k = 0; k <= 800; ++k) wrench.append(k * 0.01, std::array{1.0, 0.0, 0.0, 0.0, std::nan(""), 0.0});
  Dataset without_numbers = log;
  without_numbers.add(wrench);
  EXPECT_HAS(rejection(without_numbers),
             "column 'M' has no number (an axis that is not driven has the wrench 0)");
  wrench.info.columns[5].name = "yaw";
  log.add(wrench);
  EXPECT_HAS(rejection(log), "rov.wrench has no column 'N' (it has X, Y, Z, K, M, yaw)");
}

TEST(RecordingErrors, ALogShorterThanTheSmoothing) {
  const Dataset brief = test::swim(test::heavy(), 4, 0.01).log;
  EXPECT_HAS(rejection(brief), "too short to smooth: at least 5 s");
  RecordingOptions options;
  options.sensors = {"ahrs", "dvl"};  // 5 Hz
  EXPECT_HAS(rejection(good(), options), "samples of position and velocity are too few to smooth: at least 50");
}

TEST(RecordingErrors, NothingThatShowsAttitudeOrPlace) {
  RecordingOptions options;
  options.sensors = {"dvl"};
  EXPECT_HAS(rejection(good(), options),
             "no sensor shows the attitude (an ahrs or a position sensor shows the");
  options.sensors = {"ahrs", "depth"};
  EXPECT_HAS(rejection(good(), options), "no sensor shows the position or the velocity");
}

TEST(RecordingErrors, NothingInTheTimeThatIsAskedFor) {
  RecordingOptions options;
  options.from = 1000;
  EXPECT_HAS(rejection(good(), options), "pool: from = 1000 s, but the log ends at 7.99 s");
  options.from.reset();
  options.until = -1;
  EXPECT_HAS(rejection(good(), options), "pool: until = -1 s, but the log begins at 0 s");
}

TEST(RecordingErrors, ASensorThatNeverSpokeIsTold) {
  const Recording recording = record(changed(good(), "rov.dvl", [](Channel& dvl) {
    dvl.t.clear();
    dvl.values.clear();
  }));
  std::string text;
  for (const Finding& warning : recording.warnings) text += warning.text() + "\n";
  EXPECT_HAS(text, "rov.dvl has no samples (the sensor never spoke)");
}

TEST(RecordingErrors, ASensorThatIsAskedForAndNotThere) {
  RecordingOptions options;
  options.sensors = {"mocup"};
  EXPECT_HAS(rejection(good(), options),
             "sensor 'mocup' is not one of robot bluerov2-heavy (did you mean 'mocap'?)");
  options.sensors = {"mocap"};
  EXPECT_HAS(rejection(without(good(), "rov.mocap"), options), "has no channel 'rov.mocap' of sensor 'mocap'");
}

TEST(RecordingErrors, AQuaternionOfAnotherOrderOrNone) {
  EXPECT_HAS(rejection(changed(good(), "rov.mocap",
                               [](Channel& mocap) {
                                 for (std::size_t k = 0; k < mocap.size(); ++k) mocap.values[7 * k + 3] = 45;
                               })),
             "no attitude is a unit quaternion");
}

/// The good log, and its commands once more as another channel.
Dataset with_more_thrusters(const std::string& channel) {
  Dataset two = good();
  Channel other = two.channel("rov.thrusters");
  other.info.name = channel;
  two.add(other);
  return two;
}

TEST(RecordingErrors, SeveralVehicles) {
  const Dataset two = with_more_thrusters("auv.thrusters");
  EXPECT_HAS(rejection(two), "has several vehicles (name one of auv, rov)");
  RecordingOptions options;
  options.vehicle = "rov";
  EXPECT_EQ(rejection(two, options), "no error");
  options.vehicle = "rof";
  EXPECT_HAS(rejection(two, options), "has no vehicle 'rof' (did you mean 'rov'?)");
}

TEST(RecordingErrors, CommandsOfAnotherTime) {
  const Dataset late = changed(good(), "rov.thrusters", [](Channel& told) {
    for (double& t : told.t) t += 100;
  });
  EXPECT_HAS(rejection(late), "has no sample that can be used");
  EXPECT_HAS(rejection(late), "before the first command");
}

std::string warnings_of(const Dataset& dataset) {
  std::string text;
  for (const Finding& warning : record(dataset).warnings) text += warning.text() + "\n";
  return text;
}

TEST(RecordingErrors, AClockThatJumpsAhead) {
  const Dataset jumped = changed(good(), "rov.mocap", [](Channel& mocap) { mocap.t.back() += 1e9; });
  EXPECT_HAS(rejection(jumped), "by 1e+09 s, in a log of");
  EXPECT_HAS(rejection(jumped), "--from and --until");
  RecordingOptions options;
  options.until = 7;
  EXPECT_EQ(rejection(jumped, options), "no error");
}

TEST(RecordingErrors, AnAbsurdValueIsLeftOutAndTold) {
  const Dataset log = changed(good(), "rov.mocap", [](Channel& mocap) {
    for (std::size_t k = 20; k < 26; ++k) mocap.values[7 * k] = 1e300;
  });
  EXPECT_HAS(warnings_of(log), "position_x = 1e+300, no sensor's; 6 such values are not used");
}

TEST(RecordingErrors, Millimetres) {
  const Dataset log = changed(good(), "rov.mocap", [](Channel& mocap) {
    for (std::size_t k = 0; k < mocap.size(); ++k)
      for (std::size_t i = 0; i < 3; ++i) mocap.values[7 * k + i] *= 1000;
  });
  EXPECT_HAS(rejection(without(without(log, "rov.dvl"), "rov.depth")), "millimetres?");
}

TEST(RecordingErrors, SensorsThatContradictEachOtherAreTold) {
  EXPECT_EQ(warnings_of(good()).find("contradicts"), std::string::npos) << warnings_of(good());
  const Dataset frozen = changed(good(), "rov.ahrs", [](Channel& ahrs) {
    for (double& value : ahrs.values) value = 0;
  });
  EXPECT_HAS(warnings_of(frozen), "rov.ahrs roll, pitch, heading: no change in");
  EXPECT_HAS(warnings_of(frozen), "samples are outliers, too many to be left out");
  const Dataset jumpy = changed(good(), "rov.mocap", [](Channel& mocap) {
    for (std::size_t k = 0; k < mocap.size(); k += 4) mocap.values[7 * k] += k % 8 == 0 ? 1 : -1;
  });
  EXPECT_HAS(warnings_of(jumpy), "samples are outliers");
  const Dataset late = changed(good(), "rov.mocap", [](Channel& mocap) {
    for (double& t : mocap.t) t += 0.2;
  });
  EXPECT_HAS(warnings_of(late), "it contradicts the others, or its noise in the robot file is too small");
}

TEST(RecordingErrors, AChannelWithoutAVehicleBesideOneWith) {
  const Dataset two = with_more_thrusters("thrusters");
  EXPECT_EQ(rejection(two), "no error");
}

TEST(RecordingErrors, TheStateIsOfferedWhereNoSensorShowsTheAttitude) {
  RecordingOptions options;
  options.sensors = {"dvl"};
  EXPECT_HAS(rejection(good(), options), "--sensors state");
}

TEST(RecordingErrors, OptionsThatMakeNoSense) {
  RecordingOptions options;
  options.from = 5;
  options.until = 4;
  EXPECT_HAS(rejection(good(), options), "until = 4, must be later than from = 5");
  options = {};
  options.voltage = 0;
  EXPECT_HAS(rejection(good(), options), "voltage = 0, must be > 0");
  options = {};
  options.smoother.dt = -1;
  EXPECT_HAS(rejection(good(), options), "pool: smoother.dt = -1, must be > 0") << "what the smoother says";
}

/// A folder of its own, gone afterwards.
class RecordingFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("fathom-") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  std::string rejection() const {
    return errors_of([&] { read_recording(folder_, test::heavy(), model::Environment()); });
  }
  static std::string commands(const std::string& rows) {
    const model::Robot robot = test::heavy();
    std::string header = "t [s]";
    for (const model::Thruster& thruster : robot.thrusters()) header += ",command_" + thruster.name;
    return header + "\n" + rows;
  }
  fs::path folder_;
};

TEST_F(RecordingFiles, HaveFileAndLine) {
  write("rov.thrusters.csv", commands("0,0,0,0,0,0,0,0,0\n"));
  write("rov.ahrs.csv", "t,roll,pitch,heading\n0,0,0,0\n0.1,0,0,0\n0.1,0,0,0\n");
  EXPECT_HAS(rejection(), "rov.ahrs.csv:4: t = 0.1 s twice: the time repeats");
  write("rov.ahrs.csv", "t,roll,pitch,heading\n0,0,0,0\n0.2,0,0,0\n0.1,0,0,0\n");
  EXPECT_HAS(rejection(), "rov.ahrs.csv:4: t = 0.1 s, after t = 0.2 s: the clock steps back");
}

TEST_F(RecordingFiles, CommandsBeyondTheMapHaveTheFirstLine) {
  std::string ahrs = "t,roll,pitch,heading\n", mocap = "t,position_x,position_y,position_z\n", rows;
  for (int k = 0; k <= 300; ++k) {
    ahrs += fmt::format("{},0,0,0\n", 0.02 * k);
    mocap += fmt::format("{},{},0,1\n", 0.02 * k, 0.001 * k);
    rows += fmt::format("{},0,0,0,{},0,0,0,0\n", 0.02 * k, k >= 7 ? -3 : 0);
  }
  write("rov.ahrs.csv", ahrs);
  write("rov.mocap.csv", mocap);
  write("rov.thrusters.csv", commands(rows));
  EXPECT_HAS(rejection(),
             "rov.thrusters.csv:9: command_rear_port is outside [-1, 1] of the thruster's map in 294 of "
             "301 rows, as far as -3");
}

TEST_F(RecordingFiles, ThatAreNone) {
  EXPECT_HAS(rejection(), "has no channels");
  write("rov.thrusters.csv.part", commands(""));
  EXPECT_HAS(rejection(), "files that end in .part are of a run that did not end");
  write("rov.ahrs.csv", "t,roll,pitch,heading\n0,0,0,0\n");
  EXPECT_HAS(rejection(), "rov.thrusters.csv.part is of a run that did not end");
  fs::remove_all(folder_);
  fs::create_directories(folder_ / "log");
  EXPECT_HAS(rejection(), "did you mean " + (folder_ / "log").string() + "?");
  EXPECT_HAS(errors_of([] { read_recording("", test::heavy(), model::Environment()); }), "log is empty");
  fs::remove_all(folder_);
  EXPECT_HAS(rejection(), "does not exist");
  std::ofstream(folder_) << "x";
  EXPECT_HAS(rejection(), "is a file, expected a folder");
}

}  // namespace
}  // namespace fathom::identify::recording_errors_test
