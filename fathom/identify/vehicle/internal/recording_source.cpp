#include "fathom/identify/vehicle/internal/recording_source.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fathom/base/text.hpp"
#include "fathom/log/log_folder.hpp"

namespace fathom::identify::internal {
namespace {

namespace fs = std::filesystem;

/// An empty channel is the caller's to judge, and so are times: a log of somebody else is told in our words.
constexpr log::ReadOptions read_options = {
    .allow_clock_steps = true, .drop_truncated_line = false, .allow_empty = true};

std::string_view plain(std::string_view unit) { return unit == "1" ? std::string_view() : unit; }

}  // namespace

Rows::Rows(const fs::path& file) : file_(file.string()), reader_(std::in_place, file, read_options) {}
Rows::Rows(const log::Channel& channel) : channel_(&channel) {}

const log::ChannelInfo& Rows::info() const { return reader_ ? reader_->info() : channel_->info; }

bool Rows::read_next() {
  if (reader_ ? !reader_->next() : row_ == channel_->size()) return false;
  ++row_;
  return true;
}

bool Rows::next() {
  const double before = t_;
  const bool is_first = row_ == 0;
  if (!read_next()) return false;
  t_ = reader_ ? reader_->t() : channel_->t[row_ - 1];
  if (!std::isfinite(t_)) fail(fmt::format("t = {}", t_), "every row needs its time", line());
  if (!is_first && t_ < before)
    fail(fmt::format("t = {} s, after t = {} s: the clock steps back", t_, before),
         "are there two runs in one log, or was the clock set anew? split it there", line());
  if (!is_first && t_ == before)
    fail(fmt::format("t = {} s twice: the time repeats", t_),
         "keep one row for each time, or write times with more digits", line());
  return true;
}

std::span<const double> Rows::values() const { return reader_ ? reader_->values() : channel_->row(row_ - 1); }

int Rows::line() const { return reader_ ? reader_->line() : 0; }

Finding Rows::finding(Severity severity, std::string message, std::string hint, int line) const {
  return {severity, file_, line, channel_ ? channel_->info.name : "", std::move(message), std::move(hint)};
}

void Rows::fail(std::string message, std::string hint, int line) const {
  throw InputError(finding(Severity::error, std::move(message), std::move(hint), line));
}

bool Rows::has_column(const std::string& name) const {
  const auto& columns = info().columns;
  return std::any_of(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
}

std::size_t Rows::column(const Column& wanted) const {
  std::vector<std::string> names;
  for (const Column& column : info().columns) names.push_back(column.name);
  const auto found = std::find(names.begin(), names.end(), wanted.name);
  if (found == names.end())
    fail(fmt::format("has no column '{}'", wanted.name),
         suggestion(wanted.name, names, "it has " + listed(names)));
  const auto k = static_cast<std::size_t>(found - names.begin());
  const std::string& unit = info().columns[k].unit;
  if (!unit.empty() && plain(unit) != plain(wanted.unit))
    fail(fmt::format("column '{}' is in {}, expected {}", wanted.name, in_quotes(unit),
                     plain(wanted.unit).empty() ? "a number without unit" : wanted.unit),
         "convert it first");
  return k;
}

Source::Source(const fs::path& folder) : name_(folder.string()) {
  if (folder.empty()) reject("log", "is empty", "the path of a folder");
  const log::LogFolder found = log::list_log(folder, "a log is a folder of CSV files");
  for (const fs::path& path : found.channels) files_[path.stem().string()] = path;
  for (const fs::path& path : found.unfinished) unfinished_.push_back(path.stem().stem().string());
  for (const auto& entry : files_) channels_.push_back(entry.first);
  if (!channels_.empty()) return;
  if (std::error_code error; fs::is_directory(folder / "log", error))
    fail("has no channels", fmt::format("did you mean {}?", (folder / "log").string()));
  fail("has no channels", unfinished_.empty() ? "a channel is a file such as rov.imu.csv; docs/log-files.md"
                                              : "files that end in .part are of a run that did not end");
}

Source::Source(const log::Dataset& dataset, std::string name) : name_(std::move(name)), dataset_(&dataset) {
  for (const log::Channel& channel : dataset.channels()) channels_.push_back(channel.info.name);
  if (channels_.empty()) fail("has no channels", "add what was logged");
}

bool Source::has(const std::string& channel) const {
  return std::find(channels_.begin(), channels_.end(), channel) != channels_.end();
}

Rows Source::open(const std::string& channel) const {
  return dataset_ ? Rows(dataset_->channel(channel)) : Rows(files_.at(channel));
}

Finding Source::finding(Severity severity, std::string message, std::string hint) const {
  return {severity, name_, 0, "", std::move(message), std::move(hint)};
}

void Source::fail(std::string message, std::string hint) const {
  throw InputError(finding(Severity::error, std::move(message), std::move(hint)));
}

std::string suggestion(const std::string& word, const std::vector<std::string>& candidates,
                       const std::string& otherwise) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  const std::string nearest = nearest_word(word, views);
  return nearest.empty() ? otherwise : fmt::format("did you mean '{}'?", nearest);
}

std::string listed(const std::vector<std::string>& words) { return words.empty() ? "none" : join(words, ", "); }

}  // namespace fathom::identify::internal
