#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"
#include "fathom/base/text.hpp"
#include "fathom/identify/thruster/advance_loss.hpp"
#include "fathom/identify/thruster/thruster.hpp"
#include "fathom/identify/thruster/thruster_dynamics.hpp"
#include "fathom/log/number_table.hpp"

#include "studies/coverage.hpp"
#include "studies/reproduce.hpp"

namespace fathom::studies {
namespace {

/// The thruster bench of the folder thruster_bench: steady points and two runs, each with its own zero.
struct ThrusterBench {
  identify::SteadyLaws steady;
  identify::BenchRun forward, reverse;  ///< to 3 V and to -2 V
};

constexpr Eigen::Index thrust_column = 15, tachometer_column = 20;  // from 0
constexpr double rad_s_per_volt = 49.9723;                          // of the tachometer
constexpr Eigen::Index samples_of_zero = 500;

/// What the data's own description says of a run: its command, when that leaves the dead band, and the edge.
struct Told {
  const char* file;
  double volts, leaves_dead_band, edge;
};

identify::BenchRun read_run(const std::filesystem::path& folder, const Told& told) {
  const log::NumberTable table = log::read_number_table(folder / told.file);
  if (table.values.cols() <= tachometer_column || table.values.rows() <= samples_of_zero)
    reject(table.file, 0, "", "is no run of the bench: too few columns or lines");
  const auto from_zero = [&](Eigen::Index column) {
    const Eigen::VectorXd series = table.values.col(column);
    return Eigen::VectorXd(series.array() - series.head(samples_of_zero).mean());
  };
  identify::BenchRun run{.name = told.file,
                         .volts = told.volts,
                         .dt = 1e-3,
                         .leaves_dead_band = told.leaves_dead_band,
                         .edge = told.edge};
  run.thrust = -from_zero(thrust_column);
  run.speed = rad_s_per_volt * from_zero(tachometer_column);
  run.switched_off = identify::time_of_switching_off(run);
  return run;
}

double begin_of_ramp(const identify::BenchRun& run, const identify::ThrusterDynamics& model) {
  return run.leaves_dead_band - model.ramp * run.edge / std::abs(run.volts);
}

ThrusterBench read_thruster_bench(const std::filesystem::path& folder) {
  const log::NumberTable steady = log::read_number_table(folder / "Steady_State_Data.csv");
  if (steady.values.cols() < 4) reject(steady.file, 0, "", "must have voltage, thrust, torque and speed");
  std::vector<identify::SteadyPoint> points;
  for (const auto& row : steady.values.rowwise()) points.push_back({row[0], row[1], row[3]});
  return {identify::fit_steady_laws(points), read_run(folder, {"2statep3V.csv", 3, 4.3, 0.86}),
          read_run(folder, {"2statem2V.csv", -2, 4.55, 0.83})};
}

/// `run` with its end where the other run has it, counted from the beginning of the ramp: nothing about the end
/// is taken from the run itself.
identify::BenchRun with_end_of(identify::BenchRun run, const identify::BenchRun& other,
                               const identify::ThrusterDynamics& model) {
  run.switched_off = begin_of_ramp(run, model) + other.switched_off - begin_of_ramp(other, model);
  return run;
}

namespace fs = std::filesystem;
using identify::BollardTable;
using identify::SideChoice;

/// The propeller of the synthetic towing campaigns: K_T = alpha0 + alpha1 J + alpha2 J^2, sized after the T200
/// at 16 V, which loses 44.5 % at .9 m/s and 1800 us.
struct TowedPropeller {
  static constexpr double density = 1000, diameter = 0.0762, alpha0 = 0.435, alpha1 = -0.789, alpha2 = 0.03;
  static constexpr double speed_at_1800 = 302;  // rad/s
  static double thrust(double w, double u) {
    const double n = w / (2 * std::numbers::pi), J = u / (n * diameter);
    return density * std::pow(diameter, 4) * n * n * (alpha0 + alpha1 * J + alpha2 * J * J);
  }
  static double loss(double w, double u) { return 1 - thrust(w, u) / thrust(w, 0); }
  static double T_wu() { return density * std::pow(diameter, 3) * alpha1 / (2 * std::numbers::pi); }
};
constexpr std::array towing_speeds = {0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9};  // m/s, of the thesis

/// Errors of static laws in % of each side's full force.
struct LawErrors {
  double chosen = 0, two = 0, one = 0, band = 0;
  int sides = 0;
  std::string in_words;

  void add(const std::string& name, const identify::StaticThrust& laws) {
    for (const SideChoice* side : {&laws.forward, &laws.reverse}) add(*side);
    in_words += fmt::format("{}{} degrees {} and {}", in_words.empty() ? "" : ", ", name,
                            laws.forward.law.degree, laws.reverse.law.degree);
  }

 private:
  void add(const SideChoice& side) {
    const double percent = 100 / side.full_force;
    chosen = std::max(chosen, percent * side.chosen().error);
    one = std::max(one, percent * side.tried[0].error);
    two = std::max(two, percent * side.tried[1].error);
    band += percent * 0.5 * (side.high - side.low).mean();
    ++sides;
  }
};

class ThrusterStudy {
 public:
  ThrusterStudy(Study& study, const Host& host) : study_(study), host_(host) {}

  void run() {
    run_or_skip(study_, host_.data / "thruster_t200" / "T200_10_12_16_20V_derived.csv",
                {"t200.", "static.t200", "shaft.", "motor."},
                [&](const fs::path& file) { t200(identify::bollard_table(log::read_number_table(file))); });
    host_.progress(0.5, "curves");
    run_or_skip(study_, host_.data / "thruster_curves", {"static.curves"},
                [&](const fs::path& folder) { curves(folder); });
    host_.progress(0.7, "bench");
    run_or_skip(study_, host_.data / "thruster_bench", {"p3_m2.", "m2_p3."},
                [&](const fs::path& folder) { bench(folder); });
    host_.progress(0.8, "bands");
    bands();
    host_.progress(0.9, "towing");
    towing();
    counting();
  }

 private:
  void t200(const BollardTable& table) {
    const identify::IdentifiedThruster found =
        identify_thruster(table, identify::command_of(table), "", law_options());
    for (const identify::VoltageLeftOut& out : found.table->left_out)
      study_.set(fmt::format("t200.without_{:g}", out.voltage), 100 * out.rms / out.full_force,
                 fmt::format("rms {:.3f} N of {:.1f} N, at most {:.2f} %", out.rms, out.full_force,
                             100 * out.peak / out.full_force));
    study_.set("t200.pooled", static_cast<double>(found.table->pooled_points),
               fmt::format("by at most {:.3f} N", found.table->largest_move));
    LawErrors errors;
    for (const auto& test : found.tests) errors.add(fmt::format("{:g} V", *test.voltage), test.laws);
    tell_laws("static.t200", errors);
    study_.set("static.t200_band", errors.band / errors.sides);
    study_.set("static.t200_one", errors.one);
    tell_shafts(found);
  }

  identify::StaticThrustOptions law_options() const {
    return {.resamples = study_.setting("resamples"), .seed = host_.seed};
  }

  void tell_laws(const std::string& key, const LawErrors& errors) {
    study_.set(key, errors.chosen, errors.in_words);
    study_.set(key + "_two", errors.two);
  }

  void curves(const fs::path& folder) {
    LawErrors errors;
    for (const char* name : {"520", "540"}) {
      const BollardTable table = identify::bollard_table(
          log::read_number_table(folder / fmt::format("{}.csv", name)), {{"command", "1:V"}, {"force", "2:N"}});
      errors.add(name,
                 identify_thruster(table, identify::command_of(table), "", law_options()).tests.front().laws);
    }
    tell_laws("static.curves", errors);
  }

  /// How often the 95 % band of a chosen law holds the force of a thruster that is none of the laws.
  void bands() {
    const model::Command command{model::CommandUnit::pwm_us, 1100, 1900, 1500};
    const auto force = [](double u) {
      return 12 * std::pow(std::sqrt(1 + 0.02 * std::max(0.0, u - 27)) - 1, 2);
    };
    RandomStream random(host_.seed, "bollard tests");
    Coverage bands;
    for (int k = 0; k < study_.setting("bollards"); ++k) {
      identify::BollardTest test;
      for (double at = command.min; at <= command.max; at += 16) {
        const double u = at - command.neutral;
        test.commands.push_back(at);
        test.forces.push_back(std::copysign(force(std::abs(u)), u) + 0.15 * random.normal());
      }
      const SideChoice side = identify_static_thrust(test, command, law_options()).forward;
      for (Eigen::Index i = 0; i < side.u.size(); ++i) {
        if (side.u[i] <= side.law.edge) continue;
        bands.add(side.low[i] <= force(side.u[i]) && force(side.u[i]) <= side.high[i]);
      }
    }
    study_.set("static.coverage", bands.percent());
  }

  void tell_shafts(const identify::IdentifiedThruster& found) {
    double worst = 1, worst_20 = 1, forward = 0, reverse = 0;
    for (const auto& test : found.tests)
      for (const auto* shaft : {&test.forward_shaft, &test.reverse_shaft}) {
        double& least = *test.voltage < 20 ? worst : worst_20;
        least = std::min(least, shaft->value().speed.r2);
        (shaft == &test.forward_shaft ? forward : reverse) +=
            shaft->value().thrust.T_ww / static_cast<double>(found.tests.size());
      }
    const identify::ShaftSpeedFit& fit = found.tests[1].forward_shaft.value().speed;
    study_.set(
        "shaft.r2", worst,
        fmt::format("{:g} V forward: {:.1f} +- {:.1f} rad/s (x/100 us)^({:.3f} +- {:.3f}) {:+.1f} +- {:.1f}",
                    *found.tests[1].voltage, fit.a, fit.a_sigma, fit.shaft.exponent, fit.exponent_sigma,
                    fit.shaft.c, fit.c_sigma));
    study_.set("shaft.r2_20", worst_20);
    study_.set("shaft.T_ww", 1e3 * forward);
    study_.set("shaft.ratio", reverse / forward);
    const identify::MotorConstants& motor = found.forward_motor.value();
    study_.set("motor.k_t", 1e3 * motor.k_t,
               fmt::format("+- {:.2f}; full throttle, residuals to {:.3f} V", 1e3 * motor.k_t_sigma,
                           motor.largest_residual));
    study_.set("motor.resistance", motor.resistance, fmt::format("+- {:.3f}", motor.resistance_sigma));
  }

  void bench(const fs::path& folder) {
    const ThrusterBench bench = read_thruster_bench(folder);
    tell_bench("p3_m2", bench, bench.forward, bench.reverse);
    tell_bench("m2_p3", bench, bench.reverse, bench.forward);
  }

  void tell_bench(const std::string& key, const ThrusterBench& bench, const identify::BenchRun& seen,
                  const identify::BenchRun& unseen) {
    const identify::DynamicsFit fit = fit_thruster_dynamics(seen, bench.steady);
    const auto score = [&](const identify::BenchRun& run) {
      return score_bench(run, simulate_bench(run, bench.steady, fit.model));
    };
    const identify::BenchScore result = score(unseen);
    study_.set(key + ".speed", result.speed, fmt::format("{:.3f} over the whole run", result.speed_whole));
    study_.set(key + ".thrust", result.thrust,
               fit.at_bound.empty()
                   ? "every parameter inside its bounds"
                   : fmt::format("{} at a bound: not shown by this run", join(fit.at_bound, " and ")));
    study_.set(key + ".own_end", score(with_end_of(unseen, seen, fit.model)).thrust);
    study_.set(key + ".raw", result.thrust_raw);
    study_.set(key + ".ceiling", result.thrust_ceiling);
  }

  void towing() {
    const int campaigns = study_.setting("campaigns");
    RandomStream random(host_.seed, "towing campaigns");
    Coverage wu, losses;
    double at_speed = 0;
    for (int campaign = 0; campaign < campaigns; ++campaign) {
      std::vector<identify::TowedPoint> points;
      for (double w = 90; w <= 360; w += 18)
        for (const double u : towing_speeds)
          points.push_back({w, u, TowedPropeller::thrust(w, u) + 0.5 * random.normal()});
      const identify::AdvanceLoss found = identify_advance_loss(points);
      wu.add(found.thrust.wu - TowedPropeller::T_wu(), sigmas_of_95 * found.wu_sigma());
      for (const identify::TowedPoint& point : points) {
        const auto loss = found.loss(point.shaft_speed, point.inflow);
        losses.add(loss.share - TowedPropeller::loss(point.shaft_speed, point.inflow),
                   sigmas_of_95 * loss.sigma);
      }
      at_speed += found.loss(TowedPropeller::speed_at_1800, 0.9).share;
    }
    study_.set("towing.wu", wu.percent());
    study_.set("towing.loss", losses.percent());
    study_.set("towing.loss_at_speed", 100 * at_speed / campaigns);
  }

  void counting() {
    constexpr int poles = 14, pairs = poles / 2, polls = 100;
    constexpr double interval = 0.1, turns_per_s = 9.37, truth = 2 * std::numbers::pi * turns_per_s;
    double square = 0, sum = 0;
    long before = 0;
    for (int k = 1; k <= polls; ++k) {
      const auto counted = static_cast<long>(std::floor(pairs * turns_per_s * interval * k + 0.3));
      const double error = identify::shaft_speed_of_counts(counted - before, poles, interval) / truth - 1;
      square += error * error;
      sum += error;
      before = counted;
    }
    study_.set("counts.rms", 100 * std::sqrt(square / polls));
    study_.set("counts.mean", 100 * sum / polls);
  }

  Study& study_;
  const Host& host_;
};

}  // namespace

void reproduce_thrusters(Study& study, const Host& host) { ThrusterStudy(study, host).run(); }

}  // namespace fathom::studies
