// Time of lint of a file, reading and all rules: a robot file, and the same robot as a model for Gazebo Sim.
#include <filesystem>
#include <fstream>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include "fathom/exchange/export.hpp"
#include "fathom/exchange/lint.hpp"
#include "fathom/model_file/robot_file.hpp"

#include "bench/add.hpp"

namespace fathom {
namespace {

void run_lint(benchmark::State& run, const std::filesystem::path& file) {
  for (auto _ : run) benchmark::DoNotOptimize(exchange::lint_file(file).findings.size());
}

void run_lint_of_sdf(benchmark::State& run) {
  const auto file =
      std::filesystem::temp_directory_path() / ("fathom_lint_bench_" + std::to_string(::getpid()) + ".sdf");
  const auto exported =
      exchange::export_robot(model::read_robot(FATHOM_ROBOTS_DIR "/rexrov.yaml"), exchange::Format::gz_sim);
  std::ofstream(file) << exported.files.front().text;
  run_lint(run, file);
  std::filesystem::remove(file);
}

const bool lint_registered = [] {
  add("lint: a robot file (rexrov)", [](benchmark::State& run) {
    run_lint(run, FATHOM_ROBOTS_DIR "/rexrov.yaml");
  })->Repetitions(5);
  add("lint: a model of Gazebo Sim (rexrov)", run_lint_of_sdf)->Repetitions(5);
  return true;
}();

}  // namespace
}  // namespace fathom
