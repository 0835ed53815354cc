// Chapter 6 of Nielsen 2019: two BlueROVs and a connector in open loop, the simulation beside what the cameras
// see.
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/parallel_map.hpp"
#include "fathom/identify/metrics.hpp"

#include "studies/modular/connected_pair.hpp"
#include "studies/modular/parts.hpp"

namespace fathom::studies {
namespace {

constexpr Eigen::Index compared_stride = 4;  // 50 Hz, the rate at which the thesis logs signals

Eigen::VectorXd fifty_hz(const Eigen::VectorXd& series) {
  return series(Eigen::seqN(0, series.size() / compared_stride, compared_stride));
}

/// Mean distance of two series once warped onto each other, a row per quantity.
double warped_mean(const std::vector<Eigen::VectorXd>& a, const std::vector<Eigen::VectorXd>& b) {
  const auto rows = [](const std::vector<Eigen::VectorXd>& series) {
    Eigen::MatrixXd m(static_cast<Eigen::Index>(series.size()), series.front().size() / compared_stride);
    for (std::size_t k = 0; k < series.size(); ++k)
      m.row(static_cast<Eigen::Index>(k)) = fifty_hz(series[k]).transpose();
    return m;
  };
  return identify::warp(rows(a), rows(b), {.window = 1}).mean;
}

double pearson(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return identify::metrics(fifty_hz(a), fifty_hz(b)).pearson;
}

/// s, from the thrusters' start until the heading has turned by half a turn.
double time_of_half_turn(const MarkerTrack& track) {
  for (Eigen::Index k = 0; k < track.yaw.size(); ++k)
    if (track.yaw[k] >= std::numbers::pi)
      return static_cast<double>(k) / MarkerTrack::rate_hz - Excursion::rest;
  return nan;
}

/// One run of the thesis: what the cameras saw of the plant beside the simulation.
struct Beside {
  double position, velocity, heading, turn;  // means of the warped distances
  double pearson_x, pearson_velocity, pearson_turn;
};

Beside set_beside(const MarkerTrack& measured, const MarkerTrack& simulated) {
  const MarkerTrack &m = measured, &s = simulated;
  return {warped_mean({m.x, m.y}, {s.x, s.y}),
          warped_mean({m.speed}, {s.speed}),
          warped_mean({m.yaw}, {s.yaw}),
          warped_mean({m.turn}, {s.turn}),
          pearson(m.x, s.x),
          pearson(m.speed, s.speed),
          pearson(m.turn, s.turn)};
}

class ConnectedStudy {
 public:
  ConnectedStudy(Study& study, const Host& host)
      : study_(study), host_(host), model_(ConnectedPair::make(host, {})), plant_(make_plant()) {}

  void run() {
    speeds();
    straight_runs();
    circle();
    turning_runs();
  }

 private:
  static constexpr double circle_seconds = 25;

  ConnectedPair make_plant() const {
    RandomStream random(host_.seed, "modular connected plant");
    return model_.disturbed(random);
  }

  void speeds() {
    const double bollard = 4 * ConnectedPair::bollard_thrust(300);
    study_.set("conn.loss", 100 * model_.needed_loss(),
               fmt::format("{:.1f} N of drag, {:.1f} N at bollard", model_.surge_drag(0.9), bollard));
    const MarkerTrack with = swim_connected(model_, {300, 300}),
                      without = swim_connected(ConnectedPair::make(host_, {.loses_thrust = false}), {300, 300});
    const Eigen::Index last = with.x.size() - 1;
    study_.set("conn.speed", with.speed[last]);
    study_.set("conn.speed_without", without.speed[last]);
    study_.set("conn.distance", with.x[last] - with.x[0]);
    study_.set("conn.tether", tether_pull(with.speed[last], with.x[last] - with.x[0]));
    study_.set("conn.sideways", (with.y.array() - with.y[0]).abs().maxCoeff());
  }

  /// What the cameras see of run k, beside the simulation.
  Beside run_beside(const std::string& name, const Excursion& excursion) const {
    RandomStream random(host_.seed, "modular connected " + name);
    Vec6 drift = Vec6::Zero();  // what the holding of attitude leaves, section 6.3
    for (const int k : {0, 1, 5}) drift[k] = 0.01 * random.normal();
    const MarkerTrack measured = filmed(swim_connected(plant_, excursion, drift), random);
    return set_beside(measured, swim_connected(model_, excursion));
  }

  /// Every signal so many times, port alone or both sides.
  std::vector<Beside> runs_beside(const std::vector<double>& signals, bool port_alone) {
    const int repeats = study_.setting("repeats");
    const int runs = repeats * static_cast<int>(signals.size());
    return parallel_map(host_.pool, runs, [&](int k) {
      const double above = signals[static_cast<std::size_t>(k / repeats)];
      Excursion excursion{above, port_alone ? 0 : above};
      if (port_alone) excursion.seconds = 20;
      return run_beside(fmt::format("{} {}", port_alone ? "port" : "both", k), excursion);
    });
  }

  void straight_runs() {
    const std::vector<Beside> runs = runs_beside({100, 150, 200, 250, 300}, false);
    study_.set("straight.position", runs.back().position);
    study_.set("straight.velocity", runs.back().velocity);
    Beside worst{0, 0, 0, 0, 1, 1, 1};
    for (const Beside& run : runs) {
      worst.position = std::max(worst.position, run.position);
      worst.velocity = std::max(worst.velocity, run.velocity);
      worst.pearson_x = std::min(worst.pearson_x, run.pearson_x);
      worst.pearson_velocity = std::min(worst.pearson_velocity, run.pearson_velocity);
    }
    const std::string count = fmt::format("{} runs", runs.size());
    study_.set("straight.worst_position", worst.position, count);
    study_.set("straight.worst_velocity", worst.velocity);
    study_.set("straight.pearson_x", worst.pearson_x);
    study_.set("straight.pearson_velocity", worst.pearson_velocity);
  }

  /// The circle of the port vehicle's thrusters alone at 1700 us.
  struct Circle {
    double length_x, length_y, half_turn;
  };
  static Circle circle_of(const ConnectedPair& pair) {
    const MarkerTrack track = swim_connected(pair, {200, 0, circle_seconds});
    return {peak_to_peak(track.x), peak_to_peak(track.y), time_of_half_turn(track)};
  }

  void circle() {
    const Circle ours = circle_of(model_),
                 printed = circle_of(ConnectedPair::make(host_, {.connector_yaw = 4.64})),
                 light = circle_of(ConnectedPair::make(host_, {.mass = 8})),
                 heavy = circle_of(ConnectedPair::make(host_, {.mass = 15})),
                 close = circle_of(ConnectedPair::make(host_, {.spacing = 0.65})),
                 far = circle_of(ConnectedPair::make(host_, {.spacing = 0.9}));
    const auto range = [&](double Circle::*what) {
      return fmt::format("8 to 15 kg: {:.2f} to {:.2f}, 0.65 to 0.9 m apart: {:.2f} to {:.2f}", light.*what,
                         heavy.*what, close.*what, far.*what);
    };
    study_.set("circle.x", ours.length_x, range(&Circle::length_x));
    study_.set("circle.y", ours.length_y, range(&Circle::length_y));
    study_.set("circle.half_turn", ours.half_turn, range(&Circle::half_turn));
    study_.set("circle.printed_x", printed.length_x);
    study_.set("circle.printed_y", printed.length_y);
    study_.set("circle.printed_half_turn", printed.half_turn);
  }

  void turning_runs() {
    const std::vector<Beside> runs = runs_beside({100, 200, 300}, true);
    Beside worst{0, 0, 0, 0, 1, 1, 1};
    for (const Beside& run : runs) {
      worst.heading = std::max(worst.heading, run.heading);
      worst.velocity = std::max(worst.velocity, run.velocity);
      worst.turn = std::max(worst.turn, run.turn);
      worst.pearson_turn = std::min(worst.pearson_turn, run.pearson_turn);
    }
    study_.set("turning.heading", worst.heading, fmt::format("{} runs", runs.size()));
    study_.set("turning.velocity", worst.velocity);
    study_.set("turning.turn", worst.turn);
    study_.set("turning.pearson", worst.pearson_turn);
  }

  Study& study_;
  const Host& host_;
  ConnectedPair model_, plant_;
};

}  // namespace

void study_connected(Study& study, const Host& host) { ConnectedStudy(study, host).run(); }

}  // namespace fathom::studies
