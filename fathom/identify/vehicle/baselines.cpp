#include "fathom/identify/vehicle/baselines.hpp"

#include <cmath>
#include <list>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/identify/vehicle/internal/replay.hpp"
#include "fathom/identify/vehicle/internal/tilted_motion.hpp"
#include "fathom/identify/vehicle/prediction.hpp"
#include "fathom/identify/vehicle/structure_choice.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;
using internal::CommandedPiece;

/// Of the axes that move and are driven; the others keep their velocity.
AccelerationTerms terms_of_baseline(std::span<const Recording> seen) {
  const Vec6 excited = excitation(seen), wrench = wrench_rms(seen);
  AccelerationTerms terms = linear_terms();
  for (std::size_t axis = 0; axis < 6; ++axis)
    if (const int i = static_cast<int>(axis); excited[i] < least_excitation || !is_driven(wrench, i))
      terms[axis].clear();
  return terms;
}

std::list<BlurredRun> blurred(const std::list<CommandedPiece>& pieces, const AccelerationTerms& terms,
                              const AccelerationOptions& options) {
  std::list<BlurredRun> runs;
  for (const CommandedPiece& piece : pieces) runs.emplace_back(piece.run, terms, options);
  return runs;
}

double shortest_of(const BaselineOptions& options) {
  return options.free_run.window + options.free_run.settle + 1;
}

/// The stored line as a model; an axis of zeros has no terms and keeps its velocity.
VehicleFit model_of(const LinePerAxis& line) {
  VehicleFit fit;
  fit.path.lag = line.lag;
  fit.model.terms = linear_terms();
  for (std::size_t axis = 0; axis < 6; ++axis) {
    const auto i = static_cast<int>(axis);
    auto& terms = fit.model.terms[axis];
    if (line.wrench[i] == 0 && line.velocity[i] == 0 && line.constant[i] == 0) terms.clear();
    Eigen::VectorXd& theta = fit.model.theta[axis];
    theta.resize(static_cast<Index>(terms.size()));
    for (std::size_t k = 0; k < terms.size(); ++k)
      theta[static_cast<Index>(k)] = terms[k].kind == AccelerationTerm::Kind::wrench     ? line.wrench[i]
                                     : terms[k].kind == AccelerationTerm::Kind::velocity ? line.velocity[i]
                                                                                         : line.constant[i];
  }
  return fit;
}

VehicleFit linear_model(const std::list<BlurredRun>& runs) {
  BlurredRuns pointers;
  for (const BlurredRun& run : runs) pointers.push_back(&run);
  std::vector<double> lags;
  for (int k = -6; k <= 20; ++k) lags.push_back(0.05 * k);  // clocks may be apart either way
  return fit_lag(pointers, lags, (Vec6() << 1, 1, 1, 0, 0, 1).finished());
}

/// h * the acceleration that the model has at each measured state.
Mat6X predicted_rates(const dynamics::Vehicle& vehicle, const CommandedPiece& piece,
                      const PredictionOptions& options, const AccelerationOptions& blurred_by, Index row_step) {
  const Recording& recording = *piece.recording;
  const double lag = internal::lag_of(options.delay, recording.track.dt);
  model::Current current;
  current.velocity_n = options.current_n;
  Mat6X rates(6, piece.run.size());
  const bool measured_tilt = options.measured_tilt && vehicle.dof() != model::Dof::six;
  for (Index k = 0; k < rates.cols(); ++k) {
    const Index at = piece.first + k;
    Vec6 tau_b = internal::between(recording.tau_b, std::max(0.0, static_cast<double>(at) - lag));
    if (measured_tilt) tau_b -= internal::wrench_of_held(vehicle, recording.track.nu_dot_b.col(at));
    rates.col(k) = dynamics::forward_dynamics(
        vehicle, internal::measured_state(recording, at, vehicle.dof(), measured_tilt), tau_b, current);
  }
  return filter::Gaussian(blurred_by.blur, recording.track.dt).smooth_every(row_step, rates);
}

/// All of it usable: predict() then runs on from the first sample whose wrench is known.
Recording slice(const Recording& recording, Index first, Index count) {
  Recording out;
  out.name = recording.name;
  out.track.t0 = recording.track.t(first);
  out.track.dt = recording.track.dt;
  out.track.q_nb = recording.track.q_nb.middleCols(first, count);
  out.track.nu_b = recording.track.nu_b.middleCols(first, count);
  out.track.nu_dot_b = recording.track.nu_dot_b.middleCols(first, count);
  out.tau_b = recording.tau_b.middleCols(first, count);
  out.usable.assign(static_cast<std::size_t>(count), 1);
  return out;
}

/// In the windows of free_run().
Mat6X freely_predicted(const dynamics::Vehicle& vehicle, const CommandedPiece& piece,
                       const FreeRunWindows& windows, const PredictionOptions& options) {
  constexpr double runs_away = internal::runaway;
  const Recording& recording = *piece.recording;
  const auto before = static_cast<Index>(std::ceil(internal::lag_of(options.delay, recording.track.dt)));
  Mat6X out(6, windows.count() * windows.steps);
  Index column = 0;
  for (Index w = 0; w < windows.count(); ++w) {
    const Index begin = piece.first + windows.begin(w);
    const Prediction run =
        predict(vehicle, slice(recording, begin - before, before + windows.steps * windows.step + 1), options);
    for (Index k = 0; k < windows.steps; ++k) {
      const Vec6 nu_b = run.nu_b.col(before + (k + 1) * windows.step);
      out.col(column++) = nu_b.allFinite() ? nu_b : Vec6(Vec6::Constant(runs_away));
    }
  }
  return out;
}

}  // namespace

LinePerAxis fit_line_per_axis(std::span<const Recording> seen, const BaselineOptions& options) {
  const std::list<CommandedPiece> pieces = internal::pieces_of(seen, shortest_of(options), infinity);
  if (pieces.empty()) reject(names_of(seen), 0, "log", "has no stretch as long as a free run", "without a gap");
  const VehicleFit fit = linear_model(blurred(pieces, terms_of_baseline(seen), options.acceleration));
  LinePerAxis line;
  line.lag = fit.path.lag;
  for (int i = 0; i < 6; ++i) {
    if (fit.model.terms[static_cast<std::size_t>(i)].empty()) continue;
    line.wrench[i] = fit.model.coefficient(i, {AccelerationTerm::Kind::wrench, i});
    line.velocity[i] = fit.model.coefficient(i, {AccelerationTerm::Kind::velocity, i});
    line.constant[i] = fit.model.coefficient(i, {AccelerationTerm::Kind::constant});
  }
  return line;
}

ComparedScores compare_with_baselines(const dynamics::Vehicle& vehicle, std::span<const Recording> unseen,
                                      const LinePerAxis& line, const BaselineOptions& options) {
  const std::list<CommandedPiece> pieces = internal::pieces_of(unseen, shortest_of(options), infinity);
  if (pieces.empty())
    reject(names_of(unseen), 0, "log", "has no stretch as long as a free run", "without a gap");
  const VehicleFit linear = model_of(line);
  const std::list<BlurredRun> runs = blurred(pieces, linear.model.terms, options.acceleration);
  FreeRunOptions judging = options.free_run;
  judging.reject_runaway = false;  // a line may: then it is the worse for it
  ScoreSums ours, theirs;
  auto run = runs.begin();
  for (const CommandedPiece& piece : pieces) {
    PredictionOptions prediction;
    prediction.delay = options.delay;
    prediction.measured_tilt = options.measured_tilt;
    if (!options.currents_n.empty())
      prediction.current_n = options.currents_n[static_cast<std::size_t>(piece.recording - unseen.data())];
    const FreeRunWindows windows(piece.run, judging);
    theirs.add({&linear, &*run}, judging);
    FreeRun free = free_run(linear, piece.run, judging);
    free.predicted_c = freely_predicted(vehicle, piece, windows, prediction);
    ours.add(run->rates_c(), predicted_rates(vehicle, piece, prediction, options.acceleration, run->row_step()),
             free, ScoreSums::BlockSize(*run, judging));
    ++run;
  }
  return {ours.score(), theirs.score()};
}

}  // namespace fathom::identify
