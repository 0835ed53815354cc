#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fathom/dynamics/arm_regressor.hpp"
#include "fathom/excite/arm/series.hpp"
#include "fathom/excite/problem.hpp"

namespace fathom::excite {

/// What an arm is to be moved for, and how. Limits are those of the arm: ranges, speeds, accelerations and
/// efforts of its joints, speeds, accelerations and currents of its motors (Leborne et al. 2018, Table III).
struct ArmProblem {
  explicit ArmProblem(model::Arm of) : arm(std::move(of)) {}

  std::string name, title, file;
  model::Arm arm;  ///< as it moves: without the joints that are held, with the limits that the problem states
  std::string arm_file;
  model::Environment environment;
  dynamics::Medium medium = dynamics::Medium::water;  ///< for the efforts of the nominal model
  Vec3 down_b = Vec3::UnitZ();
  dynamics::ArmColumns columns;      ///< what is to be shown
  ArmSpace space = ArmSpace::joint;  ///< motor: limits of the motors are then the linear ones
  int harmonics = 5;                 ///< as Leborne et al.
  double period = 80;                ///< s, likewise
  int samples = 80;                  ///< of a period, at which the criterion is summed: 16 to the fastest sine
  Criterion criterion = Criterion::condition;
  bool in_current = false;  ///< rows over K(q), as what is measured is a current; else efforts
  double noise = 0.05;      ///< N m, N or A: standard deviation of one sample of what is measured
  int starts = 20;
  int iterations = 60;                    ///< of each start at most: later ones gain less than other starts do
  std::vector<std::string> held = {};     ///< joints that stand still, in words: "joint-4 at 0"
  std::map<std::string, int> lines = {};  ///< of the file, by key

  /// Throws InputError that says what is wrong.
  void check() const;
  /// Throws InputError at the place of a key in the file, if there is one.
  [[noreturn]] void reject(const std::string& key, const std::string& message,
                           const std::string& hint = "") const;
};

/// Reads the problem file of an arm (docs/problem-file.md). Arms without a path are looked up in `arm_folders`;
/// a path is relative to the file. `period` replaces the file's. Throws InputError that lists what is wrong.
ArmProblem parse_arm_problem(const std::string& text, const std::string& file,
                             const std::vector<std::filesystem::path>& arm_folders,
                             std::optional<double> period = {});

/// Returns the regressor of the nominal arm in its medium.
dynamics::ArmRegressor regressor_of(const ArmProblem& problem, const dynamics::ArmColumns& columns);

/// What a limit holds, and which.
enum class ArmLimit {
  position,
  joint_speed,
  joint_acceleration,
  effort,
  motor_speed,
  motor_acceleration,
  current
};
std::string to_string(ArmLimit limit);

/// How near a motion comes to one limit of one joint, at its nearest.
struct ArmMargin {
  std::size_t joint = 0;
  ArmLimit limit = ArmLimit::position;
  double reached = 0, allowed = 0;                        ///< of a position: from the middle of the range
  double share() const { return 1 - reached / allowed; }  ///< negative beyond it
};

/// A motion at some instants; instants x joints.
struct ArmTrace {
  Eigen::VectorXd t;                       ///< s
  Eigen::MatrixXd shaft;                   ///< rad, of the motors; of a joint without one its coordinate
  std::array<Eigen::MatrixXd, 7> limited;  ///< what limits hold, in the order of ArmLimit; zero without a motor

  const Eigen::MatrixXd& of(ArmLimit limit) const { return limited[static_cast<std::size_t>(limit)]; }
};
/// Efforts and currents are those of the nominal arm in its medium, friction and motors among them as far as
/// the problem has columns for them.
ArmTrace arm_trace(const ArmProblem& problem, const ArmPath& path, const Eigen::VectorXd& t,
                   const ArmClock& clock = {});
/// `count` even instants of a period, from 0 on.
Eigen::VectorXd instants_of_period(const ArmProblem& problem, int count);

/// What a joint may reach, infinite where there is no limit; of a position: from the middle of the range.
double allowed_of(const model::Joint& joint, ArmLimit limit);
/// rad, rad/s^2, A and so on, of a joint or its motor.
std::string unit_of(const model::Joint& joint, ArmLimit limit);

/// Margins to all finite limits at the instants of a trace.
std::vector<ArmMargin> arm_margins(const ArmProblem& problem, const ArmTrace& trace);
/// The least of them; infinite where there are none.
double least_share(const std::vector<ArmMargin>& margins);

}  // namespace fathom::excite
