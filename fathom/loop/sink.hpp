#pragma once
#include <filesystem>
#include <span>
#include <vector>

#include "fathom/log/csv_writer.hpp"

namespace fathom::loop {

/// Where the rows of a run go.
class Sink {
 public:
  virtual ~Sink() = default;
  /// A number by which append() knows the channel.
  virtual std::size_t open(const log::ChannelInfo& info) = 0;
  virtual void append(std::size_t channel, double t, std::span<const double> values) = 0;
};

/// A folder of CSV files, streamed: the memory that it takes does not grow with the run.
class FolderSink : public Sink {
 public:
  explicit FolderSink(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::size_t open(const log::ChannelInfo& info) override;
  void append(std::size_t channel, double t, std::span<const double> values) override {
    writers_[channel].append(t, values);
  }
  /// Only then the log is on the disk. Throws InputError where it could not be written.
  void close();

 private:
  std::filesystem::path folder_;
  std::vector<log::CsvChannelWriter> writers_;
};

/// The run in memory, for short ones.
class DatasetSink : public Sink {
 public:
  std::size_t open(const log::ChannelInfo& info) override;
  void append(std::size_t channel, double t, std::span<const double> values) override {
    channels_[channel].append(t, values);
  }
  log::Dataset dataset() &&;

 private:
  std::vector<log::Channel> channels_;
};

/// Hands every row on, and keeps some of them, evenly spaced, to look at afterwards: between `rows` and twice
/// as many of each channel, however long the run.
class PreviewSink : public Sink {
 public:
  explicit PreviewSink(Sink& next, std::size_t rows = 2000) : next_(&next), rows_(rows) {}
  std::size_t open(const log::ChannelInfo& info) override;
  void append(std::size_t channel, double t, std::span<const double> values) override;
  const std::vector<log::Channel>& channels() const { return kept_; }
  /// One row in how many was kept.
  std::size_t stride(std::size_t channel) const { return strides_[channel]; }

 private:
  Sink* next_;
  std::size_t rows_;
  std::vector<log::Channel> kept_;
  std::vector<std::size_t> strides_, seen_, numbers_;  // numbers_: what next_ calls the channel
};

/// Forgets everything.
class NoSink : public Sink {
 public:
  std::size_t open(const log::ChannelInfo&) override { return 0; }
  void append(std::size_t, double, std::span<const double>) override {}
};

}  // namespace fathom::loop
