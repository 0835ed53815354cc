// Vehicles of another simulator whose thrusters give hardly any moment about x and y, from `foreign_vehicles`
// of the shared data, which are not part of the repository: FATHOM_DATA names their folder.
#include <cmath>
#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "fathom/base/test/data_folder.hpp"
#include "fathom/log/convert.hpp"
#include "fathom/model/geometric_prior.hpp"
#include "fathom/model_file/hull_file.hpp"
#include "fathom/task/identify/vehicle.hpp"

namespace fathom::task::in_plane_vehicles_test {
namespace {

std::filesystem::path folder_of(const std::string& vehicle) {
  return fathom::test::data_folder() / "foreign_vehicles" / vehicle;
}

std::map<std::string, double> truth_of(const std::string& vehicle) {
  std::ifstream file(folder_of(vehicle) / "truth.json");
  return nlohmann::json::parse(file).at("parameters").get<std::map<std::string, double>>();
}

IdentifyVehicleResult identified(const std::string& vehicle, const std::string& hull, const std::string& run,
                                 const IdentifyVehicleOptions& options) {
  const std::filesystem::path folder = folder_of(vehicle);
  const model::Environment water;
  const model::Robot robot = model::geometric_prior(model::read_hull_file(folder / hull), water);
  log::DatasetSink sink;
  log::convert(log::read_description(folder / "log.yaml"), folder, sink, {.run = run});
  std::vector<identify::Recording> recordings = {
      identify::make_recording(std::move(sink).dataset(), run, robot, water)};
  return identify_vehicle(robot, water, std::move(recordings), options);
}

const IdentifyVehicleSummary::Parameter* parameter_of(const IdentifyVehicleResult& result, const char* name) {
  for (const auto& p : result.summary.parameters)
    if (p.name == name) return &p;
  return nullptr;
}

/// Expects every mass within a share of the truth, and returns how many have it in their intervals.
int expect_masses(const IdentifyVehicleResult& result, const std::map<std::string, double>& truth, double share,
                  std::initializer_list<const char*> names) {
  int inside = 0;
  for (const char* name : names) {
    const auto* p = parameter_of(result, name);
    if (!p) {
      ADD_FAILURE() << name << " is no parameter of the result";
      continue;
    }
    EXPECT_NEAR(p->estimate / truth.at(name), 1, share) << name;
    if (p->interval_95 && (*p->interval_95)[0] <= truth.at(name) && truth.at(name) <= (*p->interval_95)[1])
      ++inside;
  }
  return inside;
}

class InPlaneVehiclesLong : public testing::TestWithParam<const char*> {};

TEST_P(InPlaneVehiclesLong, MassesAndDragAreFoundWithoutAWrenchInRollAndPitch) {
  const std::string vehicle = GetParam();
  if (!std::filesystem::exists(folder_of(vehicle)))
    GTEST_SKIP() << "no shared data; FATHOM_DATA names the folder";
  const auto truth = truth_of(vehicle);
  for (const char* structure : {"quadratic", "6dof"}) {
    SCOPED_TRACE(structure);
    IdentifyVehicleOptions options;
    options.structure = structure;
    options.compare = false;
    const IdentifyVehicleResult result = identified(vehicle, "hull.yaml", "joy", options);
    expect_masses(result, truth, 0.03, {"m11", "m22", "m33", "m66"});
    std::map<std::string, double> found;
    for (const auto& p : result.summary.parameters) found[p.name] = p.estimate;
    for (const std::string i : {"1", "2", "3"}) {
      const auto drag = [&](const auto& of) {
        return 0.5 * of.at("d" + i + i) + 0.25 * of.at("q" + i + i + "|" + i + "|");
      };
      EXPECT_NEAR(drag(found) / drag(truth), 1, 0.05) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, InPlaneVehiclesLong, testing::Values("in_plane_6", "in_plane_8"));

/// Of the six diagonal masses of both vehicles, by the structure that has all of them.
TEST(InPlaneVehicleIntervalsLong, HoldTenOfTwelveMasses) {
  int inside = 0;
  for (const char* vehicle : {"in_plane_6", "in_plane_8"}) {
    if (!std::filesystem::exists(folder_of(vehicle)))
      GTEST_SKIP() << "no shared data; FATHOM_DATA names the folder";
    IdentifyVehicleOptions options;
    options.structure = "6dof";
    options.compare = false;
    // m44 and m55, which no thruster drives, have the width that their interval says.
    inside += expect_masses(identified(vehicle, "hull.yaml", "joy", options), truth_of(vehicle), 0.3,
                            {"m11", "m22", "m33", "m44", "m55", "m66"});
  }
  EXPECT_GE(inside, 10);
}

TEST(CollapseLong, AJoystickLogOfALargeVehicleDoesNotCollapse) {
  const std::string vehicle = "vehicle_8";
  if (!std::filesystem::exists(folder_of(vehicle)))
    GTEST_SKIP() << "no shared data; FATHOM_DATA names the folder";
  IdentifyVehicleOptions options;
  options.structure = "6dof";
  options.compare = false;
  options.no_dry_body = true;  // its dry body must not be what holds the estimate up
  const IdentifyVehicleResult result = identified(vehicle, "hull_lag.yaml", "joyA", options);
  expect_masses(result, truth_of(vehicle), 0.05, {"m11", "m22", "m33", "m44", "m55", "m66"});
}

}  // namespace
}  // namespace fathom::task::in_plane_vehicles_test
