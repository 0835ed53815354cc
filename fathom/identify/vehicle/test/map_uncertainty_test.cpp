#include "fathom/identify/vehicle/map_uncertainty.hpp"

#include <gtest/gtest.h>

#include "fathom/identify/vehicle/test/recording_logs.hpp"
#include "fathom/model/candidates.hpp"

namespace fathom::identify::map_uncertainty_test {
namespace {

using model::ActsOn;
using model::ForceTable;
using model::ThrusterMap;

constexpr double voltage = 16;

/// A map of the robot on a few points, with a scatter of 1 %, plus and minus in turn.
ThrusterMap table_of(const ThrusterMap& map, std::vector<double> voltages) {
  ThrusterMap out = map;
  ForceTable table;
  table.voltages = std::move(voltages);
  for (int k = -10; k <= 10; ++k) table.commands.push_back(0.1 * k);
  table.commands[10] = 0;
  for (std::size_t v = 0; v < table.voltages.size(); ++v) {
    table.forces.emplace_back();
    for (std::size_t k = 0; k < table.commands.size(); ++k)
      table.forces.back().push_back((k % 2 == 0 ? 1.01 : 0.99) *
                                    model::force_of_command(map, table.commands[k], voltage));
  }
  out.law = table;
  return out;
}

model::Robot with_map(const ThrusterMap& map) {
  model::RobotSpec spec = test::heavy().spec();
  spec.sensors.clear();
  for (model::Thruster& thruster : spec.thrusters) {
    thruster.transient.reset();
    thruster.transient_name.clear();
    thruster.map = map;
  }
  return model::Robot::make(std::move(spec));
}

class MapCovariance : public testing::Test {
 protected:
  MapCovariance() {
    RecordingOptions how;
    how.sensors = {"state"};
    how.voltage = voltage;
    const model::Robot robot = with_map(formula());
    recordings_ = {make_recording(test::swim(robot, 20, 0.005).log, "swim", robot, model::Environment(), how)};
  }

  static ThrusterMap formula() { return *test::heavy().thrusters().front().map; }

  Eigen::VectorXd sigma(const ThrusterMap& map, ThrusterLag lag = {}, double thrust_sigma = 0) const {
    const model::Structure structure = model::candidate("diagonal", test::heavy());
    const Regression regression(structure, recordings_);
    FitOptions options;
    options.thrust_sigma = thrust_sigma;
    const Fit fitted = fit(regression, {static_cast<int>(structure.size()), {}, {}}, options);
    MapOptions only;
    only.unit_sigma = only.position_sigma = 0;
    return map_covariance(regression, fitted, options, with_map(map), model::Environment(), lag, only)
        .diagonal()
        .cwiseSqrt();
  }
  /// rms of the parameters' sigmas, relative to those of another map.
  double ratio(const ThrusterMap& map, const ThrusterMap& to, ActsOn acts_on) const {
    const Eigen::VectorXd a = sigma(map, {0.1, acts_on}), b = sigma(to, {0.1, acts_on});
    return std::sqrt(a.cwiseQuotient(b).squaredNorm() / static_cast<double>(a.size()));
  }

  std::vector<Recording> recordings_;
};

/// Nothing says how well a formula fits: a common gain of 1 % is a default, unless the caller states one.
TEST_F(MapCovariance, OfAFormulaIsACommonGain) {
  const model::Structure structure = model::candidate("diagonal", test::heavy());
  const Regression regression(structure, recordings_);
  const Eigen::VectorXd theta = fit(regression, {static_cast<int>(structure.size()), {}, {}}).theta;
  const Eigen::VectorXd share = sigma(formula()).cwiseQuotient(theta.cwiseAbs());
  for (const Eigen::Index k : {0, 1, 2, 3}) EXPECT_NEAR(share[k], 0.01, 5e-4) << k;
  EXPECT_TRUE(sigma(formula(), {}, 0.02).isZero(0));
}

/// Points of one force move together: one that rises alone would turn the corner beside it into a bend.
TEST_F(MapCovariance, CountsThePointsOfAShelf) {
  ThrusterMap level = table_of(formula(), {voltage}), slope = level;
  for (std::vector<double>& row : std::get<ForceTable>(level.law).forces)
    for (std::size_t k = 12; k + 1 < row.size(); k += 2) row[k + 1] = row[k];
  for (std::vector<double>& row : std::get<ForceTable>(slope.law).forces)
    for (std::size_t k = 12; k + 1 < row.size(); k += 2) row[k + 1] = 1.01 * row[k];
  for (const ActsOn acts_on : {ActsOn::force, ActsOn::shaft}) {
    EXPECT_GT(ratio(level, slope, acts_on), 0.7) << name_of(acts_on);
    EXPECT_LT(ratio(level, slope, acts_on), 1.6) << name_of(acts_on);
  }
}

/// Rows of a table at voltages that no log had do not count.
TEST_F(MapCovariance, IsThatOfTheVoltagesOfTheLogs) {
  const ThrusterMap one = table_of(formula(), {voltage}), several = table_of(formula(), {10, voltage, 18, 20});
  EXPECT_LT((sigma(one) - sigma(several)).cwiseAbs().maxCoeff(), 1e-9 * sigma(one).maxCoeff());
}

}  // namespace
}  // namespace fathom::identify::map_uncertainty_test
