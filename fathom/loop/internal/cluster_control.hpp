#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fathom/dynamics/allocation.hpp"
#include "fathom/log/sink.hpp"
#include "fathom/loop/internal/couplings.hpp"
#include "fathom/loop/internal/tracking.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/loop/statistics.hpp"

namespace fathom::loop::internal {

/// Steers several vehicles as one, while they and no others hang together: the controller takes them for the
/// robot that assembly::merge makes of them as they met, and shares its wrench out to all their thrusters. Only
/// taking over allocates.
class ClusterControl {
 public:
  /// All must outlive it.
  ClusterControl(const Scenario& scenario, const ClusterScenario& cluster,
                 std::span<const std::unique_ptr<VehicleLoop>> vehicles, std::uint64_t seed, log::Sink& sink,
                 std::vector<Event>& events);

  /// Others hang together than before: takes over or lets go.
  void regroup(double t, const Couplings& couplings);
  bool is_in_charge() const { return whole_.has_value(); }
  /// Faults, control and log of its vehicles at t, while in charge.
  void steer(double t, double dt);
  /// The last row of the log.
  void finish(double t);

  ClusterStatistics statistics() const;

 private:
  /// What is known once the vehicles hang together.
  struct Whole {
    // clang 14 does not see a default one within the class around it.
    // NOLINTNEXTLINE(modernize-use-equals-default)
    Whole() {}
    double since = 0;                                   // s
    Pose pose_first = {};                               // of the whole in the first vehicle
    Mat6 H_first = Mat6::Identity();                    // nu_c = H nu_0
    Mat6X B = Mat6X(6, 0);                              // of all thrusters, at the whole
    std::optional<dynamics::Allocator> allocator = {};  // none without thrusters
    std::optional<dynamics::Allocator::Workspace> allocation = {};
    std::optional<control::PosePid> pid = {};
    std::optional<control::Joystick> joystick = {};
    std::optional<trajectory::Path> path = {};
    std::vector<double> forces = {};
  };

  void take_over(double t);
  void make_control(const model::Robot& merged, std::span<const model::ForceRange> limits);
  dynamics::State state() const;
  void take_limits();
  void command(double t, double dt);
  void command_wrench(const Vec6& tau_c);
  void command_forces(double t, const OpenLoop& open_loop);
  void log(double t);
  std::string names() const;

  const Scenario* scenario_;
  const ClusterScenario* cluster_;
  std::vector<VehicleLoop*> vehicles_;
  std::uint64_t seed_;
  log::Sink* sink_;
  std::vector<Event>* events_;
  std::size_t state_ = 0, reference_channel_ = 0, control_ = 0;  // channels

  std::optional<Whole> whole_;
  dynamics::State at_;
  trajectory::Reference reference_;
  Vec6 demanded_c_ = Vec6::Zero(), achieved_c_ = Vec6::Zero();
  bool saturated_ = false;

  TrackingSum tracking_;
  double in_charge_ = 0;
  long steps_ = 0, saturated_steps_ = 0;
};

}  // namespace fathom::loop::internal
