#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fathom/assembly/cluster.hpp"
#include "fathom/loop/internal/vehicle_loop.hpp"
#include "fathom/simulate/coupled_plants.hpp"
#include "fathom/simulate/ode.hpp"

namespace fathom::loop::internal {

/// Vehicles that move as one differential equation: one by itself, or several that couplings hold together.
/// Only the constructors allocate.
class MovingGroup {
 public:
  using Adaptive = std::optional<simulate::DormandPrince::Options>;

  /// The vehicles must outlive it, and stay where they are.
  MovingGroup(VehicleLoop& alone, const Adaptive& adaptive);
  /// In the order of the cluster's bodies.
  MovingGroup(std::vector<VehicleLoop*> vehicles, assembly::Cluster cluster, const Adaptive& adaptive);

  /// Integrates over one step, and measures. False where the motion is no longer finite.
  bool advance(double t, double t_next);
  /// The vehicle whose motion was not, or the first of the group where nobody can tell.
  const std::string& failed_vehicle() const { return failed_->scenario().name; }

  const std::vector<VehicleLoop*>& vehicles() const { return vehicles_; }
  /// None of a vehicle by itself.
  const assembly::Cluster* cluster() const { return coupled_ ? &coupled_->cluster() : nullptr; }
  /// What each of the cluster's links carries at t, with what the thrusters are told now.
  std::span<const Vec6> loads(double t);

 private:
  Eigen::Index begin(std::size_t k) const { return coupled_ ? coupled_->begin(k) : 0; }
  const simulate::Ode& ode() const;
  double stable_step(double ahead) const;
  void gather();
  bool swim(double t, double t_next);
  bool move(double t, double t_next);

  std::vector<VehicleLoop*> vehicles_, by_switch_;  // the second by the time at which commands arrive
  std::unique_ptr<simulate::CoupledPlants> coupled_;
  Eigen::VectorXd x_, dx_;
  simulate::RungeKutta4 rk4_;
  std::optional<simulate::DormandPrince> adaptive_;
  std::vector<Vec6> loads_;
  bool measures_ = false;
  const VehicleLoop* failed_;
};

}  // namespace fathom::loop::internal
