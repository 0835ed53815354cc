#include "fathom/identify/commanded/commanded_run.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <Eigen/LU>
#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/filter/zero_phase.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/identify/commanded/internal/linear_series.hpp"

namespace fathom::identify {
namespace {

/// Some columns of a channel, a sample per column.
struct Samples {
  std::vector<double> t;
  Eigen::MatrixXd values;
};

Samples samples_of(const log::Channel& channel, Eigen::Index width) {
  if (channel.width() != static_cast<std::size_t>(width) || channel.size() < 2)
    reject(channel.info.name, fmt::format("has {} columns and {} rows, must have {} columns and two rows",
                                          channel.width(), channel.size(), width));
  Samples samples{channel.t, channel.matrix().transpose()};
  if (!samples.values.allFinite())
    reject(channel.info.name, "has values that are missing", "a description can leave rows out by 'where'");
  for (std::size_t k = 1; k < samples.t.size(); ++k)
    if (!(samples.t[k] > samples.t[k - 1]))
      reject(channel.info.name, fmt::format("goes back in time at {} s", samples.t[k]), "see drop_old");
  return samples;
}

/// A sensor that is slower than its log stands in it several times: its first row is when it was measured.
std::size_t leave_out_repeats(Samples& samples) {
  Eigen::Index kept = 1;
  for (Eigen::Index k = 1; k < samples.values.cols(); ++k) {
    if (samples.values.col(k) == samples.values.col(kept - 1)) continue;
    samples.values.col(kept) = samples.values.col(k);
    samples.t[static_cast<std::size_t>(kept++)] = samples.t[static_cast<std::size_t>(k)];
  }
  const Eigen::Index all = samples.values.cols();
  samples.values.conservativeResize(Eigen::NoChange, kept);
  samples.t.resize(static_cast<std::size_t>(kept));
  return static_cast<std::size_t>(all - kept);
}

/// Adds whole turns, so that no angle jumps.
void unwrap(Eigen::MatrixXd& angles) {
  constexpr double whole_turn = 2 * std::numbers::pi;
  for (Eigen::Index k = 1; k < angles.cols(); ++k)
    for (Eigen::Index i = 0; i < angles.rows(); ++i)
      angles(i, k) -= whole_turn * std::round((angles(i, k) - angles(i, k - 1)) / whole_turn);
}

/// The time that all clocks have in common.
void lay_grid(CommandedRun& run, std::initializer_list<const std::vector<double>*> clocks, double dt) {
  double begin = clocks.begin()[0]->front(), end = clocks.begin()[0]->back();
  for (const auto* clock : clocks) {
    begin = std::max(begin, clock->front());
    end = std::min(end, clock->back());
  }
  if (!(dt > 0 && end - begin > 2 * dt))
    reject(run.name, fmt::format("has {:.3g} s in common at a step of {} s", end - begin, dt),
           "do its channels share a clock?");
  run.t0 = begin;
  run.dt = dt;
  run.nu_c.setZero(6, static_cast<Eigen::Index>((end - begin) / dt + 1e-9) + 1);
  run.down_b.setZero(3, run.nu_c.cols());
}

Eigen::MatrixXd on_grid(const CommandedRun& run, const Samples& samples) {
  return internal::straight_between(samples.t, samples.values, run.t0, run.dt, run.size());
}

void take_commands(CommandedRun& run, Samples commands) {
  run.command_t = std::move(commands.t);
  run.commands = commands.values;
}

}  // namespace

CommandedRun run_with_attitude(std::string name, const log::Channel& velocity, const log::Channel& attitude,
                               const log::Channel& commands, const CommandedRunOptions& options) {
  Samples v = samples_of(velocity, 3), angles = samples_of(attitude, 3), asked = samples_of(commands, 6);
  CommandedRun run;
  run.name = std::move(name);
  lay_grid(run, {&v.t, &angles.t, &asked.t}, options.dt);
  run.repeated_values = leave_out_repeats(v);
  unwrap(angles.values);
  run.nu_c.topRows<3>() = filter::Gaussian(options.velocity_sigma, options.dt).smooth(on_grid(run, v));
  const filter::Gaussian gaussian(options.attitude_sigma, options.dt);
  const Eigen::MatrixXd raw = on_grid(run, angles);
  const Eigen::MatrixXd smooth = gaussian.smooth(raw), slope = gaussian.slope(raw);
  for (Eigen::Index k = 0; k < run.size(); ++k) {
    const Vec3 roll_pitch_yaw = smooth.col(k);
    run.nu_c.col(k).tail<3>() = euler_rate_matrix(roll_pitch_yaw).inverse() * slope.col(k);
    run.down_b.col(k) = quaternion_from_euler(roll_pitch_yaw).conjugate() * Vec3::UnitZ();
  }
  take_commands(run, std::move(asked));
  return run;
}

CommandedRun run_with_twist(std::string name, const log::Channel& twist, const log::Channel& commands,
                            const CommandedRunOptions& options) {
  Samples nu = samples_of(twist, 6), asked = samples_of(commands, 6);
  CommandedRun run;
  run.name = std::move(name);
  lay_grid(run, {&nu.t, &asked.t}, options.dt);
  run.repeated_values = leave_out_repeats(nu);
  run.nu_c = filter::Gaussian(options.velocity_sigma, options.dt).smooth(on_grid(run, nu));
  take_commands(run, std::move(asked));
  return run;
}

}  // namespace fathom::identify
