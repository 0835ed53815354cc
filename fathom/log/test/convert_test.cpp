// Descriptions and what they make of tables, against numbers worked out by hand and rotations by Eigen.
#include "fathom/log/convert.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/base/thread_pool.hpp"
#include "fathom/geometry/frames.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::log::convert_test {
namespace {

using fathom::test::error_text;
using fathom::test::spill;
using fathom::test::TemporaryFolder;

std::string described(const std::string& channel) {
  return "format: fathom-description-1\nchannels:\n  a:\n" + channel;
}

struct Converted {
  Dataset dataset;
  Conversion conversion;
  const Channel& channel() const { return dataset.channels().front(); }
};

/// One channel, whose keys are indented by four.
Converted converted(const std::string& channel, const std::string& table) {
  DatasetSink sink;
  const Description description = parse_description(described(channel), "d.yaml");
  Conversion conversion = convert_text(description, table, sink);
  return {std::move(sink).dataset(), std::move(conversion)};
}

std::string error_text(const std::string& channel, const std::string& table = "t,x,y,z\n0,1,2,3\n1,4,5,6\n") {
  return error_text([&] { converted(channel, table); });
}

TEST(CopyLog, ReportsWithinAFileSoThatItCanBeCancelled) {
  const TemporaryFolder folder;
  std::string text = "# fathom log 1\n# channel: a\nt [s],x [m]\n";
  for (int k = 0; k < 20'000; ++k) text += fmt::format("{},1\n", k);
  spill(folder / "a.csv", text);
  struct Counting : NoSink {
    void append(std::size_t, double, std::span<const double>) override { ++rows; }
    int rows = 0;
  } sink;
  int calls = 0;
  EXPECT_THROW(copy_log(folder.path(), sink,
                        [&](double share) {
                          EXPECT_EQ(share, 0);
                          if (++calls == 2) throw Interrupted();
                        }),
               Interrupted);
  EXPECT_GT(sink.rows, 0);
  EXPECT_LT(sink.rows, 10'000);
}

TEST(Convert, UnitsSignsAndOffsets) {
  const Converted c = converted(R"(    clock: {column: t, unit: ms}
    columns:
      depth: {from: x, unit: cm, sign: -1, offset: 0.12}
      heading: {from: y, unit: deg}
      z:
      speed: {from: z, scale: 2, unit: knots}
)",
                                "t,x,y,z\n1000,100,180,3\n1020,200,-90,4.5\n");
  EXPECT_EQ(c.channel().t, (std::vector<double>{0, 0.02}));
  EXPECT_EQ(c.channel().info.columns,
            (std::vector<Column>{{"depth", "m"}, {"heading", "rad"}, {"z", ""}, {"speed", "m/s"}}));
  EXPECT_NEAR(c.channel().row(1)[0], -1.88, 1e-15);
  EXPECT_DOUBLE_EQ(c.channel().row(0)[1], std::numbers::pi);
  EXPECT_EQ(c.channel().row(1)[2], 4.5);
  EXPECT_DOUBLE_EQ(c.channel().row(0)[3], 6 * 1852.0 / 3600);
  EXPECT_EQ(c.conversion.zero_ns, 1000000000);
}

TEST(Convert, PressureToDepth) {
  const Converted c = converted(R"(    clock: {column: t}
    columns: {depth: {from: x, unit: mbar, density: 1000, surface: 1013}}
)",
                                "t,x\n0,1994\n1,1013\n");
  EXPECT_NEAR(c.channel().row(0)[0], 98100 / 9810.0, 1e-12);
  EXPECT_NEAR(c.channel().row(1)[0], 0, 1e-12);
}

TEST(Convert, VectorsTurn) {
  const std::string table = "t,x,y,z\n0,1,2,3\n1,,5,6\n";
  const Converted enu = converted(
      "    clock: {column: t}\n    vectors: [{to: p, from: [x, y, z], axes: ENU, unit: mm}]\n", table);
  const Vec3 expected = swap_ned_enu(Vec3(1, 2, 3)) * 1e-3;
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(enu.channel().row(0)[k], expected[static_cast<int>(k)]);
  EXPECT_EQ(enu.channel().info.frame, "n");
  EXPECT_EQ(enu.channel().row(1)[0], 0.005);  // what has nothing to do with the missing value stays
  EXPECT_TRUE(std::isnan(enu.channel().row(1)[1]));
  const Converted flu =
      converted("    clock: {column: t}\n    vectors: [{to: [u, v, w], from: [x, y, z], axes: FLU}]\n", table);
  EXPECT_EQ(flu.channel().row(0)[1], -2);
  EXPECT_EQ(flu.channel().info.frame, "b");
  const Converted turned = converted(
      "    clock: {column: t}\n    vectors: [{to: [u, v, w], from: [x, y, z], axes: [10, 20, 30]}]\n", table);
  const Vec3 by_euler = quaternion_from_euler(degree * Vec3(10, 20, 30)) * Vec3(1, 2, 3);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(turned.channel().row(0)[k], by_euler[static_cast<int>(k)], 1e-15);
}

TEST(Convert, AttitudeOfRos) {
  const Quat q_enu(Eigen::AngleAxisd(0.7, Vec3(0.1, -0.2, 0.9).normalized()));
  const Quat q_ned = swap_attitude_ned_enu(q_enu);
  const Vec3 rpy = euler_from_quaternion(q_enu) / degree, expected = euler_from_quaternion(q_ned);
  const std::string table = fmt::format("t,r,p,y,qx,qy,qz,qw\n0,{},{},{},{},{},{},{}\n1,,0,0,0,0,0,0\n",
                                        rpy.x(), rpy.y(), rpy.z(), q_enu.x(), q_enu.y(), q_enu.z(), q_enu.w());
  const Converted angles = converted(
      "    clock: {column: t}\n    attitude: {from: [r, p, y], unit: deg, axes: FLU in ENU}\n", table);
  EXPECT_EQ(angles.channel().info.columns[2], (Column{"heading", "rad"}));
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(angles.channel().row(0)[k], expected[static_cast<int>(k)], 1e-14);
  EXPECT_TRUE(std::isnan(angles.channel().row(1)[2]));
  const Converted quaternion = converted(
      "    clock: {column: t}\n    attitude: {from: [qx, qy, qz, qw], order: xyzw, axes: FLU in ENU}\n", table);
  const auto row = quaternion.channel().row(0);
  EXPECT_NEAR(std::abs(Quat(row[0], row[1], row[2], row[3]).dot(q_ned)), 1, 1e-15);
  EXPECT_EQ(quaternion.conversion.channels[0].invalid_values, 1u);  // zeros are no attitude
}

TEST(Convert, InvalidValuesAndRowsThatDoNotCount) {
  const Converted c = converted(R"(    clock: {column: t}
    invalid: [-9999, .inf]
    where: {column: ok, is: 1}
    drop_old: true
    columns: {x: x}
)",
                                "t,x,ok\n0,1,1\n1,-9999,1\n2,3,0\n3,inf,1\n3,7,1\n2,8,1\n4,5,1\n");
  EXPECT_EQ(c.channel().t, (std::vector<double>{0, 1, 3, 4}));
  const ConvertedChannel& told = c.conversion.channels[0];
  EXPECT_EQ(told.invalid_values, 2u);
  EXPECT_EQ(told.other_rows, 1u);
  EXPECT_EQ(told.old_rows, 2u);
  EXPECT_EQ(told.quality.missing_values, 2u);
}

TEST(Convert, ClocksShareTheirZero) {
  TemporaryFolder folder;
  spill(folder.path() / "a.csv", "t,x\n1669909203330211715,1\n1669909203340211716,2\n");
  spill(folder.path() / "b.csv", "s,n,x\n1669909203,320211715,1\n");
  spill(folder.path() / "c.csv", "boot,x\n100.5,1\n100.75,2\n");
  spill(folder.path() / "d.csv", "x\n1\n2\n3\n");
  const Description description = parse_description(R"(format: fathom-description-1
channels:
  a: {file: a.csv, clock: {column: t, unit: ns}, columns: {x: x}}
  b: {file: b.csv, clock: {column: [s, n]}, columns: {x: x}}
  c: {file: c.csv, clock: {column: boot, kind: own, offset: 0.5}, columns: {x: x}}
  d: {file: d.csv, clock: {rate: 50, offset: 1}, columns: {x: x}}
)",
                                                    "d.yaml");
  DatasetSink sink;
  const Conversion conversion = convert(description, folder.path(), sink);
  EXPECT_EQ(conversion.zero_ns, 1669909203320211715);
  const Dataset dataset = std::move(sink).dataset();
  EXPECT_EQ(dataset.channel("a").t, (std::vector<double>{0.01, 0.020000001}));
  EXPECT_EQ(dataset.channel("b").t, (std::vector<double>{0}));
  EXPECT_EQ(dataset.channel("c").t, (std::vector<double>{0.5, 0.75}));
  EXPECT_EQ(dataset.channel("d").t, (std::vector<double>{1, 1.02, 1.04}));
  Description wrong = description;
  wrong.channels[1].clock.columns.pop_back();
  wrong.channels[1].clock.power = 6;
  EXPECT_NE(error_text([&] { convert(wrong, folder.path(), sink); }).find("these are two clocks"),
            std::string::npos);
}

TEST(Convert, TellsEveryColumnThatIsMissing) {
  EXPECT_EQ(
      error_text("    clock: {column: tt}\n    columns:\n      a: xx\n      b: {from: 9}\n"),
      "d.yaml:4: channels.a.clock.column 'tt' is no column of table.csv (did you mean t? it has t, x, y, z)\n"
      "d.yaml:6: channels.a.columns.a 'xx' is no column of table.csv (did you mean x? it has t, x, y, z)\n"
      "d.yaml:7: channels.a.columns.b.from = 9, and table.csv has 4 columns "
      "(numbers of columns begin at 1; is the separator right?)");
}

TEST(Convert, RefusesWhatRunsBackwards) {
  EXPECT_EQ(error_text("    clock: {column: t}\n    columns: {x: x}\n", "t,x\n1,1\n2,2\n1.5,3\n"),
            "table.csv:4: channel a: the clock steps back, from 1 s to 0.5 s (drop_old: true counts rows that "
            "are not later "
            "than the one before and leaves them out; or are these two runs?)");
  EXPECT_EQ(error_text("    clock: {column: t}\n    columns: {x: x}\n", "t,x\n0,inf\n"),
            "table.csv:2: channel a: column 2 of the file is infinite (invalid: [.inf, -.inf] makes it a "
            "missing value)");
  EXPECT_EQ(error_text("    clock: {column: t}\n    columns: {x: x}\n", "t,x\n"),
            "table.csv: channel a: has no rows (is the file that of another run?)");
}

TEST(Description, TellsEverythingThatIsWrong) {
  const std::string text = error_text([] {
    parse_description(described(R"(    file: x.csv
    clock: {column: t, unit: min}
    colums: {x: x}
    columns:
      x: {unit: degs}
      y: {unit: bar, density: 1000}
      z: {sign: 2}
    vectors:
      - {to: [u, v], from: [a, b, c], axes: FLX}
      - {to: p, from: [a, b, c], axes: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}
    attitude: {from: [qx, qy, qz, qw], axes: FLU}
)"),
                      "d.yaml");
  });
  for (const char* part :
       {"d.yaml:5: channels.a.clock.unit = 'min', expected one of s, ms, us, ns, date",
        "d.yaml:6: channels.a has the unknown key 'colums' (did you mean columns?)",
        "d.yaml:8: channels.a.columns.x.unit = 'degs', which is no unit here (did you mean deg?)",
        "d.yaml:9: channels.a.columns.y needs density, surface and a unit of pressure to become a depth",
        "d.yaml:10: channels.a.columns.z.sign = 2, expected 1 or -1 (scale takes any number)",
        "d.yaml:12: channels.a.vectors[0].to has 2 names, expected 3",
        "d.yaml:12: channels.a.vectors[0].axes = 'FLX', expected one of FRD, FLU, NED, ENU, NWU (did you mean "
        "FLU?)",
        "d.yaml:13: channels.a.vectors[1].axes is no rotation (it mirrors",
        "d.yaml:14: channels.a.attitude has four columns and no order (order: xyzw (ROS) or order: wxyz)",
        "d.yaml:14: channels.a.attitude.axes = 'FLU', expected body axes in world axes"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n\n" << text;
}

TEST(Description, NeedsAClockAndColumns) {
  EXPECT_EQ(error_text([] { parse_description(described("    file: x.csv\n"), "d.yaml"); }),
            "d.yaml:3: channels.a has no columns (columns, vectors or attitude say what is written)\n"
            "d.yaml:3: channels.a has no clock (clock: {column: t, unit: s}; or clock: {rate: 100} where the "
            "file has "
            "no times)");
  EXPECT_EQ(error_text([] { parse_description("format: fathom-robot-1\n", "d.yaml"); }),
            "d.yaml:1: format = 'fathom-robot-1': this is a robot, not a description of a log (fathom models "
            "shows it; a "
            "scenario names it: vehicles: [{robot: ...}])");
  EXPECT_EQ(error_text([] {
              parse_description(
                  described("    clock: {column: t}\n    columns: {x: a}\n    vectors: [{to: [x, y, z], from: "
                            "[a, b, c]}]\n"),
                  "d.yaml");
            }),
            "d.yaml:3: channels.a channel 'a': column 'x' stands there twice (each needs a name of its own)");
}

TEST(Quality, SeesJitterLimitsAndStuckColumns) {
  Channel channel;
  channel.info = {"a", "b", {{"free", ""}, {"limited", ""}, {"stuck", ""}, {"flag", ""}}};
  for (int k = 0; k < 1000; ++k) {
    const double wave = std::sin(0.01 * k);
    const double t = 0.01 * k + (k % 3 == 1 ? 1e-3 : 0.0);
    channel.append(t, std::vector<double>{wave, std::min(wave, 0.8), 7, k % 2 == 0 ? 1.0 : 0.0});
  }
  const Quality quality = quality_of(channel);
  EXPECT_NEAR(quality.duration, 9.99, 1e-12);
  EXPECT_NEAR(quality.jitter, 1.4826e-3, 1e-6);  // steps of 9, 10 and 11 ms: the median deviation is 1
  EXPECT_EQ(quality.columns[0].saturation(1000), 0);
  EXPECT_NEAR(quality.columns[1].saturation(1000), 2 * (std::numbers::pi - 2 * std::asin(0.8)) / 10, 0.002);
  EXPECT_TRUE(quality.columns[2].stuck(1000));
  EXPECT_EQ(quality.columns[2].saturation(1000), 0);
  EXPECT_EQ(quality.columns[3].saturation(1000), 0);  // a flag is always at an end
}

}  // namespace
}  // namespace fathom::log::convert_test
