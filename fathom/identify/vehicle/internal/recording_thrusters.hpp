#pragma once
#include <cstddef>
#include <vector>

#include "fathom/dynamics/thruster.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::identify::internal {

/// The thrusters of a robot under commands that hold until the next: docs/model.md eqs. 25 to 36.
/// They begin at rest, with their neutral commands.
class ThrusterStates {
 public:
  ThrusterStates(const model::Robot& robot, const model::Environment& environment, double voltage);

  std::size_t size() const { return thrusters_.size(); }
  /// What thruster k is told from now on; beyond its range it is clamped.
  void command(std::size_t k, double value);
  /// The same by the force [N] that its map says.
  void ask(std::size_t k, double force);
  /// The force [N] that thruster k was told, before its dead band and lag; of thrusters without a map.
  double told(std::size_t k) const { return thrusters_[k].told; }
  bool lag() const;  ///< some thruster does
  /// A first-order lag exactly, a motor or an axial flow by Runge-Kutta steps that are short against it.
  void advance(double dt);
  Vec6 wrench_b(const Vec6& nu_r_b) const;

 private:
  struct Thruster {
    dynamics::ThrusterModel model;
    bool is_first_order;  // and nothing else
    double dead_band;     // N
    double told, target, state, flow;
  };
  std::vector<Thruster> thrusters_;
  double voltage_, gain_;
};

}  // namespace fathom::identify::internal
