#include "fathom/loop/internal/moving_group.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::loop::internal {
namespace {

constexpr double longest_piece = 0.01;  // s

std::vector<const simulate::Plant*> plants_of(const std::vector<VehicleLoop*>& vehicles) {
  std::vector<const simulate::Plant*> plants;
  for (const VehicleLoop* vehicle : vehicles) plants.push_back(&vehicle->plant());
  return plants;
}

Eigen::Index size_of(const std::vector<VehicleLoop*>& vehicles) {
  Eigen::Index size = 0;
  for (const VehicleLoop* vehicle : vehicles) size += vehicle->plant().size();
  return size;
}

}  // namespace

MovingGroup::MovingGroup(VehicleLoop& alone, const Adaptive& adaptive)
    : vehicles_{&alone},
      by_switch_(vehicles_),
      x_(alone.plant().size()),
      dx_(x_.size()),
      rk4_(x_.size()),
      measures_(alone.measures()),
      failed_(&alone) {
  if (adaptive) adaptive_.emplace(x_.size(), *adaptive);
}

MovingGroup::MovingGroup(std::vector<VehicleLoop*> vehicles, assembly::Cluster cluster,
                         const Adaptive& adaptive)
    : vehicles_(std::move(vehicles)),
      by_switch_(vehicles_),
      coupled_(std::make_unique<simulate::CoupledPlants>(plants_of(vehicles_), std::move(cluster))),
      x_(size_of(vehicles_)),
      dx_(x_.size()),
      rk4_(x_.size()),
      loads_(coupled_->cluster().links().size(), Vec6::Zero()),
      failed_(vehicles_.front()) {
  if (adaptive) adaptive_.emplace(x_.size(), *adaptive);
  for (const VehicleLoop* vehicle : vehicles_) measures_ |= vehicle->measures();
  std::stable_sort(by_switch_.begin(), by_switch_.end(), [](const VehicleLoop* a, const VehicleLoop* b) {
    return a->switch_after() < b->switch_after();
  });
}

const simulate::Ode& MovingGroup::ode() const {
  if (coupled_) return *coupled_;
  return vehicles_.front()->plant();
}

double MovingGroup::stable_step(double ahead) const {
  return coupled_ ? coupled_->stable_step(x_, ahead) : vehicles_.front()->plant().stable_step(x_, ahead);
}

void MovingGroup::gather() {
  for (std::size_t k = 0; k < vehicles_.size(); ++k)
    x_.segment(begin(k), vehicles_[k]->x().size()) = vehicles_[k]->x();
}

std::span<const Vec6> MovingGroup::loads(double t) {
  gather();
  coupled_->loads(t, x_, loads_);
  return loads_;
}

bool MovingGroup::advance(double t, double t_next) {
  gather();
  double from = t;
  for (VehicleLoop* vehicle : by_switch_) {
    if (vehicle->switch_after() <= 0) continue;
    const double t_switch = t + vehicle->switch_after();
    if (t_switch > from && !swim(from, t_switch)) return false;
    vehicle->switch_commands();
    from = t_switch;
  }
  return swim(from, t_next);
}

/// Sensors see the motion between the two ends of a piece by interpolation, so pieces are short.
bool MovingGroup::swim(double t, double t_next) {
  const double dt = t_next - t;
  const int pieces = measures_ ? std::max(1, static_cast<int>(std::ceil(dt / longest_piece - 1e-9))) : 1;
  for (int k = 0; k < pieces; ++k) {
    const double end = k + 1 == pieces ? t_next : t + (k + 1) * dt / pieces;
    if (!move(k == 0 ? t : t + k * dt / pieces, end)) return false;
  }
  return true;
}

/// Integrates and measures, with the commands held.
bool MovingGroup::move(double t, double t_next) {
  const double dt = t_next - t;
  const Eigen::VectorXd& rate = rk4_.begin(ode(), t, x_);
  for (std::size_t k = 0; k < vehicles_.size(); ++k)
    vehicles_[k]->leave(t, rate.segment<6>(begin(k) + simulate::Plant::at_nu));
  if (adaptive_) {
    if (!adaptive_->advance(ode(), t, t_next, x_).reached) return false;
  } else {
    const double stable = stable_step(dt);
    const int substeps = stable < dt ? static_cast<int>(std::min(1e4, std::ceil(dt / stable))) : 1;
    const double h = dt / substeps;
    rk4_.finish(ode(), t, h, x_);
    for (int k = 1; k < substeps; ++k) rk4_.step(ode(), t + k * h, h, x_);
  }
  ode().derivative(t_next, x_, dx_);
  for (std::size_t k = 0; k < vehicles_.size(); ++k) {
    const Eigen::Index size = vehicles_[k]->x().size();
    if (vehicles_[k]->arrive(t_next, x_.segment(begin(k), size), dx_.segment(begin(k), size))) continue;
    failed_ = vehicles_[k];
    return false;
  }
  return true;
}

}  // namespace fathom::loop::internal
