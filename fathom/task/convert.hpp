#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fathom/log/bag.hpp"
#include "fathom/log/convert.hpp"
#include "fathom/log/sink.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/task/context.hpp"
#include "fathom/task/result.hpp"

namespace fathom::task {

/// Options of convert_log(); keys are the flags of `fathom convert`.
struct ConvertOptions {
  std::string source = {};       ///< description of a log, a bag, or a folder of channels
  std::string log = {};          ///< folder of the files, or the one file; empty: the description's folder
  bool allow_truncated = false;  ///< of a bag that was cut off, take the messages that are whole
  std::string run = {};          ///< word that {run} stands for in names of files of the description
  std::string robot = {};  ///< name or path of a robot file that says where the sensors are; empty: unknown
  bool no_sensor_check = false;  ///< leaves the sensors' contradictions alone (docs/sensor-check.md)
};

/// What became of the channels, as summary.json has it.
struct ConvertSummary {
  struct Column {
    std::string name, unit;
    double least = 0, largest = 0;
    std::size_t missing = 0;
    bool stuck = false;
    double saturation = 0;
  };
  struct Receive {
    double rate_hz = 0;
    std::size_t losses = 0;
    double median_delay_s = 0, longest_delay_s = 0;
  };
  struct Channel {
    std::string name, source, frame;
    std::size_t rows = 0;
    double duration_s = 0, rate_hz = 0, jitter_s = 0;
    std::size_t gaps = 0;
    double longest_step_s = 0;
    std::size_t repeated_rows = 0, repeated_times = 0, missing_values = 0, invalid_values = 0,
                dropped_lines = 0, old_rows = 0, other_rows = 0;
    IfAny<Receive> receive = {};
    std::vector<Column> columns = {};
    std::vector<std::string> warnings = {};
  };
  std::optional<std::int64_t> zero_ns = {};
  std::vector<Channel> channels = {};
  std::vector<std::string> notes = {};
  std::vector<std::string> contradictions = {};  ///< of the sensors: docs/sensor-check.md
  std::vector<std::string> not_compared = {};    ///< sensors and commands that the check skipped, and why
  std::string command = {};
  std::vector<std::string> files = {};
};

struct ConvertResult : ResultOf<ConvertResult, ConvertSummary> {
  std::vector<log::Topic> topics =
      {};                   ///< of a bag that is converted as it is; none in a result that was loaded
  Findings notes = {};      ///< likewise
  bool has_sensor = false;  ///< some channel is a sensor that can be compared; likewise

  report::Document report() const;
  Status status() const { return status_of(summary.contradictions.empty()); }
  std::vector<std::string> reasons() const;
  /// Writes the summary; the log is there already.
  void save(OutputFolder& out) { save_beside({"log"}, out); }
};

/// A log that is to be converted, opened and checked.
struct ConvertSource {
  log::Description description;
  std::filesystem::path log;
  std::vector<log::Topic> topics = {};  ///< of a bag
  bool is_log_folder = false;           ///< `log` is a folder of channels; there is no description
  std::optional<model::Robot> robot = {};
};
/// Throws InputError where source and options do not go together.
ConvertSource open_source(const ConvertOptions& options, const Context& context = {});

/// Converts a log to channels, which go to `sink` row by row (docs/log-description.md). Throws InputError.
ConvertResult convert_log(const ConvertSource& source, const ConvertOptions& options, log::Sink& sink,
                          const Context& context = {});

/// Compares the sensors of the log that was written to a folder, or to memory (docs/sensor-check.md): at most
/// its middle 600 s. Adds the contradictions to the result, and warns of them.
void check_converted(ConvertResult& result, const std::filesystem::path& log, const ConvertSource& source,
                     const ConvertOptions& options, const Context& context = {});
void check_converted(ConvertResult& result, const log::Dataset& log, const ConvertSource& source,
                     const ConvertOptions& options, const Context& context = {});

}  // namespace fathom::task
