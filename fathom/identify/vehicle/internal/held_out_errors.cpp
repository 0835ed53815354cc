#include "fathom/identify/vehicle/internal/held_out_errors.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "fathom/identify/vehicle/internal/forward_rows.hpp"
#include "fathom/identify/vehicle/prediction.hpp"

namespace fathom::identify::internal {
namespace {

using Eigen::Index;

constexpr double free_run_step = 0.05;  // s, at most
constexpr double largest_error = 10;    // spreads of the velocity: a model that runs away is no worse

/// Sums of squared errors by block, and their number.
struct Errors {
  Eigen::MatrixXd square;  // axes x blocks
  Eigen::VectorXd count;   // blocks
  Errors(std::size_t axes, std::size_t blocks)
      : square(Eigen::MatrixXd::Zero(static_cast<Index>(axes), static_cast<Index>(blocks))),
        count(Eigen::VectorXd::Zero(static_cast<Index>(blocks))) {}
};

/// h * nu_dot of the model less h' * nu, in the held-out fold.
Errors acceleration_errors(const TrialProblem& problem, const Regression& predicting, const Nuisance& at,
                           const Trial& trial) {
  Errors errors(problem.axes.size(), problem.plan.blocks);
  std::vector<Eigen::MatrixXd> M_inverse;
  for (const Eigen::VectorXd& theta : trial.by_fold) M_inverse.push_back(inverse_mass(predicting, theta));
  std::vector<Index> places;
  for (const int i : problem.axes)
    places.push_back(std::find(predicting.free().begin(), predicting.free().end(), i) -
                     predicting.free().begin());
  const Eigen::MatrixXd tau = blurred_wrench(predicting, trial.candidate.delay);
  const Index rows = predicting.rows();
  Eigen::VectorXd wrench(rows), left(rows);
  predicting.pass(at, [&](const RowBlock& block) {
    for (Index k = 0; k * rows < block.tau.size(); ++k) {
      const HeldOut::Sample& sample = problem.plan.samples[static_cast<std::size_t>(block.first_sample + k)];
      wrench = tau.col(block.first_sample + k);
      wrench.noalias() -= block.Y.middleRows(k * rows, rows) * trial.by_fold[sample.fold];
      left.noalias() = M_inverse[sample.fold] * wrench;
      const auto column = static_cast<Index>(sample.block);
      for (std::size_t axis = 0; axis < places.size(); ++axis)
        errors.square(static_cast<Index>(axis), column) += left[places[axis]] * left[places[axis]];
      errors.count[column] += 1;
    }
  });
  return errors;
}

/// Samples of a recording, in one block.
struct Stretch {
  const Recording& recording;
  Index first, end, block;
};

/// Adds windows one after the other.
void add_free_runs(const TrialProblem& problem, const dynamics::Vehicle& vehicle, const Stretch& stretch,
                   const PredictionOptions& prediction, Errors& errors) {
  const Recording& recording = stretch.recording;
  const double dt = recording.track.dt;
  const auto stride = std::max<Index>(1, static_cast<Index>(std::floor(free_run_step / dt + 1e-9)));
  const auto steps = static_cast<Index>(problem.how.window / (dt * static_cast<double>(stride)));
  const auto before =
      static_cast<Index>(std::ceil(prediction.delay / (dt * static_cast<double>(stride)) - 1e-9));
  const Index count = before + steps + 1;
  for (Index begin = stretch.first; begin + steps * stride < stretch.end; begin += steps * stride) {
    const Index from = begin - before * stride;
    if (from < 0) continue;
    Recording slice;
    slice.track.t0 = recording.track.t(from);
    slice.track.dt = dt * static_cast<double>(stride);
    const auto every = Eigen::seqN(from, count, stride);
    slice.track.q_nb = recording.track.q_nb(Eigen::all, every);
    slice.track.nu_b = recording.track.nu_b(Eigen::all, every);
    slice.tau_b = recording.tau_b(Eigen::all, every);
    slice.usable.assign(static_cast<std::size_t>(count), 1);
    const Prediction run = predict(vehicle, slice, prediction);
    for (Index k = before + 1; k < count; ++k) {
      for (std::size_t axis = 0; axis < problem.axes.size(); ++axis) {
        const int i = problem.axes[axis];
        const double most = largest_error * problem.spread[i], error = run.nu_b(i, k) - slice.track.nu_b(i, k);
        errors.square(static_cast<Index>(axis), stretch.block) +=
            std::isfinite(error) ? std::min(error * error, most * most) : most * most;
      }
      errors.count[stretch.block] += 1;
    }
  }
}

Errors free_run_errors(const TrialProblem& problem, const Nuisance& at, const Trial& trial) {
  Errors errors(problem.axes.size(), problem.plan.blocks);
  PredictionOptions prediction;
  prediction.delay = trial.candidate.delay;
  prediction.current_n = at.current_n;
  const auto& samples = problem.plan.samples;
  std::optional<dynamics::Vehicle> vehicle;
  std::size_t fold = problem.plan.folds;
  std::vector<std::vector<SampleRange>> usable;  // of each recording
  for (const Recording& recording : problem.recordings) usable.push_back(usable_ranges(recording.usable));
  for (std::size_t first = 0; first < samples.size();) {
    std::size_t end = first + 1;
    while (end < samples.size() && samples[end].block == samples[first].block &&
           samples[end].recording == samples[first].recording)
      ++end;
    if (samples[first].fold != fold) {
      fold = samples[first].fold;
      vehicle.emplace(vehicle_of(problem, trial.candidate.structure, trial.by_fold[fold]));
    }
    const Recording& recording = problem.recordings[samples[first].recording];
    const auto place = [&](double t) {
      return static_cast<Index>(std::lround((t - recording.track.t0) / recording.track.dt));
    };
    const Index from = place(samples[first].t), until = place(samples[end - 1].t);
    const auto lag = static_cast<Index>(std::ceil(prediction.delay / recording.track.dt)) + 2;
    const auto& ranges = usable[samples[first].recording];
    auto range = std::lower_bound(ranges.begin(), ranges.end(), from,
                                  [](const SampleRange& one, Index k) { return one.end <= k; });
    for (; range != ranges.end() && range->first < until; ++range) {
      const Index begin = std::max(from, range->first + lag), stop = std::min(until, range->end - 1);
      if (begin < stop)
        add_free_runs(problem, *vehicle, {recording, begin, stop, static_cast<Index>(samples[first].block)},
                      prediction, errors);
    }
    first = end;
  }
  return errors;
}

}  // namespace

std::string words_of(const InputError& error) {
  if (error.findings().empty()) return "failed";
  const Finding& first = error.findings().front();
  return first.key.empty() ? first.message : first.key + " " + first.message;
}

void score(const TrialProblem& problem, const Regression& predicting, const Nuisance& at, Trial& trial) {
  EstimatorCandidate& out = trial.candidate;
  try {
    const Errors acceleration = acceleration_errors(problem, predicting, at, trial),
                 free = free_run_errors(problem, at, trial);
    for (Index block = 0; block < acceleration.count.size(); ++block) {
      double sum = 0, terms = 0;
      for (const Errors* errors : {&acceleration, &free}) {
        if (errors->count[block] == 0) continue;
        for (Index axis = 0; axis < errors->square.rows(); ++axis, ++terms)
          sum += 0.5 * std::log(std::max(errors->square(axis, block) / errors->count[block], 1e-18));
      }
      out.by_block.push_back(terms > 0 ? sum / terms : 0);
    }
    out.tried = true;
  } catch (const InputError& error) {
    out.by_block.clear();
    out.why_not = "without a part of the logs: " + words_of(error);
  }
}

}  // namespace fathom::identify::internal
