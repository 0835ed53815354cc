#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fathom/identify/tank/tank.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/task/context.hpp"
#include "fathom/task/result.hpp"

namespace fathom::task {

/// Options of identify_towing() and identify_decay(); keys are the flags of `fathom identify`.
struct TankOptions {
  std::string campaign = {};  ///< file that names the runs of a campaign in the tank (docs/tank-tests.md)
  std::string robot = {};     ///< to put the result into, by name or path; empty: no robot file is written
  std::optional<double> density = {};  ///< kg/m^3, for the restoring of the robot; absent: fresh water
};

/// A number with its 95 % interval.
struct TankEstimate {
  double estimate = 0;
  std::array<double, 2> interval_95 = {};
  IfAny<std::string> unit = {};

  double half_width() const { return (interval_95[1] - interval_95[0]) / 2; }
};

/// The numbers of a towing campaign, as summary.json has them.
struct TowingSummary {
  struct Bracket {
    double c1 = 0, c2 = 0;
  };
  struct Point {
    double speed = 0, force = 0, sigma = 0;
    std::size_t runs = 0;
    double law = 0, half_band = 0;
  };
  struct Law {
    TankEstimate c1, c2;
    Eigen::Matrix2d covariance;
    double degrees_of_freedom = 0, misfit = 0;
    std::vector<std::string> held_at_zero;
    std::vector<Point> points;
  };
  struct Run {
    std::string name;
    std::size_t rows_dropped = 0;
    IfAny<std::string> left_out = {};  ///< why it has no steady part
    IfAny<double> speed = {}, force = {}, sigma = {};
    IfAny<std::array<double, 2>> steady = {};  ///< s
    IfAny<double> effective_samples = {}, outlier_sigmas = {};
  };
  struct Supposed {
    std::string axis;
    double ratio = 0, linear = 0, quadratic = 0;
  };

  std::string version, command, what = "towing", name, axis;
  std::optional<Bracket> bracket;
  Law all;
  std::optional<Law> forward, backward;
  std::optional<double> same_both_ways;
  double run_sigma = 0;
  std::vector<Run> runs;
  std::vector<Supposed> supposed;  ///< axes that were not tested
  std::vector<std::string> files;
};

/// The numbers of free decays, as summary.json has them.
struct DecaySummary {
  struct Coefficient {
    double estimate = 0, sigma = 0;
  };
  struct Run {
    std::string name;
    double first_angle = 0, first_rate = 0, mse = 0;
  };

  std::string version, command, what = "decay", name, axis;
  ByName<TankEstimate> over_inertia;
  std::optional<ByName<Coefficient>> coefficients;  ///< where inertia or restoring is known
  std::vector<std::string> held_at_zero;
  double r2 = 0;
  bool converged = false;
  std::vector<Run> runs;
  std::vector<std::string> files;
};

template <class Summary, class Campaign, class Found>
struct TankResult : ResultOf<TankResult<Summary, Campaign, Found>, Summary> {
  std::string yaml;                        ///< result.yaml: coefficients, to paste or for another program
  std::optional<model::Robot> robot = {};  ///< with the result in it, where the options name one
  std::vector<std::filesystem::path> inputs = {};  ///< files that were read
  /// What the numbers come from, for plots; nothing in a result that was loaded.
  struct Evidence {
    Campaign campaign;
    Found found;
  };
  std::optional<Evidence> evidence = {};

  static constexpr bool has_page = true;

  report::Document report() const;
  std::vector<ResultFile> files() const;
  static TankResult load(const std::filesystem::path& folder);
};
using TowingResult = TankResult<TowingSummary, identify::TowingCampaign, identify::IdentifiedTowing>;
using DecayResult = TankResult<DecaySummary, identify::DecayCampaign, identify::IdentifiedDecay>;
template <>
report::Document TowingResult::report() const;
template <>
report::Document DecayResult::report() const;

/// Fits the drag of an axis to towing runs, and puts it into the robot of the options (docs/tank-tests.md).
/// Throws InputError where options, campaign or tables are bad.
TowingResult identify_towing(const TankOptions& options, const Context& context = {});
/// Fits restoring and damping about an axis to free decays, likewise.
DecayResult identify_decay(const TankOptions& options, const Context& context = {});

}  // namespace fathom::task
