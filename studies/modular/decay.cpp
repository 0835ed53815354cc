#include <cmath>
#include <vector>

#include <ceres/cost_function.h>
#include <ceres/problem.h>
#include <fmt/format.h>

#include "fathom/base/parallel_map.hpp"
#include "fathom/base/random.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/identify/small_fit.hpp"

#include "studies/coverage.hpp"
#include "studies/modular/parts.hpp"
#include "studies/modular/sphere_pair.hpp"

// Section 4.3.1 of Nielsen 2019: [r_y r_z D_q D_l] fitted to decays of two spheres, with intervals.
namespace fathom::studies {
namespace {

/// The plant of the decays: what is not fitted. Between the spheres is a rod with mass, added mass and drag of
/// its own; the water pushes; the markers sit a little differently in every run, are seen a little late, and
/// with noise.
class SphereSwing {
 public:
  static constexpr double seconds = 120, rate_hz = 10;
  static constexpr int samples = static_cast<int>(seconds * rate_hz);

  explicit SphereSwing(const SpherePair& spheres);

  /// The spheres' own: the thesis' fit.
  static SphereTheta truth() { return SphereTheta::printed_fit(); }
  /// Five runs, each let go with the rod about level.
  std::vector<identify::DecayRun> campaign(RandomStream& random);
  /// Five without anything random.
  std::vector<identify::DecayRun> quiet_campaign();

 private:
  /// From rest at this roll of A; `noise` scales all that is random.
  identify::DecayRun run(const std::string& name, double roll, double noise, RandomStream& random);

  CoupledRobots spheres_;
};

std::vector<CoupledRobots::Member> spheres_with_rod(const SpherePair& spheres) {
  const model::Robot rod = sphere_rod();
  return spheres.members(SphereSwing::truth(), &rod);
}

SphereSwing::SphereSwing(const SpherePair& spheres) : spheres_(spheres_with_rod(spheres)) {}

identify::DecayRun SphereSwing::run(const std::string& name, double roll, double noise, RandomStream& random) {
  constexpr double dt = 1 / rate_hz, lag = 0.04;     // s, of the markers
  constexpr double water = 0.03, memory = 3;         // N m, s
  constexpr double mounting = 0.01, sensor = 0.005;  // rad
  const double keep = std::exp(-dt / memory), fresh = std::sqrt(1 - keep * keep);
  const double bias = mounting * noise * random.normal();
  identify::DecayRun run{name, Eigen::VectorXd(samples), Eigen::VectorXd(samples)};
  spheres_.begin(at_rest_under_water(exp_rotation({roll, 0, 0})));
  double push = random.normal();
  for (Eigen::Index k = 0; k < samples; ++k) {
    run.t[k] = dt * static_cast<double>(k);
    const double rate = spheres_.state(0).nu_b[3];  // the roll's, for pitch stays zero
    run.angle[k] = spheres_.roll(0) - lag * noise * rate + bias + sensor * noise * random.normal();
    push = keep * push + fresh * random.normal();
    spheres_.plant(1).disturb(water * noise * push * Vec6::Unit(3));
    spheres_.step(dt);
  }
  return run;
}

std::vector<identify::DecayRun> SphereSwing::campaign(RandomStream& random) {
  std::vector<identify::DecayRun> runs;
  for (int k = 1; k <= 5; ++k) runs.push_back(run(std::to_string(k), random.uniform(-0.15, 0.15), 1, random));
  return runs;
}

std::vector<identify::DecayRun> SphereSwing::quiet_campaign() {
  RandomStream random(1, "quiet");
  std::vector<identify::DecayRun> runs;
  for (const double roll : {-0.12, -0.06, 0.0, 0.06, 0.12}) runs.push_back(run("quiet", roll, 0, random));
  return runs;
}

/// Eqs. 4.9 and 4.10 of Nielsen 2019 with the coupled spheres themselves as the predictor: theta, and a first
/// roll and rate for each run, whose simulated rolls are nearest to the measured ones.
struct SphereFit {
  SphereTheta theta;
  std::vector<double> mse;  ///< rad^2, of each run
  bool converged = false;
};

constexpr Eigen::Index sphere_stride = 2;  // every second sample: 5 Hz, forty in a swing

identify::DecayRun thinned(const identify::DecayRun& run) {
  const Eigen::Index n = run.t.size() / sphere_stride;
  const auto every = Eigen::seqN(0, n, sphere_stride);
  return {run.name, run.t(every), run.angle(every)};
}

/// Theta in units in which a step of one is large: millimetres, and drag as it is.
const Eigen::Vector4d theta_unit(1e-3, 1e-3, 1, 1);

/// Rolls of A at the times of a run, which are even; `steps` of Runge and Kutta between two.
Eigen::VectorXd swing_spheres(const SpherePair& spheres, const SphereTheta& theta, const Eigen::VectorXd& t,
                              double roll, double rate, int steps = 1) {
  CoupledRobots pair(spheres.members(theta));
  dynamics::State first = at_rest_under_water(exp_rotation({roll, 0, 0}));
  first.nu_b << 0, 0, -rate * SpherePair::rod / 2, rate, 0, 0;  // the middle of the rod stays
  pair.begin(first);
  const double dt = (t[1] - t[0]) / steps;
  Eigen::VectorXd rolls(t.size());
  for (Eigen::Index k = 0; k < t.size(); ++k) {
    rolls[k] = pair.roll(0);
    for (int i = 0; i < steps; ++i) pair.step(dt);
  }
  return rolls;
}

/// Rolls of a run less the measured ones; derivatives by differences.
class SphereCost : public ceres::CostFunction {
 public:
  SphereCost(const SpherePair& spheres, const identify::DecayRun& run) : spheres_(spheres), run_(run) {
    set_num_residuals(static_cast<int>(run.t.size()));
    mutable_parameter_block_sizes()->assign({4, 2});
  }
  bool Evaluate(double const* const* x, double* residuals, double** jacobians) const override {
    Eigen::Matrix<double, 6, 1> at;
    at << Eigen::Map<const Eigen::Vector4d>(x[0]), Eigen::Map<const Eigen::Vector2d>(x[1]);
    const Eigen::VectorXd roll = rolls(at);
    Eigen::Map<Eigen::VectorXd>(residuals, roll.size()) = roll - run_.angle;
    for (int block = 0; jacobians && block < 2; ++block) {
      if (!jacobians[block]) continue;
      const int from = block == 0 ? 0 : 4, columns = block == 0 ? 4 : 2;
      using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      Eigen::Map<Rows> J(jacobians[block], roll.size(), columns);
      for (int k = 0; k < columns; ++k) {
        constexpr double h = 1e-5;
        Eigen::Matrix<double, 6, 1> moved = at;
        moved[from + k] += h;
        J.col(k) = (rolls(moved) - roll) / h;
      }
    }
    return roll.allFinite();
  }

 private:
  Eigen::VectorXd rolls(const Eigen::Matrix<double, 6, 1>& x) const {
    const SphereTheta theta = SphereTheta::of(x.head<4>().cwiseProduct(theta_unit));
    return swing_spheres(spheres_, theta, run_.t, x[4], x[5]);
  }

  const SpherePair& spheres_;
  const identify::DecayRun& run_;
};

SphereFit solve_spheres(const SpherePair& spheres, const std::vector<identify::DecayRun>& all,
                        const SphereTheta& start, bool is_held) {
  std::vector<identify::DecayRun> runs;
  for (const identify::DecayRun& run : all) runs.push_back(thinned(run));
  Eigen::Vector4d x = start.vector().cwiseQuotient(theta_unit);
  std::vector<Eigen::Vector2d> first;
  for (const identify::DecayRun& run : runs) first.emplace_back(run.angle[0], 0);
  ceres::Problem problem;
  for (std::size_t k = 0; k < runs.size(); ++k)
    problem.AddResidualBlock(new SphereCost(spheres, runs[k]), nullptr, x.data(), first[k].data());
  for (const int k : {2, 3}) identify::keep_within(problem, x.data(), k, 0, infinity);
  if (is_held) problem.SetParameterBlockConstant(x.data());
  const bool converged =
      identify::solve_small(problem, {.function_tolerance = 1e-7, .most_iterations = 50}).converged;
  SphereFit fit{SphereTheta::of(x.cwiseProduct(theta_unit)), {}, converged};
  for (std::size_t k = 0; k < runs.size(); ++k)
    fit.mse.push_back(
        (swing_spheres(spheres, fit.theta, runs[k].t, first[k][0], first[k][1]) - runs[k].angle).squaredNorm() /
        static_cast<double>(runs[k].t.size()));
  return fit;
}

SphereFit fit_spheres(const SpherePair& spheres, const std::vector<identify::DecayRun>& runs,
                      const SphereTheta& start) {
  return solve_spheres(spheres, runs, start, false);
}

/// With theta held: only where each run begins is fitted. For runs that were not fitted.
SphereFit judge_spheres(const SpherePair& spheres, const std::vector<identify::DecayRun>& runs,
                        const SphereTheta& theta) {
  return solve_spheres(spheres, runs, theta, true);
}

/// A fit of the pair as one angle, with the half widths of 95 % intervals.
struct ThetaInterval {
  Eigen::Vector4d theta, half;
};

/// identify::fit_decay's covariance allows for residuals that remember and for runs that differ; here it goes
/// through the slope of theta by the rates, with Student's factor of each rate.
ThetaInterval theta_interval(const SpherePair& spheres, const std::vector<identify::DecayRun>& runs) {
  const identify::DecayFit fit = identify::fit_decay(runs);
  Eigen::Vector4d factor;
  for (int k = 0; k < 4; ++k) factor[k] = fit.half_width(k) / std::sqrt(fit.covariance(k, k));
  Eigen::Matrix4d slope;
  const SphereTheta theta = spheres.theta(fit.rates, &slope);
  const Eigen::Matrix4d wide = slope * factor.asDiagonal();
  return {theta.vector(), (wide * fit.covariance * wide.transpose()).diagonal().cwiseSqrt()};
}

class DecayFitStudy {
 public:
  DecayFitStudy(Study& study, const Host& host)
      : study_(study),
        host_(host),
        spheres_{host.robot("nielsen-sphere-hydrostatic")},
        nearest_(theta_interval(spheres_, SphereSwing(spheres_).quiet_campaign()).theta) {}

  void run() {
    check_reduction();
    fit_one_campaign();
    count_campaigns();
  }

 private:
  /// The equation of one angle and the coupled spheres are the same motion.
  void check_reduction() {
    const SphereTheta theta = SphereTheta::printed_fit();
    const Eigen::VectorXd t = Eigen::VectorXd::LinSpaced(2400, 0, 119.95);
    const Eigen::VectorXd coupled = swing_spheres(spheres_, theta, t, 0.1, 0.2, 2),
                          angle = identify::simulate_decay(spheres_.rates(theta), t, 0.1, 0.2);
    study_.set("fit.reduction", (coupled - angle).cwiseAbs().maxCoeff());
  }

  void fit_one_campaign() {
    RandomStream random(host_.seed, "modular decay");
    const std::vector<identify::DecayRun> runs = SphereSwing(spheres_).campaign(random);
    const SphereFit one = fit_spheres(spheres_, {runs.front()}, SphereTheta::table_4_2());
    const SphereFit all = fit_spheres(spheres_, runs, one.theta);
    const ThetaInterval one_angle = theta_interval(spheres_, runs);
    const Eigen::Vector4d truth = SphereSwing::truth().vector();
    double apart = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      const std::string name = SphereTheta::names[k];
      study_.set("fit.one." + name, one.theta.vector()[i]);
      study_.set("fit.all." + name, all.theta.vector()[i],
                 fmt::format("+- {:.2g}; fit without noise {:.4g}", one_angle.half[i], nearest_[i]));
      apart = std::max(apart, std::abs(all.theta.vector()[i] - one_angle.theta[i]) / one_angle.half[i]);
      study_.set("fit.off." + name, 100 * (nearest_[i] / truth[i] - 1));
    }
    study_.set("fit.same", apart);
    const SphereFit judged = judge_spheres(spheres_, runs, one.theta);
    for (std::size_t k = 0; k < runs.size(); ++k) study_.set(fmt::format("fit.mse.{}", k + 1), judged.mse[k]);
    study_.set("fit.converged", one.converged && all.converged && judged.converged);
  }

  void count_campaigns() {
    const int campaigns = study_.setting("campaigns");
    struct Fits {
      ThetaInterval all, one;
    };
    const std::vector<Fits> fits = parallel_map(host_.pool, campaigns, [&](int k) {
      RandomStream random(host_.seed, fmt::format("modular decay {}", k));
      const std::vector<identify::DecayRun> runs = SphereSwing(spheres_).campaign(random);
      return Fits{theta_interval(spheres_, runs), theta_interval(spheres_, {runs.front()})};
    });
    for (Eigen::Index i = 0; i < 4; ++i) {
      Coverage all, one;
      double half = 0, square = 0;
      for (const Fits& each : fits) {
        all.add(each.all.theta[i] - nearest_[i], each.all.half[i]);
        one.add(each.one.theta[i] - nearest_[i], each.one.half[i]);
        half += each.all.half[i] / campaigns;
        square += std::pow(each.all.theta[i] - nearest_[i], 2) / campaigns;
      }
      study_.set(fmt::format("fit.held.{}", SphereTheta::names[static_cast<std::size_t>(i)]), all.percent(),
                 fmt::format("+- {:.2g}, errors {:.2g} rms; of one run alone {:.0f} %", half, std::sqrt(square),
                             one.percent()));
    }
  }

  Study& study_;
  const Host& host_;
  SpherePair spheres_;
  Eigen::Vector4d nearest_;  // theta of a fit without noise
};

}  // namespace

void study_decay_fit(Study& study, const Host& host) { DecayFitStudy(study, host).run(); }

}  // namespace fathom::studies
