#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fathom/log/dataset.hpp"

namespace fathom::log::internal {

/// What ROS has no place for, in the metadata of an MCAP channel: pairs of texts.
struct McapInfo {
  ChannelInfo info;
  std::int64_t start_ns = 0;  ///< when t = 0 was
};

std::string metadata_of(const ChannelInfo& info, std::int64_t start_ns);

/// What metadata_of() wrote. Nothing where others wrote the metadata, or where it does not name `columns`
/// columns.
std::optional<McapInfo> info_in(std::string_view metadata, std::string_view topic, std::size_t columns);

}  // namespace fathom::log::internal
