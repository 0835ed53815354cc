// Identifies a vehicle from a log, as `fathom identify` does: the same options, the same numbers. The log comes
// from a simulated dive, so the program needs no file but the shipped robot and scenario.
#include <cstdio>
#include <filesystem>

#include "fathom/task/identify/vehicle.hpp"
#include "fathom/task/simulate/simulate.hpp"

using namespace fathom;

int main(int argc, char** argv) {
  task::Context context;
  context.paths = task::SearchPaths::in(
      argc > 1 ? argv[1] : "data");  // share/fathom of an installation, or data/ of the sources
  const std::filesystem::path log = std::filesystem::temp_directory_path() / "fathom_example_log";
  task::simulate({.scenario = "tank-waypoints", .seed = 1, .log = log}, context);

  task::IdentifyVehicleOptions options;
  options.robot = "bluerov2-heavy";
  options.log = {log.string()};
  options.structure = "diagonal";
  options.accept_bounds = true;
  const task::IdentifyVehicleResult result = task::identify_vehicle(options, context);
  std::filesystem::remove_all(log);

  for (const auto& p : result.summary.parameters)
    std::printf("%s %.17g %.17g\n", p.name.c_str(), p.estimate, p.sigma);
  return result.status() == task::Status::done ? 0 : 1;
}
