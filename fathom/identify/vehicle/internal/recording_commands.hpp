#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fathom/dynamics/thruster.hpp"
#include "fathom/identify/vehicle/internal/recording_source.hpp"
#include "fathom/identify/vehicle/recording.hpp"
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
  /// Some thruster lags before a map, whose corners, as of a dead band, its force then turns at any time.
  bool turns_corners() const { return turns_corners_; }
  /// A first-order lag exactly, a motor or an axial flow by Runge-Kutta steps that are short against it.
  void advance(double dt);
  Vec6 wrench_b(const Vec6& nu_r_b) const;

 private:
  struct Thruster {
    dynamics::ThrusterModel model;
    bool is_first_order;  // and nothing else
    double dead_band;     // N
    double saturation;    // N
    double told, target, state, flow;
  };
  std::vector<Thruster> thrusters_;
  double voltage_, gain_;
  bool turns_corners_ = false;
};

/// What pushes a vehicle, as the rows of a channel tell it one after the other.
class Input {
 public:
  virtual ~Input() = default;
  /// The present row holds from now on.
  virtual void take(const Rows& rows) = 0;
  virtual void advance(double dt) = 0;
  virtual Vec6 wrench_b(const Vec6& nu_r_b) const = 0;
  /// ThrusterStates::turns_corners.
  virtual bool turns_corners() const { return false; }
  virtual bool is_known() const = 0;
  /// For Recording::commands: what holds now.
  virtual CommandRecord::Of kind() const = 0;
  virtual std::span<const double> commands() const { return {}; }
  /// Recording::asked and Recording::told of now; empty where there is nothing of the kind.
  virtual std::span<const double> asked() const { return {}; }
  virtual std::span<const double> told() const { return {}; }
  /// After the last row: throws InputError for what was wrong all along, adds what is merely odd.
  virtual void finish(const Rows& rows, Findings& warnings) const = 0;
};

/// Columns command_<thruster>, one for each thruster of the robot and no others.
class CommandedThrusters : public Input {
 public:
  /// Throws InputError if the thrusters of log and robot are not the same.
  CommandedThrusters(const Rows& rows, const model::Robot& robot, const model::Environment& environment,
                     double voltage);

  void take(const Rows& rows) override;
  void advance(double dt) override { states_.advance(dt); }
  Vec6 wrench_b(const Vec6& nu_r_b) const override { return states_.wrench_b(nu_r_b); }
  bool turns_corners() const override { return states_.turns_corners(); }
  bool is_known() const override { return unknown_ == 0; }
  /// A LaggedWrench knows neither a dead band nor a saturation of the command path.
  CommandRecord::Of kind() const override {
    return changes_forces_ ? CommandRecord::Of::none : CommandRecord::Of::thrusters;
  }
  std::span<const double> commands() const override { return last_; }
  std::span<const double> told() const override { return told_; }
  void finish(const Rows& rows, Findings& warnings) const override;

 private:
  struct Count {
    std::size_t rows = 0;
    int first_line = 0;
    double extreme = 0;  // the farthest command
  };
  struct Command {
    std::string name, unit;
    std::size_t column = 0;
    double min = 0, max = 0;  // what the map takes
    Count clamped, beyond;    // by little; by more than a log's rounding explains
    std::size_t at_end = 0, numbers = 0;
  };
  void judge(Command& command, double value, int line);

  ThrusterStates states_;
  std::vector<Command> commands_;
  bool changes_forces_;       // the command path does
  std::vector<double> told_;  // where there is a dead band
  std::vector<double> last_;  // command of each
  std::size_t rows_ = 0, unknown_ = 0;
};

/// X Y Z K M N. Without a command path the wrench acts as logged, until the next; with it, through the
/// thrusters of the robot: docs/identification.md eqs. 27 and 28.
std::unique_ptr<Input> logged_wrench(const Rows& rows);
std::unique_ptr<Input> commanded_wrench(const Rows& rows, const model::Robot& robot,
                                        const model::Environment& environment, double voltage);
/// surge sway heave roll pitch yaw, -1 to 1: eq. 29. `take` throws InputError for sticks beyond that.
std::unique_ptr<Input> pilot_axes(const Rows& rows, const model::Robot& robot,
                                  const model::Environment& environment, double voltage);

}  // namespace fathom::identify::internal
