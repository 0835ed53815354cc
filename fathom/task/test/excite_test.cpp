// A problem of a vehicle from its file to the folder of results and back. excite_vehicle_test.cpp and
// excite_arm_test.cpp have what reports say.
#include "fathom/task/excite/excite.hpp"

#include <gtest/gtest.h>

#include "fathom/base/file.hpp"
#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/report/test/items.hpp"

namespace fathom::task::excite_test {
namespace {

using report::Plot;
using report::test::all;

const std::string small = R"(
format: fathom-excitation-1
name: small
robot: defender-like
structure: {dof: 4, inertia: diagonal, linear: diagonal, quadratic: none}
tank: {min: [-3, -2, 0], max: [3, 2, 2], clearance: [0.6, 0.6, 0.3]}
start: {position: [0, 0, 1]}
duration: 30
sampling: 0.3
limits: {yaw_deg: [-180, 180], speed: 0.4, turn_rate: 0.6, acceleration: 0.25, turn_acceleration: 0.4}
starts: 3
)";

Context context() {
  Context context;
  context.paths.robots = {FATHOM_ROBOTS_DIR};
  context.paths.arms = {FATHOM_ROBOTS_DIR "/../arms"};
  context.paths.problems = {FATHOM_ROBOTS_DIR "/../problems"};
  return context;
}

/// The result of two starts of the small problem, with its file in a folder that is gone.
ExciteResult result_of(ExciteOptions options, const Context& how = context()) {
  const fathom::test::TemporaryFolder folder;
  write_file_atomically(folder / "small.yaml", small);
  options.problem = (folder / "small.yaml").string();
  if (!options.starts) options.starts = 2;
  return excite(options, how);
}

std::string error_of(const ExciteOptions& options) {
  try {
    result_of(options);
  } catch (const InputError& error) {
    return error.findings().front().text();
  }
  return "none";
}

TEST(Excite, SavesWhatTheProgramWritesAndLoadsIt) {
  ExciteResult result = result_of({.criterion = "d-optimal", .waypoint_interval = 7});
  EXPECT_EQ(result.summary.problem.criterion, "d-optimal");
  EXPECT_EQ(result.summary.starts.size(), 2u);
  EXPECT_TRUE(result.summary.command.ends_with(
      "small.yaml --criterion d-optimal --starts 2 --waypoint-interval 7 --seed 1"))
      << result.summary.command;
  const fathom::test::TemporaryFolder folder;
  OutputFolder out(folder / "results", {"excite", {}, {}});
  result.save(out);
  for (const char* name :
       {"trajectory.yaml", "samples.csv", "waypoints.csv", "multisine.yaml", "report.html", "summary.json"})
    EXPECT_TRUE(std::filesystem::exists(folder / "results" / name)) << name;
  EXPECT_EQ(result.summary.files.size(), 6u);
  const ExciteResult again = ExciteResult::load(folder / "results");
  EXPECT_EQ(again.to_json(), result.to_json());
  EXPECT_EQ(again.status(), result.status());
  EXPECT_EQ(to_text(again.report(), 100), to_text(result.report(), 100));
  EXPECT_TRUE(all<Plot>(again.report()).empty());
  EXPECT_TRUE(again.files().empty());
}

TEST(Excite, DoesNotDependOnThreads) {
  Context one = context(), two = context();
  one.threads = 1, two.threads = 2;
  ExciteResult alone = result_of({}, one), together = result_of({}, two);
  for (ExciteResult* result : {&alone, &together})
    result->summary.command = result->summary.problem.file = "";  // each has a folder of its own
  EXPECT_EQ(alone.to_json(), together.to_json());
}

TEST(Excite, ARequestToStopKeepsTheBestSoFar) {
  Context how = context();
  how.threads = 1;
  int ended = 0;
  how.stop = [&] { return ended > 0; };
  how.progress = [&](const std::string& doing, double, const std::string& news) {
    EXPECT_EQ(doing, "designing small");
    EXPECT_NE(news.find("of 50, best: error"), std::string::npos) << news;
    ++ended;
  };
  ExciteOptions many;
  many.starts = 50;
  const ExciteResult result = result_of(many, how);
  EXPECT_TRUE(result.summary.interrupted);
  EXPECT_LT(result.summary.starts.size(), 50u);
  EXPECT_EQ(result.status(), Status::check_failed);
  EXPECT_TRUE(result.reasons().front().starts_with("interrupted; this is the best of what"));
  EXPECT_NE(to_text(result.report(), 100).find("INTERRUPTED: the best of"), std::string::npos);
  how.stop = [] { return true; };
  EXPECT_THROW(result_of(many, how), Interrupted);
}

TEST(Excite, RefusesOptionsThatDoNotFit) {
  EXPECT_EQ(error_of({.duration = -1}), "--duration = -1 s, must be > 0");
  EXPECT_NE(error_of({.criterion = "best"}).find("--criterion = 'best', expected"), std::string::npos);
  EXPECT_EQ(error_of({.starts = 0}), "--starts = 0, expected a whole number from 1 to 100000");
  EXPECT_NE(error_of({.waypoint_interval = nan}).find("--waypoint-interval"), std::string::npos);
  EXPECT_NE(error_of({.rate = 10}).find("--rate is of an arm's problem"), std::string::npos);
  EXPECT_NE(error_of({.periods = 2}).find("--periods is of an arm's problem"), std::string::npos);
  EXPECT_NE(error_of({.duration = 5}).find("sampling"), std::string::npos);
  const auto refused = [](const ExciteOptions& options) {
    EXPECT_THROW(excite(options, context()), InputError);
  };
  refused({.problem = "no-such-problem"});
  refused({.problem = "reach-alpha-5", .waypoint_interval = 2});
  refused({.problem = "reach-alpha-5", .rate = 1e9});
}

TEST(Excite, RefusesASummaryThatLacksKeysOrIsOfAnotherVerb) {
  const std::string whole = result_of({}).to_json();
  for (const char* key : {"robot", "scale", "t_s", "baselines", "sampling_s", "status"}) {
    std::string text = whole;
    text.replace(text.find(std::string("\"") + key + "\":") + 1, 1, "_");
    EXPECT_THROW(ExciteResult::from_json(text), InputError) << key;
  }
  EXPECT_THROW(ExciteResult::from_json(R"({"command": "lint x"})"), InputError);
  EXPECT_THROW(ExciteResult::from_json("not JSON"), InputError);
}

}  // namespace
}  // namespace fathom::task::excite_test
