#include "fathom/loop/sink.hpp"

namespace fathom::loop {

std::size_t FolderSink::open(const log::ChannelInfo& info) {
  writers_.emplace_back(folder_, info);
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

}  // namespace fathom::loop
