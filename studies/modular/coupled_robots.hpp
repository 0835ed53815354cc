#pragma once
#include <vector>

#include "fathom/model/environment.hpp"
#include "fathom/simulate/coupled_plants.hpp"

namespace fathom::studies {

/// Robots in a row, each held rigidly by the next, that swim step by step; they begin at rest at t = 0.
class CoupledRobots {
 public:
  struct Member {
    model::Robot robot;
    Pose pose = {};  ///< in the frame of the first
  };

  explicit CoupledRobots(const std::vector<Member>& members,
                         const model::Environment& environment = model::Environment(),
                         model::Dof dof = model::Dof::six);
  CoupledRobots(const CoupledRobots&) = delete;
  CoupledRobots& operator=(const CoupledRobots&) = delete;
  ~CoupledRobots() = default;

  /// Begins anew at t = 0 with the first robot as given, the others in their places.
  void begin(const dynamics::State& first);
  /// One step of Runge and Kutta with commands and disturbances as they are.
  void step(double dt);

  double time() const { return t_; }
  std::size_t size() const { return plants_.size(); }
  simulate::Plant& plant(std::size_t k) { return plants_[k]; }
  dynamics::State state(std::size_t k) const;
  double roll(std::size_t k) const;  ///< rad
  /// The largest misfit of a coupling that a step has left, before it was taken away.
  const assembly::Misfit& largest_drift() const { return coupled_.largest_drift(); }

 private:
  std::vector<simulate::Plant> plants_;
  simulate::CoupledPlants coupled_;
  simulate::RungeKutta4 integrator_;
  Eigen::VectorXd x_;
  double t_ = 0;
};

/// Deep enough that nothing comes near the surface.
dynamics::State at_rest_under_water(const Quat& q_nb = Quat::Identity());

/// The robot with these diagonals at its only drag element.
model::Robot with_damping(const model::Robot& robot, const Vec6& linear, const Vec6& quadratic);

}  // namespace fathom::studies
