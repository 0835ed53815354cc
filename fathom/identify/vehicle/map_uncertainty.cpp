#include "fathom/identify/vehicle/map_uncertainty.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Cholesky>

#include "fathom/identify/vehicle/internal/lag_sums.hpp"
#include "fathom/model/table_scatter.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

constexpr double small_change = 1e-3;  // of a point: the slope by it

/// A table's point.
struct TablePoint {
  std::size_t thruster_with_map;  // the first one that has it
  std::size_t voltage, command;
};

bool same_map(const model::Thruster& a, const model::Thruster& b) { return a.map == b.map; }

/// The robot with one point of a table changed by a share, in every thruster that has the table.
model::Robot with_point(const model::Robot& robot, const TablePoint& point, double share) {
  model::RobotSpec spec = robot.spec();
  const model::Thruster of = robot.thrusters()[point.thruster_with_map];
  for (model::Thruster& thruster : spec.thrusters)
    if (same_map(thruster, of)) {
      double& force = std::get<model::ForceTable>(thruster.map->law).forces[point.voltage][point.command];
      force *= 1 + share;
    }
  return model::Robot::make_unchecked(std::move(spec));
}

/// Forces of a recording's thrusters, made once for all columns.
class ForcesOf {
 public:
  explicit ForcesOf(const LaggedWrench& wrench) : wrench_(wrench) {}
  const Eigen::MatrixXd& operator()(const Recording& recording) {
    if (of_ != &recording) wrench_.forces(recording, forces_);
    of_ = &recording;
    return forces_;
  }

 private:
  const LaggedWrench& wrench_;
  const Recording* of_ = nullptr;
  Eigen::MatrixXd forces_;
};

/// m, standard deviation of the place of each thruster, a column each.
Eigen::Matrix3Xd position_sigmas(const model::Robot& robot, double otherwise) {
  const auto& thrusters = robot.thrusters();
  Eigen::Matrix3Xd sigma(3, static_cast<Index>(thrusters.size()));
  for (std::size_t k = 0; k < thrusters.size(); ++k) {
    Vec3 one = thrusters[k].position_b.sigma.value_or(Vec3::Constant(otherwise));
    for (double& s : one)
      if (!std::isfinite(s)) s = otherwise;
    sigma.col(static_cast<Index>(k)) = one;
  }
  return sigma;
}

}  // namespace

Eigen::MatrixXd map_covariance(const Regression& regression, const Fit& fit, const FitOptions& options,
                               const model::Robot& robot, const model::Environment& environment,
                               const ThrusterLag& lag, const MapOptions& map_options) {
  const auto n = static_cast<Index>(regression.structure().size());
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(n, n);
  for (const Recording& recording : regression.recordings())
    if (recording.commands.of != CommandRecord::Of::thrusters) return covariance;
  const internal::LagSums sums(regression, fit, options, robot, environment);
  const Eigen::LDLT<Eigen::MatrixXd> solver(sums.gram());
  const auto add = [&](const Eigen::MatrixXd& moments, const Eigen::VectorXd& sigma) {
    const Eigen::MatrixXd S = solver.solve(moments).topRows(n) * sigma.asDiagonal();
    covariance += S * S.transpose();
  };
  const double delay = fit.nuisance.value.delay;
  const LaggedWrench wrench(robot, environment, lag);
  const Mat6X columns = wrench.columns(regression.recordings().front());
  ForcesOf forces(wrench);
  const auto count = static_cast<std::size_t>(columns.cols());
  if (map_options.unit_sigma > 0)
    add(sums.moments_of(count, delay,
                        [&](const Recording& recording, std::size_t c) -> Mat6X {
                          const auto u = static_cast<Index>(c);
                          return columns.col(u) * forces(recording).row(u);
                        }),
        Eigen::VectorXd::Constant(columns.cols(), map_options.unit_sigma));

  const Eigen::Matrix3Xd places = position_sigmas(robot, map_options.position_sigma);
  // Moments of the forces by an error along each axis: of each thruster by itself, and of all together.
  const auto moment = [&](const Recording& recording, Index thruster, Index axis) -> Mat6X {
    Vec6 by_place = Vec6::Zero();
    by_place.tail<3>() = Vec3::Unit(axis).cross(Vec3(columns.col(thruster).head<3>()));
    return by_place * forces(recording).row(thruster);
  };
  if (!places.isZero(0)) {
    Eigen::VectorXd by_axis(places.size() + 3);
    by_axis << places.reshaped(), places.rowwise().mean();
    add(sums.moments_of(static_cast<std::size_t>(by_axis.size()), delay,
                        [&](const Recording& recording, std::size_t c) -> Mat6X {
                          const auto column = static_cast<Index>(c);
                          if (column < places.size()) return moment(recording, column / 3, column % 3);
                          Mat6X sum = moment(recording, 0, column % 3);
                          for (Index k = 1; k < columns.cols(); ++k) sum += moment(recording, k, column % 3);
                          return sum;
                        }),
        by_axis);
  }

  std::vector<TablePoint> points;
  std::vector<double> sigma;
  std::vector<LaggedWrench> changed;
  for (std::size_t k = 0; k < robot.thrusters().size(); ++k) {
    const model::Thruster& thruster = robot.thrusters()[k];
    const auto* table = thruster.map ? std::get_if<model::ForceTable>(&thruster.map->law) : nullptr;
    const auto is_known = [&](std::size_t before) { return same_map(robot.thrusters()[before], thruster); };
    bool seen = !table;
    for (std::size_t before = 0; before < k && !seen; ++before) seen = is_known(before);
    if (seen) continue;
    const std::optional<double> scatter = model::table_scatter(*table, thruster.map->command.neutral);
    if (!scatter || *scatter == 0) continue;
    for (std::size_t v = 0; v < table->forces.size(); ++v)
      for (std::size_t c = 0; c < table->commands.size(); ++c) {
        if (table->forces[v][c] == 0) continue;
        const TablePoint point{k, v, c};
        try {
          changed.emplace_back(with_point(robot, point, small_change), environment, lag);
        } catch (const InputError&) {
          continue;  // its neighbour is as high: a shelf, on which a point cannot rise alone
        }
        points.push_back(point);
        sigma.push_back(*scatter / small_change);
      }
  }
  if (points.empty()) return covariance;
  add(sums.moments_of(points.size(), delay,
                      [&](const Recording& recording, std::size_t c) -> Mat6X {
                        return changed[c].wrench_b(recording) - columns * forces(recording);
                      }),
      Eigen::Map<const Eigen::VectorXd>(sigma.data(), static_cast<Index>(sigma.size())));
  return covariance;
}

}  // namespace fathom::identify
