#include "fathom/identify/thruster/voltage_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::identify {
namespace {

/// Measured points in order of command; of several with one command the mean.
std::map<double, double> in_order(const BollardTest& test) {
  std::map<double, std::pair<double, int>> sums;
  for (std::size_t k = 0; k < test.commands.size(); ++k) {
    auto& [sum, count] = sums[test.commands[k]];
    sum += test.forces[k];
    ++count;
  }
  std::map<double, double> points;
  for (const auto& [at, entry] : sums) points[at] = entry.first / entry.second;
  return points;
}

void check_voltage(double voltage, const BollardTest& test, const model::Command& command) {
  const std::string name = fmt::format("the test at {:g} V", voltage);
  if (!(voltage > 0) || !std::isfinite(voltage)) reject("table", fmt::format("has voltage {}", voltage));
  if (test.commands.size() != test.forces.size() || test.commands.empty())
    reject("table",
           fmt::format("{} has {} commands and {} forces", name, test.commands.size(), test.forces.size()));
  for (std::size_t k = 0; k < test.commands.size(); ++k)
    if (!std::isfinite(test.commands[k]) || !std::isfinite(test.forces[k]))
      reject("table", name + " has a number that is not finite", "leave the row out");
  const auto [least, most] = std::minmax_element(test.commands.begin(), test.commands.end());
  if (!(*least < command.neutral && command.neutral < *most))
    reject("table",
           fmt::format("{} spans [{:g}, {:g}], must span neutral, {:g}", name, *least, *most, command.neutral),
           "a map needs both sides; is neutral right?");
}

/// Straight lines between points; `at` lies within them.
double interpolated(const std::map<double, double>& points, double at) {
  const auto above = points.lower_bound(at);
  if (above->first == at) return above->second;
  const auto below = std::prev(above);
  const double share = (at - below->first) / (above->first - below->first);
  return below->second + share * (above->second - below->second);
}

std::vector<double> common_commands(const std::vector<std::map<double, double>>& tests, double neutral) {
  double low = tests.front().begin()->first, high = tests.front().rbegin()->first;
  for (const auto& points : tests) {
    low = std::max(low, points.begin()->first);
    high = std::min(high, points.rbegin()->first);
  }
  std::vector<double> commands = {neutral};
  for (const auto& points : tests)
    for (const auto& [at, force] : points)
      if (at >= low && at <= high) commands.push_back(at);
  std::sort(commands.begin(), commands.end());
  commands.erase(std::unique(commands.begin(), commands.end()), commands.end());
  return commands;
}

/// Not falling, at most 0 below neutral, 0 there, at least 0 above. Cutting what pooling gives is the nearest
/// such row (Barlow et al. 1972: bounds on an isotonic fit).
std::vector<double> monotone_row(const std::vector<double>& commands, std::vector<double> forces,
                                 double neutral) {
  const auto middle = std::lower_bound(commands.begin(), commands.end(), neutral) - commands.begin();
  const std::vector<double> reverse = pooled({forces.begin(), forces.begin() + middle}),
                            forward = pooled({forces.begin() + middle + 1, forces.end()});
  std::vector<double> row;
  for (const double force : reverse) row.push_back(std::min(0.0, force));
  row.push_back(0);
  for (const double force : forward) row.push_back(std::max(0.0, force));
  return row;
}

/// `measured`: at that voltage, before anything was pooled.
VoltageLeftOut leave_out(const model::ForceTable& table, std::size_t k, const std::vector<double>& measured) {
  const auto& V = table.voltages;
  VoltageLeftOut result{V[k], V[k - 1], V[k + 1]};
  const double share = (V[k] - V[k - 1]) / (V[k + 1] - V[k - 1]);
  double square = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const double below = table.forces[k - 1][i], above = table.forces[k + 1][i];
    const double error = below + share * (above - below) - measured[i];
    square += error * error;
    result.peak = std::max(result.peak, std::abs(error));
    result.full_force = std::max(result.full_force, std::abs(measured[i]));
  }
  result.rms = std::sqrt(square / static_cast<double>(measured.size()));
  return result;
}

}  // namespace

std::vector<double> pooled(const std::vector<double>& values) {
  struct Pool {
    double sum;
    std::size_t count;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (const double value : values) {
    pools.push_back({value, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().count += last.count;
    }
  }
  std::vector<double> result;
  for (const Pool& pool : pools) result.insert(result.end(), pool.count, pool.mean());
  return result;
}

std::vector<BetweenVoltages> bands_between(const model::ForceTable& table,
                                           const std::vector<double>& half_bands) {
  const auto& V = table.voltages;
  /// N/V^2, half of the second derivative at an inner voltage.
  const auto bend = [&](std::size_t k, std::size_t i) {
    const double up = (table.forces[k + 1][i] - table.forces[k][i]) / (V[k + 1] - V[k]),
                 down = (table.forces[k][i] - table.forces[k - 1][i]) / (V[k] - V[k - 1]);
    return std::abs(up - down) / (V[k + 1] - V[k - 1]);
  };
  std::vector<BetweenVoltages> list;
  for (std::size_t k = 0; k + 1 < V.size(); ++k) {
    BetweenVoltages& gap = list.emplace_back();
    gap = {0.5 * (V[k] + V[k + 1]), V[k], V[k + 1], {}};
    const double reach = 0.25 * std::pow(V[k + 1] - V[k], 2);
    for (std::size_t i = 0; i < table.commands.size(); ++i) {
      double curved = 0;
      if (k > 0) curved = bend(k, i);
      if (k + 2 < V.size()) curved = std::max(curved, bend(k + 1, i));
      if (V.size() == 2) curved = std::abs(table.forces[1][i]) / (V[1] * V[1]);
      gap.half.push_back(std::hypot(curved * reach, std::max(half_bands[k], half_bands[k + 1])));
    }
  }
  return list;
}

VoltageTable identify_voltage_table(const std::map<double, BollardTest>& by_voltage,
                                    const model::Command& command) {
  if (by_voltage.empty()) reject("table", "has no voltage");
  std::vector<std::map<double, double>> tests;
  for (const auto& [voltage, test] : by_voltage) {
    check_voltage(voltage, test, command);
    tests.push_back(in_order(test));
  }
  VoltageTable found;
  model::ForceTable table;
  table.commands = common_commands(tests, command.neutral);
  std::vector<std::vector<double>> measured;
  auto voltage = by_voltage.begin();
  for (const auto& points : tests) {
    std::vector<double>& forces = measured.emplace_back();
    for (const double at : table.commands) forces.push_back(interpolated(points, at));
    table.voltages.push_back((voltage++)->first);
    table.forces.push_back(monotone_row(table.commands, forces, command.neutral));
    for (std::size_t k = 0; k < forces.size(); ++k) {
      const double move = std::abs(table.forces.back()[k] - forces[k]);
      found.pooled_points += move > 0;
      found.largest_move = std::max(found.largest_move, move);
    }
  }
  for (std::size_t k = 1; k + 1 < table.voltages.size(); ++k)
    found.left_out.push_back(leave_out(table, k, measured[k]));
  found.map.command = command;
  found.map.command.min = std::max(command.min, table.commands.front());
  found.map.command.max = std::min(command.max, table.commands.back());
  found.map.law = std::move(table);
  if (Findings findings = model::check_thruster_map(found.map, {}, "map"); has_errors(findings))
    throw InputError(std::move(findings));
  return found;
}

}  // namespace fathom::identify
