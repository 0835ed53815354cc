// Time of converting a table by a description: 36 columns, ten minutes at 100 Hz, of which all are used, turned
// and written, and of which two are.
#include <filesystem>
#include <fstream>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include "fathom/base/random.hpp"
#include "fathom/log/convert.hpp"

#include "bench/add.hpp"

namespace fathom {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t vectors = 12, table_rows = 60000;

/// Goes away with its object.
struct StrangeFolder {
  StrangeFolder() : path(fs::temp_directory_path() / ("fathom_convert_bench_" + std::to_string(::getpid()))) {
    fs::create_directories(path);
    RandomStream random(1, "convert bench");
    std::string text = "stamp";
    for (std::size_t k = 0; k < 3 * vectors; ++k) text += fmt::format(",c{}", k);
    for (std::size_t row = 0; row < table_rows; ++row) {
      text += fmt::format("\n{}", 1669909203330211715 + 10000000 * static_cast<std::int64_t>(row));
      for (std::size_t k = 0; k < 3 * vectors; ++k) text += fmt::format(",{}", random.normal());
    }
    std::ofstream(path / "table.csv", std::ios::binary) << text << '\n';
    bytes = fs::file_size(path / "table.csv");
  }
  StrangeFolder(const StrangeFolder&) = delete;
  StrangeFolder& operator=(const StrangeFolder&) = delete;
  ~StrangeFolder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
  fs::path path;
  std::uintmax_t bytes = 0;
};

std::string begin() {
  return "format: fathom-description-1\nchannels:\n  a:\n    file: table.csv\n    clock: {column: stamp, unit: "
         "ns}\n";
}

std::string all_columns() {
  std::string text = begin() + "    vectors:\n";
  for (std::size_t k = 0; k < vectors; ++k)
    text += fmt::format("      - {{to: v{0}, from: [c{1}, c{2}, c{3}], axes: FLU}}\n", k, 3 * k, 3 * k + 1,
                        3 * k + 2);
  return text;
}

class NowhereSink : public log::Sink {
 public:
  std::size_t open(const log::ChannelInfo&) override { return 0; }
  void append(std::size_t, double t, std::span<const double> values) override { sum += t + values.front(); }
  void close(std::size_t) override {}
  double sum = 0;
};

void run_convert(benchmark::State& run, const std::string& text, bool to_disk) {
  const StrangeFolder folder;
  const log::Description description = log::parse_description(text, "bench.yaml");
  for (auto _ : run) {
    if (to_disk) {
      log::CsvSink sink(folder.path / "log");
      log::convert(description, folder.path, sink);
    } else {
      NowhereSink sink;
      log::convert(description, folder.path, sink);
      benchmark::DoNotOptimize(sink.sum);
    }
  }
  run.SetBytesProcessed(run.iterations() * static_cast<std::int64_t>(folder.bytes));
}

const bool convert_registered = [] {
  add("convert: 36 columns x 60000 rows, into channels",
      [](benchmark::State& run) { run_convert(run, all_columns(), false); })
      ->Repetitions(5)
      ->Iterations(1);
  add("convert: 36 columns x 60000 rows, into files",
      [](benchmark::State& run) { run_convert(run, all_columns(), true); })
      ->Repetitions(5)
      ->Iterations(1);
  add("convert: 2 columns of 36 x 60000 rows, into channels",
      [](benchmark::State& run) { run_convert(run, begin() + "    columns: {c3: , c30: }\n", false); })
      ->Repetitions(5)
      ->Iterations(1);
  return true;
}();

}  // namespace
}  // namespace fathom
