#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "fathom/base/random.hpp"
#include "fathom/log/dataset.hpp"

namespace fathom::log::test {

inline ChannelInfo small_info() { return {"imu", "b", {{"u", "m/s"}, {"v", "m/s"}, {"count", ""}}, "a test"}; }

/// Random bit patterns: every kind of finite double, and NaN.
inline Channel random_channel(std::size_t rows, std::uint64_t seed = 1) {
  RandomStream random(seed, "channel");
  Channel channel;
  channel.info = small_info();
  for (std::size_t k = 0; k < rows; ++k) {
    double row[3];
    for (double& x : row) {
      x = std::bit_cast<double>(random.next());
      if (!std::isfinite(x)) x = std::numeric_limits<double>::quiet_NaN();
    }
    channel.append(0.01 * static_cast<double>(k), row);
  }
  return channel;
}

/// Bit for bit; one NaN is like another.
inline bool same(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const bool both_nan = std::isnan(a[k]) && std::isnan(b[k]);
    if (!both_nan && std::bit_cast<std::uint64_t>(a[k]) != std::bit_cast<std::uint64_t>(b[k])) return false;
  }
  return true;
}

inline bool same(const Channel& a, const Channel& b) {
  return a.info == b.info && same(a.t, b.t) && same(a.values, b.values);
}

}  // namespace fathom::log::test
