#include <cmath>

#include <gtest/gtest.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/file.hpp"
#include "fathom/base/test/error_text.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/report/test/items.hpp"
#include "fathom/task/identify/thruster.hpp"

namespace fathom::task::identify_thruster_test {
namespace {

using report::Figures;
using report::Plot;
using report::Table;
using report::test::all;

/// 21 commands for each voltage; without any, in still water and, forward, in two inflows:
/// T = 1e-3 w^2 - 0.1 w u with w = (command - 1500) / 4, so that at 100 rad/s 0.01 m/s take 1 %.
identify::BollardTable bench(const std::vector<double>& voltages) {
  std::vector<std::array<double, 5>> rows;  // command, force, voltage, speed, inflow
  for (int k = 0; k <= 20; ++k) {
    const double x = -400 + 40.0 * k, w = std::abs(x) / 4;
    for (const double v : voltages) rows.push_back({1500 + x, v / 16 * (0.03 * x + 2e-4 * std::abs(x) * x), v});
    for (const double u : {0.0, 0.2, 0.4})
      if (voltages.empty() && (u == 0 || x >= 200))
        rows.push_back({1500 + x, std::copysign(1e-3 * w * w - 0.1 * w * u, x), 0, w, u});
  }
  const Eigen::MatrixXd all =
      Eigen::Matrix<double, 5, Eigen::Dynamic>::Map(rows.front().data(), 5, std::ssize(rows)).transpose();
  identify::BollardTable table{model::CommandUnit::pwm_us, all.col(0), all.col(1), {}, {}, {}, {}};
  table.columns = {"force: column 'f' in N"};
  if (!voltages.empty()) {
    table.voltages = all.col(2);
    return table;
  }
  table.speeds = all.col(3);
  table.inflows = all.col(4);
  return table;
}

IdentifyThrusterOptions quick() {
  IdentifyThrusterOptions options;
  options.name = "mine";
  options.search = {.folds = 4, .resamples = 5};
  return options;
}

TEST(IdentifyThruster, DrawsEveryVoltageWithPointsLawAndBand) {
  const IdentifyThrusterResult result = identify_thruster(bench({12, 16}), {}, quick());
  const report::Document document = result.report();
  const auto plots = all<Plot>(document);
  ASSERT_EQ(plots.size(), 4u);  // two of each voltage
  EXPECT_EQ(plots[0]->title, "Force at 12 V");
  EXPECT_EQ(plots[0]->x_label, "command (us)");
  ASSERT_EQ(plots[0]->series.size(), 2u);
  EXPECT_EQ(plots[0]->series[1].t.size(), 22u);  // neutral belongs to both sides
  EXPECT_EQ(plots[0]->bands.at(0).low.size(), 22u);
  for (std::size_t k = 0; k < 22; ++k) EXPECT_LE(plots[0]->bands[0].low[k], plots[0]->bands[0].high[k]);
  EXPECT_LT(plots[0]->bands[0].high.front(), 0);
  for (std::size_t k = 0; k < 22; ++k) {
    EXPECT_LE(plots[1]->bands[0].low[k], 1e-9);
    EXPECT_GE(plots[1]->bands[0].high[k], -1e-9);
    EXPECT_NEAR(plots[1]->series[0].y[k], 0, 0.05);
  }
  ASSERT_FALSE(all<Table>(document).empty());
  EXPECT_EQ(all<Table>(document)[0]->rows.size(), 4u);
  EXPECT_NE(to_html(document).find("identify --what thruster"), std::string::npos);
}

TEST(IdentifyThruster, DrawsTheLossOverInflow) {
  const IdentifyThrusterResult result = identify_thruster(bench({}), {}, quick());
  ASSERT_TRUE(result.summary.inflow_forward);
  EXPECT_EQ(result.summary.law, "propeller");
  const report::Document document = result.report();
  const auto plots = all<Plot>(document);
  ASSERT_EQ(plots.size(), 4u);
  const Plot &loss = *plots[2], &left = *plots[3];
  EXPECT_EQ(loss.title, "Thrust lost to inflow, forward");
  ASSERT_EQ(loss.series.size(), 3u);
  EXPECT_EQ(loss.series[2].name, "100 rad/s");
  EXPECT_NEAR(loss.series[2].y.back(), 40, 1e-6);
  EXPECT_NEAR(loss.series[0].y.back(), 80, 1e-6);
  EXPECT_NEAR(loss.bands[2].high.back() - loss.bands[2].low.back(),
              200 * sigmas_of_95 * result.summary.inflow_forward->loss.back().sigma, 1e-9);
  EXPECT_NEAR(left.series[1].y.back(), left.series[0].y.back(), 1e-6);
  const auto tables = all<Table>(document);
  EXPECT_EQ(tables.back()->title, "Inflow");
  EXPECT_EQ(tables.back()->rows.size(), 1u);
  EXPECT_NE(to_text(document, 100).find("40.0 +- 0.0 %"), std::string::npos) << to_text(document, 100);
}

/// A step from rest to 1900 us, where the force is `steady`, and back, with a lag of 0.5 s.
identify::StepRun step_run(double steady) {
  const Eigen::VectorXd t = Eigen::VectorXd::LinSpaced(120, 0, 11.9);
  identify::StepRun run{"run.csv", t, t, {}, t};
  for (Eigen::Index k = 0; k < t.size(); ++k) {
    run.commands[k] = t[k] < 0.95 || t[k] > 5.95 ? 1500 : 1900;
    const double up = 1 - std::exp(-std::max(0.0, t[k] - 1) / 0.5),
                 down = std::exp(-std::max(0.0, t[k] - 6) / 0.5);
    (*run.forces)[k] = steady * up * down + 0.01 * std::sin(40 * t[k] * t[k]);
  }
  return run;
}

TEST(IdentifyThruster, DrawsRunsInTime) {
  const double steady = identify_thruster(bench({16}), {}, quick()).summary.force_N[1];
  const identify::StepRun run = step_run(steady);
  const IdentifyThrusterResult result = identify_thruster(bench({16}), {run}, quick());
  ASSERT_TRUE(result.summary.dynamics);
  EXPECT_EQ(result.summary.dynamics->held_out, "steps");
  const report::Document document = result.report();
  const Plot& plot = *all<Plot>(document).back();
  EXPECT_EQ(plot.title.substr(0, 30), "Force in run.csv, R2 not seen ") << plot.title;
  ASSERT_EQ(plot.series.size(), 2u);
  EXPECT_NEAR(plot.series[1].y[24], steady * (1 - std::exp(-1.4 / 0.5)), 0.02 * steady);
  EXPECT_EQ(all<Figures>(document).front()->figures.back().value, result.summary.dynamics->law);
  EXPECT_NE(result.yaml.find("mine_lag"), std::string::npos);
}

TEST(IdentifyThruster, ARunThatCannotBeComparedIsNoTest) {
  const identify::StepRun run = step_run(identify_thruster(bench({16}), {}, quick()).summary.force_N[1]);
  const auto rejection = [&](const identify::StepRun& test) {
    return fathom::test::error_text([&] { identify_thruster(bench({16}), {run}, quick(), {}, {run, test}); });
  };
  identify::StepRun test = run;
  test.file = "folder/test.csv";
  test.speeds = test.forces->cwiseAbs();
  test.forces.reset();
  EXPECT_EQ(rejection(test).rfind("folder/test.csv: has shaft speeds alone", 0), 0u) << rejection(test);
  test.speeds.reset();
  test.forces = Eigen::VectorXd::Constant(run.times.size(), 3);
  EXPECT_EQ(rejection(test).rfind("folder/test.csv: has a force that never changes", 0), 0u) << rejection(test);
}

TEST(IdentifyThruster, ReadsBackWhatItSaves) {
  IdentifyThrusterResult result = identify_thruster(bench({}), {}, quick());
  const fathom::test::TemporaryFolder folder;
  OutputFolder out(folder / "results", {"identify"});
  result.save(out);
  const IdentifyThrusterResult again = IdentifyThrusterResult::load(folder / "results");
  EXPECT_EQ(again.to_json(), result.to_json());
  EXPECT_EQ(to_text(again.report(), 100), to_text(result.report(), 100));
  EXPECT_EQ(again.files()[0].bytes, result.yaml);
  EXPECT_EQ(again.summary.files.size(), 3u);
}

std::string rejection_of(const IdentifyThrusterOptions& options) {
  try {
    identify_thruster(options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(IdentifyThruster, RejectsBadInput) {
  const fathom::test::TemporaryFolder folder;
  IdentifyThrusterOptions options = quick();
  EXPECT_NE(rejection_of(options).find("--table is missing"), std::string::npos);
  options.table = folder / "bench.csv";
  write_file_atomically(options.table, "pwm [us],force [N]\n1100,-1\n1500,0\n1900,1\n");
  const std::string few = rejection_of(options);
  EXPECT_NE(few.find("bench.csv: has 1 points with commands"), std::string::npos) << few;
  options.column = {"thrust"};
  EXPECT_NE(rejection_of(options).find("expected ROLE=NAME:UNIT"), std::string::npos);
  options.law = "shaft";
  EXPECT_NE(rejection_of(options).find("--law is of runs in time"), std::string::npos);
  options.name = "a/b";
  EXPECT_NE(rejection_of(options).find("--name"), std::string::npos);
  IdentifyThrusterOptions engine = quick();
  engine.law = "engine";
  identify::StepRun run{"run.csv", {}, {}, {}, {}};
  EXPECT_THROW(identify_thruster(bench({16}), {run}, engine), InputError);
}

}  // namespace
}  // namespace fathom::task::identify_thruster_test
