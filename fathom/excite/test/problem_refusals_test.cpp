// What is wrong with a problem file, and in which words it is said.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/excite/any_problem.hpp"
#include "fathom/excite/test/problem_texts.hpp"

namespace fathom::excite::problem_refusals_test {
namespace {

using namespace problem_texts;

TEST(ProblemRefusals, SegmentsAreChecked) {
  const auto with = [](const std::string& list) { return all_four + "segments: " + list + "\n"; };
  says(with("[]"), "segments has 0 entries, expected 1 to 200");
  says(with("[{share: 0}]"), "segments[0].share = 0, must be > 0 and <= 1");
  says(with("[{share: 1.5}]"), "= 1.5, must be > 0 and <= 1");
  says(with("[{share: 1, duration: 3}]"), "segments[0].duration stands beside share");
  says(with("[{name: a}, {name: a}]"), "segments[1] has the name 'a' of an earlier segment");
  says(with("[{name: a b}]"), "segments[0].name = 'a b', expected at most 64 letters");
  says(with("[{duration: 100}, {}]"), "segments state 100 s, which leaves nothing of 100 s for the others");
  says(with("[{duration: 60}, {duration: 60}]"),
       "duration = 100 s, but its segments state 120 s (leave it out)");
  says(with("[{limit: {}}]"), "tank.yaml:8: segments[0] has the unknown key 'limit' (did you mean limits?)");
  says(with("[{name: a}, {name: b, limits: {x: [2.5, 3]}}, {name: c}]"),
       "tank.yaml:8: segments[1] 'b' has x from 2.5 to 3 m, the one before, 'a', from -2 to 2 m: 0.5 m apart");
  std::string many = "[";
  for (int k = 0; k < 201; ++k) many += "{},";
  says(with(many + "]"), "has 201 entries");
}

TEST(ProblemRefusals, LimitsAreChecked) {
  const auto with = [](const std::string& more, const std::string& structure = four) {
    return head + structure + start + time + "limits: {" + more + "}\n";
  };
  says(with("x: [2, -2]"), "limits.x = [2, -2], where min is not below max ([min, max] in m)");
  says(with("x: 2"), "limits.x is '2', expected 2 numbers");
  says(with("x: [-1.0e+300, 1]"), "limits.x reaches 1e+300 m, at most 1e+04 m");
  says(with("speed: -1"), "limits.speed = -1 m/s, must be 1e-06 to 1000");
  says(with("speed: {x: [0, 1]}"), "limits.speed.x = [0, 1], must be below and above 0");
  says(with("speed: {yaw: 1}"), "limits.speed has the unknown key 'yaw'");
  says(with("velocity: 1"), "limits has the unknown key 'velocity'");
  says(with("yaw: [-1, 1], yaw_deg: [-9, 9]"), "limits.yaw_deg stands beside yaw (keep one of them)");
  says(with("yaw: [-1000, 1000]"), "the unit is rad; degrees have the key yaw_deg");
  says(with("yaw: [-180, 180]"), "degrees? the unit is rad");
  says(with("turn_rate: 1, turn_rate_deg: 9"), "limits.turn_rate_deg stands beside turn_rate");
  says(with("pitch_deg: [-10, 86]", six), "limits.pitch_deg reaches 86 deg, at most 85 deg");
  says(
      with("roll: [-1, 1]"),
      "limits.roll bounds roll, which stays as it is (vehicle-23 holds roll and pitch; use a 6-DoF structure)");
  says(with("turn_rate: {pitch: 1}"), "limits.turn_rate.pitch bounds pitch");
}

TEST(ProblemRefusals, MissingLimitsAreNamedOnce) {
  const std::string all = problems(head + four + start + time);
  EXPECT_NE(
      all.find("segment 'whole' has no limits on x, y, z, speed of x, speed of y, speed of z, turn_rate of "
               "yaw, acceleration of x"),
      std::string::npos)
      << all;
  EXPECT_NE(all.find("such as limits: {"), std::string::npos) << all;
  says(head + four + start + time + "limits: {" + box +
           ", speed: {x: 1, z: 1}, turn_rate: 1, acceleration: 1, " + "turn_acceleration: 1}\n",
       "has no limits on speed of y (");
  // What is wrong is not missing.
  EXPECT_EQ(problems(head + four + start + time + "limits: {" + box + ", speed: -1, turn_rate: 1, " +
                     "acceleration: 1, turn_acceleration: 1}\n")
                .find("no limits"),
            std::string::npos);
}

TEST(ProblemRefusals, TheTankIsChecked) {
  const std::string base = head + four + time + "limits: {" + rates + "}\n";
  says(base + start + "tank: {min: [0, 0, 0], max: [1, 0, 1]}\n", "tank has a side where min is not below max");
  says(base + start + "tank: {min: [-1, -1, 0.5], max: [1, 1, 1]}\n", "tank reaches from 0.5 to 1 m down");
  says(base + start + "tank: {min: [-1, -1, 0]}\n", "tank lacks the key max");
  EXPECT_EQ(problems(base + start + "tank: {min: [-1, -1, 0]}\n").find("has no limits"), std::string::npos);
  says(base + start + "tank: {min: [-1, -1, 0], max: [1, 1, 0.4], clearance: 0.2}\n",
       "tank is 0.4 m deep, which leaves no room with 0.2 m of clearance on both sides");
  says(base + start + "tank: {min: [-1, -1, 0], max: [1, 1, 2], clearance: [0, -1, 0]}\n",
       "has an entry below 0");
  says(base + "start: {position: [2.9, 0, 0.8]}\n" + tank,
       "start is outside the tank by 0.2 m: x = 2.9 m (less its clearance, the tank has -2.7 to 2.7 m)");
  says(base + start + "end: {position: [0, 0, 1.6]}\n" + tank, "end is outside the tank by 0.1 m: z = 1.6 m");
  says(head + four + start + time + tank + "limits: {" + rates +
           "}\nsegments: [{}, {name: far, limits: {y: [1.8, 3]}}]\n",
       "segments[1].limits.y = [1.8, 3] m of segment 'far' lies 0.1 m outside the tank, where y of the body's "
       "origin is -1.7 to 1.7 m");
}

TEST(ProblemRefusals, StartAndEndAreChecked) {
  const auto with = [](const std::string& more) { return head + four + time + limits + more + "\n"; };
  says(with(""), "the key start is missing");
  says(with("start: {}"), "start lacks the key position");
  says(with("start: {position: [2.5, 0, 0.8]}"),
       "start is outside the limits of segment 'whole' by 0.5 m: x = 2.5 m (it has -2 to 2 m)");
  says(with("start: {position: [0, 0, 0.8], attitude_deg: [10, 0, 0]}"),
       "start has a roll (vehicle-23 holds roll and pitch; use a 6-DoF structure)");
  says(with("start: {position: [0, 0, 0.8], yaw: 1, yaw_deg: 1}"), "start.yaw_deg stands beside yaw");
  says(with("start: {position: [0, 0, 0.8], yaw: 1, attitude_deg: [0, 0, 1]}"),
       "start.yaw stands beside the attitude");
  says(all_four + "end: {position: [0, 0, 0.8], yaw_deg: 400}\n",
       "end is outside the limits of segment 'whole' by 40 deg: yaw = 400 deg");
  says(with("start: {position: [0, 0, 1.200001]}"), "by 1e-06 m: z = 1.200001 m (it has 0.4 to 1.2 m)");
  // On the border, and off it by rounding: 1.8 less 0.3 is not quite 1.5.
  EXPECT_EQ(problems(with("start: {position: [-2, 1, 1.2], yaw_deg: 360}")), "");
  EXPECT_EQ(
      problems(head + four + "start: {position: [0, 0, 1.5]}\n" + time + tank + "limits: {" + rates + "}\n"),
      "");
  // The end belongs to the last segment, also where it is the start.
  says(all_four + "segments: [{}, {name: last, limits: {x: [0.5, 1]}}]\n",
       "start is outside the limits of segment 'last' by 0.5 m");
}

TEST(ProblemRefusals, TooShortForTheWay) {
  // 3 m at 0.3 m/s and 0.2 m/s^2: 1.5 s up and 1.5 s down over 0.45 m, 8.5 s between: 11.5 s.
  const std::string way = head + four + limits + "sampling: 0.1\nshape: {kind: spline, interval: 1}\n" +
                          "start: {position: [-1.5, 0, 0.8]}\nend: {position: [1.5, 0, 0.8]}\n";
  says(way + "duration: 11.4\n",
       "end is 3 m of x from the start, which takes 11.5 s at the limits, but there are 11.4 s");
  EXPECT_EQ(problems(way + "duration: 11.6\n"), "");
  // 0.2 m back: never at full speed, 2 sqrt(0.2 / 0.2) = 2 s.
  const std::string back = head + four + limits + "sampling: 0.01\nshape: {kind: spline, interval: 0.2}\n" +
                           "start: {position: [0.2, 0, 0.8]}\nend: {position: [0, 0, 0.8]}\n";
  says(back + "duration: 1.9\n", "which takes 2 s at the limits");
  EXPECT_EQ(problems(back + "duration: 2.1\n"), "");
}

TEST(ProblemRefusals, SamplesAndShapeAreChecked) {
  says(all_four + "sampling: 1.1\n",
       "sampling = 1.1 s is too long for a path of 100 s: 91 samples, at least 101");
  says(all_four + "sampling: 101\n", ": 1 sample, at least 101");
  EXPECT_EQ(problems(all_four + "sampling: 1\n"), "");
  says(all_four + "sampling: 1.0e-4\n", "sampling asks for 1e+06 samples");
  EXPECT_EQ(problems(all_four + "sampling: 0.0005\n"), "");  // 200000 of them
  says(all_four + "segments: [{share: 0.001}, {}]\n",
       "sampling = 0.2 s, but segment 'segment-1' lasts only 0.0999 s");
  says(all_four + "sampling: 0\n", "sampling = 0 s, must be 1e-06 to");
  says(head + four + start + limits + "duration: 10\nsampling: 0.1\nshape: {kind: spline, interval: 3.4}\n",
       "shape leaves 0 free numbers in each of 4 coordinates, at least 6, for 23 parameters (a shorter "
       "interval)");
  says(all_four + "shape: {kind: spline, interval: 0.1}\n", "closer than the samples");
  says(all_four + "shape: {kind: spline, degree: 3}\n", "shape has the unknown key 'degree'");
  says(all_four + "shape: {kind: bezier, degree: 5}\n",
       "shape.degree = 5, expected a whole number from 6 to 60");
  says(all_four + "shape: {kind: bezier, degree: 6.5}\n", "= 6.5, expected a whole number");
  says(all_four + "shape: {kind: bezier, parts: 65}\n",
       "shape.parts = 65, expected a whole number from 1 to 64");
  says(all_four + "shape: spleen\n", "shape = 'spleen', expected one of bezier, spline (did you mean spline?)");
  says(all_four + "criterion: A-optimal\n", "did you mean a-optimal?");
  says(all_four + "starts: 0\n", "starts = 0, expected a whole number from 1 to");
}

TEST(ProblemRefusals, ShapesHaveEnoughNumbersAndNotTooMany) {
  const auto bezier = [](int degree, int parts, int segments) {
    std::string list;
    for (int k = 0; k < segments; ++k) list += "{},";
    return all_four +
           fmt::format("shape: {{kind: bezier, degree: {}, parts: {}}}\nsegments: [{}]\n", degree, parts, list);
  };
  says(bezier(6, 8, 1),
       "tank.yaml:8: shape leaves 1 free number in each of 4 coordinates, at least 6, for 23 parameters (a "
       "higher "
       "degree)");
  says(bezier(10, 8, 1), "leaves 5 free numbers");  // 20 in all
  EXPECT_EQ(problems(bezier(11, 8, 1)), "");
  says(bezier(60, 64, 100),
       "shape bounds each coordinate by a matrix of 7e+07 entries, at most 3e+06 (fewer parts");
  EXPECT_EQ(problems(bezier(20, 8, 200)), "");
  // Intervals are counted as they are made: 16 s are ten of 1.6 s, whatever the rounding.
  const std::string few = head + four + start + limits + "sampling: 0.05\nduration: ";
  says(few + "12.7\n", "shape leaves 5 free numbers");
  EXPECT_EQ(problems(few + "12.9\n"), "");
  says(few + "12.800000000001\n", "shape leaves 5 free numbers");
  const std::string fine = head + four + start + limits + "duration: 2000\nsampling: 0.02\n";
  says(fine + "shape: {kind: spline, interval: 0.02}\n", "(a longer interval)");
  EXPECT_EQ(problems(fine), "");
}

TEST(ProblemRefusals, StructuresAndPriorsAreChecked) {
  const auto with = [](const std::string& structure) {
    return head + "structure: " + structure + "\n" + start + time + limits;
  };
  says(with("vehicle-32"), "structure = 'vehicle-32', expected one of vehicle-23");
  says(with("{inertia: full}"), "structure lacks the key dof");
  says(with("{dof: 5}"), "structure.dof = 5, expected 3, 4 or 6");
  says(with("{dof: 4, cross: [m11]}"), "structure.cross[0] = 'm11', expected a quadratic term such as q26|6|");
  says(with("{dof: 4, cross: ['q24|2|']}"), "= q24|2| touches p, which 4 degrees of freedom hold at 0");
  says(with("{dof: 4, cross: ['q22|2|']}"), "= q22|2| is on the diagonal, which is there already");
  says(with("{dof: 4, cross: ['q26|6|', 'q26|6|']}"), "structure.cross[1] stands here twice");
  EXPECT_EQ(read(with("{dof: 4, quadratic: none, cross: ['q22|2|']}")).structure.terms.size(),
            read(with("{dof: 4, quadratic: none}")).structure.terms.size() + 1);
  says(all_four + "priors: {m12: 1}\n",
       "priors names 'm12', which is no parameter of vehicle-23 (did you mean m");
  says(all_four + "priors: {m11: 0}\n", "priors.m11 = 0, must be 1e-09 to");
  says(all_four + "noise: {force: 0}\n", "noise.force = 0 N, must be 1e-09 to");
  says(all_four + "noise: {velocity: -1}\n", "noise.velocity = -1 m/s, must be 0 to");
}

TEST(ProblemRefusals, ThrustersViewAndTetherAreChecked) {
  says(all_four + "thrusters: 1.1\n", "thrusters = 1.1, must be > 0 and <= 1");
  std::string bare = all_four + "thrusters: 0.8\n";
  says(bare.replace(bare.find("defender-like"), 13, "nielsen-connector"),
       "but nielsen-connector has none (leave it out)");
  const auto view = [](const std::string& more) { return all_four + "view: {" + more + "}\n"; };
  says(view("area: [[0, 0, 2]]"), "view lacks the key half_angle_deg");
  says(view("half_angle: 35, area: [[0, 0, 2]]"), "the unit is rad; degrees: half_angle_deg");
  says(view("half_angle_deg: 90, area: [[0, 0, 2]]"), "view.half_angle_deg = 90, must be 1 to 85 degrees");
  says(view("half_angle_deg: 35, area: []"), "view.area has 0 corners, expected 1 to 64");
  says(view("half_angle_deg: 35, axis: [0, 0, 0], area: [[0, 0, 2]]"), "view.axis has no direction");
  says(view("half_angle_deg: 35, area: {min: [1, 1], max: [0, 2], depth: 2}"),
       "view.area has a side where min");
  // 1 m below and 1 m ahead is 45 degrees off.
  says(view("half_angle_deg: 44.9, area: [[0, 0, 1.8], [1, 0, 1.8]]"),
       "start does not see the corner [1, 0, 1.8] of the area: 45 degrees off the camera's axis");
  EXPECT_EQ(problems(view("half_angle_deg: 45.1, area: [[0, 0, 1.8], [1, 0, 1.8]]")), "");
  EXPECT_EQ(read(view("half_angle_deg: 45, area: {min: [-0.1, -0.2], max: [0.3, 0.4], depth: 1.8}"))
                .view->area_n.size(),
            4u);
  says(view("half_angle_deg: 35, area: [[0, 0, 1.8], [0, 0, 0.8]]"),
       "start has the camera at the corner [0, 0, 0.8] of the area");
  says(view("half_angle_deg: 44.99999, area: [[1, 0, 1.8]]"),
       "45 degrees off the camera's axis, its half angle is 44.99999");
  says(all_four + "tether: {anchor: [3, 0, 0.8], attachment: [-1, 0, 0], length: 4}\n",
       "start is 4 m from the tether's anchor, its length is 4 m");
  says(all_four + "tether: {anchor: [3, 0, 0.8], length: 2.999999}\n",
       "start is 3 m from the tether's anchor, its length is 2.999999 m");
  says(all_four + "tether: {length: 4}\n", "tether lacks the key anchor");
}

TEST(ProblemRefusals, RefusesOtherFiles) {
  says("format: fathom-robot-1\nname: x\n", "format = 'fathom-robot-1': this is a robot, not a problem");
  says("format: fathom-scenario-1\n", "this is a scenario, not a problem (fathom simulate)");
  says("format: fathom-trajectory-1\n", "this is a path that was designed, not a problem");
  says("format: fathom-excitation-2\n", "expected fathom-excitation-1 (was it written for a newer Fathom?)");
  says("", "is empty (begin with 'format: fathom-excitation-1')");
  says("a: [", "is not valid YAML");
  says(head, "the key structure is missing");
  says(all_four + "colour: red\n", "tank.yaml:8: unknown key 'colour'");
  std::string lost = all_four;
  says(lost.replace(lost.find("defender-like"), 13, "defender-lik"),
       "robot cannot be found: there is no robot 'defender-lik' (did you mean defender-like?)");
  lost = all_four;
  says(lost.replace(lost.find("defender-like"), 13, "./not-there.yaml"),
       "a path is meant from the folder of this file");
}

TEST(ProblemRefusals, ListsEverythingAtOnce) {
  const std::string all = problems(all_four + "criterion: best\nstarts: none\ncolour: red\n");
  for (const char* word : {"criterion", "starts", "colour"})
    EXPECT_NE(all.find(word), std::string::npos) << all;
}

}  // namespace
}  // namespace fathom::excite::problem_refusals_test
