#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/identify/thruster/bollard_table.hpp"
#include "fathom/identify/thruster/thruster.hpp"

namespace fathom::identify {

/// A run on a bench in still water: commands in time, each held until the next, and what came of them.
struct StepRun {
  std::string name;                            ///< of the file
  Eigen::VectorXd times;                       ///< s, rising
  Eigen::VectorXd commands;                    ///< in the unit of the bollard table
  std::optional<Eigen::VectorXd> speeds = {};  ///< rad/s, magnitudes
  std::optional<Eigen::VectorXd> forces = {};  ///< N
  std::string file = {};                       ///< that it was read from, for messages
};
/// Columns are found as those of a bollard table; `time` is one more role. Throws InputError for fewer than 20
/// rows, a time that does not rise, commands of another unit, or neither speed nor force.
StepRun step_run(const log::NumberTable& table, const ColumnChoice& choice, model::CommandUnit unit);

}  // namespace fathom::identify

namespace fathom::identify::internal {

class RotorMemory;

}  // namespace fathom::identify::internal

namespace fathom::identify {

/// How a thruster follows its command: what lags (docs/model.md eqs. 30, 34), and whether the water behind the
/// blades takes its time on top of that (eqs. 35, 36).
struct StepLaw {
  enum class Base { force, shaft, motor } base = Base::force;
  bool flow = false;
  bool operator==(const StepLaw&) const = default;
};
/// "force", "shaft", "motor", and the same with "+flow".
std::string name_of(const StepLaw& law);
/// All of them, those with fewer unknowns first.
const std::vector<StepLaw>& step_laws();
/// Throws InputError by the key `--law` for a name that is none.
StepLaw step_law_named(std::string_view name);

/// The numbers of a law, and those of the bench that it is measured on. What a law does not have is not used.
struct StepNumbers {
  double lag = 0;                           ///< s, of force or shaft
  model::MotorRates motor = {};             ///< of a motor
  model::AxialFlow flow = {};               ///< behind the blades
  double speed_scale = 1, force_scale = 1;  ///< of what the run shows over what the table says
  double tachometer_lag = 0, cell_lag = 0;  ///< s, of the instruments alone
  double delay = 0;                         ///< s, from the command to where anything moves
  /// A rotor that is no first-order lag: no law, but what a flow is doubted by, for it takes up what a lag
  /// misses.
  bool is_bent = false;
  double bend = 0;     ///< share of the load, at the largest speed told, that goes with the square of the speed
  double slowing = 1;  ///< rate of slowing down over that of speeding up
  double drive_lag = 0;  ///< s, of what drives the rotor: a second lag
  /// What no law has, to see what it would move: that is what a law may be wrong by.
  struct Left {
    double dry = 0;   ///< rad/s^2, friction of a motor
    double cell = 0;  ///< s, lag of the load cell
    /// The table may be wrong at one command: shares by which its steady pace, and its steady speed, are
    /// larger.
    double command = 0, pace = 0, speed = 0;
  } left = {};
};

struct StepResponse {
  Eigen::VectorXd speeds;  ///< rad/s, magnitudes; empty where the run or the table has none
  Eigen::VectorXd forces;  ///< N; empty where the run has none
};

/// A thruster under one law in still water, ready for any numbers: its steady laws at each command of a run.
class StepModel {
 public:
  /// Throws InputError, by the key `--law`, where the table or a run lacks what the law needs.
  StepModel(const IdentifiedThruster& thruster, const StepLaw& law, const std::vector<StepRun>& runs);

  const StepLaw& law() const { return law_; }
  /// What a robot file holds beside the law.
  const model::ThrusterMap& map() const { return map_; }
  /// Steady before the first command; commands are held from row to row.
  StepResponse simulate(std::size_t run, const StepNumbers& numbers,
                        internal::RotorMemory* memory = nullptr) const;
  model::Transient transient(const StepNumbers& numbers, const std::string& source) const;

 private:
  struct Goals {
    Eigen::VectorXd times;  // s
    Eigen::VectorXd dt;     // s, to the row before; dt[0] is 0
    Eigen::VectorXd commands;
    Eigen::VectorXd pace;    // what the force follows: force, shaft speed of the map, or volts
    Eigen::VectorXd speeds;  // rad/s, of the table, signed; empty where not asked for
    bool has_speeds = false, has_forces = false;
    bool is_one = false;  // the force follows the speeds of the table
  };
  Eigen::VectorXd paces(std::size_t run, const StepNumbers& numbers, internal::RotorMemory* memory) const;
  Eigen::VectorXd speeds(std::size_t run, const StepNumbers& numbers, internal::RotorMemory* memory) const;
  Eigen::VectorXd rotor(const Goals& goals, const Eigen::VectorXd& goal, const StepNumbers& numbers) const;

  StepLaw law_;
  model::ThrusterMap map_;
  model::ThrustSides thrust_{{1, 0}, {1, 0}};  // of the root of a force it is the force
  std::vector<Goals> goals_;
  double most_ = 0;  // largest pace told; its root where it is a force
};

/// Why the law cannot be had from this table and these runs; empty where it can.
std::string why_not(const IdentifiedThruster& thruster, const StepLaw& law, const std::vector<StepRun>& runs);
/// Whether the table tells shaft speeds on both sides.
bool knows_speed(const IdentifiedThruster& thruster);

}  // namespace fathom::identify
