#include "fathom/identify/tank/tank.hpp"

#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/fields/describe.hpp"
#include "fathom/identify/tank/tank_robot.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::identify::tank_test {
namespace {

using fathom::test::error_text;

const std::filesystem::path models = FATHOM_ROBOTS_DIR;
const std::filesystem::path examples = std::filesystem::path(FATHOM_SOURCE_DIR) / "examples/tank";

const std::string towing = R"(format: fathom-towing-1
name: heave
axis: heave
columns: {time: t, speed: {name: v, unit: mm/s}}
cells:
  - {column: a}
  - {column: b, unit: kgf, sign: -1, angle_deg: 30, angle_sigma_deg: 2}
bracket: {linear: 4, quadratic: 25, quadratic_sigma: 0.5}
runs:
  - {file: one.csv, speed: 0.3}
  - {file: two.csv, from: 2, until: 9}
)";

const std::string decay = R"(format: fathom-decay-1
name: pitch
axis: pitch
columns: {time: {name: t, unit: ms}, angle: {name: th, unit: deg}}
known: {restoring: 3.5, sigma: 0.1}
runs: [{file: a.csv}, {file: b.csv, name: second}]
)";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in " << text;
}

TEST(TankCampaign, OfTowingIsRead) {
  const TowingCampaign campaign = parse_towing_campaign(towing, "folder/heave.yaml");
  EXPECT_EQ(campaign.axis, 2);
  EXPECT_DOUBLE_EQ(campaign.speed->factor, 1e-3);
  EXPECT_DOUBLE_EQ(campaign.cell_columns[1].factor, 9.80665);
  EXPECT_NEAR(campaign.cells[1].angle, 30 / degrees, 1e-12);
  EXPECT_EQ(campaign.cells[1].sign, -1);
  EXPECT_DOUBLE_EQ(campaign.bracket->covariance(1, 1), 0.25);
  EXPECT_EQ(campaign.runs[0].file, std::filesystem::path("folder/one.csv"));
  EXPECT_EQ(campaign.runs[1].name, "two");
  EXPECT_EQ(campaign.runs[1].until, 9);
}

TEST(TankCampaign, OldSpellingReadsAlike) {
  const std::filesystem::path old =
      std::filesystem::path(FATHOM_SOURCE_DIR) / "tests/old_files/examples/tank/surge.yaml";
  const TowingCampaign before = read_towing_campaign(old), now = read_towing_campaign(examples / "surge.yaml");
  EXPECT_EQ(before.suppose, std::vector<int>{1});
  EXPECT_EQ(before.suppose, now.suppose);
  EXPECT_EQ(before.runs.size(), now.runs.size());
  EXPECT_NE(error_text([] {
              parse_towing_campaign(towing + "assume: [sway]\nsuppose: [sway]\n", "x.yaml");
            }).find("x.yaml:13: suppose stands beside assume"),
            std::string::npos);
}

TEST(TankCampaign, EveryKeyIsDeclaredWell) {
  EXPECT_EQ(fields::faults(towing_schema()), std::vector<std::string>{});
  EXPECT_EQ(fields::faults(decay_schema()), std::vector<std::string>{});
}

TEST(TankCampaign, OfDecayIsRead) {
  const DecayCampaign campaign = parse_decay_campaign(decay, "pitch.yaml");
  EXPECT_EQ(campaign.axis, 4);
  EXPECT_DOUBLE_EQ(campaign.time.factor, 1e-3);
  EXPECT_NEAR(campaign.angle.factor, 1 / degrees, 1e-15);
  EXPECT_EQ(campaign.known->what, KnownOfDecay::What::restoring);
  EXPECT_EQ(campaign.runs[1].name, "second");
}

TEST(TankCampaign, TellsAllThatIsWrongWithLines) {
  const std::string text = replaced(replaced(replaced(towing, "heave\ncol", "heav\ncol"), "kgf", "m"),
                                    "from: 2, until: 9", "fron: 2");
  expect_words(error_text([&] { parse_towing_campaign(text, "x.yaml"); }),
               {"x.yaml:3: axis", "did you mean heave", "x.yaml:7: cells[1].unit", "expected a unit of N",
                "x.yaml:11: runs[1] has the unknown key 'fron'", "did you mean from?"});
}

TEST(TankCampaign, RefusesSlips) {
  const auto towed = [](const std::string& what, const std::string& by) {
    return error_text([&] { parse_towing_campaign(replaced(towing, what, by), "x.yaml"); });
  };
  expect_words(towed(", speed: {name: v, unit: mm/s}", ""), {"'two' has no speed"});
  expect_words(towed("fathom-towing-1", "fathom-decay-1"), {"a campaign of free decays", "--what decay"});
  expect_words(towed("sign: -1", "sign: -2"), {"expected 1 or -1"});
  expect_words(towed("column: b", "column: a"),
               {"x.yaml:7: cells[1].column = 'a' is that of cells[0] too: its force would count twice"});
  expect_words(
      error_text([] { parse_decay_campaign(replaced(decay, "restoring: 3.5", "inertia: 1e9"), "x.yaml"); }),
      {"x.yaml:5: known.inertia"});
  expect_words(towed("angle_deg: 30", "angle_deg: 90"), {"right angle"});
  expect_words(towed("two.csv", "one.csv"), {"the name 'one' of another run"});
  expect_words(towed("quadratic_sigma: 0.5", "quadratic_sigma: -1"), {"must be 0 to 1e+06"});
  expect_words(towed("linear: 4", "linear: -4"), {"bracket.linear", "drag takes energy"});
  expect_words(towed("speed: 0.3", "speed: 0"), {"must be a speed"});
  expect_words(towed("until: 9", "until: 1"), {"must be above from"});
  expect_words(error_text([] { parse_towing_campaign(towing + "suppose: [roll, heave]\n", "x.yaml"); }),
               {"cannot follow from heave", "is the axis that was tested"});
  EXPECT_EQ(error_text([] { parse_towing_campaign(towing + "suppose: [sideways]\n", "x.yaml"); }),
            "x.yaml:12: suppose[0] = 'sideways', expected one of surge, sway, heave, roll, pitch, yaw");
  expect_words(towed("sign: -1", "sign: -1, gain_sigma: 5"), {"cells[1].gain_sigma = 5", "below the gain, 1"});
  expect_words(error_text([] {
                 parse_decay_campaign(replaced(decay, "restoring: 3.5", "inertia: 1, restoring: 2"), "x.yaml");
               }),
               {"one of them"});
  expect_words(
      error_text([] { parse_decay_campaign(replaced(decay, "axis: pitch", "axis: surge"), "x.yaml"); }),
      {"expected one of roll, pitch, yaw"});
}

/// The committed example: drag 2 u + 35 |u| u but for a dip of 3 %, one run with a line that was caught.
TEST(IdentifyTowing, FindsTheDragOfTheExample) {
  const IdentifiedTowing found = identify_towing(read_towing_campaign(examples / "surge.yaml"));
  EXPECT_EQ(found.fit.runs.size(), 20u);
  ASSERT_EQ(found.fit.outliers.size(), 1u);
  EXPECT_EQ(found.record_of(found.fit.outliers[0].run).name, "ahead-6b");
  EXPECT_GT(found.fit.outliers[0].sigmas, 10);
  for (const double u : {-1.0, -0.4, 0.3, 0.8})
    EXPECT_NEAR(found.fit.all.law.force(u), 2 * u + 35 * std::abs(u) * u, found.fit.all.half_width(u)) << u;
}

/// The same runs as the bracket's own: nothing is left of the vehicle.
TEST(IdentifyTowing, TakesABracketFromItsOwnRuns) {
  TowingCampaign campaign = read_towing_campaign(examples / "surge.yaml");
  campaign.bracket.reset();
  const DragLaw whole = identify_towing(campaign).fit.all.law;
  EXPECT_NEAR(whole.c[1], 60, 3);
  campaign.bracket_runs = campaign.runs;
  for (TankRun& run : campaign.bracket_runs) run.name += " bracket";
  const IdentifiedTowing found = identify_towing(campaign);
  EXPECT_LT((found.bracket->c - whole.c).norm(), 1e-9);
  EXPECT_NEAR(found.fit.all.law.force(1), 0, found.fit.all.half_width(1));
}

TEST(IdentifyTowing, SaysWhatIsWrongWithEveryTable) {
  TowingCampaign campaign = read_towing_campaign(examples / "surge.yaml");
  campaign.runs[0].file = examples / "none.csv";
  campaign.runs[1].speed = -0.2;
  campaign.runs[2].from = 1e6;
  expect_words(error_text([&] { identify_towing(campaign); }),
               {"none.csv: does not exist (a run's file is meant from the folder of its campaign)",
                "ahead-2b.csv", "backwards is below 0", "ahead-4a.csv", "no row that counts"});
  campaign = read_towing_campaign(examples / "surge.yaml");
  campaign.cell_columns[0].name = "m7";
  expect_words(error_text([&] { identify_towing(campaign); }), {"m7", "ahead-2a.csv: ", "astern-10b.csv: "});
}

/// th'' = -2.2 sin(th + 12 deg) - (.08 + .25 |th'|) th'
TEST(IdentifyDecay, FindsTheRollOfTheExample) {
  const IdentifiedDecay found = identify_decay(read_decay_campaign(examples / "roll.yaml"));
  const Eigen::Vector4d truth(2.2, -12 / degrees, 0.08, 0.25);
  for (int k = 0; k < 4; ++k)
    EXPECT_NEAR(found.fit.rates.vector()[k], truth[k], 1.5 * found.fit.half_width(k)) << k;
  // scipy.optimize.least_squares over solve_ivp (DOP853, rtol 1e-11), on the same 600 angles.
  const Eigen::Vector4d scipy(2.2010792, -0.2099684, 0.0797730, 0.2515073);
  EXPECT_LT((found.fit.rates.vector() - scipy).cwiseAbs().maxCoeff(), 3e-5);
  EXPECT_DOUBLE_EQ(found.coefficients->inertia, 0.46);
  EXPECT_NEAR(found.coefficients->restoring, 0.46 * 2.2, 0.01);
}

TEST(IdentifyDecay, RefusesAnotherUnitAndAnotherColumn) {
  DecayCampaign campaign = read_decay_campaign(examples / "roll.yaml");
  campaign.angle.factor = 1;
  expect_words(error_text([&] { identify_decay(campaign); }), {"roll-1.csv", "roll-3.csv", "unit: deg"});
  campaign = read_decay_campaign(examples / "roll.yaml");
  campaign.runs[1].from = 39;
  expect_words(error_text([&] { identify_decay(campaign); }), {"roll.yaml: roll-2", "40 or more"});
  std::string noise = "t,roll\n";
  for (int k = 0; k < 200; ++k) noise += fmt::format("{},{:.3f}\n", k, std::sin(7919.0 * k * k));
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "fathom_no_swing.csv";
  write_file_atomically(file, noise);
  campaign.runs = {{"noise", file}};
  expect_words(error_text([&] { identify_decay(campaign); }), {"% by a swing that dies out", "from: S"});
  std::filesystem::remove(file);
}

/// The drag of one axis, as a robot file has it: c1 and c2 with their sigmas.
AxisDrag axis_drag(const model::Robot& robot, int axis) {
  const model::DragElement& element = robot.damping().front();
  const auto speed = static_cast<std::size_t>(axis);
  return {element.linear.value(axis, axis), element.quadratic.value.by_speed[speed](axis, axis),
          element.linear.sigma ? (*element.linear.sigma)(axis, axis) : infinity,
          element.quadratic.sigma ? element.quadratic.sigma->by_speed[speed](axis, axis) : infinity};
}

TEST(TankRobot, CarriesDragWithSigmaAndSource) {
  const model::Robot before = model::read_robot(models / "bluerov2-heavy.yaml");
  const model::Robot after = with_axis_drag(before, 0, {1.5, 36, 0.7, 1}, "surge: towed");
  const AxisDrag drag = axis_drag(after, 0);
  EXPECT_EQ(drag.linear, 1.5);
  EXPECT_EQ(drag.quadratic_sigma, 1);
  EXPECT_EQ(axis_drag(after, 2).quadratic, axis_drag(before, 2).quadratic);
  expect_words(after.damping().front().linear.source, {"von Benzon", "surge: towed"});
  const model::Robot again = model::parse_robot(model::robot_to_yaml(after), "again.yaml");
  EXPECT_EQ(axis_drag(again, 0).linear_sigma, 0.7);
  EXPECT_NE(error_text([&] { with_axis_drag(before, 0, {-1, 36}, ""); }), "(nothing was thrown)");
}

/// The moment of weight and buoyancy of the new robot is the one that was found.
TEST(TankRobot, CarriesRestoringAndInertia) {
  const model::Robot before = model::read_robot(models / "bluerov2-heavy.yaml");
  const model::Environment water(1025);
  for (const int axis : {3, 4}) {
    DecayCoefficients found{0.5, 1.4, 0.05, 0.1, {0.02, 0.03, 0.01, 0.01}};
    const double th0 = 0.2;
    const model::Robot after = with_decay(before, water, axis, found, th0, 0.01, "decay");
    EXPECT_NEAR(model::rigid_body_inertia(after.hull())(axis, axis) + after.hull().added_mass.value(axis, axis),
                0.5, 1e-12);
    const double B = after.hull().volume.value * 1025 * 9.81;
    const Vec3 up =
        axis == 3 ? Vec3(0, -std::sin(th0), -std::cos(th0)) : Vec3(std::sin(th0), 0, -std::cos(th0));
    const Vec3 moment =
        after.hull().centre_of_buoyancy.value.cross(B * up);  // the centre of mass is the origin
    EXPECT_NEAR(moment[axis - 3], 0, 1e-12);
    EXPECT_NEAR((B * after.hull().centre_of_buoyancy.value).norm(), 1.4, 1e-9);
    EXPECT_EQ(axis_drag(after, axis).linear, 0.05);
  }
  expect_words(error_text([&] { with_decay(before, water, 5, {}, 0, 0, ""); }), {"nothing that restores yaw"});
  expect_words(error_text([&] { with_decay(before, water, 3, {0.1, 1, 0, 0}, 0, 0, ""); }), {"dry about roll"});
}

}  // namespace
}  // namespace fathom::identify::tank_test
