// A simulated run: its report against what the loop counted itself while it ran.
#include "fathom/task/simulate/simulate.hpp"

#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

#include "fathom/base/file.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/report/test/items.hpp"

namespace fathom::task::simulate_test {
namespace {

using report::Document;
using report::Plot;
using report::Series;
using report::Table;
using report::Text;
using report::Where;
using report::test::all;

const std::string text = R"(format: fathom-scenario-1
name: dive
duration: 4
environment: {tank: {min: [-3, -3, 0], max: [3, 3, 4]}}
vehicles:
  - name: a
    robot: bluerov2-heavy
    control: {kind: pid}
    reference: {speed: 0.2, waypoints: [{position: [0, 0, 2]}, {position: [2, 0, 2], yaw_deg: 90}]}
    tether: {anchor: [0, 0, 0], attachment: [-0.2, 0, 0], length: 4, segments: 4, diameter: 0.005, mass_per_length: 0.03, axial_stiffness: 200}
    faults: [{thruster: front_port, at: 1, becomes: weak, factor: 0.3}]
  - {name: b, robot: bluerov2-heavy, sensors: none, start: {position: [-2, -2, 1]}}
)";

const std::string docked = R"(format: fathom-scenario-1
name: docked
duration: 2
vehicles:
  - {name: a, robot: bluerov2-heavy, sensors: none, start: {position: [0, 0, 5]}, control: {kind: open_loop, by: wrench, commands: [[0, 10, 0, 0, 0, 0, 0]]}}
  - {name: b, robot: bluerov2-heavy, sensors: none}
couplings:
  - {name: dock, between: [a.bow, b.stern], closed: true, opens_at: [1]}
)";

SimulateResult run_of(const std::string& yaml, std::filesystem::path log = {}) {
  const fathom::test::TemporaryFolder folder;
  write_file_atomically(folder / "dive.yaml", yaml);
  Context context;
  context.paths.robots = {FATHOM_ROBOTS_DIR};
  return simulate({(folder / "dive.yaml").string(), 1, std::move(log)}, context);
}

const Plot& plot_of(const Document& page, const std::string& title) {
  for (const Plot* plot : all<Plot>(page))
    if (plot->title == title) return *plot;
  throw std::out_of_range(title);
}

const Table& table_of(const Document& page, const std::string& title) {
  for (const Table* table : all<Table>(page))
    if (table->title == title) return *table;
  throw std::out_of_range(title);
}

TEST(Simulate, ShowsWhatTheLoopCounted) {
  const SimulateResult result = run_of(text);
  const Document page = result.report();
  EXPECT_FALSE(to_html(page).empty());
  const std::vector<double>& off = plot_of(page, "a: Distance from the reference").series.at(0).y;
  // The loop counts at the beginning of each step; the last row is the end of the last one.
  EXPECT_NEAR(*std::max_element(off.begin(), off.end() - 1),
              100 * result.summary.vehicles[0].tracking->position_max_m, 1e-9);
  EXPECT_EQ(plot_of(page, "a: Forces of the thrusters").series.size(), 8u);
  EXPECT_FALSE(plot_of(page, "a: Forces of the thrusters").marks.empty());  // the fault
  EXPECT_EQ(plot_of(page, "a: Tension of the tether").series.at(0).y.size(), off.size());
  EXPECT_EQ(table_of(page, "Vehicles").rows.size(), 2u);
  const auto& counted = result.summary.vehicles[0].sensors;
  const Table& sensors = table_of(page, "Sensors");
  ASSERT_EQ(sensors.rows.size(), counted.size());
  EXPECT_EQ(sensors.rows[0][1], std::to_string(counted[0].due));
  EXPECT_EQ(sensors.columns[3].label, "dropped");  // as summary.json has it
  EXPECT_EQ(table_of(page, "Events").rows.size(), result.summary.events.size());
  const std::string terminal = to_text(page, 100);
  EXPECT_NE(terminal.find("note: a is still under way"), std::string::npos) << terminal;
  EXPECT_NE(terminal.find("b        -  "), std::string::npos)
      << "no reference, no distance from it: " << terminal;
}

TEST(Simulate, KeepsTheLogInMemoryOrStreamsItToAFolder) {
  const SimulateResult kept = run_of(text);
  ASSERT_TRUE(kept.log);
  EXPECT_EQ(kept.log->channel("a.state").size(), 401u);
  const fathom::test::TemporaryFolder folder;
  const SimulateResult streamed = run_of(text, folder / "log");
  EXPECT_FALSE(streamed.log);
  EXPECT_TRUE(std::filesystem::exists(folder / "log" / "a.state.csv"));
}

TEST(Simulate, ShowsWhatCouplingsCarry) {
  const SimulateResult result = run_of(docked);
  const Document page = result.report();
  const Plot& force = plot_of(page, "dock: load, force");
  ASSERT_EQ(force.marks.size(), 2u);
  EXPECT_EQ(force.marks[1].label, "dock opens");
  // a pushes b with half of its 10 N once the thrusters turn: both have the same mass and drag.
  const Series& along = force.series.at(0);
  const auto late = std::lower_bound(along.t.begin(), along.t.end(), 0.9) - along.t.begin();
  EXPECT_NEAR(along.y.at(static_cast<std::size_t>(late)), -5, 0.05);
  const Table& couplings = table_of(page, "Couplings");
  ASSERT_EQ(couplings.rows.size(), 2u);
  EXPECT_EQ(couplings.rows[1].at(2), "opens");
  EXPECT_EQ(shown(couplings.rows[1].at(5), couplings.columns[5], Where::page), "\u2013") << "met at no speed";
  EXPECT_NE(to_text(page, 100).find("from 0 to 1 s"), std::string::npos);
}

TEST(Simulate, SaysWhatIsMissing) {
  SimulateResult result = run_of(text);
  result.evidence->run.failed = true;
  result.evidence->run.failed_vehicle = "a";
  result.evidence->stride = 3;
  result.summary.vehicles[1].events_left_out = std::size_t{7};
  const std::string html = to_html(result.report());
  for (const char* words : {"The motion of a ran away at 4 s of 4 s; everything below ends there.",
                            "Of long channels the page has one row in 3 or fewer",
                            "a is still under way at the end", "7 more events of b are not in the list."})
    EXPECT_NE(html.find(words), std::string::npos) << words;
}

/// An identified vehicle, of logs that were slower than this run.
SimulateResult run_beyond_the_range() {
  const fathom::test::TemporaryFolder folder;
  write_file_atomically(folder / "dive.yaml", text);
  loop::Scenario scenario = loop::read_scenario(folder / "dive.yaml", {FATHOM_ROBOTS_DIR});
  const model::Environment water;
  model::Robot& robot = scenario.vehicles.front().robot;
  const model::Structure structure = model::structure_by_name("vehicle-24");
  model::RobotSpec spec =
      model::with_parameters(robot, water, structure, model::parameters_of(robot, water, structure).parameters,
                             "test")
          .spec();
  model::IdentifiedParameters::Range range;
  range.wrench_max.setConstant(1e3);
  range.velocity_max.setConstant(3);
  range.velocity_max[0] = 0.01;
  range.attitude_max.setConstant(3);
  range.wrench_min = -range.wrench_max;
  range.velocity_min = -range.velocity_max;
  range.attitude_min = -range.attitude_max;
  spec.identified->range = range;
  robot = model::Robot::make(std::move(spec));
  return simulate(std::move(scenario), {}, {});
}

TEST(Simulate, SaysWhereAnIdentifiedVehicleLeavesItsRange) {
  const SimulateResult result = run_beyond_the_range();
  const auto& beyond = result.summary.vehicles[0].beyond_range;
  ASSERT_TRUE(beyond);
  ASSERT_EQ(beyond->size(), 1u);
  EXPECT_EQ(beyond->front().name, "surge velocity");
  EXPECT_GT(std::abs(beyond->front().value), 0.05);
  EXPECT_GT(beyond->front().share, 0.2);
  EXPECT_FALSE(result.summary.vehicles[1].beyond_range) << "it was not identified";
  ASSERT_EQ(result.warnings().size(), 1u);
  EXPECT_TRUE(result.warnings().front().starts_with("a leaves the range of its identification: surge velocity"))
      << result.warnings().front();
  EXPECT_TRUE(run_of(text).warnings().empty());
}

TEST(Simulate, JsonReadsBackToTheSameNumbers) {
  for (const std::string& yaml : {text, docked}) {
    const SimulateResult result = run_of(yaml);
    const SimulateResult again{{SimulateResult::from_json(result.to_json())}, {}, {}};
    EXPECT_EQ(again.to_json(), result.to_json());
    EXPECT_TRUE(all<Plot>(again.report()).empty());
  }
}

}  // namespace
}  // namespace fathom::task::simulate_test
