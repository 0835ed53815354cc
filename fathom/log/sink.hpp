#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "fathom/log/csv_writer.hpp"

namespace fathom::log {

/// Takes the rows of channels, of which several may be open at once.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Returns the number by which append() and close() know the channel.
  virtual std::size_t open(const ChannelInfo& info) = 0;
  virtual void append(std::size_t channel, double t, std::span<const double> values) = 0;
  /// Ends a channel: no row follows.
  virtual void close(std::size_t channel) = 0;
};

/// Streams channels to a folder of CSV files: the memory that it takes does not grow with the log.
class CsvSink : public Sink {
 public:
  explicit CsvSink(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::size_t open(const ChannelInfo& info) override;
  void append(std::size_t channel, double t, std::span<const double> values) override {
    writers_[channel]->append(t, values);
  }
  /// Only then the channel is on the disk. Throws InputError where it could not be written.
  void close(std::size_t channel) override;
  /// Closes every channel that is still open.
  void close();

 private:
  std::filesystem::path folder_;
  std::vector<std::optional<CsvChannelWriter>> writers_;  // none where a channel is closed
};

/// Keeps the channels in memory.
class DatasetSink : public Sink {
 public:
  std::size_t open(const ChannelInfo& info) override;
  void append(std::size_t channel, double t, std::span<const double> values) override {
    channels_[channel].append(t, values);
  }
  void close(std::size_t) override {}
  /// Moves the channels out, closed or not, in the order in which they were opened.
  Dataset dataset() &&;

 private:
  std::vector<Channel> channels_;
};

/// Hands every row on, and keeps some of them, evenly spaced, to look at afterwards: between `rows` and twice
/// as many of each channel, however long the run.
class PreviewSink : public Sink {
 public:
  explicit PreviewSink(Sink& next, std::size_t rows = 2000) : next_(&next), rows_(rows) {}
  std::size_t open(const ChannelInfo& info) override;
  void append(std::size_t channel, double t, std::span<const double> values) override;
  void close(std::size_t channel) override { next_->close(numbers_[channel]); }
  const std::vector<Channel>& channels() const { return kept_; }
  /// One row in how many was kept.
  std::size_t stride(std::size_t channel) const { return strides_[channel]; }

 private:
  Sink* next_;
  std::size_t rows_;
  std::vector<Channel> kept_;
  std::vector<std::size_t> strides_, seen_, numbers_;  // numbers_: what next_ calls the channel
};

/// Forgets everything.
class NoSink : public Sink {
 public:
  std::size_t open(const ChannelInfo&) override { return 0; }
  void append(std::size_t, double, std::span<const double>) override {}
  void close(std::size_t) override {}
};

}  // namespace fathom::log
