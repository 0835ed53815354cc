// Whole scenarios: what an hour of a vehicle costs, with sensors, lag, control and log.
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "fathom/loop/simulation.hpp"

#include "bench/add.hpp"

namespace fathom {
namespace {

/// BlueROV2 Heavy at 100 Hz: PID with feed-forward, thruster lag, eight thrusters, five sensors.
loop::Scenario scenario_of(double duration, int vehicles) {
  std::string text = fmt::format(
      "format: fathom-scenario-1\nname: bench\nduration: {}\nstep: 0.01\n"
      "environment: {{current: [0.04, -0.03, 0], tank: {{min: [0, 0, 0], max: [6.3, 3.7, 1.8]}}}}\nvehicles:\n",
      duration);
  for (int k = 0; k < vehicles; ++k) {
    text += fmt::format(
        "  - name: rov{}\n    robot: bluerov2-heavy\n    control: {{kind: pid}}\n    reference:\n      "
        "waypoints:\n",
        k);
    for (int lap = 0; lap < 1 + static_cast<int>(duration / 40); ++lap)
      text +=
          "        - {position: [1, 1, 0.5]}\n        - {position: [5.2, 1, 0.5]}\n"
          "        - {position: [5.2, 2.7, 1], yaw_deg: 90}\n        - {position: [1, 2.7, 0.7], yaw_deg: "
          "180}\n";
  }
  return loop::parse_scenario(text, "bench", {FATHOM_ROBOTS_DIR});
}

benchmark::internal::Benchmark* add_simulation(const char* name, double duration, int vehicles, bool to_disk) {
  const auto scenario = std::make_shared<loop::Scenario>(scenario_of(duration, vehicles));
  return add(name,
             [scenario, to_disk](benchmark::State& state) {
               const auto folder = std::filesystem::temp_directory_path() /
                                   fmt::format("fathom-bench-{}", static_cast<long>(::getpid()));
               for (auto _ : state) {
                 log::NoSink nowhere;
                 log::CsvSink disk(folder);
                 loop::Simulation simulation(*scenario, 1, to_disk ? static_cast<log::Sink&>(disk) : nowhere);
                 simulation.run();
                 if (to_disk) disk.close();
               }
               std::filesystem::remove_all(folder);
             })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

const int simulation_registered = [] {
  add_simulation("simulate one hour, logged to disk", 3600, 1, true)->Repetitions(7)->Iterations(1);
  add_simulation("simulate 60 s, one vehicle", 60, 1, false);
  add_simulation("simulate 60 s, ten vehicles", 60, 10, false);
  return 0;
}();

}  // namespace
}  // namespace fathom
