#include "studies/thrusters/thruster_bench.hpp"

#include <cmath>

#include "fathom/base/error.hpp"
#include "fathom/log/number_table.hpp"

namespace fathom::studies {
namespace {

constexpr Eigen::Index thrust_column = 15, tachometer_column = 20;  // from 0
constexpr double rad_s_per_volt = 49.9723;                          // of the tachometer
constexpr Eigen::Index samples_of_zero = 500;

/// What the data's own description says of a run: its command, when that leaves the dead band, and the edge.
struct Told {
  const char* file;
  double volts, leaves_dead_band, edge;
};

identify::BenchRun read_run(const std::filesystem::path& folder, const Told& told) {
  const log::NumberTable table = log::read_number_table(folder / told.file);
  if (table.values.cols() <= tachometer_column || table.values.rows() <= samples_of_zero)
    reject(table.file, 0, "", "is no run of the bench: too few columns or lines");
  const auto from_zero = [&](Eigen::Index column) {
    const Eigen::VectorXd series = table.values.col(column);
    return Eigen::VectorXd(series.array() - series.head(samples_of_zero).mean());
  };
  identify::BenchRun run{.name = told.file,
                         .volts = told.volts,
                         .dt = 1e-3,
                         .leaves_dead_band = told.leaves_dead_band,
                         .edge = told.edge};
  run.thrust = -from_zero(thrust_column);
  run.speed = rad_s_per_volt * from_zero(tachometer_column);
  run.switched_off = identify::time_of_switching_off(run);
  return run;
}

double begin_of_ramp(const identify::BenchRun& run, const identify::ThrusterDynamics& model) {
  return run.leaves_dead_band - model.ramp * run.edge / std::abs(run.volts);
}

}  // namespace

ThrusterBench read_thruster_bench(const std::filesystem::path& folder) {
  const log::NumberTable steady = log::read_number_table(folder / "Steady_State_Data.csv");
  if (steady.values.cols() < 4) reject(steady.file, 0, "", "must have voltage, thrust, torque and speed");
  std::vector<identify::SteadyPoint> points;
  for (const auto& row : steady.values.rowwise()) points.push_back({row[0], row[1], row[3]});
  return {identify::fit_steady_laws(points), read_run(folder, {"2statep3V.csv", 3, 4.3, 0.86}),
          read_run(folder, {"2statem2V.csv", -2, 4.55, 0.83})};
}

identify::BenchRun with_end_of(identify::BenchRun run, const identify::BenchRun& other,
                               const identify::ThrusterDynamics& model) {
  run.switched_off = begin_of_ramp(run, model) + other.switched_off - begin_of_ramp(other, model);
  return run;
}

}  // namespace fathom::studies
