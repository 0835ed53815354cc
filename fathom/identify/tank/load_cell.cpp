#include "fathom/identify/tank/load_cell.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/identify/tank/steady_part.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

double share_along_path(const LoadCell& cell) { return cell.sign * cell.gain * std::cos(cell.angle); }

void check_cells(const std::vector<LoadCell>& cells, Index columns) {
  if (cells.empty() || columns != static_cast<Index>(cells.size()))
    reject("cells", fmt::format("are {}, the readings have {} columns", cells.size(), columns));
  for (const LoadCell& cell : cells) {
    if (!(std::abs(cell.angle) < std::numbers::pi / 2))
      reject(cell.name, fmt::format("leans by {} rad, must be less than a right angle", cell.angle));
    if (!(std::isfinite(cell.sign * cell.gain) && cell.sign * cell.gain != 0))
      reject(cell.name, fmt::format("has sign {} and gain {}, must be finite and not 0", cell.sign, cell.gain));
    if (!(cell.angle_sigma >= 0 && cell.gain_sigma >= 0)) reject(cell.name, "has a sigma below 0");
  }
}

}  // namespace

PathForce path_force(const std::vector<LoadCell>& cells, const Eigen::Ref<const Eigen::MatrixXd>& readings,
                     Index at_rest) {
  check_cells(cells, readings.cols());
  if (!readings.allFinite()) reject("cells", "have a reading that is not finite", "leave the row out");
  PathForce path;
  path.force.setZero(readings.rows());
  for (std::size_t k = 0; k < cells.size(); ++k)
    path.force += share_along_path(cells[k]) * readings.col(static_cast<Index>(k));
  path.zero.assign(cells.size(), 0);
  if (at_rest == 0) return path;
  if (at_rest < 8 || at_rest > readings.rows())
    reject("zero", fmt::format("is of {} samples at rest, must be 8 or more of {}", at_rest, readings.rows()));
  for (std::size_t k = 0; k < cells.size(); ++k)
    path.zero[k] = readings.col(static_cast<Index>(k)).head(at_rest).mean();
  const SerialMean zero = serial_mean(path.force.head(at_rest));
  path.force.array() -= zero.value;
  path.zero_variance = zero.variance;
  return path;
}

std::vector<double> shared_errors(const std::vector<LoadCell>& cells,
                                  const Eigen::Ref<const Eigen::MatrixXd>& readings, const PathForce& force,
                                  Index from, Index count) {
  std::vector<double> angles, gains;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const LoadCell& cell = cells[k];
    const double pull = readings.col(static_cast<Index>(k)).segment(from, count).mean() - force.zero[k];
    angles.push_back(-cell.sign * cell.gain * std::sin(cell.angle) * cell.angle_sigma * pull);
    gains.push_back(cell.sign * cell.gain_sigma * std::cos(cell.angle) * pull);
  }
  angles.insert(angles.end(), gains.begin(), gains.end());
  return angles;
}

}  // namespace fathom::identify
