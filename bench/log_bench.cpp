// Time of log files: one number as text, a row, and an hour of a simulation (36 columns, 100 Hz) to the disk
// and back.
#include <charconv>
#include <filesystem>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include "fathom/base/random.hpp"
#include "fathom/log/csv_reader.hpp"
#include "fathom/log/csv_writer.hpp"

#include "bench/add.hpp"

namespace fathom {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t columns = 36, hour = 360000;

/// Goes away with its object.
struct Folder {
  Folder() : path(fs::temp_directory_path() / ("fathom_bench_" + std::to_string(::getpid()))) {}
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
  fs::path path;
};

log::ChannelInfo info() {
  log::ChannelInfo info{"state", "b", {}, "bench"};
  for (std::size_t k = 0; k < columns; ++k) info.columns.push_back({"x" + std::to_string(k), "m/s"});
  return info;
}

/// Full doubles, as a simulation makes them: 17 digits, the worst case.
std::vector<double> numbers() {
  RandomStream random(1, "log bench");
  std::vector<double> list(columns * 1024);
  for (double& x : list) x = random.normal();
  return list;
}

std::span<const double> row(const std::vector<double>& list, std::size_t k) {
  return {list.data() + k % 1024 * columns, columns};
}

/// What the writer must beat to deserve its own number formatting.
void log_to_chars(benchmark::State& run) {
  const std::vector<double> list = numbers();
  char text[32];
  std::size_t k = 0;
  for (auto _ : run) benchmark::DoNotOptimize(std::to_chars(text, text + 32, list[k++ % list.size()]).ptr);
}

void log_write_row(benchmark::State& run) {
  const Folder folder;
  const std::vector<double> list = numbers();
  log::CsvChannelWriter writer(folder.path, info());
  std::size_t k = 0;
  for (auto _ : run) {
    writer.append(0.01 * static_cast<double>(k), row(list, k));
    ++k;
  }
  run.SetItemsProcessed(static_cast<std::int64_t>(k * (columns + 1)));
}

std::uintmax_t write_hour(const fs::path& folder, const std::vector<double>& list) {
  log::CsvChannelWriter writer(folder, info());
  for (std::size_t k = 0; k < hour; ++k) writer.append(0.01 * static_cast<double>(k), row(list, k));
  writer.close();
  return fs::file_size(writer.path());
}

void count_hours(benchmark::State& run, std::uintmax_t bytes) {
  run.SetBytesProcessed(run.iterations() * static_cast<std::int64_t>(bytes));
  run.SetItemsProcessed(run.iterations() * static_cast<std::int64_t>(hour * (columns + 1)));
}

void log_write_hour(benchmark::State& run) {
  const Folder folder;
  const std::vector<double> list = numbers();
  std::uintmax_t bytes = 0;
  for (auto _ : run) bytes = write_hour(folder.path, list);
  count_hours(run, bytes);
}

void log_read_hour(benchmark::State& run) {
  const Folder folder;
  const std::uintmax_t bytes = write_hour(folder.path, numbers());
  double sum = 0;
  for (auto _ : run) {
    log::CsvChannelReader reader(folder.path / "state.csv");
    while (reader.next()) sum += reader.values()[0];
  }
  benchmark::DoNotOptimize(sum);
  count_hours(run, bytes);
}

const bool log_registered = [] {
  add("std::to_chars, 17 digits", log_to_chars);
  add("log: write a row of 37 numbers", log_write_row);
  // 250 MB on the disk: three times are enough. The time is that of the clock: waiting for the disk counts.
  add("log: write 36 columns x 360000 rows", log_write_hour)->Repetitions(3)->Iterations(1)->UseRealTime();
  add("log: read 36 columns x 360000 rows", log_read_hour)->Repetitions(3)->Iterations(1)->UseRealTime();
  return true;
}();

}  // namespace
}  // namespace fathom
