#include "fathom/identify/vehicle/band.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/identify/internal/student.hpp"
#include "fathom/identify/vehicle/internal/member.hpp"
#include "fathom/identify/vehicle/internal/replay.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

constexpr int least_members = 8;

void check_input(const UncertainModel& uncertain, const Recording& recording, const BandOptions& options) {
  if (options.members < least_members)
    reject("members", fmt::format("= {}, must be {} or more", options.members, least_members));
  if (!(options.level > 0 && options.level < 1))
    reject("level", fmt::format("= {}, must be between 0 and 1", options.level));
  if (!(uncertain.delay_sigma >= 0 && std::isfinite(uncertain.delay_sigma)))
    reject("delay_sigma", fmt::format("= {} s, must be 0 or more", uncertain.delay_sigma));
  if (recording.track.nu_sigma_b.cols() != recording.size())
    reject(recording.name, fmt::format("has {} standard deviations for {} velocities",
                                       recording.track.nu_sigma_b.cols(), recording.size()));
}

/// The recording as it would start, had the noise of its velocities been another.
Recording with_other_noise(const Recording& recording, RandomStream& random) {
  Recording other = recording;
  for (Index k = 0; k < other.size(); ++k)
    for (Index i = 0; i < 6; ++i) {
      const double sigma = other.track.nu_sigma_b(i, k);
      const double z = random.normal();
      if (std::isfinite(sigma)) other.track.nu_b(i, k) += sigma * z;
    }
  return other;
}

/// What a member comes back as: redrawn, is_shrunk, ran away, then its velocities.
constexpr std::size_t head = 3;

std::vector<double> simulate(const UncertainModel& uncertain, const internal::MemberSource& source,
                             const internal::BlockBootstrap& bootstrap, const Recording& recording,
                             std::uint64_t seed, int number) {
  RandomStream random(seed, fmt::format("band member {}", number));
  const internal::MemberSource::Member member = source.draw(random);
  // A residual is what the motion did not need of the thrusters' wrench: the water took it.
  const Mat6X water = -bootstrap.draw(recording.size(), random);
  PredictionOptions options = uncertain.prediction;
  options.delay = member.delay;
  const Prediction prediction = predict(member.vehicle, with_other_noise(recording, random), options, water);
  std::vector<double> result = {static_cast<double>(member.redrawn), member.is_shrunk ? 1.0 : 0.0,
                                prediction.diverged > 0 ? 1.0 : 0.0};
  result.insert(result.end(), prediction.nu_b.data(), prediction.nu_b.data() + prediction.nu_b.size());
  return result;
}

/// Mean and variance of the members that have a number there.
struct Moments {
  int count = 0;
  double mean = 0, variance = 0;
};
Moments moments_of(const std::vector<std::vector<double>>& members, std::size_t place) {
  Moments m;
  double squares = 0;
  for (const auto& member : members) {
    const double value = member[head + place];
    if (!std::isfinite(value)) continue;
    ++m.count;
    const double step = value - m.mean;
    m.mean += step / m.count;
    squares += step * (value - m.mean);
  }
  m.variance = m.count > 1 ? squares / (m.count - 1) : 0;
  return m;
}

/// Of Student's t: the spread is known from so many members, and the wrench in them from so many independent
/// residuals.
double degrees_of(double members, const internal::BlockBootstrap& bootstrap) {
  const double residuals = std::max(5.0, bootstrap.effective_samples());
  return 1 / (1 / (members - 1) + 1 / residuals);
}

/// A band where at least half of the members have a velocity.
void fill(Band& result, const std::vector<std::vector<double>>& members, const Recording& recording,
          model::Dof dof, double level, const internal::BlockBootstrap& bootstrap) {
  const Index n = recording.size();
  std::vector<double> ts(members.size() + 1, nan);  // by number of members, computed once each
  const auto t = [&](int count) {
    double& found = ts[static_cast<std::size_t>(count)];
    if (std::isnan(found)) found = internal::student_t(0.5 + level / 2, degrees_of(count, bootstrap));
    return found;
  };
  result.low.setConstant(6, n, nan);
  result.high.setConstant(6, n, nan);
  for (Index k = 0; k < n; ++k)
    for (int i = 0; i < 6; ++i) {
      const Moments m = moments_of(members, static_cast<std::size_t>(6 * k + i));
      if (m.count < least_members || 2 * m.count < static_cast<int>(members.size())) continue;
      const double noise = bootstrap.block() == 0 ? recording.track.nu_sigma_b(i, k) : 0;
      const double spread = m.variance * (1 + 1.0 / m.count) + (std::isfinite(noise) ? noise * noise : 0);
      const double half = model::is_free(dof, i) ? t(m.count) * std::sqrt(spread) : 0;
      result.low(i, k) = m.mean - half;
      result.high(i, k) = m.mean + half;
    }
}

void compare(Band& result, const Recording& recording, const std::vector<char>& compared, model::Dof dof) {
  result.compared = compared;
  result.coverage.setConstant(nan);
  Vec6 inside = Vec6::Zero();
  std::size_t samples = 0;
  for (Index k = 0; k < recording.size(); ++k) {
    char& mark = result.compared[static_cast<std::size_t>(k)];
    mark = mark && result.low.col(k).allFinite();
    if (!mark) continue;
    ++samples;
    for (int i = 0; i < 6; ++i) {
      const double nu = recording.track.nu_b(i, k);
      if (nu >= result.low(i, k) && nu <= result.high(i, k)) ++inside[i];
    }
  }
  if (samples == 0) return;
  for (const int i : model::free_indices(dof)) result.coverage[i] = inside[i] / static_cast<double>(samples);
}

}  // namespace

WrenchResiduals residuals_of(const dynamics::Vehicle& vehicle, const Recording& recording,
                             const PredictionOptions& options) {
  const Index n = recording.size();
  WrenchResiduals residuals{recording.track.dt, Mat6X::Zero(6, n),
                            std::vector<char>(recording.usable.size(), 0)};
  const double lag = internal::lag_of(options.delay, recording.track.dt);
  const auto delay = static_cast<Index>(std::ceil(lag));
  Index run = 0;  // usable samples up to here
  for (Index k = 0; k < n; ++k) {
    run = recording.usable[static_cast<std::size_t>(k)] ? run + 1 : 0;
    if (run <= delay) continue;
    const dynamics::State state = internal::measured_state(recording, k, vehicle.dof());
    Vec6 nu_dot = recording.track.nu_dot_b.col(k);
    for (int i = 0; i < 6; ++i)
      if (!model::is_free(vehicle.dof(), i)) nu_dot[i] = 0;
    const Vec6 needed = dynamics::inverse_dynamics(vehicle, state, nu_dot, {options.current_n});
    residuals.wrench_b.col(k) = internal::between(recording.tau_b, static_cast<double>(k) - lag) - needed;
    residuals.usable[static_cast<std::size_t>(k)] = 1;
  }
  return residuals;
}

Band band(const UncertainModel& uncertain, const Recording& recording, const BandOptions& options,
          WorkerPool& pool) {
  check_input(uncertain, recording, options);
  const model::Dof dof = uncertain.structure.dof;
  const internal::MemberSource source(uncertain);
  const internal::BlockBootstrap bootstrap(uncertain.residuals, recording.track.dt, dof);
  std::vector<std::vector<double>> members(static_cast<std::size_t>(options.members));
  pool.run(
      options.members,
      [&](int k, const std::function<bool()>&) {
        return simulate(uncertain, source, bootstrap, recording, options.seed, k);
      },
      [&](int k, const std::vector<double>& result) {
        members[static_cast<std::size_t>(k)] = result;
        return true;
      });
  std::erase_if(members, [](const auto& member) { return member.empty(); });  // where it was interrupted
  Band result;
  result.block = static_cast<double>(bootstrap.block()) * recording.track.dt;
  for (const auto& member : members) {
    result.redrawn += static_cast<std::size_t>(member[0]);
    result.shrunk += static_cast<std::size_t>(member[1]);
    result.ran_away += static_cast<std::size_t>(member[2]);
  }
  fill(result, members, recording, dof, options.level, bootstrap);
  compare(
      result, recording,
      predict(dynamics::Vehicle(uncertain.robot, uncertain.environment, dof), recording, uncertain.prediction)
          .compared,
      dof);
  return result;
}

}  // namespace fathom::identify
