#include "fathom/report/internal/identify_plots.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/report/internal/robot_body.hpp"

namespace fathom::report::internal {
namespace {

using Eigen::Index;

constexpr std::size_t most_plotted = 3;  // logs; more would make a page that no browser likes
constexpr double longest_lag = 6;        // s

/// In front of a title, where there are several logs.
std::string prefix(const IdentifyPage& page, std::size_t log) {
  return page.recordings.size() > 1 ? page.recordings[log].name + ": " : "";
}

std::size_t plotted(const IdentifyPage& page) { return std::min(page.recordings.size(), most_plotted); }

std::vector<double> times_of(const filter::Track& track) {
  std::vector<double> t(static_cast<std::size_t>(track.size()));
  for (std::size_t k = 0; k < t.size(); ++k) t[k] = track.t(static_cast<Index>(k));
  return t;
}

/// NaN where it is not used.
std::vector<double> row_of(const identify::Recording& recording, int i) {
  std::vector<double> y(recording.usable.size(), nan);
  for (std::size_t k = 0; k < y.size(); ++k)
    if (recording.usable[k]) y[k] = recording.track.nu_b(i, static_cast<Index>(k));
  return y;
}

/// Residuals of one log, with a gap wherever a run begins.
Series residual_series(const identify::Residuals& residuals, std::size_t log, Index row) {
  Series series{.name = "residual"};
  std::size_t next_break = 0;
  for (std::size_t k = 0; k < residuals.t.size(); ++k) {
    const auto sample = static_cast<Index>(k);
    const bool begins = next_break < residuals.breaks.size() && residuals.breaks[next_break] == sample;
    if (begins) ++next_break;
    if (residuals.recording[k] != log) continue;
    if (begins && !series.t.empty()) {
      series.t.push_back(series.t.back());
      series.y.push_back(nan);
    }
    series.t.push_back(residuals.t[k]);
    series.y.push_back(residuals.values(row, sample));
  }
  return series;
}

Series level(double begin, double end, double y) {
  return {.name = "two sigma", .t = {begin, end}, .y = {y, y}, .style = Series::Style::limit};
}

}  // namespace

Scene identified_motion(const IdentifyPage& page) {
  const identify::Recording& recording = page.recordings.front();
  Body body = robot_body(page.robot->name(), *page.robot);
  body.t = times_of(recording.track);
  for (Index k = 0; k < recording.size(); ++k) {
    body.p_n.emplace_back(recording.track.p_nb_n.col(k));
    body.q_nb.push_back(recording.track.attitude(k));
  }
  Scene scene{.title = prefix(page, 0) + "Motion as it was measured"};
  scene.bodies.push_back(std::move(body));
  return scene;
}

std::vector<Plot> velocity_plots(const IdentifyPage& page) {
  std::vector<Plot> plots;
  for (std::size_t log = 0; log < plotted(page); ++log) {
    const std::vector<double> t = times_of(page.recordings[log].track);
    for (const int first : {0, 3}) {
      Plot plot{.title = prefix(page, log) + (first == 0 ? "Velocity in body axes" : "Turn rate in body axes"),
                .y_label = first == 0 ? "Velocity" : "Turn rate",
                .y_unit = first == 0 ? "m/s" : "rad/s"};
      for (int i = first; i < first + 3; ++i)
        plot.series.push_back({fmt::format("{} {}", model::velocity_name(i), model::dof_name(i)), t,
                               row_of(page.recordings[log], i)});
      plots.push_back(std::move(plot));
    }
  }
  return plots;
}

std::vector<Plot> residual_plots(const IdentifyPage& page) {
  const identify::Fit& fit = page.found->fit;
  std::vector<Plot> plots;
  for (std::size_t log = 0; log < plotted(page); ++log) {
    Index row = 0;
    for (const int i : model::free_indices(page.found->structure.dof)) {
      Plot plot{.title = fmt::format("{}Residual of {}", prefix(page, log), model::dof_name(i)),
                .y_label = i < 3 ? "Force not explained" : "Torque not explained",
                .y_unit = i < 3 ? "N" : "N m"};
      plot.series.push_back(residual_series(fit.residuals, log, row));
      if (!plot.series.front().t.empty()) {
        const double begin = plot.series.front().t.front(), end = plot.series.front().t.back();
        for (const double side : {-2.0, 2.0})
          plot.series.push_back(level(begin, end, side * page.found->residual_rms(row)));
      }
      ++row;
      plots.push_back(std::move(plot));
    }
  }
  return plots;
}

Plot autocorrelation_plot(const IdentifyPage& page) {
  const identify::Fit& fit = page.found->fit;
  const double dt = page.found->sample_interval();
  const auto samples = static_cast<int>(fit.residuals.values.cols());
  const int lags = std::clamp(dt > 0 ? static_cast<int>(longest_lag / dt) : 0, 0, std::max(0, samples - 1));
  Plot plot{.title = "How long residuals remember", .y_label = "Autocorrelation", .x_label = "lag (s)"};
  Index row = 0;
  for (const int i : model::free_indices(page.found->structure.dof)) {
    const Eigen::VectorXd rho = solve::autocorrelation(fit.residuals.values.row(row++).transpose(), lags);
    Series series{.name = std::string(model::dof_name(i))};
    for (Index k = 0; k < rho.size(); ++k) {
      series.t.push_back(dt * static_cast<double>(k));
      series.y.push_back(rho[k]);
    }
    plot.series.push_back(std::move(series));
  }
  const double white = 2 / std::sqrt(std::max(1.0, static_cast<double>(samples)));
  for (const double side : {-white, white}) {
    plot.series.push_back(level(0, dt * lags, side));
    plot.series.back().name = "white noise";
  }
  return plot;
}

}  // namespace fathom::report::internal
