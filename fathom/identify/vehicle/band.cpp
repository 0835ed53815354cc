#include "fathom/identify/vehicle/band.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/in_order.hpp"
#include "fathom/identify/internal/student.hpp"
#include "fathom/identify/vehicle/internal/coarse_run.hpp"
#include "fathom/identify/vehicle/internal/member.hpp"
#include "fathom/identify/vehicle/internal/replay.hpp"
#include "fathom/identify/vehicle/internal/tilted_motion.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

constexpr int least_members = 8;

void check_model(const UncertainModel& uncertain, const BandOptions& options) {
  if (options.members < least_members)
    reject("members", fmt::format("= {}, must be {} or more", options.members, least_members));
  if (!(options.level > 0 && options.level < 1))
    reject("level", fmt::format("= {}, must be between 0 and 1", options.level));
  if (!(uncertain.delay_sigma >= 0 && std::isfinite(uncertain.delay_sigma)))
    reject("delay_sigma", fmt::format("= {} s, must be 0 or more", uncertain.delay_sigma));
}

void check_recording(const Recording& recording, const BandOf& of) {
  if (recording.track.nu_sigma_b.cols() != recording.size())
    reject(recording.name, fmt::format("has {} standard deviations for {} velocities",
                                       recording.track.nu_sigma_b.cols(), recording.size()));
  if (of.widening.size() > 0 && of.widening.cols() != recording.size())
    reject("widening", fmt::format("has {} samples for {}", of.widening.cols(), recording.size()),
           "one per sample");
}

/// First-order noise of each velocity's row, its mean over a step, with the residual's power at low frequency.
class StepNoise {
 public:
  StepNoise(const std::optional<ResidualStatistics>& residual, double step, model::Dof dof) {
    if (!residual) return;
    for (const int i : model::free_indices(dof)) {
      const double T = residual->correlation_time[i], variance = residual->sigma[i] * residual->sigma[i];
      if (!(T > 0 && variance > 0)) continue;
      const double x = T / step;
      const double of_mean = 2 * variance * x * (1 - x * (1 - std::exp(-1 / x)));
      const double power = 2 * variance * x;  // sum of all autocovariances
      keep_[i] = std::clamp((power - of_mean) / (power + of_mean), 0.0, 1 - 1e-9);
      sigma_[i] = std::sqrt(of_mean);
    }
  }
  Vec6 first(RandomStream& random) const {
    Vec6 out;
    for (Index i = 0; i < 6; ++i) out[i] = sigma_[i] * random.normal();
    return out;
  }
  void advance(Vec6& value, RandomStream& random) const {
    for (Index i = 0; i < 6; ++i)
      value[i] = keep_[i] * value[i] + std::sqrt(1 - keep_[i] * keep_[i]) * sigma_[i] * random.normal();
  }

 private:
  Vec6 keep_ = Vec6::Zero(), sigma_ = Vec6::Zero();
};

/// A stretch that is simulated from a measured state on: samples `start`, `start` + step, ... up to `last`.
struct Stretch {
  Index start, last, steps;
  Index sample(Index k, Index step) const { return std::min(last, start + k * step); }
};

std::vector<Stretch> stretches_of(const Recording& recording, const PredictionOptions& options, Index step) {
  const auto delay = static_cast<Index>(std::ceil(internal::lag_of(options.delay, recording.track.dt)));
  const Index horizon = options.horizon > 0
                            ? std::max<Index>(1, std::lround(options.horizon / recording.track.dt))
                            : recording.size();
  std::vector<Stretch> out;
  for (const auto& [first, end] : usable_ranges(recording.usable))
    for (Index start = first + delay; start < end - 1; start += horizon) {
      const Index last = std::min(end - 1, start + horizon);
      out.push_back({start, last, (last - start + step - 1) / step});
    }
  return out;
}

/// Mean and variance over members, of each velocity at each step; those that ran away are left out.
struct Moments {
  Mat6X mean, square;
  Eigen::VectorXi count;
  std::size_t members = 0, ran_away = 0;
  explicit Moments(Index places)
      : mean(Mat6X::Zero(6, places)), square(Mat6X::Zero(6, places)), count(Eigen::VectorXi::Zero(places)) {}
  /// A member's velocities, six for each place; nothing of one that was interrupted.
  void add(const std::vector<double>& member) {
    if (member.empty()) return;
    ++members;
    bool is_away = false;
    for (Index place = 0; place < count.size(); ++place) {
      const Vec6 nu = Eigen::Map<const Vec6>(member.data() + 6 * place);
      if (nu.allFinite())
        add(place, nu);
      else
        is_away = true;
    }
    ran_away += is_away ? 1 : 0;
  }
  void add(Index place, const Vec6& nu) {
    const Vec6 step = nu - mean.col(place);
    mean.col(place) += step / ++count[place];
    square.col(place) += step.cwiseProduct(nu - mean.col(place));
  }
  Vec6 variance(Index place) const { return square.col(place) / std::max(1, count[place] - 1); }
};

/// The half width at a place of the step grid, from members and the measurement's own noise; NaN where fewer
/// than half of the members have a velocity.
class HalfWidth {
 public:
  HalfWidth(const Moments& moments, double level, model::Dof dof)
      : moments_(moments),
        dof_(dof),
        level_(level),
        most_(static_cast<int>(moments.members)),
        ts_(moments.members + 1, nan) {}
  Vec6 at(Index place, const Vec6& noise) {
    const int count = moments_.count[place];
    if (count < least_members || 2 * count < most_) return Vec6::Constant(nan);
    double& t = ts_[static_cast<std::size_t>(count)];
    if (std::isnan(t)) t = internal::student_t(0.5 + level_ / 2, count - 1);
    Vec6 half = t * (moments_.variance(place) * (1 + 1.0 / count) + noise.cwiseAbs2()).cwiseSqrt();
    for (int i = 0; i < 6; ++i)
      if (!model::is_free(dof_, i)) half[i] = 0;
    return half;
  }

 private:
  const Moments& moments_;
  model::Dof dof_;
  double level_;
  int most_;
  std::vector<double> ts_;  // by number of members, computed once each
};

Vec6 noise_at(const Recording& recording, Index k) {
  Vec6 noise = recording.track.nu_sigma_b.col(k);
  for (double& sigma : noise)
    if (!std::isfinite(sigma)) sigma = 0;
  return noise;
}

/// Straight between the steps.
void fill(Band& out, const Moments& moments, const std::vector<Stretch>& stretches, Index step, double level,
          const Recording& recording, model::Dof dof, const Mat6X& widening) {
  out.low.setConstant(6, recording.size(), nan);
  out.high.setConstant(6, recording.size(), nan);
  HalfWidth width(moments, level, dof);
  Index place = 0;
  for (const Stretch& stretch : stretches) {
    for (Index k = 0; k < stretch.steps; ++k, ++place) {
      const Index from = stretch.sample(k, step), until = stretch.sample(k + 1, step);
      for (Index at = from + (k > 0 ? 1 : 0); at <= until; ++at) {
        const Vec6 noise = noise_at(recording, at);
        const double share = static_cast<double>(at - from) / static_cast<double>(until - from);
        const Vec6 mean = (1 - share) * moments.mean.col(place) + share * moments.mean.col(place + 1);
        Vec6 half = (1 - share) * width.at(place, noise) + share * width.at(place + 1, noise);
        if (widening.size() > 0) half = half.cwiseProduct(widening.col(at));
        out.low.col(at) = mean - half;
        out.high.col(at) = mean + half;
      }
    }
    ++place;
  }
}

void compare(Band& result, const Recording& recording, const std::vector<Stretch>& stretches, model::Dof dof) {
  result.compared.assign(recording.usable.size(), 0);
  for (const Stretch& stretch : stretches)
    std::fill(result.compared.begin() + stretch.start + 1, result.compared.begin() + stretch.last + 1, 1);
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

struct Ensemble::Member {
  dynamics::Vehicle vehicle;
  double delay;  // s

  /// Velocities at the places of the step grid, of all stretches; NaN after it ran away, 0 where they are held.
  std::vector<double> simulate(const Recording& recording, const internal::WrenchIntegral& wrench,
                               const std::vector<Stretch>& stretches, Index step, const StepNoise& noise,
                               const model::Current& current, bool measured_tilt, RandomStream& random) const {
    const double dt = recording.track.dt, lag = delay / dt;
    std::vector<double> out;
    const auto put = [&](const Vec6& nu) {
      for (int i = 0; i < 6; ++i) out.push_back(model::is_free(vehicle.dof(), i) ? nu[i] : 0);
    };
    Vec6 push = noise.first(random);
    for (const Stretch& stretch : stretches) {
      dynamics::State state = internal::measured_state(recording, stretch.start, vehicle.dof(), measured_tilt);
      const Vec6 start_sigma = noise_at(recording, stretch.start);
      for (const int i : model::free_indices(vehicle.dof())) state.nu_b[i] += start_sigma[i] * random.normal();
      put(state.nu_b);
      bool is_away = false;
      for (Index k = 0; k < stretch.steps; ++k) {
        const Index from = stretch.sample(k, step), until = stretch.sample(k + 1, step);
        if (!is_away) {
          const Vec6 tau =
              wrench.mean(static_cast<double>(from) - lag, static_cast<double>(until) - lag) + push;
          const double h = dt * static_cast<double>(until - from);
          state = measured_tilt
                      ? internal::tilted_step(vehicle, current, state, internal::tilt_of(recording, from),
                                              internal::tilt_of(recording, until), {tau, tau, tau}, h)
                      : internal::stepped(vehicle, current, state, tau, h);
          noise.advance(push, random);
          is_away = !(state.nu_b.cwiseAbs().maxCoeff() <= internal::runaway);  // NaN too
        }
        put(is_away ? Vec6(Vec6::Constant(nan)) : state.nu_b);
      }
    }
    return out;
  }
};

Ensemble::~Ensemble() = default;

Ensemble::Ensemble(const UncertainModel& uncertain, const BandOptions& options)
    : uncertain_(uncertain), options_(options) {
  check_model(uncertain, options);
  const internal::MemberSource source(uncertain_);
  for (int k = 0; k < options.members; ++k) {
    RandomStream random(options.seed, fmt::format("band member {}", k));
    internal::MemberSource::Member member = source.draw(random);
    redrawn_ += static_cast<std::size_t>(member.redrawn);
    shrunk_ += member.is_shrunk ? 1 : 0;
    members_.push_back({std::move(member.vehicle), member.delay});
  }
}

Band Ensemble::band(const Recording& recording, const BandOf& of, WorkerPool& pool) const {
  check_recording(recording, of);
  const model::Dof dof = uncertain_.structure.dof;
  const Index step =
      internal::step_of(dynamics::Vehicle(uncertain_.robot, uncertain_.environment, dof), recording);
  const std::vector<Stretch> stretches = stretches_of(recording, uncertain_.prediction, step);
  Band result;
  result.step = static_cast<double>(step) * recording.track.dt;
  result.has_residual = uncertain_.residual.has_value();
  result.redrawn = redrawn_;
  result.shrunk = shrunk_;
  Index places = 0;
  for (const Stretch& stretch : stretches) places += stretch.steps + 1;
  const StepNoise noise(uncertain_.residual, result.step, dof);
  const internal::WrenchIntegral wrench(recording.tau_b);
  const Eigen::Matrix2d root =
      Eigen::LLT<Eigen::Matrix2d>(of.current_covariance + 1e-18 * Eigen::Matrix2d::Identity()).matrixL();
  const bool measured_tilt = uncertain_.prediction.measured_tilt && dof != model::Dof::six;
  Moments moments(places);
  // Members come in any order, but sums of numbers depend on it.
  InOrder<std::vector<double>> in_order([&](const std::vector<double>& member) { moments.add(member); });
  pool.run(
      static_cast<int>(members_.size()),
      [&](int k, const std::function<bool()>&) {
        RandomStream random(options_.seed, fmt::format("band of {}, member {}", recording.name, k));
        model::Current current;
        current.velocity_n = of.current_n;
        current.velocity_n.head<2>() += root * Eigen::Vector2d(random.normal(), random.normal());
        return members_[static_cast<std::size_t>(k)].simulate(recording, wrench, stretches, step, noise,
                                                              current, measured_tilt, random);
      },
      [&](int k, const std::vector<double>& member) {
        in_order.put(k, member);
        return true;
      });
  result.ran_away = moments.ran_away;
  fill(result, moments, stretches, step, options_.level, recording, dof, of.widening);
  compare(result, recording, stretches, dof);
  return result;
}

Band band(const UncertainModel& uncertain, const Recording& recording, const BandOptions& options,
          WorkerPool& pool) {
  BandOf of;
  of.current_n = uncertain.prediction.current_n;
  return Ensemble(uncertain, options).band(recording, of, pool);
}

}  // namespace fathom::identify
