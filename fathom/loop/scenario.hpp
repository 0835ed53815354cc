#pragma once
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "fathom/assembly/mating.hpp"
#include "fathom/control/command_series.hpp"
#include "fathom/control/joystick.hpp"
#include "fathom/control/pose_pid.hpp"
#include "fathom/dynamics/vehicle.hpp"
#include "fathom/geometry/pose.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/model/supply.hpp"
#include "fathom/simulate/contact.hpp"
#include "fathom/simulate/current_field.hpp"
#include "fathom/simulate/disturbance.hpp"
#include "fathom/simulate/ode.hpp"
#include "fathom/simulate/tether.hpp"
#include "fathom/trajectory/path.hpp"

namespace fathom::loop {

/// No thruster runs.
struct Drift {};

/// PID on the pose along the reference.
struct PidControl {
  control::PosePidOptions options;
  /// What the controller believes the vehicle to be, where that is not the robot that swims.
  std::optional<model::Robot> believed;
  /// What the feed-forward is computed with, where that is not the believed robot; the gains stay.
  std::optional<model::Robot> feed_forward_model = {};
};

/// Commands over time, whatever the vehicle does.
struct OpenLoop {
  enum class By { wrench, force, command, rpm, pwm };  ///< command: in the unit of each thruster's map
  By by = By::wrench;
  control::CommandSeries series;
};

/// Random pushes, as from a gamepad. Without limits: `share` of what the thrusters attain on each axis.
struct JoystickControl {
  control::JoystickOptions options;
  double share = 0.4;                    ///< a pilot in a tank is careful
  std::vector<int> axes = {0, 1, 2, 5};  ///< those with a limit of zero are given `share`
};

using Control = std::variant<Drift, PidControl, OpenLoop, JoystickControl>;

struct ThrusterFault {
  enum class Kind { dead, stuck, weak };
  std::size_t thruster = 0;
  Kind kind = Kind::dead;
  double at = 0;                        ///< s
  double factor = 0.5;                  ///< weak: of the force that it would give
  std::optional<double> known_at = {};  ///< s, from when on the allocation reckons with it; never where absent
};

struct SensorFault {
  enum class Kind { silent, frozen };
  std::size_t sensor = 0;  ///< index into the robot's sensors
  Kind kind = Kind::silent;
  double at = 0, until = 0;  ///< s
};

struct VehicleScenario {
  std::string name;
  model::Robot robot;
  std::string robot_file;
  model::Dof dof = model::Dof::six;
  dynamics::State start = {};
  double voltage = model::usual_voltage;  ///< V of the supply, for thruster maps that depend on it
  double command_delay = 0;               ///< s, from a command to when the thrusters hear of it
  Control control = Drift{};
  std::optional<trajectory::Path> reference = {};
  std::vector<std::size_t> sensors = {};  ///< indices into the robot's sensors
  std::optional<simulate::TetherSpec> tether = {};
  std::optional<simulate::DisturbanceSpec> disturbance = {};
  std::vector<ThrusterFault> thruster_faults = {};
  std::vector<SensorFault> sensor_faults = {};
};

/// One end of a coupling: a place on a vehicle, where x points out of the hull.
struct CouplingEnd {
  std::size_t vehicle = 0;
  std::string connector = {};  ///< its name; empty where the scenario gives the pose itself
  Pose pose_b = {};
};

/// Two vehicles that can be made fast to each other.
struct CouplingScenario {
  std::string name;
  std::array<CouplingEnd, 2> ends;
  double turn = 0;                            ///< rad, about the x axis of the first end (assembly/mating.hpp)
  bool closed = false;                        ///< from the start
  std::optional<assembly::Latch> latch = {};  ///< closes it when the ends meet; never closes without
  double armed_from = 0;                      ///< s
  std::vector<double> opens_at = {};          ///< s, increasing
  /// Once it has opened the latch stays off; otherwise until the ends are apart by twice its distance.
  bool once = false;
};

/// Several vehicles steered as one, while they and no others hang together.
struct ClusterScenario {
  std::string name;
  std::vector<std::size_t> vehicles;  ///< the axes of the whole are those of the first
  Control control = Drift{};
  /// Of the common centre of mass, in the axes of the first vehicle; its clock starts when the cluster's
  /// control takes over. Way-points begin where the cluster then is.
  std::optional<trajectory::Path> reference = {};
};

struct Scenario {
  std::string name, title, file;
  double duration = 60;  ///< s
  /// s, between control updates and log rows, and the step of RK4. Vehicles move slowly against 100 Hz: the
  /// error of RK4 is then far below a sensor's noise.
  double step = 0.01;
  /// Adaptive steps within each control step where set.
  std::optional<simulate::DormandPrince::Options> adaptive;
  model::Environment environment = model::Environment();
  simulate::CurrentSpec current;
  std::optional<simulate::Tank> tank;
  Pose usbl_transceiver;  ///< in n
  std::vector<VehicleScenario> vehicles;
  std::vector<CouplingScenario> couplings = {};
  std::vector<ClusterScenario> clusters = {};
};

/// The same connector, or the same place, of one vehicle: it holds one coupling at a time.
bool is_same_place(const CouplingEnd& a, const CouplingEnd& b);
/// For people: vehicle.connector, or the vehicle and where on it.
std::string name_of(const CouplingEnd& end, const Scenario& scenario);

/// Reads a scenario file (docs/scenario-file.md). Robots without a path are looked up in `robot_folders`; a
/// path is relative to the scenario. Throws InputError that lists everything wrong with it.
Scenario read_scenario(const std::filesystem::path& path,
                       const std::vector<std::filesystem::path>& robot_folders);
Scenario parse_scenario(const std::string& text, const std::string& file,
                        const std::vector<std::filesystem::path>& robot_folders);
/// Returns the JSON schema of scenario files.
nlohmann::ordered_json scenario_schema();

}  // namespace fathom::loop
