#include "fathom/identify/vehicle/internal/check_clocks.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/base/constants.hpp"
#include "fathom/identify/vehicle/internal/check_repairs.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;

constexpr double most_late = 3, step_late = 0.1;        // s
constexpr double most_rate = 0.02, step_rate = 0.0005;  // s/s
constexpr double least_late = 0.1, least_rate = 0.003;
constexpr Index window_size = 100;  // times: 10 s
constexpr Index shifts = 2 * static_cast<Index>(most_late / step_late + 0.5) + 1;

/// Misfit by shift and window.
struct ClockTable {
  Eigen::MatrixXd cost;  ///< shifts x windows
  double middle = 0;     ///< s, of the log from its first window
  double width = 0;      ///< s, of a window
};

struct Line {
  double late = 0, rate = 0, cost = infinity;
};

/// The line through the table with the least mean; windows that it leaves count as the worst of theirs.
Line best_line(const ClockTable& table, bool may_drift) {
  Line best;
  const Index windows = table.cost.cols();
  const double steps = may_drift ? std::round(most_rate / step_rate) : 0;
  for (double r = -steps; r <= steps; ++r) {
    const double rate = r * step_rate;
    if (r != 0 && std::abs(rate) < least_rate) continue;
    for (Index s = 0; s < shifts; ++s) {
      const double late = step_late * static_cast<double>(s) - most_late;
      double sum = 0, count = 0;
      for (Index w = 0; w < windows; ++w) {
        const double t = (static_cast<double>(w) + 0.5) * table.width;
        const auto at =
            static_cast<Index>(std::lround((late + rate * (t - table.middle) + most_late) / step_late));
        const double cost = at >= 0 && at < shifts ? table.cost(at, w) : table.cost.col(w).maxCoeff();
        if (std::isfinite(cost)) sum += cost, ++count;
      }
      const double mean = count > 0 ? sum / count : infinity;
      // Equal costs: the smaller slip.
      if (mean < best.cost * (1 - 1e-9) ||
          (mean <= best.cost && std::abs(late) + std::abs(rate) < std::abs(best.late) + std::abs(best.rate)))
        best = {late, rate, mean};
    }
  }
  return best;
}

std::vector<ClockSlip> slips_of(const ClockTable& table) {
  std::vector<ClockSlip> slips;
  const Line constant = best_line(table, false), drifting = best_line(table, true);
  if (std::abs(constant.late) >= least_late - 1e-9) slips.push_back({constant.late, 0});
  if (drifting.rate != 0 && drifting.cost < 0.7 * constant.cost)
    slips.push_back({drifting.late, drifting.rate});
  return slips;
}

Eigen::VectorXd by_window(const Eigen::VectorXd& by_time) {
  Eigen::VectorXd means = Eigen::VectorXd::Constant(by_time.size() / window_size, nan);
  for (Index w = 0; w < means.size(); ++w) {
    std::vector<double> values;
    for (Index k = 0; k < window_size; ++k)
      if (std::isfinite(by_time[w * window_size + k])) values.push_back(by_time[w * window_size + k]);
    if (values.size() < static_cast<std::size_t>(window_size) / 4) continue;
    means[w] = Eigen::Map<Eigen::VectorXd>(values.data(), static_cast<Index>(values.size())).mean();
  }
  return means;
}

}  // namespace

std::vector<ClockSlip> clock_slips(const CheckMotion& motion, const std::string& channel) {
  const Index windows = motion.clock.size / window_size;
  ClockTable table{Eigen::MatrixXd::Constant(shifts, windows, nan),
                   0.5 * static_cast<double>(motion.clock.size) * CheckClock::dt,
                   static_cast<double>(window_size) * CheckClock::dt};
  for (Index s = 0; s < shifts; ++s) {
    CheckMotion shifted = motion;
    shift_channel(shifted, channel, step_late * static_cast<double>(s) - most_late, 0);
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(motion.clock.size);
    bool any = false;
    for (const PairMisfit& pair : kinematic_misfits(shifted, true)) {
      if (std::find(pair.channels.begin(), pair.channels.end(), channel) == pair.channels.end()) continue;
      for (Index k = 0; k < sum.size(); ++k)
        if (std::isfinite(pair.by_time[k])) sum[k] += std::min(pair.by_time[k], 1e4);
      any = true;
    }
    if (!any) return {};
    table.cost.row(s) = by_window(sum).transpose();
  }
  return slips_of(table);
}

CommandDrift drift_of_commands(const CheckMotion& motion) {
  constexpr Index wide = 2 * window_size;  // for the factors of the fit
  const Index windows = motion.clock.size / wide;
  ClockTable table{Eigen::MatrixXd::Constant(shifts, windows, nan),
                   0.5 * static_cast<double>(motion.clock.size) * CheckClock::dt,
                   static_cast<double>(wide) * CheckClock::dt};
  if (windows < 5) return {};
  const CommandColumns columns = command_columns(motion);
  for (Index s = 0; s < shifts; ++s) {
    // Commands that act `delay` later look early by it.
    const double late = step_late * static_cast<double>(s) - most_late;
    table.cost.row(s) = command_costs_by_window(motion, columns, -late, wide).transpose();
  }
  const Line constant = best_line(table, false), drifting = best_line(table, true);
  if (drifting.rate == 0) return {};
  const double gain = constant.cost - drifting.cost;
  constexpr double clear_gain = 1.5, clear_ratio = 0.6;
  if (gain < clear_gain || drifting.cost > clear_ratio * constant.cost) return {};
  return {drifting.late, drifting.rate, 2 * gain};
}

std::vector<ClockSlip> command_clock_slips(const CheckMotion& motion, const CommandFloor& floor,
                                           const CommandDrift& drift) {
  std::vector<ClockSlip> slips;
  // Thrusters without a stated lag have one all the same.
  const double usual = motion.commands.lag > 0 ? 0 : 0.1;
  if (floor.too_early > 0) slips.push_back({usual - floor.delay, 0});
  if (drift.gain > 0) slips.push_back({drift.late + usual, drift.rate});
  return slips;
}

}  // namespace fathom::identify::internal
