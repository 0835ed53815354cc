// What a problem file says is what is read.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/excite/any_problem.hpp"
#include "fathom/excite/test/problem_texts.hpp"
#include "fathom/fields/describe.hpp"

namespace fathom::excite::problem_reader_test {
namespace {

using namespace problem_texts;

void expect_range(const Range& range, double min, double max) {
  EXPECT_DOUBLE_EQ(range.min, min);
  EXPECT_DOUBLE_EQ(range.max, max);
}

TEST(ProblemReader, DefaultsAreThoseOfTheStructs) {
  const Problem problem = read(all_four);
  const Shape shape;
  const Noise noise;
  EXPECT_EQ(problem.name, "tank");
  EXPECT_EQ(problem.file, "tank.yaml");
  EXPECT_TRUE(problem.robot_file.ends_with("defender-like.yaml"));
  EXPECT_EQ(problem.sampling, 0.2);
  EXPECT_EQ(problem.shape.kind, shape.kind);
  EXPECT_EQ(problem.shape.interval, shape.interval);
  EXPECT_EQ(problem.criterion, Criterion::a_optimal);
  EXPECT_EQ(problem.noise.torque, noise.torque);
  EXPECT_EQ(problem.starts, 8);
  EXPECT_TRUE(problem.thruster_errors);
  EXPECT_FALSE(read(all_four + "thruster_errors: false\n").thruster_errors);
  EXPECT_EQ(problem.end, problem.start);
  EXPECT_FALSE(problem.thrusters || problem.view || problem.tether || problem.tank_n);
  EXPECT_EQ(problem.environment.density(), model::fresh_water);
  ASSERT_EQ(problem.segments.size(), 1u);
  EXPECT_EQ(problem.segments[0].duration, 100);
  EXPECT_EQ(problem.coordinates(), (std::vector<int>{0, 1, 2, 5}));
}

const std::string everything = R"(
format: fathom-excitation-1
name: all-keys
title: everything
robot: bluerov2-heavy
structure: {dof: 6, inertia: diagonal, linear: none, quadratic: none, cross: ['q26|6|', 'q15|1|']}
environment: {density: 1025, gravity: 9.8}
tank: {min: [-3, -2, 0], max: [3, 2, 1.8], clearance: [0.3, 0.4, 0.2]}
start: {position: [1, 0.5, 0.8], attitude_deg: [10, -5, 90]}
end: {position: [-1, 0.5, 0.8], attitude: [0.1, 0, 1]}
duration: 90
sampling: 0.1
limits:
  x: [-1.5, 1.5]
  roll: [-0.3, 0.4]
  pitch_deg: [-20, 10]
  speed: {x: 0.3, y: [-0.1, 0.2], z: 0.25}
  turn_rate_deg: {roll: 30, pitch: 45, yaw: [-60, 90]}
  acceleration: 0.2
  turn_acceleration: 0.3
segments:
  - {name: one, share: 0.5, limits: {y: [0, 1], speed: {x: 0.1}}}
  - {name: two, duration: 30}
  - {share: 1}
shape: {kind: bezier, degree: 12, parts: 4}
criterion: d-optimal
noise: {force: 2, torque: 0.5, velocity: 0.02, turn_rate: 0.03}
priors: {m11: 2.5, W-B: 0.1, 'q26|6|': 3}
thrusters: {share: 0.7}
view: {position: [0.1, 0, 0.2], axis: [0, 0, 2], half_angle: 1.2, area: [[0, 0, 1.8], [0.2, 0.1, 1.8]]}
tether: {anchor: [0, 0, 0], attachment: [-0.2, 0, -0.1], length: 6}
starts: 3
)";

TEST(ProblemReader, ReadsWhereAndWhenItMoves) {
  const Problem problem = read(everything);
  EXPECT_EQ(problem.title, "everything");
  EXPECT_EQ(problem.environment.density(), 1025);
  EXPECT_EQ(problem.environment.gravity(), 9.8);
  EXPECT_EQ(problem.structure.dof, model::Dof::six);
  EXPECT_EQ(problem.structure.size(), 6u + 2 + 1 + 3);
  Vec6 expected;
  expected << 1, 0.5, 0.8, 10 * degree, -5 * degree, pi / 2;
  EXPECT_LT((problem.start - expected).norm(), 1e-15);
  expected << -1, 0.5, 0.8, 0.1, 0, 1;
  EXPECT_EQ(problem.end, expected);
  EXPECT_EQ(problem.tank_n->max, Vec3(3, 2, 1.8));
  EXPECT_EQ(problem.sampling, 0.1);
}

TEST(ProblemReader, ReadsEverySegmentWithItsLimits) {
  const Problem problem = read(everything);
  ASSERT_EQ(problem.segments.size(), 3u);
  EXPECT_DOUBLE_EQ(problem.segments[0].duration, 20);  // 60 s are left: 1 to 2
  EXPECT_DOUBLE_EQ(problem.segments[1].duration, 30);
  EXPECT_DOUBLE_EQ(problem.segments[2].duration, 40);
  EXPECT_EQ(problem.segments[2].name, "segment-3");
  const Limits &one = problem.segments[0].limits, &two = problem.segments[1].limits;
  expect_range(one.pose[0], -1.5, 1.5);
  expect_range(one.pose[1], 0, 1);
  expect_range(two.pose[1], -1.6, 1.6);  // the tank
  expect_range(two.pose[2], 0.2, 1.6);
  expect_range(two.pose[3], -0.3, 0.4);
  expect_range(two.pose[4], -20 * degree, 10 * degree);
  expect_range(two.pose[5], problem.start[5] - 2 * pi, problem.start[5] + 2 * pi);
  expect_range(one.rate[0], -0.1, 0.1);
  expect_range(two.rate[0], -0.3, 0.3);
  expect_range(two.rate[1], -0.1, 0.2);
  expect_range(two.rate[5], -60 * degree, 90 * degree);
  expect_range(two.acceleration[2], -0.2, 0.2);
  expect_range(two.acceleration[3], -0.3, 0.3);
}

TEST(ProblemReader, ReadsWhatIsSoughtAndWhatIsInTheWay) {
  const Problem problem = read(everything);
  EXPECT_EQ(problem.shape.kind, Shape::Kind::bezier);
  EXPECT_EQ(problem.shape.degree, 12);
  EXPECT_EQ(problem.shape.parts, 4);
  EXPECT_EQ(problem.criterion, Criterion::d_optimal);
  EXPECT_EQ(problem.noise.turn_rate, 0.03);
  ASSERT_EQ(problem.priors.size(), 3u);
  EXPECT_EQ(problem.thrusters->share, 0.7);
  EXPECT_EQ(problem.view->axis_b, Vec3::UnitZ());
  EXPECT_EQ(problem.view->half_angle, 1.2);
  EXPECT_EQ(problem.view->area_n[1], Vec3(0.2, 0.1, 1.8));
  EXPECT_EQ(problem.tether->attachment_b, Vec3(-0.2, 0, -0.1));
  EXPECT_EQ(problem.tether->length, 6);
  EXPECT_EQ(problem.starts, 3);
}

TEST(ProblemReader, TheBoundsOfTheIssue) {
  const auto file = std::filesystem::path(FATHOM_SOURCE_DIR) / "data/problems/tank-defender.yaml";
  const Problem problem = read_problem(file, models);
  const std::array<Range, 6> free = {{{-2.3, 2.3}, {-1.1, 1.1}, {0.4, 1.2}, {}, {}, {-pi, pi}}};
  const std::array<Range, 6> held = {{{-0.15, 0.15}, {-0.15, 0.15}, {0.7, 0.9}, {}, {}, {-0.15, 0.15}}};
  ASSERT_EQ(problem.segments.size(), 5u);
  const std::vector<int> coordinates = problem.coordinates();
  for (std::size_t s = 0; s < 5; ++s)
    for (std::size_t c = 0; c < 4; ++c) {
      const auto k = static_cast<std::size_t>(coordinates[c]);
      const Range& expected = s == c || s == 4 ? free[k] : held[k];
      expect_range(problem.segments[s].limits.pose[k], expected.min, expected.max);
      expect_range(problem.segments[s].limits.rate[k], k < 3 ? -0.3 : -0.5, k < 3 ? 0.3 : 0.5);
      expect_range(problem.segments[s].limits.acceleration[k], k < 3 ? -0.2 : -0.3, k < 3 ? 0.2 : 0.3);
      EXPECT_DOUBLE_EQ(problem.segments[s].duration, 56);
    }
  EXPECT_EQ(problem.duration() / problem.sampling + 1, 1401);
  EXPECT_EQ(problem.structure.size(), 23u);
}

TEST(ProblemReader, ClearanceFollowsFromTheHull) {
  // A box of 0.65 x 0.40 x 0.26 m about (-0.15, 0, -0.12): its tail corners are at (-0.475, +-0.2), its top at
  // -0.25.
  const Problem problem = read(head + four + start + time + "limits: {" + rates + "}\n" +
                               "tank: {min: [-3, -2, 0], max: [3, 2, 1.8]}\n");
  const double across = std::hypot(0.475, 0.2);
  expect_range(problem.segments[0].limits.pose[0], -3 + across, 3 - across);
  expect_range(problem.segments[0].limits.pose[1], -2 + across, 2 - across);
  expect_range(problem.segments[0].limits.pose[2], 0.25, 1.8 - 0.25);
  // Tilted, any corner may come anywhere.
  const Problem tilting = read(head + six + start + time + "limits: {" + rates + "}\n" +
                               "tank: {min: [-3, -2, 0], max: [3, 2, 1.8]}\n");
  const double any = std::hypot(0.475, 0.2, 0.25);
  expect_range(tilting.segments[0].limits.pose[0], -3 + any, 3 - any);
  expect_range(tilting.segments[0].limits.pose[2], any, 1.8 - any);
  // A robot of unknown size has none.
  std::string text = head + four + start + time + "limits: {" + rates + "}\n" + tank;
  text.replace(text.find("defender-like"), 13, "nielsen-table-3-3");
  text.replace(text.find(", clearance: 0.3"), 16, "");
  expect_range(read(text).segments[0].limits.pose[0], -3, 3);
}

TEST(ProblemReader, AnglesHaveDefaults) {
  expect_range(read(all_four).segments[0].limits.pose[5], -2 * pi, 2 * pi);
  const Problem problem = read(head + six + "start: {position: [0, 0, 0.8], yaw_deg: 30}\n" + time + limits);
  for (const std::size_t k : {3u, 4u}) expect_range(problem.segments[0].limits.pose[k], -pi / 9, pi / 9);
  expect_range(problem.segments[0].limits.pose[5], pi / 6 - 2 * pi, pi / 6 + 2 * pi);
}

TEST(ProblemReader, ThreeDegreesOfFreedomHoldTheDepth) {
  const std::string planar = head + "structure: {dof: 3}\n" + start + time;
  const Problem problem = read(planar + "limits: {x: [-2, 2], y: [-1, 1], " + rates + "}\n");
  EXPECT_EQ(problem.coordinates(), (std::vector<int>{0, 1, 5}));
  EXPECT_EQ(problem.start[2], 0.8);
  says(planar + limits,
       "limits.z bounds z, which stays as it is (3-dof holds z, roll and pitch; use a 4- or 6-DoF");
  says(planar + "end: {position: [0, 0, 1]}\nlimits: {x: [-2, 2], y: [-1, 1], " + rates + "}\n",
       "end has another z than the start");
}

TEST(ProblemReader, DurationReplacesTheFiles) {
  const std::string list = "segments: [{name: a, share: 0.25}, {name: b, share: 0.75}]\n";
  const Problem shared = read(all_four + list, 60);
  EXPECT_DOUBLE_EQ(shared.segments[0].duration, 15);
  EXPECT_DOUBLE_EQ(shared.segments[1].duration, 45);
  const std::string stated = "segments: [{name: a, duration: 30}, {name: b, duration: 10}]\n";
  const Problem scaled = read(head + four + start + limits + stated, 80);
  EXPECT_DOUBLE_EQ(scaled.segments[0].duration, 60);
  EXPECT_DOUBLE_EQ(scaled.segments[1].duration, 20);
  EXPECT_DOUBLE_EQ(read(head + four + start + limits + list, 60).duration(), 60);  // the file has none
  says(all_four, "duration = -1 s, must be > 0", -1);
  says(all_four, "duration = nan s, must be > 0", std::nan(""));
  says(all_four, "is too long for a path of 10 s", 10);
}

TEST(ProblemReader, KnowsWhereKeysAreStated) {
  const Problem problem = read(all_four + "segments:\n  - {name: a}\n  - name: b\n    limits: {x: [-1, 1]}\n" +
                               "tether: {anchor: [0, 0, 0], length: 9}\n");
  EXPECT_EQ(problem.line_of("structure"), 4);
  EXPECT_EQ(problem.line_of("start"), 5);
  EXPECT_EQ(problem.line_of("limits"), 7);
  EXPECT_EQ(problem.line_of("segments[0].limits"), 9);
  EXPECT_EQ(problem.line_of("segments[1].limits"), 11);
  EXPECT_EQ(problem.line_of("tether.length"), 12);
  EXPECT_EQ(problem.line_of("end"), 0);
}

TEST(ProblemReader, EveryKeyIsDeclaredWell) {
  EXPECT_EQ(fields::faults(problem_schema()), std::vector<std::string>{});
}

TEST(ProblemReader, AllThatShipLoad) {
  const std::filesystem::path folder = std::filesystem::path(FATHOM_SOURCE_DIR) / "data/problems";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    try {
      const AnyProblem problem = read_any_problem(entry.path(), {models, {folder / ".." / "arms"}});
      EXPECT_EQ(std::visit([](const auto& one) { return one.name; }, problem), entry.path().stem().string());
    } catch (const InputError& error) {
      ADD_FAILURE() << error.what();
    }
    ++count;
  }
  EXPECT_GE(count, 7);
}

}  // namespace
}  // namespace fathom::excite::problem_reader_test
