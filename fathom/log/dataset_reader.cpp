#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/log/convert.hpp"
#include "fathom/log/csv_reader.hpp"
#include "fathom/log/internal/csv_header.hpp"
#include "fathom/log/internal/far_cells.hpp"
#include "fathom/log/internal/table_text.hpp"
#include "fathom/log/log_folder.hpp"

namespace fathom::log {
namespace {

namespace fs = std::filesystem;

Channel read_all(CsvChannelReader reader) {
  Channel channel;
  channel.info = reader.info();
  while (reader.next()) channel.append(reader.t(), reader.values());
  channel.dropped_lines = reader.dropped_lines();
  return channel;
}

/// Adds what one file holds to the dataset, its notes, or the errors.
void read_into(Dataset& dataset, Findings& errors, const fs::path& path, const ReadOptions& options) {
  const auto note = [&](Severity severity, std::string message, std::string hint) {
    dataset.notes.push_back({severity, path.string(), 0, "", std::move(message), std::move(hint)});
  };
  if (path.extension() == ".part")
    return note(Severity::warning, "was left out: the run that wrote it did not end", "read_channel reads it");
  std::unique_ptr<CsvChannelReader> reader;
  try {
    ReadOptions of_file = options;
    of_file.allow_empty = true;  // a sensor that never spoke is no reason to lose the others
    reader = std::make_unique<CsvChannelReader>(path, of_file);
  } catch (const InputError& error) {
    if (has_log_marker(path)) {
      errors.insert(errors.end(), error.findings().begin(), error.findings().end());
      return;
    }
    const Finding& why = error.findings().front();
    return note(Severity::warning, "is not a channel and was left out: " + why.message, why.hint);
  }
  if (reader->foreign())
    note(Severity::note,
         fmt::format("was not written by Fathom; read as channel {}", in_quotes(reader->info().name)),
         "its units and frame are taken as they stand");
  try {
    Channel channel = read_all(std::move(*reader));
    if (channel.size() == 0 && !options.allow_empty)
      note(Severity::warning, "has a header but no rows", "the sensor never spoke, or the run was very short");
    dataset.add(std::move(channel));
  } catch (const InputError& error) {
    for (Finding finding : error.findings()) {
      if (finding.file.empty()) finding.file = path.string();
      errors.push_back(std::move(finding));
    }
  }
}

}  // namespace

Conversion copy_log(const fs::path& folder, Sink& sink, const std::function<void(double)>& progress) {
  const LogFolder files = list_log(folder, "a log is a folder of CSV files");
  Conversion conversion;
  const auto note = [&](const fs::path& path, std::string message, std::string hint) {
    conversion.notes.push_back({Severity::warning, path.string(), 0, "", std::move(message), std::move(hint)});
  };
  for (const fs::path& path : files.unfinished)
    note(path, "was left out: the run that wrote it did not end", "");
  for (const fs::path& path : files.channels) {
    const double share =
        static_cast<double>(&path - files.channels.data()) / static_cast<double>(files.channels.size());
    if (progress) progress(share);
    std::unique_ptr<CsvChannelReader> reader;
    try {
      reader = std::make_unique<CsvChannelReader>(path, ReadOptions{.allow_empty = true});
    } catch (const InputError& error) {
      if (has_log_marker(path)) throw;
      const Finding& why = error.findings().front();
      note(path, "is not a channel and was left out: " + why.message, why.hint);
      continue;
    }
    QualityCounter counter(reader->info());
    internal::FarCells far_cells(reader->info());
    const std::size_t number = sink.open(reader->info());
    constexpr std::size_t between_reports = 4096;  // rows; a report may cancel the work
    for (std::size_t row = 1; reader->next(); ++row) {
      if (progress && row % between_reports == 0) progress(share);
      counter.add(reader->t(), reader->values());
      far_cells.add(reader->t(), reader->values(), reader->line());
      sink.append(number, reader->t(), reader->values());
    }
    sink.close(number);
    const Findings far =
        far_cells.findings(reader->info(), path.string(), "a slip? Empty the cell: it is missing then");
    conversion.notes.insert(conversion.notes.end(), far.begin(), far.end());
    ConvertedChannel& channel = conversion.channels.emplace_back();
    channel.info = reader->info();
    channel.source = path.string();
    channel.quality = counter.quality();
  }
  if (conversion.channels.empty())
    reject(folder.string(), 0, "", "has no channels",
           conversion.notes.empty() ? "a channel is a file such as rov.imu.csv; docs/log-files.md"
                                    : conversion.notes.front().text());
  return conversion;
}

Channel read_channel(const fs::path& path, const ReadOptions& options) {
  return read_all(CsvChannelReader(path, options));
}

Channel parse_channel(std::string_view text, const std::string& name, const ReadOptions& options) {
  return read_all(CsvChannelReader(text, name, options));
}

Dataset read_dataset(const fs::path& folder, const ReadOptions& options) {
  const auto fail = [&](std::string message, std::string hint) {
    reject(folder.string(), 0, "", std::move(message), std::move(hint));
  };
  const LogFolder files = list_log(folder, "read_channel reads one channel");
  std::vector<fs::path> paths = files.channels;
  paths.insert(paths.end(), files.unfinished.begin(), files.unfinished.end());
  std::sort(paths.begin(), paths.end());

  Dataset dataset;
  Findings errors;
  for (const fs::path& path : paths) read_into(dataset, errors, path, options);
  if (!errors.empty()) throw InputError(std::move(errors));
  if (dataset.channels().empty()) {
    std::string hint = "a channel is a file such as imu.csv; docs/log-files.md tells what is in it";
    if (!dataset.notes.empty()) hint = dataset.notes.front().text();
    fail("has no channels", hint);
  }
  const bool all_empty = std::all_of(dataset.channels().begin(), dataset.channels().end(),
                                     [](const Channel& channel) { return channel.size() == 0; });
  if (all_empty && !options.allow_empty)
    fail("is an empty log: no channel has a row", "was the run interrupted?");
  return dataset;
}

}  // namespace fathom::log
