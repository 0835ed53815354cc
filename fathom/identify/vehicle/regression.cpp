#include "fathom/identify/vehicle/regression.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/gaussian_taps.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::identify {
namespace {

constexpr double reach_in_blurs = 4;
constexpr Eigen::Index block_samples = 256;
/// Instants whose rows are formed at a time: what they take stays in the cache.
constexpr Eigen::Index batch_samples = 64;
/// Of blocks that are kept: a log of minutes for many suppositions, one of hours for none.
constexpr std::size_t most_kept_bytes = std::size_t{48} << 20;

/// A blur that is narrower than half a step falls between the samples, as that of filter::Gaussian.
void check(const RegressionOptions& options, std::span<const Recording> recordings) {
  for (const Recording& recording : recordings)
    if (const double dt = recording.track.dt; !(options.blur >= 0.5 * dt && std::isfinite(options.blur)))
      reject("blur",
             fmt::format("= {} s, must be at least {:g} s, half of the track's step", options.blur, dt / 2),
             "seconds; it has to outlast the smoother's memory, so that tenths are usual");
  if (!(options.most_delay >= 0 && std::isfinite(options.most_delay)))
    reject("most_delay", fmt::format("= {} s, must be 0 or more", options.most_delay), "");
}

}  // namespace

struct Regression::Scratch {
  dynamics::MotionBatch motions;
  Eigen::MatrixXd Y0;        // rows x parameters, of one instant after the other
  Eigen::MatrixXd features;  // pattern x grid samples
  Mat6X nu_r;                // 6 x grid samples
};

Regression::Regression(const model::Structure& structure, std::span<const Recording> recordings,
                       const RegressionOptions& options)
    : regressor_(structure), recordings_(recordings), options_(options) {
  check(options, recordings);
  const auto free = model::free_indices(structure.dof);
  free_.assign(free.begin(), free.end());
  find_pattern();
  find_runs();
  if (samples_ == 0)
    reject(names_of(recordings), 0, "log", "has no stretch that is long enough to be used",
           "it needs some seconds with position, attitude and commands, without a gap");
}

double Regression::sample_interval() const {
  const double dt = recordings_.front().track.dt;
  return dt * std::max(1.0, std::round(options_.blur / dt));
}

void Regression::find_pattern() {
  dynamics::Motion motion;
  motion.nu_r_b << 0.31, -0.17, 0.23, 0.11, 0.41, -0.29;
  motion.down_b = Vec3(0.2, -0.3, 0.9);
  const Eigen::MatrixXd still = regressor_.at({{motion}});
  for (int row = 0; row < still.rows(); ++row)
    for (int column = 0; column < still.cols(); ++column)
      if (still(row, column) != 0) pattern_.push_back({row, column});
  motion = {};
  motion.down_b.setZero();
  motion.nu_r_dot_b.setOnes();
  const Eigen::MatrixXd moved = regressor_.at({{motion}});
  for (Eigen::Index column = 0; column < moved.cols(); ++column)
    if (!moved.col(column).isZero(0)) inertial_.push_back(column);
}

void Regression::find_runs() {
  for (std::size_t r = 0; r < recordings_.size(); ++r) {
    const Recording& recording = recordings_[r];
    const double dt = recording.track.dt;
    const auto reach = static_cast<Eigen::Index>(std::ceil(reach_in_blurs * options_.blur / dt));
    const auto stride = std::max<Eigen::Index>(1, static_cast<Eigen::Index>(std::lround(options_.blur / dt)));
    // Commands go on while position is lost, so only the log's beginning costs the longest delay.
    const auto earliest = reach + static_cast<Eigen::Index>(std::ceil(options_.most_delay / dt)) + 1;
    for (const auto& [begin, end] : usable_ranges(recording.usable)) {
      const Eigen::Index first = std::max(begin + reach, earliest), room = end - reach - first;
      if (room > 0) {
        runs_.push_back({r, first, (room - 1) / stride + 1});
        samples_ += runs_.back().count;
      }
    }
  }
}

void Regression::features(const Recording& recording, Eigen::Index first, Eigen::Index count,
                          const Nuisance& nuisance, Scratch& scratch) const {
  const Quat correction = exp_rotation(-nuisance.attitude_error_b);
  const model::Dof dof = regressor_.structure().dof;
  scratch.features.resize(static_cast<Eigen::Index>(pattern_.size()), count);
  scratch.nu_r.resize(6, count);
  std::vector<dynamics::Motion>& motions = scratch.motions.base;
  motions.clear();
  for (Eigen::Index k = 0; k < count; ++k) {
    const Quat measured = recording.track.attitude(first + k);
    Quat q_nb = measured * correction;
    Vec6 nu = recording.track.nu_b.col(first + k);
    if (nuisance.split != 0 && recording.nu_split_b.cols() > 0)
      nu += nuisance.split * recording.nu_split_b.col(first + k);
    // The sensor's axes are turned against the body's; only a velocity that was measured in n turns with them.
    if (!recording.velocity_in_body) nu.head<3>() = correction.conjugate() * Vec3(nu.head<3>());
    // Of a structure without roll and pitch too: what turns and tilts the vehicle is known, and its wrench on
    // the rows that the structure has is not zero. A prediction does not know it, and sees the current by the
    // heading alone.
    if (options_.level && dof != model::Dof::six) {
      q_nb = quaternion_from_euler({0, 0, euler_from_quaternion(q_nb).z()});
      for (int i = 0; i < 6; ++i)
        if (!model::is_free(dof, i)) nu[i] = 0;
    }
    nu.head<3>() -= q_nb.conjugate() * nuisance.current_n;
    dynamics::Motion motion;
    motion.down_b = q_nb.conjugate() * Vec3::UnitZ();
    motion.nu_r_b = nu;
    scratch.nu_r.col(k) = nu;
    motions.push_back(motion);
    if (k + 1 < count && static_cast<Eigen::Index>(motions.size()) < batch_samples) continue;
    const auto batch = static_cast<Eigen::Index>(motions.size());
    scratch.Y0.resize(batch * rows(), regressor_.columns());
    regressor_.fill(scratch.motions, scratch.Y0);
    for (std::size_t p = 0; p < pattern_.size(); ++p) {
      const double* from = &scratch.Y0(pattern_[p].row, pattern_[p].column);
      for (Eigen::Index i = 0; i < batch; ++i)
        scratch.features(static_cast<Eigen::Index>(p), k + 1 - batch + i) = from[i * rows()];
    }
    motions.clear();
  }
}

void Regression::add_accelerations(Eigen::Index count, Eigen::Index stride, const Eigen::VectorXd& rate,
                                   Scratch& scratch, RowBlock& block) const {
  dynamics::Motion moved;
  moved.down_b.setZero();
  for (Eigen::Index first = 0; first < count; first += batch_samples) {
    const Eigen::Index batch = std::min(batch_samples, count - first);
    scratch.motions.base.assign(static_cast<std::size_t>(batch), moved);
    for (Eigen::Index k = 0; k < batch; ++k)
      scratch.motions.base[static_cast<std::size_t>(k)].nu_r_dot_b.noalias() =
          scratch.nu_r.middleCols((first + k) * stride, rate.size()) * rate;
    scratch.Y0.resize(batch * rows(), regressor_.columns());
    regressor_.fill(scratch.motions, scratch.Y0);
    for (const Eigen::Index column : inertial_)
      block.Y.block(first * rows(), column, batch * rows(), 1) = scratch.Y0.col(column);
  }
  scratch.motions.base.clear();
}

void Regression::fill(const Run& run, Eigen::Index begin, Eigen::Index count, const Nuisance& nuisance,
                      Scratch& scratch, RowBlock& block) const {
  const Recording& recording = recordings_[run.recording];
  const double dt = recording.track.dt;
  const auto reach = static_cast<Eigen::Index>(std::ceil(reach_in_blurs * options_.blur / dt));
  const auto stride = std::max<Eigen::Index>(1, static_cast<Eigen::Index>(std::lround(options_.blur / dt)));
  const Eigen::Index middle = run.first + begin * stride;
  features(recording, middle - reach, (count - 1) * stride + 2 * reach + 1, nuisance, scratch);

  const auto lag = static_cast<Eigen::Index>(std::floor(nuisance.delay / dt));
  const GaussianTaps here(options_.blur, dt, reach);
  const GaussianTaps delayed(options_.blur, dt, reach, static_cast<double>(lag) * dt - nuisance.delay);
  block.Y.setZero(count * rows(), regressor_.columns());
  block.tau.resize(count * rows());
  block.tau_by_delay.resize(count * rows());
  block.t.resize(static_cast<std::size_t>(count));
  Eigen::VectorXd sums(scratch.features.rows());
  add_accelerations(count, stride, here.rate, scratch, block);
  for (Eigen::Index k = 0; k < count; ++k) {
    const Eigen::Index at = middle + k * stride;
    block.t[static_cast<std::size_t>(k)] = recording.track.t(at);
    sums.noalias() = scratch.features.middleCols(k * stride, 2 * reach + 1) * here.value;
    for (std::size_t p = 0; p < pattern_.size(); ++p)
      block.Y(k * rows() + pattern_[p].row, pattern_[p].column) += sums[static_cast<Eigen::Index>(p)];
    const auto window = recording.tau_b.middleCols(at - lag - reach, 2 * reach + 1);
    for (Eigen::Index row = 0; row < rows(); ++row) {
      const auto commanded = window.row(free_[static_cast<std::size_t>(row)]);
      block.tau[k * rows() + row] = commanded.dot(delayed.value);
      block.tau_by_delay[k * rows() + row] = -commanded.dot(delayed.rate);
    }
  }
}

Eigen::Index Regression::samples_of(std::size_t recording) const {
  Eigen::Index samples = 0;
  for (const Run& run : runs_) samples += run.recording == recording ? run.count : 0;
  return samples;
}

void Regression::blur(std::size_t recording, const Eigen::Ref<const Eigen::MatrixXd>& series, double delay,
                      Eigen::Ref<Eigen::MatrixXd> value, Eigen::Ref<Eigen::MatrixXd> by_delay) const {
  const double dt = recordings_[recording].track.dt;
  const auto reach = static_cast<Eigen::Index>(std::ceil(reach_in_blurs * options_.blur / dt));
  const auto stride = std::max<Eigen::Index>(1, static_cast<Eigen::Index>(std::lround(options_.blur / dt)));
  const auto lag = static_cast<Eigen::Index>(std::floor(delay / dt));
  const GaussianTaps taps(options_.blur, dt, reach, static_cast<double>(lag) * dt - delay);
  Eigen::MatrixX2d both(2 * reach + 1, 2);
  both << taps.value, -taps.rate;
  Eigen::MatrixX2d sums(series.rows(), 2);
  Eigen::Index sample = 0;
  for (const Run& run : runs_) {
    if (run.recording != recording) continue;
    for (Eigen::Index k = 0; k < run.count; ++k, ++sample) {
      sums.noalias() = series.middleCols(run.first + k * stride - lag - reach, 2 * reach + 1).lazyProduct(both);
      value.col(sample) = sums.col(0);
      by_delay.col(sample) = sums.col(1);
    }
  }
}

/// Where the blocks of each value of the nuisance parameters are, or are to be put; null where they would take
/// too much memory.
std::vector<Regression::Kept*> Regression::kept_for(std::span<const Nuisance> nuisances) const {
  const auto numbers = static_cast<std::size_t>(samples_ * rows()) * (structure().size() + 2);
  const std::size_t most = most_kept_bytes / (sizeof(double) * std::max<std::size_t>(1, numbers));
  std::vector<Kept*> result(nuisances.size(), nullptr);
  if (nuisances.size() > most) return result;
  for (std::size_t s = 0; s < nuisances.size(); ++s) {
    const auto found = std::find_if(kept_.begin(), kept_.end(),
                                    [&](const Kept& kept) { return kept.nuisance == nuisances[s]; });
    if (found != kept_.end())
      kept_.splice(kept_.end(), kept_, found);
    else
      kept_.push_back({nuisances[s], {}});
    result[s] = &kept_.back();
  }
  while (kept_.size() > most) kept_.pop_front();  // never one of this pass: those are the last
  return result;
}

void Regression::pass(const Nuisance& nuisance, const std::function<void(const RowBlock&)>& take) const {
  pass(std::span(&nuisance, 1), [&](std::span<const RowBlock> blocks) { take(blocks.front()); });
}

void Regression::pass(std::span<const Nuisance> nuisances,
                      const std::function<void(std::span<const RowBlock>)>& take) const {
  // Others would reach beyond the recording.
  for (const Nuisance& nuisance : nuisances)
    if (!(nuisance.delay >= 0 && nuisance.delay <= options_.most_delay))
      reject("delay", fmt::format("= {} s, must be from 0 to {:g} s", nuisance.delay, options_.most_delay),
             "seconds; RegressionOptions::most_delay is the limit");
  Scratch scratch;
  std::vector<RowBlock> blocks(nuisances.size());
  const std::vector<Kept*> kept = kept_for(nuisances);
  Eigen::Index sample = 0;
  std::size_t number = 0;
  for (const Run& run : runs_)
    for (Eigen::Index begin = 0; begin < run.count; begin += block_samples) {
      const Eigen::Index count = std::min(block_samples, run.count - begin);
      for (std::size_t s = 0; s < blocks.size(); ++s) {
        if (kept[s] && number < kept[s]->blocks.size()) {
          blocks[s] = kept[s]->blocks[number];
          continue;
        }
        fill(run, begin, count, nuisances[s], scratch, blocks[s]);
        blocks[s].recording = run.recording;
        blocks[s].first_sample = sample;
        blocks[s].begins = begin == 0;
        if (kept[s]) kept[s]->blocks.push_back(blocks[s]);
      }
      take(blocks);
      sample += count;
      ++number;
    }
}

}  // namespace fathom::identify
