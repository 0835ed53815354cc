#pragma once
#include <span>
#include <string>
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/log/dataset.hpp"
#include "fathom/log/far_values.hpp"

namespace fathom::log::internal {

/// Watches the columns of a channel for cells that are far outside all others of their column.
class FarCells {
 public:
  explicit FarCells(const ChannelInfo& info) : values_(info.columns.size()) {}
  void add(double t, std::span<const double> values, int line);
  /// Returns a warning for each column that has such cells, with the line of the first.
  Findings findings(const ChannelInfo& info, const std::string& file, const std::string& remedy) const;

 private:
  std::vector<FarValues> values_;
};

}  // namespace fathom::log::internal
