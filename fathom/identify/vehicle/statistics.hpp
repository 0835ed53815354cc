#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fathom/dynamics/vehicle.hpp"
#include "fathom/identify/vehicle/fit.hpp"
#include "fathom/model/identified.hpp"
#include "fathom/solve/conic.hpp"

namespace fathom::identify {

using ResidualStatistics = model::IdentifiedParameters::Residual;
using DataRange = model::IdentifiedParameters::Range;

/// The wrench that a model leaves unexplained of recordings.
struct UnexplainedWrench {
  std::optional<ResidualStatistics> statistics = {};  ///< none where every recording is too short by itself
  std::vector<std::string> too_short = {};            ///< names of the recordings that are left out for that
};

/// Returns rms and correlation time of the wrench that a model leaves unexplained of recordings, blurred by
/// `options.blur`. The correlation time is that of the first-order process with the same power at low
/// frequency, which is what moves a vehicle. Rows of the structure are those of its parameters `theta`; of
/// velocities that it holds (roll and pitch in 4-DoF) those of `robot` in 6-DoF, and the motion is level, as
/// that of a prediction is. `at`: delay and current of each recording. If `are_fitted`, the rms allows for the
/// parameters that were fitted to the same rows.
UnexplainedWrench residual_statistics(std::span<const Recording> recordings, std::span<const Nuisance> at,
                                      const model::Structure& structure, const Eigen::VectorXd& theta,
                                      const model::Robot& robot, const model::Environment& environment,
                                      RegressionOptions options, bool are_fitted);

/// Returns the extremes of wrench, thruster commands, velocity relative to the
/// water and attitude over the usable samples; `at`: the current of each
/// recording.
DataRange range_of(std::span<const Recording> recordings, std::span<const Nuisance> at);

/// Learns what extrapolation costs: for each free velocity the parameters are fitted to the samples in the
/// lower half of its wrench and speed, and predict its wrench in the upper half. Returns the ratio of the rms
/// errors, extended to twice the range; at least 1, and 2 where either half has too few samples.
Vec6 extrapolation_factors(const Regression& regression, const Nuisance& at, const Eigen::VectorXd& row_sigma,
                           const solve::ConicSet& constraints);

/// Returns the degrees of freedom of the estimate that the robot carries: six where it has a term of roll or
/// pitch.
model::Dof dof_of_estimate(const model::Robot& robot);

/// What is recorded of the data that a model comes from.
struct DataStatistics {
  std::optional<ResidualStatistics> residual = {};
  std::optional<DataRange> range = {};
  std::optional<model::IdentifiedParameters::Baseline> baseline = {};
  std::vector<std::string> too_short = {};  ///< names of the recordings that `residual` leaves out
};

/// Returns the statistics of recordings at these delays and currents. `extrapolation`: as
/// extrapolation_factors() has it; absent: that of the robot, or 2.
DataStatistics statistics_of(const model::Robot& robot, const model::Environment& environment,
                             std::span<const Recording> recordings, std::span<const Nuisance> at,
                             const RegressionOptions& options, bool are_fitted,
                             const std::optional<Vec6>& extrapolation = {});
/// Returns those that the robot carries.
DataStatistics stored_statistics(const model::Robot& robot);
/// Returns the robot with these; one without an estimate cannot carry any.
model::Robot with_statistics(const model::Robot& robot, const DataStatistics& statistics);

/// One quantity of a prediction that lies beyond the range of the data.
struct BeyondRange {
  std::string name;  ///< such as "sway wrench"
  std::string unit;
  double value = 0;            ///< the one that is farthest beyond
  double least = 0, most = 0;  ///< the range
  std::size_t samples = 0;     ///< that are beyond
};

/// Where a recording leaves the range of the data that a model of those degrees of freedom comes from.
struct RangeCheck {
  std::vector<BeyondRange> beyond;
  /// 6 x samples, at least 1: by what the band of each velocity is wider than inside the range. A sample beyond
  /// the range counts for the seconds after it, too, while the vehicle forgets it.
  Mat6X widening;
};
RangeCheck check_range(const DataRange& range, const Recording& recording, const model::Robot& robot,
                       model::Dof dof, const Vec3& current_n);

/// Watches which quantities of a motion leave the range of the data that a
/// model comes from.
class RangeMonitor {
 public:
  RangeMonitor(const DataRange& range, const model::Robot& robot, model::Dof dof);

  /// One instant of the motion; `commands` may be empty.
  struct Sample {
    Vec6 tau_b, nu_r_b;
    Quat q_nb;
    std::span<const double> commands;
  };
  /// Takes a sample, and returns by how many half ranges it is beyond in what
  /// concerns each of [u v w p q r].
  Vec6 add(const Sample& sample);
  /// Returns the quantities that were beyond, of the samples so far.
  std::vector<BeyondRange> beyond() const;

 private:
  struct Quantity {
    std::string name, unit;
    double least = 0, most = 0, half = 1;
    Vec6 concerns = Vec6::Zero();  ///< share of the excess that counts for each velocity
    double scale = 1;              ///< from its unit to that which is shown
    int source = 0;                ///< place among wrench, velocity, roll and pitch
    std::size_t samples = 0;
    double value = 0, farthest = 0;
  };
  void judge(Quantity& quantity, double value, Vec6& excess);

  std::vector<Quantity> motion_;    ///< wrenches, velocities, roll and pitch
  std::vector<Quantity> commands_;  ///< of each thruster
};

}  // namespace fathom::identify
