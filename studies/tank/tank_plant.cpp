#include "studies/tank/tank_plant.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "fathom/identify/tank/steady_part.hpp"

namespace fathom::studies {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using identify::DragLaw;

constexpr double rate_hz = 50, rest = 3, ramp = 1.5, hold = 9, after = 1;  // s

/// Noise of the correlation exp(-dt / time).
class Remembering {
 public:
  Remembering(double sigma, double time, double dt) : keep_(std::exp(-dt / time)), sigma_(sigma) {}
  double next(RandomStream& random) {
    state_ = keep_ * state_ + std::sqrt(1 - keep_ * keep_) * random.normal();
    return sigma_ * state_;
  }

 private:
  double keep_, sigma_, state_ = 0;
};

/// What one run is, beside its speed.
struct Run {
  double speed, water, wave, phase, extra;
  bool has_vehicle;
};

/// Speed of the carriage over time: rest, ramp, hold, brake, rest.
double carriage(double speed, double t) {
  const double up = (t - rest) / ramp, down = (rest + 2 * ramp + hold - t) / ramp;
  return speed * std::clamp(std::min(up, down), 0.0, 1.0);
}

/// The force on the carriage, bracket and all.
double force_at(const Run& run, const DragLaw& bracket, double t) {
  constexpr double mass = 20, h = 1e-3;  // kg, with added mass
  const double u = carriage(run.speed, t);
  const double wave = run.wave * u * std::sin(4.4 * t + run.phase);  // N, in step with the bow wave
  const double moves = std::abs(u) > 0 ? 1 : 0;
  const double drag = run.has_vehicle ? TowingPlant::drag(u + moves * run.water) : 0;
  return drag + bracket.force(u) + wave + run.extra * u / std::abs(run.speed) +
         mass * (carriage(run.speed, t + h) - carriage(run.speed, t - h)) / (2 * h);
}

struct Record {
  identify::TowingRecord record;
  Eigen::MatrixXd readings;
};

/// Two cells carry the bracket, a wire that leans pulls back with a third.
Record recorded(const Run& run, const DragLaw& bracket, double wire_angle, RandomStream& random) {
  const auto n = static_cast<Index>((rest + 2 * ramp + hold + after) * rate_hz);
  Record made{{VectorXd(n), VectorXd(n), VectorXd(n)}, Eigen::MatrixXd(n, 3)};
  std::vector<Remembering> noise(3, Remembering(0.8, 0.15, 1 / rate_hz));
  const Eigen::Vector3d zero(random.normal(), random.normal(), random.normal());
  const Eigen::Vector3d drift =
      0.008 * Eigen::Vector3d(random.normal(), random.normal(), random.normal());  // N/s
  for (Index k = 0; k < n; ++k) {
    const double t = static_cast<double>(k) / rate_hz, f = force_at(run, bracket, t);
    const double wire = 4 + 0.2 * f;  // N, its tension
    const double carried = f + wire * std::cos(wire_angle);
    made.record.t[k] = t;
    made.record.speed[k] = carriage(run.speed, t) + 0.002 * random.normal();
    made.readings.row(k) << 0.6 * carried, 0.4 * carried, wire;
    for (int i = 0; i < 3; ++i)
      made.readings(k, i) += zero[i] + drift[i] * t + noise[static_cast<std::size_t>(i)].next(random);
  }
  return made;
}

/// What the library makes of a record.
bool reduce(Record& made, double nominal_speed, identify::TowedRun& run) {
  const auto cells = TowingPlant::cells();
  made.record.force = path_force(cells, made.readings, 0).force;
  const Index at_rest = identify::samples_at_rest(made.record);
  if (at_rest < 8) return false;
  const identify::PathForce path = path_force(cells, made.readings, at_rest);
  made.record.force = path.force;
  const identify::SteadySearch search = find_steady_part(made.record);
  if (!search.part) return false;
  run.speed = std::isfinite(search.part->speed) ? search.part->speed : nominal_speed;
  run.force = search.part->force.value;
  run.variance = search.part->force.variance + path.zero_variance;
  run.shared = shared_errors(cells, made.readings, path, search.part->from, search.part->count);
  return true;
}

struct Rig {
  DragLaw bracket;
  bool has_vehicle, speed_is_measured;
};

TowingPlant::Campaign towed(const Rig& rig, RandomStream& random) {
  const identify::LoadCell wire = TowingPlant::cells()[2];
  const double angle = wire.angle + wire.angle_sigma * random.normal();
  TowingPlant::Campaign campaign;
  const int planted[] = {static_cast<int>(random.uniform(0, 30)), static_cast<int>(random.uniform(30, 60))};
  for (int k = 0; k < 60; ++k) {
    const double speed = 0.1 * (1 + k % 10) * (k < 30 ? 1 : -1);
    const bool is_caught = k == planted[0] || k == planted[1];
    const double extra =
        is_caught ? std::copysign(4 + 0.15 * std::abs(TowingPlant::drag(speed)), random.normal()) : 0;
    const Run run{speed, 0.003 * random.normal(), random.uniform(0.3, 2), random.uniform(0, 6.28),
                  extra, rig.has_vehicle};
    Record made = recorded(run, rig.bracket, angle, random);
    if (!rig.speed_is_measured) made.record.speed.resize(0);
    identify::TowedRun one;
    if (!reduce(made, speed, one)) {
      ++campaign.without_steady_part;
      continue;
    }
    if (is_caught) campaign.outliers.push_back(campaign.runs.size());
    campaign.runs.push_back(std::move(one));
  }
  return campaign;
}

}  // namespace

double TowingPlant::drag(double u) {
  const double speed = std::abs(u), dip = 0.06 * std::exp(-std::pow((speed - 0.5) / 0.15, 2));
  return 2 * u + 35 * (1 - dip) * speed * u;
}

/// Nielsen 2019, eq. 5.16; the sigmas are ours.
DragLaw TowingPlant::bracket() {
  DragLaw law;
  law.c << 4, 25.06;
  law.covariance.diagonal() << 0.2 * 0.2, 0.4 * 0.4;
  return law;
}

std::vector<identify::LoadCell> TowingPlant::cells() {
  identify::LoadCell wire{"m3", -1, 0.35, 0.02};
  return {{"m1"}, {"m2"}, wire};
}

TowingPlant::Campaign TowingPlant::tow(RandomStream& random, bool speed_is_measured) {
  DragLaw truth = bracket();
  truth.c += bracket().covariance.diagonal().cwiseSqrt().cwiseProduct(
      Eigen::Vector2d(random.normal(), random.normal()));
  return towed({truth, true, speed_is_measured}, random);
}

TowingPlant::Campaign TowingPlant::tow_bracket(RandomStream& random) {
  return towed({bracket(), false, true}, random);
}

DragLaw TowingPlant::nearest_law(const identify::DragFit& fit) {
  Eigen::Matrix2d gram = Eigen::Matrix2d::Zero();
  Eigen::Vector2d moment = Eigen::Vector2d::Zero();
  for (const identify::FusedPoint& point : fit.points) {
    const Eigen::Vector2d a = DragLaw::basis(point.speed);
    const double variance = std::pow(point.sigma, 2) + std::pow(fit.misfit, 2);
    gram += a * a.transpose() / variance;
    moment += a * drag(point.speed) / variance;
  }
  DragLaw law;
  law.c = gram.inverse() * moment;
  return law;
}

namespace {

/// Per kg m^2 of inertia; the memory x' = rate - x / time pushes back with memory x.
struct Swinging {
  static constexpr double restoring = 1.1, equilibrium = -0.6, linear = 0.04, quadratic = 0.12;
  static constexpr double memory = 0.06, time = 0.8;  // 1/s^2, s

  static Eigen::Vector3d slope(const Eigen::Vector3d& x, double push) {
    return {x[1],
            push - restoring * std::sin(x[0] - equilibrium) - (linear + quadratic * std::abs(x[1])) * x[1] -
                memory * x[2],
            x[1] - x[2] / time};
  }
};

/// Sixty seconds from a release; `noise` scales all that is random.
identify::DecayRun swung(const std::string& name, double release, double noise, RandomStream& random) {
  constexpr double dt = 0.1, h = dt / 5;
  constexpr Index samples = 600;
  identify::DecayRun run{name, VectorXd(samples), VectorXd(samples)};
  Remembering water(0.003 * noise, 4, h), sensor(0.004 * noise, 0.3, dt);
  const double mounting = 0.004 * noise * random.normal();
  Eigen::Vector3d x(Swinging::equilibrium + release, 0, 0);
  for (Index i = 0; i < samples; ++i) {
    run.t[i] = dt * static_cast<double>(i);
    run.angle[i] = x[0] + mounting + sensor.next(random);
    for (int j = 0; j < 5; ++j) {
      const double push = water.next(random);
      x += h * Swinging::slope(x + h / 2 * Swinging::slope(x, push), push);
    }
  }
  return run;
}

}  // namespace

std::vector<identify::DecayRun> DecayPlant::swing(RandomStream& random, int runs) {
  std::vector<identify::DecayRun> all;
  for (int k = 0; k < runs; ++k)
    all.push_back(swung(std::to_string(k + 1), random.uniform(0.4, 1.0), 1, random));
  return all;
}

identify::DecayRates DecayPlant::nearest_rates() {
  RandomStream random(1, "no noise");
  std::vector<identify::DecayRun> all;
  for (const double release : {0.46, 0.58, 0.7, 0.82, 0.94}) all.push_back(swung("quiet", release, 0, random));
  return identify::fit_decay(all).rates;
}

identify::DecayRates DecayPlant::small_swing() {
  using S = Swinging;
  // x = (time - i w time^2) / (1 + w^2 time^2) rate, and i w angle = rate.
  double w2 = S::restoring;
  for (int k = 0; k < 50; ++k)
    w2 = S::restoring + S::memory * w2 * S::time * S::time / (1 + w2 * S::time * S::time);
  return {w2, S::equilibrium, S::linear + S::memory * S::time / (1 + w2 * S::time * S::time), S::quadratic};
}

}  // namespace fathom::studies
