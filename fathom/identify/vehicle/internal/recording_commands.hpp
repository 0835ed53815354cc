#pragma once
#include <span>
#include <string>
#include <vector>

#include "fathom/identify/vehicle/internal/recording_source.hpp"
#include "fathom/identify/vehicle/internal/recording_thrusters.hpp"

namespace fathom::identify::internal {

/// What pushes a vehicle, as the rows of a channel tell it one after the other.
class Input {
 public:
  virtual ~Input() = default;
  /// The present row holds from now on.
  virtual void take(const Rows& rows) = 0;
  virtual void advance(double dt) = 0;
  virtual Vec6 wrench_b(const Vec6& nu_r_b) const = 0;
  virtual bool is_known() const = 0;
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
  bool is_known() const override { return unknown_ == 0; }
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
  std::vector<double> told_;  // where there is a dead band
  std::size_t rows_ = 0, unknown_ = 0;
};

}  // namespace fathom::identify::internal
