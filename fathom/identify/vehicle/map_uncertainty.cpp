#include "fathom/identify/vehicle/map_uncertainty.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>

#include "fathom/base/constants.hpp"
#include "fathom/identify/vehicle/internal/lag_sums.hpp"
#include "fathom/identify/vehicle/internal/uncertainty.hpp"
#include "fathom/model/table_scatter.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

constexpr double small_change = 1e-3;  // of a point, at most: the slope by it

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

/// A map and the thrusters that have it.
struct SharedMap {
  model::ThrusterMap map;
  std::vector<Index> thrusters;
};

std::vector<SharedMap> shared_maps(const model::Robot& robot) {
  std::vector<SharedMap> out;
  for (std::size_t k = 0; k < robot.thrusters().size(); ++k) {
    const auto& map = robot.thrusters()[k].map;
    if (!map) continue;
    auto at = std::find_if(out.begin(), out.end(), [&](const SharedMap& one) { return one.map == *map; });
    if (at == out.end()) at = out.insert(out.end(), SharedMap{*map, {}});
    at->thrusters.push_back(static_cast<Index>(k));
  }
  return out;
}

/// What the points of a map's table scatter by; empty where nothing tells.
std::optional<double> scatter_of(const model::ThrusterMap& map) {
  const auto* table = std::get_if<model::ForceTable>(&map.law);
  return table ? model::table_scatter(*table, map.command.neutral) : std::nullopt;
}

/// Whether some recording's supply makes a row of the table count: straight lines lie between voltages.
bool is_used(const model::ForceTable& table, std::size_t row, std::span<const Recording> recordings) {
  return std::any_of(recordings.begin(), recordings.end(), [&](const Recording& recording) {
    const std::vector<double>& volts = table.voltages;
    const double at = std::isnan(recording.commands.voltage)
                          ? volts.front()
                          : std::clamp(recording.commands.voltage, volts.front(), volts.back());
    return (row == 0 || at > volts[row - 1] || at == volts[row]) &&
           (row + 1 == volts.size() || at < volts[row + 1] || at == volts[row]);
  });
}

/// Of points from `begin` on that have the same force: they move together, for the corners at both ends of a
/// level stretch would turn into bends if one of them rose alone.
std::size_t end_of_level(const std::vector<double>& forces, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < forces.size() && forces[end] == forces[begin]) ++end;
  return end;
}

/// The share by which these points move for a slope: never past a neighbour.
double change_of(const std::vector<double>& forces, std::size_t begin, std::size_t end) {
  double gap = infinity;
  if (begin > 0) gap = std::abs(forces[begin] - forces[begin - 1]);
  if (end < forces.size()) gap = std::min(gap, std::abs(forces[end] - forces[begin]));
  return std::min(small_change, 0.1 * gap / std::abs(forces[begin]));
}

/// Adds up eq. 46.
class MapErrors {
 public:
  MapErrors(const Regression& regression, const internal::LagSums& sums, const model::Robot& robot,
            LaggedWrench wrench, double delay)
      : regression_(regression),
        sums_(sums),
        robot_(robot),
        wrench_(std::move(wrench)),
        forces_(wrench_),
        columns_(wrench_.columns(regression.recordings().front())),
        delay_(delay),
        solver_(sums.gram()) {
    const auto n = static_cast<Index>(regression.structure().size());
    covariance_.setZero(n, n);
  }

  /// The gain of each thruster by itself.
  void add_units(double sigma) {
    add(static_cast<std::size_t>(columns_.cols()), Eigen::VectorXd::Constant(columns_.cols(), sigma),
        [&](const Recording& recording, std::size_t c) { return wrench_of(recording, static_cast<Index>(c)); });
  }

  /// The place of each thruster along each axis, and of all together.
  void add_places(double otherwise) {
    const Eigen::Matrix3Xd places = position_sigmas(robot_, otherwise);
    if (places.isZero(0)) return;
    Eigen::VectorXd sigma(places.size() + 3);
    sigma << places.reshaped(), places.rowwise().mean();
    const auto moment = [&](const Recording& recording, Index thruster, Index axis) -> Mat6X {
      Vec6 by_place = Vec6::Zero();
      by_place.tail<3>() = Vec3::Unit(axis).cross(Vec3(columns_.col(thruster).head<3>()));
      return by_place * forces_(recording).row(thruster);
    };
    add(static_cast<std::size_t>(sigma.size()), sigma, [&](const Recording& recording, std::size_t c) -> Mat6X {
      const auto column = static_cast<Index>(c);
      if (column < places.size()) return moment(recording, column / 3, column % 3);
      Mat6X sum = moment(recording, 0, column % 3);
      for (Index k = 1; k < columns_.cols(); ++k) sum += moment(recording, k, column % 3);
      return sum;
    });
  }

  /// Points of tables, each common to all thrusters of the table.
  void add_points() {
    std::vector<LaggedWrench> changed;
    std::vector<double> sigma;
    for (const SharedMap& shared : shared_maps(robot_)) {
      const std::optional<double> scatter = scatter_of(shared.map);
      if (!scatter || *scatter == 0) continue;
      const auto& table = std::get<model::ForceTable>(shared.map.law);
      for (std::size_t v = 0; v < table.forces.size(); ++v)
        for (std::size_t begin = 0, end = 0; begin < table.commands.size(); begin = end) {
          end = end_of_level(table.forces[v], begin);
          if (table.forces[v][begin] == 0 || !is_used(table, v, regression_.recordings())) continue;
          const double change = change_of(table.forces[v], begin, end);
          model::ThrusterMap other = shared.map;
          for (std::size_t c = begin; c < end; ++c)
            std::get<model::ForceTable>(other.law).forces[v][c] *= 1 + change;
          changed.push_back(wrench_.with_map(shared.map, other));
          sigma.push_back(*scatter / change);
        }
    }
    add(changed.size(), Eigen::Map<const Eigen::VectorXd>(sigma.data(), static_cast<Index>(sigma.size())),
        [&](const Recording& recording, std::size_t c) -> Mat6X {
          Eigen::MatrixXd other;
          changed[c].forces(recording, other);
          return columns_ * (other - forces_(recording));
        });
  }

  /// The gain of each map of which nothing else is known.
  void add_unknown_maps(double sigma) {
    std::vector<SharedMap> maps = shared_maps(robot_);
    std::erase_if(maps, [](const SharedMap& shared) { return scatter_of(shared.map).has_value(); });
    add(maps.size(), Eigen::VectorXd::Constant(static_cast<Index>(maps.size()), sigma),
        [&](const Recording& recording, std::size_t c) {
          Mat6X sum = Mat6X::Zero(6, recording.size());
          for (const Index k : maps[c].thrusters) sum += wrench_of(recording, k);
          return sum;
        });
  }

  const Eigen::MatrixXd& covariance() const { return covariance_; }

 private:
  Mat6X wrench_of(const Recording& recording, Index thruster) {
    return columns_.col(thruster) * forces_(recording).row(thruster);
  }
  void add(std::size_t count, const Eigen::VectorXd& sigma,
           const std::function<Mat6X(const Recording&, std::size_t)>& make) {
    if (count == 0) return;
    const Eigen::MatrixXd by_error = solver_.solve(sums_.moments_of(count, delay_, make));
    covariance_ += internal::square_of(by_error.topRows(covariance_.rows()) * sigma.asDiagonal());
  }

  const Regression& regression_;
  const internal::LagSums& sums_;
  const model::Robot& robot_;
  LaggedWrench wrench_;
  ForcesOf forces_;
  Mat6X columns_;
  double delay_;
  Eigen::LDLT<Eigen::MatrixXd> solver_;
  Eigen::MatrixXd covariance_;
};

}  // namespace

Eigen::MatrixXd map_covariance(const Regression& regression, const Fit& fit, const FitOptions& options,
                               const model::Robot& robot, const model::Environment& environment,
                               const ThrusterLag& lag, const MapOptions& map_options) {
  const auto n = static_cast<Index>(regression.structure().size());
  for (const Recording& recording : regression.recordings())
    if (recording.commands.of != CommandRecord::Of::thrusters) return Eigen::MatrixXd::Zero(n, n);
  const internal::LagSums sums(regression, fit, options, robot, environment);
  MapErrors errors(regression, sums, robot, LaggedWrench(robot, environment, lag), fit.nuisance.value.delay);
  if (map_options.unit_sigma > 0) errors.add_units(map_options.unit_sigma);
  errors.add_places(map_options.position_sigma);
  errors.add_points();
  // A common gain that the caller states is in the fit's own covariance.
  if (map_options.unknown_map_sigma > 0 && options.thrust_sigma == 0)
    errors.add_unknown_maps(map_options.unknown_map_sigma);
  return errors.covariance();
}

}  // namespace fathom::identify
