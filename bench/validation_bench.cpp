// Validation: forward simulation of a log, dynamic time warping, prediction bands.
#include <cmath>

#include "fathom/identify/metrics.hpp"
#include "fathom/identify/vehicle/prediction.hpp"
#include "fathom/model_file/robot_file.hpp"

#include "bench/add.hpp"

namespace fathom {
namespace {

using identify::WarpOptions;

/// Three columns that wander, and the same with clock and values disturbed.
Eigen::MatrixXd wandering(Eigen::Index samples, double disturbance) {
  Eigen::MatrixXd series(3, samples);
  for (Eigen::Index k = 0; k < samples; ++k) {
    const auto t = static_cast<double>(k);
    const double clock = t + 60 * disturbance * std::sin(1e-3 * t);
    for (Eigen::Index d = 0; d < 3; ++d) {
      const auto column = static_cast<double>(d + 1);
      series(d, k) = std::sin(3e-3 * clock * column) + 0.1 * disturbance * std::sin(1.7 * t + column);
    }
  }
  return series;
}

void add_warp(const char* name, const WarpOptions& options) {
  add(name, [options](benchmark::State& state) {
    const Eigen::MatrixXd a = wandering(10000, 0), b = wandering(10000, 1);
    for (auto _ : state) benchmark::DoNotOptimize(identify::warp(a, b, options).distance);
  })->Unit(benchmark::kMillisecond);
}

/// 280 s at 50 Hz.
identify::Recording long_log(const dynamics::Vehicle& vehicle) {
  constexpr Eigen::Index n = 14000;
  identify::Recording recording;
  recording.track.dt = 0.02;
  recording.track.q_nb.setZero(4, n);
  recording.track.q_nb.row(3).setOnes();
  recording.track.nu_b.setZero(6, n);
  recording.tau_b.setZero(6, n);
  recording.usable.assign(n, 1);
  const Vec6 size = 0.3 * vehicle.M().diagonal();
  for (Eigen::Index k = 0; k < n; ++k)
    for (const int i : {0, 1, 2, 5}) recording.tau_b(i, k) = size[i] * std::sin(recording.track.t(k) + i);
  return recording;
}

void add_prediction(const char* name, model::Dof dof) {
  add(name, [dof](benchmark::State& state) {
    const dynamics::Vehicle vehicle(model::read_robot(FATHOM_ROBOTS_DIR "/defender-like.yaml"),
                                    model::Environment(), dof);
    const identify::Recording recording = long_log(vehicle);
    for (auto _ : state)
      benchmark::DoNotOptimize(identify::predict(vehicle, recording, {.delay = 0.05}).starts);
  })->Unit(benchmark::kMillisecond);
}

const int validation_registered = [] {
  add_warp("validate: warp of 2 x 10,000 samples, 3 columns, 5 % window", {});
  add_warp("validate: the same with slope condition", {.slope = WarpOptions::Slope::symmetric});
  add_warp("validate: the same with the path", {.path = true});
  add_prediction("validate: prediction of 280 s at 50 Hz, 4-DoF", model::Dof::four);
  add_prediction("validate: prediction of 280 s at 50 Hz, 6-DoF", model::Dof::six);
  return 0;
}();

}  // namespace
}  // namespace fathom
