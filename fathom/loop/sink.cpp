#include "fathom/loop/sink.hpp"

#include <algorithm>

namespace fathom::loop {

std::size_t FolderSink::open(const log::ChannelInfo& info) {
  writers_.emplace_back(folder_, info, log::CsvChannelWriter::Until::handed_over);  // it can be simulated again
  return writers_.size() - 1;
}

void FolderSink::close() {
  for (log::CsvChannelWriter& writer : writers_) writer.close();
}

std::size_t DatasetSink::open(const log::ChannelInfo& info) {
  channels_.push_back({info, {}, {}});
  return channels_.size() - 1;
}

log::Dataset DatasetSink::dataset() && {
  log::Dataset dataset;
  for (log::Channel& channel : channels_) dataset.add(std::move(channel));
  channels_.clear();
  return dataset;
}

std::size_t PreviewSink::open(const log::ChannelInfo& info) {
  numbers_.push_back(next_->open(info));
  kept_.push_back({info, {}, {}});
  kept_.back().t.reserve(2 * rows_);
  kept_.back().values.reserve(2 * rows_ * info.columns.size());
  strides_.push_back(1);
  seen_.push_back(0);
  return kept_.size() - 1;
}

void PreviewSink::append(std::size_t channel, double t, std::span<const double> values) {
  next_->append(numbers_[channel], t, values);
  if (seen_[channel]++ % strides_[channel] != 0) return;
  log::Channel& kept = kept_[channel];
  if (kept.size() == 2 * rows_) {  // every other row is enough from now on
    const std::size_t width = kept.width();
    for (std::size_t k = 1; k < rows_; ++k) {
      kept.t[k] = kept.t[2 * k];
      std::copy_n(kept.values.begin() + static_cast<std::ptrdiff_t>(2 * k * width), width,
                  kept.values.begin() + static_cast<std::ptrdiff_t>(k * width));
    }
    kept.t.resize(rows_);
    kept.values.resize(rows_ * width);
    strides_[channel] *= 2;
    // Row 2 rows_ x old stride is a multiple of the new stride, so this row belongs to the grid.
  }
  kept.append(t, values);
}

}  // namespace fathom::loop
