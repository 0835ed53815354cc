#include "fathom/log/dataset.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/text.hpp"

namespace fathom::log {
namespace {

[[noreturn]] void fail(std::string message, std::string hint = "") {
  reject("", std::move(message), std::move(hint));
}

[[noreturn]] void fail_unknown(std::string_view kind, std::string_view owner, std::string_view name,
                               const std::vector<std::string_view>& known) {
  fail(fmt::format("{} has no {} {}", owner, kind, in_quotes(name)),
       did_you_mean(name, known, known.empty() ? "it has none" : fmt::format("it has {}", join(known, ", "))));
}

}  // namespace

std::size_t ChannelInfo::column(std::string_view column_name) const {
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (columns[k].name == column_name) return k;
  std::vector<std::string_view> known;
  for (const Column& column : columns) known.push_back(column.name);
  fail_unknown("column", fmt::format("channel {}", in_quotes(name)), column_name, known);
}

void Channel::append(double time, std::span<const double> row) {
  if (row.size() != width())
    fail(
        fmt::format("channel {}: a row has {} values, expected {}", in_quotes(info.name), row.size(), width()));
  t.push_back(time);
  values.insert(values.end(), row.begin(), row.end());
}

Channel::ColumnView Channel::column(std::string_view name) const {
  return {values.data() + info.column(name), static_cast<Eigen::Index>(size()),
          Eigen::InnerStride<>(static_cast<Eigen::Index>(width()))};
}

Channel::MatrixView Channel::matrix() const {
  return {values.data(), static_cast<Eigen::Index>(size()), static_cast<Eigen::Index>(width())};
}

void Dataset::add(Channel channel) {
  const std::string& name = channel.info.name;
  if (has(name))
    fail(fmt::format("two channels are called {}", in_quotes(name)), "each needs a name of its own");
  if (channel.values.size() != channel.size() * channel.width())
    fail(fmt::format("channel {} has {} times and {} values, expected {} values", in_quotes(name),
                     channel.size(), channel.values.size(), channel.size() * channel.width()),
         "append() keeps them together");
  places_.emplace(name, channels_.size());
  channels_.push_back(std::move(channel));
}

bool Dataset::has(std::string_view name) const { return places_.contains(name); }

const Channel& Dataset::channel(std::string_view name) const {
  if (const auto found = places_.find(name); found != places_.end()) return channels_[found->second];
  std::vector<std::string_view> known;
  for (const Channel& channel : channels_) known.push_back(channel.info.name);
  fail_unknown("channel", "the dataset", name, known);
}

}  // namespace fathom::log
