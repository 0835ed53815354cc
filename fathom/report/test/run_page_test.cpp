// The page of a simulated run against what the loop counted itself while it ran.
#include "fathom/report/run_page.hpp"

#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

#include "fathom/log/sink.hpp"
#include "fathom/loop/simulation.hpp"
#include "fathom/report/test/items.hpp"

namespace fathom::report::run_page_test {
namespace {

using test::all;

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

struct Swum {
  loop::Scenario scenario;
  log::DatasetSink all_rows;
  log::PreviewSink rows{all_rows};
  Run run;
  explicit Swum(const std::string& yaml = text)
      : scenario(loop::parse_scenario(yaml, "dive.yaml", {FATHOM_ROBOTS_DIR})) {
    loop::Simulation simulation(scenario, 1, rows);
    simulation.run();
    run = {&scenario,
           &rows.channels(),
           simulation.vehicle_statistics(),
           simulation.coupling_statistics(),
           simulation.events(),
           simulation.t()};
  }
};

const Plot& plot_of(const Page& page, const std::string& title) {
  for (const Plot* plot : all<Plot>(page))
    if (plot->title == title) return *plot;
  throw std::out_of_range(title);
}

TEST(RunPage, ShowsWhatTheLoopCounted) {
  const Swum swum;
  const Page page = run_page(swum.run);
  EXPECT_FALSE(to_html(page).empty());
  const std::vector<double>& off = plot_of(page, "a: Distance from the reference").series.at(0).y;
  // The loop counts at the beginning of each step; the last row is the end of the last one.
  EXPECT_NEAR(*std::max_element(off.begin(), off.end() - 1), 100 * swum.run.vehicles[0].tracking->position_max,
              1e-9);
  EXPECT_EQ(plot_of(page, "a: Forces of the thrusters").series.size(), 8u);
  EXPECT_FALSE(plot_of(page, "a: Forces of the thrusters").marks.empty());  // the fault
  EXPECT_EQ(plot_of(page, "a: Tension of the tether").series.at(0).y.size(), off.size());
  const auto tables = all<Table>(page);
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_EQ(tables[0]->rows.size(), 2u);
  ASSERT_EQ(tables[1]->rows.size(), swum.run.vehicles[0].sensors.size());
  EXPECT_EQ(tables[1]->rows[0][1], std::to_string(swum.run.vehicles[0].sensors[0].counts.due));
  EXPECT_EQ(tables[1]->columns[3], "dropped");  // as summary.json has it
  EXPECT_EQ(tables[1]->rows[0].size(), tables[1]->columns.size());
  EXPECT_EQ(tables[2]->rows.size(), swum.run.events.size());
}

TEST(RunPage, ShowsWhatCouplingsCarry) {
  const Swum swum(docked);
  const Page page = run_page(swum.run);
  const Plot& force = plot_of(page, "dock: load, force");
  ASSERT_EQ(force.marks.size(), 2u);
  EXPECT_EQ(force.marks[1].label, "dock opens");
  // a pushes b with half of its 10 N once the thrusters turn: both have the same mass and drag.
  const Series& along = force.series.at(0);
  const auto late = std::lower_bound(along.t.begin(), along.t.end(), 0.9) - along.t.begin();
  EXPECT_NEAR(along.y.at(static_cast<std::size_t>(late)), -5, 0.05);
  const auto tables = all<Table>(page);
  const auto found =
      std::find_if(tables.begin(), tables.end(), [](const Table* t) { return t->title == "Couplings"; });
  ASSERT_NE(found, tables.end());
  ASSERT_EQ((*found)->rows.size(), 2u);
  EXPECT_EQ((*found)->rows[1].at(2), "opens");
}

TEST(RunPage, SaysWhatIsMissing) {
  Swum swum;
  swum.run.failed = "a";
  swum.run.stride = 3;
  swum.run.vehicles[1].events_left_out = 7;
  const Page page = run_page(swum.run);
  const auto texts = all<Text>(page);
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_EQ(texts[0]->paragraphs.at(0), "The motion of a ran away at 4 s of 4 s; everything below ends there.");
  ASSERT_EQ(texts[1]->paragraphs.size(), 3u);
  EXPECT_TRUE(texts[1]->paragraphs[0].starts_with("Of long channels the page has one row in 3 or fewer"));
  EXPECT_TRUE(texts[1]->paragraphs[1].starts_with("a is still under way at the end"));
  EXPECT_EQ(texts[1]->paragraphs[2], "7 more events of b are not in the list.");
}

}  // namespace
}  // namespace fathom::report::run_page_test
