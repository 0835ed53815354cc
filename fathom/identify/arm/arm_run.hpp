#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "fathom/base/error.hpp"
#include "fathom/identify/arm/run_guard.hpp"
#include "fathom/log/number_table.hpp"
#include "fathom/model/arm.hpp"

namespace fathom::identify {

/// How the angle of a motor's shaft becomes the position of its joint.
struct ShaftCounter {
  model::Transmission transmission;
  double q_guess = 0;         ///< on the side of the lever's triangle where the joint is
  double half_increment = 0;  ///< rad of the shaft: a counter rounds down, so it reads half of one too little
};
/// By joint; without: the joint has no motor and is its own shaft. Throws InputError where no joint has one.
std::vector<std::optional<ShaftCounter>> shaft_counters(const model::Arm& arm);

/// One run of an arm: a row per sample, a column per joint.
struct ArmRun {
  std::string name;
  Eigen::VectorXd times;              ///< s
  Eigen::MatrixXd q;                  ///< rad, m
  Eigen::MatrixXd dq = {}, ddq = {};  ///< empty until prepare()
  Eigen::MatrixXd effort = {};        ///< N m, N or A, as measured; never filtered
  /// What the controller wanted, in units of `effort` and in N m; both or neither. drive_gain.hpp.
  Eigen::MatrixXd wanted_effort = {}, wanted_torque = {};

  /// Not empty: `q` are the angles of the motors' shafts, rad, which prepare() filters and then takes through
  /// the transmissions. A lever bends one against the other, and what was counted is the shaft.
  std::vector<std::optional<ShaftCounter>> shafts = {};

  std::vector<Eigen::Index> breaks = {};  ///< samples before which something is missing, rising
  std::string file = {};                  ///< that it was read from, for messages; else empty
  // What was done to it.
  std::vector<RunOutlier> outliers = {};  ///< whose rows were left out
  /// Share of the positions that repeat the one before although the joint moves (a reader that is faster than
  /// its sensor); prepare() takes only the first of them for a measurement.
  double held = 0;
  std::vector<std::string> warnings = {};  ///< of prepare(), a sentence each
  std::size_t repeated = 0;  ///< rows left out whose time does not rise, or that repeat the row before
  std::size_t trimmed = 0;   ///< samples left out at ends, which a filter does not see on both sides
  double uneven = 0;         ///< s, the most that the step between samples is off its median

  Eigen::Index samples() const { return times.size(); }
  /// Returns the file, or the name where the run came from memory.
  const std::string& place() const { return file.empty() ? name : file; }
  bool prepared() const { return ddq.rows() == times.size() && ddq.size() > 0; }
};

/// Which columns of a table are what. What is empty is looked for by usual names: t, t_s or time; `q.JOINT` or
/// q1, q2 .., and where there is none of these `shaft.JOINT` or shaft1, shaft2 ..; `effort.JOINT` or tau1, tau2
/// .. or i1, i2 ..
struct ArmRunColumns {
  std::string time;
  std::vector<std::string> q, shaft;  ///< one of them: positions of joints, or angles of their motors' shafts
  std::vector<std::string> effort;
  std::vector<std::string> wanted_effort, wanted_torque;
};
/// "time=t,q=q1..q7,effort=tau1..tau7" (also shaft, wanted_effort and wanted_torque): a name, or the first and
/// last of names that differ in their last number. Throws InputError that names `option`.
ArmRunColumns parse_arm_columns(const std::string& text, const std::string& option);

/// Throws InputError that names the joint and the columns that there are, where one has no column.
ArmRun arm_run(const log::NumberTable& table, const model::Arm& arm, const ArmRunColumns& columns = {});
ArmRun read_arm_run(const std::filesystem::path& file, const model::Arm& arm,
                    const ArmRunColumns& columns = {});

/// Samples `from` to before `until`, of a run that has been prepared or not.
ArmRun part_of(const ArmRun& run, Eigen::Index from, Eigen::Index until);

struct ArmRunOptions {
  /// zero_phase: Butterworth's filter forward and backward, then central differences (Leborne et al. 2018).
  /// spline: a smoothing spline of degree 5 for each joint, its smoothing by generalised cross-validation.
  enum class Derivatives { zero_phase, spline } derivatives = Derivatives::zero_phase;
  int order = 3;
  double cutoff_hz = 10;  ///< well above the motion, well below half the rate
  double gap = 5;         ///< of the median step: a longer one is a gap, and no filter runs across it
};
/// Adds velocities and accelerations. Positions are replaced by filtered ones, shaft angles by the positions of
/// their joints; times and efforts stay as they are. Where samples are not evenly spaced the filter sees cubic
/// interpolation at even times, and its result is taken back. Throws InputError where no piece of the run is
/// long enough, or no joint position has a shaft's angle.
ArmRun prepare(const ArmRun& run, const ArmRunOptions& options = {});

}  // namespace fathom::identify
