#include "fathom/log/sink.hpp"

#include <algorithm>

namespace fathom::log {

std::size_t CsvSink::open(const ChannelInfo& info) {
  // What is simulated or converted can be made again.
  writers_.emplace_back(std::in_place, folder_, info, CsvChannelWriter::Until::handed_over);
  return writers_.size() - 1;
}

void CsvSink::close(std::size_t channel) {
  writers_[channel]->close();
  writers_[channel].reset();
}

void CsvSink::close() {
  for (std::size_t k = 0; k < writers_.size(); ++k)
    if (writers_[k]) close(k);
}

std::size_t DatasetSink::open(const ChannelInfo& info) {
  channels_.push_back({info, {}, {}});
  return channels_.size() - 1;
}

Dataset DatasetSink::dataset() && {
  Dataset dataset;
  for (Channel& channel : channels_) dataset.add(std::move(channel));
  channels_.clear();
  return dataset;
}

std::size_t PreviewSink::open(const ChannelInfo& info) {
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
  Channel& kept = kept_[channel];
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

}  // namespace fathom::log
