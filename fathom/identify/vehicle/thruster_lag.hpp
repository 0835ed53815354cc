#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fathom/dynamics/thruster.hpp"
#include "fathom/identify/vehicle/recording.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::identify {

/// A first-order lag that all thrusters share. Where a robot file gives them different ones, it is their mean,
/// and their ratios stay.
struct ThrusterLag {
  double time_constant = 0;  ///< s; 0: none
  model::ActsOn acts_on = model::ActsOn::force;
  bool operator==(const ThrusterLag&) const = default;
};

/// What a robot file says of its thrusters' lag.
struct StatedLag {
  std::optional<double> time_constant;  ///< s; empty where it gives none
  std::optional<double> sigma;          ///< s
  std::optional<model::ActsOn> acts_on;
  /// Wrench or command: does it matter what the lag acts on? Not where no thruster has a map.
  bool has_kinds = true;
};

/// Empty where thrusters have a motor or an axial flow, which this does not replace, or recordings have not
/// kept what a wrench is made of.
std::optional<StatedLag> stated_lag(const model::Robot& robot, std::span<const Recording> recordings);

/// What the thrusters of a robot do by its file; no lag where it gives none.
ThrusterLag lag_of(const model::Robot& robot);

/// The robot with this lag on all its thrusters; `sigma` [s] and `source` go along.
model::Robot robot_with_lag(const model::Robot& robot, const ThrusterLag& lag, std::optional<double> sigma = {},
                            const std::string& source = {});

/// Makes what thrusters with one lag push, from the commands that a recording keeps: of each of its samples the
/// mean over dt. docs/identification.md eqs. 38 and 39. Immutable; threads share it.
class LaggedWrench {
 public:
  LaggedWrench(const model::Robot& robot, const model::Environment& environment, const ThrusterLag& lag);

  /// The same with `other` in the place of the map `of`, which has no shaft, in every thruster that has it.
  /// `other` is not checked: it may be a table of which one point was moved for a slope.
  LaggedWrench with_map(const model::ThrusterMap& of, const model::ThrusterMap& other) const;

  /// The forces of all thrusters [N], a row each; of a log of wrenches that wrench itself.
  void forces(const Recording& recording, Eigen::MatrixXd& out) const;
  /// What turns the rows of `forces` into a wrench, with the gain of the command path.
  Mat6X columns(const Recording& recording) const;
  Mat6X wrench_b(const Recording& recording) const;

 private:
  struct Unit {
    dynamics::ThrusterModel model;
    double neutral, time_constant;
    bool is_linear;   // the force is the state: its mean has a closed form
    std::size_t map;  // of maps_; beyond their end where there is none, or one with a shaft
  };
  /// A map without shaft on an even grid from its least command, with its integral by the command.
  class Sampled;
  void thruster_forces(const Recording& recording, Eigen::MatrixXd& out) const;
  void lagged_wrench(const Recording& recording, Eigen::MatrixXd& out) const;
  /// Sets `out` to the impulse [N s] of a thruster in each sample; `map` is its own, where the lag is before
  /// it.
  void add_impulses(std::size_t thruster, const Recording& recording, const Sampled* map,
                    Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>> out) const;

  std::vector<Unit> units_;
  std::vector<model::ThrusterMap> maps_;  // without a shaft, each once
  double gain_, time_constant_;
  bool is_before_map_;
};

/// Puts the wrench under this lag in the place of `tau_b` of all recordings.
void set_lag(std::span<Recording> recordings, const model::Robot& robot, const model::Environment& environment,
             const ThrusterLag& lag);

}  // namespace fathom::identify
