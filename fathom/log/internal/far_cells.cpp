#include "fathom/log/internal/far_cells.hpp"

#include <fmt/format.h>

namespace fathom::log::internal {

void FarCells::add(double t, std::span<const double> values, int line) {
  for (std::size_t k = 0; k < values.size(); ++k) values_[k].add(values[k], line, t);
}

Findings FarCells::findings(const ChannelInfo& info, const std::string& file, const std::string& remedy) const {
  Findings list;
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const FarValues::Found found = values_[k].found();
    if (found.far.empty()) continue;
    const FarValues::Far& first = found.far.front();
    const std::string& unit = info.columns[k].unit;
    const std::size_t more = found.far.size() - 1;
    list.push_back(
        {Severity::warning, file, first.line, fmt::format("channel {}: {}", info.name, info.columns[k].name),
         fmt::format("= {:.4g}{}{} at t = {:.6g} s{}, {}", first.value, unit.empty() ? "" : " ", unit, first.t,
                     more > 0 ? fmt::format(", and {} more such", more) : "", found.others(unit)),
         remedy});
  }
  return list;
}

}  // namespace fathom::log::internal
